/* A proxy, from its start together with the others to the end of the service. */
#include "proxy/proxy.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/settings.h"
#include "proxy/desk.h"
#include "proxy/loads.h"
#include "proxy/pulse.h"
#include "wire/census.h"
#include "wire/look.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds: turns without a break for an answer, and while something is under way; an end of the
 * service during which nothing more ends. */
static const double LOOK_SECONDS = 300e-6, PUSH_SECONDS = 10e-3;
static const double END_SECONDS = 10;

/* Nanoseconds. Nothing wakes a proxy when a mail comes: it looks after naps, which take a part of
 * the time for which nothing has come. */
enum {
  SHORTEST_NAP = 20000,
  LONGEST_NAP_PASSING = 1000000,
  LONGEST_NAP = 20000000,
  NAP_ALONE = 1000000000,
  NAP_PART = 16
};

enum { LARGE_MEMORY = 1 << 20 };

static struct {
  int signals;
  bool stops, has_told_stop;
  int others_stop; /* so many have said so: they open no more sessions */
  uint64_t left;   /* of sessions, and since when that much */
  double left_since;
} service;

/* --- What all agree on at the start ----------------------------------------------------------- */

/* Where an abstract socket can be reached: the same kernel and network. */
struct place {
  struct cwi_pid_namespace kernel;
  uint64_t network_device, network;
  uint64_t user;
};

static void find_place(struct place *place)
{
  struct stat network;
  memset(place, 0, sizeof *place);
  cwi_machine_pid_namespace(&place->kernel);
  place->kernel.device = place->kernel.inode = 0; /* of processes: not asked here */
  if (stat("/proc/self/ns/net", &network) == 0) {
    place->network_device = network.st_dev;
    place->network = network.st_ino;
  }
  place->user = geteuid();
}

/* The first proxy of a place has its door. */
static bool has_door(void)
{
  const size_t processes = (size_t)cw_processes();
  struct place mine;
  struct place *all = calloc(processes, sizeof *all);
  if (all == NULL)
    cw_abort("cw-vocl: no memory", 1);
  find_place(&mine);
  CW_MUST(cw_allgather(cw_team_world(), &mine, sizeof mine, all));
  int first = 0;
  while (memcmp(&all[first], &mine, sizeof mine) != 0)
    first++;
  free(all);
  return first == cw_process();
}

/* Did all succeed? code: a value of errno, of this process. */
static bool all_succeeded(int code)
{
  CW_MUST(cw_allreduce(cw_team_world(), CW_INT, CW_MAXIMUM, 1, &code));
  return code == 0;
}

/* Opens the door, if it is this proxy's: *door is -1 if it is not. */
static bool open_door(const char *name, int *door)
{
  char host[64] = "";
  int code = 0;
  *door = -1;
  if (has_door()) {
    *door = cwi_door_listen(name);
    code = *door < 0 ? errno : 0;
  }
  gethostname(host, sizeof host - 1);
  if (code == EADDRINUSE)
    fprintf(stderr,
            "cw-vocl: there is a service '%s' of this user on %s already (cw-vocl stop ends it; "
            "--name gives this one another name)\n",
            name, host);
  else if (code != 0)
    fprintf(stderr, "cw-vocl: the door of service '%s' on %s cannot be opened: %s\n", name, host,
            strerror(code));
  return all_succeeded(code);
}

static void exchange_hosts(struct cwi_service_facts *facts)
{
  struct cwi_host_name mine = {""};
  gethostname(mine.name, sizeof mine.name - 1);
  facts->hosts = calloc((size_t)cw_processes(), sizeof mine);
  if (facts->hosts == NULL)
    cw_abort("cw-vocl: no memory for the names of hosts", 1);
  CW_MUST(cw_allgather(cw_team_world(), &mine, sizeof mine, facts->hosts));
}

/* The devices of all. */
static void exchange_census(struct cwi_service_facts *facts)
{
  const size_t processes = (size_t)cw_processes();
  size_t own_bytes = 0;
  void *own = cwi_census_take((uint32_t)cw_process(), &own_bytes);
  size_t *sizes = calloc(processes, sizeof *sizes);
  if (own == NULL || sizes == NULL)
    cw_abort("cw-vocl: no memory for the census of devices", 1);
  CW_MUST(cw_allgather(cw_team_world(), &own_bytes, sizeof own_bytes, sizes));
  for (size_t i = 0; i < processes; i++)
    facts->census_bytes += sizes[i];
  facts->census = malloc(facts->census_bytes);
  if (facts->census == NULL)
    cw_abort("cw-vocl: no memory for the census of devices", 1);
  CW_MUST(cw_allgatherv(cw_team_world(), own, own_bytes, facts->census, sizes, NULL));
  free(own);
  free(sizes);
}

/* --- Turning ---------------------------------------------------------------------------------- */

static void tell_moved(uint32_t request, int code, const struct cwi_mail_moved *moved)
{
  if (request == CWI_LOADS_REQUEST)
    cwi_loads_moved(request, code, moved);
  else
    cwi_desk_moved(request, code, moved);
}

static bool hear_mail(void)
{
  int from = 0;
  struct cwi_mail mail;
  bool any = false;
  while (cwi_post_next(&from, &mail)) {
    any = true;
    cwi_pulse_hear(from);
    switch (mail.kind) {
    case CWI_MAIL_STOP:
      service.stops = true;
      service.others_stop++;
      cwi_pulse_hear_stop(from);
      break;
    case CWI_MAIL_LIST:
    case CWI_MAIL_ENTRY:
    case CWI_MAIL_LISTED:
      cwi_desk_hear(from, &mail);
      break;
    case CWI_MAIL_MOVE:
    case CWI_MAIL_MOVED:
      cwi_moving_hear(&mail, tell_moved);
      break;
    case CWI_MAIL_ASK_PULSE:
      cwi_post_send(from, &(struct cwi_mail){.kind = CWI_MAIL_PULSE});
      break;
    case CWI_MAIL_PULSE:
      break;
    case CWI_MAIL_LOAD:
      cwi_loads_hear(&mail);
      break;
    default:
      cwi_sessions_hear(from, &mail, &cwi_desk_listener);
    }
  }
  return any;
}

/* A signal, or the end of standard input. */
static void look_at_own(const void *whose)
{
  char unread[256];
  if (whose == &service.signals || read(STDIN_FILENO, unread, sizeof unread) <= 0)
    service.stops = true;
  if (service.stops) {
    cwi_watch_remove(service.signals);
    cwi_watch_remove(STDIN_FILENO);
  }
}

static bool look_at_descriptors(void)
{
  void *whose = NULL;
  bool any = false;
  while (cwi_watch_next(&whose)) {
    any = true;
    if (whose == &service.signals || whose == &service)
      look_at_own(whose);
    else
      cwi_desk_look(whose);
  }
  service.stops = service.stops || cwi_desk_wants_stop();
  return any;
}

/* Once: the others hear it, programs see it. */
static void begin_stop(void)
{
  service.has_told_stop = true;
  service.left = UINT64_MAX;
  cwi_pulse_begin_stop();
  for (int process = 0; process < cw_processes(); process++)
    if (process != cw_process())
      cwi_post_send(process, &(struct cwi_mail){.kind = CWI_MAIL_STOP});
  cwi_desk_shut();
}

/* Vendors may take seconds to release what a program has left: as long as anything of it goes, it
 * is waited for. The others say at once that they stop: whether they can still be reached the pulse
 * sees, if there is one. */
static bool has_ended(bool busy)
{
  const bool have_stopped = service.others_stop == cw_processes() - 1;
  if (cwi_sessions_first() == NULL && !busy && have_stopped)
    return true;
  const uint64_t left = cwi_sessions_left();
  if (left != service.left)
    service.left_since = cwi_now();
  service.left = left;
  if (cwi_now() - service.left_since <= END_SECONDS)
    return false;
  if (left > 0)
    cw_abort("cw-vocl: the service ends, but a session does not: a device is still busy for it", 1);
  if (!have_stopped && cwi_settings.vocl_silence == 0)
    cw_abort("cw-vocl: the service ends, but one of its proxies does not say that it stops", 1);
  return false;
}

/* How long nothing needs to be looked at, if nothing has come for so many seconds. */
static long nap_after(double quiet, bool passing, bool busy, long loads)
{
  const double part = quiet * 1e9 / NAP_PART;
  const long longest = passing && quiet < 10 ? LONGEST_NAP_PASSING : LONGEST_NAP;
  if (cw_processes() == 1)
    return loads < NAP_ALONE ? loads : NAP_ALONE;
  if (busy || part < SHORTEST_NAP)
    return SHORTEST_NAP;
  return part < (double)longest ? (long)part : longest;
}

/* A turn of a wait: what comes for this machine is served here, so that its server stands back and
 * no other thread has to wake. Mail is looked for after that. */
static void serve_machine(void)
{
  struct cwi_wait turn = {0};
  if (cw_processes() > 1)
    cwi_wait_turn(&turn);
  cw_progress();
}

/* What is under way goes on by turns alone. False: it is time to sleep. */
static bool turn_pass_time(bool pushes, struct cwi_look *look)
{
  if (!pushes)
    return cwi_look_turn(look);
  if (cwi_core_is_wanted())
    return false;
  sched_yield();
  return true;
}

static void turn_until_end(void)
{
  struct cwi_look after_mail = {0}, after_own = {0}, *look = &after_own;
  struct cwi_watch_bell bells[CWI_WATCH_BELLS];
  double last = cwi_now();
  for (;;) {
    bool busy = false, passing = false;
    const uint32_t value = cwi_watch_value();
    const size_t count = cwi_sessions_bells(bells, &busy, &passing);
    bool moved = look_at_descriptors();
    serve_machine();
    const bool mail = hear_mail();
    cwi_pulse_turn();
    if (service.stops && !service.has_told_stop)
      begin_stop();
    moved = cwi_moving_turn(tell_moved) || moved;
    moved = cwi_sessions_turn(&cwi_desk_listener) || moved;
    const long loads = cwi_loads_turn(tell_moved);
    busy = cwi_post_push() || busy;
    if (service.has_told_stop && has_ended(busy))
      return;
    const double now = cwi_now();
    if (mail || moved) {
      last = now;
      cwi_look_end(look);
      look = mail ? &after_mail : &after_own;
      cwi_look_begin(look, LOOK_SECONDS);
    } else if (!turn_pass_time(busy && now - last < PUSH_SECONDS, look)) {
      cwi_watch_sleep(value, bells, count, nap_after(now - last, passing, busy, loads));
    }
  }
}

/* --- Start and end ---------------------------------------------------------------------------- */

static void say_ready(const char *name, const struct cwi_service_facts *facts)
{
  const size_t devices = cwi_census_count(facts->census, facts->census_bytes);
  printf(CWI_PROXY_READY "service '%s' has %d prox%s with %zu device%s\n", name, cw_processes(),
         cw_processes() == 1 ? "y" : "ies", devices, devices == 1 ? "" : "s");
  fflush(stdout);
}

static bool watch_all(bool is_attached)
{
  return cwi_watch_start() && cwi_watch_add(service.signals, &service.signals) &&
         (!is_attached || cw_process() != 0 || cwi_watch_add(STDIN_FILENO, &service));
}

static void serve_with(const char *name, bool is_attached, int door)
{
  struct cwi_service_facts facts = {NULL, 0, NULL};
  exchange_hosts(&facts);
  exchange_census(&facts);
  const unsigned slots = cw_processes() > 1 ? (unsigned)cwi_settings.vocl_sessions : 0;
  cwi_post_open(slots);
  if (!watch_all(is_attached) || !cwi_sessions_start(slots) || !cwi_desk_open(door, &facts) ||
      !cwi_pulse_start())
    cw_abort("cw-vocl: the kernel has no memory or descriptors for a proxy", 1);
  cwi_loads_open(&facts);
  CW_MUST(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    say_ready(name, &facts);
  turn_until_end();
  cwi_pulse_stop();
  CW_MUST(cw_barrier(cw_team_world()));
  cwi_watch_stop();
  cwi_desk_close();
  cwi_sessions_stop();
  cwi_loads_close();
  cwi_post_close();
  free(facts.census);
  free(facts.hosts);
}

/* Signals are for the proxy's thread, whenever it looks: no thread of MPI's or a vendor's takes
 * them. */
static bool hold_signals(void)
{
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGHUP);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  service.signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  return sigprocmask(SIG_BLOCK, &ends, NULL) == 0 && service.signals >= 0;
}

int cwi_proxy_serve(const char *name, bool is_attached)
{
  int level = 0, door = -1;
  /* hwloc would open every OpenCL that is installed, in each proxy's MPI_Init. */
  setenv("HWLOC_COMPONENTS", "-opencl", 0);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  /* What was memory of a device, at vendors that use the heap, goes back to the machine when it is
   * released; else each thread's heap would keep some. */
  mallopt(M_MMAP_THRESHOLD, LARGE_MEMORY);
  if (!hold_signals() || MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
    fprintf(stderr, "cw-vocl: MPI does not start\n");
    return 1;
  }
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const bool opened = open_door(name, &door);
  if (opened)
    serve_with(name, is_attached, door);
  else if (door >= 0)
    close(door);
  CW_MUST(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS && opened ? 0 : 1;
}

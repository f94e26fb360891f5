/* The main loop of a proxy, from the collective start to the end of the service. */
#include "proxy/proxy.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "proxy/acceptor.h"
#include "proxy/heartbeat.h"
#include "proxy/loads.h"
#include "wire/adaptive_poll.h"
#include "wire/device_list.h"

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

/* Times in seconds: polling after a message; polling while transfers are in progress; maximum
 * time without progress while the service ends. */
static const double POLL_SECONDS = 300e-6, PUSH_SECONDS = 10e-3;
static const double END_SECONDS = 10;

/* Times in nanoseconds. Nothing wakes a proxy when a control message arrives, so it polls
 * between sleeps, whose length is a fraction of the time since the last message. */
enum {
  SHORTEST_SLEEP = 20000,
  LONGEST_SLEEP_PASSING = 1000000,
  LONGEST_SLEEP = 20000000,
  SLEEP_ALONE = 1000000000
};
static const double SLEEP_SHARE = 1.0 / 16;

enum { LARGE_MEMORY = 1 << 20 };

static struct {
  int signals;
  bool stops, has_sent_stop;
  int others_stop; /* number of proxies that have sent a stop message; they open no more sessions */
  uint64_t left;   /* result of vocl_proxy_sessions_remaining, and the time since which it has not
                      changed */
  double left_since;
} service;

/* --- Collective start
 * ------------------------------------------------------------------------------ */

/* Identifies the processes that can reach the same abstract socket: same kernel, network and
 * user. */
struct place {
  char boot[40]; /* boot ID of the kernel; empty if the kernel does not report it */
  uint64_t network_device, network;
  uint64_t user;
};

static void find_place(struct place *place)
{
  struct stat network;
  memset(place, 0, sizeof *place);
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file != NULL) {
    if (fgets(place->boot, sizeof place->boot, file) == NULL)
      place->boot[0] = '\0';
    fclose(file);
  }
  if (stat("/proc/self/ns/net", &network) == 0) {
    place->network_device = network.st_dev;
    place->network = network.st_ino;
  }
  place->user = geteuid();
}

/* Returns true if this is the first proxy of its place, which has the listening socket. */
static bool has_listening_socket(void)
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

/* Returns true if `code`, 0 or a value of errno, is 0 in all processes. Collective. */
static bool all_succeeded(int code)
{
  CW_MUST(cw_allreduce(cw_team_world(), CW_INT, CW_MAXIMUM, 1, &code));
  return code == 0;
}

/* Opens the listening socket if this proxy has it; otherwise sets *listening_socket to -1. */
static bool open_listening_socket(const char *name, int *listening_socket)
{
  char host[64] = "";
  int code = 0;
  *listening_socket = -1;
  if (has_listening_socket()) {
    *listening_socket = vocl_socket_listen(name);
    code = *listening_socket < 0 ? errno : 0;
  }
  gethostname(host, sizeof host - 1);
  if (code == EADDRINUSE)
    fprintf(stderr,
            "cw-vocl: there is a service '%s' of this user on %s already (cw-vocl stop ends it; "
            "--name gives this one another name)\n",
            name, host);
  else if (code != 0)
    fprintf(stderr, "cw-vocl: the socket of service '%s' on %s cannot be opened: %s\n", name, host,
            strerror(code));
  return all_succeeded(code);
}

static void exchange_hosts(struct vocl_service_facts *facts)
{
  struct vocl_host_name mine = {""};
  gethostname(mine.name, sizeof mine.name - 1);
  facts->hosts = calloc((size_t)cw_processes(), sizeof mine);
  if (facts->hosts == NULL)
    cw_abort("cw-vocl: no memory for the names of hosts", 1);
  CW_MUST(cw_allgather(cw_team_world(), &mine, sizeof mine, facts->hosts));
}

/* Gathers the device lists of all proxies. Collective. */
static void exchange_device_list(struct vocl_service_facts *facts)
{
  const size_t processes = (size_t)cw_processes();
  size_t own_bytes = 0;
  void *own = vocl_device_list_make((uint32_t)cw_process(), &own_bytes);
  size_t *sizes = calloc(processes, sizeof *sizes);
  if (own == NULL || sizes == NULL)
    cw_abort("cw-vocl: no memory for the list of devices", 1);
  CW_MUST(cw_allgather(cw_team_world(), &own_bytes, sizeof own_bytes, sizes));
  for (size_t i = 0; i < processes; i++)
    facts->device_list_bytes += sizes[i];
  facts->device_list = malloc(facts->device_list_bytes);
  if (facts->device_list == NULL)
    cw_abort("cw-vocl: no memory for the list of devices", 1);
  CW_MUST(cw_allgatherv(cw_team_world(), own, own_bytes, facts->device_list, sizes, NULL));
  free(own);
  free(sizes);
}

/* --- Main loop
 * ------------------------------------------------------------------------------------- */

static void report_moved(uint32_t request, int code, const struct vocl_control_move_reply *moved)
{
  if (request == VOCL_LOADS_REQUEST)
    vocl_loads_move_replied(request, code, moved);
  else
    vocl_acceptor_move_replied(request, code, moved);
}

static bool receive_message(void)
{
  int from = 0;
  struct vocl_control_message message;
  bool any = false;
  while (vocl_control_receive(&from, &message)) {
    any = true;
    vocl_heartbeat_received(from);
    switch (message.kind) {
    case VOCL_CONTROL_STOP:
      service.stops = true;
      service.others_stop++;
      vocl_heartbeat_peer_stops(from);
      break;
    case VOCL_CONTROL_LIST:
    case VOCL_CONTROL_LIST_ENTRY:
    case VOCL_CONTROL_LIST_END:
      vocl_acceptor_receive(from, &message);
      break;
    case VOCL_CONTROL_MOVE:
    case VOCL_CONTROL_MOVE_REPLY:
      vocl_proxy_move_receive(&message, report_moved);
      break;
    case VOCL_CONTROL_HEARTBEAT_REQUEST:
      vocl_control_send(from, &(struct vocl_control_message){.kind = VOCL_CONTROL_HEARTBEAT});
      break;
    case VOCL_CONTROL_HEARTBEAT:
      break;
    case VOCL_CONTROL_LOAD:
      vocl_loads_receive(&message);
      break;
    default:
      vocl_proxy_sessions_receive(from, &message, &vocl_acceptor_callbacks);
    }
  }
  return any;
}

/* Handles a signal, or the end of standard input. */
static void poll_own(const void *owner)
{
  char unread[256];
  if (owner == &service.signals || read(STDIN_FILENO, unread, sizeof unread) <= 0)
    service.stops = true;
  if (service.stops) {
    vocl_watch_remove(service.signals);
    vocl_watch_remove(STDIN_FILENO);
  }
}

static bool poll_descriptors(void)
{
  void *owner = NULL;
  bool any = false;
  while (vocl_watch_next(&owner)) {
    any = true;
    if (owner == &service.signals || owner == &service)
      poll_own(owner);
    else
      vocl_acceptor_poll(owner);
  }
  service.stops = service.stops || vocl_acceptor_wants_stop();
  return any;
}

/* Begins the end of the service, once: notifies the other proxies and ends the sessions of all
 * clients. */
static void begin_stop(void)
{
  service.has_sent_stop = true;
  service.left = UINT64_MAX;
  vocl_heartbeat_begin_stop();
  for (int process = 0; process < cw_processes(); process++)
    if (process != cw_process())
      vocl_control_send(process, &(struct vocl_control_message){.kind = VOCL_CONTROL_STOP});
  vocl_acceptor_stop();
}

/* Returns true if the service can end. Vendors may take seconds to release what a program has left,
 * so the service waits while the remainder decreases. The other proxies send their stop messages at
 * once; the heartbeat, if there is one, checks that they can be reached. */
static bool has_ended(bool busy)
{
  const bool have_stopped = service.others_stop == cw_processes() - 1;
  if (vocl_proxy_sessions_first() == NULL && !busy && have_stopped)
    return true;
  const uint64_t left = vocl_proxy_sessions_remaining();
  if (left != service.left)
    service.left_since = cwi_now();
  service.left = left;
  if (cwi_now() - service.left_since <= END_SECONDS)
    return false;
  if (left > 0)
    cw_abort("cw-vocl: the service ends, but a session does not: a device is still busy for it", 1);
  if (!have_stopped && cwi_settings.vocl_silence == 0)
    cw_abort("cw-vocl: the service ends, but one of its proxies does not report that it stops", 1);
  return false;
}

/* Returns the time to sleep in nanoseconds, given that the last message came `quiet` seconds
 * ago. */
static long sleep_after(double quiet, bool passing, bool busy, long loads)
{
  const long longest = passing && quiet < 10 ? LONGEST_SLEEP_PASSING : LONGEST_SLEEP;
  if (cw_processes() == 1)
    return loads < SLEEP_ALONE ? loads : SLEEP_ALONE;
  return busy ? SHORTEST_SLEEP : cwi_nap_share(quiet, SLEEP_SHARE, SHORTEST_SLEEP, longest);
}

/* Does one pass of Causeway's wait loop. It serves other machines' transfers to this one, so that
 * the server thread can stay idle and need not be woken. Called before control messages are read.
 * If cw-vocl links a shared libcauseway, its own copy of core/wait knows no server, and only
 * cw_progress serves. */
static void serve_machine(void)
{
  struct cwi_wait pass = {0};
  if (cw_processes() > 1)
    cwi_wait_pass(&pass);
  cw_progress();
}

/* Passes idle time without sleeping. Transfers in progress advance only while this thread keeps
 * calling Causeway. Returns false if it is time to sleep. */
static bool pass_idle_time(bool pushes, struct vocl_poll *poll)
{
  if (!pushes)
    return vocl_poll_pass(poll);
  if (cwi_core_is_wanted())
    return false;
  sched_yield();
  return true;
}

static void run_until_end(void)
{
  struct vocl_poll after_message = {0}, after_own = {0}, *poll = &after_own;
  struct vocl_watch_bell bells[VOCL_WATCH_BELLS];
  double last = cwi_now();
  for (;;) {
    bool busy = false, passing = false;
    const uint32_t value = vocl_watch_value();
    const size_t count = vocl_proxy_sessions_bells(bells, &busy, &passing);
    bool moved = poll_descriptors();
    serve_machine();
    const bool message = receive_message();
    vocl_heartbeat_poll();
    if (service.stops && !service.has_sent_stop)
      begin_stop();
    moved = vocl_proxy_move_poll(report_moved) || moved;
    moved = vocl_proxy_sessions_poll(&vocl_acceptor_callbacks) || moved;
    const long loads = vocl_loads_poll(report_moved);
    busy = vocl_control_send_queued() || busy;
    if (service.has_sent_stop && has_ended(busy))
      return;
    const double now = cwi_now();
    if (message || moved) {
      last = now;
      vocl_poll_end(poll);
      poll = message ? &after_message : &after_own;
      vocl_poll_begin(poll, POLL_SECONDS);
    } else if (!pass_idle_time(busy && now - last < PUSH_SECONDS, poll)) {
      vocl_watch_sleep(value, bells, count, sleep_after(now - last, passing, busy, loads));
    }
  }
}

/* --- Start and end ---------------------------------------------------------------------------- */

static void send_ready(const char *name, const struct vocl_service_facts *facts)
{
  const size_t devices = vocl_device_list_count(facts->device_list, facts->device_list_bytes);
  printf(VOCL_PROXY_READY "service '%s' has %d prox%s with %zu device%s\n", name, cw_processes(),
         cw_processes() == 1 ? "y" : "ies", devices, devices == 1 ? "" : "s");
  fflush(stdout);
}

static bool watch_all(bool is_attached)
{
  return vocl_watch_start() && vocl_watch_add(service.signals, &service.signals) &&
         (!is_attached || cw_process() != 0 || vocl_watch_add(STDIN_FILENO, &service));
}

static void serve_with(const char *name, bool is_attached, int listening_socket)
{
  struct vocl_service_facts facts = {NULL, 0, NULL};
  exchange_hosts(&facts);
  exchange_device_list(&facts);
  const unsigned slots = cw_processes() > 1 ? (unsigned)cwi_settings.vocl_sessions : 0;
  vocl_control_open(slots);
  if (!watch_all(is_attached) || !vocl_proxy_sessions_start(slots) ||
      !vocl_acceptor_open(listening_socket, &facts) || !vocl_heartbeat_start())
    cw_abort("cw-vocl: the kernel has no memory or descriptors for a proxy", 1);
  vocl_loads_open(&facts);
  CW_MUST(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    send_ready(name, &facts);
  run_until_end();
  vocl_heartbeat_stop();
  CW_MUST(cw_barrier(cw_team_world()));
  vocl_watch_stop();
  vocl_acceptor_close();
  vocl_proxy_sessions_stop();
  vocl_loads_close();
  vocl_control_close();
  free(facts.device_list);
  free(facts.hosts);
}

/* Blocks the signals that end a proxy and reads them by a descriptor, so that no thread of MPI
 * or of a vendor receives them. */
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

int vocl_proxy_run(const char *name, bool is_attached)
{
  int level = 0, listening_socket = -1;
  /* hwloc would load all installed OpenCL implementations in MPI_Init of each proxy. */
  setenv("HWLOC_COMPONENTS", "-opencl", 0);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  /* Some vendors allocate device memory on the heap. Large blocks must return to the system when
   * they are freed; otherwise the heap of each thread would keep some. */
  mallopt(M_MMAP_THRESHOLD, LARGE_MEMORY);
  if (!hold_signals() || MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
    fprintf(stderr, "cw-vocl: MPI does not start\n");
    return 1;
  }
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const bool opened = open_listening_socket(name, &listening_socket);
  if (opened)
    serve_with(name, is_attached, listening_socket);
  else if (listening_socket >= 0)
    close(listening_socket);
  CW_MUST(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS && opened ? 0 : 1;
}

/* The place of a node's server: a thread of the node's first process, or a rank of its own. */
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "execution/async_operations.h"
#include "link/link.h"
#include "link/shared_packet.h"
#include "memory/zone.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "mpi/mpi_sleep.h"
#include "mpi/poll.h"
#include "region/peers.h"
#include "route/server/server_route.h"
#include "server/liveness_check.h"
#include "server/server.h"
#include "server/server_cores.h"
#include "server/server_idle.h"
#include "server/server_loop.h"
#include "team/world.h"
#include "wait/status_page.h"
#include "wait/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool servers;         /* this job has servers */
static bool hosted;          /* my node's server is a thread of this process */
static const char *why_none; /* reason why there are no servers, for cw-info */
static pthread_t thread;
static uint64_t
    helps; /* number of times that a waiting process of this node has served while it spun */

bool cwi_servers_run(void)
{
  return servers;
}

/* --- The loop --------------------------------------------------------------------------------- */

static void note_pass(uint64_t nanoseconds)
{
  struct cwi_server_use *use = &cwi_links.board->use;
  use->busy += nanoseconds;
  if (nanoseconds > use->longest)
    use->longest = nanoseconds;
}

/* Makes one pass. Called by the thread that may poll. */
static bool serve_once(void)
{
  /* Other bits change when regions with device memory are created. */
  const bool profiled =
      (__atomic_load_n(&cwi_settings.observed, __ATOMIC_RELAXED) & CWI_OBSERVED_BY_PROFILE) != 0;
  const uint64_t begun = profiled ? cwi_nanoseconds() : 0;
  cwi_error_set_aside(true);
  const bool busy = cwi_server_loop_pass();
  cwi_error_set_aside(false);
  if (CWI_UNLIKELY(profiled) && busy)
    note_pass(cwi_nanoseconds() - begun);
  return busy;
}

/* Serves in a waiting thread, which may stop waiting after this. The later steps of a busy pass may
 * receive messages inside MPI. So another pass follows; otherwise these messages would stay
 * unnoticed while the server sleeps. After MOST_PASSES busy passes, wakes a server that sleeps on
 * descriptors, so that it continues. */
static void help_through(void)
{
  enum { MOST_PASSES = 4 };
  int passes = 0;
  while (passes < MOST_PASSES && serve_once())
    passes++;
  if (passes > 0)
    cwi_wait_was_useful();
  if (passes == MOST_PASSES)
    cwi_sleep_wake_server();
}

/* Makes one pass. Returns false if there was nothing to do, or if another thread is making a pass.
 * MPI would let only one of two threads continue, and the other might spin on a core meanwhile. */
static bool serve_pass(void)
{
  if (!cwi_poll_begin())
    return false;
  const bool busy = serve_once();
  cwi_poll_end();
  return busy;
}

/* Keeps a waiting thread awake after a request, since more may arrive soon. Also keeps it awake
 * while MPI operations are in progress, such as the data of long updates, because they continue
 * only while MPI is called. After MOST_POLLS polls without success the thread may sleep: the other
 * side may be computing. */
static void stay_awake(void)
{
  enum { MOST_POLLS = 20000 };
  static uint64_t seen;
  static uint32_t poll_count;
  const struct cwi_left left = cwi_left_now();
  if (__atomic_exchange_n(&seen, left.messages, __ATOMIC_RELAXED) != left.messages) {
    __atomic_store_n(&poll_count, 0, __ATOMIC_RELAXED);
    cwi_wait_was_useful();
  } else if (left.async > 0 && __atomic_fetch_add(&poll_count, 1, __ATOMIC_RELAXED) < MOST_POLLS)
    cwi_wait_yields();
}

static uint32_t help_has_ended; /* nonzero if a process has stopped helping since the server's
                                   thread last checked */

/* Ends the help. The server's thread may be about to sleep because of the help, so this function
 * advances the doorbell. */
static void end_help(void)
{
  if (__atomic_exchange_n(&help_has_ended, 1, __ATOMIC_SEQ_CST) == 0)
    cwi_signal_advance(&cwi_links.board->doorbell);
}

/* Serves in a waiting thread of the process that hosts the server. While that thread spins, the
 * server's own thread is not needed. If the server's thread receives requests while the process
 * naps, the process spins again. Then the server's thread sleeps, and leaves its core to other
 * processes. */
static void help(enum cwi_help what)
{
  if (what == CWI_HELP_ENDS) {
    end_help();
    return;
  }
  if (cwi_poll_begin()) {
    help_through();
    cwi_poll_end();
  }
  stay_awake();
  if (what == CWI_HELP_ON)
    __atomic_fetch_add(&helps, 1, __ATOMIC_RELAXED);
}

/* Naps until a message arrives, at most for the given time. After that the process serves, and the
 * server's thread continues to sleep. Returns false without a nap if no descriptor reports
 * messages. */
static bool nap_and_serve(long nanoseconds)
{
  if (!cwi_sleep_is_notified())
    return false;
  __atomic_fetch_add(&helps, 1, __ATOMIC_RELAXED);
  cwi_sleep_shortly(nanoseconds);
  return true;
}

/* Returns true if a process of this node has served since the last call and continues to serve, or
 * if one polls MPI now. A process that sleeps does not count: a spinning server answers sooner than
 * a process that has to be woken. */
static bool is_helped(void)
{
  static uint64_t seen;
  const uint64_t now = __atomic_load_n(&helps, __ATOMIC_RELAXED);
  const bool more = now != seen;
  const bool continues = __atomic_exchange_n(&help_has_ended, 0, __ATOMIC_SEQ_CST) == 0;
  seen = now;
  return (more && continues) || cwi_is_polled();
}

static bool stopped(void)
{
  return __atomic_load_n(&cwi_links.board->stop, __ATOMIC_ACQUIRE) != 0;
}

/* Checks every SECONDS whether the processes of the node are alive. */
static void watch(double now)
{
  static const double SECONDS = 0.2;
  static double next;
  if (now < next)
    return;
  next = now + SECONDS;
  cwi_server_idle_note_processor();
  cwi_peers_watch();
}

/* Requests low latency from the kernel: naps without the usual slack of 50 microseconds, and short
 * time slices. Since Linux 6.12 a waking thread with short slices need not wait until the process
 * on its core has used up its own slice. Older kernels ignore this request. */
static void set_low_latency(void)
{
  enum { SLICE_NANOSECONDS = 100000 };
  /* struct sched_attr of linux/sched/types.h, which cannot be included together with sched.h */
  const struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .runtime = SLICE_NANOSECONDS};
  cwi_slack_narrow();
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0)
    cwi_log(CWI_LOG_DEBUG, "the server may answer late: the kernel gives it no short time slices");
}

static void serve_until_stopped(void)
{
  set_low_latency();
  cwi_server_idle_start();
  while (!stopped()) {
    const uint32_t doorbell = cwi_signal_value(&cwi_links.board->doorbell);
    const bool busy = serve_pass();
    const double now = cwi_now();
    if (!busy)
      watch(now);
    cwi_server_idle(now, busy, is_helped(), doorbell);
  }
  cwi_server_idle_stop();
}

/* The server's thread. It has a name for top and debuggers. */
static void *run_thread(void *unused)
{
  prctl(PR_SET_NAME, "cw-server", 0, 0, 0);
  cwi_status_server();
  cwi_cores_take();
  serve_until_stopped();
  return unused;
}

/* --- Choice ----------------------------------------------------------------------------------- */

/* Sets *all to true if all processes have the thread level that a server thread needs, else to
 * false. */
static cw_error threads_everywhere(bool *all)
{
  int least = cwi_mpi_threads();
  CWI_TRY(cwi_mpi_allreduce(&least, 1, MPI_INT, MPI_MIN, cwi_world.all_comm));
  *all = least;
  return CW_OK;
}

/* Warns once that there are no servers. The user has not chosen that, and without a server a target
 * that computes delays the processes that access its memory. */
static void warn_of_none(void)
{
  static bool reported;
  if (!reported)
    cwi_log(CWI_LOG_WARNING,
            "no node has a server: MPI was not initialised with MPI_THREAD_MULTIPLE; requests "
            "between the %d nodes wait until the target calls Causeway or MPI. Call "
            "MPI_Init_thread(..., MPI_THREAD_MULTIPLE, ...), or start one process more on each "
            "node with CW_SERVER=rank, or set CW_SERVER=none to accept this",
            cwi_world.nodes);
  reported = true;
}

static cw_error choose_thread(void)
{
  bool threads = false;
  CWI_TRY(threads_everywhere(&threads));
  servers = threads;
  if (threads)
    return CW_OK;
  why_none = "MPI was not initialised with MPI_THREAD_MULTIPLE, and CW_SERVER is not rank";
  if (cwi_settings.server == CWI_SERVER_THREAD)
    return cwi_misuse("CW_SERVER=thread needs MPI_THREAD_MULTIPLE; MPI was initialised with %s",
                      cwi_mpi_thread_level_name());
  if (cwi_settings.route != CWI_ROUTE_SERVER && cwi_world.process == 0)
    warn_of_none();
  return CW_OK;
}

cw_error cwi_servers_choose(void)
{
  servers = false;
  why_none = "one node";
  if (cwi_world.nodes == 1)
    return CW_OK;
  why_none = "CW_ROUTE=rma";
  if (cwi_settings.route == CWI_ROUTE_RMA)
    return CW_OK;
  why_none = "CW_SERVER=none";
  if (cwi_settings.server == CWI_SERVER_RANK)
    servers = true;
  else if (cwi_settings.server != CWI_SERVER_NONE)
    CWI_TRY(choose_thread());
  if (!servers && cwi_settings.route == CWI_ROUTE_SERVER)
    return cwi_misuse("CW_ROUTE=server, but no node can have a server: %s", why_none);
  return CW_OK;
}

/* --- Start and stop --------------------------------------------------------------------------- */

/* Ends the job because the server's thread cannot be started. The processes have already agreed
 * that there is a server, and would wait for it forever. */
static CWI_NORETURN void end_without_thread(int code)
{
  cwi_abort_with(1, "the server's thread cannot be started, and other nodes wait for it: %s",
                 cwi_system_error(code));
}

cw_error cwi_server_thread_start(void)
{
  if (servers)
    cwi_liveness_allow();
  if (!servers || cwi_settings.server == CWI_SERVER_RANK || cwi_world.node_rank != 0)
    return CW_OK;
  cwi_server_loop_start();
  const int code = cwi_thread_start(&thread, run_thread, NULL);
  if (code != 0)
    end_without_thread(code);
  hosted = true;
  cwi_set_server(help, nap_and_serve);
  cwi_poll_set_server(help_through);
  return CW_OK;
}

cw_error cwi_servers_start(void)
{
  if (!servers)
    return CW_OK;
  CWI_TRY(cwi_links_start());
  CWI_TRY(cwi_shared_packets_start());
  return cwi_world.serves ? CW_OK : cwi_server_route_start();
}

void cwi_servers_stop_queries(void)
{
  if (servers)
    cwi_liveness_close();
}

cw_error cwi_server_rank_run(void)
{
  cwi_server_loop_start();
  serve_until_stopped();
  cwi_server_loop_stop();
  cwi_shared_packets_stop();
  cwi_links_stop();
  return CW_OK;
}

/* Ends my node's server, if this process hosts it or is the first of the node. */
static void serving_end(void)
{
  if (cwi_world.node_rank == 0) {
    __atomic_store_n(&cwi_links.board->stop, 1, __ATOMIC_RELEASE);
    cwi_signal_advance(&cwi_links.board->doorbell);
  }
  cwi_set_server(NULL, NULL);
  cwi_poll_set_server(NULL);
  if (hosted) {
    const int code = pthread_join(thread, NULL);
    CWI_ASSERT(code == 0);
  }
  hosted = false;
}

cw_error cwi_servers_stop(void)
{
  const bool served = hosted;
  if (!servers)
    return CW_OK;
  serving_end();
  if (served)
    cwi_server_loop_stop();
  CWI_TRY(cwi_server_route_stop());
  cwi_shared_packets_stop();
  cwi_links_stop();
  servers = false;
  return CW_OK;
}

void cwi_servers_stop_serving(void)
{
  if (hosted)
    serving_end();
}

void cwi_servers_forget(void)
{
  const cw_error stopped = servers ? cwi_server_route_stop() : CW_OK;
  (void)stopped; /* the error does not matter, because nothing has been sent */
  cwi_shared_packets_stop();
  cwi_links_stop();
  servers = false;
}

bool cwi_server_use_now(struct cwi_server_use *use)
{
  if (servers)
    *use = cwi_links.board->use; /* a snapshot for display; the server may be changing it */
  return servers;
}

const char *cwi_servers_describe(void)
{
  static char text[256];
  if (!servers)
    snprintf(text, sizeof text, "none (%s)", why_none != NULL ? why_none : "not started");
  else
    snprintf(text, sizeof text,
             "%s; topology %s: %d neighbour%s of %d nodes, %ld buffers of %ld bytes for each",
             cwi_settings.server == CWI_SERVER_RANK ? "the last rank of each node"
                                                    : "a thread of each node's first process",
             cwi_links.topology->name, cwi_links.count, cwi_links.count == 1 ? "" : "s",
             cwi_world.nodes, cwi_settings.server_credits, cwi_settings.server_buffer);
  return text;
}

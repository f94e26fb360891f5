/* Watches the processes of the machine. By default a waiting thread checks now and then whether
 * their PIDs exist. In a job that survives failures, a thread of its own waits until the kernel
 * reports that a process of the node has ended. */
#include "region/peers.h"

#include "base/log.h"
#include "machine/machine.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/process_watch.h"
#include "wait/wait_report.h"
#include "wait/waiter.h"

#include <causeway/failure.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* [node_ranks] PIDs; 0 for a process in another PID namespace */
static pid_t *pids;

/* Data that the other processes of the machine need to watch this process. */
struct face {
  pid_t pid;
  int process, node; /* process is -1 for the server rank of the node */
  struct cwi_pid_namespace space;
};

/* A process that this one watches. Each process watches those of all nodes of its machine, because
 * with virtual nodes it may have no node peer. */
struct watched_peer {
  pid_t pid;   /* 0 if it is in another PID namespace */
  int process; /* -1 - node for the server rank of that node */
};
static struct watched_peer *peers;
static int peer_count;

/* Returns the index in `pids` of a process of my node, or of its server rank. */
static int face_place(const struct face *face)
{
  return face->process >= 0 ? cwi_node_index(face->process) : cwi_world.node_processes;
}

static bool remember(const struct face *faces, const struct face *mine)
{
  bool all = true;
  for (int i = 0; i < peer_count; i++) {
    const struct face *face = &faces[i];
    const bool known = cwi_same_pid_namespace(&face->space, &mine->space);
    peers[i] = (struct watched_peer){known ? face->pid : 0,
                                     face->process >= 0 ? face->process : -1 - face->node};
    if (face->node != cwi_world.node)
      continue;
    pids[face_place(face)] = peers[i].pid;
    all = all && known;
  }
  return all;
}

/* Exchanges the PIDs of the processes of the machine. A PID is valid only within one PID namespace.
 */
static cw_error exchange_faces(struct face *faces)
{
  struct face mine = {getpid(), cwi_world.process, cwi_world.node, {0}};
  cwi_machine_pid_namespace(&mine.space);
  CWI_TRY(cwi_mpi_allgather(&mine, sizeof mine, faces, cwi_world.machine_comm));
  if (!remember(faces, &mine))
    cwi_log(CWI_LOG_INFO,
            "the processes of node %d are not all in one PID namespace, so only MPI can notice "
            "when one of them dies",
            cwi_world.node);
  return CW_OK;
}

cw_error cwi_peers_start(cw_error mine)
{
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.machine_comm, &peer_count)));
  struct face *faces = calloc((size_t)peer_count, sizeof *faces);
  peers = calloc((size_t)peer_count, sizeof *peers);
  pids = calloc((size_t)cwi_world.node_ranks, sizeof *pids);
  if (mine == CW_OK && (pids == NULL || faces == NULL || peers == NULL))
    mine = cwi_outside("no memory for the PIDs of %d processes", peer_count);
  cw_error error = cwi_agree(cwi_world.machine_comm, mine, NULL);
  CWI_ASSERT(error != CW_OK || (faces != NULL && pids != NULL && peers != NULL));
  if (error == CW_OK)
    error = exchange_faces(faces);
  free(faces);
  return error;
}

static uint32_t expects_ends; /* true after cwi_peers_expect_ends */
static struct cwi_process_watch watcher = CWI_PROCESS_WATCH_CLOSED; /* of a job that survives */

long cwi_peer_pid(int node_rank)
{
  return pids != NULL ? (long)pids[node_rank] : 0;
}

static cwi_last_report last_report;

void cwi_peers_set_last_report(cwi_last_report function)
{
  __atomic_store_n(&last_report, function, __ATOMIC_RELEASE);
}

/* Only one thread returns from this function: it ends the process. */
static void begin_end(void)
{
  static uint32_t ends;
  while (__atomic_exchange_n(&ends, 1, __ATOMIC_RELAXED) != 0)
    pause();
}

CWI_NORETURN static void end_with_node(const char *reason)
{
  cwi_log(CWI_LOG_WARNING, "%s, so that node %d is lost; this process of the node ends", reason,
          cwi_world.node);
  cw_failure_end(1);
  __builtin_unreachable();
}

void cwi_peers_end_with_node(const char *reason)
{
  begin_end();
  end_with_node(reason);
}

static bool runs_my_server(int process)
{
  return cwi_world.nodes > 1 && process == cwi_first_of_node(cwi_world.node);
}

/* Records a failure. If the process ran my node's server, this process ends, unless it is stopping
 * Causeway: then its waits end with an error. */
static void note_failure(int process)
{
  char reason[100];
  if (runs_my_server(process) && __atomic_load_n(&expects_ends, __ATOMIC_RELAXED) == 0) {
    const cwi_last_report report = __atomic_load_n(&last_report, __ATOMIC_ACQUIRE);
    begin_end();
    if (report != NULL)
      report(process);
    snprintf(reason, sizeof reason, "process %d, which ran the server, has ended", process);
    end_with_node(reason);
  }
  cwi_failures_note(process);
}

/* The watcher may be unable to notice that the process has ended that runs my node's server,
 * because it waits for messages that this server would have received, or for a thread that is
 * inside MPI. */
static void check_server(void)
{
  for (int i = 0; i < watcher.count; i++) {
    struct pollfd file = {.fd = watcher.files[i], .events = POLLIN};
    const int process = peers[i].process;
    if (runs_my_server(process) && poll(&file, 1, 0) > 0 && !cwi_survivors_has_stopped(process))
      note_failure(process);
  }
}

void cwi_peers_watch(void)
{
  if (cwi_survives()) {
    check_server();
    return;
  }
  for (int i = 0; i < peer_count; i++) {
    const struct watched_peer peer = peers[i];
    if (peer.pid == 0 || kill(peer.pid, 0) == 0 || errno != ESRCH)
      continue;
    const bool server = peer.process < 0;
    cwi_abort_with(1, "%s %d (pid %ld) has died; ending the job",
                   server ? "the server of node" : "process",
                   server ? -1 - peer.process : peer.process, (long)peer.pid);
  }
}

/* --- Surviving failures ----------------------------------------------------------------------- */

void cwi_peers_expect_ends(void)
{
  __atomic_store_n(&expects_ends, 1, __ATOMIC_RELAXED);
}

static bool reports; /* the job runs on several machines, and there may be reports of failures */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; /* held while the watcher reads them */
static bool *recorded; /* [processes] failures that the watcher has recorded */

static void watcher_record(int process, const char *how);

/* If a process has failed that runs the server of another node, the node's other processes have
 * failed, too, because no process can reach their memory any more. Those on this machine are ended.
 * Others end themselves, and may be unable to report it. */
static void watcher_end_node(int process)
{
  const int node = cwi_world.node_of[process];
  char reason[100];
  if (cwi_world.nodes == 1 || process != cwi_first_of_node(node))
    return;
  snprintf(reason, sizeof reason, "is on node %d, which is lost", node);
  for (int other = 0; other < cwi_world.processes; other++)
    if (cwi_world.node_of[other] == node && !cwi_same_machine(other))
      watcher_record(other, reason);
  for (int i = 0; i < peer_count; i++)
    if (cwi_world.node_of[peers[i].process] == node && watcher.files[i] >= 0)
      syscall(SYS_pidfd_send_signal, watcher.files[i], SIGKILL, NULL, 0);
}

/* Records a failure. One process of the node shows it in a message. */
static void watcher_record(int process, const char *how)
{
  char message[200];
  if (recorded[process])
    return;
  recorded[process] = true;
  note_failure(process);
  if (__atomic_load_n(&expects_ends, __ATOMIC_RELAXED) != 0)
    return;
  watcher_end_node(process);
  snprintf(message, sizeof message,
           "process %d %s; the job continues without it (CW_FAILURES=survive)", process, how);
  if (cwi_waiting_is_new(message))
    cwi_log(CWI_LOG_WARNING, "%s", message);
}

/* Records that a process of the machine has ended. */
static void watcher_note(const struct watched_peer *peer)
{
  char how[50];
  if (cwi_survivors_has_stopped(peer->process))
    return;
  snprintf(how, sizeof how, "(pid %ld) has ended", (long)peer->pid);
  if (cwi_world.nodes > 1 && peer->process == 0 &&
      __atomic_load_n(&expects_ends, __ATOMIC_RELAXED) == 0)
    cwi_abort_with(
        1, "process 0 %s, which keeps the state of teams on several nodes; ending the job", how);
  watcher_record(peer->process, how);
}

/* Records failures on other machines, which the server of my node has reported, and makes that
 * server check the first node's all the time, or the first node's check all others. The watcher
 * makes no transfer for this: a transfer may have to wait until another thread's is complete, which
 * may be one to a failed process. */
static void watcher_read_reports(void)
{
  if (!reports)
    return;
  if (cwi_world.node_rank == 0)
    cwi_waiting_want_liveness_check();
  for (int process = 0; process < cwi_world.processes; process++) {
    const enum cwi_report report = cwi_failure_reported(process);
    if (report != CWI_NOT_REPORTED && !cwi_same_machine(process))
      watcher_record(process, report == CWI_REPORTED_SILENT ? "does not answer" : "has failed");
  }
}

static void *watcher_run(void *nothing)
{
  enum { REPORTS_MILLISECONDS = 50 };
  pthread_mutex_lock(&reading);
  const int milliseconds = reports ? REPORTS_MILLISECONDS : -1;
  pthread_mutex_unlock(&reading);
  while (true) {
    const int number = cwi_process_watch_next(&watcher, milliseconds);
    if (number == CWI_WATCH_STOPPED)
      return nothing;
    pthread_mutex_lock(&reading);
    if (number != CWI_WATCH_NOTHING)
      watcher_note(&peers[number]);
    watcher_read_reports();
    pthread_mutex_unlock(&reading);
  }
}

/* Finds out whether there are other machines, and allocates the list of failures. */
static cw_error find_machines(void)
{
  reports = false;
  for (int process = 0; process < cwi_world.processes; process++)
    reports = reports || !cwi_same_machine(process);
  recorded = calloc((size_t)cwi_world.processes, sizeof *recorded);
  return recorded != NULL
             ? CW_OK
             : cwi_outside("no memory for the failures of %d processes", cwi_world.processes);
}

static cw_error watcher_open(void)
{
  const bool opened = cwi_process_watch_open(&watcher);
  const int reason = errno;
  if (!cwi_process_watch_reserve(&watcher, peer_count))
    return cwi_outside("no memory for %d descriptors", peer_count);
  if (!opened)
    return cwi_outside("epoll_ctl: %s", cwi_system_error(reason));
  for (int i = 0; i < peer_count; i++) {
    if (peers[i].process == cwi_world.process)
      continue;
    if (peers[i].pid == 0)
      return cwi_misuse("CW_FAILURES=survive: process %d is in another PID namespace, so that "
                        "this process cannot learn when it ends",
                        peers[i].process);
    if (!cwi_process_watch_add(&watcher, i, peers[i].pid))
      return cwi_outside("CW_FAILURES=survive: process %d (pid %ld) cannot be watched by "
                         "pidfd_open: %s",
                         peers[i].process, (long)peers[i].pid, cwi_system_error(errno));
  }
  return CW_OK;
}

/* Called when this process aborts the job. */
static void watcher_end_peers(void)
{
  for (int i = 0; i < watcher.count; i++)
    if (watcher.files[i] >= 0)
      syscall(SYS_pidfd_send_signal, watcher.files[i], SIGKILL, NULL, 0);
}

cw_error cwi_peers_survive(void)
{
  CWI_TRY(find_machines());
  CWI_TRY(watcher_open());
  cwi_mpi_set_abort_peers(watcher_end_peers);
  __atomic_store_n(&expects_ends, 0, __ATOMIC_RELAXED);
  cwi_failures_survive();
  return CW_OK;
}

cw_error cwi_peers_survive_begin(void)
{
  if (!cwi_survives())
    return CW_OK;
  const int code = cwi_process_watch_start(&watcher, watcher_run);
  return code == 0 ? CW_OK
                   : cwi_outside("the thread that watches the processes of the node cannot be "
                                 "started: %s",
                                 cwi_system_error(code));
}

void cwi_peers_leave_reports(void)
{
  pthread_mutex_lock(&reading);
  reports = false;
  pthread_mutex_unlock(&reading);
}

void cwi_peers_watch_ends(void)
{
  cwi_mpi_set_abort_peers(NULL);
  cwi_process_watch_stop(&watcher);
}

void cwi_peers_stop(void)
{
  cwi_peers_watch_ends();
  free(recorded);
  recorded = NULL;
  free(pids);
  pids = NULL;
  free(peers);
  peers = NULL;
  peer_count = 0;
}

/* Start and stop: the only file that knows the order of the modules. */
#include "runtime/runtime.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/single_runtime.h"
#include "base/stop_hooks.h"
#include "base/unread_errors.h"
#include "collective/nonblocking_collective.h"
#include "collective/nonblocking_survivors.h"
#include "collective_call/collective_check.h"
#include "machine/copy.h"
#include "machine/machine.h"
#include "memory/memory_account.h"
#include "memory/zone.h"
#include "memory/zone_file.h"
#include "mpi/collective_yield.h"
#include "mpi/launcher.h"
#include "mpi/mpi_library.h"
#include "mpi/mpi_progress.h"
#include "mpi/mpi_sleep.h"
#include "mpi/ucx_disconnect.h"
#include "number/reduction.h"
#include "region/agent.h"
#include "region/peers.h"
#include "region/region.h"
#include "region/team_memory_allocation.h"
#include "report/profile_report.h"
#include "route/memory_handle/memory_handle.h"
#include "route/route.h"
#include "server/server.h"
#include "server/server_cores.h"
#include "sync/home_access.h"
#include "sync/mutex.h"
#include "team/agreement.h"
#include "team/settings_agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "timeline/timeline_report.h"
#include "transfer/handle.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/status_page.h"
#include "wait/waiter.h"

#include <causeway/runtime.h>

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int starts;
static bool serving; /* this process is a server rank, until MPI ends */

/* Called by waiting loops: drives MPI and now and then checks whether a process has died. */
static void idle(void)
{
  static unsigned calls;
  cwi_mpi_progress();
  if ((__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) & 255u) == 0)
    cwi_peers_watch();
}

/* Chooses how long processes poll. If there are more processes than cores, a polling process may
 * occupy the core that the awaited process needs. */
static cw_error choose_spin(void)
{
  enum { CROWDED = 20 };
  int processes = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.machine_comm, &processes)));
  CWI_TRY(cwi_cores_start());
  /* A server's thread also needs a core; a server rank is counted as a process already. */
  if (cwi_settings.server != CWI_SERVER_RANK && cwi_servers_run())
    processes += cwi_settings.node_size > 0 ? (processes - 1) / (int)cwi_settings.node_size + 1 : 1;
  const bool crowded = processes > cwi_cores_count();
  cwi_set_spin(crowded && cwi_settings.spin > CROWDED ? CROWDED : (unsigned)cwi_settings.spin,
               crowded);
  /* A process that waits inside one of MPI's collectives cannot notice that a server has stopped
   * answering. */
  const bool checks_liveness = cwi_servers_run() && cwi_settings.server_timeout > 0;
  return cwi_yield_agree(cwi_world.all_comm, crowded || checks_liveness);
}

/* Ends Causeway for a program that forgot cw_finalize. This is impossible if a server's thread
 * calls MPI, because MPICH does not allow that while it finalises. */
static int end_with_mpi(MPI_Comm comm, int key, void *value, void *extra)
{
  (void)comm, (void)key, (void)value, (void)extra;
  if (starts > 0 && cwi_servers_run() && cwi_settings.server != CWI_SERVER_RANK)
    cwi_abort(
        "MPI_Finalize was called before cw_finalize (ARMCI_Finalize, GA_Terminate): the server's "
        "thread still needs MPI",
        1);
  if (starts > 0) {
    starts = 1;
    if (cw_finalize() != CW_OK)
      cwi_abort(cwi_error_message(), 1);
  }
  if (cwi_server_ranks_end() != CW_OK)
    cwi_abort(cwi_error_message(), 1);
  return MPI_SUCCESS;
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, which calls end_with_mpi. */
static cw_error watch_mpi_end(void)
{
  static bool watching;
  int key = MPI_KEYVAL_INVALID;
  if (watching)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &key, NULL)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL)));
  watching = true;
  return CWI_MPI(MPI_Comm_free_keyval(&key));
}

static void warn_of_pages(void)
{
  if (cwi_settings.huge_pages && cwi_machine_denies_huge_pages())
    cwi_log(CWI_LOG_WARNING,
            "CW_HUGE_PAGES is 1, but the kernel gives shared memory no huge pages; a system "
            "administrator can allow them: echo advise "
            ">/sys/kernel/mm/transparent_hugepage/shmem_enabled");
}

/* Process 0 warns of settings that are odd or have no effect, once in a job. */
static void warn_once(void)
{
  static bool warned;
  if (cwi_world.process == 0 && !warned) {
    cwi_settings_warn();
    warn_of_pages();
  }
  warned = true;
}

/* Calls the server ranks of an earlier start. An error is stored in *read, which all processes
 * exchange next. If *comm contains server ranks, which do not take part in that exchange, the error
 * is returned at once. */
static cw_error call_servers(MPI_Comm *comm, cw_error *read)
{
  bool alone = false;
  const cw_error called = cwi_server_ranks_call(comm, &alone);
  if (*read == CW_OK)
    *read = called;
  return alone ? called : CW_OK;
}

/* Publishes the state of this process for programs that read it from outside, such as cw-top. */
static void show_process(void)
{
  struct cwi_status shown = {.job = cwi_world.job,
                             .process = cwi_world.serves ? -1 : cwi_world.process,
                             .processes = cwi_world.processes,
                             .node = cwi_world.node,
                             .nodes = cwi_world.nodes,
                             .memory_file = cwi_zone_file_file(),
                             .handed_out = offsetof(struct cwi_zone_header, committed),
                             .began = cwi_now()};
  snprintf(shown.job_machine, sizeof shown.job_machine, "%s",
           cwi_world.machine_name_of[cwi_world.node_of[0]].text);
  cwi_status_start(&shown);
}

static cw_error choose_copy(void)
{
  const enum cwi_copies way = (enum cwi_copies)cwi_settings.copy;
  char reason[200];
  if (cwi_copy_choose(way))
    return CW_OK;
  cwi_copy_unavailable(way, cwi_copies_here(), reason, sizeof reason);
  return cwi_misuse("%s", reason);
}

/* Rejects what cannot survive failures on other nodes. */
static cw_error check_survives_on_nodes(void)
{
  if (!cwi_servers_run() || cwi_settings.server == CWI_SERVER_RANK)
    return cwi_misuse("CW_FAILURES=survive on several nodes needs servers that are threads "
                      "(MPI_THREAD_MULTIPLE, CW_SERVER=thread)");
  return cwi_settings.topology == CWI_TOPOLOGY_AUTO || cwi_settings.topology == CWI_TOPOLOGY_FCG
             ? CW_OK
             : cwi_misuse(
                   "CW_FAILURES=survive on several nodes is possible with CW_TOPOLOGY=fcg only: "
                   "nodes that forward requests may be lost");
}

/* Makes all data between nodes go in short messages to the servers, directly. MPI receives such a
 * message as a whole or not at all, wherever its sender fails, and does not read memory of a failed
 * process. */
static void use_short_messages(void)
{
  enum { SHORT_MESSAGE = 4000 };
  cwi_settings.route = CWI_ROUTE_SERVER;
  cwi_settings.topology = CWI_TOPOLOGY_FCG;
  cwi_settings.server_buffer = SHORT_MESSAGE;
  cwi_settings.server_bulk = LONG_MAX;
  cwi_failures_use_messages();
}

/* Rejects what cannot survive failures. All processes find the same. */
static cw_error check_survives(void)
{
  if (cwi_world.nodes > 1)
    CWI_TRY(check_survives_on_nodes());
  if (cwi_settings.route == CWI_ROUTE_RMA)
    return cwi_misuse("CW_FAILURES=survive is not possible with CW_ROUTE=rma: MPI may wait for a "
                      "failed process for ever");
  if (cwi_settings.check)
    return cwi_misuse("CW_FAILURES=survive and CW_CHECK=1 cannot be combined: the comparison of "
                      "calls uses messages of MPI");
  return cwi_world.processes <= CWI_ARRIVAL_MOST
             ? CW_OK
             : cwi_misuse("CW_FAILURES=survive is possible with at most %d processes",
                          CWI_ARRIVAL_MOST);
}

/* Warns if the launcher ends the job when a process fails. */
static void warn_of_launcher(void)
{
  const char *start = cwi_launcher_ends_at_death();
  if (start != NULL && cwi_world.process == 0)
    cwi_log(CWI_LOG_WARNING,
            "CW_FAILURES=survive: the launcher ends the job when a process fails; start it by %s",
            start);
}

/* Prepares for failures that do not end the job, if CW_FAILURES=survive. */
static cw_error survive(void)
{
  if (cwi_settings.failures == CWI_FAILURES_END)
    return CW_OK;
  CWI_TRY(check_survives());
  cw_error mine = cwi_failures_start(cwi_world.processes);
  if (mine == CW_OK)
    mine = cwi_peers_survive();
  CWI_TRY(cwi_agree(cwi_world.all_comm, mine, NULL));
  cwi_lock_holder = (uint32_t)cwi_world.process + 1;
  if (cwi_world.nodes > 1)
    use_short_messages();
  warn_of_launcher();
  return CW_OK;
}

/* Starts the modules that server ranks do not need. */
static cw_error processes_start(void)
{
  CWI_TRY(cwi_team_memory_start());
  CWI_TRY(cwi_mpi_progress_on(cwi_world.team->internal));
  CWI_TRY(cwi_reductions_start());
  CWI_TRY(cwi_collectives_start());
  cwi_waiting_set_is_new(cwi_zone_is_new);
  CWI_TRY(cwi_routes_start(cwi_servers_run()));
  CWI_TRY(cwi_home_access_start());
  CWI_TRY(watch_mpi_end());
  cwi_profile_set_in_use(cwi_account_now);
  CWI_TRY(cwi_profile_start(cwi_region_part));
  CWI_TRY(cwi_profile_watch());
  CWI_TRY(cwi_timeline_watch());
  return cwi_crash_report_start();
}

/* Starts all modules in their order. Collective over the processes and server ranks of `comm`.
 * Every step that may fail on one process alone is followed by an exchange, so that all fail
 * together. `read` is the result of reading the settings. */
static cw_error modules_start(MPI_Comm comm, cw_error read)
{
  CWI_TRY(cwi_mpi_check_library());
  CWI_TRY(cwi_mpi_start());
  cwi_disconnect_start();
  cwi_sleep_start();
  /* Until choose_spin counts the processes of the machine, waits find out whether others want the
   * core. */
  cwi_set_spin((unsigned)cwi_settings.spin, false);
  CWI_TRY(cwi_world_check(comm));
  if (!serving)
    CWI_TRY(call_servers(&comm, &read));
  if (read == CW_OK)
    read = cwi_launcher_check();
  if (read == CW_OK)
    read = choose_copy();
  CWI_TRY(cwi_settings_agree(comm, read));
  CWI_TRY(cwi_start_watch_processes(comm));
  CWI_TRY(cwi_world_start(comm));
  warn_once();
  CWI_TRY(cwi_routes_check());
  CWI_TRY(cwi_servers_choose());
  CWI_TRY(choose_spin());
  /* cwi_zone_start agrees on errors within a node; cwi_agree reports them to the other nodes. */
  CWI_TRY(cwi_agree(cwi_world.all_comm, cwi_zone_start(), NULL));
  CWI_TRY(survive());
  CWI_TRY(cwi_memory_handles_start());
  CWI_TRY(cwi_agree(cwi_world.all_comm, cwi_servers_start(), NULL));
  show_process();
  cwi_set_idle(idle); /* notices the death of a process that is waited for or that holds a lock */
  /* A server rank must not serve processes that failed to start: it would wait for them for ever.
   */
  cw_error mine = cwi_world.serves ? CW_OK : processes_start();
  if (mine == CW_OK)
    mine = cwi_peers_survive_begin();
  CWI_TRY(cwi_agree(cwi_world.all_comm, mine, NULL));
  if (cwi_world.serves)
    return CW_OK;
  CWI_TRY(cwi_server_thread_start());
  cwi_home_access_begin();
  return CW_OK;
}

static cw_error runtime_start(MPI_Comm comm)
{
  const cw_error read = cwi_settings_read();
  cwi_start_watch_begin();
  const cw_error error = modules_start(comm, read);
  cwi_start_watch_end();
  return error;
}

/* Serves one world on a server rank and stops the modules that it has started. */
static cw_error runtime_serve(void)
{
  CWI_TRY(cwi_server_rank_run());
  cwi_set_idle(NULL);
  cwi_memory_handles_stop();
  cwi_status_stop();
  CWI_TRY(cwi_zone_stop());
  CWI_TRY(cwi_server_ranks_begin());
  return cwi_world_stop();
}

/* Forgets what a failed start has made, which may differ between processes. So this is local and
 * makes no MPI call in which others take part. The next start begins anew. */
static void runtime_forget(void)
{
  cwi_peers_watch_ends(); /* the watcher reads the zone */
  cwi_crash_report_stop();
  cwi_profile_stop();
  cwi_set_idle(NULL);
  cwi_home_access_forget();
  cwi_routes_forget();
  cwi_mpi_progress_forget();
  cwi_waiting_set_is_new(NULL);
  cwi_servers_forget();
  cwi_memory_handles_stop();
  cwi_status_stop();
  cwi_zone_forget();
  cwi_failures_stop();
  cwi_lock_holder = 1;
  cwi_teams_forget();
  cwi_world_forget();
}

/* Serves one world after the other. A start that fails on a server rank fails on all processes,
 * which report the error. */
static cw_error serve_worlds(void)
{
  MPI_Comm comm = MPI_COMM_NULL;
  bool again = true;
  serving = true;
  CWI_TRY(runtime_serve());
  while (true) {
    CWI_TRY(cwi_server_ranks_wait(&comm, &again));
    if (!again)
      return CWI_MPI(MPI_Finalize());
    const cw_error error = runtime_start(comm);
    if (error == CW_OK && !cwi_world.serves)
      return cwi_outside("a server rank of the first cw_init is not a server rank in a later one");
    if (error == CW_OK)
      CWI_TRY(runtime_serve());
    else
      runtime_forget();
  }
}

/* Serves until MPI ends and then exits, because a server rank is no process of the program. */
static CWI_NORETURN void serve_and_exit(void)
{
  if (serve_worlds() != CW_OK)
    cwi_abort(cwi_error_message(), 1);
  exit(0);
}

cw_error cw_init(MPI_Comm comm)
{
  if (starts > 0) {
    starts++;
    return CW_OK;
  }
  const cw_error alone = cwi_single_runtime_check();
  if (alone != CW_OK)
    return cwi_in_call("cw_init", alone);
  const cw_error error = runtime_start(comm);
  if (error != CW_OK) {
    runtime_forget();
    return cwi_in_call("cw_init", error);
  }
  if (cwi_world.serves)
    serve_and_exit();
  starts = 1;
  cwi_exit_watch();
  cwi_single_runtime_set(true);
  if (cwi_settings.log >= CWI_LOG_INFO && cwi_world.process == 0)
    return cw_report(stderr, cwi_settings.log >= CWI_LOG_DEBUG);
  return CW_OK;
}

bool cw_initialized(void)
{
  return starts > 0;
}

bool cwi_stops_next(void)
{
  return starts == 1;
}

/* Frees the teams that the program never freed, in the same order on all processes. */
static cw_error release_teams(void)
{
  CWI_TRY(cwi_team_end_hierarchy(cwi_world.team));
  while (true) {
    cw_team least = NULL;
    for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(team))
      if (team != cwi_world.team && !team->inner && (least == NULL || team->id < least->id))
        least = team;
    if (least == NULL)
      return CW_OK;
    least->references = 1;
    CWI_TRY(cwi_team_release(least));
  }
}

/* Records that the end of this process is no failure from now on. */
static void survivors_leave(void)
{
  const cw_team world = cwi_world.team;
  if (cwi_survives() && world->memory != NULL)
    cwi_survivors_leave(world->memory, world->size, world->rank);
}

/* Stops all modules, roughly in the reverse order of the start. Reports come first, while all
 * counters exist. Agents and servers stop only after the last barrier, because other processes may
 * use them until then. */
static cw_error runtime_stop(void)
{
  CWI_TRY(cwi_started_finish());
  cwi_peers_leave_reports();
  CWI_TRY(cwi_home_access_stop());
  CWI_TRY(cwi_statistics_report());
  cwi_timeline_keep_phases();
  CWI_TRY(cwi_profile_report());
  CWI_TRY(cwi_timeline_report());
  CWI_TRY(cwi_mutexes_stop());
  CWI_TRY(cwi_memory_stop());
  cwi_stop_hooks_run();
  cwi_handles_stop();
  CWI_TRY(cwi_routes_stop());
  CWI_TRY(release_teams());
  cwi_servers_stop_queries();
  if (cwi_survives() && cwi_world.nodes > 1)
    cwi_peers_watch_ends(); /* another process may end as soon as it has left the last barrier */
  CWI_TRY(cwi_team_barrier(cwi_world.team));
  survivors_leave();
  cwi_peers_watch_ends();
  cwi_crash_report_stop();
  cwi_profile_stop();
  cwi_agent_stop();
  cwi_set_idle(NULL);
  CWI_TRY(cwi_mpi_progress_off());
  CWI_TRY(cwi_collectives_stop());
  CWI_TRY(cwi_reductions_stop());
  cwi_waiting_set_is_new(NULL);
  CWI_TRY(cwi_servers_stop());
  cwi_memory_handles_stop();
  cwi_team_memory_stop();
  cwi_status_stop();
  CWI_TRY(cwi_zone_stop());
  cwi_failures_stop();
  cwi_lock_holder = 1;
  CWI_TRY(cwi_server_ranks_begin());
  return cwi_world_stop();
}

/* Stops Causeway on the survivors of a failure, without MPI, which may wait for the failed process
 * for ever. Memory of the node goes with the last process that maps it. Local. */
static void survivors_stop(void)
{
  if (cwi_world.process == cwi_survivors_first(cwi_world.team) &&
      (cwi_settings.observed != 0 || cwi_settings.stats))
    cwi_log(CWI_LOG_WARNING,
            "no statistics, profile or timeline are written, because process %d "
            "has failed",
            cwi_failures_first());
  cwi_survivors_calls_stop();
  cwi_stop_hooks_run();
  cwi_handles_stop();
  cwi_agent_stop();
  if (cwi_world.process != 0)
    cwi_peers_leave_reports();
  cwi_home_access_leave();
  cwi_servers_stop_serving();
  runtime_forget();
}

/* Returns true if a process has failed; the survivors agree on that. */
static bool has_lost_processes(void)
{
  const cw_team world = cwi_world.team;
  const struct cwi_entry nothing = {0};
  if (!cwi_survives())
    return false;
  cwi_survivors_agree(world, &nothing, world->survivor_entries, world->survivor_flags);
  return memchr(world->survivor_flags, 1, (size_t)world->size) != NULL;
}

/* Waits until all operations are complete and all processes have arrived in cw_finalize. A barrier
 * would not do: it would accept a process that is in a barrier of the program. */
static void wait_for_all(struct cwi_first_error *failed)
{
  CWI_PROFILED_AS("cw_finalize", CW_CALL_FINALIZE);
  cwi_first_begin(failed, cw_wait_all());
  if (!cwi_first_is_from_mpi(failed))
    cwi_first_note(failed, cwi_routes_fence_all());
  if (!cwi_first_is_from_mpi(failed))
    cwi_first_note(failed, cwi_team_agree_step(cwi_world.team, CW_OK));
}

/* Stops Causeway. Errors that targets have reported are stored in `failed`; Causeway stops
 * nevertheless. */
static cw_error runtime_finish(struct cwi_first_error *failed)
{
  cwi_failures_report();
  if (cwi_settings.check && cwi_settings.leaks)
    cwi_leaks_list();
  wait_for_all(failed);
  cwi_peers_expect_ends();
  if (CWI_UNLIKELY(has_lost_processes())) {
    survivors_leave();
    survivors_stop();
    return CW_OK;
  }
  return cwi_first_is_from_mpi(failed) ? failed->error : runtime_stop();
}

cw_error cw_finalize(void)
{
  struct cwi_first_error failed;
  CWI_TRY(cwi_in_call("cw_finalize", cwi_world_may_stop()));
  if (starts != 1) {
    starts -= starts > 0;
    return CW_OK;
  }
  CWI_TRY(cwi_in_call("cw_finalize", cwi_mpi_check_main()));
  cwi_first_begin(&failed, CW_OK);
  CWI_TRY(CWI_COLLECTIVELY("cw_finalize", cwi_world.team, cwi_argument_nothing(),
                           CWI_AMONG_SURVIVORS(runtime_finish(&failed))));
  starts--;
  cwi_single_runtime_set(false);
  return cwi_in_call("cw_finalize", cwi_first_return(&failed));
}

void cw_progress(void)
{
  cwi_mpi_progress_after_poll();
}

const char *cw_version(void)
{
  return CW_VERSION;
}

/* Access to the home of teams on several nodes. It is a region of the world: the slice of process 0
 * holds the home's memory, and each slice holds the buffers of its process, the failures that it
 * knows, and those that other nodes have reported (wait/failures.h). */
#include "sync/home_access.h"

#include "base/size.h"
#include "region/peers.h"
#include "region/region.h"
#include "route/route.h"
#include "team/home.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/waiter.h"

#include <causeway/atomic.h>
#include <causeway/transfer.h>

#include <string.h>

static cw_region region;

/* Returns the bytes of the buffers for collectives, and as many for nonblocking ones. */
static size_t buffer_bytes(void)
{
  return 2 * (size_t)CWI_HOME_TEAMS * 2 * CWI_HOME_BUFFER;
}

/* Returns the bytes of each slice that are not the home's. */
static size_t own_bytes(void)
{
  return buffer_bytes() + cwi_round_up(2 * (size_t)cwi_world.processes, sizeof(uint64_t));
}

/* Returns the flags [processes] of the failures that a process knows. */
static unsigned char *known_failures(int process)
{
  return (unsigned char *)region->slices[process].address + buffer_bytes();
}

char *cwi_home_buffer(cw_team team, unsigned number, int rank)
{
  return region->slices[team->process[rank]].address +
         (2 * cwi_home_number(team) + number % 2) * CWI_HOME_BUFFER;
}

char *cwi_home_step_buffer(cw_team team, unsigned number, int rank)
{
  return cwi_home_buffer(team, number, rank) + buffer_bytes() / 2;
}

/* --- Access ----------------------------------------------------------------------------------- */

static char *home_address(uint64_t offset)
{
  return region->slices[0].address + own_bytes() + offset;
}

static void home_must(cw_error error)
{
  if (CWI_LIKELY(error == CW_OK))
    return;
  if (cwi_node_is_lost(cwi_world.node))
    cwi_peers_end_with_node("this process cannot reach process 0");
  cwi_abort_with(1,
                 "process 0, which keeps the state of teams on several nodes, cannot be reached; "
                 "ending the job: %s",
                 cwi_error_message());
}

static void home_read(uint64_t offset, void *to, size_t bytes)
{
  home_must(cw_get(to, home_address(offset), bytes, 0));
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static void home_write(uint64_t offset, const void *from, size_t bytes)
{
  home_must(cw_put(from, home_address(offset), bytes, 0));
}

static uint64_t home_add(uint64_t offset, uint64_t value)
{
  int64_t before = 0;
  home_must(
      cw_fetch_add_int64((int64_t *)(void *)home_address(offset), (int64_t)value, 0, &before));
  return (uint64_t)before;
}

static bool home_swap(uint64_t offset, uint64_t expected, uint64_t value)
{
  int64_t before = 0;
  home_must(cw_compare_swap_int64((int64_t *)(void *)home_address(offset), (int64_t)expected,
                                  (int64_t)value, 0, &before));
  return (uint64_t)before == expected;
}

/* --- Servers ---------------------------------------------------------------------------------- */

struct learning {
  int process, failed; /* `process` runs the server that has to learn of `failed` */
};

/* Returns true if the server knows of the failure, or is lost. It reads the flag for processes of
 * other nodes itself, so that it has executed all requests that it received before. */
static bool server_knows(void *context)
{
  const struct learning *learning = context;
  unsigned char knows = 0;
  return cwi_has_failed(learning->process) ||
         CW_MAY_FAIL(cw_get(&knows, known_failures(learning->process) + learning->failed, 1,
                            learning->process)) != CW_OK ||
         knows != 0;
}

void cwi_home_await_servers(int failed)
{
  enum { NAP_NANOSECONDS = 20000 };
  for (int node = 0; node < cwi_world.nodes && region != NULL; node++) {
    struct learning learning = {cwi_first_of_node(node), failed};
    cwi_wait_until(server_knows, &learning, NAP_NANOSECONDS);
  }
}

/* --- Start and stop --------------------------------------------------------------------------- */

cw_error cwi_home_access_start(void)
{
  if (!cwi_survives() || cwi_world.nodes == 1)
    return CW_OK;
  const bool is_home = cwi_world.process == 0;
  const size_t bytes = own_bytes() + (is_home ? cwi_home_bytes() : 0);
  CWI_TRY(cwi_region_create(cwi_world.team, bytes, &region));
  memset(known_failures(cwi_world.process), 0, 2 * (size_t)cwi_world.processes);
  if (is_home)
    memset(home_address(0), 0, cwi_home_bytes());
  return CW_OK;
}

void cwi_home_access_begin(void)
{
  static const struct cwi_home_access access = {
      .read = home_read, .write = home_write, .add = home_add, .swap = home_swap};
  if (region == NULL)
    return;
  cwi_failures_share(known_failures(cwi_world.process),
                     known_failures(cwi_world.first_process) + cwi_world.processes);
  cwi_home_start(&access);
}

void cwi_home_access_forget(void)
{
  cwi_failures_share(NULL, NULL);
  region = NULL;
  for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(team))
    team->home = 0;
  cwi_home_stop();
}

/* From now on the world uses messages of MPI, and other teams can only be freed. After the barrier
 * no process reads the home any more. */
cw_error cwi_home_access_stop(void)
{
  if (region == NULL)
    return CW_OK;
  cwi_home_access_forget();
  return cwi_team_barrier(cwi_world.team);
}

/* The home may end as soon as it has the last message of the others, so the fence may fail. The
 * home gives its server time for the answers. */
void cwi_home_access_leave(void)
{
  enum { ANSWER_NANOSECONDS = 100000000 };
  if (region == NULL)
    return;
  if (cwi_world.process == 0) {
    cwi_home_await_leaves(cwi_world.team, -1);
    cwi_nap(ANSWER_NANOSECONDS);
  } else {
    if (cwi_world.process == cwi_first_of_node(cwi_world.node)) /* the others need my server */
      cwi_home_await_leaves(cwi_world.team, cwi_world.node);
    cwi_home_leave(cwi_world.team);
    const cw_error left = cwi_routes_fence(0);
    (void)left;
  }
  cwi_home_access_forget();
}

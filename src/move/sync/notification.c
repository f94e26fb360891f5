/* Notifications: a counter at the target that is incremented after earlier data has arrived. */
#include "sync/notification.h"

#include "base/operation_counts.h"
#include "memory/zone.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/route.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <causeway/atomic.h>

#include <stdio.h>

static cw_error notify_check(struct cwi_update *add, const struct cwi_route **route)
{
  CWI_TRY(cwi_check_process(add->process));
  *route = cwi_atomic_route(add->process, add->remote, &add->place);
  return cwi_update_locate(add, (*route)->locate);
}

cw_error cwi_notify(int64_t *remote, int64_t value, int process)
{
  const struct cwi_route *route = NULL;
  struct cwi_update add = {.operation = CW_SUM,
                           .type = CW_INT64,
                           .process = process,
                           .remote = remote,
                           .count = 1,
                           .operand = {.i64 = value}};
  CWI_TRY(notify_check(&add, &route));
  CWI_ASSERT(route != NULL);
  cwi_note(CWI_COUNT_RMW, cwi_route_where(route, process), process, remote, sizeof *remote);
  bool locked;
  CWI_TRY(cwi_route_enter(route, process, &locked));
  const cw_error error = route->notify(&add);
  cwi_route_leave(locked);
  return error != CW_OK || cwi_route_is_direct(route) ? error : cwi_implicit_settle(process);
}

cw_error cw_notify(int64_t *remote, int64_t value, int process)
{
  CWI_PROFILED(CW_CALL_RMW);
  return cwi_in_call("cw_notify", cwi_notify(remote, value, process));
}

/* Checks a counter. It must be in a slice of this process, because other processes can reach only
 * such counters. */
static cw_error check_counter(const int64_t *counter)
{
  CWI_TRY(cwi_check_process(cwi_world.process));
  if (counter == NULL)
    return cwi_misuse("counter is NULL");
  if ((uintptr_t)counter % sizeof *counter != 0)
    return cwi_misuse("counter is %p, which is not a multiple of 8", (const void *)counter);
  return cwi_zone_holds(cwi_world.process, counter, sizeof *counter)
             ? CW_OK
             : cwi_named_address_misuse("counter", cwi_world.process, counter, sizeof *counter);
}

cw_error cwi_check_comparison(cw_comparison comparison)
{
  return (int)comparison >= CW_AT_LEAST && comparison <= CW_CHANGED
             ? CW_OK
             : cwi_misuse("comparison is %d; it may be 0 (at least) to 3 (changed)",
                          (int)comparison);
}

bool cwi_wait_condition_holds(void *context)
{
  struct cwi_wait_condition *condition = context;
  condition->seen = __atomic_load_n(condition->counter, __ATOMIC_ACQUIRE);
  switch (condition->comparison) {
  case CW_AT_LEAST:
    return condition->seen >= condition->value;
  case CW_EQUAL:
    return condition->seen == condition->value;
  default:
    return condition->seen != condition->value;
  }
}

void cwi_wait_condition_awaited(const void *what, char *text, size_t size)
{
  static const char *const words[] = {"reach", "be", "be other than", "change from"};
  const struct cwi_wait_condition *condition = what;
  snprintf(text, size, "the counter at %p of process %d, which is %lld, to %s %lld",
           (const void *)condition->counter, cwi_world.process,
           (long long)__atomic_load_n(condition->counter, __ATOMIC_RELAXED),
           words[condition->comparison], (long long)condition->value);
}

/* Returns the team whose members may change the counter: that of its region. */
static cw_team team_of_counter(const int64_t *counter)
{
  struct cwi_zone_slice slice;
  cw_region region = cwi_zone_find(counter, &slice) ? cwi_region_keyed(slice.region) : NULL;
  return region != NULL ? region->team : cwi_world.team;
}

bool cwi_wait_condition_is_forlorn(const struct cwi_wait_condition *condition)
{
  return cwi_failures_count() > 0 && cwi_team_misses_members(team_of_counter(condition->counter));
}

cw_error cwi_wait_condition_failed(const struct cwi_wait_condition *condition)
{
  return cwi_team_failed(team_of_counter(condition->counter));
}

struct notify_wait {
  struct cwi_wait_condition condition;
  bool holds;
};

/* Looks for failures first: what a failed member has stored is then visible to the second check. */
static bool holds_or_failed(void *context)
{
  struct notify_wait *wait = context;
  const bool forlorn = cwi_wait_condition_is_forlorn(&wait->condition);
  wait->holds = cwi_wait_condition_holds(&wait->condition);
  return wait->holds || forlorn;
}

cw_error cw_notify_wait(const int64_t *counter, int64_t least, int64_t *value)
{
  CWI_PROFILED(CW_CALL_WAIT);
  enum { NAP_NANOSECONDS = 20000 };
  CWI_TRY(cwi_in_call("cw_notify_wait", check_counter(counter)));
  struct notify_wait wait = {{counter, CW_AT_LEAST, least, 0}, false};
  const struct cwi_waiting outer =
      cwi_waiting_begin("cw_notify_wait", cwi_wait_condition_awaited, &wait.condition);
  cwi_wait_until(holds_or_failed, &wait, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
  if (value != NULL)
    *value = wait.condition.seen;
  return wait.holds ? CW_OK
                    : cwi_in_call("cw_notify_wait", cwi_wait_condition_failed(&wait.condition));
}

static cw_error notify_test(struct cwi_wait_condition *condition, bool *holds)
{
  CWI_TRY(cwi_check_not_null("holds, which receives the answer,", holds));
  CWI_TRY(check_counter(condition->counter));
  CWI_TRY(cwi_check_comparison(condition->comparison));
  *holds = cwi_wait_condition_holds(condition);
  if (!*holds)
    cwi_mpi_progress_after_poll();
  return CW_OK;
}

cw_error cw_notify_test(const int64_t *counter, cw_comparison comparison, int64_t value,
                        bool *holds, int64_t *now)
{
  struct cwi_wait_condition condition = {counter, comparison, value, 0};
  CWI_TRY(cwi_in_call("cw_notify_test", notify_test(&condition, holds)));
  if (now != NULL)
    *now = condition.seen;
  return CW_OK;
}

cw_error cw_notify_reset(int64_t *counter, int64_t *before)
{
  CWI_TRY(cwi_in_call("cw_notify_reset", check_counter(counter)));
  return cwi_in_call("cw_notify_reset", cw_swap_int64(counter, 0, cwi_world.process, before));
}

/* Sets of notification counters, put with notification, and requests that wait for a counter. */
#include "base/size.h"
#include "base/stop_hooks.h"
#include "collective_call/collective_check.h"
#include "memory/zone.h"
#include "mpi/origin.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/route.h"
#include "sync/notification.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "transfer/handle.h"
#include "wait/lock.h"
#include "wait/object_table.h"
#include "wait/wait_report.h"

#include <causeway/atomic.h>

#include <stdlib.h>
#include <string.h>

/* A set of counters. The counters are in a region. Each slice begins with an unused word, so that a
 * set without counters also has a region. */
struct cwi_notifications {
  cw_region region;
  uint64_t key;
  bool whole; /* the team is the world: ranks are process numbers */
};

static bool notifications_is_mine(const void *set)
{
  return ((const struct cwi_notifications *)set)->region->team->rank == 0;
}

static struct cwi_objects sets = {CWI_OBJECTS_OF(struct cwi_notifications),
                                  .name = "notification set", .is_mine = notifications_is_mine,
                                  .null_text = ": there is no set of counters, create it first",
                                  .dead_text = "not an existing set of counters (was it freed?)"};

/* Largest number of counters of a member, small enough that sizes computed from it do not overflow.
 */
static const size_t MOST = (size_t)1 << 40;

/* --- Sets ------------------------------------------------------------------------------------- */

/* Ends the sets that the program has not freed. The memory of the counters is freed with the
 * regions. */
static void notifications_end_all(void)
{
  void *set = NULL;
  while ((set = cwi_object_next(&sets, NULL)) != NULL)
    cwi_object_end(&sets, set);
}

static bool lives(cw_notifications set)
{
  return cwi_object_lives(&sets, set) && cwi_is_region(set->region) && set->region->key == set->key;
}

static cw_error notifications_check_set(cw_notifications set)
{
  return CWI_LIKELY(lives(set)) ? CW_OK : cwi_object_missing(&sets, "notifications", set);
}

static cw_error begin_set(size_t count, cw_notifications *begun)
{
  static struct cwi_stop_hook end = {.run = notifications_end_all};
  if (count > MOST)
    return cwi_misuse("count is %zu: a process has at most %zu counters of a set", count, MOST);
  cwi_stop_hook_add(&end);
  *begun = cwi_object_make(&sets);
  return *begun != NULL ? CW_OK : cwi_outside("no memory for a set of counters");
}

/* Creates the region. Returns only when all members have set their counters to 0. */
static cw_error make_region(cw_team team, size_t count, cw_notifications set)
{
  const size_t bytes = (count + 1) * sizeof(int64_t);
  CWI_TRY(cwi_region_create(team, bytes, &set->region));
  set->key = set->region->key;
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_name(set->key, bytes, NULL, "notifications, %zu counters of each process", count);
  set->whole = cwi_team_same_members(team, cwi_world.team);
  memset(set->region->slices[team->rank].address, 0, bytes);
  return cwi_team_barrier(team);
}

static cw_error notifications_create(cw_team team, size_t count, cw_notifications *made)
{
  cw_notifications set = NULL;
  cw_error error = cwi_team_agree(team, begin_set(count, &set));
  CWI_ASSERT(error != CW_OK || set != NULL);
  if (error == CW_OK)
    error = make_region(team, count, set);
  if (error == CW_OK)
    *made = set;
  else if (set != NULL)
    cwi_object_end(&sets, set);
  return error;
}

cw_error cw_notifications_create(cw_team team, size_t count, cw_notifications *notifications)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(
      cwi_in_call("cw_notifications_create", cwi_check_not_null("notifications", notifications)));
  *notifications = NULL;
  CWI_TRY(cwi_in_call("cw_notifications_create", cwi_check_team("team", team)));
  return CWI_COLLECTIVELY("cw_notifications_create", team, cwi_argument_nothing(),
                          notifications_create(team, count, notifications));
}

/* Frees a set. If not all members make this call, the set stays unchanged. */
static cw_error notifications_destroy(cw_notifications set)
{
  const cw_error error = cwi_region_release(set->region->team, set->region, cwi_routes_fence_all());
  if (!lives(set))
    cwi_object_end(&sets, set);
  return error;
}

cw_error cw_notifications_free(cw_notifications *notifications)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_notifications_free",
                      cwi_check_not_null("the address of the set's handle", notifications)));
  cw_notifications set = *notifications;
  CWI_TRY(cwi_in_call("cw_notifications_free", notifications_check_set(set)));
  *notifications = NULL;
  const struct cwi_argument argument_list[] = {cwi_argument_region("notifications", set->region),
                                               CWI_ARGUMENTS_END};
  const cw_error error = CWI_COLLECTIVELY("cw_notifications_free", set->region->team, argument_list,
                                          CWI_AMONG_SURVIVORS(notifications_destroy(set)));
  if (lives(set))
    *notifications = set;
  return error;
}

/* --- Counters --------------------------------------------------------------------------------- */

static size_t counters_in(const struct cwi_slice *slice)
{
  return slice->bytes / sizeof(int64_t) - 1;
}

static int64_t *counter_at(const struct cwi_slice *slice, size_t number)
{
  return (int64_t *)(void *)slice->address + 1 + number;
}

cw_error cwi_notification_find(cw_notifications set, size_t number, int process, int64_t **counter)
{
  CWI_TRY(notifications_check_set(set));
  CWI_TRY(cwi_check_process(process));
  const int rank = cwi_team_rank_of(set->region->team, process);
  if (rank < 0)
    return cwi_misuse("process %d is not a member of the team that has the counters", process);
  const struct cwi_slice *slice = &set->region->slices[rank];
  if (number >= counters_in(slice))
    return cwi_misuse(
        "the number of the counter is %zu; process %d has %zu counters, numbered from 0", number,
        process, counters_in(slice));
  *counter = counter_at(slice, number);
  return CW_OK;
}

/* Returns the address of a node peer's counter if an atomic instruction may add to it at once. This
 * requires that no operation of this process to the peer is pending on another route, and that
 * calls are not counted, checked or profiled. Otherwise returns NULL; the caller then takes the
 * slow path, which also reports errors. */
static inline int64_t *find_near(cw_notifications set, size_t number, int process)
{
  if (!cwi_ready.atomics || !cwi_uncounted() ||
      (unsigned)process >= (unsigned)cwi_world.processes || !cwi_is_ready(process) || !lives(set) ||
      !set->whole)
    return NULL;
  const struct cwi_slice *slice = &set->region->slices[process];
  return number < counters_in(slice) ? counter_at(slice, number) : NULL;
}

static cw_error put_notify(const cw_transfer *transfer, cw_notifications set, size_t number)
{
  int64_t *counter = NULL;
  CWI_TRY(cwi_notification_find(set, number, transfer->process, &counter));
  if (transfer->bytes > 0)
    CWI_TRY(cwi_start_transfer(transfer, false, NULL));
  return cwi_notify(counter, 1, transfer->process);
}

/* Puts with notification by the routes. Short data is sent in the notification's packet. Long data
 * has left the caller's buffer when cwi_notify returns. So the put is locally complete after this
 * function. */
static __attribute__((noinline, cold)) cw_error put_notify_slowly(const void *local, void *remote,
                                                                  size_t bytes, int process,
                                                                  cw_notifications set,
                                                                  size_t number)
{
  CWI_PROFILED_AS("cw_put_notify", CW_CALL_PUT);
  const cw_transfer transfer =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return cwi_in_call("cw_put_notify", put_notify(&transfer, set, number));
}

/* Puts the data, then increments the counter. The increment has release order: a process that reads
 * the new count with acquire order sees the data. */
cw_error cw_put_notify(const void *local, void *remote, size_t bytes, int process,
                       cw_notifications notifications, size_t number)
{
  int64_t *const counter = find_near(notifications, number, process);
  if (CWI_UNLIKELY(counter == NULL) ||
      (bytes > 0 && (local == NULL || !cwi_zone_holds(process, remote, bytes))))
    return put_notify_slowly(local, remote, bytes, process, notifications, number);
  cwi_release();
  if (bytes > 0)
    cwi_route_move(remote, local, bytes);
  else
    cwi_route_progress_sometimes();
  __atomic_fetch_add(counter, 1, __ATOMIC_RELEASE);
  return CW_OK;
}

static cw_error find_mine(cw_notifications set, size_t number, int64_t **counter)
{
  return cwi_notification_find(set, number, cwi_world.process, counter);
}

static cw_error read_mine(cw_notifications set, size_t number, int64_t *value)
{
  int64_t *counter = NULL;
  CWI_TRY(cwi_check_not_null("value", value));
  CWI_TRY(find_mine(set, number, &counter));
  *value = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
  return CW_OK;
}

cw_error cw_notification_read(cw_notifications notifications, size_t number, int64_t *value)
{
  return cwi_in_call("cw_notification_read", read_mine(notifications, number, value));
}

cw_error cw_notification_reset(cw_notifications notifications, size_t number, int64_t *before)
{
  int64_t *counter = NULL;
  CWI_TRY(cwi_in_call("cw_notification_reset", find_mine(notifications, number, &counter)));
  return cwi_in_call("cw_notification_reset", cw_swap_int64(counter, 0, cwi_world.process, before));
}

/* --- Requests --------------------------------------------------------------------------------- */

struct request {
  struct cwi_pending pending;
  cw_notifications set;
  uint64_t key;
  bool forlorn; /* the wait has ended because a member has failed */
  struct cwi_wait_condition condition;
};

static bool has_set(const struct request *request)
{
  return lives(request->set) && request->set->key == request->key;
}

/* Returns true if the condition holds, if the counter was freed with its set, or if a member has
 * failed. */
static bool holds_or_ends(void *context)
{
  struct request *request = context;
  if (!has_set(request))
    return true;
  const bool forlorn = cwi_wait_condition_is_forlorn(&request->condition);
  request->forlorn = !cwi_wait_condition_holds(&request->condition) && forlorn;
  return request->forlorn || cwi_wait_condition_holds(&request->condition);
}

static void wait_until_holds(const char *call, struct request *request)
{
  enum { NAP_NANOSECONDS = 20000 };
  const struct cwi_waiting outer =
      cwi_waiting_begin(call, cwi_wait_condition_awaited, &request->condition);
  cwi_wait_until(holds_or_ends, request, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
}

/* Waits for a request, without holding the origin's lock. Uses a copy of the request, because other
 * threads may wait for the same one. */
static cw_error notifications_wait_for(const struct request *given)
{
  struct request request = *given;
  cwi_origin_unlock();
  wait_until_holds("cw_wait", &request);
  cwi_origin_lock();
  return request.forlorn ? cwi_wait_condition_failed(&request.condition) : CW_OK;
}

static cw_error notifications_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct request *request = (struct request *)pending;
  *done = true;
  if (wait && has_set(request))
    CWI_TRY(notifications_wait_for(request));
  if (!has_set(request))
    return cwi_misuse("the set of counters that a request waits for has been freed");
  *done = wait || cwi_wait_condition_holds(&request->condition);
  return CW_OK;
}

static void notifications_release(struct cwi_pending *pending)
{
  free(pending);
}

static cw_error notifications_attach(cw_notifications set,
                                     const struct cwi_wait_condition *condition, cw_handle *handle)
{
  struct request *request = malloc(sizeof *request);
  if (request == NULL)
    return cwi_outside("no memory for a request");
  *request = (struct request){.pending = {.apart = true,
                                          .process = -1,
                                          .complete = notifications_complete,
                                          .release = notifications_release},
                              .set = set,
                              .key = set->key,
                              .condition = *condition};
  const cw_error error = cwi_handle_attach(handle, &request->pending);
  if (error != CW_OK)
    free(request);
  return error;
}

/* Finds the counter of a condition. For CW_CHANGED, stores the counter's current value in the
 * condition. */
static cw_error wait_condition_begin(cw_notifications set, size_t number,
                                     struct cwi_wait_condition *condition)
{
  int64_t *counter = NULL;
  CWI_TRY(find_mine(set, number, &counter));
  CWI_TRY(cwi_check_comparison(condition->comparison));
  condition->counter = counter;
  if (condition->comparison == CW_CHANGED)
    condition->value = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
  return CW_OK;
}

static cw_error wait_for_counter(cw_notifications set, size_t number,
                                 struct cwi_wait_condition *condition)
{
  CWI_TRY(wait_condition_begin(set, number, condition));
  struct request request = {.set = set, .key = set->key, .condition = *condition};
  wait_until_holds("cw_notification_wait", &request);
  *condition = request.condition;
  if (request.forlorn)
    return cwi_wait_condition_failed(condition);
  return has_set(&request) ? CW_OK : cwi_misuse("the set of counters has been freed meanwhile");
}

cw_error cw_notification_wait(cw_notifications notifications, size_t number,
                              cw_comparison comparison, int64_t value, int64_t *now)
{
  CWI_PROFILED(CW_CALL_WAIT);
  struct cwi_wait_condition condition = {NULL, comparison, value, 0};
  CWI_TRY(cwi_in_call("cw_notification_wait", wait_for_counter(notifications, number, &condition)));
  if (now != NULL)
    *now = condition.seen;
  return CW_OK;
}

static cw_error request(cw_notifications set, size_t number, struct cwi_wait_condition *condition,
                        cw_handle *handle)
{
  CWI_TRY(cwi_check_not_null("handle", handle));
  CWI_TRY(wait_condition_begin(set, number, condition));
  CWI_TRY(cwi_handle_check(handle));
  CWI_TRY(cwi_handle_claim(handle));
  return cwi_wait_condition_holds(condition) ? CW_OK : notifications_attach(set, condition, handle);
}

cw_error cw_notification_request(cw_notifications notifications, size_t number,
                                 cw_comparison comparison, int64_t value, cw_handle *handle)
{
  struct cwi_wait_condition condition = {NULL, comparison, value, 0};
  return cwi_in_call("cw_notification_request", request(notifications, number, &condition, handle));
}

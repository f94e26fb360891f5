/* Notifications: a counter that moves when the data is there. */
#include "base/lock.h"
#include "base/statistics.h"
#include "base/waiting.h"
#include "memory/region.h"
#include "memory/zone.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/sync.h>

#include <stdio.h>

static cw_error check(struct cwi_rmw *add, const struct cwi_route **route)
{
  CWI_TRY(cwi_check_process(add->process));
  if ((uintptr_t)add->remote % (unsigned)add->width != 0)
    return cwi_misuse("remote is %p, which is not a multiple of %d", add->remote, add->width);
  *route = cwi_atomic_route(add->process, add->remote, &add->place);
  return (*route)->locate(add->process, add->remote, (size_t)add->width, &add->place);
}

static cw_error notify(int64_t *remote, int64_t value, int process)
{
  const struct cwi_route *route = NULL;
  struct cwi_rmw add = {.operation = CWI_FETCH_ADD,
                        .width = sizeof *remote,
                        .process = process,
                        .remote = remote,
                        .value = value};
  CWI_TRY(check(&add, &route));
  CWI_ASSERT(route != NULL);
  CWI_TRY(cwi_route_enter(route, process));
  cwi_count(CWI_COUNT_RMW, cwi_route_where(route, process), sizeof *remote);
  const cw_error error = route->notify(&add);
  cwi_route_leave(route);
  return error != CW_OK || cwi_route_is_direct(route) ? error : cwi_implicit_settle(process);
}

cw_error cw_notify(int64_t *remote, int64_t value, int process)
{
  return cwi_in_call("cw_notify", notify(remote, value, process));
}

/* Others can only reach what is in a slice of mine. */
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

/* A counter, and what it is to reach. */
struct wanted {
  const int64_t *counter;
  int64_t least;
  int64_t seen; /* at the last look */
};

static bool reached(void *context)
{
  struct wanted *wanted = context;
  wanted->seen = __atomic_load_n(wanted->counter, __ATOMIC_ACQUIRE);
  return wanted->seen >= wanted->least;
}

static void awaited(const void *what, char *text, size_t size)
{
  const struct wanted *wanted = what;
  snprintf(text, size, "the counter at %p of process %d, which is %lld, to reach %lld",
           (const void *)wanted->counter, cwi_world.process,
           (long long)__atomic_load_n(wanted->counter, __ATOMIC_RELAXED), (long long)wanted->least);
}

cw_error cw_notify_wait(const int64_t *counter, int64_t least, int64_t *value)
{
  enum { NAP_NANOSECONDS = 20000 };
  CWI_TRY(cwi_in_call("cw_notify_wait", check_counter(counter)));
  struct wanted wanted = {counter, least, 0};
  const struct cwi_waiting outer = cwi_waiting_begin("cw_notify_wait", awaited, &wanted);
  cwi_wait_until(reached, &wanted, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
  if (value != NULL)
    *value = wanted.seen;
  return CW_OK;
}

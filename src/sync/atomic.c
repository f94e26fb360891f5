/* Read-modify-write: fetch-and-add, swap, compare-and-swap. */
#include "base/statistics.h"
#include "memory/region.h"
#include "memory/zone.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/atomic.h>

static cw_error run_checked(struct cwi_rmw *rmw, int64_t *before)
{
  CWI_TRY(cwi_check_process(rmw->process));
  if (CWI_UNLIKELY((uintptr_t)rmw->remote % (unsigned)rmw->width != 0))
    return cwi_misuse("remote is %p, which is not a multiple of %d", rmw->remote, rmw->width);
  const struct cwi_route *route = cwi_atomic_route(rmw->process, rmw->remote, &rmw->place);
  CWI_TRY(route->locate(rmw->process, rmw->remote, (size_t)rmw->width, &rmw->place));
  cwi_count(CWI_COUNT_RMW, cwi_route_where(route, rmw->process), (size_t)rmw->width);
  CWI_TRY(cwi_route_enter(route, rmw->process));
  /* It is complete on return: other threads need not wait for it. */
  cwi_route_leave(route);
  if (cwi_route_is_direct(route))
    cwi_route_breathe();
  return route->rmw(rmw, before);
}

static cw_error run(struct cwi_rmw *rmw, int64_t *before)
{
  if (CWI_LIKELY(cwi_settings.check == 0))
    return run_checked(rmw, before);
  CWI_TRY(cwi_mpi_enter());
  const cw_error error = run_checked(rmw, before);
  cwi_mpi_leave();
  return error;
}

/* One node: the processor does it, after the same checks as for every small transfer. */
static inline bool may_update(int process, const void *remote, size_t width)
{
  return CWI_LIKELY(cwi_direct_atomics) && cwi_unwatched() &&
         (unsigned)process < (unsigned)cwi_world.processes && cwi_is_ready(process) &&
         (uintptr_t)remote % width == 0 && cwi_zone_holds(process, remote, width);
}

#define RMW_CALL(bits)                                                                             \
  static __attribute__((noinline))                                                                 \
  cw_error run##bits(const char *call, struct cwi_rmw rmw, int##bits##_t *before)                  \
  {                                                                                                \
    int64_t old = 0;                                                                               \
    const cw_error error = run(&rmw, &old);                                                        \
    if (CWI_UNLIKELY(error != CW_OK))                                                              \
      return cwi_in_call(call, error);                                                             \
    if (before != NULL)                                                                            \
      *before = (int##bits##_t)old;                                                                \
    return CW_OK;                                                                                  \
  }                                                                                                \
                                                                                                   \
  cw_error cw_fetch_add_int##bits(int##bits##_t *remote, int##bits##_t value, int process,         \
                                  int##bits##_t *before)                                           \
  {                                                                                                \
    if (CWI_LIKELY(may_update(process, remote, sizeof *remote))) {                                 \
      const int##bits##_t old = __atomic_fetch_add(remote, value, __ATOMIC_SEQ_CST);               \
      if (before != NULL)                                                                          \
        *before = old;                                                                             \
      cwi_route_breathe();                                                                         \
      return CW_OK;                                                                                \
    }                                                                                              \
    return run##bits("cw_fetch_add_int" #bits,                                                     \
                     (struct cwi_rmw){.operation = CWI_FETCH_ADD,                                  \
                                      .width = bits / 8,                                           \
                                      .process = process,                                          \
                                      .remote = remote,                                            \
                                      .value = value},                                             \
                     before);                                                                      \
  }                                                                                                \
                                                                                                   \
  cw_error cw_swap_int##bits(int##bits##_t *remote, int##bits##_t value, int process,              \
                             int##bits##_t *before)                                                \
  {                                                                                                \
    return run##bits("cw_swap_int" #bits,                                                          \
                     (struct cwi_rmw){.operation = CWI_SWAP,                                       \
                                      .width = bits / 8,                                           \
                                      .process = process,                                          \
                                      .remote = remote,                                            \
                                      .value = value},                                             \
                     before);                                                                      \
  }                                                                                                \
                                                                                                   \
  cw_error cw_compare_swap_int##bits(int##bits##_t *remote, int##bits##_t expected,                \
                                     int##bits##_t value, int process, int##bits##_t *before)      \
  {                                                                                                \
    return run##bits("cw_compare_swap_int" #bits,                                                  \
                     (struct cwi_rmw){.operation = CWI_COMPARE_SWAP,                               \
                                      .width = bits / 8,                                           \
                                      .process = process,                                          \
                                      .remote = remote,                                            \
                                      .value = value,                                              \
                                      .expected = expected},                                       \
                     before);                                                                      \
  }

RMW_CALL(32)
RMW_CALL(64)

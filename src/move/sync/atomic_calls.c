/* Atomic updates of elements: fetch-and-op, compare-and-swap, read, write, get-accumulate. */
#include "base/operation_counts.h"
#include "memory/zone.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/atomic.h>

#include <string.h>

/* Returns true if an atomic instruction can do the update at once. The target must be on this node,
 * and the conditions under which any small transfer may be done at once must hold. */
static inline bool may_update(int process, const void *remote, size_t width)
{
  return CWI_LIKELY(cwi_ready.atomics) && cwi_uncounted() &&
         (unsigned)process < (unsigned)cwi_world.processes && cwi_is_ready(process) &&
         (uintptr_t)remote % width == 0 && cwi_zone_holds(process, remote, width);
}

/* --- All types -------------------------------------------------------------------------------- */

/* Returns true if an atomic instruction can update one element of this type at once. */
static inline bool may_update_element(int operation, cw_type type, int process, const void *remote)
{
  return cwi_update_is_defined(operation, type) && !cwi_type_is_wide(type) &&
         may_update(process, remote, cwi_type_bytes[type]);
}

/* Runs an update of one element with all checks and by any route. */
static __attribute__((noinline)) cw_error run_one(const char *call, struct cwi_update update,
                                                  const void *operand, const void *expected)
{
  CWI_PROFILED_AS(call, CW_CALL_RMW);
  update.count = 1;
  if (cwi_update_is_defined(update.operation, update.type))
    cwi_update_give(&update, operand, expected);
  return cwi_in_call(call, cwi_start_update(&update, true, NULL));
}

static inline cw_error fetch_op(const char *call, const char *name, cw_reduction op, cw_type type,
                                const void *operand, void *remote, int process, void *before)
{
  if (CWI_UNLIKELY(operand == NULL && op != CW_NO_OP))
    return cwi_in_call(call, cwi_check_not_null(name, NULL));
  if (CWI_LIKELY((int)op != CWI_COMPARE_SWAP &&
                 may_update_element((int)op, type, process, remote))) {
    cwi_atomic_kernel_of(op, type)(remote, operand, before, 1);
    cwi_route_progress_sometimes();
    return CW_OK;
  }
  const struct cwi_update update = {
      .operation = (int)op, .type = type, .process = process, .remote = remote, .before = before};
  CWI_TRY(cwi_in_call(call, cwi_reduction_check(op, type)));
  return run_one(call, update, operand, NULL);
}

cw_error cw_fetch_op(cw_type type, cw_reduction op, const void *operand, void *remote, int process,
                     void *before)
{
  return fetch_op("cw_fetch_op", "operand", op, type, operand, remote, process, before);
}

cw_error cw_atomic_read(cw_type type, const void *remote, int process, void *value)
{
  CWI_TRY(cwi_in_call("cw_atomic_read", cwi_check_not_null("value", value)));
  return fetch_op("cw_atomic_read", "value", CW_NO_OP, type, NULL, (void *)(uintptr_t)remote,
                  process, value);
}

cw_error cw_atomic_write(cw_type type, const void *value, void *remote, int process)
{
  return fetch_op("cw_atomic_write", "value", CW_REPLACE, type, value, remote, process, NULL);
}

cw_error cw_compare_swap(cw_type type, const void *expected, const void *value, void *remote,
                         int process, void *before)
{
  CWI_TRY(cwi_in_call("cw_compare_swap", cwi_check_not_null("expected", expected)));
  CWI_TRY(cwi_in_call("cw_compare_swap", cwi_check_not_null("value", value)));
  if (CWI_LIKELY(may_update_element(CWI_COMPARE_SWAP, type, process, remote))) {
    cwi_atomic_compare_swap(remote, expected, value, before, cwi_type_bytes[type]);
    cwi_route_progress_sometimes();
    return CW_OK;
  }
  const struct cwi_update update = {.operation = CWI_COMPARE_SWAP,
                                    .type = type,
                                    .process = process,
                                    .remote = remote,
                                    .before = before};
  return run_one("cw_compare_swap", update, value, expected);
}

cw_error cw_get_accumulate(cw_type type, cw_reduction op, const void *local, void *before,
                           void *remote, size_t count, int process)
{
  struct cwi_update update = {.operation = (int)op,
                              .type = type,
                              .process = process,
                              .remote = remote,
                              .count = count,
                              .local = local,
                              .before = before};
  CWI_TRY(cwi_in_call("cw_get_accumulate", cwi_reduction_check(op, type)));
  if (count == 1 && (local != NULL || op == CW_NO_OP))
    return run_one("cw_get_accumulate", update, local, NULL);
  if (CWI_UNLIKELY(count == 1))
    return cwi_in_call("cw_get_accumulate", cwi_check_not_null("local", NULL));
  CWI_PROFILED(CW_CALL_RMW);
  return cwi_in_call("cw_get_accumulate", cwi_start_update(&update, true, NULL));
}

/* --- Integers --------------------------------------------------------------------------------- */

#define INTEGER_CALLS(bits)                                                                        \
  static __attribute__((noinline))                                                                 \
  cw_error run##bits(const char *call, int operation, int##bits##_t *remote, int##bits##_t value,  \
                     int##bits##_t expected, int process, int##bits##_t *before)                   \
  {                                                                                                \
    const struct cwi_update update = {.operation = operation,                                      \
                                      .type = CW_INT##bits,                                        \
                                      .process = process,                                          \
                                      .remote = remote,                                            \
                                      .before = before};                                           \
    return run_one(call, update, &value, &expected);                                               \
  }                                                                                                \
                                                                                                   \
  cw_error cw_fetch_add_int##bits(int##bits##_t *remote, int##bits##_t value, int process,         \
                                  int##bits##_t *before)                                           \
  {                                                                                                \
    if (CWI_LIKELY(may_update(process, remote, sizeof *remote))) {                                 \
      const int##bits##_t old = __atomic_fetch_add(remote, value, __ATOMIC_SEQ_CST);               \
      if (before != NULL)                                                                          \
        *before = old;                                                                             \
      cwi_route_progress_sometimes();                                                              \
      return CW_OK;                                                                                \
    }                                                                                              \
    return run##bits("cw_fetch_add_int" #bits, CW_SUM, remote, value, 0, process, before);         \
  }                                                                                                \
                                                                                                   \
  cw_error cw_swap_int##bits(int##bits##_t *remote, int##bits##_t value, int process,              \
                             int##bits##_t *before)                                                \
  {                                                                                                \
    return run##bits("cw_swap_int" #bits, CW_REPLACE, remote, value, 0, process, before);          \
  }                                                                                                \
                                                                                                   \
  cw_error cw_compare_swap_int##bits(int##bits##_t *remote, int##bits##_t expected,                \
                                     int##bits##_t value, int process, int##bits##_t *before)      \
  {                                                                                                \
    return run##bits("cw_compare_swap_int" #bits, CWI_COMPARE_SWAP, remote, value, expected,       \
                     process, before);                                                             \
  }

INTEGER_CALLS(32)
INTEGER_CALLS(64)

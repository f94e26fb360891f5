/* Elements from nothing: fill, random numbers, enumerate. */
#include "arithmetic/operate.h"
#include "arithmetic/scalar.h"
#include "arithmetic/together.h"

#include <causeway/arithmetic.h>

static cw_error work(void *job, struct cwi_share *mine)
{
  (void)mine;
  return cwi_operate(job);
}

static cw_error run(const char *call, struct cwi_operation *operation)
{
  const struct cwi_joint joint = {
      .call = call, .team = operation->target.array->team, .work = work};
  return cwi_together(&joint, operation);
}

cw_error cw_array_fill(cw_array array, const int64_t *lo, const int64_t *hi, const void *value)
{
  static const char call[] = "cw_array_fill";
  struct cwi_operation operation;
  cwi_operation_begin(&operation);
  CWI_TRY(cwi_in_call(call, cwi_box_make("array", array, lo, hi, &operation.target)));
  operation.kernel = cwi_kernel_fill;
  operation.working.element = array->element;
  operation.working.value = value;
  return run(call, &operation);
}

cw_error cw_array_randomize(cw_array array, const int64_t *lo, const int64_t *hi, uint64_t seed)
{
  static const char call[] = "cw_array_randomize";
  struct cwi_operation operation;
  cwi_operation_begin(&operation);
  CWI_TRY(cwi_in_call(call, cwi_box_make("array", array, lo, hi, &operation.target)));
  CWI_TRY(cwi_in_call(call, cwi_check_numbers(&operation.target)));
  operation.kernel = cwi_kernels[array->type][CWI_RANDOM];
  operation.indexed = true;
  operation.working.seed = seed;
  return run(call, &operation);
}

cw_error cw_array_enumerate(cw_array array, const int64_t *lo, const int64_t *hi, const void *start,
                            const void *step)
{
  static const char call[] = "cw_array_enumerate";
  struct cwi_operation operation;
  cwi_operation_begin(&operation);
  CWI_TRY(cwi_in_call(call, cwi_box_make("array", array, lo, hi, &operation.target)));
  CWI_TRY(cwi_in_call(call, cwi_check_numbers(&operation.target)));
  if (start == NULL)
    return cwi_in_call(call, cwi_misuse("start is NULL"));
  operation.indexed = operation.in_patch = true;
  cwi_scalar_read(array->type, start, &operation.working.alpha);
  cwi_scalar_read(array->type, step, &operation.working.beta);
  operation.kernel = cwi_kernels[array->type][CWI_ENUMERATE];
  return run(call, &operation);
}

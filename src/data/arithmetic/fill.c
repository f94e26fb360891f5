/* Operations without operands: fill, random numbers, enumerate. */
#include "arithmetic/collective_call.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

cw_error cw_array_fill(cw_array array, const int64_t *lo, const int64_t *hi, const void *value)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct cwi_operation operation;
  cwi_operation_begin(&operation);
  const cw_error checked = cwi_box_make("array", array, lo, hi, &operation.target);
  operation.kernel = cwi_kernel_fill;
  operation.job = CWI_JOB_FILL;
  operation.working.element = checked == CW_OK ? array->element : 0;
  operation.working.value = value;
  const struct cwi_argument agreed[] = {cwi_agreed_value("value", array, value), CWI_ARGUMENTS_END};
  return cwi_operate_collective("cw_array_fill", checked, &operation, NULL, agreed);
}

/* Prepares an operation that computes elements from their indices. */
static cw_error fill_prepare(cw_array array, const int64_t *lo, const int64_t *hi,
                             enum cwi_arithmetic arithmetic_kind, struct cwi_operation *operation)
{
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_make("array", array, lo, hi, &operation->target));
  CWI_TRY(cwi_check_numbers(&operation->target));
  operation->indexed = true;
  operation->kernel = cwi_kernels[array->type]->rows[arithmetic_kind];
  return CW_OK;
}

cw_error cw_array_randomize(cw_array array, const int64_t *lo, const int64_t *hi, const void *limit,
                            uint64_t seed)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct cwi_operation operation;
  const cw_error checked = fill_prepare(array, lo, hi, CWI_RANDOM, &operation);
  operation.working.seed = seed;
  operation.working.limited = limit != NULL;
  if (checked == CW_OK && limit != NULL)
    cwi_scalar_read(array->type, limit, &operation.working.alpha);
  const struct cwi_argument agreed[] = {cwi_argument_size("seed", seed),
                                        cwi_agreed_value("limit", array, limit), CWI_ARGUMENTS_END};
  return cwi_operate_collective("cw_array_randomize", checked, &operation, NULL, agreed);
}

static cw_error prepare_enumerate(cw_array array, const int64_t *lo, const int64_t *hi,
                                  const void *start, const void *step,
                                  struct cwi_operation *operation)
{
  CWI_TRY(fill_prepare(array, lo, hi, CWI_ENUMERATE, operation));
  if (start == NULL)
    return cwi_misuse("start is NULL");
  operation->in_patch = true;
  cwi_scalar_read(array->type, start, &operation->working.alpha);
  cwi_scalar_read(array->type, step, &operation->working.beta);
  return CW_OK;
}

cw_error cw_array_enumerate(cw_array array, const int64_t *lo, const int64_t *hi, const void *start,
                            const void *step)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct cwi_operation operation;
  const cw_error checked = prepare_enumerate(array, lo, hi, start, step, &operation);
  const struct cwi_argument agreed[] = {cwi_agreed_value("start", array, start),
                                        cwi_agreed_value("step", array, step), CWI_ARGUMENTS_END};
  return cwi_operate_collective("cw_array_enumerate", checked, &operation, NULL, agreed);
}

/* Operations element by element: copy, functions of one, two and three elements. */
#include "arithmetic/collective_call.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

/* An operation, and the number of divisors of all members that are 0. */
struct combine_job {
  struct cwi_operation *operation;
  uint64_t zeros;
};

static cw_error combine_work(void *given, struct cwi_contribution *mine)
{
  struct combine_job *job = given;
  CWI_TRY(cwi_operate(job->operation));
  mine->words[0] = job->operation->working.zeros;
  return CW_OK;
}

static void merge(void *given, const struct cwi_contribution *share)
{
  struct combine_job *job = given;
  job->zeros += share->words[0];
}

cw_error cwi_operate_collective(const char *call, cw_error checked, struct cwi_operation *operation,
                                const struct cwi_box *divisor, const struct cwi_argument *agreed)
{
  struct combine_job job = {.operation = operation};
  const struct cwi_collective_call collective = {.call = call,
                                                 .team = cwi_operation_team(operation),
                                                 .checked = checked,
                                                 .operation = operation,
                                                 .agreed = agreed,
                                                 .work = combine_work,
                                                 .merge = divisor != NULL ? merge : NULL};
  CWI_TRY(cwi_collective_run(&collective, &job));
  if (job.zeros == 0 || divisor == NULL)
    return CW_OK;
  return cwi_misuse(
      "%s: %llu elements of the patch of %s, array '%s', are 0; divisors must not be 0", call,
      (unsigned long long)job.zeros, divisor->name, divisor->array->name);
}

static cw_error prepare_copy(const cw_operand *from, const cw_operand *to,
                             struct cwi_operation *operation)
{
  struct cwi_source *source = &operation->source[0];
  cwi_operation_begin(operation);
  operation->copies = true;
  CWI_TRY(cwi_box_array("to", to, &operation->target));
  CWI_TRY(cwi_box_array("from", from, &source->box));
  CWI_TRY(cwi_box_patch(to, &operation->target));
  CWI_TRY(cwi_box_patch(from, &source->box));
  CWI_TRY(cwi_source_make_nested(&operation->target, true, source));
  operation->sources = 1;
  operation->kernel = cwi_kernel_copy;
  operation->job = CWI_JOB_COPY;
  operation->working.element = source->box.array->element;
  return CW_OK;
}

cw_error cw_array_copy(const cw_operand *from, const cw_operand *to)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct cwi_operation operation;
  const cw_error checked = prepare_copy(from, to, &operation);
  return cwi_operate_collective("cw_array_copy", checked, &operation, NULL, NULL);
}

static cw_error check_function(int function, int last)
{
  if ((unsigned)function <= (unsigned)last)
    return CW_OK;
  return cwi_misuse("function is %d; it may be 0 to %d", function, last);
}

static cw_error prepare_apply(cw_array array, const int64_t *lo, const int64_t *hi,
                              cw_unary function, const void *value, struct cwi_operation *operation)
{
  static const enum cwi_arithmetic arithmetic_kinds[] = {CWI_SCALE, CWI_ADD_CONSTANT, CWI_ABSOLUTE,
                                                         CWI_RECIPROCAL, CWI_CONJUGATE};
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_make("array", array, lo, hi, &operation->target));
  CWI_TRY(check_function((int)function, CW_CONJUGATE));
  CWI_TRY(cwi_check_numbers(&operation->target));
  if (value == NULL && (function == CW_SCALE || function == CW_ADD_CONSTANT))
    return cwi_misuse("value is NULL; CW_SCALE and CW_ADD_CONSTANT need one");
  cwi_scalar_read(array->type, value, &operation->working.alpha);
  operation->kernel = cwi_kernels[array->type]->rows[arithmetic_kinds[function]];
  operation->job = function == CW_SCALE ? CWI_JOB_SCALE : CWI_JOB_OF_HOSTS;
  return CW_OK;
}

cw_error cw_array_apply(cw_array array, const int64_t *lo, const int64_t *hi, cw_unary function,
                        const void *value)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_apply";
  static const char *const names[] = {"CW_SCALE", "CW_ADD_CONSTANT", "CW_ABSOLUTE", "CW_RECIPROCAL",
                                      "CW_CONJUGATE"};
  struct cwi_operation operation;
  const cw_error checked = prepare_apply(array, lo, hi, function, value, &operation);
  const bool takes = function == CW_SCALE || function == CW_ADD_CONSTANT;
  const struct cwi_argument agreed[] = {
      cwi_argument_choice("function", names, function),
      cwi_agreed_value("value", array, takes ? value : NULL),
      CWI_ARGUMENTS_END,
  };
  return cwi_operate_collective(call, checked, &operation,
                                function == CW_RECIPROCAL ? &operation.target : NULL, agreed);
}

/* Checks the target c and the sources a, b, ..., whose boxes have been made. */
static cw_error prepare_sources(int count, struct cwi_operation *operation)
{
  CWI_TRY(cwi_check_numbers(&operation->target));
  for (int s = 0; s < count; s++)
    CWI_TRY(cwi_source_make(&operation->target, true, &operation->source[s]));
  operation->sources = count;
  return CW_OK;
}

static cw_error prepare_combine(cw_binary function, const void *alpha, const cw_operand *a,
                                const void *beta, const cw_operand *b, const cw_operand *c,
                                struct cwi_operation *operation)
{
  static const enum cwi_arithmetic arithmetic_kinds[] = {CWI_ELEMENT_SUM, CWI_ELEMENT_PRODUCT,
                                                         CWI_ELEMENT_QUOTIENT, CWI_ELEMENT_MAXIMUM,
                                                         CWI_ELEMENT_MINIMUM};
  struct cwi_working *working = &operation->working;
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_of("c", c, &operation->target));
  CWI_TRY(cwi_box_of("a", a, &operation->source[0].box));
  CWI_TRY(cwi_box_of("b", b, &operation->source[1].box));
  CWI_TRY(check_function((int)function, CW_ELEMENT_MINIMUM));
  CWI_TRY(prepare_sources(2, operation));
  const cw_type type = operation->target.array->type;
  cwi_scalar_read(type, alpha, &working->alpha);
  cwi_scalar_read(type, beta, &working->beta);
  working->plain =
      cwi_scalar_is_real(type, &working->alpha) && cwi_scalar_is_real(type, &working->beta);
  operation->kernel = cwi_kernels[type]->rows[arithmetic_kinds[function]];
  operation->job = function == CW_ELEMENT_SUM ? CWI_JOB_SUM : CWI_JOB_OF_HOSTS;
  return CW_OK;
}

cw_error cw_array_combine(cw_binary function, const void *alpha, const cw_operand *a,
                          const void *beta, const cw_operand *b, const cw_operand *c)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_combine";
  static const char *const names[] = {"CW_ELEMENT_SUM", "CW_ELEMENT_PRODUCT", "CW_ELEMENT_QUOTIENT",
                                      "CW_ELEMENT_MAXIMUM", "CW_ELEMENT_MINIMUM"};
  struct cwi_operation operation;
  const cw_error checked = prepare_combine(function, alpha, a, beta, b, c, &operation);
  const bool sum = function == CW_ELEMENT_SUM;
  cw_array array = operation.target.array;
  const struct cwi_argument agreed[] = {
      cwi_argument_choice("function", names, function),
      cwi_agreed_value("alpha", array, sum ? alpha : NULL),
      cwi_agreed_value("beta", array, sum ? beta : NULL),
      CWI_ARGUMENTS_END,
  };
  return cwi_operate_collective(call, checked, &operation,
                                function == CW_ELEMENT_QUOTIENT ? &operation.source[1].box : NULL,
                                agreed);
}

static cw_error prepare_median(const cw_operand *a, const cw_operand *b, const cw_operand *v,
                               const cw_operand *c, struct cwi_operation *operation)
{
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_of("c", c, &operation->target));
  CWI_TRY(cwi_box_of("a", a, &operation->source[0].box));
  CWI_TRY(cwi_box_of("b", b, &operation->source[1].box));
  CWI_TRY(cwi_box_of("v", v, &operation->source[2].box));
  CWI_TRY(prepare_sources(3, operation));
  operation->kernel = cwi_kernels[operation->target.array->type]->rows[CWI_MEDIAN];
  return CW_OK;
}

cw_error cw_array_median(const cw_operand *a, const cw_operand *b, const cw_operand *v,
                         const cw_operand *c)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct cwi_operation operation;
  const cw_error checked = prepare_median(a, b, v, c, &operation);
  return cwi_operate_collective("cw_array_median", checked, &operation, NULL, NULL);
}

/* Prepares a product whose target and first factor are the array, and whose second factor is a
 * vector along one dimension. */
static cw_error prepare_slices(cw_array array, int dimension, cw_array vector,
                               struct cwi_operation *operation)
{
  const struct cwi_box *target = &operation->target;
  struct cwi_box *box = &operation->source[1].box;
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_make("array", array, NULL, NULL, &operation->target));
  CWI_TRY(cwi_check_numbers(target));
  if (dimension < 0 || dimension >= array->dimensions)
    return cwi_misuse("dimension is %d; array '%s' has dimensions 0 to %d", dimension, array->name,
                      array->dimensions - 1);
  CWI_TRY(cwi_box_make("vector", vector, NULL, NULL, box));
  if (vector->dimensions != 1 || box->extents[0] != target->extents[dimension])
    return cwi_misuse("vector, array '%s', has %d dimensions and %lld elements in the first; it "
                      "must have 1 dimension and %lld elements",
                      vector->name, vector->dimensions, (long long)box->extents[0],
                      (long long)target->extents[dimension]);
  operation->source[0].box = *target;
  CWI_TRY(cwi_source_make(target, true, &operation->source[0]));
  CWI_TRY(cwi_source_broadcast(target, dimension, &operation->source[1]));
  operation->sources = 2;
  operation->kernel = cwi_kernels[array->type]->rows[CWI_ELEMENT_PRODUCT];
  return CW_OK;
}

cw_error cw_array_scale_slices(cw_array array, int dimension, cw_array vector)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_scale_slices";
  const struct cwi_argument agreed[] = {cwi_argument_int("dimension", &dimension),
                                        CWI_ARGUMENTS_END};
  struct cwi_operation operation;
  const cw_error checked = prepare_slices(array, dimension, vector, &operation);
  return cwi_operate_collective(call, checked, &operation, NULL, agreed);
}

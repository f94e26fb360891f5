/* Reduces the elements of a patch to one: dot product, norms, greatest and least element, steps. */
#include "arithmetic/collective_call.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* An operation that computes a sum, and the sum over all members. */
struct summing {
  struct cwi_operation operation;
  bool greatest;     /* computes the maximum instead of the sum */
  bool synchronized; /* the members have just synchronised */
  uint64_t whole;
  double real[2];
};

static void begin_sum(struct summing *job)
{
  cwi_operation_begin(&job->operation);
  job->greatest = job->synchronized = false;
  job->whole = 0;
  job->real[0] = job->real[1] = 0;
}

static cw_error sum_mine(void *given, struct cwi_contribution *mine)
{
  struct summing *job = given;
  CWI_TRY(cwi_operate(&job->operation));
  memcpy(mine->words, &job->operation.working.sum, sizeof job->operation.working.sum);
  return CW_OK;
}

/* Adds the share of a member. Called in the order of ranks, so that floating-point sums are the
 * same in each run. */
static void sum_share(void *given, const struct cwi_contribution *share)
{
  struct summing *job = given;
  double real[2];
  memcpy(real, share->words, sizeof real);
  job->whole += share->words[0];
  job->real[1] += real[1];
  if (!job->greatest)
    job->real[0] += real[0];
  else if (real[0] > job->real[0] || isnan(real[0]))
    job->real[0] = real[0];
}

static cw_error sum_together(const char *call, cw_error checked, struct summing *job,
                             const struct cwi_argument *agreed)
{
  const struct cwi_collective_call collective = {.call = call,
                                                 .team = cwi_operation_team(&job->operation),
                                                 .checked = checked,
                                                 .operation = &job->operation,
                                                 .agreed = agreed,
                                                 .synchronized = job->synchronized,
                                                 .work = sum_mine,
                                                 .merge = sum_share};
  return cwi_collective_run(&collective, job);
}

static cw_error prepare_dot(const cw_operand *a, const cw_operand *b, const void *result,
                            struct cwi_operation *operation)
{
  CWI_TRY(cwi_box_of("a", a, &operation->target));
  CWI_TRY(cwi_box_of("b", b, &operation->source[0].box));
  CWI_TRY(cwi_check_numbers(&operation->target));
  CWI_TRY(cwi_source_make(&operation->target, false, &operation->source[0]));
  if (result == NULL)
    return cwi_misuse("result is NULL; it receives one element");
  operation->sources = 1;
  operation->kernel = cwi_kernels[operation->target.array->type]->rows[CWI_DOT];
  operation->job = CWI_JOB_DOT;
  return CW_OK;
}

cw_error cw_array_dot(const cw_operand *a, const cw_operand *b, void *result)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct summing job;
  begin_sum(&job);
  const cw_error checked = prepare_dot(a, b, result, &job.operation);
  CWI_TRY(sum_together("cw_array_dot", checked, &job, NULL));
  const struct cwi_value sum = {(int64_t)job.whole, {job.real[0], job.real[1]}};
  cwi_value_store(job.operation.target.array->type, &sum, result);
  return CW_OK;
}

static cw_error prepare_norm(cw_array array, const int64_t *lo, const int64_t *hi, cw_norm kind,
                             const double *norm, struct summing *job)
{
  static const enum cwi_arithmetic arithmetic_kinds[] = {CWI_NORM_SUM, CWI_NORM_SQUARES,
                                                         CWI_NORM_MAXIMUM};
  CWI_TRY(cwi_box_make("array", array, lo, hi, &job->operation.target));
  CWI_TRY(cwi_check_numbers(&job->operation.target));
  if ((unsigned)kind > CW_NORM_MAXIMUM)
    return cwi_misuse("kind is %d; it may be CW_NORM_SUM (0), CW_NORM_EUCLIDEAN (1) or "
                      "CW_NORM_MAXIMUM (2)",
                      (int)kind);
  if (norm == NULL)
    return cwi_misuse("norm is NULL; it receives the norm");
  job->operation.kernel = cwi_kernels[array->type]->rows[arithmetic_kinds[kind]];
  job->greatest = kind == CW_NORM_MAXIMUM;
  return CW_OK;
}

/* Returns true if the sum of squares is accurate. For doubles it is not if it overflows, or if it
 * is so small that squares underflow. */
static bool sum_keeps_digits(cw_type type, double squares)
{
  return cwi_type_is_whole(type) || cwi_type_is_single(type) ||
         !(squares < DBL_MIN / DBL_EPSILON || squares > DBL_MAX);
}

/* Computes the norm again with elements scaled into the middle of the range. All members have the
 * same sum, so all take this path. */
static cw_error norm_scaled(const char *call, struct summing *job, double *norm)
{
  enum { EXPONENT = 600 };
  struct cwi_operation *operation = &job->operation;
  const int exponent = job->real[0] > 1 ? -EXPONENT : EXPONENT;
  operation->kernel = cwi_kernels[operation->target.array->type]->rows[CWI_NORM_SCALED];
  operation->working.alpha.d[0] = ldexp(1, exponent);
  operation->working.sum.real[0] = job->real[0] = 0;
  job->synchronized = true;
  CWI_TRY(sum_together(call, CW_OK, job, NULL));
  *norm = ldexp(sqrt(job->real[0]), -exponent);
  return CW_OK;
}

cw_error cw_array_norm(cw_array array, const int64_t *lo, const int64_t *hi, cw_norm kind,
                       double *norm)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_norm";
  struct summing job;
  begin_sum(&job);
  const cw_error checked = prepare_norm(array, lo, hi, kind, norm, &job);
  static const char *const names[] = {"CW_NORM_SUM", "CW_NORM_EUCLIDEAN", "CW_NORM_MAXIMUM"};
  const struct cwi_argument agreed[] = {cwi_argument_choice("kind", names, kind),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(sum_together(call, checked, &job, agreed));
  if (kind == CW_NORM_EUCLIDEAN && CWI_UNLIKELY(!sum_keeps_digits(array->type, job.real[0])))
    return norm_scaled(call, &job, norm);
  *norm = kind == CW_NORM_EUCLIDEAN ? sqrt(job.real[0]) : job.real[0];
  return CW_OK;
}

/* An operation that selects an element, and the selection over all members so far. */
struct choosing {
  struct cwi_operation operation;
  struct cwi_working all;
};

static cw_error choose_mine(void *given, struct cwi_contribution *mine)
{
  struct choosing *job = given;
  const struct cwi_working *working = &job->operation.working;
  CWI_TRY(cwi_operate(&job->operation));
  memcpy(mine->words, &working->best, sizeof working->best);
  mine->words[2] = working->found ? 1 + (uint64_t)working->best_index : 0;
  return CW_OK;
}

/* Merges the selection of a member by running the kernel on the selected element. */
static void choose_share(void *given, const struct cwi_contribution *share)
{
  struct choosing *job = given;
  union cwi_scalar element;
  memcpy(&element, share->words, sizeof element);
  const struct cwi_rows rows = {
      .count = 1, .rows = 1, .at = {(char *)&element}, .index = (int64_t)share->words[2] - 1};
  if (share->words[2] != 0)
    job->operation.kernel(&rows, &job->all);
}

static cw_error prepare_select(cw_array array, const int64_t *lo, const int64_t *hi,
                               const void *value, const int64_t *index,
                               struct cwi_operation *operation)
{
  CWI_TRY(cwi_box_make("array", array, lo, hi, &operation->target));
  CWI_TRY(cwi_check_numbers(&operation->target));
  if (value == NULL || index == NULL)
    return cwi_misuse("%s is NULL", value == NULL ? "value" : "index");
  if (cwi_box_elements(&operation->target) == 0)
    return cwi_misuse("the patch, lo to hi, is empty: there is nothing to choose from");
  operation->kernel = cwi_kernels[array->type]->rows[CWI_SELECT];
  operation->indexed = true;
  return CW_OK;
}

cw_error cw_array_select(cw_array array, const int64_t *lo, const int64_t *hi, bool greatest,
                         void *value, int64_t *index)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_select";
  struct choosing job;
  cwi_operation_begin(&job.operation);
  job.all = (struct cwi_working){.greatest = greatest};
  const cw_error checked = prepare_select(array, lo, hi, value, index, &job.operation);
  job.operation.working.greatest = greatest;
  const struct cwi_argument agreed[] = {cwi_argument_truth("greatest", greatest),
                                        CWI_ARGUMENTS_END};
  const struct cwi_collective_call collective = {.call = call,
                                                 .team = cwi_operation_team(&job.operation),
                                                 .checked = checked,
                                                 .operation = &job.operation,
                                                 .agreed = agreed,
                                                 .work = choose_mine,
                                                 .merge = choose_share};
  CWI_TRY(cwi_collective_run(&collective, &job));
  memcpy(value, &job.all.best, array->element);
  for (int d = array->dimensions - 1; d >= 0; d--) {
    index[d] = job.all.best_index % array->axes[d].extent;
    job.all.best_index /= array->axes[d].extent;
  }
  return CW_OK;
}

/* The value that cw_array_step uses for an unlimited step. */
#define ENDLESS_WHOLE(name, c, bits, ...) [name] = {.i64 = INT64_MAX >> (64 - bits)},
#define ENDLESS_REAL(name, c, bits, ...) [name] = {.d = {bits == 32 ? 1e37 : 1e307}},
static const union cwi_scalar endless[CW_TYPES] = {CWI_SIGNED_TYPES(ENDLESS_WHOLE)
                                                       CWI_REAL_TYPES(ENDLESS_REAL)};

/* An operation that computes steps, and the least and the greatest over all members. */
struct stepping {
  struct cwi_operation operation;
  int64_t whole[2];
  double real[2];
  uint64_t outside;
  bool rests;
};

static cw_error step_mine(void *given, struct cwi_contribution *mine)
{
  struct stepping *job = given;
  const struct cwi_working *working = &job->operation.working;
  CWI_TRY(cwi_operate(&job->operation));
  memcpy(mine->words, &working->sum, sizeof working->sum);
  mine->words[2] = 2 * working->outside + working->rests;
  return CW_OK;
}

static void step_share(void *given, const struct cwi_contribution *share)
{
  struct stepping *job = given;
  int64_t whole[2];
  double real[2];
  memcpy(whole, share->words, sizeof whole);
  memcpy(real, share->words, sizeof real);
  job->whole[0] = whole[0] < job->whole[0] ? whole[0] : job->whole[0];
  job->whole[1] = whole[1] > job->whole[1] ? whole[1] : job->whole[1];
  job->real[0] = real[0] < job->real[0] ? real[0] : job->real[0];
  job->real[1] = real[1] > job->real[1] ? real[1] : job->real[1];
  job->outside += share->words[2] / 2;
  job->rests = job->rests || share->words[2] % 2 != 0;
}

static cw_error prepare_step(const cw_operand *x, const cw_operand *const of[3], const void *least,
                             struct cwi_operation *operation)
{
  static const char *const names[] = {"v", "low", "high"};
  const struct cwi_box *target = &operation->target;
  CWI_TRY(cwi_box_of("x", x, &operation->target));
  const cw_type type = target->array->type;
  operation->working.bounded = of[1] != NULL || of[2] != NULL;
  const int sources = operation->working.bounded ? 3 : 1;
  for (int s = 0; s < sources; s++)
    CWI_TRY(cwi_box_of(names[s], of[s], &operation->source[s].box));
  if (cwi_type_is_complex(type) || type == CW_OPAQUE)
    return cwi_misuse("x is array '%s', whose elements are not ordered", target->array->name);
  for (int s = 0; s < sources; s++)
    CWI_TRY(cwi_source_make(target, false, &operation->source[s]));
  if (least == NULL)
    return cwi_misuse("least is NULL; it receives one element");
  operation->sources = sources;
  operation->kernel = cwi_kernels[type]->rows[CWI_STEP];
  operation->working.alpha = endless[type];
  return CW_OK;
}

/* Computes the least and the greatest step of all elements except those that lie on a bound and
 * whose v is 0. Returns CW_MISUSE if an element is outside its bounds. */
static cw_error find_steps(const cw_operand *x, const cw_operand *const of[3], const void *least,
                           struct stepping *job)
{
  struct cwi_operation *operation = &job->operation;
  struct cwi_working *working = &operation->working;
  cwi_operation_begin(operation);
  const cw_error checked = prepare_step(x, of, least, operation);
  const bool whole = checked == CW_OK && cwi_type_is_whole(operation->target.array->type);
  for (int i = 0; i < 2; i++) {
    job->whole[i] = (i == 0 ? 1 : -1) * working->alpha.i64;
    job->real[i] = (i == 0 ? 1 : -1) * working->alpha.d[0];
  }
  memcpy(&working->sum, whole ? (const void *)job->whole : job->real, sizeof working->sum);
  const struct cwi_collective_call collective = {.call = "cw_array_step",
                                                 .team = cwi_operation_team(operation),
                                                 .checked = checked,
                                                 .operation = operation,
                                                 .work = step_mine,
                                                 .merge = step_share};
  CWI_TRY(cwi_collective_run(&collective, job));
  if (job->outside > 0)
    return cwi_misuse("%s: %llu elements of the patch of x, array '%s', are %s", collective.call,
                      (unsigned long long)job->outside, operation->target.array->name,
                      working->bounded ? "outside their bounds" : "below 0");
  return CW_OK;
}

/* Stores the least step (which = 0) or the greatest (1). */
static void step_store(const struct stepping *job, int which, void *step)
{
  const struct cwi_value value = {job->whole[which], {job->real[which], 0}};
  cwi_value_store(job->operation.target.array->type, &value, step);
}

cw_error cw_array_step(const cw_operand *x, const cw_operand *v, const cw_operand *low,
                       const cw_operand *high, void *least, void *most)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct stepping job = {.outside = 0};
  CWI_TRY(find_steps(x, (const cw_operand *const[]){v, low, high}, least, &job));
  if (job.rests) {
    job.whole[1] = job.operation.working.alpha.i64;
    job.real[1] = job.operation.working.alpha.d[0];
  }
  step_store(&job, 0, least);
  if (most != NULL)
    step_store(&job, 1, most);
  return CW_OK;
}

cw_error cwi_step_bounds(const cw_operand *x, const cw_operand *v, const cw_operand *low,
                         const cw_operand *high, void *least, void *moving, void *most)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct stepping job = {.outside = 0};
  CWI_TRY(find_steps(x, (const cw_operand *const[]){v, low, high}, least, &job));
  step_store(&job, 0, moving);
  if (job.rests) {
    job.whole[0] = 0;
    job.real[0] = 0;
    job.whole[1] = job.whole[1] > 0 ? job.whole[1] : 0;
    job.real[1] = job.real[1] > 0 ? job.real[1] : 0;
  }
  step_store(&job, 0, least);
  step_store(&job, 1, most);
  return CW_OK;
}

/* Quotients of two patches as steps of a line search: ga_elem_step_divide_patch and
 * ga_elem_stepb_divide_patch. The result for an element without a limit is a very large number.
 * Optimisers, for example those of TAO, use the least of the results as the step. GA's C interface
 * has no such calls. */
#include "ga/fortran/convert.h"

#include "arithmetic/collective_call.h"
#include "ga/array/patch.h"

#include <limits.h>

/* Defines a kernel that computes c = a / b. If b is 0, or if a is 0 and `b limits 0` is false, c is
 * `endless`. If a is 0 otherwise, c is 0 without a sign. A divisor of -1 is handled separately: the
 * negative of the least integer is not an int, so it wraps around in the type `bits`. */
#define STEPS(name, number, bits, endless, limits)                                                 \
  static void name(const struct cwi_rows *rows, struct cwi_working *working)                       \
  {                                                                                                \
    (void)working;                                                                                 \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      for (size_t i = 0; i < rows->count; i++) {                                                   \
        number *const c = (number *)(void *)steps_place(rows, 0, r, i);                            \
        const number a = *(const number *)(void *)steps_place(rows, 1, r, i);                      \
        const number b = *(const number *)(void *)steps_place(rows, 2, r, i);                      \
        if (b == 0 || (a == 0 && !(b limits 0)))                                                   \
          *c = endless;                                                                            \
        else                                                                                       \
          *c = a == 0 ? 0 : b == -1 ? (number)(-(bits)a) : a / b;                                  \
      }                                                                                            \
  }

static char *steps_place(const struct cwi_rows *rows, int channel, size_t row, size_t element)
{
  return rows->at[channel] + (ptrdiff_t)row * rows->leap[channel] +
         (ptrdiff_t)element * rows->step[channel];
}

STEPS(steps_falling_int, int, unsigned, INT_MAX, <)
STEPS(steps_falling_long, long, unsigned long, LONG_MAX, <)
STEPS(steps_falling_float, float, float, 1e37F, <)
STEPS(steps_falling_double, double, double, 1e307, <)
STEPS(steps_rising_int, int, unsigned, INT_MAX, >)
STEPS(steps_rising_long, long, unsigned long, LONG_MAX, >)
STEPS(steps_rising_float, float, float, 1e37F, >)
STEPS(steps_rising_double, double, double, 1e307, >)

static cw_error find_kernel(cw_array array, bool rising, cwi_rows_kernel *kernel)
{
  static const cwi_rows_kernel kernels[2][CWI_GAF_COMPARED] = {
      {steps_falling_int, steps_falling_long, steps_falling_float, steps_falling_double},
      {steps_rising_int, steps_rising_long, steps_rising_float, steps_rising_double}};
  const int which = cwi_gaf_compared(array->type == CW_LONG_LONG ? CW_LONG : array->type);
  if (which < 0)
    return cwi_misuse("g_c is array '%s', whose elements have no order: this call takes MT_INT, "
                      "MT_REAL and MT_DBL",
                      array->name);
  *kernel = kernels[rising][which];
  return CW_OK;
}

static cw_error steps_prepare(const struct cwi_gaf_steps *given, struct cwi_operation *operation)
{
  static const char *const names[] = {"a", "b", "c"}, *const handles[] = {"g_a", "g_b", "g_c"};
  struct cwi_box *const boxes[] = {&operation->source[0].box, &operation->source[1].box,
                                   &operation->target};
  cwi_operation_begin(operation);
  for (int i = 2; i >= 0; i--) {
    const struct cwi_ga_operand patch = {.what = handles[i],
                                         .g_a = given->handles[i],
                                         .lo = given->patches[i]->lo,
                                         .hi = given->patches[i]->hi};
    cw_operand of;
    CWI_TRY(cwi_ga_operand(&patch, &of));
    CWI_TRY(cwi_box_of(names[i], &of, boxes[i]));
  }
  CWI_TRY(find_kernel(operation->target.array, given->rising, &operation->kernel));
  for (int s = 0; s < 2; s++)
    CWI_TRY(cwi_source_make(&operation->target, true, &operation->source[s]));
  operation->sources = 2;
  return CW_OK;
}

void cwi_gaf_step_divide(const struct cwi_gaf_steps *given)
{
  struct cwi_operation operation;
  const cw_error error = steps_prepare(given, &operation);
  (void)CWI_GA_WAITS(cwi_operate_collective(cwi_ga_fortran.call, error, &operation, NULL, NULL));
}

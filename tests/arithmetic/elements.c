/* Random operations on random arrays, compared with naive loops over their models.
 * arithmetic_elements [device] ROUNDS; device: parts of the arrays lie on devices */
#include "arithmetic/random_array.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The logical shape of the patches of an operation. */
struct shape {
  int n;
  int64_t extents[CW_MAX_DIMENSIONS];
  size_t count;
};

static struct shape draw_shape(void)
{
  static const int64_t limits[] = {0, 300, 40, 12, 7};
  struct shape shape = {.n = (int)kit_draw(1, 4), .count = 1};
  for (int d = 0; d < shape.n; d++) {
    shape.extents[d] = kit_draw(kit_common(40) == 0 ? 0 : 1, limits[shape.n]);
    shape.count *= (size_t)shape.extents[d];
  }
  return shape;
}

/* Draws how the shape of a patch differs from that of the operation: not at all; or it has any
 * shape with as many elements if `reshape` is set, and else the transposed one. */
static enum shape_kind draw_kind(bool reshape)
{
  return kit_common(2) == 0 ? AS_IT_IS : reshape ? RESHAPED : ACROSS;
}

static void make(struct part *part, struct random_array *of, cw_type type,
                 const struct shape *shape, enum shape_kind kind, bool zeros)
{
  part_make(part, of, type, shape->n, shape->extents, shape->count > 0 ? kind : AS_IT_IS, zeros);
}

static number draw_scalar(cw_type type, void *element)
{
  const number value = draw_number(type, true);
  number_store(type, value, element);
  return value;
}

/* --- One operand ------------------------------------------------------------------------------ */

static void test_fill(void)
{
  const struct shape shape = draw_shape();
  struct random_array array;
  struct part part;
  char element[16];
  make(&part, &array, draw_type(), &shape, AS_IT_IS, true);
  const bool zero = kit_common(3) == 0;
  const number value = draw_scalar(array.type, element);
  const cw_operand operand = part_operand(&part);
  KIT_OK(cw_array_fill(array.array, operand.lo, operand.hi, zero ? NULL : element));
  for (size_t i = 0; i < shape.count; i++)
    *part_at(&part, i) = zero ? 0 : value;
  array_check(&array, "fill");
  array_end(&array);
}

/* Replaces values by divisors of 1, so that quotients are exact, for types with fractions. */
static void make_invertible(const struct part *part, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    static const double some[] = {1, -1, 2, -4, 0.5};
    number *value = part_at(part, i);
    *value = some[kit_common(type_is_whole(part->of->type) ? 4 : 5)];
    if (type_is_complex(part->of->type) && kit_common(2) == 0)
      *value *= I;
  }
}

/* Stores the model's values into the array. */
static void store_all(const struct random_array *array)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  char *elements = kit_alloc(array->count, array->element);
  for (int d = 0; d < array->n; d++)
    hi[d] = array->extents[d] - 1;
  for (size_t i = 0; i < array->count; i++)
    number_store(array->type, array->values[i], elements + i * array->element);
  KIT_OK(cw_array_sync(array->array));
  if (kit_me() == kit_common(kit_processes()))
    KIT_OK(cw_array_put(array->array, lo, hi, elements, NULL));
  free(elements);
}

static number divided(cw_type type, number x, number y)
{
  if (type_is_whole(type))
    return trunc(creal(x) / creal(y));
  const double square = creal(y) * creal(y) + cimag(y) * cimag(y);
  return x * conj(y) / square;
}

static number applied(cw_type type, cw_unary function, number x, number value)
{
  switch (function) {
  case CW_SCALE:
    return x * value;
  case CW_ADD_CONSTANT:
    return x + value;
  case CW_ABSOLUTE:
    return type == CW_FLOAT_COMPLEX ? hypotf((float)creal(x), (float)cimag(x))
                                    : hypot(creal(x), cimag(x));
  case CW_RECIPROCAL:
    return divided(type, 1, x);
  default:
    return conj(x);
  }
}

static void test_apply(void)
{
  const struct shape shape = draw_shape();
  struct random_array array;
  struct part part;
  char element[16];
  make(&part, &array, draw_type(), &shape, AS_IT_IS, true);
  const cw_unary function = (cw_unary)kit_common(CW_CONJUGATE + 1);
  const number value = draw_scalar(array.type, element);
  const cw_operand operand = part_operand(&part);
  if (function == CW_RECIPROCAL) {
    make_invertible(&part, shape.count);
    store_all(&array);
  }
  const cw_error error = cw_array_apply(array.array, operand.lo, operand.hi, function, element);
  const bool done = function == CW_SCALE ? KIT_OK(error) : KIT_ON_HOST(array.array, error);
  for (size_t i = 0; i < shape.count && done; i++) {
    number *x = part_at(&part, i);
    *x = applied(array.type, function, *x, value);
  }
  kit_about("function %d", (int)function);
  array_check(&array, "apply");
  array_end(&array);
}

static void test_norms(void)
{
  const struct shape shape = draw_shape();
  struct random_array array;
  struct part part;
  double sum = 0, squares = 0, largest = 0, norms[3] = {-1, -1, -1}, again = -1;
  make(&part, &array, draw_type(), &shape, AS_IT_IS, true);
  const cw_operand operand = part_operand(&part);
  for (size_t i = 0; i < shape.count; i++) {
    const number x = *part_at(&part, i);
    const double modulus = hypot(creal(x), cimag(x));
    sum += modulus;
    squares += creal(x) * creal(x) + cimag(x) * cimag(x);
    largest = fmax(largest, modulus);
  }
  for (int kind = 0; kind < 3; kind++)
    if (!KIT_ON_HOST(array.array, cw_array_norm(array.array, operand.lo, operand.hi, (cw_norm)kind,
                                                &norms[kind]))) {
      array_end(&array);
      return;
    }
  kit_check(fabs(norms[0] - sum) <= 1e-12 * sum, "the sum is %.17g; it should be %.17g", norms[0],
            sum);
  kit_check(norms[1] == sqrt(squares), "the norm is %.17g; it should be %.17g", norms[1],
            sqrt(squares));
  kit_check(norms[2] == largest, "the largest is %.17g; it should be %.17g", norms[2], largest);
  KIT_OK(cw_array_norm(array.array, operand.lo, operand.hi, CW_NORM_SUM, &again));
  kit_check_bytes(&again, norms, sizeof again, "the second sum");
  array_end(&array);
}

static void test_select(void)
{
  const struct shape shape = draw_shape();
  struct random_array array;
  struct part part;
  char element[16];
  int64_t index[CW_MAX_DIMENSIONS] = {-1};
  const bool greatest = kit_common(2) == 0;
  make(&part, &array, draw_type(), &shape, AS_IT_IS, true);
  const cw_operand operand = part_operand(&part);
  number *best = NULL;
  for (size_t i = 0; i < shape.count; i++) {
    number *x = part_at(&part, i);
    const double key = type_is_complex(array.type) ? hypot(creal(*x), cimag(*x)) : creal(*x);
    const double before = best == NULL                  ? 0
                          : type_is_complex(array.type) ? hypot(creal(*best), cimag(*best))
                                                        : creal(*best);
    if (best == NULL || (greatest ? key > before : key < before))
      best = x;
  }
  if (best == NULL) {
    KIT_MISUSE("cw_array_select|empty",
               cw_array_select(array.array, operand.lo, operand.hi, greatest, element, index));
  } else if (KIT_ON_HOST(array.array, cw_array_select(array.array, operand.lo, operand.hi, greatest,
                                                      element, index))) {
    size_t at = 0;
    for (int d = 0; d < array.n; d++)
      at = at * (size_t)array.extents[d] + (size_t)index[d];
    kit_check_long((long)at, best - array.values, "place of the chosen element");
    kit_check(number_load(array.type, element) == *best, "the value is not that of the element");
  }
  array_end(&array);
}

/* --- Several operands ------------------------------------------------------------------------- */

static void test_copy(void)
{
  const struct shape shape = draw_shape();
  struct random_array from, to;
  struct part source, target;
  const cw_type type = draw_type();
  const bool reshape = kit_common(2) == 0;
  make(&source, &from, type, &shape, draw_kind(reshape), true);
  make(&target, &to, type, &shape, draw_kind(reshape), true);
  const cw_operand operands[2] = {part_operand(&source), part_operand(&target)};
  KIT_OK(cw_array_copy(&operands[0], &operands[1]));
  for (size_t i = 0; i < shape.count; i++)
    *part_at(&target, i) = *part_at(&source, i);
  array_check(&to, "copy");
  array_check(&from, "the source of a copy");
  array_end(&from);
  array_end(&to);
}

/* Copies between two halves of one array, and between overlapping patches of it. */
static void test_copy_within(void)
{
  struct random_array array;
  const int64_t extents[2] = {2 * kit_draw(1, 20), kit_draw(1, 20)};
  array_make(&array, draw_type(), 2, extents, true);
  const int64_t half = extents[0] / 2, columns = extents[1];
  const int64_t lo[2] = {0, 0}, hi[2] = {half - 1, columns - 1};
  const int64_t to_lo[2] = {half, 0}, to_hi[2] = {2 * half - 1, columns - 1};
  const int64_t near_lo[2] = {half - 1, 0}, near_hi[2] = {2 * half - 2, columns - 1};
  const cw_operand from = {array.array, lo, hi, false}, to = {array.array, to_lo, to_hi, false};
  const cw_operand near = {array.array, near_lo, near_hi, false};
  KIT_OK(cw_array_copy(&from, &to));
  memcpy(array.values + array.count / 2, array.values, array.count / 2 * sizeof *array.values);
  if (half > 1)
    KIT_MISUSE("cw_array_copy|from|to|overlap", cw_array_copy(&from, &near));
  KIT_OK(cw_array_copy(&from, &from));
  array_check(&array, "copy within an array");
  array_end(&array);
}

static number combined(cw_type type, cw_binary function, number x, number y)
{
  const double a = type_is_complex(type) ? hypot(creal(x), cimag(x)) : creal(x);
  const double b = type_is_complex(type) ? hypot(creal(y), cimag(y)) : creal(y);
  switch (function) {
  case CW_ELEMENT_PRODUCT:
    return x * y;
  case CW_ELEMENT_QUOTIENT:
    return divided(type, x, y);
  case CW_ELEMENT_MAXIMUM:
    return type_is_complex(type) ? (b < a ? x : y) : (a < b ? y : x);
  default:
    return type_is_complex(type) ? (a < b ? x : y) : (b < a ? y : x);
  }
}

static void test_combine(void)
{
  const struct shape shape = draw_shape();
  struct random_array of[3];
  struct part a, b, c;
  const cw_type type = draw_type();
  const bool reshape = kit_common(2) == 0;
  const cw_binary function = (cw_binary)kit_common(CW_ELEMENT_MINIMUM + 1);
  char alpha[16], beta[16];
  const number p = draw_scalar(type, alpha), q = draw_scalar(type, beta);
  const bool plain = kit_common(3) == 0;
  make(&a, &of[0], type, &shape, draw_kind(reshape), true);
  make(&b, &of[1], type, &shape, draw_kind(reshape), true);
  make(&c, &of[2], type, &shape, draw_kind(reshape), true);
  if (function == CW_ELEMENT_QUOTIENT) {
    make_invertible(&b, shape.count);
    store_all(&of[1]);
  }
  const struct part *const target = function == CW_ELEMENT_QUOTIENT || kit_common(2) == 0 ? &c
                                    : kit_common(2) == 0                                  ? &a
                                                                                          : &b;
  const struct part *const second = target == &a && kit_common(2) == 0 ? &a : &b;
  const cw_operand operands[3] = {part_operand(&a), part_operand(second), part_operand(target)};
  const cw_error error = cw_array_combine(function, plain ? NULL : alpha, &operands[0],
                                          plain ? NULL : beta, &operands[1], &operands[2]);
  const bool done =
      function == CW_ELEMENT_SUM ? KIT_OK(error) : KIT_ON_HOST(operands[2].array, error);
  for (size_t i = 0; i < shape.count && done; i++) {
    const number x = *part_at(&a, i), y = *part_at(second, i);
    *part_at(target, i) = function != CW_ELEMENT_SUM ? combined(type, function, x, y)
                          : plain                    ? x + y
                                                     : p * x + q * y;
  }
  kit_about("function %d, target %c", (int)function, target == &a ? 'a' : target == &b ? 'b' : 'c');
  for (int i = 0; i < 3; i++) {
    array_check(&of[i], "combine");
    array_end(&of[i]);
  }
}

static void test_dot(void)
{
  const struct shape shape = draw_shape();
  struct random_array of[2];
  struct part a, b;
  const cw_type type = draw_type();
  const bool reshape = kit_common(2) == 0;
  char result[16], again[16];
  number want = 0;
  make(&a, &of[0], type, &shape, draw_kind(reshape), true);
  make(&b, &of[1], type, &shape, draw_kind(reshape), true);
  const cw_operand operands[2] = {part_operand(&a), part_operand(&b)};
  for (size_t i = 0; i < shape.count; i++)
    want += *part_at(&a, i) * *part_at(&b, i);
  KIT_OK(cw_array_dot(&operands[0], &operands[1], result));
  const number got = number_load(type, result);
  kit_check(got == want, "the product is (%g, %g); it should be (%g, %g)", creal(got), cimag(got),
            creal(want), cimag(want));
  KIT_OK(cw_array_dot(&operands[0], &operands[1], again));
  kit_check_bytes(again, result, of[0].element, "the second product");
  for (int i = 0; i < 2; i++)
    array_end(&of[i]);
}

/* Uses patches that are so large that operands are processed in parts, or that lie in the same
 * places. */
static void test_large(void)
{
  const int64_t extents[2] = {kit_draw(200, 300), kit_draw(300, 400)};
  const cw_type type = draw_type();
  struct random_array of[3];
  struct part parts[3];
  cw_operand operands[3];
  char alpha[16], beta[16], product[16], wanted[16];
  number want = 0;
  const number p = draw_scalar(type, alpha), q = draw_scalar(type, beta);
  const struct part part = {.lo = {kit_draw(0, 2), kit_draw(0, 2)},
                            .hi = {extents[0] - kit_draw(1, 3), extents[1] - kit_draw(1, 3)}};
  for (int i = 0; i < 3; i++) {
    if (i > 0 && kit_common(4) > 0)
      array_make_alike(&of[i], &of[0], true);
    else
      array_make(&of[i], type, 2, extents, true);
    parts[i] = part;
    parts[i].of = &of[i];
    operands[i] = part_operand(&parts[i]);
  }
  KIT_OK(cw_array_combine(CW_ELEMENT_SUM, alpha, &operands[0], beta, &operands[1], &operands[2]));
  KIT_OK(cw_array_dot(&operands[0], &operands[2], product));
  const size_t count = (size_t)((part.hi[0] - part.lo[0] + 1) * (part.hi[1] - part.lo[1] + 1));
  for (size_t i = 0; i < count; i++) {
    *part_at(&parts[2], i) = p * *part_at(&parts[0], i) + q * *part_at(&parts[1], i);
    want += *part_at(&parts[0], i) * *part_at(&parts[2], i);
  }
  number_store(type, want, wanted);
  kit_check_bytes(product, wanted, of[0].element, "the product of many elements");
  for (int i = 0; i < 3; i++) {
    array_check(&of[i], "many elements");
    array_end(&of[i]);
  }
}

static double key_of(cw_type type, number x)
{
  return type_is_complex(type) ? hypot(creal(x), cimag(x)) : creal(x);
}

static void test_median(void)
{
  const struct shape shape = draw_shape();
  struct random_array of[4];
  struct part parts[4];
  cw_operand operands[4];
  const cw_type type = draw_type();
  const bool reshape = kit_common(2) == 0;
  for (int i = 0; i < 4; i++) {
    make(&parts[i], &of[i], type, &shape, draw_kind(reshape), true);
    operands[i] = part_operand(&parts[i]);
  }
  const bool done = KIT_ON_HOST(
      of[3].array, cw_array_median(&operands[0], &operands[1], &operands[2], &operands[3]));
  char *elements = kit_alloc(of[3].count, of[3].element);
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  for (int d = 0; d < of[3].n; d++)
    hi[d] = of[3].extents[d] - 1;
  KIT_OK(cw_array_get(of[3].array, lo, hi, elements, NULL));
  for (size_t i = 0; i < shape.count && done; i++) {
    /* any of several complex numbers with equal moduli may be the median; the key decides */
    double keys[3];
    for (int k = 0; k < 3; k++)
      keys[k] = key_of(type, *part_at(&parts[k], i));
    const double middle = fmax(fmin(keys[0], keys[1]), fmin(fmax(keys[0], keys[1]), keys[2]));
    const size_t at = (size_t)(part_at(&parts[3], i) - of[3].values);
    const number got = number_load(type, elements + at * of[3].element);
    kit_check(key_of(type, got) == middle, "the middle one is %g; it should be %g",
              key_of(type, got), middle);
  }
  free(elements);
  KIT_OK(cw_array_sync(of[3].array));
  for (int i = 0; i < 4; i++)
    array_end(&of[i]);
}

/* Makes each element lie within its bounds, which are close; element `outside` may be out of them.
 * */
static void make_steps(struct part parts[4], int operands, size_t count, size_t outside)
{
  for (size_t i = 0; i < count; i++) {
    number *const x = part_at(&parts[0], i);
    *x = fabs(creal(*x));
    if (i == outside)
      *x = -1;
    if (operands == 4) {
      *part_at(&parts[2], i) = i == outside ? 0 : *x - kit_common(9);
      *part_at(&parts[3], i) = *x + kit_common(9);
    }
  }
  for (int k = 0; k < operands; k++)
    store_all(parts[k].of);
}

/* Finds the least and the greatest step. */
static void find_steps(struct part parts[4], int operands, size_t count, double endless,
                       double want[2])
{
  const cw_type type = parts[0].of->type;
  want[0] = endless;
  want[1] = -endless;
  for (size_t i = 0; i < count; i++) {
    const double x = creal(*part_at(&parts[0], i)), v = creal(*part_at(&parts[1], i));
    if (operands == 2 && v >= 0)
      continue;
    const double bound = operands == 2 ? 0 : creal(*part_at(&parts[v < 0 ? 2 : 3], i));
    const double step = v == 0 ? endless : (bound - x) / v;
    want[0] = fmin(want[0], type_is_whole(type) ? trunc(step) : step);
    want[1] = fmax(want[1], type_is_whole(type) ? trunc(step) : step);
  }
}

static void test_steps(void)
{
  static const cw_type types[] = {CW_INT, CW_LONG, CW_LONG_LONG, CW_FLOAT, CW_DOUBLE};
  static const double endless[] = {INT_MAX, (double)LONG_MAX, (double)LLONG_MAX, 1e37, 1e307};
  const struct shape shape = draw_shape();
  struct random_array of[4];
  struct part parts[4];
  cw_operand operand[4];
  const int kind = kit_common(5), operands = kit_common(2) == 0 ? 4 : 2;
  const cw_operand *const low = operands == 4 ? &operand[2] : NULL, *const high = operands == 4
                                                                                      ? &operand[3]
                                                                                      : NULL;
  const bool reshape = kit_common(2) == 0, wants_most = operands == 4 && kit_common(4) > 0;
  const size_t outside = kit_common(4) == 0 ? (size_t)kit_common(200) : SIZE_MAX;
  char least[16], most[16];
  double want[2];
  for (int k = 0; k < operands; k++) {
    make(&parts[k], &of[k], types[kind], &shape, draw_kind(reshape), true);
    operand[k] = part_operand(&parts[k]);
  }
  make_steps(parts, operands, shape.count, outside);
  find_steps(parts, operands, shape.count, endless[kind], want);
  if (kit_on_devices(of[0].array)) {
    KIT_ON_HOST(of[0].array, cw_array_step(&operand[0], &operand[1], low, high, least, NULL));
  } else if (outside < shape.count) {
    KIT_MISUSE("cw_array_step|1 elements|x, array 'random'",
               cw_array_step(&operand[0], &operand[1], low, high, least, most));
  } else {
    KIT_OK(cw_array_step(&operand[0], &operand[1], low, high, least, wants_most ? most : NULL));
    for (int k = 0; k < (wants_most ? 2 : 1); k++) {
      const double got = creal(number_load(types[kind], k == 0 ? least : most));
      const double right = types[kind] == CW_FLOAT ? (float)want[k] : want[k];
      kit_check(got == right, "step %d is %.17g; it should be %.17g", k, got, right);
    }
  }
  for (int k = 0; k < operands; k++)
    array_end(&of[k]);
}

static void test_slices(void)
{
  const struct shape shape = draw_shape();
  struct random_array array, vector;
  const cw_type type = draw_type();
  const int dimension = kit_common(shape.n);
  const int64_t extents[4] = {shape.extents[0] + 1, shape.extents[1] + 1, shape.extents[2] + 1,
                              shape.extents[3] + 1};
  array_make(&array, type, shape.n, extents, true);
  array_make(&vector, type, 1, &extents[dimension], true);
  const bool done =
      KIT_ON_HOST(array.array, cw_array_scale_slices(array.array, dimension, vector.array));
  size_t after = 1;
  for (int d = dimension + 1; d < shape.n; d++)
    after *= (size_t)extents[d];
  for (size_t i = 0; i < array.count && done; i++)
    array.values[i] *= vector.values[i / after % (size_t)extents[dimension]];
  array_check(&array, "scale slices");
  array_end(&array);
  array_end(&vector);
}

static void test_symmetrize(void)
{
  static const cw_type types[] = {CW_FLOAT, CW_DOUBLE, CW_FLOAT_COMPLEX, CW_DOUBLE_COMPLEX};
  struct random_array array;
  const int64_t side = kit_draw(1, kit_draw(0, 1) == 0 ? 40 : 200), extents[2] = {side, side};
  array_make(&array, types[kit_common(4)], 2, extents, true);
  KIT_OK(cw_array_symmetrize(array.array));
  for (int64_t i = 0; i < side; i++)
    for (int64_t j = 0; j <= i; j++)
      array.values[i * side + j] = array.values[j * side + i] =
          (array.values[i * side + j] + array.values[j * side + i]) / 2;
  array_check(&array, "symmetrize");
  array_end(&array);
}

static void test_enumerate(void)
{
  const struct shape shape = draw_shape();
  struct random_array array;
  struct part part;
  char start[16], step[16];
  make(&part, &array, draw_type(), &shape, AS_IT_IS, true);
  const number first = draw_scalar(array.type, start), pace = draw_scalar(array.type, step);
  const cw_operand operand = part_operand(&part);
  const bool done = KIT_ON_HOST(
      array.array, cw_array_enumerate(array.array, operand.lo, operand.hi, start, step));
  for (size_t i = 0; i < shape.count && done; i++)
    *part_at(&part, i) = first + (double)i * pace;
  array_check(&array, "enumerate");
  array_end(&array);
}

/* Returns the random number that the library draws with a limit where it draws `x` without one. */
static number limited(cw_type type, number x, number limit)
{
  char element[16];
  if (type_is_whole(type))
    return limit == 0 ? 0 : copysign(fmod(creal(x), creal(limit)), creal(limit));
  number_store(type, CMPLX(creal(x) * creal(limit), cimag(x) * cimag(limit)), element);
  return number_load(type, element);
}

/* Checks that numbers depend neither on the distribution nor on filling a patch or the whole. */
static void test_randomize(void)
{
  const struct shape shape = draw_shape();
  struct random_array one, other;
  struct part part;
  const cw_type type = draw_type();
  const uint64_t seed = (uint64_t)kit_common(1000);
  const bool has_limit = kit_common(2) == 0;
  char element[16];
  const number limit = draw_scalar(type, element);
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  make(&part, &one, type, &shape, AS_IT_IS, true);
  array_make(&other, type, one.n, one.extents, true);
  const cw_operand operand = part_operand(&part);
  bool done = KIT_ON_HOST(other.array, cw_array_randomize(other.array, NULL, NULL, NULL, seed));
  done = KIT_ON_HOST(one.array, cw_array_randomize(one.array, operand.lo, operand.hi,
                                                   has_limit ? element : NULL, seed)) &&
         done;
  if (!done) {
    array_end(&one);
    array_end(&other);
    return;
  }
  char *elements = kit_alloc(other.count, other.element);
  for (int d = 0; d < one.n; d++)
    hi[d] = one.extents[d] - 1;
  KIT_OK(cw_array_get(other.array, lo, hi, elements, NULL));
  for (size_t i = 0; i < other.count; i++)
    other.values[i] = number_load(type, elements + i * other.element);
  size_t equal = 0;
  for (size_t i = 0; i < shape.count; i++) {
    const size_t at = (size_t)(part_at(&part, i) - one.values);
    const number x = other.values[at];
    one.values[at] = has_limit ? limited(type, x, limit) : x;
    kit_check(type_is_whole(type) ||
                  (creal(x) >= 0 && creal(x) < 1 && cimag(x) >= 0 && cimag(x) < 1),
              "a random number is (%g, %g)", creal(x), cimag(x));
    equal += i > 0 && x == other.values[part_at(&part, i - 1) - one.values];
  }
  kit_check(equal * 100 <= shape.count, "%zu of %zu random numbers are as the one before", equal,
            shape.count);
  free(elements);
  array_check(&one, "random numbers");
  array_end(&one);
  array_end(&other);
}

/* Checks that a NaN at any position does not hide an extreme, and that no norm hides the NaN. */
static void test_no_numbers(void)
{
  const int64_t extents[1] = {kit_draw(2, 200)}, extreme = kit_draw(0, extents[0] - 1);
  const int64_t none = (extreme + kit_draw(1, extents[0] - 1)) % extents[0];
  const bool greatest = kit_common(2) == 0;
  struct random_array array;
  array_make(&array, CW_DOUBLE, 1, extents, false);
  KIT_OK(cw_array_sync(array.array));
  for (int64_t i = 0; i < extents[0]; i++) {
    const double value = i == none ? NAN : i == extreme ? (greatest ? 99 : -99) : (double)(i % 3);
    if (kit_me() == 0)
      KIT_OK(cw_array_put(array.array, &i, &i, &value, NULL));
  }
  KIT_OK(cw_array_sync(array.array));
  double value = 0, norm = 0;
  int64_t index = -1;
  KIT_OK(cw_array_select(array.array, NULL, NULL, greatest, &value, &index));
  kit_check(index == extreme, "the extreme is %g at %lld, not at %lld; NaN is at %lld", value,
            (long long)index, (long long)extreme, (long long)none);
  KIT_OK(cw_array_norm(array.array, NULL, NULL, CW_NORM_MAXIMUM, &norm));
  kit_check(isnan(norm), "the greatest |x| is %g, but one is NaN", norm);
  array_end(&array);
}

/* --- Rejected calls --------------------------------------------------------------------------- */

/* If one divisor of one process is 0, all processes get the error. */
static void test_zero_divisors(void)
{
  const int64_t extents[2] = {kit_draw(1, 20), kit_draw(1, 20)};
  struct random_array array, divisor;
  const cw_type type = draw_type();
  char element[16];
  array_make(&array, type, 2, extents, true);
  array_make(&divisor, type, 2, extents, false);
  divisor.values[kit_common((int)divisor.count)] = 0;
  store_all(&divisor);
  const cw_operand a = {.array = array.array}, b = {.array = divisor.array};
  KIT_MISUSE("cw_array_combine|1 elements|b, array 'random'|divisors",
             cw_array_combine(CW_ELEMENT_QUOTIENT, NULL, &a, NULL, &b, &a));
  if (type_is_complex(type))
    KIT_MISUSE("cw_array_step|x is array 'random'|ordered",
               cw_array_step(&a, &b, NULL, NULL, element, NULL));
  KIT_MISUSE("cw_array_apply|array 'random'|divisors",
             cw_array_apply(divisor.array, NULL, NULL, CW_RECIPROCAL, NULL));
  array_end(&array);
  array_end(&divisor);
}

/* One process passes a patch outside the array, or no patch. It gets an error, and no process waits
 * for it. */
static void test_one_rejected(void)
{
  const int64_t extents[2] = {kit_draw(1, 20), kit_draw(1, 20)}, inside[2] = {0, 0},
                outside[2] = {0, 99};
  const int wrong = kit_common(kit_processes());
  const int64_t *last = kit_me() == wrong ? outside : inside;
  char words[40];
  snprintf(words, sizeof words, kit_me() == wrong ? "hi[1]" : "in process %d: hi[1]", wrong);
  struct random_array array, other;
  int64_t index[2];
  double norm;
  char value[16];
  array_make(&array, CW_DOUBLE, 2, extents, true);
  array_make(&other, CW_DOUBLE, 2, extents, true);
  const cw_operand a = {.array = array.array, .lo = inside, .hi = last};
  const cw_operand b = {.array = other.array, .lo = inside, .hi = inside};
  const cw_operand c = {.array = array.array, .lo = inside, .hi = inside};
  KIT_MISUSE(words, cw_array_copy(&a, &b));
  KIT_MISUSE(words, cw_array_copy(&b, &a));
  KIT_MISUSE(words, cw_array_combine(CW_ELEMENT_SUM, NULL, &a, NULL, &b, &c));
  KIT_MISUSE(words, cw_array_median(&a, &b, &b, &c));
  KIT_MISUSE(words, cw_array_dot(&a, &b, value));
  KIT_MISUSE(words, cw_array_fill(array.array, inside, last, NULL));
  KIT_MISUSE(words, cw_array_norm(array.array, inside, last, CW_NORM_SUM, &norm));
  KIT_MISUSE(words, cw_array_select(array.array, inside, last, true, value, index));
  KIT_OK(cw_array_copy(&c, &b));
  array_end(&array);
  array_end(&other);
}

int main(int argc, char **argv)
{
  static void (*const tests[])(void) = {
      test_fill,        test_apply,       test_norms,     test_select,     test_copy,
      test_copy,        test_copy_within, test_combine,   test_combine,    test_dot,
      test_large,       test_median,      test_steps,     test_steps,      test_slices,
      test_symmetrize,  test_enumerate,   test_randomize, test_no_numbers, test_zero_divisors,
      test_one_rejected};
  kit_start_native(&argc, &argv, "arithmetic_elements");
  kit_take_devices(&argc, argv);
  /* The last three use calls that only arrays on the host support. */
  const size_t count = sizeof tests / sizeof tests[0] - (kit_uses_devices() ? 3 : 0);
  const int rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  for (int round = 0; round < rounds; round++)
    for (size_t t = 0; t < count; t++) {
      kit_about("round %d, test %zu", round, t);
      tests[t]();
    }
  kit_close_devices();
  return kit_finish_native();
}

/* Random arrays and their models. */
#include "arithmetic/random_array.h"

#include <stdlib.h>
#include <string.h>

static const size_t type_bytes[CW_TYPES] = {sizeof(int),      sizeof(long),      sizeof(float),
                                            sizeof(double),   2 * sizeof(float), 2 * sizeof(double),
                                            sizeof(long long)};

cw_type draw_type(void)
{
  return (cw_type)kit_common(CW_TYPES);
}

bool type_is_complex(cw_type type)
{
  return type == CW_FLOAT_COMPLEX || type == CW_DOUBLE_COMPLEX;
}

bool type_is_whole(cw_type type)
{
  return type == CW_INT || type == CW_LONG || type == CW_LONG_LONG;
}

number draw_number(cw_type type, bool zero)
{
  const int64_t real = kit_draw(-9, 9), imaginary = kit_draw(-9, 9);
  if (!zero && real == 0)
    return 1;
  return type_is_complex(type) ? (double)real + I * (double)imaginary : (double)real;
}

void number_store(cw_type type, number value, void *element)
{
  const double parts[2] = {creal(value), cimag(value)};
  const float few[2] = {(float)parts[0], (float)parts[1]};
  const long whole = (long)parts[0];
  const int small = (int)parts[0];
  const void *const from[CW_TYPES] = {&small, &whole, few, parts, few, parts, &whole};
  memcpy(element, from[type], type_bytes[type]);
}

number number_load(cw_type type, const void *element)
{
  union {
    int i;
    long l;
    float f[2];
    double d[2];
  } from = {.d = {0, 0}};
  memcpy(&from, element, type_bytes[type]);
  switch (type) {
  case CW_INT:
    return from.i;
  case CW_LONG:
  case CW_LONG_LONG:
    return (double)from.l;
  case CW_FLOAT:
    return from.f[0];
  case CW_DOUBLE:
    return from.d[0];
  case CW_FLOAT_COMPLEX:
    return from.f[0] + I * from.f[1];
  default:
    return from.d[0] + I * from.d[1];
  }
}

/* --- Arrays ----------------------------------------------------------------------------------- */

/* One process puts all elements. */
static void put_values(const struct random_array *made)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  char *elements = kit_alloc(made->count, made->element);
  const int root = kit_common(kit_processes());
  for (size_t i = 0; i < made->count; i++)
    number_store(made->type, made->values[i], elements + i * made->element);
  for (int d = 0; d < made->n; d++)
    hi[d] = made->extents[d] - 1;
  if (kit_me() == root)
    KIT_OK(cw_array_put(made->array, lo, hi, elements, NULL));
  free(elements);
}

static void draw_values(struct random_array *made, bool zeros)
{
  made->values = kit_alloc(made->count, sizeof *made->values);
  for (size_t i = 0; i < made->count; i++)
    made->values[i] = draw_number(made->type, zeros);
  put_values(made);
}

void array_make(struct random_array *made, cw_type type, int n, const int64_t *extents, bool zeros)
{
  struct kit_distribution drawn;
  cw_array_options options = {.name = "random", .type = type, .dimensions = n};
  *made = (struct random_array){.type = type, .element = type_bytes[type], .n = n, .count = 1};
  for (int d = 0; d < n; d++) {
    made->extents[d] = extents[d];
    made->count *= (size_t)extents[d];
  }
  options.extents = made->extents;
  kit_draw_distribution(n, made->extents, kit_common(8) == 0, &drawn);
  options.distribution = drawn.what;
  KIT_MUST(kit_array_create(cw_team_world(), &options, &made->array));
  draw_values(made, zeros);
}

void array_make_alike(struct random_array *made, const struct random_array *from, bool zeros)
{
  *made = *from;
  KIT_MUST(cw_array_duplicate(from->array, NULL, &made->array));
  draw_values(made, zeros);
}

void array_end(struct random_array *made)
{
  KIT_OK(cw_array_destroy(&made->array));
  free(made->values);
}

void array_check(const struct random_array *made, const char *what)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  char *elements = kit_alloc(made->count, made->element);
  for (int d = 0; d < made->n; d++)
    hi[d] = made->extents[d] - 1;
  KIT_OK(cw_array_get(made->array, lo, hi, elements, NULL));
  for (size_t i = 0; i < made->count; i++) {
    const number got = number_load(made->type, elements + i * made->element);
    if (!kit_check(got == made->values[i],
                   "%s: element %zu of %zu is (%g, %g); it should be (%g, %g)", what, i,
                   made->count, creal(got), cimag(got), creal(made->values[i]),
                   cimag(made->values[i])))
      break;
  }
  free(elements);
  KIT_OK(cw_array_sync(made->array));
}

/* --- Operands --------------------------------------------------------------------------------- */

/* Draws another shape with the same number of elements. */
static int reshape(int n, const int64_t *shape, int64_t *other)
{
  int64_t count = 1;
  for (int d = 0; d < n; d++)
    count *= shape[d];
  const int64_t wanted = kit_draw(1, 12);
  other[0] = count % wanted == 0 ? wanted : 1;
  other[1] = count / other[0];
  if (kit_common(2) == 0 || other[0] == 1) {
    other[0] = count;
    return 1;
  }
  if (other[1] % 2 != 0)
    return 2;
  other[2] = 2;
  other[1] /= 2;
  return 3;
}

/* Inserts a dimension of one element. */
static int insert(int n, int64_t *shape)
{
  const int at = kit_common(n + 1);
  memmove(shape + at + 1, shape + at, (size_t)(n - at) * sizeof *shape);
  shape[at] = 1;
  return n + 1;
}

void part_make(struct part *part, struct random_array *of, cw_type type, int n,
               const int64_t *shape, enum shape_kind kind, bool zeros)
{
  int64_t mine[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS];
  *part = (struct part){.of = of, .transposed = kind == ACROSS, .whole = kit_common(3) == 0};
  for (int d = 0; d < n; d++)
    mine[d] = shape[kind == ACROSS ? n - 1 - d : d];
  if (kind == RESHAPED)
    n = reshape(n, shape, mine);
  else if (n < 4 && kit_common(4) == 0)
    n = insert(n, mine);
  for (int d = 0; d < n; d++)
    part->whole = part->whole && mine[d] > 0;
  for (int d = 0; d < n; d++) {
    part->lo[d] = part->whole ? 0 : kit_draw(0, 2);
    part->hi[d] = part->lo[d] + mine[d] - 1;
    extents[d] = part->hi[d] + 1 + (part->whole ? 0 : kit_draw(0, 2));
    if (extents[d] == 0)
      extents[d] = 1;
  }
  array_make(of, type, n, extents, zeros);
}

cw_operand part_operand(const struct part *part)
{
  return (cw_operand){.array = part->of->array,
                      .lo = part->whole ? NULL : part->lo,
                      .hi = part->whole ? NULL : part->hi,
                      .transposed = part->transposed};
}

number *part_at(const struct part *part, size_t position)
{
  const struct random_array *of = part->of;
  int64_t index[CW_MAX_DIMENSIONS];
  size_t at = 0;
  for (int i = 0; i < of->n; i++) {
    const int d = part->transposed ? i : of->n - 1 - i;
    const size_t extent = (size_t)(part->hi[d] - part->lo[d] + 1);
    index[d] = part->lo[d] + (int64_t)(position % extent);
    position /= extent;
  }
  for (int d = 0; d < of->n; d++)
    at = at * (size_t)of->extents[d] + (size_t)index[d];
  return &of->values[at];
}

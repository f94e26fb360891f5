/* cw_array_multiply compared with plain loops: types, transpositions, distributions, patches,
 * shapes. All numbers are small integers, so that results are exact. */
#include "kit/devices.h"
#include "linear/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An operand: a patch of an array, and the values of the whole array. */
struct operand {
  cw_array array;
  int dimensions;
  int64_t extents[CW_MAX_DIMENSIONS], lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  int64_t rows, columns;
  int64_t row_step, column_step, first; /* in `values` */
  int64_t elements;
  entry *values;
};

/* patched: the matrix is a part of the array; deep: of three dimensions. */
static struct operand make_operand(cw_type type, int64_t rows, int64_t columns, int distribution,
                                   bool patched, bool deep)
{
  struct operand made = {.dimensions = deep ? 3 : 2, .rows = rows, .columns = columns};
  const int thin = deep ? kit_common(3) : 2;
  int64_t step = 1, steps[3] = {1, 1, 1}, wide[2] = {0, 1};
  int found = 0;
  for (int d = 0; d < made.dimensions; d++) {
    const int64_t here = d == thin ? 1 : found == 0 ? rows : columns;
    made.lo[d] = patched || d == thin ? kit_common(4) : 0;
    made.hi[d] = made.lo[d] + here - 1;
    made.extents[d] = made.hi[d] + 1 + (patched || d == thin ? 1 + kit_common(3) : 0);
    if (d != thin)
      wide[found++] = d;
  }
  for (int d = made.dimensions - 1; d >= 0; d--) {
    steps[d] = step;
    made.first += made.lo[d] * step;
    step *= made.extents[d];
  }
  made.row_step = steps[wide[0]];
  made.column_step = steps[wide[1]];
  made.elements = step;
  made.array = make_array(type, made.dimensions, made.extents, distribution);
  made.values = make_numbers(step);
  for (int64_t i = 0; i < step; i++)
    made.values[i] = some_integer(type);
  return made;
}

static entry *at(const struct operand *operand, int64_t row, int64_t column)
{
  return &operand->values[operand->first + row * operand->row_step + column * operand->column_step];
}

static entry operated(const struct operand *operand, cw_transposition how, int64_t i, int64_t j)
{
  if (how == CW_NOT_TRANSPOSED)
    return *at(operand, i, j);
  return how == CW_TRANSPOSED ? *at(operand, j, i) : conj(*at(operand, j, i));
}

static void destroy(struct operand *operand)
{
  KIT_OK(cw_array_destroy(&operand->array));
  free(operand->values);
}

struct shape {
  int64_t m, n, k;
  cw_transposition ta, tb;
  entry alpha, beta;
  bool patched, deep, dirty;
  int distributions[3];
};

static void expect(const struct shape *shape, const struct operand *a, const struct operand *b,
                   struct operand *c)
{
  for (int64_t i = 0; i < shape->m; i++)
    for (int64_t j = 0; j < shape->n; j++) {
      entry sum = 0;
      for (int64_t k = 0; k < shape->k; k++)
        sum += operated(a, shape->ta, i, k) * operated(b, shape->tb, k, j);
      *at(c, i, j) = shape->alpha * sum + (shape->beta != 0 ? shape->beta * *at(c, i, j) : 0);
    }
}

static void compare(const struct operand *c)
{
  entry *got = make_numbers(c->elements);
  int64_t wrong = 0;
  read_array(c->array, got);
  for (int64_t i = 0; i < c->elements; i++)
    wrong += got[i] != c->values[i];
  kit_check_long((long)wrong, 0, "wrong elements of c");
  free(got);
}

static void try(cw_type type, const struct shape *shape)
{
  double alpha[2], beta[2];
  const bool ta = shape->ta != CW_NOT_TRANSPOSED, tb = shape->tb != CW_NOT_TRANSPOSED;
  struct operand a = make_operand(type, ta ? shape->k : shape->m, ta ? shape->m : shape->k,
                                  shape->distributions[0], shape->patched, shape->deep);
  struct operand b = make_operand(type, tb ? shape->n : shape->k, tb ? shape->k : shape->n,
                                  shape->distributions[1], shape->patched, shape->deep);
  struct operand c =
      make_operand(type, shape->m, shape->n, shape->distributions[2], shape->patched, shape->deep);
  kit_about("type %d, %lld x %lld x %lld, op %d %d, distributions %d %d %d, %s%s, beta %g", type,
            (long long)shape->m, (long long)shape->n, (long long)shape->k, shape->ta, shape->tb,
            shape->distributions[0], shape->distributions[1], shape->distributions[2],
            shape->patched ? "patched" : "", shape->deep ? "deep" : "", creal(shape->beta));
  for (int64_t i = 0; i < shape->m && shape->dirty; i++)
    for (int64_t j = 0; j < shape->n; j++)
      *at(&c, i, j) = NAN;
  write_array(a.array, a.values);
  write_array(b.array, b.values);
  write_array(c.array, c.values);
  const cw_operand pa = {a.array, a.lo, a.hi, true}, pb = {b.array, b.lo, b.hi, false};
  const cw_operand pc = {c.array, c.lo, c.hi, false};
  to_element(type, shape->alpha, alpha);
  to_element(type, shape->beta, beta);
  KIT_OK(cw_array_multiply(shape->ta, shape->tb, shape->alpha == 1 ? NULL : alpha, &pa, &pb,
                           shape->beta == 0 ? NULL : beta, &pc));
  expect(shape, &a, &b, &c);
  compare(&c);
  destroy(&a);
  destroy(&b);
  destroy(&c);
}

static struct shape draw(cw_type type, int most)
{
  struct shape shape = {
      .m = 1 + kit_common(most),
      .n = 1 + kit_common(most),
      .k = 1 + kit_common(most),
      .ta = (cw_transposition)kit_common(3),
      .tb = (cw_transposition)kit_common(3),
      .alpha = kit_common(2) == 1 ? 1 : some_integer(type),
      .beta = kit_common(2) == 1 ? 0 : some_integer(type),
      .patched = kit_common(2) == 1,
      .deep = most > 1 && kit_common(4) == 0,
  };
  shape.m +=
      shape.deep && shape.m == 1; /* a patch 1 wide in two of three dimensions is no matrix */
  shape.n += shape.deep && shape.n == 1;
  shape.k += shape.deep && shape.k == 1;
  shape.dirty = shape.beta == 0;
  for (int i = 0; i < 3; i++)
    shape.distributions[i] = kit_common(DISTRIBUTIONS);
  return shape;
}

static void small(int count)
{
  for (int i = 0; i < count; i++) {
    const cw_type type = types[kit_common(TYPES)];
    const struct shape shape = draw(type, i % 3 == 0 ? 90 : 20);
    try(type, &shape);
  }
}

/* Products without terms, without elements, and without scaling. */
static void empty(void)
{
  for (int i = 0; i < 6; i++) {
    struct shape shape = draw(CW_DOUBLE, 12);
    shape.deep = false;
    shape.patched = true; /* arrays cannot be empty */
    if (i == 0)
      shape.m = 0;
    else if (i == 1)
      shape.n = 0;
    else if (i < 4)
      shape.k = 0;
    else
      shape.alpha = 0;
    shape.beta = i % 2 == 0 ? 0 : 2;
    shape.dirty = shape.beta == 0;
    try(CW_DOUBLE, &shape);
  }
}

/* Blocks that are computed in place, and blocks that are distributed unevenly. */
static void large(void)
{
  static const int distributions[][3] = {{0, 0, 0}, {0, 0, 6}, {2, 0, 7}, {1, 1, 1}, {0, 3, 3}};
  for (int i = 0; i < 5; i++) {
    struct shape shape = draw(CW_FLOAT, 40);
    shape.m += 270;
    shape.n += 140;
    shape.k += 260;
    shape.deep = false;
    memcpy(shape.distributions, distributions[i], sizeof shape.distributions);
    try(i == 1 ? CW_DOUBLE : CW_FLOAT, &shape);
  }
}

/* The result must be the same to the last bit, whichever process takes which job. */
static void repeated(void)
{
  enum { N = 300 };
  entry *values = make_numbers(N * N);
  double *results[2];
  const int64_t lo[2] = {0, 0}, hi[2] = {N - 1, N - 1};
  kit_about("the same product twice");
  for (int i = 0; i < N * N; i++)
    values[i] = some_real(CW_DOUBLE);
  for (int run = 0; run < 2; run++) {
    cw_array a = make_matrix(CW_DOUBLE, N, N, 0), b = make_matrix(CW_DOUBLE, N, N, 0);
    cw_array c = make_matrix(CW_DOUBLE, N, N, 6);
    const cw_operand pa = {.array = a}, pb = {.array = b}, pc = {.array = c};
    results[run] = kit_alloc((size_t)N * N, sizeof(double));
    write_array(a, values);
    write_array(b, values);
    KIT_OK(cw_array_multiply(CW_NOT_TRANSPOSED, CW_TRANSPOSED, NULL, &pa, &pb, NULL, &pc));
    KIT_OK(cw_array_get(c, lo, hi, results[run], NULL));
    KIT_OK(cw_array_sync(c));
    KIT_OK(cw_array_destroy(&a));
    KIT_OK(cw_array_destroy(&b));
    KIT_OK(cw_array_destroy(&c));
  }
  kit_check_bytes(results[1], results[0], sizeof(double) * N * N, "the second product");
  free(results[0]);
  free(results[1]);
  free(values);
}

/* The arrays' team has been freed, and the first process has nearly all of them: jobs are taken one
 * by one. */
static void without_team(void)
{
  enum { N = 300 };
  const int processes = kit_processes(), blocks[2] = {processes, 1};
  const int64_t extents[2] = {N, N};
  int64_t *boundaries = kit_alloc((size_t)processes + 1, sizeof *boundaries);
  const double one = 1;
  double value = 0;
  int64_t index[2];
  cw_team team = NULL;
  cw_array arrays[2];
  kit_about("a product of arrays whose team is freed");
  for (int i = 1; i < processes; i++)
    boundaries[i] = N - processes + i;
  boundaries[0] = boundaries[processes] = 0;
  const cw_array_options options = {.type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.boundaries = boundaries, .blocks = blocks}};
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  for (int i = 0; i < 2; i++)
    KIT_MUST(cw_array_create(team, &options, &arrays[i]));
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_array_fill(arrays[0], NULL, NULL, &one));
  const cw_operand factor = {.array = arrays[0]}, product = {.array = arrays[1]};
  KIT_OK(cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &factor, &factor, NULL,
                           &product));
  for (int greatest = 0; greatest < 2; greatest++) {
    KIT_OK(cw_array_select(arrays[1], NULL, NULL, greatest, &value, index));
    kit_check(value == N, "an element of the product is %g", value);
  }
  for (int i = 0; i < 2; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
  free(boundaries);
}

static void misuse(void)
{
  cw_array a = make_matrix(CW_DOUBLE, 6, 5, 0), b = make_matrix(CW_DOUBLE, 5, 4, 0);
  cw_array c = make_matrix(CW_DOUBLE, 6, 4, 0), single = make_matrix(CW_FLOAT, 6, 5, 0);
  const int64_t cube[3] = {6, 5, 2}, far[2] = {6, 4}, zero[2] = {0, 0}, some[2] = {5, 2};
  cw_array deep = make_array(CW_DOUBLE, 3, cube, 0), whole = make_matrix(CW_INT, 6, 5, 0);
  const cw_operand pa = {.array = a}, pb = {.array = b}, pc = {.array = c};
  const cw_operand ps = {.array = single}, pd = {.array = deep}, pi = {.array = whole}, no = {0};
  const cw_operand outside = {a, zero, far, false}, half = {a, zero, NULL, false};
  const cw_operand part = {a, zero, some, false};
  const cw_transposition n = CW_NOT_TRANSPOSED, bad = (cw_transposition)3;
  kit_about("misuse");
  KIT_MISUSE("cw_array_multiply|ta is 3", cw_array_multiply(bad, n, NULL, &pa, &pb, NULL, &pc));
  KIT_MISUSE("tb is 3", cw_array_multiply(n, bad, NULL, &pa, &pb, NULL, &pc));
  KIT_MISUSE("a is NULL", cw_array_multiply(n, n, NULL, NULL, &pb, NULL, &pc));
  KIT_MISUSE("b is NULL", cw_array_multiply(n, n, NULL, &pa, &no, NULL, &pc));
  KIT_MISUSE("c is NULL", cw_array_multiply(n, n, NULL, &pa, &pb, NULL, NULL));
  KIT_MISUSE("type CW_FLOAT", cw_array_multiply(n, n, NULL, &ps, &pb, NULL, &pc));
  KIT_MISUSE("whose type is CW_INT", cw_array_multiply(n, n, NULL, &pi, &pb, NULL, &pc));
  KIT_MISUSE("not a matrix", cw_array_multiply(n, n, NULL, &pd, &pb, NULL, &pc));
  KIT_MISUSE("a: hi[0] is 6", cw_array_multiply(n, n, NULL, &outside, &pb, NULL, &pc));
  KIT_MISUSE("hi is NULL", cw_array_multiply(n, n, NULL, &half, &pb, NULL, &pc));
  KIT_MISUSE("5 x 6|5 x 4", cw_array_multiply(CW_TRANSPOSED, n, NULL, &pa, &pb, NULL, &pc));
  KIT_MISUSE("overlap", cw_array_multiply(n, n, NULL, &pa, &pb, NULL, &part));
  const bool mine = kit_me() == kit_processes() - 1; /* only the last process passes no array */
  KIT_MISUSE("c is NULL", cw_array_multiply(n, n, NULL, &pa, &pb, NULL, mine ? NULL : &pc));
  KIT_MISUSE("c is NULL", cw_array_multiply(n, n, NULL, &pa, &pb, NULL, mine ? &no : &pc));
  cw_array *const made[] = {&a, &b, &c, &single, &deep, &whole};
  for (int i = 0; i < 6; i++)
    KIT_OK(cw_array_destroy(made[i]));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "linear multiply");
  kit_take_devices(&argc, argv);
  small(argc > 1 ? atoi(argv[1]) : 30);
  empty();
  large();
  repeated();
  without_team();
  misuse();
  kit_close_devices();
  return kit_finish_native();
}

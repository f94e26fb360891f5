/* A program that uses most functions of arrays, for runs in which one call of the library fails:
 * see native.c. */
#include "arrays.h"

#include "verdict.h"

#include <causeway/arithmetic.h>
#include <causeway/array.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double model[EDGE][EDGE];

/* --- Arrays ----------------------------------------------------------------------------------- */

static const int64_t edges[2] = {EDGE, EDGE}, strip[2] = {1, 2}, three[2] = {3, 5};
static const int64_t boundaries[5] = {0, 7, 20, 0, 11};
static const int blocks[2] = {3, 2}, one_grid[2] = {1, 2}, second = 1;

const cw_distribution kinds[KINDS] = {
    {0},
    {.layout = CW_BLOCKS, .ghosts = strip},
    {.layout = CW_BLOCKS, .members = 1, .ranks = &second},
    {.layout = CW_CYCLIC, .block = three, .grid = one_grid},
    {.layout = CW_TILED, .boundaries = boundaries, .blocks = blocks},
    {.layout = CW_ROUND_ROBIN, .block = three},
};

cw_array make(int dimensions, const int64_t *extents, int kind, cw_type type, const char *name)
{
  const cw_array_options options = {.name = name,
                                    .type = type,
                                    .dimensions = dimensions,
                                    .extents = extents,
                                    .distribution = kinds[kind]};
  cw_array array = NULL;
  TOGETHER(2, cw_array_create(cw_team_world(), &options, &array));
  return array;
}

cw_array make_matrix(int kind, const char *name)
{
  return make(2, edges, kind, CW_DOUBLE, name);
}

/* Destroys an array. It is gone even if its memory could not be released. */
void drop(cw_array *array)
{
  while (*array != NULL && again_together("cw_array_destroy", cw_array_destroy(array), 2))
    continue;
}

void load_model(cw_array array)
{
  const int64_t lo[2] = {me * EDGE / 2, 0}, hi[2] = {(me + 1) * EDGE / 2 - 1, EDGE - 1};
  TOGETHER(2, cw_array_sync(array));
  MUST(cw_array_put(array, lo, hi, model[lo[0]], NULL));
  TOGETHER(2, cw_array_sync(array));
}

void expect_model(cw_array array, double most, const char *what)
{
  static double seen[EDGE][EDGE];
  static const int64_t lo[2] = {0, 0}, hi[2] = {EDGE - 1, EDGE - 1};
  TOGETHER(2, cw_array_sync(array));
  MUST(cw_array_get(array, lo, hi, seen, NULL));
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      expect(fabs(seen[i][j] - model[i][j]) <= most, what);
  TOGETHER(2, cw_array_sync(array));
}

/* --- Patches and lists ------------------------------------------------------------------------ */

static double buffer[EDGE * EDGE];

static void restore(cw_array array)
{
  const int64_t lo[2] = {me * EDGE / 2, 0}, hi[2] = {(me + 1) * EDGE / 2 - 1, EDGE - 1};
  MUST(cw_wait_all());
  MUST(cw_array_put(array, lo, hi, model[lo[0]], NULL));
  MUST(cw_array_fence(array));
}

#define TRY(call)                                                                                  \
  do {                                                                                             \
    if (again(#call, (call)))                                                                      \
      return false;                                                                                \
  } while (0)

/* Returns false if it failed; the transferred part is then unknown. */
static bool run_patch(cw_array array, const cw_patch *patch, bool start)
{
  cw_handle handle = {0};
  if (!start)
    TRY(cw_array_transfer(array, patch));
  else {
    TRY(cw_array_start(array, patch, &handle));
    TRY(cw_wait(&handle));
  }
  return true;
}

/* Applies the operation of process p to the model, or compares with its buffer. */
static void apply(const cw_patch *patch, int p)
{
  const int64_t *skip = patch->skip;
  const double scale = patch->scale != NULL ? *(const double *)patch->scale : 1;
  size_t at = 0;
  for (int64_t i = patch->lo[0]; i <= patch->hi[0]; i += skip != NULL ? skip[0] : 1)
    for (int64_t j = patch->lo[1]; j <= patch->hi[1]; j += skip != NULL ? skip[1] : 1, at++) {
      double *element = &model[i][j % EDGE];
      const double value = (double)at + 1000 * p;
      if (patch->operation == CW_PUT)
        *element = value;
      else if (patch->operation == CW_ACCUMULATE)
        *element += scale * value;
      else
        expect(p != me || buffer[at] == *element, "a get brought wrong data");
    }
}

/* Each process transfers in its half of the rows. */
static void move_patch(cw_array array, cw_operation operation, int shape)
{
  static const int64_t skip[2] = {3, 2};
  static const double two = 2;
  for (size_t at = 0; at < EDGE * EDGE; at++)
    buffer[at] = (double)at + 1000 * me;
  for (int p = 0; p < 2; p++) {
    const int64_t lo[2] = {p * EDGE / 2 + 1, shape == 3 ? 20 : 3};
    const int64_t hi[2] = {(p + 1) * EDGE / 2 - 2, shape == 3 ? EDGE + 4 : EDGE - 2};
    const cw_patch patch = {.operation = operation,
                            .lo = lo,
                            .hi = hi,
                            .skip = shape == 2 ? skip : NULL,
                            .periodic = shape == 3,
                            .buffer = buffer,
                            .scale = operation == CW_ACCUMULATE && shape == 1 ? &two : NULL};
    while (p == me && !run_patch(array, &patch, shape == 1))
      restore(array);
    apply(&patch, p);
  }
  MUST(cw_array_fence(array));
}

enum { LISTED = 40 };

/* Returns false if it failed; the transferred part is then unknown. */
static bool run_list(cw_array array, cw_operation operation, const int64_t *indices, double *values)
{
  if (operation == CW_PUT)
    TRY(cw_array_scatter(array, LISTED, indices, values));
  else if (operation == CW_GET)
    TRY(cw_array_gather(array, LISTED, indices, values));
  else
    TRY(cw_array_scatter_accumulate(array, LISTED, indices, values, NULL));
  return true;
}

static void move_list(cw_array array, cw_operation operation)
{
  for (int p = 0; p < 2; p++) {
    int64_t indices[LISTED][2];
    double values[LISTED];
    for (int i = 0; i < LISTED; i++) {
      indices[i][0] = p * EDGE / 2 + i % (EDGE / 2);
      indices[i][1] = 7 * i % EDGE;
      values[i] = 3 * i + p;
    }
    while (p == me && !run_list(array, operation, &indices[0][0], values))
      restore(array);
    for (int i = 0; i < LISTED; i++) {
      double *element = &model[indices[i][0]][indices[i][1]];
      if (operation == CW_PUT)
        *element = values[i];
      else if (operation == CW_ACCUMULATE)
        *element += values[i];
      else
        expect(p != me || values[i] == *element, "a gather brought wrong data");
    }
  }
  MUST(cw_array_fence(array));
}

static void check_elements(cw_array array)
{
  static const int64_t lo[2] = {2, 3}, hi[2] = {EDGE - 2, EDGE - 3};
  cw_piece pieces[EDGE * EDGE];
  cw_array_view view;
  size_t count = 0;
  MUST(cw_array_locate_patch(array, lo, hi, EDGE * EDGE, pieces, &count));
  expect(count > 0, "a patch is nowhere");
  MUST(cw_array_access_local(array, me, &view));
  MUST(cw_array_release(array, &view));
}

static void patches(void)
{
  doing = "patches";
  for (int kind = 0; kind < KINDS; kind++) {
    cw_array array = make_matrix(kind, "patches"), copy = NULL;
    for (int i = 0; i < EDGE; i++)
      for (int j = 0; j < EDGE; j++)
        model[i][j] = kind + i * EDGE + j;
    load_model(array);
    for (int operation = CW_PUT; operation <= CW_ACCUMULATE; operation++) {
      for (int shape = 0; shape < 4; shape++)
        move_patch(array, (cw_operation)operation, shape);
      move_list(array, (cw_operation)operation);
    }
    check_elements(array);
    expect_model(array, 0, "wrong data in an array");
    TOGETHER(2, cw_array_duplicate(array, "copy", &copy));
    drop(&copy);
    drop(&array);
  }
}

static void counters(void)
{
  enum { TIMES = 6 };
  cw_array array = make(2, edges, 3, CW_LONG, "counters");
  const int64_t lo[2] = {0, 0}, hi[2] = {EDGE - 1, EDGE - 1}, last[2] = {EDGE - 1, EDGE - 1};
  int64_t before = 0;
  long value = 0;
  doing = "counters";
  TOGETHER(2, cw_array_fill(array, lo, hi, NULL));
  for (int i = 0; i < TIMES; i++)
    MUST(cw_array_read_increment(array, last, 1, &before));
  TOGETHER(2, cw_array_sync(array));
  MUST(cw_array_get(array, last, last, &value, NULL));
  expect(value == 2 * (long)TIMES, "increments were lost");
  drop(&array);
}

/* --- Text ------------------------------------------------------------------------------------- */

static void text(void)
{
  static const int64_t lo[2] = {1, 3}, hi[2] = {2, 4};
  static const double half = 0.5;
  cw_array array = make_matrix(3, "text");
  FILE *out = tmpfile();
  doing = "text";
  if (out == NULL)
    fail("the program has no file");
  TOGETHER(2, cw_array_fill(array, NULL, NULL, &half));
  TOGETHER(2, cw_array_print(array, lo, hi, out));
  expect((ftell(out) > 0) == (me == 0), "rank 0 alone prints");
  fclose(out);
  drop(&array);
}

/* --- Ghosts ----------------------------------------------------------------------------------- */

static void ghosts(void)
{
  cw_array array = make_matrix(1, "ghosts");
  cw_array_view view;
  doing = "ghosts";
  load_model(array);
  TOGETHER(2, cw_array_update_ghosts(array, true));
  MUST(cw_array_access_block(array, me, true, &view));
  for (int64_t i = 0; i < view.extents[0]; i++)
    for (int64_t j = 0; j < view.extents[1]; j++) {
      const char *at = (const char *)view.address + i * view.strides[0] + j * view.strides[1];
      expect(*(const double *)(const void *)at ==
                 model[(view.lo[0] + i + EDGE) % EDGE][(view.lo[1] + j + EDGE) % EDGE],
             "a ghost cell is wrong");
    }
  MUST(cw_array_release(array, &view));
  drop(&array);
}

/* --- Protection ------------------------------------------------------------------------------- */

static void protection(void)
{
  static const double half = 0.5;
  doing = "protection";
  for (int kind = 0; kind < KINDS; kind++) {
    cw_array array = make_matrix(kind, "protected"), recovered = NULL;
    load_model(array);
    TOGETHER(2, cw_array_protect(array, 1));
    TOGETHER(2, cw_array_commit(array));
    TOGETHER(2, cw_array_fill(array, NULL, NULL, &half));
    TOGETHER(2, cw_array_recover(array, cw_team_world(), &recovered));
    expect_model(recovered, 0, "wrong data in a recovered array");
    drop(&recovered);
    drop(&array);
  }
}

/* --- Whole arrays ----------------------------------------------------------------------------- */

/* Calls an operation that changes its operand: before each attempt, the operand is restored. */
#define ANEW(before, call)                                                                         \
  do                                                                                               \
    before;                                                                                        \
  while (again_together(#call, (call), 2))

static void set_model(void)
{
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      model[i][j] = (i * 31 + j * 17) % 101 + 1;
}

/* f is the expected value of element i, j. */
#define EXPECT_OF(array, f)                                                                        \
  do {                                                                                             \
    for (int i = 0; i < EDGE; i++)                                                                 \
      for (int j = 0; j < EDGE; j++)                                                               \
        model[i][j] = (f);                                                                         \
    expect_model(array, 1e-12, #f);                                                                \
    set_model();                                                                                   \
  } while (0)

static double first(int i, int j)
{
  return (i * 31 + j * 17) % 101 + 1;
}

static void combinations(cw_array a, cw_array b, cw_array c)
{
  static const double two = 2, three_times = 3;
  const cw_operand from = {.array = a}, turned = {.array = a, .transposed = true};
  const cw_operand other = {.array = b}, to = {.array = c};
  TOGETHER(2, cw_array_copy(&turned, &other));
  EXPECT_OF(b, first(j, i));
  TOGETHER(2, cw_array_combine(CW_ELEMENT_SUM, &two, &from, &three_times, &other, &to));
  EXPECT_OF(c, 2 * first(i, j) + 3 * first(j, i));
  TOGETHER(2, cw_array_median(&from, &other, &to, &other));
  ANEW(load_model(c), cw_array_symmetrize(c));
  EXPECT_OF(c, (first(i, j) + first(j, i)) / 2);
  ANEW(load_model(b), cw_array_apply(b, NULL, NULL, CW_SCALE, &two));
  EXPECT_OF(b, 2 * first(i, j));
}

static void numbers(cw_array a, cw_array b)
{
  const cw_operand from = {.array = a}, other = {.array = b};
  double dot = 0, norm = 0, value = 0, all = 0, greatest = 0, step = -1;
  int64_t index[2] = {0, 0};
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++) {
      all += 2 * first(i, j) * first(i, j);
      greatest = fmax(greatest, first(i, j));
    }
  TOGETHER(2, cw_array_dot(&from, &other, &dot));
  TOGETHER(2, cw_array_step(&from, &other, &from, &from, &step, NULL));
  TOGETHER(2, cw_array_norm(a, NULL, NULL, CW_NORM_EUCLIDEAN, &norm));
  TOGETHER(2, cw_array_select(b, NULL, NULL, true, &value, index));
  expect(fabs(dot - all) < 1e-6 && fabs(norm * norm * 2 - all) < 1e-6, "a sum is wrong");
  expect(step == 0, "a step is not 0 where all elements are at their bounds");
  expect(value == 2 * greatest && first((int)index[0], (int)index[1]) == greatest,
         "the greatest element is another");
}

static void diagonals(cw_array b, int kind)
{
  static const int64_t length[1] = {EDGE};
  static const double half = 0.5;
  cw_array line = make(1, length, kind % 2 == 0 ? 0 : 2, CW_DOUBLE, "line");
  TOGETHER(2, cw_array_enumerate(line, NULL, NULL, &half, NULL));
  ANEW(load_model(b), cw_array_diagonal(b, CW_DIAGONAL_ADD, line, NULL));
  EXPECT_OF(b, first(i, j) + (i == j ? i + 0.5 : 0));
  ANEW(load_model(b), cw_array_scale_slices(b, 1, line));
  EXPECT_OF(b, first(i, j) * (j + 0.5));
  TOGETHER(2, cw_array_diagonal(b, CW_DIAGONAL_GET, line, NULL));
  drop(&line);
}

static void random_numbers(cw_array a, cw_array b)
{
  static double seen[2][EDGE][EDGE];
  static const int64_t lo[2] = {0, 0}, hi[2] = {EDGE - 1, EDGE - 1};
  TOGETHER(2, cw_array_randomize(a, NULL, NULL, NULL, 7));
  TOGETHER(2, cw_array_randomize(b, NULL, NULL, NULL, 7));
  MUST(cw_array_get(a, lo, hi, seen[0], NULL));
  MUST(cw_array_get(b, lo, hi, seen[1], NULL));
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      expect(seen[0][i][j] == seen[1][i][j], "random numbers differ");
}

static void whole(void)
{
  doing = "whole arrays";
  for (int kind = 1; kind < KINDS; kind++) {
    cw_array a = make_matrix(0, "a"), b = make_matrix(kind, "b"), c = make_matrix(2, "c");
    set_model();
    load_model(a);
    combinations(a, b, c);
    numbers(a, b);
    diagonals(b, kind);
    random_numbers(a, b);
    drop(&c);
    drop(&b);
    drop(&a);
  }
}

/* --- Lines ------------------------------------------------------------------------------------ */

static void scans(void)
{
  static const int64_t length[1] = {500};
  static const long zero = 0, one = 1;
  static long seen[500];
  const int64_t first_index = 0, last = 499;
  int64_t count = 0;
  cw_array from = make(1, length, 0, CW_LONG, "from"), to = make(1, length, 2, CW_LONG, "to");
  cw_array mask = make(1, length, 0, CW_LONG, "mask");
  doing = "scans";
  TOGETHER(2, cw_array_enumerate(from, NULL, NULL, &zero, &one));
  TOGETHER(2, cw_array_fill(mask, NULL, NULL, NULL));
  for (int64_t i = 10; i < 500; i += 100)
    TOGETHER(2, cw_array_fill(mask, &i, &i, &one));
  TOGETHER(2, cw_array_scan_add(from, to, mask, 0, 499, false));
  MUST(cw_array_get(to, &first_index, &last, seen, NULL));
  expect(seen[12] == 33 && seen[499] == (410 + 499) * 45, "a sum of a scan is wrong");
  TOGETHER(2, cw_array_scan_copy(from, to, mask, 0, 499));
  MUST(cw_array_get(to, &first_index, &last, seen, NULL));
  expect(seen[12] == 10 && seen[309] == 210, "a copy of a scan is wrong");
  TOGETHER(2, cw_array_pack(from, to, mask, 0, 499, &count));
  MUST(cw_array_get(to, &first_index, &last, seen, NULL));
  expect(count == 5 && seen[4] == 410, "what was packed is wrong");
  TOGETHER(2, cw_array_unpack(to, from, mask, 0, 499, &count));
  MUST(cw_array_get(from, &first_index, &last, seen, NULL));
  expect(count == 5 && seen[410] == 410, "what was unpacked is wrong");
  drop(&mask);
  drop(&to);
  drop(&from);
}

int main(int argc, char **argv)
{
  faults_start(&argc, &argv);
  patches();
  counters();
  text();
  ghosts();
  protection();
  whole();
  scans();
  attached();
  matrices();
  files();
  return faults_finish();
}

/* Functions of GA that its own test programs use: masks of all types, memory of group 0, products
 * of patches of three and four dimensions, copies that only a group's members call, blocks of
 * cyclic arrays, dot products with letters, steps, complex numbers, ghost cells. All results are
 * those of Debian's GA for the same calls. */
#include "kit/kit.h"

#include <ga.h>

#include <complex.h>
#include <limits.h>
#include <string.h>

static int me, all;

static int create(int type, int ndim, int *dims)
{
  const int array = NGA_Create(type, ndim, dims, (char[]){"array"}, NULL);
  kit_check(array != 0, "cannot create an array");
  GA_Zero(array);
  return array;
}

/* --- Masks --- */

enum { LENGTH = 12 };

static void check_line(int array, const double want[LENGTH], const char *what)
{
  double got[LENGTH];
  NGA_Get(array, (int[]){0}, (int[]){LENGTH - 1}, got, NULL);
  for (int i = 0; i < LENGTH; i++)
    kit_check(got[i] == want[i], "%s: element %d is %g; it should be %g", what, i, got[i], want[i]);
  GA_Sync();
}

/* Elements 3 and 6 are not 0; as a complex number, the second one is purely imaginary. */
static int make_mask(int type)
{
  const int mask = create(type, 1, (int[]){LENGTH}), at[] = {3, 6};
  for (int i = 0; i < 2; i++) {
    int whole = -1;
    long word = 1L << 40;
    float single[2] = {i == 0 ? 0.25F : 0, -2};
    double number[2] = {i == 0 ? 0.25 : 0, -2};
    const bool pair = type == C_SCPL || type == C_DCPL;
    if (!pair)
      single[0] = (float)(number[0] = 0.25);
    void *value = type == C_INT                          ? (void *)&whole
                  : type == C_LONG || type == C_LONGLONG ? (void *)&word
                  : type == C_FLOAT || type == C_SCPL    ? (void *)single
                                                         : (void *)number;
    if (me == 0)
      NGA_Put(mask, (int[]){at[i]}, (int[]){at[i]}, value, NULL);
  }
  GA_Sync();
  return mask;
}

static void masks(void)
{
  static const int types[] = {C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
  const int a = create(C_DBL, 1, (int[]){LENGTH}), b = create(C_DBL, 1, (int[]){LENGTH});
  double start = 1, inc = 1, nine = 9;
  GA_Patch_enum(a, 0, LENGTH - 1, &start, &inc);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    const int mask = make_mask(types[t]);
    int count = -1;
    kit_about("mask of type %d", types[t]);
    GA_Fill(b, &nine);
    GA_Pack(a, b, mask, 0, LENGTH - 1, &count);
    kit_check_long(count, 2, "elements");
    check_line(b, (double[]){4, 7, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, "pack");
    GA_Fill(b, &nine);
    GA_Unpack(a, b, mask, 0, LENGTH - 1, &count);
    check_line(b, (double[]){9, 9, 9, 1, 9, 9, 2, 9, 9, 9, 9, 9}, "unpack");
    GA_Fill(b, &nine);
    GA_Scan_copy(a, b, mask, 1, 7);
    check_line(b, (double[]){9, 0, 0, 4, 4, 4, 7, 7, 9, 9, 9, 9}, "scan_copy");
    GA_Fill(b, &nine);
    GA_Scan_add(a, b, mask, 1, 7, 0);
    check_line(b, (double[]){9, 9, 9, 4, 9, 15, 7, 15, 9, 9, 9, 9}, "scan_add");
    GA_Destroy(mask);
  }
  GA_Destroy(a);
  GA_Destroy(b);
}

/* --- Memory --- */

static void memory(void)
{
  int dims[] = {10 * all};
  const int a = create(C_DBL, 1, dims);
  double *mine = GA_Getmem(C_DBL, 10, 0), sent = 100 + me;
  kit_about("memory of group 0");
  for (int i = 0; i < 10; i++)
    mine[i] = me;
  GA_Sync();
  const int b = GA_Assemble_duplicate(a, (char[]){"assembled"}, mine);
  int at[] = {(me + 1) % all * 10 + 3};
  NGA_Put(b, at, at, &sent, NULL);
  GA_Sync();
  kit_check(mine[2] == me && mine[3] == 100 + (me + all - 1) % all, "the memory holds %g and %g",
            mine[2], mine[3]);
  GA_Destroy(b);
  GA_Destroy(a);
}

/* --- Products of patches --- */

enum { SIDE = 4, MOST = SIDE * SIDE * SIDE * SIDE };

/* Patches of op(a), op(b) and c: their start, and the two dimensions in which they are matrices. */
struct patch {
  int array, ndim, pair[2], lo[4], hi[4], rows, columns;
  bool across;
  const double *values;
};

static double number_at(const struct patch *p, int row, int column)
{
  int index[4], place = 0;
  memcpy(index, p->lo, sizeof index);
  index[p->pair[0]] += row;
  index[p->pair[1]] += column;
  if (p->across) {
    const int first = index[p->pair[0]];
    index[p->pair[0]] = index[p->pair[1]];
    index[p->pair[1]] = first;
  }
  for (int d = 0; d < p->ndim; d++)
    place = place * SIDE + index[d];
  return p->values[place];
}

/* Draws two adjacent dimensions for a row or a column, the last two for one element: GA detects the
 * dimensions of a patch of op(a) that way. */
static void draw_patch(struct patch *p, int rows, int columns, bool across)
{
  p->pair[0] = kit_common(p->ndim - 1);
  p->pair[1] = p->pair[0] + 1;
  if (rows == 1 && columns == 1) {
    p->pair[0] = p->ndim - 2;
    p->pair[1] = p->ndim - 1;
  } else if (rows > 1 && columns > 1) {
    p->pair[1] += kit_common(p->ndim - p->pair[1]);
  }
  p->rows = rows;
  p->columns = columns;
  p->across = across;
  for (int d = 0; d < p->ndim; d++) {
    const int extent = d == p->pair[0] ? rows : d == p->pair[1] ? columns : 1;
    p->lo[d] = kit_common(SIDE - extent + 1);
    p->hi[d] = p->lo[d] + extent - 1;
  }
}

static void check_product(const struct patch *a, const struct patch *b, struct patch *c)
{
  double got[SIDE * SIDE] = {0};
  int ld[3];
  for (int d = 1; d < c->ndim; d++)
    ld[d - 1] = c->hi[d] - c->lo[d] + 1;
  NGA_Get(c->array, c->lo, c->hi, got, ld);
  for (int i = 0; i < c->rows; i++)
    for (int j = 0; j < c->columns; j++) {
      double want = 0;
      for (int k = 0; k < a->columns; k++)
        want += number_at(a, i, k) * number_at(b, k, j);
      kit_check(got[i * c->columns + j] == want, "element %d, %d is %g; it should be %g", i, j,
                got[i * c->columns + j], want);
    }
}

static void products(int ndim)
{
  static double values[2][MOST];
  double one = 1, zero = 0;
  struct patch p[3];
  int ld[] = {SIDE, SIDE, SIDE}, dims[] = {SIDE, SIDE, SIDE, SIDE}, count = 1;
  for (int d = 0; d < ndim; d++)
    count *= SIDE;
  for (int i = 0; i < 3; i++) {
    p[i] = (struct patch){.array = create(C_DBL, ndim, dims), .ndim = ndim};
    p[i].values = i < 2 ? values[i] : NULL;
    for (int k = 0; k < count && i < 2; k++)
      values[i][k] = (k * (7 + 4 * i) + i) % 19 - 9;
    if (me == 0 && i < 2)
      NGA_Put(p[i].array, (int[4]){0}, (int[]){SIDE - 1, SIDE - 1, SIDE - 1, SIDE - 1}, values[i],
              ld);
  }
  for (int round = 0; round < 30; round++) {
    int size[] = {1 + kit_common(3), 1 + kit_common(3), 1 + kit_common(3)};
    size[kit_common(3)] = 1;
    const bool ta = kit_common(2) == 0, tb = kit_common(2) == 0;
    draw_patch(&p[0], size[0], size[2], ta);
    draw_patch(&p[1], size[2], size[1], tb);
    draw_patch(&p[2], size[0], size[1], false);
    kit_about("%d x %d x %d, %c %c, %d dimensions", size[0], size[1], size[2], ta ? 't' : 'n',
              tb ? 't' : 'n', ndim);
    NGA_Matmul_patch(ta ? 't' : 'n', tb ? 't' : 'n', &one, &zero, p[0].array, p[0].lo, p[0].hi,
                     p[1].array, p[1].lo, p[1].hi, p[2].array, p[2].lo, p[2].hi);
    check_product(&p[0], &p[1], &p[2]);
    GA_Sync();
  }
  for (int i = 0; i < 3; i++)
    GA_Destroy(p[i].array);
}

/* --- Copies within a group --- */

/* All processes but the first have the small array, and only they copy. */
static void copy_in_group(int group, int world, int cyclic)
{
  double start = 1, inc = 1, zero = 0, values[8] = {0};
  GA_Pgroup_set_default(group);
  const int small = create(C_DBL, 1, (int[]){LENGTH});
  GA_Patch_enum(small, 0, LENGTH - 1, &start, &inc);
  GA_Copy(small, world);
  check_line(world, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, "the larger one");
  GA_Fill(small, &zero);
  NGA_Copy_patch('n', world, (int[]){2}, (int[]){5}, small, (int[]){7}, (int[]){10});
  check_line(small, (double[]){0, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6, 0}, "the smaller one");
  GA_Pgroup_sync(group);
  /* A copy of another shape, and then a transposed one. */
  GA_Copy(world, small);
  NGA_Copy_patch('n', small, (int[]){2}, (int[]){9}, cyclic, (int[]){1, 1}, (int[]){4, 2});
  NGA_Get(cyclic, (int[]){1, 1}, (int[]){4, 2}, values, (int[]){2});
  for (int i = 0; i < 8; i++)
    kit_check(values[i] == 3 + i, "element %d of a patch is %g", i, values[i]);
  GA_Pgroup_sync(group);
  const int matrix = create(C_DBL, 2, (int[]){2, 4});
  GA_Fill(matrix, &zero);
  NGA_Copy_patch('t', cyclic, (int[]){1, 1}, (int[]){4, 2}, matrix, (int[]){0, 0}, (int[]){1, 3});
  GA_Scale(matrix, &(double){2});
  NGA_Copy_patch('t', matrix, (int[]){0, 0}, (int[]){1, 3}, cyclic, (int[]){0, 3}, (int[]){3, 4});
  NGA_Get(cyclic, (int[]){0, 3}, (int[]){3, 4}, values, (int[]){2});
  for (int i = 0; i < 8; i++)
    kit_check(values[i] == 2 * (3 + i), "element %d of a transposed patch is %g", i, values[i]);
  /* A transposed copy of another shape. */
  NGA_Copy_patch('t', cyclic, (int[]){0, 3}, (int[]){3, 4}, small, (int[]){2}, (int[]){9});
  check_line(small, (double[]){1, 2, 6, 10, 14, 18, 8, 12, 16, 20, 11, 12}, "turned to a line");
  GA_Pgroup_sync(group);
  GA_Destroy(matrix);
  GA_Destroy(small);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
}

static void group_copies(void)
{
  int list[64], count = 0;
  for (int process = all > 1 ? 1 : 0; process < all; process++)
    list[count++] = process;
  const int group = GA_Pgroup_create(list, count), world = create(C_DBL, 1, (int[]){LENGTH});
  const int cyclic = GA_Create_handle();
  kit_about("copies that a group's members call");
  GA_Set_data(cyclic, 2, (int[]){7, 5}, C_DBL);
  GA_Set_block_cyclic(cyclic, (int[]){2, 2});
  GA_Allocate(cyclic);
  GA_Zero(cyclic);
  if (GA_Pgroup_nodeid(group) >= 0)
    copy_in_group(group, world, cyclic);
  GA_Sync();
  check_line(world, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, "afterwards");
  kit_about("the block of an element");
  kit_check_long(NGA_Locate(cyclic, (int[]){0, 4}), 2, "block");
  kit_check_long(NGA_Locate(cyclic, (int[]){6, 4}), 11, "block");
  kit_check_long(NGA_Locate(cyclic, (int[]){7, 4}), -1, "block of what is outside");
  GA_Destroy(cyclic);
  GA_Destroy(world);
  GA_Pgroup_destroy(group);
}

/* --- Dot products with letters --- */

/* Makes an array with the elements 0, factor % 17, 2 * factor % 17 ... */
static int make_multiples(int rows, int columns, int factor)
{
  const int array = create(C_INT, 2, (int[]){rows, columns});
  int values[24];
  for (int i = 0; i < 24; i++)
    values[i] = i * factor % 17;
  if (me == 0)
    NGA_Put(array, (int[]){0, 0}, (int[]){rows - 1, columns - 1}, values, &columns);
  GA_Sync();
  return array;
}

/* The numbers are those of Debian's GA, which transposes the second patch if the letters differ. */
static void dots(void)
{
  static const struct dot_case {
    char letters[2];
    int rows, columns, want;
  } cases[] = {
      {{'n', 'n'}, 3, 8, 1535}, {{'t', 't'}, 3, 8, 1535}, {{'t', 'n'}, 3, 8, 1480},
      {{'n', 't'}, 3, 8, 1480}, {{'t', 'n'}, 4, 6, 1436}, {{'n', 't'}, 4, 6, 1436},
  };
  const int a = make_multiples(4, 6, 5);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct dot_case *of = &cases[i];
    const int b = make_multiples(of->rows, of->columns, 3);
    kit_about("dot product %c %c, 4 x 6 and %d x %d", of->letters[0], of->letters[1], of->rows,
              of->columns);
    kit_check_long(NGA_Idot_patch(a, of->letters[0], (int[]){0, 0}, (int[]){3, 5}, b,
                                  of->letters[1], (int[]){0, 0},
                                  (int[]){of->rows - 1, of->columns - 1}),
                   of->want, "sum");
    GA_Destroy(b);
  }
  GA_Destroy(a);
}

/* --- Steps --- */

static void whole_steps(void)
{
  int at[] = {0}, step = 0, wolfe = 0, most = 0, arrays[4];
  int values[4] = {INT_MAX, INT_MIN, INT_MIN, INT_MAX};
  long long wide[4] = {1, -1, LLONG_MIN, LLONG_MAX}, far = 0, wolfe64 = 0, most64 = 0;
  kit_about("steps at the ends of the integers");
  for (int i = 0; i < 4; i++) {
    arrays[i] = create(C_INT, 1, (int[]){1});
    GA_Fill(arrays[i], &values[i]);
  }
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &step, &wolfe, &most);
  kit_check(step == 1 && wolfe == 1 && most == 1, "steps are %d %d %d", step, wolfe, most);
  NGA_Fill_patch(arrays[1], at, at, &(int){-1});
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &step, &wolfe, &most);
  kit_check(step == INT_MAX && most == INT_MAX, "far steps are %d %d", step, most);
  GA_Step_max(arrays[0], arrays[1], &step);
  kit_check(step == INT_MAX, "the greatest step is %d", step);
  for (int i = 0; i < 4; i++) {
    GA_Destroy(arrays[i]);
    arrays[i] = create(C_LONGLONG, 1, (int[]){1});
    GA_Fill(arrays[i], &wide[i]);
  }
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &far, &wolfe64, &most64);
  kit_check(far == LLONG_MAX && most64 == LLONG_MAX, "long steps are %lld %lld", far, most64);
  for (int i = 0; i < 4; i++)
    GA_Destroy(arrays[i]);
}

/* Two elements with bounds from 0 to 3: boundmin, wolfemin and boundmax of Debian's GA. An element
 * on a bound that does not move has no step, except for wolfemin. */
static void steps_at_bounds(void)
{
  static const struct bound_case {
    double x[2], v[2], want[3];
  } cases[] = {
      {{0, 0}, {0, 0}, {0, 1e307, 0}},
      {{0, 1}, {0, 0}, {0, 1e307, 1e307}},
      {{0, 1}, {0, 1}, {0, 2, 2}},
      {{3, 1}, {0, 1}, {0, 2, 2}},
      {{0, 3}, {0, 1}, {0, 0, 0}},
      {{0, 1}, {0, -1}, {0, 1, 1}},
      {{1, 1}, {0, 1}, {2, 2, 1e307}},
      {{0, 1}, {-1, 1}, {0, 0, 2}},
      {{1, 1}, {0, 0}, {1e307, 1e307, 1e307}},
  };
  int arrays[4], at[] = {0}, end[] = {1};
  for (int i = 0; i < 4; i++)
    arrays[i] = create(C_DBL, 1, (int[]){2});
  GA_Fill(arrays[3], &(double){3});
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bound_case of = cases[i];
    double got[3] = {-1, -1, -1};
    kit_about("steps from %g %g by %g %g", of.x[0], of.x[1], of.v[0], of.v[1]);
    if (me == 0) {
      NGA_Put(arrays[0], at, end, of.x, NULL);
      NGA_Put(arrays[1], at, end, of.v, NULL);
    }
    GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &got[0], &got[1], &got[2]);
    for (int k = 0; k < 3; k++)
      kit_check(got[k] == of.want[k], "step %d is %g; it should be %g", k, got[k], of.want[k]);
  }
  for (int i = 0; i < 4; i++)
    GA_Destroy(arrays[i]);
}

/* Repeats the test with integers, whose steps have a limit. */
static void whole_steps_at_bounds(void)
{
  int arrays[4], got[3] = {-1, -1, -1};
  kit_about("steps of integers on a bound");
  for (int i = 0; i < 4; i++)
    arrays[i] = create(C_INT, 1, (int[]){5});
  GA_Fill(arrays[3], &(int){3});
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &got[0], &got[1], &got[2]);
  kit_check(got[0] == 0 && got[1] == INT_MAX && got[2] == 0, "steps are %d %d %d", got[0], got[1],
            got[2]);
  NGA_Fill_patch(arrays[1], (int[]){4}, (int[]){4}, &(int){1});
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &got[0], &got[1], &got[2]);
  kit_check(got[0] == 0 && got[1] == 3 && got[2] == 3, "steps are %d %d %d", got[0], got[1],
            got[2]);
  for (int i = 0; i < 4; i++)
    GA_Destroy(arrays[i]);
}

/* --- The greater of two --- */

/* If moduli are equal, the result is the second array's element. */
static void complex_extremes(void)
{
  const double _Complex x[] = {1 + 1 * I, -2, 3 + 4 * I, 3}, y[] = {1 - 1 * I, 2, 5, -1};
  const double _Complex want[2][4] = {{1 - 1 * I, 2, 5, 3}, {1 - 1 * I, 2, 5, -1}};
  int at[] = {0}, end[] = {3}, arrays[3];
  for (int i = 0; i < 3; i++)
    arrays[i] = create(C_DCPL, 1, (int[]){4});
  if (me == 0) {
    NGA_Put(arrays[0], at, end, (void *)(uintptr_t)x, NULL);
    NGA_Put(arrays[1], at, end, (void *)(uintptr_t)y, NULL);
  }
  GA_Sync();
  for (int least = 0; least < 2; least++) {
    double _Complex got[4];
    kit_about("the %s of complex numbers", least ? "lesser" : "greater");
    if (least)
      GA_Elem_minimum(arrays[0], arrays[1], arrays[2]);
    else
      GA_Elem_maximum(arrays[0], arrays[1], arrays[2]);
    NGA_Get(arrays[2], at, end, got, NULL);
    kit_check_bytes(got, want[least], sizeof got, "elements");
    GA_Sync();
  }
  for (int i = 0; i < 3; i++)
    GA_Destroy(arrays[i]);
}

/* --- Ghost cells --- */

enum { KEPT = 7, FILLED = 5 };

/* The block of this process with its rim of width 1. extents are 0 if it has none. */
struct rim {
  int array, extents[3], *cells;
};

static struct rim make_rim(void)
{
  struct rim rim = {0};
  int lo[3], hi[3], ld[2];
  rim.array =
      NGA_Create_ghosts(C_INT, 3, (int[]){3, 4, 5}, (int[]){1, 1, 1}, (char[]){"rim"}, NULL);
  NGA_Distribution(rim.array, me, lo, hi);
  if (lo[0] < 0 || hi[0] < lo[0])
    return rim;
  NGA_Access_ghosts(rim.array, rim.extents, (void *)&rim.cells, ld);
  for (int i = 0; i < rim.extents[0] * rim.extents[1] * rim.extents[2]; i++)
    rim.cells[i] = KEPT;
  return rim;
}

/* Returns the number of changed cells of the rim. d, end: counts only cells that are first or last
 * in this dimension. */
static int count_changed(const struct rim *rim, int d, int end)
{
  int count = 0, at[3];
  const int *extents = rim->extents, *cell = rim->cells;
  for (at[0] = 0; at[0] < extents[0]; at[0]++)
    for (at[1] = 0; at[1] < extents[1]; at[1]++)
      for (at[2] = 0; at[2] < extents[2]; at[2]++, cell++) {
        bool outside = false;
        for (int e = 0; e < 3; e++)
          outside = outside || at[e] == 0 || at[e] == extents[e] - 1;
        count += outside && *cell != KEPT && (d < 0 || at[d] == (end < 0 ? 0 : extents[d] - 1));
      }
  return count;
}

/* Debian's GA counts the dimensions of this call from the last one to the first, also in C. */
static void sides(void)
{
  for (int d = 0; d < 3; d++)
    for (int way = -1; way <= 1; way += 2) {
      const struct rim rim = make_rim();
      NGA_Fill_patch(rim.array, (int[]){0, 0, 0}, (int[]){2, 3, 4}, &(int){FILLED});
      kit_about("Update_ghost_dir %d %d", 2 - d, way);
      kit_check_long(NGA_Update_ghost_dir(rim.array, 2 - d, way, 0), 1, "result");
      const int want =
          rim.cells == NULL ? 0 : (rim.extents[(d + 1) % 3] - 2) * (rim.extents[(d + 2) % 3] - 2);
      kit_check_long(count_changed(&rim, d, way), want, "cells of this side");
      kit_check_long(count_changed(&rim, -1, 0), want, "cells of all sides");
      GA_Destroy(rim.array);
    }
}

/* Checks which calls write ghost cells. With Debian's GA only the first two do. */
static void rims(void)
{
  static const char *const names[] = {"Fill", "Randomize", "Zero", "Fill_patch", "Scale"};
  for (int call = 0; call < 5; call++) {
    const struct rim rim = make_rim();
    int most = FILLED, lo[] = {0, 0, 0}, hi[] = {2, 3, 4}, volume = 1, inside = 1;
    kit_about("ghost cells after GA_%s", names[call]);
    switch (call) {
    case 0:
      GA_Fill(rim.array, &most);
      break;
    case 1:
      GA_Randomize(rim.array, &most);
      break;
    case 2:
      GA_Zero(rim.array);
      break;
    case 3:
      NGA_Fill_patch(rim.array, lo, hi, &most);
      break;
    default:
      GA_Scale(rim.array, &most);
    }
    for (int d = 0; d < 3; d++) {
      volume *= rim.extents[d];
      inside *= rim.cells == NULL ? 0 : rim.extents[d] - 2;
    }
    kit_check_long(count_changed(&rim, -1, 0), call < 2 ? volume - inside : 0, "changed cells");
    for (int i = 0; i < volume && call < 2; i++)
      kit_check(rim.cells[i] >= (call == 0 ? most : 0) && rim.cells[i] <= most, "cell %d is %d", i,
                rim.cells[i]);
    GA_Destroy(rim.array);
  }
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "cwga.upstream");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  masks();
  memory();
  products(3);
  products(4);
  group_copies();
  dots();
  whole_steps();
  steps_at_bounds();
  whole_steps_at_bounds();
  complex_extremes();
  sides();
  rims();
  GA_Terminate();
  return kit_finish();
}

/* Operations on whole arrays and on patches, for whole.c. Compiled twice: against libcwga and
 * against Debian's library. */
#include "whole.h"

#include <ga.h>
#include <macdecls.h>

/* Square arrays of doubles. A, B, LOW and HIGH are only read: they hold 1 to 2, 3, 0 and 4. DOWN is
 * negative. C and M are written. SAME is for operations that restore it when they run twice,
 * DIAGONAL for those that change diagonals. */
enum square { A, B, LOW, HIGH, DOWN, C, M, SAME, DIAGONAL, SQUARES };

/* Lines: a vector of n elements, lines of n * n doubles, and flags. */
enum line { VECTOR, FROM, TO, FLAGS, LINES };

static int n, square[SQUARES], line[LINES];
static int integers[2], complexes[2];
static double result;
static double half = 0.5, two = 2, three = 3, nothing = 0, back = -1;

/* The inner elements of the squares, and a patch moved by a column for the second operand. */
static int lo[2] = {1, 1}, hi[2], moved_lo[2] = {1, 0}, moved_hi[2];

static void start(void)
{
  GA_Initialize();
  MA_init(C_DBL, 1 << 24, 1 << 24);
}

static int make_square(int type)
{
  char name[] = "bench";
  int extents[] = {n, n};
  return NGA_Create(type, 2, extents, name, NULL);
}

static int make_line(int type, int extent)
{
  char name[] = "bench";
  return NGA_Create(type, 1, &extent, name, NULL);
}

/* Values rise from 1 to 2 along each row, and rows differ. */
enum { LARGEST = 4096 };

static void number(int array)
{
  static double row[LARGEST];
  for (int i = GA_Nodeid(); i < n; i += GA_Nnodes()) {
    int first[] = {i, 0}, last[] = {i, n - 1}, ld[] = {n};
    for (int j = 0; j < n; j++)
      row[j] = 1 + (double)((i * 7 + j) % 64) / 64;
    NGA_Put(array, first, last, row, ld);
  }
  GA_Sync();
}

static void make(int extent)
{
  static double values[SQUARES] = {1, 3, 0, 4, -1, 1, 1, 1, 1};
  int one = 1, first = 0, step = 1;
  double pair[2] = {1, 2};
  n = extent;
  hi[0] = hi[1] = moved_hi[0] = n - 2;
  moved_hi[1] = n - 3;
  for (int i = 0; i < SQUARES; i++) {
    square[i] = make_square(C_DBL);
    GA_Fill(square[i], &values[i]);
  }
  number(square[A]);
  number(square[SAME]);
  for (int i = 0; i < LINES; i++)
    line[i] = make_line(i == FLAGS ? C_INT : C_DBL, i == VECTOR ? n : n * n);
  for (int i = 0; i < FLAGS; i++)
    GA_Fill(line[i], &half);
  GA_Patch_enum(line[FLAGS], 0, n * n - 1, &first, &step);
  for (int i = 0; i < 2; i++) {
    integers[i] = make_square(C_INT);
    complexes[i] = make_square(C_DCPL);
    GA_Fill(integers[i], &one);
    GA_Fill(complexes[i], pair);
  }
}

static void destroy(void)
{
  for (int i = 0; i < 2; i++) {
    GA_Destroy(integers[i]);
    GA_Destroy(complexes[i]);
  }
  for (int i = 0; i < LINES; i++)
    GA_Destroy(line[i]);
  for (int i = 0; i < SQUARES; i++)
    GA_Destroy(square[i]);
}

static void sample(double *samples)
{
  static const enum square written[] = {C, M, SAME, DIAGONAL};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      int at[] = {i * (n / 2 + 1) + 1, i * (n / 2 + 1) + 1 + k % 2}, ld[] = {1};
      NGA_Get(square[written[k]], at, at, samples++, ld);
    }
  for (int i = 0; i < 2; i++) {
    int at[] = {i * (n / 2 + 1) + 1}, none[] = {1};
    NGA_Get(line[VECTOR], at, at, samples++, none);
    NGA_Get(line[TO], at, at, samples++, none);
  }
  *samples = result;
  result = 0;
  GA_Sync();
}

/* Defines each operation as a function without arguments. */
#define RUN(name, statement)                                                                       \
  static void name(void)                                                                           \
  {                                                                                                \
    statement;                                                                                     \
  }

RUN(zero, GA_Zero(square[C]))
RUN(fill, GA_Fill(square[C], &half))
RUN(randomize, GA_Randomize(square[C], &half))
RUN(scale, GA_Scale(square[SAME], &back))
RUN(copy, GA_Copy(square[A], square[C]))
RUN(add, GA_Add(&two, square[A], &three, square[B], square[C]))
RUN(transpose, GA_Transpose(square[A], square[C]))
RUN(symmetrize, GA_Symmetrize(square[SAME]))
RUN(ddot, result = GA_Ddot(square[A], square[B]))
RUN(idot, result = GA_Idot(integers[0], integers[1]))
RUN(zdot, result = GA_Zdot(complexes[0], complexes[1]).imag)
RUN(absolute, GA_Abs_value(square[SAME]))
RUN(add_constant, GA_Add_constant(square[SAME], &nothing))
RUN(recip, GA_Recip(square[SAME]))
RUN(divide, GA_Elem_divide(square[A], square[B], square[C]))
RUN(maximum, GA_Elem_maximum(square[A], square[B], square[C]))
RUN(minimum, GA_Elem_minimum(square[A], square[B], square[C]))
RUN(multiply, GA_Elem_multiply(square[A], square[B], square[C]))
RUN(median, GA_Median(square[A], square[B], square[HIGH], square[M]))
RUN(step_max, GA_Step_max(square[A], square[DOWN], &result))
RUN(norm1, GA_Norm1(square[A], &result))
RUN(norm_infinity, GA_Norm_infinity(square[A], &result))
RUN(add_diagonal, GA_Add_diagonal(square[DIAGONAL], line[VECTOR]))
RUN(get_diagonal, GA_Get_diag(square[A], line[VECTOR]))
RUN(set_diagonal, GA_Set_diagonal(square[DIAGONAL], line[VECTOR]))
RUN(shift_diagonal, GA_Shift_diagonal(square[DIAGONAL], &half))
RUN(zero_diagonal, GA_Zero_diagonal(square[DIAGONAL]))
RUN(zero_patch, NGA_Zero_patch(square[C], lo, hi))
RUN(fill_patch, NGA_Fill_patch(square[C], lo, hi, &half))
RUN(scale_patch, NGA_Scale_patch(square[SAME], lo, hi, &back))
RUN(add_constant_patch, GA_Add_constant_patch(square[SAME], lo, hi, &nothing))
RUN(absolute_patch, GA_Abs_value_patch(square[SAME], lo, hi))
RUN(recip_patch, GA_Recip_patch(square[SAME], lo, hi))
RUN(copy_patch, NGA_Copy_patch('n', square[A], lo, hi, square[C], lo, hi))
RUN(copy_moved, NGA_Copy_patch('n', square[A], moved_lo, moved_hi, square[C], lo, hi))
RUN(copy_across, NGA_Copy_patch('t', square[A], lo, hi, square[C], lo, hi))
RUN(add_patch, NGA_Add_patch(&two, square[A], lo, hi, &three, square[B], lo, hi, square[C], lo, hi))
RUN(ddot_patch, result = NGA_Ddot_patch(square[A], 'n', lo, hi, square[B], 'n', lo, hi))
RUN(ddot_across, result = NGA_Ddot_patch(square[A], 't', lo, hi, square[B], 'n', lo, hi))
RUN(divide_patch, GA_Elem_divide_patch(square[A], lo, hi, square[B], lo, hi, square[C], lo, hi))
RUN(maximum_patch, GA_Elem_maximum_patch(square[A], lo, hi, square[B], lo, hi, square[C], lo, hi))
RUN(minimum_patch, GA_Elem_minimum_patch(square[A], lo, hi, square[B], lo, hi, square[C], lo, hi))
RUN(multiply_patch, GA_Elem_multiply_patch(square[A], lo, hi, square[B], lo, hi, square[C], lo, hi))
RUN(median_patch,
    GA_Median_patch(square[A], lo, hi, square[B], lo, hi, square[HIGH], lo, hi, square[M], lo, hi))
RUN(step_max_patch, GA_Step_max_patch(square[A], lo, hi, square[DOWN], lo, hi, &result))
RUN(scan_add, GA_Scan_add(line[FROM], line[TO], line[FLAGS], 0, n *n - 1, 0))
RUN(scan_copy, GA_Scan_copy(line[FROM], line[TO], line[FLAGS], 0, n *n - 1))
RUN(enumerate, GA_Patch_enum(line[TO], 0, n *n - 1, &half, &two))

static void select_element(void)
{
  char most[] = "max";
  int index[2];
  NGA_Select_elem(square[A], most, &result, index);
}

static void scale_columns(void)
{
  GA_Scale_cols(square[M], line[VECTOR]);
}

static void scale_lines(void)
{
  GA_Scale_rows(square[M], line[VECTOR]);
}

static void step_bounds(void)
{
  double least = 0, wolfe = 0, most = 0;
  GA_Step_bound_info(square[A], square[DOWN], square[LOW], square[HIGH], &least, &wolfe, &most);
  result = least;
}

static void step_bounds_patch(void)
{
  double least = 0, wolfe = 0, most = 0;
  GA_Step_bound_info_patch(square[A], lo, hi, square[DOWN], lo, hi, square[LOW], lo, hi,
                           square[HIGH], lo, hi, &least, &wolfe, &most);
  result = least;
}

static void pack(void)
{
  int count = 0;
  GA_Pack(line[FROM], line[TO], line[FLAGS], 0, n * n - 1, &count);
  result = count;
}

static void unpack(void)
{
  int count = 0;
  GA_Unpack(line[FROM], line[TO], line[FLAGS], 0, n * n - 1, &count);
  result = count;
}

static const struct whole_operation operations[] = {
    {"GA_Zero", zero, 0},
    {"GA_Fill", fill, 0},
    {"GA_Scale", scale, 0},
    {"GA_Copy", copy, 0},
    {"GA_Add", add, 0},
    {"GA_Transpose", transpose, 0},
    {"GA_Symmetrize", symmetrize, 0},
    {"GA_Ddot", ddot, 0},
    {"GA_Idot", idot, 0},
    {"GA_Zdot", zdot, 0},
    {"NGA_Select_elem", select_element, 0},
    {"GA_Abs_value", absolute, 0},
    {"GA_Add_constant", add_constant, 0},
    {"GA_Recip", recip, 0},
    {"GA_Elem_divide", divide, 0},
    {"GA_Elem_maximum", maximum, 0},
    {"GA_Elem_minimum", minimum, 0},
    {"GA_Elem_multiply", multiply, 0},
    {"GA_Median", median, 0},
    {"GA_Step_max", step_max, 0},
    {"GA_Step_bound_info", step_bounds, 0},
    {"GA_Norm1", norm1, 0},
    {"GA_Norm_infinity", norm_infinity, 0},
    {"GA_Get_diag", get_diagonal, 0},
    {"GA_Set_diagonal", set_diagonal, 0},
    {"GA_Add_diagonal", add_diagonal, 0},
    {"GA_Shift_diagonal", shift_diagonal, 0},
    {"GA_Zero_diagonal", zero_diagonal, 0},
    {"GA_Scale_rows", scale_lines, 0},
    {"GA_Scale_cols", scale_columns, 0},
    {"NGA_Zero_patch", zero_patch, 0},
    {"NGA_Fill_patch", fill_patch, 0},
    {"NGA_Scale_patch", scale_patch, 0},
    {"GA_Add_constant_patch", add_constant_patch, 0},
    {"GA_Abs_value_patch", absolute_patch, 0},
    {"GA_Recip_patch", recip_patch, 0},
    {"NGA_Copy_patch", copy_patch, 0},
    {"NGA_Copy_patch, moved", copy_moved, 0},
    {"NGA_Copy_patch, transposed", copy_across, 0},
    {"NGA_Add_patch", add_patch, 0},
    {"NGA_Ddot_patch", ddot_patch, 0},
    {"NGA_Ddot_patch, transposed", ddot_across, 0},
    {"GA_Elem_divide_patch", divide_patch, 0},
    {"GA_Elem_maximum_patch", maximum_patch, 0},
    {"GA_Elem_minimum_patch", minimum_patch, 0},
    {"GA_Elem_multiply_patch", multiply_patch, 0},
    {"GA_Median_patch", median_patch, 0},
    {"GA_Step_max_patch", step_max_patch, 1},
    {"GA_Step_bound_info_patch", step_bounds_patch, 1},
    {"GA_Scan_add", scan_add, 0},
    {"GA_Scan_copy", scan_copy, 0},
    {"GA_Pack", pack, 0},
    {"GA_Unpack", unpack, 0},
    {"GA_Patch_enum", enumerate, 0},
    {"GA_Randomize", randomize, 0},
    {NULL, NULL, 0},
};

const struct whole_side WHOLE_SIDE = {.start = start,
                                      .stop = GA_Terminate,
                                      .make = make,
                                      .destroy = destroy,
                                      .sample = sample,
                                      .operations = operations};

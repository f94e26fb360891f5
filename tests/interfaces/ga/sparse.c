/* Random sparse arrays of all types compared with a dense model on every process, for each call.
 * All numbers are small integers, so that every sum is exact. */
#include "kit/kit.h"

#include <ga.h>

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 40, ELEMENTS = 400 };
typedef double _Complex number;
typedef number matrix[MOST][MOST];

static const int types[] = {C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
static int me, all;

/* --- Numbers of a type --- */

static void store(int type, number value, void *to)
{
  const double real = creal(value);
  switch (type) {
  case C_INT:
    *(int *)to = (int)real;
    return;
  case C_LONG:
    *(long *)to = (long)real;
    return;
  case C_LONGLONG:
    *(long long *)to = (long long)real;
    return;
  case C_FLOAT:
    *(float *)to = (float)real;
    return;
  case C_DBL:
    *(double *)to = real;
    return;
  case C_SCPL:
    *(SingleComplex *)to = (SingleComplex){(float)real, (float)cimag(value)};
    return;
  default:
    *(DoubleComplex *)to = (DoubleComplex){real, cimag(value)};
  }
}

static size_t bytes_of(int type)
{
  return type == C_INT || type == C_FLOAT ? 4 : type == C_DCPL ? 16 : 8;
}

static number load(int type, const void *from, size_t at)
{
  const char *place = (const char *)from + at * bytes_of(type);
  switch (type) {
  case C_INT:
    return *(const int *)place;
  case C_LONG:
    return (double)*(const long *)place;
  case C_LONGLONG:
    return (double)*(const long long *)place;
  case C_FLOAT:
    return *(const float *)place;
  case C_DBL:
    return *(const double *)place;
  case C_SCPL:
    return *(const float *)place + I * *((const float *)place + 1);
  default:
    return *(const double *)place + I * *((const double *)place + 1);
  }
}

static number draw(int type)
{
  const double real = kit_common(7) - 3, imag = kit_common(7) - 3;
  return type == C_SCPL || type == C_DCPL ? real + I * imag : real;
}

/* --- A sparse array and its model --- */

struct sparse {
  int handle, type, rows, columns, wide;
  int count;              /* elements that were added */
  int counts[MOST][MOST]; /* number of times each was added */
  matrix values;
};

/* Creates an array of the world, or of an equal group that is destroyed at once; the array stays.
 * */
static int create(int type, int rows, int columns, int wide)
{
  const int world = GA_Pgroup_get_world(), stays = kit_common(2);
  const int group = stays ? world : GA_Pgroup_duplicate(world);
  GA_Pgroup_set_default(group);
  const int handle = wide ? NGA_Sprs_array_create64(rows, columns, type)
                          : NGA_Sprs_array_create(rows, columns, type);
  GA_Pgroup_set_default(world);
  if (!stays)
    kit_check_long(GA_Pgroup_destroy(group), 1, "the group is destroyed");
  return handle;
}

/* Any process adds an element of any row. */
static void add(struct sparse *s, int i, int j, number value)
{
  char bytes[16];
  store(s->type, value, bytes);
  if (kit_common(all) == me) {
    if (s->wide)
      NGA_Sprs_array_add_element64(s->handle, i, j, bytes);
    else
      NGA_Sprs_array_add_element(s->handle, i, j, bytes);
  }
  s->values[i][j] += value;
  s->counts[i][j]++;
  s->count++;
}

static void make(struct sparse *s, int type, int rows, int columns)
{
  memset(s, 0, sizeof *s);
  s->type = type;
  s->rows = rows;
  s->columns = columns;
  s->wide = kit_common(2);
  s->handle = create(type, rows, columns, s->wide);
  kit_check(s->handle != 0, "no sparse array");
  const int count = kit_common(5) == 0 ? kit_common(2) : kit_common(ELEMENTS);
  const int band = kit_common(2) ? MOST : 1 + kit_common(5);
  for (int k = 0; k < count; k++) {
    const int i = kit_common(rows), j = (i + kit_common(band)) % columns;
    add(s, i, j, draw(type));
  }
  kit_check(NGA_Sprs_array_assemble(s->handle) == 1, "not assembled");
}

static void check_number(number got, number want, const char *what, int i, int j)
{
  kit_check(creal(got) == creal(want) && cimag(got) == cimag(want),
            "%s: element %d, %d is %g, %g; it should be %g, %g", what, i, j, creal(got), cimag(got),
            creal(want), cimag(want));
}

/* --- Blocks --- */

static int start(int extent, int part)
{
  return (part * extent + all - 1) / all;
}

/* Indices of a block: int, or 64 bits wide. */
struct block {
  int wide, *idx, *jdx;
  int64_t *idx64, *jdx64;
  void *values;
};

static int at(const struct block *b, int of_columns, int k)
{
  if (b->wide)
    return (int)(of_columns ? b->jdx64 : b->idx64)[k];
  return (of_columns ? b->jdx : b->idx)[k];
}

/* Returns true if the elements are those of the model. lo, hi: range of columns. */
static int check_block(const struct sparse *s, const struct block *b, int first_row, int rows,
                       int lo, int hi)
{
  static matrix sums;
  static int counts[MOST][MOST];
  int count = 0;
  memset(sums, 0, sizeof sums);
  memset(counts, 0, sizeof counts);
  kit_check_long(at(b, 0, 0), 0, "idx[0]");
  for (int r = 0; r < rows; r++)
    for (int k = at(b, 0, r); k < at(b, 0, r + 1); k++, count++) {
      const int i = first_row + r, j = at(b, 1, k);
      if (!kit_check(j >= lo && j <= hi, "column %d in the block of %d to %d", j, lo, hi))
        return 0;
      sums[i][j] += load(s->type, b->values, (size_t)k);
      counts[i][j]++;
    }
  for (int i = first_row; i < first_row + rows; i++)
    for (int j = lo; j <= hi; j++) {
      check_number(sums[i][j], s->values[i][j], "block", i, j);
      kit_check_long(counts[i][j], s->counts[i][j], "elements at one place");
    }
  return count;
}

static int model_count(const struct sparse *s, int row_block, int column_block)
{
  int count = 0;
  for (int i = start(s->rows, row_block); i < start(s->rows, row_block + 1); i++)
    for (int j = start(s->columns, column_block); j < start(s->columns, column_block + 1); j++)
      count += s->counts[i][j];
  return count;
}

static void check_mine(const struct sparse *s)
{
  int *list = NULL, n = 0, full = 0;
  NGA_Sprs_array_col_block_list(s->handle, &list, &n);
  for (int b = 0; b < all; b++) {
    struct block block = {.wide = s->wide};
    const int lo = start(s->columns, b), hi = start(s->columns, b + 1) - 1;
    if (s->wide)
      NGA_Sprs_array_access_col_block64(s->handle, b, &block.idx64, &block.jdx64, &block.values);
    else
      NGA_Sprs_array_access_col_block(s->handle, b, &block.idx, &block.jdx, &block.values);
    const int want = model_count(s, me, b);
    kit_check((block.values != NULL) == (want > 0), "block %d has %d elements", b, want);
    if (block.values == NULL)
      continue;
    kit_check(full < n && list[full] == b, "block %d is not listed", b);
    full++;
    const int first = start(s->rows, me);
    kit_check_long(check_block(s, &block, first, start(s->rows, me + 1) - first, lo, hi), want,
                   "elements of a block");
  }
  kit_check_long(n, full, "blocks in the list");
  free(list);
}

static void check_any(const struct sparse *s, int row, int column)
{
  struct block block = {.wide = kit_own(2)};
  int ilo, ihi, jlo, jhi, there;
  if (block.wide) {
    int64_t limits[4];
    there =
        NGA_Sprs_array_get_block64(s->handle, row, column, &block.idx64, &block.jdx64,
                                   &block.values, &limits[0], &limits[1], &limits[2], &limits[3]);
    ilo = (int)limits[0], ihi = (int)limits[1], jlo = (int)limits[2], jhi = (int)limits[3];
  } else {
    there = NGA_Sprs_array_get_block(s->handle, row, column, &block.idx, &block.jdx, &block.values,
                                     &ilo, &ihi, &jlo, &jhi);
  }
  kit_check_long(there, model_count(s, row, column) > 0, "a block is there");
  kit_check(ilo == start(s->rows, row) && ihi == start(s->rows, row + 1) - 1 &&
                jlo == start(s->columns, column) && jhi == start(s->columns, column + 1) - 1,
            "limits of block %d, %d: %d %d %d %d", row, column, ilo, ihi, jlo, jhi);
  if (there)
    kit_check_long(check_block(s, &block, ilo, ihi - ilo + 1, jlo, jhi),
                   model_count(s, row, column), "elements of a block");
  free(block.idx);
  free(block.jdx);
  free(block.idx64);
  free(block.jdx64);
  free(block.values);
}

static void check_blocks(const struct sparse *s)
{
  for (int p = 0; p < all; p++) {
    int lo = -7, hi = -7;
    int64_t lo64 = -7, hi64 = -7;
    NGA_Sprs_array_row_distribution(s->handle, p, &lo, &hi);
    kit_check(lo == start(s->rows, p) && hi == start(s->rows, p + 1) - 1, "rows %d to %d", lo, hi);
    NGA_Sprs_array_column_distribution64(s->handle, p, &lo64, &hi64);
    kit_check(lo64 == start(s->columns, p) && hi64 == start(s->columns, p + 1) - 1,
              "columns %d to %d", (int)lo64, (int)hi64);
  }
  check_mine(s);
  check_any(s, kit_own(all), kit_own(all));
  GA_Sync();
}

/* --- Arrays --- */

/* A matrix, or (columns 0) a vector, and its contents. */
struct dense {
  int handle, rows, columns;
  matrix values;
};

static void put_dense(struct dense *d, int type)
{
  char *buffer = kit_alloc(MOST * MOST, 16);
  int lo[2] = {0, 0}, width = d->columns > 0 ? d->columns : 1, hi[2] = {d->rows - 1, width - 1};
  for (int i = 0; i < d->rows; i++)
    for (int j = 0; j < width; j++)
      store(type, d->values[i][j], buffer + (size_t)(i * width + j) * bytes_of(type));
  if (me == 0)
    NGA_Put(d->handle, lo, hi, buffer, &width);
  free(buffer);
}

static void draw_dense(struct dense *d, int type, int rows, int columns)
{
  int dims[2] = {rows, columns};
  *d = (struct dense){.rows = rows, .columns = columns};
  d->handle = NGA_Create(type, columns > 0 ? 2 : 1, dims, (char[]){"dense"}, NULL);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < (columns > 0 ? columns : 1); j++)
      d->values[i][j] = kit_common(3) == 0 ? 0 : draw(type);
  put_dense(d, type);
}

static void check_dense(int handle, int type, int rows, int columns, matrix want, const char *what)
{
  char *buffer = kit_alloc(MOST * MOST, 16);
  int lo[2] = {0, 0}, width = columns > 0 ? columns : 1, hi[2] = {rows - 1, width - 1};
  int got_type = 0, ndim = 0, dims[7] = {0};
  NGA_Inquire(handle, &got_type, &ndim, dims);
  kit_check(got_type == type && ndim == (columns > 0 ? 2 : 1) && dims[0] == rows &&
                (columns == 0 || dims[1] == columns),
            "%s: type %d, %d dimensions, %d x %d", what, got_type, ndim, dims[0], dims[1]);
  NGA_Get(handle, lo, hi, buffer, &width);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < width; j++)
      check_number(load(type, buffer, (size_t)(i * width + j)), want[i][j], what, i, j);
  free(buffer);
  GA_Sync();
}

/* Checks a sparse array by the dense matrix made of it. */
static void check_values(int handle, int type, int rows, int columns, matrix want, const char *what)
{
  const int dense = NGA_Sprs_array_create_from_sparse(handle);
  check_dense(dense, type, rows, columns, want, what);
  GA_Destroy(dense);
}

static void check_sparse(const struct sparse *s, const char *what)
{
  static matrix want;
  memcpy(want, s->values, sizeof want);
  check_values(s->handle, s->type, s->rows, s->columns, want, what);
}

/* --- Operations --- */

static void multiply(matrix a, matrix b, int rows, int inner, int columns, matrix c)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      c[i][j] = 0;
      for (int k = 0; k < inner; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

static void vectors(struct sparse *s)
{
  static struct dense a, v;
  static matrix want;
  draw_dense(&a, s->type, s->columns, 0);
  draw_dense(&v, s->type, s->rows, 0);
  multiply(s->values, a.values, s->rows, s->columns, 1, want);
  NGA_Sprs_array_matvec_multiply(s->handle, a.handle, v.handle);
  check_dense(v.handle, s->type, s->rows, 0, want, "matvec");
  if (s->rows == s->columns) {
    NGA_Sprs_array_matvec_multiply(s->handle, a.handle, a.handle);
    check_dense(a.handle, s->type, s->rows, 0, want, "matvec in place");
  }
  GA_Destroy(a.handle);
  GA_Destroy(v.handle);

  int diagonal = 0;
  NGA_Sprs_array_get_diag(s->handle, &diagonal);
  for (int i = 0; i < s->rows; i++)
    want[i][0] = i < s->columns ? s->values[i][i] : 0;
  check_dense(diagonal, s->type, s->rows, 0, want, "get_diag");
  GA_Destroy(diagonal);
  const int j = kit_common(s->columns);
  const int column = NGA_Sprs_array_get_column(s->handle, j);
  for (int i = 0; i < s->rows; i++)
    want[i][0] = s->values[i][j];
  check_dense(column, s->type, s->rows, 0, want, "get_column");
  GA_Destroy(column);
}

static void scale(struct sparse *s)
{
  static struct dense left, right;
  char bytes[16];
  const number factor = draw(s->type), shift = draw(s->type);
  const int copy = NGA_Sprs_array_duplicate(s->handle);
  static matrix before;
  memcpy(before, s->values, sizeof before);
  draw_dense(&left, s->type, s->rows, 0);
  draw_dense(&right, s->type, s->columns, 0);
  NGA_Sprs_array_diag_left_multiply(s->handle, left.handle);
  NGA_Sprs_array_diag_right_multiply(s->handle, right.handle);
  store(s->type, factor, bytes);
  NGA_Sprs_array_scale(s->handle, bytes);
  store(s->type, shift, bytes);
  NGA_Sprs_array_shift_diag(s->handle, bytes);
  for (int i = 0; i < s->rows; i++)
    for (int j = 0; j < s->columns; j++) {
      s->values[i][j] *= left.values[i][0] * right.values[j][0] * factor;
      if (i == j && s->counts[i][j] > 0)
        s->values[i][j] += shift;
    }
  check_sparse(s, "scaled");
  check_mine(s);
  GA_Sync();
  check_values(copy, s->type, s->rows, s->columns, before, "a copy of before");
  kit_check(NGA_Sprs_array_destroy(copy) == 1, "destroy");
  GA_Destroy(left.handle);
  GA_Destroy(right.handle);
}

static void products(struct sparse *s)
{
  static struct dense right, left;
  static struct sparse other;
  static matrix want;
  const int width = 1 + kit_common(9);
  draw_dense(&right, s->type, s->columns, width);
  multiply(s->values, right.values, s->rows, s->columns, width, want);
  int made = NGA_Sprs_array_sprsdns_multiply(s->handle, right.handle);
  check_dense(made, s->type, s->rows, width, want, "sparse times dense");
  GA_Destroy(made);
  GA_Destroy(right.handle);

  draw_dense(&left, s->type, width, s->rows);
  multiply(left.values, s->values, width, s->rows, s->columns, want);
  made = NGA_Sprs_array_dnssprs_multiply(left.handle, s->handle);
  check_dense(made, s->type, width, s->columns, want, "dense times sparse");
  GA_Destroy(made);
  GA_Destroy(left.handle);

  make(&other, s->type, s->columns, 1 + kit_common(MOST));
  multiply(s->values, other.values, s->rows, s->columns, other.columns, want);
  made = NGA_Sprs_array_matmat_multiply(s->handle, other.handle);
  check_values(made, s->type, s->rows, other.columns, want, "sparse times sparse");
  NGA_Sprs_array_destroy(made);
  NGA_Sprs_array_destroy(other.handle);
}

static void conversions(struct sparse *s)
{
  static struct dense full;
  static struct sparse t;
  draw_dense(&full, s->type, s->rows, s->columns);
  memset(&t, 0, sizeof t);
  t.type = s->type;
  t.rows = s->rows;
  t.columns = s->columns;
  t.wide = kit_common(2);
  t.handle = t.wide ? NGA_Sprs_array_create_from_dense64(full.handle)
                    : NGA_Sprs_array_create_from_dense(full.handle);
  memcpy(t.values, full.values, sizeof t.values);
  for (int i = 0; i < t.rows; i++)
    for (int j = 0; j < t.columns; j++)
      t.counts[i][j] = i == j || creal(t.values[i][j]) != 0 || cimag(t.values[i][j]) != 0;
  check_blocks(&t);
  check_sparse(&t, "from a matrix");
  NGA_Sprs_array_destroy(t.handle);
  GA_Destroy(full.handle);
}

static void sketch(struct sparse *s)
{
  static matrix want;
  char *weights = kit_alloc(MOST, 16);
  int targets[MOST], g_k = 0, g_w = 0, lo = 0, hi = s->rows - 1;
  const int size = 1 + kit_common(MOST);
  const int sums = NGA_Sprs_array_count_sketch(s->handle, size, &g_k, &g_w);
  NGA_Get(g_k, &lo, &hi, targets, NULL);
  NGA_Get(g_w, &lo, &hi, weights, NULL);
  memset(want, 0, sizeof want);
  for (int i = 0; i < s->rows; i++) {
    const number weight = load(s->type, weights, (size_t)i);
    kit_check(targets[i] >= 0 && targets[i] < size && cabs(weight) == 1 && cimag(weight) == 0,
              "row %d goes to %d times %g", i, targets[i], creal(weight));
    for (int j = 0; j < s->columns && targets[i] < size; j++)
      want[targets[i]][j] += weight * s->values[i][j];
  }
  check_dense(sums, s->type, size, s->columns, want, "count_sketch");
  free(weights);
  GA_Destroy(g_k);
  GA_Destroy(g_w);
  GA_Destroy(sums);
}

static void check_file(const struct sparse *s, const char *name)
{
  static matrix sums;
  FILE *file = fopen(name, "r");
  char field[16];
  int rows = 0, columns = 0, count = 0, i, j;
  memset(sums, 0, sizeof sums);
  kit_check(file != NULL, "there is no file '%s'", name);
  if (file == NULL)
    return;
  const int found = fscanf(file, "%%%%MatrixMarket matrix coordinate %15s general %d %d %d", field,
                           &rows, &columns, &count);
  const int complex_type = s->type == C_SCPL || s->type == C_DCPL;
  const int whole = s->type == C_INT || s->type == C_LONG || s->type == C_LONGLONG;
  kit_check(found == 4 && rows == s->rows && columns == s->columns && count == s->count &&
                strcmp(field, complex_type ? "complex"
                              : whole      ? "integer"
                                           : "real") == 0,
            "the file says %s, %d x %d, %d elements", field, rows, columns, count);
  for (int k = 0; k < count; k++) {
    double real = 0, imag = 0;
    const int parts =
        fscanf(file, "%d %d %lf", &i, &j, &real) + (complex_type ? fscanf(file, "%lf", &imag) : 0);
    if (!kit_check(parts == 3 + complex_type && i >= 1 && i <= rows && j >= 1 && j <= columns,
                   "line %d of the file", k))
      break;
    sums[i - 1][j - 1] += real + I * imag;
  }
  for (i = 0; i < s->rows; i++)
    for (j = 0; j < s->columns; j++)
      check_number(sums[i][j], s->values[i][j], "file", i, j);
  fclose(file);
  remove(name);
}

static void exported(struct sparse *s)
{
  char name[64];
  int number_of_job = (int)getpid();
  GA_Brdcst(&number_of_job, sizeof number_of_job, 0);
  snprintf(name, sizeof name, "/tmp/cwga_sparse.%d", number_of_job);
  NGA_Sprs_array_export(s->handle, name);
  if (me == 0)
    check_file(s, name);
}

static void try(int type)
{
  static struct sparse s;
  const int rows = 1 + kit_common(kit_common(4) == 0 ? 3 : MOST);
  const int columns = kit_common(3) == 0 ? rows : 1 + kit_common(kit_common(4) == 0 ? 3 : MOST);
  kit_about("type %d, %d x %d", type, rows, columns);
  make(&s, type, rows, columns);
  check_blocks(&s);
  check_sparse(&s, "made");
  vectors(&s);
  products(&s);
  conversions(&s);
  sketch(&s);
  exported(&s);
  scale(&s);
  vectors(&s);
  kit_check(NGA_Sprs_array_destroy(s.handle) == 1, "destroy");
}

/* A vector that a call makes belongs to the sparse array's group. */
static void diagonal_in(int group)
{
  double value = 3, got = 0;
  int diagonal = 0, place = 2, ld = 1;
  GA_Pgroup_set_default(group);
  const int handle = NGA_Sprs_array_create(4, 4, C_DBL);
  if (GA_Nodeid() == 0)
    NGA_Sprs_array_add_element(handle, place, place, &value);
  NGA_Sprs_array_assemble(handle);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  NGA_Sprs_array_get_diag(handle, &diagonal);
  kit_check_long(GA_Get_pgroup(diagonal), group, "group of the diagonal");
  NGA_Get(diagonal, &place, &place, &got, &ld);
  kit_check(got == value, "the diagonal has %g", got);
  GA_Destroy(diagonal);
  NGA_Sprs_array_destroy(handle);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "cwga.sparse");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 2);
  for (long round = 0; round < rounds; round++)
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
      try(types[t]);
  kit_about("a diagonal in the mirror group");
  diagonal_in(GA_Pgroup_get_mirror());
  kit_about("a diagonal in a group like the world");
  diagonal_in(GA_Pgroup_duplicate(GA_Pgroup_get_world()));
  /* One array is left, and one is not assembled: GA frees them at the end. */
  static struct sparse left;
  make(&left, C_DBL, 7, 9);
  (void)create(C_INT, 3, 3, 0);
  GA_Terminate();
  return kit_finish();
}

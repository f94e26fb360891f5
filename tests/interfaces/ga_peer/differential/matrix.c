/* Diagonals, rows, columns and norms; multiplication of matrices; dense solvers. */
#include "differ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_number_matrix(const array *a)
{
  return a->ndim == 2 && a->type->adds; /* GA has no C_LONGLONG here */
}

/* Makes a vector as long as the diagonal or a side of a matrix. */
static array *vector_for(const array *a, int length)
{
  return array_new(a->type, 1, &length);
}

/* Not GA_Zero_diagonal: in GA 5.8.2 on several processes it zeroes other elements. */
static void diagonal(void)
{
  enum { ADD, GET, SET, SHIFT, WAYS };
  static const char *const names[WAYS] = {"add", "get", "set", "shift"};
  int way = draw(WAYS), n;
  array *a = array_any(is_number_matrix), *v;
  number shift = draw_number(a->type, 50);

  n = a->dims[0] < a->dims[1] ? a->dims[0] : a->dims[1];
  v = vector_for(a, n);
  array_allow_growth(a, v->bound + 100);
  log_text(" %s %s %s", names[way], a->name, v->name);
  switch (way) {
  case ADD:
    GA_Add_diagonal(a->handle, v->handle);
    break;
  case GET:
    GA_Get_diag(a->handle, v->handle);
    v->bound = a->bound;
    array_log(v);
    break;
  case SET:
    GA_Set_diagonal(a->handle, v->handle);
    break;
  default:
    log_number(a->type, shift);
    GA_Shift_diagonal(a->handle, &shift);
    break;
  }
  array_log(a);
}

/* GA 5.8.2 multiplies real parts with real parts and imaginary parts with imaginary parts. */
static bool is_real_matrix(const array *a)
{
  return is_number_matrix(a) && !a->type->is_complex;
}

static void scale_sides(void)
{
  bool rows = chance(50);
  array *a = array_any(is_real_matrix), *v = vector_for(a, a->dims[rows ? 0 : 1]);

  log_text(" %s %s %s", rows ? "rows" : "columns", a->name, v->name);
  array_allow_growth(a, a->bound * 28);
  if (rows)
    GA_Scale_rows(a->handle, v->handle);
  else
    GA_Scale_cols(a->handle, v->handle);
  array_log(a);
}

/* The norms of cyclic arrays are wrong in GA 5.8.2. */
static bool has_norm(const array *a)
{
  return a->ndim <= 2 && a->type->adds && is_block(a);
}

static void norms(void)
{
  array *a = array_any(has_norm);
  double one, most;

  log_text(" %s", a->name);
  GA_Norm1(a->handle, &one);
  GA_Norm_infinity(a->handle, &most);
  log_near(one, 1e-6 * (1 + one));
  log_near(most, 1e-6 * (1 + most));
}

const operation diagonal_operations[] = {
    {"diagonal", "diagonal", 5, false, diagonal},
    {"scale_sides", "diagonal", 3, false, scale_sides},
    {"norms", "norms", 2, true, norms}, /* GA 5.8.2 adds too many values in groups */
    {NULL, NULL, 0, false, NULL},
};

typedef struct product {
  char ta, tb;
  int m, n, k;
  number alpha, beta;
  array *a, *b, *c;
} product;

/* GA 5.8.2 accesses wrong processes for parts of irregular, restricted and cyclic matrices, and in
 * groups. */
static array *factor(const kind *type, const int *dims)
{
  static const layout good[] = {PLAIN, CHUNKED, GHOSTS};

  return array_create(type, 2, dims, good[draw(3)]);
}

/* If `most_gap` > 0, the arrays are larger than the product by up to that many rows and columns. */
static void draw_product(product *p, const char *letters, int most_gap)
{
  static const int types[] = {FLOAT, DOUBLE, DOUBLE, SCPL, DCPL};
  const kind *type = &kinds[types[draw(5)]];
  int dims[3][2];

  p->ta = letters[draw(type->is_complex ? (int)strlen(letters) : 2)];
  p->tb = letters[draw(type->is_complex ? (int)strlen(letters) : 2)];
  p->m = 1 + draw(20);
  p->n = 1 + draw(20);
  p->k = 1 + draw(20);
  p->alpha = draw_number(type, 2);
  p->beta = draw_number(type, 2);
  dims[0][0] = p->ta == 'n' ? p->m : p->k;
  dims[0][1] = p->ta == 'n' ? p->k : p->m;
  dims[1][0] = p->tb == 'n' ? p->k : p->n;
  dims[1][1] = p->tb == 'n' ? p->n : p->k;
  dims[2][0] = p->m;
  dims[2][1] = p->n;
  for (int i = 0; i < 6; i++)
    dims[i / 2][i % 2] += most_gap ? draw(most_gap) : 0;
  p->a = factor(type, dims[0]);
  p->b = factor(type, dims[1]);
  p->c = factor(type, dims[2]);
  log_text(" %c%c m %d n %d k %d", p->ta, p->tb, p->m, p->n, p->k);
  log_number(type, p->alpha);
  log_number(type, p->beta);
}

static void end_product(product *p)
{
  p->c->bound = 20 * 9 * 9 * 4 * 4;
  array_log(p->c);
  array_log(p->a); /* inputs must be unchanged */
  array_destroy(p->a);
  array_destroy(p->b);
  array_destroy(p->c);
}

static void gemm(void)
{
  product p;
  int a, b, c;

  draw_product(&p, "ntc", chance(30) ? 5 : 0);
  a = p.a->handle;
  b = p.b->handle;
  c = p.c->handle;
  switch (p.c->type->code) {
  case C_FLOAT:
    GA_Sgemm(p.ta, p.tb, p.m, p.n, p.k, p.alpha.f, a, b, p.beta.f, c);
    break;
  case C_DBL:
    GA_Dgemm(p.ta, p.tb, p.m, p.n, p.k, p.alpha.d, a, b, p.beta.d, c);
    break;
  case C_SCPL:
    GA_Cgemm(p.ta, p.tb, p.m, p.n, p.k, p.alpha.c, a, b, p.beta.c, c);
    break;
  default:
    GA_Zgemm(p.ta, p.tb, p.m, p.n, p.k, p.alpha.z, a, b, p.beta.z, c);
    break;
  }
  end_product(&p);
}

/* Draws the position in A of a patch of `rows` x `columns` of op(A). GA wants the bounds of op(A):
 * coordinates are exchanged where the operation transposes. */
static void draw_place(const array *a, char op, int rows, int columns, int lo[2], int hi[2])
{
  int extent[2] = {rows, columns};

  for (int d = 0; d < 2; d++) {
    int there = op == 'n' ? d : 1 - d; /* the array's dimension */

    lo[d] = draw(a->dims[there] - extent[d] + 1);
    hi[d] = lo[d] + extent[d] - 1;
  }
  log_text(" [%d:%d,%d:%d]", lo[0], hi[0], lo[1], hi[1]);
}

/* Not GA_Matmul_patch, the form with scalar bounds: in GA 5.8.2 it aborts for patches that this one
   accepts (tests/interfaces/ga_peer/matrix.c). */
static void matmul_patch(void)
{
  product p;
  int lo[3][2], hi[3][2];

  draw_product(&p, "nt", 6);
  draw_place(p.a, p.ta, p.m, p.k, lo[0], hi[0]);
  draw_place(p.b, p.tb, p.k, p.n, lo[1], hi[1]);
  draw_place(p.c, 'n', p.m, p.n, lo[2], hi[2]);
  NGA_Matmul_patch(p.ta, p.tb, &p.alpha, &p.beta, p.a->handle, lo[0], hi[0], p.b->handle, lo[1],
                   hi[1], p.c->handle, lo[2], hi[2]);
  end_product(&p);
}

static int definite_size;

/* Returns an element of a symmetric matrix with a dominant diagonal. */
static double definite(uint64_t stamp, size_t index, bool imaginary)
{
  size_t i = index / (size_t)definite_size, j = index % (size_t)definite_size;
  size_t low = i < j ? i : j, high = i < j ? j : i;

  if (imaginary)
    return 0;
  if (i == j)
    return 5 * definite_size + (double)i;
  return (double)(mix(stamp + low * 1000 + high) % 9) - 4;
}

/* Returns an element of a diagonally dominant matrix that is not symmetric. */
static double dominant(uint64_t stamp, size_t index, bool imaginary)
{
  size_t i = index / (size_t)definite_size, j = index % (size_t)definite_size;

  return imaginary ? 0 : (double)(mix(stamp + index) % 9) - 4 + (i == j ? 5 * definite_size : 0);
}

/* Transposed systems are left out: GA 5.8.2 passes `tran` wrongly to PDGETRS. Right-hand sides are
 * rows. */
static void solve(void)
{
  enum { LU, LLT, ANY, WAYS };
  static const char *const names[WAYS] = {"lu", "llt", "any"};
  int way = draw(WAYS), n = 2 + draw(30), sides = 1 + draw(5), result = 0;
  int square[2] = {n, n}, wide[2] = {sides, n};
  array *a = array_create(&kinds[DOUBLE], 2, square, PLAIN);
  array *b = array_create(&kinds[DOUBLE], 2, wide, PLAIN);

  definite_size = n;
  array_fill(a, way == LU ? dominant : definite, 7 * n);
  log_text(" %s %d equations, %d sides", names[way], n, sides);
  if (way == LU)
    GA_Lu_solve(0, a->handle, b->handle);
  if (way == LLT)
    result = GA_Llt_solve(a->handle, b->handle);
  if (way == ANY)
    result = GA_Solve(a->handle, b->handle);
  log_text(" %d", result);
  array_log_near(b, 1e-9);
  array_destroy(a);
  array_destroy(b);
}

static void invert(void)
{
  int n = 2 + draw(30), dims[2] = {n, n};
  array *a = array_create(&kinds[DOUBLE], 2, dims, PLAIN);

  definite_size = n;
  array_fill(a, definite, 7 * n);
  log_text(" %d", GA_Spd_invert(a->handle));
  array_log_near(a, 1e-9);
  array_destroy(a);
}

/* Eigenvectors are rows of v. Their signs are undefined, so their squares are compared. */
static void eigen(void)
{
  bool generalised = chance(50);
  int n = 2 + draw(20), dims[2] = {n, n};
  array *a = array_create(&kinds[DOUBLE], 2, dims, PLAIN);
  array *s = array_create(&kinds[DOUBLE], 2, dims, PLAIN);
  array *v = array_create(&kinds[DOUBLE], 2, dims, PLAIN);
  double *values = take((size_t)n, sizeof *values);

  definite_size = n;
  array_fill(a, definite, 7 * n);
  array_fill(s, definite, 7 * n);
  log_text(" %s %d", generalised ? "generalised" : "standard", n);
  if (generalised)
    GA_Diag_seq(a->handle, s->handle, v->handle, values);
  else
    GA_Diag_std_seq(a->handle, v->handle, values);
  for (int i = 0; i < n; i++)
    log_near(values[i], 1e-8 * (1 + fabs(values[i])));
  GA_Elem_multiply(v->handle, v->handle, v->handle);
  array_log_near(v, 1e-5);
  free(values);
  array_destroy(a);
  array_destroy(s);
  array_destroy(v);
}

const operation matrix_operations[] = {
    {"gemm", "matrix", 4, true, gemm},  {"matmul_patch", "matrix", 4, true, matmul_patch},
    {"solve", "solve", 1, true, solve}, {"invert", "solve", 1, true, invert},
    {"eigen", "solve", 1, true, eigen}, {NULL, NULL, 0, false, NULL},
};

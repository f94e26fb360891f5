/* Matrix multiplication, transposition and whole-array arithmetic against plain loops. All values
 * are small whole numbers, so that every result is exact in every type. */
#include "ga_model.h"

#include <string.h>

enum { SMALL = 4, ROUNDS = 3 };

/* A global array with its model. */
typedef struct matrix {
  model m;
  int array;
} matrix;

static model_type types[MODEL_TYPES]; /* unscaled: products would carry the scale twice */

static void matrix_init(matrix *a, const model_type *type, int ndim, const int dims[])
{
  model_init(&a->m, type, ndim, dims);
  a->array = model_create(&a->m);
  for (size_t i = 0; i < a->m.count; i++) {
    double re = kit_common(2 * SMALL + 1) - SMALL, im = kit_common(2 * SMALL + 1) - SMALL;
    a->m.at[i] = CMPLX(re, type->is_complex ? im : 0);
  }
  model_write(&a->m, a->array);
}

static void matrix_free(matrix *a)
{
  GA_Destroy(a->array);
  model_free(&a->m);
}

static model_number *at(const matrix *a, int i, int j)
{
  return &a->m.at[i * a->m.dims[1] + j];
}

/* Element (i, j) of op(a), where a is the patch that starts at (lo[0], lo[1]). */
static model_number op_at(const matrix *a, char op, const int lo[], int i, int j)
{
  model_number v = op == 'n' ? *at(a, lo[0] + i, lo[1] + j) : *at(a, lo[0] + j, lo[1] + i);

  return op == 'c' ? conj(v) : v;
}

typedef struct product {
  char ta, tb;
  int m, n, k;
  model_number alpha, beta;
  int alo[2], blo[2], clo[2]; /* where the patches start */
} product;

static void multiply_model(const product *p, const matrix *a, const matrix *b, matrix *c)
{
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < p->n; j++) {
      model_number sum = 0, *cell = at(c, p->clo[0] + i, p->clo[1] + j);
      for (int l = 0; l < p->k; l++)
        sum += op_at(a, p->ta, p->alo, i, l) * op_at(b, p->tb, p->blo, l, j);
      *cell = p->alpha * sum + p->beta * *cell;
    }
}

static void gemm(const product *p, const matrix *a, const matrix *b, const matrix *c)
{
  DoubleComplex za, zb;
  SingleComplex ca, cb;

  model_store(&types[MODEL_DCPL], &za, 0, p->alpha);
  model_store(&types[MODEL_DCPL], &zb, 0, p->beta);
  model_store(&types[MODEL_SCPL], &ca, 0, p->alpha);
  model_store(&types[MODEL_SCPL], &cb, 0, p->beta);
  switch (c->m.type->code) {
  case C_FLOAT:
    GA_Sgemm(p->ta, p->tb, p->m, p->n, p->k, ca.real, a->array, b->array, cb.real, c->array);
    break;
  case C_DBL:
    GA_Dgemm(p->ta, p->tb, p->m, p->n, p->k, za.real, a->array, b->array, zb.real, c->array);
    break;
  case C_SCPL:
    GA_Cgemm(p->ta, p->tb, p->m, p->n, p->k, ca, a->array, b->array, cb, c->array);
    break;
  default:
    GA_Zgemm(p->ta, p->tb, p->m, p->n, p->k, za, a->array, b->array, zb, c->array);
    break;
  }
}

/* Not here: GA_Matmul_patch, the form with scalar bounds. In GA 5.8.2 it aborts ("indices out of
 * range") for patches that NGA_Matmul_patch accepts. */

/* GA wants the patches of op(A) and op(B), that is, both corners transposed where the operation is
 * not 'n'. */
static void op_patch(char op, const int start[], int rows, int columns, int lo[2], int hi[2])
{
  lo[0] = start[op == 'n' ? 0 : 1];
  lo[1] = start[op == 'n' ? 1 : 0];
  hi[0] = lo[0] + rows - 1;
  hi[1] = lo[1] + columns - 1;
}

static void matmul_patch(const product *p, const matrix *a, const matrix *b, const matrix *c)
{
  int alo[2], ahi[2], blo[2], bhi[2], clo[2], chi[2];
  DoubleComplex alpha, beta; /* room for any type */

  op_patch(p->ta, p->alo, p->m, p->k, alo, ahi);
  op_patch(p->tb, p->blo, p->k, p->n, blo, bhi);
  op_patch('n', p->clo, p->m, p->n, clo, chi);
  model_store(c->m.type, &alpha, 0, p->alpha);
  model_store(c->m.type, &beta, 0, p->beta);
  NGA_Matmul_patch(p->ta, p->tb, &alpha, &beta, a->array, alo, ahi, b->array, blo, bhi, c->array,
                   clo, chi);
}

/* With most_gap = 0 the arrays have just the sizes of the product, else up to `most_gap` more. */
static void test_product(int type, char ta, char tb, int most_gap)
{
  int extra[6];
  product p = {ta,
               tb,
               1 + kit_common(24),
               1 + kit_common(24),
               1 + kit_common(24),
               model_alpha(&types[type], kit_common(6)),
               kit_common(3),
               {0, 0},
               {0, 0},
               {0, 0}};
  matrix a, b, c;

  for (int e = 0; e < 6; e++)
    extra[e] = most_gap ? kit_common(most_gap) : 0;
  for (int d = 0; d < 2; d++) {
    p.alo[d] = kit_common(extra[d] + 1);
    p.blo[d] = kit_common(extra[2 + d] + 1);
    p.clo[d] = kit_common(extra[4 + d] + 1);
  }
  matrix_init(&a, &types[type], 2,
              (int[]){(ta == 'n' ? p.m : p.k) + extra[0], (ta == 'n' ? p.k : p.m) + extra[1]});
  matrix_init(&b, &types[type], 2,
              (int[]){(tb == 'n' ? p.k : p.n) + extra[2], (tb == 'n' ? p.n : p.k) + extra[3]});
  matrix_init(&c, &types[type], 2, (int[]){p.m + extra[4], p.n + extra[5]});
  kit_about("%s%s %c%c, %s, m=%d n=%d k=%d, beta=%g", most_gap ? "matmul_patch" : "gemm", "", ta,
            tb, types[type].name, p.m, p.n, p.k, creal(p.beta));
  if (most_gap)
    matmul_patch(&p, &a, &b, &c);
  else
    gemm(&p, &a, &b, &c);
  multiply_model(&p, &a, &b, &c);
  model_verify(&c.m, c.array);
  model_verify(&a.m, a.array); /* inputs are unchanged */
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

static void test_products(void)
{
  static const int of[] = {MODEL_FLOAT, MODEL_DOUBLE, MODEL_SCPL, MODEL_DCPL};
  static const char ops[] = {'n', 't', 'c'};

  for (size_t t = 0; t < 4; t++)
    for (int a = 0; a < (types[of[t]].is_complex ? 3 : 2); a++)
      for (int b = 0; b < (types[of[t]].is_complex ? 3 : 2); b++) {
        test_product(of[t], ops[a], ops[b], 0);
        if (a < 2 && b < 2)
          test_product(of[t], ops[a], ops[b], 9);
      }
}

static void test_transpose(int type)
{
  int rows = 5 + kit_common(20), columns = 5 + kit_common(20);
  matrix a, b;

  kit_about("transpose, %s, %d x %d", types[type].name, rows, columns);
  matrix_init(&a, &types[type], 2, (int[]){rows, columns});
  matrix_init(&b, &types[type], 2, (int[]){columns, rows});
  GA_Transpose(a.array, b.array);
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < rows; j++)
      *at(&b, i, j) = *at(&a, j, i);
  model_verify(&b.m, b.array);
  matrix_free(&a);
  matrix_free(&b);
}

static void test_symmetrize(void)
{
  int n = 5 + kit_common(20);
  matrix a;

  kit_about("symmetrize, %d x %d", n, n);
  matrix_init(&a, &types[MODEL_DOUBLE], 2, (int[]){n, n});
  GA_Symmetrize(a.array);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      *at(&a, i, j) = *at(&a, j, i) = (*at(&a, i, j) + *at(&a, j, i)) / 2;
  model_verify(&a.m, a.array);
  matrix_free(&a);
}

static model_number dot(const matrix *a, const matrix *b)
{
  switch (a->m.type->code) {
  case C_INT:
    return GA_Idot(a->array, b->array);
  case C_LONG:
    return (double)GA_Ldot(a->array, b->array);
  case C_LONGLONG:
    return (double)GA_Lldot(a->array, b->array);
  case C_FLOAT:
    return (double)GA_Fdot(a->array, b->array);
  case C_DBL:
    return GA_Ddot(a->array, b->array);
  case C_SCPL: {
    SingleComplex z = GA_Cdot(a->array, b->array);
    return CMPLX(z.real, z.imag);
  }
  default: {
    DoubleComplex z = GA_Zdot(a->array, b->array);
    return CMPLX(z.real, z.imag);
  }
  }
}

static void test_arithmetic(int type, int ndim)
{
  static const int dims[4][4] = {{97}, {13, 17}, {7, 5, 9}, {3, 4, 5, 6}};
  const model_type *t = &types[type];
  model_number alpha = model_alpha(t, kit_common(6)), beta = model_alpha(t, kit_common(6)), sum = 0,
               got;
  DoubleComplex x, y;
  matrix a, b, c;

  kit_about("add, copy, scale, dot, %s, %d dimensions", t->name, ndim);
  model_store(t, &x, 0, alpha);
  model_store(t, &y, 0, beta);
  matrix_init(&a, t, ndim, dims[ndim - 1]);
  matrix_init(&b, t, ndim, dims[ndim - 1]);
  matrix_init(&c, t, ndim, dims[ndim - 1]);
  for (size_t i = 0; i < a.m.count; i++)
    sum += a.m.at[i] * b.m.at[i];
  got = dot(&a, &b);
  kit_check_near(creal(got), creal(sum), 0, "dot, real part");
  kit_check_near(cimag(got), cimag(sum), 0, "dot, imaginary part");
  GA_Add(&x, a.array, &y, b.array, c.array);
  for (size_t i = 0; i < a.m.count; i++)
    c.m.at[i] = alpha * a.m.at[i] + beta * b.m.at[i];
  model_verify(&c.m, c.array);
  GA_Add(&x, a.array, &y, b.array, a.array); /* in place */
  GA_Scale(b.array, &y);
  for (size_t i = 0; i < a.m.count; i++)
    b.m.at[i] *= beta;
  model_verify(&b.m, b.array);
  model_verify(&c.m, a.array);
  GA_Copy(b.array, c.array);
  model_verify(&b.m, c.array);
  GA_Fill(c.array, &x);
  for (size_t i = 0; i < c.m.count; i++)
    c.m.at[i] = alpha;
  model_verify(&c.m, c.array);
  GA_Zero(c.array);
  memset(c.m.at, 0, c.m.count * sizeof *c.m.at);
  model_verify(&c.m, c.array);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&c);
}

/* Patches that start at different places in arrays of different shape, so that the data of one
 * process goes to others. */
static void test_patches(int type)
{
  const model_type *t = &types[type];
  int rows = 3 + kit_common(8), columns = 3 + kit_common(8);
  int alo[2] = {kit_common(8), kit_common(6)}, ahi[2] = {alo[0] + rows - 1, alo[1] + columns - 1};
  int blo[2] = {kit_common(5), kit_common(9)}, bhi[2] = {blo[0] + rows - 1, blo[1] + columns - 1};
  int tlo[2] = {1, 2}, thi[2] = {columns, rows + 1};
  model_number alpha = model_alpha(t, kit_common(6)), beta = model_alpha(t, kit_common(6));
  DoubleComplex x, y;
  matrix a, b;

  kit_about("patch operations, %s, %d x %d", t->name, rows, columns);
  model_store(t, &x, 0, alpha);
  model_store(t, &y, 0, beta);
  matrix_init(&a, t, 2, (int[]){19, 17});
  matrix_init(&b, t, 2, (int[]){16, 20});
  NGA_Copy_patch('n', a.array, alo, ahi, b.array, blo, bhi);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      *at(&b, blo[0] + i, blo[1] + j) = *at(&a, alo[0] + i, alo[1] + j);
  model_verify(&b.m, b.array);
  NGA_Copy_patch('t', a.array, alo, ahi, b.array, tlo, thi);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      *at(&b, tlo[0] + j, tlo[1] + i) = *at(&a, alo[0] + i, alo[1] + j);
  model_verify(&b.m, b.array);
  NGA_Add_patch(&x, a.array, alo, ahi, &y, b.array, blo, bhi, b.array, blo, bhi);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      model_number *cell = at(&b, blo[0] + i, blo[1] + j);
      *cell = alpha * *at(&a, alo[0] + i, alo[1] + j) + beta * *cell;
    }
  model_verify(&b.m, b.array);
  NGA_Scale_patch(a.array, alo, ahi, &x);
  NGA_Fill_patch(b.array, tlo, thi, &y);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      *at(&a, alo[0] + i, alo[1] + j) *= alpha;
      *at(&b, tlo[0] + j, tlo[1] + i) = beta;
    }
  model_verify(&a.m, a.array);
  model_verify(&b.m, b.array);
  matrix_free(&a);
  matrix_free(&b);
}

/* Operations on single elements, rows, columns and the diagonal of a square matrix. */
static void test_elements(void)
{
  int n = 6 + kit_common(12), index[2] = {-1, -1};
  char most[] = "max";
  double shift = 3, norm, sum = 0, largest = -1e9, value = 0;
  matrix a, b, v;

  kit_about("element-wise operations, %d x %d", n, n);
  matrix_init(&a, &types[MODEL_DOUBLE], 2, (int[]){n, n});
  matrix_init(&b, &types[MODEL_DOUBLE], 2, (int[]){n, n});
  matrix_init(&v, &types[MODEL_DOUBLE], 1, (int[]){n});
  GA_Elem_multiply(a.array, b.array, b.array);
  GA_Scale_rows(a.array, v.array);
  GA_Add_constant(a.array, &shift);
  GA_Add_diagonal(a.array, v.array);
  GA_Shift_diagonal(a.array, &shift);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      *at(&b, i, j) *= *at(&a, i, j);
      *at(&a, i, j) = *at(&a, i, j) * v.m.at[i] + shift + (i == j ? v.m.at[i] + shift : 0);
      sum += cabs(*at(&a, i, j));
      if (creal(*at(&a, i, j)) > largest)
        largest = creal(*at(&a, i, j));
    }
  model_verify(&b.m, b.array);
  model_verify(&a.m, a.array);
  GA_Norm1(a.array, &norm); /* the sum of all absolute values, not a column sum */
  kit_check_near(norm, sum, 0, "norm 1");
  NGA_Select_elem(a.array, most, &value, index);
  kit_check_near(value, largest, 0, "largest element");
  if (kit_check(index[0] >= 0 && index[0] < n && index[1] >= 0 && index[1] < n,
                "index of the largest: %d,%d", index[0], index[1]))
    kit_check_near(creal(*at(&a, index[0], index[1])), largest, 0, "model at the largest");
  GA_Get_diag(a.array, v.array);
  GA_Abs_value(b.array);
  for (int i = 0; i < n; i++)
    v.m.at[i] = *at(&a, i, i);
  for (size_t i = 0; i < b.m.count; i++)
    b.m.at[i] = cabs(b.m.at[i]);
  model_verify(&v.m, v.array);
  model_verify(&b.m, b.array);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&v);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "matrix");
  for (int t = 0; t < MODEL_TYPES; t++)
    types[t] = model_unscaled(&model_types[t]);
  test_products();
  for (int r = 0; r < ROUNDS; r++) {
    for (int t = 0; t < MODEL_TYPES; t++) {
      test_arithmetic(t, 1 + (t + r) % 4);
      test_transpose(t);
      test_patches(t);
    }
    test_symmetrize();
    test_elements();
  }
  return kit_finish();
}

/* Products of matrices. The matrices are row-major, as C programs see them. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "array/array_arguments.h"
#include "linear/patch_matrix.h"

#include <string.h>

static cw_error transposition(const char *what, char letter, cw_transposition *op)
{
  switch (letter) {
  case 'n':
  case 'N':
    *op = CW_NOT_TRANSPOSED;
    return CW_OK;
  case 't':
  case 'T':
    *op = CW_TRANSPOSED;
    return CW_OK;
  case 'c':
  case 'C':
    *op = CW_CONJUGATE_TRANSPOSED;
    return CW_OK;
  default:
    return cwi_misuse("%s is '%c' (%d); it may be 'n', 'N', 't', 'T', 'c' or 'C'", what,
                      letter >= ' ' ? letter : '?', letter);
  }
}

/* A patch of a matrix: its first rows and columns. */
struct corner {
  int64_t lo[2], hi[2];
};

static cw_error take_corner(const char *what, int g_a, int64_t rows, int64_t columns,
                            struct corner *corner, cw_operand *operand)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array(what, g_a, &array));
  if (array->dimensions != 2)
    return cwi_misuse("%s is array '%s' of %d dimensions; this call takes matrices", what,
                      array->name, array->dimensions);
  if (rows > array->axes[0].extent || columns > array->axes[1].extent)
    return cwi_misuse("m, n and k select %lld x %lld elements of %s, array '%s', which has %lld x "
                      "%lld",
                      (long long)rows, (long long)columns, what, array->name,
                      (long long)array->axes[0].extent, (long long)array->axes[1].extent);
  *corner = (struct corner){{0, 0}, {rows - 1, columns - 1}};
  *operand = (cw_operand){.array = array, .lo = corner->lo, .hi = corner->hi};
  return CW_OK;
}

struct ga_product {
  char ta, tb;
  int64_t m, n, k;
  int g_a, g_b, g_c, code;
};

static cw_error multiply(const struct ga_product *p, const void *alpha, const void *beta,
                         const char *type)
{
  cw_transposition ta = CW_NOT_TRANSPOSED, tb = CW_NOT_TRANSPOSED;
  cw_operand a = {0}, b = {0}, c = {0};
  struct corner corners[3];
  CWI_TRY(transposition("ta", p->ta, &ta));
  CWI_TRY(transposition("tb", p->tb, &tb));
  if (p->m <= 0 || p->n <= 0)
    return cwi_ga_do_nothing(&(struct cwi_ga_operand){.what = "g_c", .g_a = p->g_c});
  const int64_t k = p->k > 0 ? p->k : 0; /* if k is 0, c becomes beta * c, as in BLAS */
  const bool at = ta != CW_NOT_TRANSPOSED, bt = tb != CW_NOT_TRANSPOSED;
  CWI_TRY(take_corner("g_a", p->g_a, at ? k : p->m, at ? p->m : k, &corners[0], &a));
  CWI_TRY(take_corner("g_b", p->g_b, bt ? p->n : k, bt ? k : p->n, &corners[1], &b));
  CWI_TRY(take_corner("g_c", p->g_c, p->m, p->n, &corners[2], &c));
  CWI_ASSERT(a.array != NULL && b.array != NULL && c.array != NULL);
  CWI_TRY(cwi_ga_check_type("g_a", p->g_a, p->code, type));
  CWI_TRY(cwi_ga_check_type("g_b", p->g_b, p->code, type));
  CWI_TRY(cwi_ga_check_type("g_c", p->g_c, p->code, type));
  const struct cwi_argument agreed[] = {cwi_agreed_array("g_a", a.array),
                                        cwi_agreed_array("g_b", b.array),
                                        cwi_agreed_array("g_c", c.array),
                                        cwi_argument_indices("m", &p->m, 1),
                                        cwi_argument_indices("n", &p->n, 1),
                                        cwi_argument_indices("k", &p->k, 1),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(c.array->team, agreed));
  return cw_array_multiply(ta, tb, alpha, &a, &b, beta, &c);
}

#define GEMM(letter, number, code)                                                                 \
  void GA_##letter##gemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, number alpha,        \
                           int g_a, int g_b, number beta, int g_c)                                 \
  {                                                                                                \
    const struct ga_product product = {ta, tb, m, n, k, g_a, g_b, g_c, code};                      \
    (void)CWI_GA_WAITS(multiply(&product, &alpha, &beta, #code));                                  \
  }                                                                                                \
  void GA_##letter##gemm(char ta, char tb, int m, int n, int k, number alpha, int g_a, int g_b,    \
                         number beta, int g_c)                                                     \
  {                                                                                                \
    GA_##letter##gemm64(ta, tb, m, n, k, alpha, g_a, g_b, beta, g_c);                              \
  }

GEMM(S, float, C_FLOAT)
GEMM(D, double, C_DBL)
GEMM(C, SingleComplex, C_SCPL)
GEMM(Z, DoubleComplex, C_DCPL)

/* --- Products of patches --- */

/* Shape of a patch of op(a), op(b) or c: the two dimensions with its rows and columns, and their
 * extents. */
struct shape {
  int pair[2];
  int64_t extents[2];
  bool loose; /* the array has more than two dimensions, and at most one is wider than 1 in the
                 patch */
};

/* Selects the two dimensions in which the patch is wider than 1. If there are fewer, it selects the
 * last dimensions as well. */
static void find_shape(int ndim, const int64_t *lo, const int64_t *hi, struct shape *shape)
{
  int wide = -1, other = -1;
  for (int d = ndim - 1; d >= 0; d--)
    if (hi[d] > lo[d]) {
      other = wide;
      wide = d;
    }
  const bool matrix = other >= 0;
  if (!matrix) {
    other = wide >= 0 && wide < ndim - 1 ? ndim - 1 : ndim - 2;
    wide = wide >= 0 ? wide : ndim - 1;
  }
  shape->pair[0] = wide < other ? wide : other;
  shape->pair[1] = wide < other ? other : wide;
  for (int side = 0; side < 2; side++) /* unsigned, because this may overflow for a patch outside
                                          the array */
    shape->extents[side] =
        (int64_t)((uint64_t)hi[shape->pair[side]] - (uint64_t)lo[shape->pair[side]] + 1);
  shape->loose = !matrix && ndim > 2;
}

/* Selects the second dimension of a patch that is wider than 1 in only one dimension. If the patch
 * is a column, the second dimension is the one after the wide one. If it is a row, it is the one
 * before, as in GA. If the matrix is transposed (`turned`), a column counts as a row and a row as a
 * column. */
static void ga_matrix_settle(int ndim, bool turned, struct shape *shape)
{
  const int side = shape->extents[0] > 1 ? 0 : 1, wide = shape->pair[side];
  if (!shape->loose || shape->extents[side] == 1)
    return;
  const bool column = (side == 0) != turned;
  const int first = column ? wide : wide - 1;
  shape->pair[0] = first < 0 ? 0 : first > ndim - 2 ? ndim - 2 : first;
  shape->pair[1] = shape->pair[0] + 1;
}

static void swap(int64_t *index, const int pair[2])
{
  const int64_t first = index[pair[0]];
  index[pair[0]] = index[pair[1]];
  index[pair[1]] = first;
}

/* Finds the dimensions of the rows and columns of each patch, so that the three shapes fit
 * together. If no choice fits, the native call rejects the patches. */
static cw_error find_shapes(const struct cwi_ga_operand given[3], struct shape shapes[3])
{
  int64_t extents[3][2];
  bool loose[3], turned[3] = {false, false, false};
  int ndim[3];
  for (int i = 0; i < 3; i++) {
    cw_array array = NULL;
    CWI_TRY(cwi_ga_array(given[i].what, given[i].g_a, &array));
    CWI_TRY(cwi_ga_in_patch(given[i].what, cwi_ga_check_order(array, given[i].lo, given[i].hi)));
    ndim[i] = array->dimensions;
    if (ndim[i] < 2)
      return cwi_misuse(
          "%s is array '%s' of one dimension; this call takes arrays of two or more dimensions",
          given[i].what, array->name);
    find_shape(ndim[i], given[i].lo, given[i].hi, &shapes[i]);
    memcpy(extents[i], shapes[i].extents, sizeof extents[i]);
    loose[i] = shapes[i].loose;
  }
  (void)cwi_matrices_fit(extents, loose, turned);
  for (int i = 0; i < 3; i++)
    ga_matrix_settle(ndim[i], turned[i], &shapes[i]);
  return CW_OK;
}

/* Checks that a patch of the matrix, or of its transpose (`turned`), lies in the array. The message
 * counts indices from 1 if the program is in Fortran. */
static cw_error check_factor(const struct cwi_ga_operand *given, const int pair[2], bool turned)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(given->g_a);
  const int first = cwi_ga_fortran.call != NULL ? 1 : 0;
  cwi_ga_fortran.ndim = entry->ndim;
  for (int d = 0; d < entry->ndim; d++) {
    const int other = d == pair[0] ? pair[1] : d == pair[1] ? pair[0] : d;
    const int along = turned ? other : d;
    const bool low = given->lo[d] < 0 || given->lo[d] >= entry->dims[along];
    if (!low && given->hi[d] < entry->dims[along])
      continue;
    return cwi_misuse("%s[%d] is %lld; dimension %d of array '%s' has the elements %d to %lld",
                      low ? "lo" : "hi", d, (long long)(low ? given->lo : given->hi)[d] + first,
                      along, entry->name, first, (long long)entry->dims[along] - 1 + first);
  }
  return CW_OK;
}

/* Opens the patch of a factor. In GA the patch is one of op(a), so for a transposed matrix the
 * bounds of its two dimensions are exchanged. */
static cw_error open_factor(const struct cwi_ga_operand *given, const struct shape *shape,
                            cw_transposition op, struct cwi_ga_index corners[2],
                            cw_operand *operand)
{
  struct cwi_ga_operand turned = *given;
  CWI_TRY(cwi_ga_in_patch(given->what, check_factor(given, shape->pair, op != CW_NOT_TRANSPOSED)));
  if (op != CW_NOT_TRANSPOSED) {
    CWI_ASSERT(given->lo != NULL && given->hi != NULL); /* find_shapes has read them */
    const size_t bytes = (size_t)cwi_ga_ndim(given->g_a) * sizeof *given->lo;
    memcpy(corners[0].at, given->lo, bytes);
    memcpy(corners[1].at, given->hi, bytes);
    swap(corners[0].at, shape->pair);
    swap(corners[1].at, shape->pair);
    turned.lo = corners[0].at;
    turned.hi = corners[1].at;
  }
  return cwi_ga_operand(&turned, operand);
}

static cw_error multiply_patches(const char letters[2], const void *alpha, const void *beta,
                                 const struct cwi_ga_operand given[3])
{
  cw_transposition op[2] = {CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED};
  cw_operand a, b, c;
  struct cwi_ga_index corners[2][2];
  struct shape shapes[3];
  CWI_TRY(transposition("transa", letters[0], &op[0]));
  CWI_TRY(transposition("transb", letters[1], &op[1]));
  CWI_TRY(cwi_check_not_null("alpha", alpha));
  CWI_TRY(cwi_check_not_null("beta", beta));
  CWI_TRY(find_shapes(given, shapes));
  CWI_TRY(open_factor(&given[0], &shapes[0], op[0], corners[0], &a));
  CWI_TRY(open_factor(&given[1], &shapes[1], op[1], corners[1], &b));
  CWI_TRY(cwi_ga_operand(&given[2], &c));
  return cw_array_multiply(op[0], op[1], alpha, &a, &b, beta, &c);
}

void NGA_Matmul_patch64(char transa, char transb, void *alpha, void *beta, int g_a, int64_t alo[],
                        int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[], int g_c,
                        int64_t clo[], int64_t chi[])
{
  const struct cwi_ga_operand all[] = {*CWI_GA_PATCH(a), *CWI_GA_PATCH(b), *CWI_GA_PATCH(c)};
  (void)CWI_GA_WAITS(multiply_patches((char[]){transa, transb}, alpha, beta, all));
}

CWI_GA_INT(void, NGA_Matmul_patch, 0,
           (char transa, char transb, void *alpha, void *beta, int g_a, int alo[], int ahi[],
            int g_b, int blo[], int bhi[], int g_c, int clo[], int chi[]),
           (transa, transb, alpha, beta, CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c)))

static cw_error check_matrices(const int handles[3])
{
  static const char *const names[3] = {"g_a", "g_b", "g_c"};
  for (int i = 0; i < 3; i++) {
    cw_array array = NULL;
    CWI_TRY(cwi_ga_array(names[i], handles[i], &array));
    if (array->dimensions != 2)
      return cwi_misuse("%s is array '%s' of %d dimensions; this call takes matrices", names[i],
                        array->name, array->dimensions);
  }
  return CW_OK;
}

/* Multiplies patches of matrices. i is the index of the rows, j that of the columns. */
void GA_Matmul_patch64(char transa, char transb, void *alpha, void *beta, int g_a, int64_t ailo,
                       int64_t aihi, int64_t ajlo, int64_t ajhi, int g_b, int64_t bilo,
                       int64_t bihi, int64_t bjlo, int64_t bjhi, int g_c, int64_t cilo,
                       int64_t cihi, int64_t cjlo, int64_t cjhi)
{
  const int64_t alo[] = {ailo, ajlo}, ahi[] = {aihi, ajhi}, blo[] = {bilo, bjlo},
                bhi[] = {bihi, bjhi}, clo[] = {cilo, cjlo}, chi[] = {cihi, cjhi};
  const struct cwi_ga_operand all[] = {*CWI_GA_PATCH(a), *CWI_GA_PATCH(b), *CWI_GA_PATCH(c)};
  (void)CWI_GA(check_matrices((int[]){g_a, g_b, g_c}));
  (void)CWI_GA_WAITS(multiply_patches((char[]){transa, transb}, alpha, beta, all));
}

void GA_Matmul_patch(char transa, char transb, void *alpha, void *beta, int g_a, int ailo, int aihi,
                     int ajlo, int ajhi, int g_b, int bilo, int bihi, int bjlo, int bjhi, int g_c,
                     int cilo, int cihi, int cjlo, int cjhi)
{
  GA_Matmul_patch64(transa, transb, alpha, beta, g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo,
                    bjhi, g_c, cilo, cihi, cjlo, cjhi);
}

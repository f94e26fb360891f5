/* Triangles, factors and eigenvectors of matrices. C sees a matrix transposed: Fortran's lower
 * triangle is the upper one in C. */
#include "ga/fortran/convert.h"

#include "ga/arithmetic/solve.h"
#include "number/scalar.h"

/* Returns true if the triangle `uplo` of Fortran is the lower triangle in C. */
static bool lower_to_c(char uplo)
{
  const bool upper = uplo == 'U' || uplo == 'u';
  if (!upper && uplo != 'L' && uplo != 'l')
    (void)CWI_GA(cwi_misuse("uplo is '%c'; it may be 'L' or 'U'", uplo));
  return upper;
}

static cw_error open_square(int g_a, cw_array *array)
{
  CWI_TRY(cwi_ga_array("g_a", g_a, array));
  if ((*array)->dimensions != 2 || (*array)->axes[0].extent != (*array)->axes[1].extent)
    return cwi_misuse("g_a is array '%s', which is not a square matrix", (*array)->name);
  return cw_wait_all();
}

static cw_error copy_turned(cw_array from, cw_array to)
{
  const cw_operand a = {.array = from, .transposed = true}, b = {.array = to};
  return cw_array_copy(&a, &b);
}

/* --- Triangles --- */

/* Finds the elements that this process has to write. In an array of layout CW_BLOCKS this is the
 * process's block; otherwise it is an equal share of the rows. */
static cw_error find_share(cw_array array, struct cwi_gaf_patch *share)
{
  const int64_t n = array->axes[0].extent, rank = array->team->rank, size = array->team->size;
  if (array->layout == CW_BLOCKS)
    return cw_array_part(array, array->team->rank, share->lo, share->hi);
  share->lo[0] = n * rank / size;
  share->hi[0] = n * (rank + 1) / size - 1;
  share->lo[1] = 0;
  share->hi[1] = n - 1;
  return CW_OK;
}

/* Finds the elements of a row of the share that are below the diagonal (`lower`) or above it.
 * Returns false if there are none. */
static bool part_of_row(const struct cwi_gaf_patch *share, int64_t row, bool lower,
                        struct cwi_gaf_patch *part)
{
  part->lo[0] = part->hi[0] = row;
  part->lo[1] = lower || share->lo[1] > row + 1 ? share->lo[1] : row + 1;
  part->hi[1] = !lower || share->hi[1] < row - 1 ? share->hi[1] : row - 1;
  return part->lo[1] <= part->hi[1];
}

/* Overwrites a triangle, except the diagonal, with the mirrored elements of the other triangle or
 * with zeros. */
static cw_error write_triangle(int g_a, bool lower, bool mirror)
{
  cw_array array = NULL;
  struct cwi_gaf_patch share, row;
  CWI_TRY(open_square(g_a, &array));
  CWI_TRY(cw_array_sync(array));
  CWI_TRY(find_share(array, &share));
  void *numbers = calloc((size_t)array->axes[0].extent, array->element);
  if (numbers == NULL)
    return cwi_outside("no memory for a row of array '%s'", array->name);
  cw_error error = CW_OK;
  for (int64_t i = share.lo[0]; i <= share.hi[0] && error == CW_OK; i++) {
    if (!part_of_row(&share, i, lower, &row))
      continue;
    const int64_t from[] = {row.lo[1], i}, to[] = {row.hi[1], i}, one = 1;
    const int64_t width = row.hi[1] - row.lo[1] + 1;
    if (mirror)
      error = cw_array_get(array, from, to, numbers, &one);
    if (error == CW_OK)
      error = cw_array_put(array, row.lo, row.hi, numbers, &width);
  }
  free(numbers);
  CWI_TRY(error);
  return cw_array_sync(array);
}

void cwi_gaf_mirror_triangle(char uplo, int g_a)
{
  const bool lower = lower_to_c(uplo);
  (void)CWI_GA_WAITS(write_triangle(g_a, !lower, true));
}

/* Sets the triangle opposite to `uplo` to zero. */
void cwi_gaf_zero_triangle(char uplo, int g_a)
{
  const bool lower = lower_to_c(uplo);
  (void)CWI_GA_WAITS(write_triangle(g_a, !lower, false));
}

/* --- Factors --- */

/* Computes a Cholesky factor. The lower triangle in C's order is factorized in place. For the upper
 * one, a transposed copy is factorized and copied back. */
static cw_error factor(bool lower, int g_a, int64_t *pivot)
{
  cw_array array = NULL, turned = NULL;
  struct cwi_first_error first;
  CWI_TRY(open_square(g_a, &array));
  if (lower)
    return cwi_ga_known_as(cw_array_cholesky(array, pivot), "a is g_a");
  cwi_first_begin(&first, cwi_ga_create_turned(array, &turned));
  if (first.error == CW_OK)
    cwi_first_note(&first, copy_turned(array, turned));
  if (first.error == CW_OK)
    cwi_first_note(&first, cwi_ga_known_as(cw_array_cholesky(turned, pivot), "a is g_a"));
  if (first.error == CW_OK && *pivot == 0)
    cwi_first_note(&first, copy_turned(turned, array));
  if (turned != NULL)
    cwi_first_note(&first, cw_array_destroy(&turned));
  return cwi_first_return(&first);
}

Integer cwi_gaf_cholesky(char uplo, int g_a)
{
  const bool lower = lower_to_c(uplo);
  int64_t pivot = 0;
  (void)CWI_GA_WAITS(factor(lower, g_a, &pivot));
  return (Integer)pivot;
}

/* Tags of factors. With the tag -1 the factor is in g_a itself. Any other tag stands for a separate
 * array with the factor. As in GA, such a tag can be used once. */
enum { FACTOR_IN_PLACE = -1, FIRST_TAG = 1 };

Integer cwi_gaf_factor(char uplo, int g_a, Integer *tag)
{
  const bool lower = lower_to_c(uplo);
  int64_t pivot = 0;
  if (*tag == FACTOR_IN_PLACE)
    return cwi_gaf_cholesky(uplo, g_a);
  const int kept = GA_Duplicate(cwi_gaf_matrix("g_a", g_a), (char[]){"a factor of ga_llt_f"});
  if (kept == 0)
    (void)CWI_GA(cwi_outside("no memory for the factor of array '%s'", cwi_ga_entry(g_a)->name));
  GA_Copy(g_a, kept);
  (void)CWI_GA_WAITS(factor(lower, kept, &pivot));
  if (pivot != 0) {
    GA_Destroy(kept);
    return (Integer)pivot;
  }
  cwi_ga_entry(kept)->factor = true;
  *tag = kept - CWI_GA_FIRST + FIRST_TAG;
  return 0;
}

/* Returns the array with the factor of g_a. */
static int factor_named(int g_a, const Integer *tag)
{
  const int in_place = cwi_gaf_matrix("g_a", g_a);
  if (*tag == FACTOR_IN_PLACE)
    return in_place;
  const bool may_be = *tag >= FIRST_TAG && *tag < FIRST_TAG + CWI_GA_HANDLES;
  const int kept = may_be ? (int)*tag - FIRST_TAG + CWI_GA_FIRST : 0;
  const struct cwi_ga_array *entry = may_be ? cwi_ga_entry(kept) : NULL;
  if (entry == NULL || !entry->factor)
    cwi_gaf_reject(cwi_misuse(
        "tag is %lld, which names no factor of ga_llt_f: each can be used once", (long long)*tag));
  return kept;
}

/* Solves L L^H x = b. The array `factor_of` has L in C's order if `lower` is set, otherwise L^H. */
static cw_error solve_by(bool lower, cw_array factor_of, cw_array sides, int64_t *pivot)
{
  const cw_triangle triangle = lower ? CW_LOWER_TRIANGLE : CW_UPPER_TRIANGLE;
  const cw_transposition first = lower ? CW_NOT_TRANSPOSED : CW_CONJUGATE_TRANSPOSED;
  const cw_transposition second = lower ? CW_CONJUGATE_TRANSPOSED : CW_NOT_TRANSPOSED;
  CWI_TRY(cw_array_solve_triangular(triangle, first, factor_of, sides, pivot));
  return *pivot == 0 ? cw_array_solve_triangular(triangle, second, factor_of, sides, pivot) : CW_OK;
}

static cw_error invert_factor(bool lower, int g_a, int64_t *pivot)
{
  cw_array array = NULL, inverse = NULL;
  struct cwi_first_error first;
  CWI_TRY(open_square(g_a, &array));
  const union cwi_scalar one = cwi_scalar_of(array->type, 1);
  cwi_first_begin(&first, cw_array_duplicate(array, NULL, &inverse));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_fill(inverse, NULL, NULL, NULL));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_diagonal(inverse, CW_DIAGONAL_SHIFT, NULL, &one));
  if (first.error == CW_OK)
    cwi_first_note(&first, cwi_ga_known_as(solve_by(lower, array, inverse, pivot), "t is g_a"));
  if (first.error == CW_OK && *pivot == 0)
    cwi_first_note(&first,
                   cw_array_copy(&(cw_operand){.array = inverse}, &(cw_operand){.array = array}));
  if (inverse != NULL)
    cwi_first_note(&first, cw_array_destroy(&inverse));
  return cwi_first_return(&first);
}

Integer cwi_gaf_invert_factor(char uplo, int g_a, const Integer *tag)
{
  const bool lower = lower_to_c(uplo);
  const int kept = factor_named(g_a, tag);
  int64_t pivot = 0;
  (void)CWI_GA_WAITS(invert_factor(lower, kept, &pivot));
  if (kept != g_a) {
    if (pivot == 0)
      GA_Copy(kept, g_a);
    GA_Destroy(kept);
  }
  return (Integer)pivot;
}

/* Solves a system with a factor. The right-hand sides are columns in Fortran. */
static cw_error solve_factor(bool lower, int g_a, int g_b)
{
  cw_array array = NULL, b = NULL, sides = NULL;
  int64_t pivot = 0;
  struct cwi_first_error first;
  CWI_TRY(open_square(g_a, &array));
  CWI_TRY(cwi_ga_array("g_b", g_b, &b));
  if (!cwi_type_is_real(array->type))
    return cwi_misuse("g_a is array '%s', which is not real", array->name);
  cwi_first_begin(&first, CW_OK);
  if (b->dimensions == 2) {
    cwi_first_note(&first, cwi_ga_create_turned(b, &sides));
    if (first.error == CW_OK)
      cwi_first_note(&first, copy_turned(b, sides));
  }
  if (first.error == CW_OK)
    cwi_first_note(&first,
                   cwi_ga_known_as(solve_by(lower, array, sides != NULL ? sides : b, &pivot),
                                   "t is g_a, b is g_b"));
  if (sides != NULL && first.error == CW_OK && pivot == 0)
    cwi_first_note(&first, copy_turned(sides, b));
  if (sides != NULL)
    cwi_first_note(&first, cw_array_destroy(&sides));
  CWI_TRY(cwi_first_return(&first));
  return pivot == 0 ? CW_OK
                    : cwi_misuse("g_a is array '%s', whose diagonal element %lld is 0 or not "
                                 "finite: call ga_llt_f first",
                                 array->name, (long long)pivot);
}

void cwi_gaf_solve_factor(char uplo, int g_a, int g_b, const Integer *tag)
{
  const bool lower = lower_to_c(uplo);
  const int kept = factor_named(g_a, tag);
  (void)CWI_GA_WAITS(solve_factor(lower, kept, g_b));
  if (kept != g_a)
    GA_Destroy(kept);
}

/* --- Eigenvectors --- */

Integer cwi_gaf_eigen(int g_a, int g_v, void *eval)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(cwi_gaf_matrix("g_a", g_a));
  GA_Diag_std(g_a, g_v, eval);
  return (Integer)entry->dims[0];
}

void cwi_gaf_eigen_general(int g_a, int g_s, int g_v, void *eval)
{
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, &g_s, g_v, true, eval));
}

/* The calls on sparse arrays in C, with int and with int64_t. */
#include "ga/sparse/sparse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- Creating and destroying --- */

/* Evaluates `call`, which stores a handle, and returns this handle from the enclosing function. */
#define GIVE(handle, call)                                                                         \
  do {                                                                                             \
    int handle = 0;                                                                                \
    (void)CWI_GA_WAITS(call);                                                                      \
    return handle;                                                                                 \
  } while (0)

int NGA_Sprs_array_create(int idim, int jdim, int type)
{
  GIVE(s_a, cwi_sparse_create(idim, jdim, type, sizeof(int), &s_a));
}

int NGA_Sprs_array_create64(int64_t idim, int64_t jdim, int type)
{
  GIVE(s_a, cwi_sparse_create(idim, jdim, type, sizeof(int64_t), &s_a));
}

void NGA_Sprs_array_add_element(int s_a, int idx, int jdx, void *val)
{
  (void)CWI_GA(cwi_sparse_add(s_a, idx, jdx, val));
}

void NGA_Sprs_array_add_element64(int s_a, int64_t idx, int64_t jdx, void *val)
{
  (void)CWI_GA(cwi_sparse_add(s_a, idx, jdx, val));
}

int NGA_Sprs_array_assemble(int s_a)
{
  bool out_of_memory = false;
  (void)CWI_GA_WAITS(cwi_sparse_assemble(s_a, &out_of_memory));
  return !out_of_memory;
}

int NGA_Sprs_array_destroy(int s_a)
{
  return CWI_GA_WAITS(cwi_sparse_destroy(s_a)) == 0;
}

int NGA_Sprs_array_duplicate(int s_a)
{
  GIVE(s_b, cwi_sparse_duplicate(s_a, &s_b));
}

/* --- Rows, columns and blocks --- */

static cw_error part(int s_a, bool of_columns, int process, int *lo, int *hi)
{
  int64_t wide[2] = {0};
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  CWI_TRY(cwi_sparse_part(s_a, of_columns, process, &wide[0], &wide[1]));
  CWI_TRY(cwi_ga_narrow("lo", 1, &wide[0], lo));
  return cwi_ga_narrow("hi", 1, &wide[1], hi);
}

void NGA_Sprs_array_row_distribution(int s_a, int iproc, int *lo, int *hi)
{
  (void)CWI_GA(part(s_a, false, iproc, lo, hi));
}

void NGA_Sprs_array_row_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi)
{
  (void)CWI_GA(cwi_sparse_part(s_a, false, iproc, lo, hi));
}

void NGA_Sprs_array_column_distribution(int s_a, int iproc, int *lo, int *hi)
{
  (void)CWI_GA(part(s_a, true, iproc, lo, hi));
}

void NGA_Sprs_array_column_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi)
{
  (void)CWI_GA(cwi_sparse_part(s_a, true, iproc, lo, hi));
}

static cw_error hand_out_list(int s_a, int **list, int *count)
{
  CWI_TRY(cwi_check_not_null("idx", list));
  CWI_TRY(cwi_sparse_full_blocks(s_a, NULL, count));
  *list = malloc(((size_t)*count + 1) * sizeof **list);
  if (*list == NULL)
    return cwi_outside("no memory for a list of %d blocks", *count);
  return cwi_sparse_full_blocks(s_a, *list, count);
}

void NGA_Sprs_array_col_block_list(int s_a, int **idx, int *n)
{
  (void)CWI_GA(hand_out_list(s_a, idx, n));
}

/* Stores the addresses in pointers of any type. */
static cw_error access_addresses(int s_a, int icol, size_t index, void *idx, void *jdx, void *val)
{
  void *places[3] = {NULL};
  CWI_TRY(cwi_check_not_null("idx", idx));
  CWI_TRY(cwi_check_not_null("jdx", jdx));
  CWI_TRY(cwi_check_not_null("val", val));
  CWI_TRY(cwi_sparse_access(s_a, icol, index, &places[0], &places[1], &places[2]));
  memcpy(idx, (void *)&places[0], sizeof places[0]);
  memcpy(jdx, (void *)&places[1], sizeof places[1]);
  memcpy(val, (void *)&places[2], sizeof places[2]);
  return CW_OK;
}

void NGA_Sprs_array_access_col_block(int s_a, int icol, int **idx, int **jdx, void *val)
{
  (void)CWI_GA(access_addresses(s_a, icol, sizeof(int), (void *)idx, (void *)jdx, val));
}

void NGA_Sprs_array_access_col_block64(int s_a, int icol, int64_t **idx, int64_t **jdx, void *val)
{
  (void)CWI_GA(access_addresses(s_a, icol, sizeof(int64_t), (void *)idx, (void *)jdx, val));
}

/* Converts indices from a size of `from` bytes to a size of `to` bytes, and frees the old ones. */
static cw_error convert(void **indices, size_t count, size_t from, size_t to)
{
  if (from == to || *indices == NULL)
    return CW_OK;
  void *old = *indices;
  cw_error error = CW_OK;
  *indices = malloc(count * to);
  if (*indices == NULL)
    error = cwi_outside("no memory for %zu indices", count);
  else if (to == sizeof(int))
    error = cwi_ga_narrow("an index", count, old, *indices);
  else
    for (size_t i = 0; i < count; i++)
      ((int64_t *)*indices)[i] = ((const int *)old)[i];
  free(old);
  return error;
}

/* The output arguments of a call that copies a block. */
enum { IDX, JDX, VAL, ILO, IHI, JLO, JHI, PLACES };

static cw_error check_places(const void *const places[PLACES])
{
  static const char *const names[PLACES] = {"idx", "jdx", "val", "ilo", "ihi", "jlo", "jhi"};
  for (int i = 0; i < PLACES; i++)
    CWI_TRY(cwi_check_not_null(names[i], places[i]));
  return CW_OK;
}

static cw_error copy_block(int s_a, int irow, int icol, size_t index, void *const places[PLACES],
                           struct cwi_sparse_copy *copy)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(check_places((const void *const *)places));
  CWI_TRY(cwi_sparse_copy(sparse, irow, icol, copy));
  CWI_TRY(convert(&copy->idx, (size_t)(copy->hi[0] - copy->lo[0]) + 2, sparse->index, index));
  CWI_TRY(convert(&copy->jdx, copy->count, sparse->index, index));
  memcpy(places[IDX], (void *)&copy->idx, sizeof copy->idx);
  memcpy(places[JDX], (void *)&copy->jdx, sizeof copy->jdx);
  memcpy(places[VAL], (void *)&copy->values, sizeof copy->values);
  return CW_OK;
}

int NGA_Sprs_array_get_block64(int s_a, int irow, int icol, int64_t **idx, int64_t **jdx, void *val,
                               int64_t *ilo, int64_t *ihi, int64_t *jlo, int64_t *jhi)
{
  struct cwi_sparse_copy copy = {0};
  void *const places[PLACES] = {(void *)idx, (void *)jdx, val, ilo, ihi, jlo, jhi};
  if (CWI_GA(copy_block(s_a, irow, icol, sizeof(int64_t), places, &copy)) != 0)
    return 0;
  *ilo = copy.lo[0];
  *ihi = copy.hi[0];
  *jlo = copy.lo[1];
  *jhi = copy.hi[1];
  return copy.count > 0;
}

int NGA_Sprs_array_get_block(int s_a, int irow, int icol, int **idx, int **jdx, void *val, int *ilo,
                             int *ihi, int *jlo, int *jhi)
{
  struct cwi_sparse_copy copy = {0};
  void *const places[PLACES] = {(void *)idx, (void *)jdx, val, ilo, ihi, jlo, jhi};
  if (CWI_GA(copy_block(s_a, irow, icol, sizeof(int), places, &copy)) != 0)
    return 0;
  (void)CWI_GA(cwi_ga_narrow("ilo", 1, &copy.lo[0], ilo));
  (void)CWI_GA(cwi_ga_narrow("ihi", 1, &copy.hi[0], ihi));
  (void)CWI_GA(cwi_ga_narrow("jlo", 1, &copy.lo[1], jlo));
  (void)CWI_GA(cwi_ga_narrow("jhi", 1, &copy.hi[1], jhi));
  return copy.count > 0;
}

/* --- Vectors and scaling --- */

void NGA_Sprs_array_matvec_multiply(int s_a, int g_a, int g_v)
{
  (void)CWI_GA_WAITS(cwi_sparse_matvec(s_a, g_a, g_v));
}

void NGA_Sprs_array_get_diag(int s_a, int *g_d)
{
  (void)CWI_GA_WAITS(cwi_sparse_diagonal(s_a, g_d));
}

int NGA_Sprs_array_get_column64(int s_a, int64_t icol)
{
  GIVE(g_v, cwi_sparse_column(s_a, icol, &g_v));
}

int NGA_Sprs_array_get_column(int s_a, int icol)
{
  return NGA_Sprs_array_get_column64(s_a, icol);
}

void NGA_Sprs_array_diag_left_multiply(int s_a, int g_d)
{
  (void)CWI_GA_WAITS(cwi_sparse_scale_rows(s_a, g_d));
}

void NGA_Sprs_array_diag_right_multiply(int s_a, int g_d)
{
  (void)CWI_GA_WAITS(cwi_sparse_scale_columns(s_a, g_d));
}

void NGA_Sprs_array_scale(int s_a, void *scale)
{
  (void)CWI_GA_WAITS(cwi_sparse_scale(s_a, scale));
}

void NGA_Sprs_array_shift_diag(int s_a, void *shift)
{
  (void)CWI_GA_WAITS(cwi_sparse_shift(s_a, shift));
}

/* --- Products, conversions, files --- */

int NGA_Sprs_array_matmat_multiply(int s_a, int s_b)
{
  GIVE(s_c, cwi_sparse_times_sparse(s_a, s_b, &s_c));
}

int NGA_Sprs_array_sprsdns_multiply(int s_a, int g_b)
{
  GIVE(g_c, cwi_sparse_times_dense(s_a, g_b, false, &g_c));
}

int NGA_Sprs_array_dnssprs_multiply(int g_a, int s_b)
{
  GIVE(g_c, cwi_dense_times_sparse(g_a, s_b, false, &g_c));
}

int NGA_Sprs_array_create_from_dense(int g_a)
{
  GIVE(s_a, cwi_sparse_from_dense(g_a, sizeof(int), false, &s_a));
}

int NGA_Sprs_array_create_from_dense64(int g_a)
{
  GIVE(s_a, cwi_sparse_from_dense(g_a, sizeof(int64_t), false, &s_a));
}

int NGA_Sprs_array_create_from_sparse(int s_a)
{
  GIVE(g_a, cwi_sparse_to_dense(s_a, false, &g_a));
}

int NGA_Sprs_array_count_sketch(int s_a, int size_k, int *g_k, int *g_w)
{
  GIVE(g_c, cwi_sparse_sketch(s_a, size_k, false, g_k, g_w, &g_c));
}

void NGA_Sprs_array_export(int s_a, const char *file)
{
  (void)CWI_GA_WAITS(cwi_sparse_export(s_a, file));
}

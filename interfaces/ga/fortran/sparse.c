/* The calls on sparse arrays in Fortran. Indices count from 0, as in C. The dimensions of dense
 * arrays are reversed, as always in Fortran: their rows are dimension 1 of the native array. */
#include "ga/sparse/sparse.h"
#include "ga/arguments/fortran_names.h"
#include "ga/ma/ma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make a call and report its errors. CALL_WAITS is for calls that may wait for other processes. */
#define CALL(name, call) (void)cwi_ga_result("nga_sprs_array_" name, (call))
#define CALL_WAITS(name, call) (void)CWI_GA_WAITS_AS("nga_sprs_array_" name, call)

/* --- Creating and destroying --- */

CWI_FORTRAN(Integer, nga_sprs_array_create_,
            (const Integer *idim, const Integer *jdim, const Integer *type))
{
  int s_a = 0;
  CALL_WAITS("create", cwi_sparse_create(*idim, *jdim,
                                         cwi_integer_code("nga_sprs_array_create", "type", *type),
                                         sizeof(Integer), &s_a));
  return s_a;
}

CWI_FORTRAN(void, nga_sprs_array_add_element_,
            (const Integer *s_a, const Integer *idx, const Integer *jdx, const void *val))
{
  CALL("add_element", cwi_sparse_add(cwi_fortran_int(*s_a), *idx, *jdx, val));
}

CWI_FORTRAN(Logical, nga_sprs_array_assemble_, (const Integer *s_a))
{
  bool out_of_memory = false;
  CALL_WAITS("assemble", cwi_sparse_assemble(cwi_fortran_int(*s_a), &out_of_memory));
  return !out_of_memory;
}

CWI_FORTRAN(Logical, nga_sprs_array_destroy_, (const Integer *s_a))
{
  CALL_WAITS("destroy", cwi_sparse_destroy(cwi_fortran_int(*s_a)));
  return 1;
}

CWI_FORTRAN(Integer, nga_sprs_array_duplicate_, (const Integer *s_a))
{
  int s_b = 0;
  CALL_WAITS("duplicate", cwi_sparse_duplicate(cwi_fortran_int(*s_a), &s_b));
  return s_b;
}

/* --- Rows, columns and blocks --- */

static cw_error find_part(int s_a, bool columns, int64_t process, Integer *lo, Integer *hi)
{
  int64_t limits[2] = {0};
  CWI_TRY(cwi_sparse_part(s_a, columns, process, &limits[0], &limits[1]));
  CWI_TRY(cwi_fortran_error("lo", limits[0], lo));
  return cwi_fortran_error("hi", limits[1], hi);
}

CWI_FORTRAN(void, nga_sprs_array_row_distribution_,
            (const Integer *s_a, const Integer *iproc, Integer *lo, Integer *hi))
{
  CALL("row_distribution", find_part(cwi_fortran_int(*s_a), false, *iproc, lo, hi));
}

CWI_FORTRAN(void, nga_sprs_array_column_distribution_,
            (const Integer *s_a, const Integer *iproc, Integer *lo, Integer *hi))
{
  CALL("column_distribution", find_part(cwi_fortran_int(*s_a), true, *iproc, lo, hi));
}

/* Fills the list with the blocks that are not empty. *n is the length of the list on entry, and the
 * number of blocks on return. */
static cw_error fill_list(int s_a, Integer *list, Integer *n)
{
  int count = 0;
  CWI_TRY(cwi_sparse_full_blocks(s_a, NULL, &count));
  int *blocks = malloc(((size_t)count + 1) * sizeof *blocks);
  if (blocks == NULL)
    return cwi_outside("no memory for a list of %d blocks", count);
  cw_error error = cwi_sparse_full_blocks(s_a, blocks, &count);
  if (error == CW_OK && *n < count)
    error =
        cwi_misuse("n is %lld, the size of the list; it must be at least %d, the number of blocks",
                   (long long)*n, count);
  for (int i = 0; i < count && error == CW_OK; i++)
    list[i] = blocks[i];
  free(blocks);
  *n = count;
  return error;
}

CWI_FORTRAN(void, nga_sprs_array_col_block_list_, (const Integer *s_a, Integer *list, Integer *n))
{
  CALL("col_block_list", fill_list(cwi_fortran_int(*s_a), list, n));
}

/* Returns the index of an address in the common block of a type, or 0 for NULL. */
static MA_AccessIndex index_in(int type, const void *address)
{
  MA_AccessIndex index = -1;
  if (address != NULL)
    (void)cwi_ma_elements_from_base(&cwi_ma_types[type - MT_FIRST], address, &index);
  return index + 1;
}

/* Finds the Fortran type, and so the common block, for numbers of a C type. */
static cw_error common_of(int code, int *type)
{
  *type = cwi_ga_fortran_code(code);
  if (*type > MT_F_BYTE && *type <= MT_F_DCPL)
    return CW_OK;
  return cwi_misuse("the sparse array has type %d, for which mafdecls.fh has no common block",
                    code);
}

static cw_error access_indices(int s_a, int64_t icol, MA_AccessIndex indices[3])
{
  void *places[3] = {NULL};
  struct cwi_sparse *sparse = NULL;
  int type = MT_F_DBL;
  CWI_TRY(cwi_sparse_access(s_a, icol, sizeof(Integer), &places[0], &places[1], &places[2]));
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(common_of(sparse->type, &type));
  indices[0] = index_in(MT_F_INT, places[0]);
  indices[1] = index_in(MT_F_INT, places[1]);
  indices[2] = index_in(type, places[2]);
  return CW_OK;
}

CWI_FORTRAN(void, nga_sprs_array_access_col_block_,
            (const Integer *s_a, const Integer *icol, MA_AccessIndex *idx, MA_AccessIndex *jdx,
             MA_AccessIndex *val))
{
  MA_AccessIndex indices[3] = {0};
  CALL("access_col_block", access_indices(cwi_fortran_int(*s_a), *icol, indices));
  *idx = indices[0];
  *jdx = indices[1];
  *val = indices[2];
}

/* --- Vectors and scaling --- */

CWI_FORTRAN(void, nga_sprs_array_matvec_multiply_,
            (const Integer *s_a, const Integer *g_a, const Integer *g_v))
{
  CALL_WAITS("matvec_multiply", cwi_sparse_matvec(cwi_fortran_int(*s_a), cwi_fortran_int(*g_a),
                                                  cwi_fortran_int(*g_v)));
}

CWI_FORTRAN(void, nga_sprs_array_get_diag_, (const Integer *s_a, Integer *g_d))
{
  int made = 0;
  CALL_WAITS("get_diag", cwi_sparse_diagonal(cwi_fortran_int(*s_a), &made));
  *g_d = made;
}

CWI_FORTRAN(void, nga_sprs_array_diag_left_multiply_, (const Integer *s_a, const Integer *g_d))
{
  CALL_WAITS("diag_left_multiply",
             cwi_sparse_scale_rows(cwi_fortran_int(*s_a), cwi_fortran_int(*g_d)));
}

CWI_FORTRAN(void, nga_sprs_array_diag_right_multiply_, (const Integer *s_a, const Integer *g_d))
{
  CALL_WAITS("diag_right_multiply",
             cwi_sparse_scale_columns(cwi_fortran_int(*s_a), cwi_fortran_int(*g_d)));
}

CWI_FORTRAN(void, nga_sprs_array_scale_, (const Integer *s_a, const void *scale))
{
  CALL_WAITS("scale", cwi_sparse_scale(cwi_fortran_int(*s_a), scale));
}

CWI_FORTRAN(void, nga_sprs_array_shift_diag_, (const Integer *s_a, const void *shift))
{
  CALL_WAITS("shift_diag", cwi_sparse_shift(cwi_fortran_int(*s_a), shift));
}

/* --- Products, conversions, files --- */

CWI_FORTRAN(Integer, nga_sprs_array_matmat_multiply_, (const Integer *s_a, const Integer *s_b))
{
  int s_c = 0;
  CALL_WAITS("matmat_multiply",
             cwi_sparse_times_sparse(cwi_fortran_int(*s_a), cwi_fortran_int(*s_b), &s_c));
  return s_c;
}

CWI_FORTRAN(Integer, nga_sprs_array_sprsdns_multiply_, (const Integer *s_a, const Integer *g_b))
{
  int g_c = 0;
  CALL_WAITS("sprsdns_multiply",
             cwi_sparse_times_dense(cwi_fortran_int(*s_a), cwi_fortran_int(*g_b), true, &g_c));
  return g_c;
}

CWI_FORTRAN(Integer, nga_sprs_array_dnssprs_multiply_, (const Integer *g_a, const Integer *s_b))
{
  int g_c = 0;
  CALL_WAITS("dnssprs_multiply",
             cwi_dense_times_sparse(cwi_fortran_int(*g_a), cwi_fortran_int(*s_b), true, &g_c));
  return g_c;
}

CWI_FORTRAN(Integer, nga_sprs_array_create_from_dense_, (const Integer *g_a))
{
  int s_a = 0;
  CALL_WAITS("create_from_dense",
             cwi_sparse_from_dense(cwi_fortran_int(*g_a), sizeof(Integer), true, &s_a));
  return s_a;
}

CWI_FORTRAN(Integer, nga_sprs_array_create_from_sparse_, (const Integer *s_a))
{
  int g_a = 0;
  CALL_WAITS("create_from_sparse", cwi_sparse_to_dense(cwi_fortran_int(*s_a), true, &g_a));
  return g_a;
}

CWI_FORTRAN(Integer, nga_sprs_array_count_sketch_,
            (const Integer *s_a, const Integer *size_k, Integer *g_k, Integer *g_w))
{
  int made[3] = {0};
  CALL_WAITS("count_sketch",
             cwi_sparse_sketch(cwi_fortran_int(*s_a), *size_k, true, &made[0], &made[1], &made[2]));
  *g_k = made[0];
  *g_w = made[1];
  return made[2];
}

static cw_error export_to(int s_a, const char *file, size_t length)
{
  char *name = strndup(file, cwi_fortran_length(file, length));
  const cw_error error =
      name != NULL ? cwi_sparse_export(s_a, name) : cwi_outside("no memory for the name of a file");
  free(name);
  return error;
}

CWI_FORTRAN(void, nga_sprs_array_export_, (const Integer *s_a, const char *file, size_t length))
{
  CALL_WAITS("export", export_to(cwi_fortran_int(*s_a), file, length));
}

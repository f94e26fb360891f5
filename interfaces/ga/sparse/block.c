/* Blocks of sparse arrays in the form that programs use: compressed rows. idx has the position of
 * the first element of each row. jdx has the column numbers in the whole array. */
#include "ga/sparse/sparse.h"

#include <stdlib.h>
#include <string.h>

cw_error cwi_sparse_full_blocks(int s_a, int *list, int *count)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null("n", count));
  *count = 0;
  for (int b = 0; b < sparse->team->size; b++)
    if (sparse->blocks[b].count > 0) {
      if (list != NULL)
        list[*count] = b;
      ++*count;
    }
  return CW_OK;
}

static cw_error check_part(const struct cwi_sparse *sparse, const char *what, int64_t part)
{
  const int parts = sparse->team->size;
  if (part >= 0 && part < parts)
    return CW_OK;
  return cwi_misuse("%s is %lld; the sparse array has blocks 0 to %d", what, (long long)part,
                    parts - 1);
}

cw_error cwi_sparse_access(int s_a, int64_t column_block, size_t index, void **idx, void **jdx,
                           void **values)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(check_part(sparse, "icol", column_block));
  if (index != sparse->index)
    return cwi_misuse("s_a is %d, a sparse array whose indices have %zu bytes; this call returns "
                      "addresses of indices of %zu bytes",
                      s_a, sparse->index, index);
  const struct cwi_sparse_block *block = &sparse->blocks[column_block];
  char *slice = (char *)sparse->blocks;
  const bool there = block->count > 0;
  *idx = there ? slice + block->idx : NULL;
  *jdx = there ? slice + block->jdx : NULL;
  *values = there ? slice + block->values : NULL;
  return CW_OK;
}

static cw_error copy_parts(const struct cwi_sparse *sparse, int rank,
                           const struct cwi_sparse_block *block, size_t rows,
                           struct cwi_sparse_copy *copy)
{
  const int process = sparse->team->process[rank];
  const char *slice = cw_region_address(sparse->region, rank);
  const size_t idx_bytes = (rows + 1) * sparse->index, jdx_bytes = block->count * sparse->index,
               value_bytes = block->count * sparse->element;
  copy->idx = malloc(idx_bytes);
  copy->jdx = malloc(jdx_bytes);
  copy->values = malloc(value_bytes);
  if (copy->idx == NULL || copy->jdx == NULL || copy->values == NULL)
    return cwi_outside("no memory for a block of %zu elements", (size_t)block->count);
  CWI_TRY(cw_get(copy->idx, slice + block->idx, idx_bytes, process));
  CWI_TRY(cw_get(copy->jdx, slice + block->jdx, jdx_bytes, process));
  return cw_get(copy->values, slice + block->values, value_bytes, process);
}

cw_error cwi_sparse_copy(const struct cwi_sparse *sparse, int row_block, int column_block,
                         struct cwi_sparse_copy *copy)
{
  const int parts = sparse->team->size;
  struct cwi_sparse_block block = {0};
  *copy = (struct cwi_sparse_copy){0};
  CWI_TRY(check_part(sparse, "irow", row_block));
  CWI_TRY(check_part(sparse, "icol", column_block));
  copy->lo[0] = cwi_sparse_start(sparse->rows, parts, row_block);
  copy->hi[0] = cwi_sparse_start(sparse->rows, parts, row_block + 1) - 1;
  copy->lo[1] = cwi_sparse_start(sparse->columns, parts, column_block);
  copy->hi[1] = cwi_sparse_start(sparse->columns, parts, column_block + 1) - 1;
  const char *slice = cw_region_address(sparse->region, row_block);
  CWI_TRY(cw_get(&block, slice + (size_t)column_block * sizeof block, sizeof block,
                 sparse->team->process[row_block]));
  copy->count = block.count;
  if (block.count == 0)
    return CW_OK;
  const cw_error error =
      copy_parts(sparse, row_block, &block, (size_t)(copy->hi[0] - copy->lo[0] + 1), copy);
  if (error != CW_OK) {
    free(copy->idx);
    free(copy->jdx);
    free(copy->values);
  }
  return error;
}

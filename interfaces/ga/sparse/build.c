/* Makes blocks from the elements of this process's rows. A block is stored row after row. The
 * elements of a row are in the order in which they were added. An element may occur twice. */
#include "ga/sparse/sparse.h"

#include "base/error.h"
#include "route/region_calls.h"
#include "team/agreement.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- Distinct columns --- */

static int column_compare(const void *a, const void *b)
{
  const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

/* Finds the distinct columns with an array of one mark for each column. This is used if there are
 * not many more columns than elements. */
static void columns_by_marks(const int64_t *columns, size_t count, int64_t extent, uint32_t *marks,
                             int64_t *distinct, size_t *distinct_count, uint32_t *number)
{
  size_t found = 0;
  for (size_t k = 0; k < count; k++)
    marks[columns[k]] = 1;
  for (int64_t column = 0; column < extent; column++)
    if (marks[column] != 0) {
      marks[column] = (uint32_t)found;
      distinct[found++] = column;
    }
  for (size_t k = 0; k < count; k++)
    number[k] = marks[columns[k]];
  *distinct_count = found;
}

static void columns_by_sorting(const int64_t *columns, size_t count, int64_t *distinct,
                               size_t *distinct_count, uint32_t *number)
{
  size_t found = 0;
  memcpy(distinct, columns, count * sizeof *columns);
  qsort(distinct, count, sizeof *distinct, column_compare);
  for (size_t k = 0; k < count; k++)
    if (k == 0 || distinct[k] != distinct[found - 1])
      distinct[found++] = distinct[k];
  for (size_t k = 0; k < count; k++) {
    const int64_t *at = bsearch(&columns[k], distinct, found, sizeof *distinct, column_compare);
    number[k] = (uint32_t)(at - distinct);
  }
  *distinct_count = found;
}

cw_error cwi_sparse_distinct(const int64_t *columns, size_t count, int64_t extent,
                             int64_t **distinct, size_t *distinct_count, uint32_t *number)
{
  const bool marked = extent / 4 <= (int64_t)count;
  const size_t most = marked && (size_t)extent < count ? (size_t)extent : count;
  uint32_t *marks = marked ? calloc((size_t)extent, sizeof *marks) : NULL;
  *distinct = malloc((most + 1) * sizeof **distinct);
  *distinct_count = 0;
  cw_error error = CW_OK;
  if (*distinct == NULL || (marked && marks == NULL))
    error = cwi_outside("no memory for the columns of %zu elements", count);
  else if (most > UINT32_MAX)
    error = cwi_outside("a process would need more than 2^32 columns");
  else if (marked)
    columns_by_marks(columns, count, extent, marks, *distinct, distinct_count, number);
  else if (count > 0)
    columns_by_sorting(columns, count, *distinct, distinct_count, number);
  free(marks);
  if (error != CW_OK) {
    free(*distinct);
    *distinct = NULL;
  }
  return error;
}

/* --- Preparation of products --- */

/* Length from which a run is fetched as a whole. The columns of shorter runs are fetched one by
 * one. */
enum { LONG_RUN = 16 };

static size_t run_length(const int64_t *distinct, size_t count, size_t from)
{
  size_t length = 1;
  while (from + length < count && distinct[from + length] == distinct[from] + (int64_t)length)
    length++;
  return length;
}

/* Assigns places to the distinct columns, long runs first. moved[k] receives the place of
 * distinct[k]. */
static void runs_place(struct cwi_sparse_elements *mine, const int64_t *distinct, uint32_t *moved)
{
  for (int pass = 0; pass < 2; pass++) {
    size_t place = pass == 0 ? 0 : mine->in_runs, length = 0;
    for (size_t k = 0; k < mine->needed_count; k += length) {
      length = run_length(distinct, mine->needed_count, k);
      if ((length >= LONG_RUN) != (pass == 0))
        continue;
      if (pass == 0)
        mine->runs[mine->run_count++] = (struct cwi_sparse_run){distinct[k], place, length};
      for (size_t i = 0; i < length; i++, place++) {
        mine->needed[place] = distinct[k + i];
        moved[k + i] = (uint32_t)place;
      }
    }
    if (pass == 0)
      mine->in_runs = place;
  }
}

/* Finds the columns that products need. `columns` has the columns of this process's elements in
 * their final order. */
static cw_error find_needed(struct cwi_sparse *sparse, const int64_t *columns)
{
  struct cwi_sparse_elements *mine = &sparse->mine;
  int64_t *distinct = NULL;
  CWI_TRY(cwi_sparse_distinct(columns, mine->count, sparse->columns, &distinct, &mine->needed_count,
                              mine->place));
  uint32_t *moved = malloc((mine->needed_count + 1) * sizeof *moved);
  mine->needed = malloc((mine->needed_count + 1) * sizeof *mine->needed);
  mine->runs = malloc((mine->needed_count / LONG_RUN + 1) * sizeof *mine->runs);
  const bool has_memory = moved != NULL && mine->needed != NULL && mine->runs != NULL;
  if (has_memory) {
    runs_place(mine, distinct, moved);
    for (size_t k = 0; k < mine->count; k++)
      mine->place[k] = moved[mine->place[k]];
  }
  free(distinct);
  free(moved);
  return has_memory ? CW_OK : cwi_outside("no memory for %zu columns", mine->needed_count);
}

/* --- Order --- */

/* Sorts a permutation by keys from 0 to key_count - 1. The sort is stable. `order` is the old
 * permutation, or NULL for the identity. counts[i] receives the position of the first element with
 * key i, and counts[key_count] the end. */
static void order_sort(const size_t *order, size_t count, const size_t *key, size_t key_count,
                       size_t *counts, size_t *sorted)
{
  memset(counts, 0, (key_count + 1) * sizeof *counts);
  for (size_t k = 0; k < count; k++)
    counts[key[k] + 1]++;
  for (size_t i = 0; i < key_count; i++)
    counts[i + 1] += counts[i];
  for (size_t k = 0; k < count; k++) {
    const size_t from = order != NULL ? order[k] : k;
    sorted[counts[key[from]]++] = from;
  }
  for (size_t i = key_count; i > 0; i--)
    counts[i] = counts[i - 1];
  counts[0] = 0;
}

/* State of the construction of blocks. */
struct build {
  struct cwi_sparse *sparse;
  const struct cwi_sparse_list *list;
  size_t *row, *block; /* [count] row and column block of each element of the list */
  size_t *by_row, *order;
  size_t *starts;   /* [blocks + 1] position of each block's first element in `order` */
  int64_t *columns; /* [count] columns of the elements in that order */
};

static void build_free(struct build *build)
{
  free(build->row);
  free(build->block);
  free(build->by_row);
  free(build->order);
  free(build->starts);
  free(build->columns);
}

static cw_error build_order(struct build *build)
{
  const struct cwi_sparse *sparse = build->sparse;
  const size_t count = build->list->count, blocks = (size_t)sparse->team->size;
  const size_t keys = sparse->my_rows > blocks ? sparse->my_rows : blocks;
  build->row = cwi_sparse_space(count, sizeof *build->row);
  build->block = cwi_sparse_space(count, sizeof *build->block);
  build->by_row = malloc((count + 1) * sizeof *build->by_row);
  build->order = malloc((count + 1) * sizeof *build->order);
  build->columns = malloc((count + 1) * sizeof *build->columns);
  build->starts = malloc((keys + 1) * sizeof *build->starts);
  if (build->row == NULL || build->block == NULL || build->by_row == NULL || build->order == NULL ||
      build->columns == NULL || build->starts == NULL)
    return cwi_outside("no memory to sort %zu elements of a sparse array", count);
  for (size_t k = 0; k < count; k++) {
    build->row[k] = (size_t)(build->list->rows[k] - sparse->first_row);
    build->block[k] =
        (size_t)cwi_sparse_owner(sparse->columns, (int)blocks, build->list->columns[k]);
  }
  order_sort(NULL, count, build->row, sparse->my_rows, build->starts, build->by_row);
  order_sort(build->by_row, count, build->block, blocks, build->starts, build->order);
  for (size_t k = 0; k < count; k++)
    build->columns[k] = build->list->columns[build->order[k]];
  return CW_OK;
}

/* --- Blocks --- */

static size_t aligned(size_t bytes)
{
  return (bytes + 63) & ~(size_t)63;
}

/* Computes the offsets of all blocks in this process's slice, and the size of the slice. `blocks`
 * has one entry for each member. */
static cw_error blocks_lay_out(const struct build *build, struct cwi_sparse_block *blocks,
                               size_t *bytes)
{
  const struct cwi_sparse *sparse = build->sparse;
  const size_t count = build->list->count, size = (size_t)sparse->team->size;
  const size_t idx_bytes = aligned((sparse->my_rows + 1) * sparse->index);
  size_t idx = aligned(size * sizeof *blocks), full = 0;
  for (size_t b = 0; b < size; b++) {
    blocks[b].count = build->starts[b + 1] - build->starts[b];
    full += blocks[b].count > 0;
    if (sparse->index < sizeof(int64_t) && blocks[b].count > INT_MAX)
      return cwi_misuse("column block %zu has %zu elements here, more than an int counts: create "
                        "the array with NGA_Sprs_array_create64",
                        b, (size_t)blocks[b].count);
  }
  const size_t jdx = idx + full * idx_bytes, values = aligned(jdx + count * sparse->index);
  for (size_t b = 0; b < size; b++)
    if (blocks[b].count > 0) {
      blocks[b].idx = idx;
      blocks[b].jdx = jdx + build->starts[b] * sparse->index;
      blocks[b].values = values + build->starts[b] * sparse->element;
      idx += idx_bytes;
    }
  *bytes = values + count * sparse->element;
  return CW_OK;
}

static void set_index(const struct cwi_sparse *sparse, void *indices, size_t at, int64_t value)
{
  if (sparse->index == sizeof(int64_t))
    ((int64_t *)indices)[at] = value;
  else
    ((int *)indices)[at] = (int)value;
}

/* Fills a block, and adds an entry to `mine` for each row of the block that has elements. */
static void block_fill(struct build *build, const struct cwi_sparse_block *block, size_t from)
{
  const struct cwi_sparse *sparse = build->sparse;
  struct cwi_sparse_elements *mine = &build->sparse->mine;
  char *slice = (char *)sparse->blocks, *values = slice + block->values;
  void *idx = slice + block->idx, *jdx = slice + block->jdx;
  size_t row = 0;
  set_index(sparse, idx, 0, 0);
  for (size_t k = 0; k < block->count; k++) {
    const size_t element = build->order[from + k];
    if (k == 0 || build->row[element] != row) {
      mine->row[mine->entries] = (int64_t)build->row[element];
      mine->first[mine->entries++] = from + k;
    }
    for (; row < build->row[element]; row++)
      set_index(sparse, idx, row + 1, (int64_t)k);
    set_index(sparse, jdx, k, build->columns[from + k]);
    memcpy(values + k * sparse->element, build->list->values + element * sparse->element,
           sparse->element);
  }
  for (; row < sparse->my_rows; row++)
    set_index(sparse, idx, row + 1, (int64_t)block->count);
}

static cw_error blocks_fill(struct build *build)
{
  struct cwi_sparse_elements *mine = &build->sparse->mine;
  const size_t size = (size_t)build->sparse->team->size;
  CWI_TRY(cw_access_begin(build->sparse->blocks));
  for (size_t b = 0; b < size; b++)
    if (build->sparse->blocks[b].count > 0)
      block_fill(build, &build->sparse->blocks[b], build->starts[b]);
  mine->first[mine->entries] = mine->count;
  return cw_access_end(build->sparse->blocks);
}

/* Does the work for which this process needs no other member. */
static cw_error build_alone(struct build *build, struct cwi_sparse_block *blocks, size_t *bytes)
{
  struct cwi_sparse_elements *mine = &build->sparse->mine;
  const size_t count = build->list->count;
  if (blocks == NULL)
    return cwi_outside("no memory for the blocks of a sparse array");
  CWI_TRY(build_order(build));
  CWI_TRY(blocks_lay_out(build, blocks, bytes));
  mine->count = count;
  mine->place = malloc((count + 1) * sizeof *mine->place);
  mine->row = malloc((count + 1) * sizeof *mine->row);
  mine->first = malloc((count + 1) * sizeof *mine->first);
  if (mine->place == NULL || mine->row == NULL || mine->first == NULL)
    return cwi_outside("no memory for %zu elements of a sparse array", count);
  return find_needed(build->sparse, build->columns);
}

/* Fills this process's slice of the region. */
static cw_error build_in_slice(struct build *build, const struct cwi_sparse_block *blocks)
{
  struct cwi_sparse *sparse = build->sparse;
  const size_t size = (size_t)sparse->team->size;
  char *slice = cw_region_address(sparse->region, sparse->team->rank);
  sparse->blocks = (struct cwi_sparse_block *)(void *)slice;
  CWI_TRY(cw_access_begin(slice));
  memcpy(slice, blocks, size * sizeof *blocks);
  CWI_TRY(cw_access_end(slice));
  sparse->mine.values = slice; /* used if there are no elements */
  for (size_t b = size; b-- > 0;)
    if (blocks[b].count > 0)
      sparse->mine.values = slice + blocks[b].values;
  return blocks_fill(build);
}

/* Frees the slices of all members after an error. The array can be assembled again. */
static cw_error build_give_up(struct cwi_sparse *sparse, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  sparse->blocks = NULL;
  cwi_first_note(&first, cwi_region_free(sparse->team, &sparse->region));
  return cwi_first_return(&first);
}

cw_error cwi_sparse_build(struct cwi_sparse *sparse, const struct cwi_sparse_list *list,
                          cw_error mine)
{
  struct build build = {.sparse = sparse, .list = list};
  struct cwi_sparse_block *blocks = calloc((size_t)sparse->team->size, sizeof *blocks);
  size_t bytes = 0;
  cw_error error = mine != CW_OK ? mine : build_alone(&build, blocks, &bytes);
  error = cwi_team_agree(sparse->team, error);
  if (error == CW_OK)
    error = cwi_region_create(sparse->team, bytes, &sparse->region);
  if (error == CW_OK) {
    error = cwi_team_agree(sparse->team, build_in_slice(&build, blocks));
    sparse->assembled = error == CW_OK;
    error = sparse->assembled ? cwi_sparse_synchronize(sparse) : build_give_up(sparse, error);
  }
  if (!sparse->assembled)
    cwi_sparse_elements_free(&sparse->mine);
  build_free(&build);
  free(blocks);
  return error;
}

/* --- Rows across all blocks --- */

void cwi_sparse_by_row_free(struct cwi_sparse_by_row *by_row)
{
  free(by_row->first);
  free(by_row->entries);
}

cw_error cwi_sparse_by_row(const struct cwi_sparse *sparse, struct cwi_sparse_by_row *by_row)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  by_row->first = malloc((sparse->my_rows + 1) * sizeof *by_row->first);
  by_row->entries = malloc((mine->entries + 1) * sizeof *by_row->entries);
  size_t *rows = malloc((mine->entries + 1) * sizeof *rows);
  const bool has_memory = by_row->first != NULL && by_row->entries != NULL && rows != NULL;
  if (has_memory) {
    for (size_t u = 0; u < mine->entries; u++)
      rows[u] = (size_t)mine->row[u];
    order_sort(NULL, mine->entries, rows, sparse->my_rows, by_row->first, by_row->entries);
  }
  free(rows);
  return has_memory ? CW_OK : cwi_outside("no memory for the rows of a sparse array");
}

/* Settings of an array between GA_Create_handle and GA_Allocate. They are only recorded here. The
 * call that creates the array checks that they are consistent. */
#include "ga/array/settings.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Recording --- */

static cw_error check_shape(int ndim, const int64_t *dims)
{
  CWI_TRY(cwi_check_not_null("dims", dims));
  if (ndim < 1 || ndim > GA_MAX_DIM)
    return cwi_misuse("ndim is %d; an array has 1 to %d dimensions", ndim, GA_MAX_DIM);
  for (int d = 0; d < ndim; d++)
    if (dims[d] <= 0)
      return cwi_misuse("dims[%d] is %lld; it must be positive", d, (long long)dims[d]);
  return CW_OK;
}

cw_error cwi_ga_set_data(struct cwi_ga_array *entry, int type, int ndim, const int64_t *dims)
{
  cw_type native;
  size_t bytes = 0;
  CWI_TRY(check_shape(ndim, dims));
  CWI_TRY(cwi_ga_type(&type, &native, &bytes));
  if (entry->ndim != ndim) { /* the earlier settings were for another number of dimensions */
    free(entry->map);
    entry->map = NULL;
    entry->partition = CWI_GA_REGULAR;
    entry->chunked = false;
    memset(entry->ghosts, 0, sizeof entry->ghosts);
  }
  entry->type = type;
  entry->ndim = ndim;
  memcpy(entry->dims, dims, (size_t)ndim * sizeof *dims);
  return CW_OK;
}

void cwi_ga_set_name(struct cwi_ga_array *entry, const char *name)
{
  const size_t length = name != NULL ? strnlen(name, sizeof entry->name - 1) : 0;
  if (length > 0)
    memcpy(entry->name, name, length);
  entry->name[length] = '\0';
}

/* Checks that the number of dimensions is set, because settings per dimension need it. */
static cw_error known_shape(const struct cwi_ga_array *entry, const char *what, const void *given)
{
  CWI_TRY(cwi_check_not_null(what, given));
  return entry->ndim > 0 ? CW_OK
                         : cwi_misuse("the array has no dimensions yet: call GA_Set_data first");
}

cw_error cwi_ga_set_chunk(struct cwi_ga_array *entry, const int64_t *chunk)
{
  entry->chunked = chunk != NULL;
  if (chunk == NULL)
    return CW_OK;
  CWI_TRY(known_shape(entry, "chunk", chunk));
  memcpy(entry->chunk, chunk, (size_t)entry->ndim * sizeof *chunk);
  return CW_OK;
}

size_t cwi_ga_map_length(int ndim, const int64_t *dims, const int64_t *nblock)
{
  size_t length = 0;
  for (int d = 0; d < ndim && dims != NULL && nblock != NULL; d++) {
    if (nblock[d] <= 0 || nblock[d] > dims[d] || nblock[d] > INT_MAX)
      return 0;
    length += (size_t)nblock[d];
  }
  return length;
}

/* Converts positive numbers, one for each dimension, to int. */
static cw_error positive(const struct cwi_ga_array *entry, const char *what, const int64_t *from,
                         int *to)
{
  for (int d = 0; d < entry->ndim; d++) {
    if (from[d] <= 0 || from[d] > INT_MAX)
      return cwi_misuse("%s[%d] is %lld; it may be 1 to %d", what, d, (long long)from[d], INT_MAX);
    to[d] = (int)from[d];
  }
  return CW_OK;
}

/* Records a map. The boundaries themselves are checked when the array is created. */
static cw_error note_map(struct cwi_ga_array *entry, const int64_t *map, const int64_t *nblock,
                         const char *name_in_c)
{
  const char *blocks_name = cwi_ga_fortran.call != NULL ? "nblock" : name_in_c;
  CWI_TRY(known_shape(entry, blocks_name, nblock));
  CWI_TRY(positive(entry, blocks_name, nblock, entry->nblock));
  for (int d = 0; d < entry->ndim; d++)
    if (nblock[d] > entry->dims[d])
      return cwi_misuse(
          "%s[%d] is %lld; the dimension has %lld elements, and each block needs at least one",
          blocks_name, d, (long long)nblock[d], (long long)entry->dims[d]);
  CWI_TRY(cwi_check_not_null("map", map));
  const size_t length = cwi_ga_map_length(entry->ndim, entry->dims, nblock);
  int64_t *copy = length > 0 ? malloc(length * sizeof *copy) : NULL;
  if (copy == NULL)
    return cwi_outside("no memory for a map of %zu blocks", length);
  memcpy(copy, map, length * sizeof *copy);
  free(entry->map);
  entry->map = copy;
  return CW_OK;
}

cw_error cwi_ga_set_irregular(struct cwi_ga_array *entry, const int64_t *map, const int64_t *nblock)
{
  CWI_TRY(note_map(entry, map, nblock, "block"));
  entry->partition = CWI_GA_IRREGULAR;
  return CW_OK;
}

cw_error cwi_ga_set_ghosts(struct cwi_ga_array *entry, const int64_t *width)
{
  CWI_TRY(known_shape(entry, "width", width));
  for (int d = 0; d < entry->ndim; d++)
    if (width[d] < 0)
      return cwi_misuse("width[%d] is %lld; it must not be negative", d, (long long)width[d]);
  memcpy(entry->ghosts, width, (size_t)entry->ndim * sizeof *width);
  return CW_OK;
}

/* Records blocks. `grid` is NULL if the distribution has no grid. */
static cw_error set_blocks(int g_a, enum cwi_ga_partition partition, const char *what,
                           const int64_t *block, const int64_t *grid)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(known_shape(entry, what, block));
  for (int d = 0; d < entry->ndim; d++)
    if (block[d] <= 0)
      return cwi_misuse("%s[%d] is %lld; it must be positive", what, d, (long long)block[d]);
  if (partition != CWI_GA_BLOCK_CYCLIC) {
    CWI_TRY(cwi_check_not_null("grid", grid));
    CWI_TRY(positive(entry, "grid", grid, entry->grid));
  }
  memcpy(entry->block, block, (size_t)entry->ndim * sizeof *block);
  entry->partition = partition;
  return CW_OK;
}

/* --- Calls --- */

static cw_error data(int g_a, int type, int ndim, const int64_t *dims)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  return cwi_ga_set_data(entry, type, ndim, dims);
}

void GA_Set_data64(int g_a, int ndim, int64_t dims[], int type)
{
  (void)CWI_GA(data(g_a, type, ndim, dims));
}

CWI_GA_INT(void, GA_Set_data, ndim, (int g_a, int ndim, int dims[], int type),
           (g_a, ndim, CWI_WIDE(dims), type))

static cw_error name(int g_a, const char *text)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  cwi_ga_set_name(entry, text);
  return CW_OK;
}

void GA_Set_array_name(int g_a, char *text)
{
  (void)CWI_GA(name(g_a, text));
}

static cw_error chunk_of(int g_a, const int64_t *chunk)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  return cwi_ga_set_chunk(entry, chunk);
}

void GA_Set_chunk64(int g_a, int64_t chunk[])
{
  (void)CWI_GA(chunk_of(g_a, chunk));
}

CWI_GA_INT(void, GA_Set_chunk, cwi_ga_ndim(g_a), (int g_a, int chunk[]), (g_a, CWI_WIDE(chunk)))

static cw_error irregular(int g_a, const int64_t *map, const int64_t *nblock)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  return cwi_ga_set_irregular(entry, map, nblock);
}

void GA_Set_irreg_distr64(int g_a, int64_t map[], int64_t block[])
{
  (void)CWI_GA(irregular(g_a, map, block));
}

static cw_error tiled_irregular(int g_a, const int64_t *map, const int64_t *nblock,
                                const int64_t *grid)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(known_shape(entry, "grid", grid));
  CWI_TRY(positive(entry, "grid", grid, entry->grid));
  CWI_TRY(note_map(entry, map, nblock, "nblocks"));
  entry->partition = CWI_GA_TILED_IRREGULAR;
  return CW_OK;
}

void GA_Set_tiled_irreg_proc_grid64(int g_a, int64_t mapc[], int64_t nblocks[], int64_t grid[])
{
  (void)CWI_GA(tiled_irregular(g_a, mapc, nblocks, grid));
}

/* Converts a map. Its length is the number of blocks in all dimensions together. */
int64_t *cwi_ga_wide_map(int ndim, const int64_t *dims, const int *map, const int *nblock)
{
  const size_t length =
      nblock != NULL ? cwi_ga_map_length(ndim, dims, cwi_ga_wide(ndim, nblock).at) : 0;
  int64_t *wide = map != NULL && length > 0 ? malloc(length * sizeof *wide) : NULL;
  for (size_t i = 0; wide != NULL && i < length; i++)
    wide[i] = map[i];
  return wide;
}

void GA_Set_irreg_distr(int g_a, int map[], int block[])
{
  const int ndim = cwi_ga_ndim(g_a);
  int64_t *wide = cwi_ga_wide_map(ndim, cwi_ga_dims(g_a), map, block);
  GA_Set_irreg_distr64(g_a, wide, block != NULL ? cwi_ga_wide(ndim, block).at : NULL);
  free(wide);
}

void GA_Set_tiled_irreg_proc_grid(int g_a, int mapc[], int nblocks[], int grid[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  int64_t *wide = cwi_ga_wide_map(cwi_dimensions, cwi_ga_dims(g_a), mapc, nblocks);
  GA_Set_tiled_irreg_proc_grid64(g_a, wide, CWI_WIDE(nblocks), CWI_WIDE(grid));
  free(wide);
}

/* Selects the map if flag is nonzero, and the regular distribution if it is 0. GA_Set_irreg_distr
 * already selects the map. */
static cw_error irregular_flag(int g_a, int flag)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  if (flag != 0 && entry->map == NULL)
    return cwi_misuse("the array has no map yet: call GA_Set_irreg_distr");
  if (flag == 0 && entry->partition == CWI_GA_IRREGULAR)
    entry->partition = CWI_GA_REGULAR;
  else if (flag != 0 && entry->partition == CWI_GA_REGULAR)
    entry->partition = CWI_GA_IRREGULAR;
  return CW_OK;
}

void GA_Set_irreg_flag(int g_a, int flag)
{
  (void)CWI_GA(irregular_flag(g_a, flag));
}

void GA_Set_block_cyclic64(int g_a, int64_t dims[])
{
  (void)CWI_GA(set_blocks(g_a, CWI_GA_BLOCK_CYCLIC, "dims", dims, NULL));
}

void GA_Set_block_cyclic_proc_grid64(int g_a, int64_t block[], int64_t grid[])
{
  (void)CWI_GA(set_blocks(g_a, CWI_GA_SCALAPACK, "block", block, grid));
}

void GA_Set_tiled_proc_grid64(int g_a, int64_t block[], int64_t grid[])
{
  (void)CWI_GA(set_blocks(g_a, CWI_GA_TILED, "block", block, grid));
}

CWI_GA_INT(void, GA_Set_block_cyclic, cwi_ga_ndim(g_a), (int g_a, int dims[]),
           (g_a, CWI_WIDE(dims)))
CWI_GA_INT(void, GA_Set_block_cyclic_proc_grid, cwi_ga_ndim(g_a),
           (int g_a, int block[], int grid[]), (g_a, CWI_WIDE(block), CWI_WIDE(grid)))
CWI_GA_INT(void, GA_Set_tiled_proc_grid, cwi_ga_ndim(g_a), (int g_a, int block[], int grid[]),
           (g_a, CWI_WIDE(block), CWI_WIDE(grid)))

static cw_error ghosts(int g_a, const int64_t *width)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  return cwi_ga_set_ghosts(entry, width);
}

void GA_Set_ghosts64(int g_a, int64_t width[])
{
  (void)CWI_GA(ghosts(g_a, width));
}

CWI_GA_INT(void, GA_Set_ghosts, cwi_ga_ndim(g_a), (int g_a, int width[]), (g_a, CWI_WIDE(width)))

/* Makes GA_Update_ghosts update corners if flag is nonzero. The setting is also allowed after
 * GA_Allocate, because it affects no other call. */
static cw_error corners(int g_a, int flag)
{
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  entry->no_corners = flag == 0;
  return CW_OK;
}

void GA_Set_ghost_corner_flag(int g_a, int flag)
{
  (void)CWI_GA(corners(g_a, flag));
}

static cw_error pgroup(int g_a, int group)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(cwi_ga_group_there("group", group));
  entry->group = group;
  return CW_OK;
}

void GA_Set_pgroup(int g_a, int group)
{
  (void)CWI_GA(pgroup(g_a, group));
}

/* Restricts the array to `count` processes. If `ranks` is NULL, these are first, first + 1 and so
 * on; otherwise they are the processes in `ranks`. A count of 0 removes the restriction. */
static cw_error restricted(int g_a, const int *ranks, int first, int count)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  int *copy = count > 0 ? malloc((size_t)count * sizeof *copy) : NULL;
  if (copy == NULL && count > 0)
    return cwi_outside("no memory for a list of %d processes", count);
  for (int i = 0; i < count; i++)
    copy[i] = ranks != NULL ? ranks[i] : first + i;
  free(entry->members);
  entry->members = copy;
  entry->member_count = count;
  return CW_OK;
}

static cw_error restricted_list(int g_a, const int *list, int size)
{
  CWI_TRY(cwi_check_not_negative("size", size));
  if (size > 0)
    CWI_TRY(cwi_check_not_null("list", list));
  return restricted(g_a, list, 0, size);
}

void GA_Set_restricted(int g_a, int list[], int size)
{
  (void)CWI_GA(restricted_list(g_a, list, size));
}

static cw_error restricted_range(int g_a, int low, int high)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(cwi_check_not_negative("lo_proc", low));
  if (high < low - 1)
    return cwi_misuse("hi_proc is %d and lo_proc is %d; hi_proc must be at least lo_proc - 1", high,
                      low);
  if (high >= cw_processes())
    return cwi_misuse("hi_proc is %d; it must be less than the number of processes, %d", high,
                      cw_processes());
  return restricted(g_a, NULL, low, high - low + 1);
}

void GA_Set_restricted_range(int g_a, int lo_proc, int hi_proc)
{
  (void)CWI_GA(restricted_range(g_a, lo_proc, hi_proc));
}

/* Checks the arguments. The kind of memory is ignored, because Causeway has only one kind. */
static cw_error device_of(int g_a, const char *device)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  return cwi_check_not_null("device", device);
}

void GA_Set_memory_dev(int g_a, char *device)
{
  (void)CWI_GA(device_of(g_a, device));
}

CWI_GA_NGA(Set_data);
CWI_GA_NGA(Set_data64);
CWI_GA_NGA(Set_array_name);
CWI_GA_NGA(Set_chunk);
CWI_GA_NGA(Set_chunk64);
CWI_GA_NGA(Set_irreg_distr);
CWI_GA_NGA(Set_irreg_distr64);
CWI_GA_NGA(Set_irreg_flag);
CWI_GA_NGA(Set_block_cyclic);
CWI_GA_NGA(Set_block_cyclic64);
CWI_GA_NGA(Set_block_cyclic_proc_grid);
CWI_GA_NGA(Set_block_cyclic_proc_grid64);
CWI_GA_NGA(Set_tiled_proc_grid);
CWI_GA_NGA(Set_tiled_proc_grid64);
CWI_GA_NGA(Set_tiled_irreg_proc_grid);
CWI_GA_NGA(Set_tiled_irreg_proc_grid64);
CWI_GA_NGA(Set_ghosts);
CWI_GA_NGA(Set_ghosts64);
CWI_GA_NGA(Set_pgroup);
CWI_GA_NGA(Set_restricted);
CWI_GA_NGA(Set_restricted_range);
CWI_GA_NGA(Set_memory_dev);

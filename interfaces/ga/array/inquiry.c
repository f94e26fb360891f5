/* Properties of arrays, and the locations of their elements. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include <stdlib.h>
#include <string.h>

/* --- Properties --- */

static cw_error inquire(int g_a, int *type, int *ndim, int64_t *dims)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("type", type));
  CWI_TRY(cwi_check_not_null("ndim", ndim));
  CWI_TRY(cwi_check_not_null("dims", dims));
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  *type = entry->type;
  *ndim = entry->ndim;
  memcpy(dims, entry->dims, (size_t)entry->ndim * sizeof *dims);
  return CW_OK;
}

void NGA_Inquire64(int g_a, int *type, int *ndim, int64_t dims[])
{
  (void)CWI_GA(inquire(g_a, type, ndim, dims));
}

void NGA_Inquire(int g_a, int *type, int *ndim, int dims[])
{
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA(inquire(g_a, type, ndim, CWI_STORAGE(wide, dims)));
  (void)CWI_GA(cwi_ga_narrow("dims", (size_t)cwi_ga_ndim(g_a), wide.at, dims));
}

static cw_error described(int g_a)
{
  return cwi_ga_ndim(g_a) > 0 ? CW_OK : cwi_ga_no_array("g_a", g_a);
}

int GA_Ndim(int g_a)
{
  (void)CWI_GA(described(g_a));
  return cwi_ga_ndim(g_a);
}

int GA_Get_dimension(int g_a)
{
  (void)CWI_GA(described(g_a));
  return cwi_ga_ndim(g_a);
}

static cw_error name_of(int g_a, char **name)
{
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  *name = entry->name;
  return CW_OK;
}

char *GA_Inquire_name(int g_a)
{
  char *name = NULL;
  (void)CWI_GA(name_of(g_a, &name));
  return name;
}

CWI_GA_NGA(Ndim);
CWI_GA_NGA(Get_dimension);
CWI_GA_NGA(Inquire_name);

/* --- Locations --- */

static void nothing(int ndim, int64_t *lo, int64_t *hi)
{
  for (int d = 0; d < ndim; d++) {
    lo[d] = -1;
    hi[d] = -2;
  }
}

/* Stores the bounds of the patch of a process. For a block-cyclic array, `process` is the number of
 * a block. If there is no such process or block, the patch is empty. */
static cw_error distribution(int g_a, int process, int64_t *lo, int64_t *hi)
{
  cw_array array = NULL;
  int rank = 0;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  nothing(array->dimensions, lo, hi);
  if (array->layout != CW_BLOCKS)
    return process >= 0 && process < array->total_blocks
               ? cw_array_block(array, process, lo, hi, &rank)
               : CW_OK;
  if (process < 0 || process >= array->team->size || cwi_rank_holder(array, process) < 0)
    return CW_OK;
  return cw_array_part(array, process, lo, hi);
}

void NGA_Distribution64(int g_a, int process, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA(distribution(g_a, process, lo, hi));
}

void NGA_Distribution(int g_a, int process, int lo[], int hi[])
{
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  struct cwi_ga_index wide_lo = {{0}}, wide_hi = {{0}};
  (void)CWI_GA(distribution(g_a, process, CWI_STORAGE(wide_lo, lo), CWI_STORAGE(wide_hi, hi)));
  (void)CWI_GA(cwi_ga_narrow("lo", ndim, wide_lo.at, lo));
  (void)CWI_GA(cwi_ga_narrow("hi", ndim, wide_hi.at, hi));
}

static bool inside(cw_array array, const int64_t *index)
{
  for (int d = 0; d < array->dimensions; d++)
    if (index[d] < 0 || index[d] >= array->axes[d].extent)
      return false;
  return true;
}

/* Stores in *owner the process that has the element at `index`, or the number of its block if the
 * array is block-cyclic, as NGA_Locate_region does. *owner stays unchanged if the index is outside.
 */
static cw_error locate(int g_a, const int64_t *index, int *owner)
{
  cw_array array = NULL;
  int64_t block[CW_MAX_DIMENSIONS];
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("index", index));
  if (!inside(array, index))
    return CW_OK;
  if (array->layout == CW_BLOCKS)
    return cw_array_locate(array, index, owner);
  for (int d = 0; d < array->dimensions; d++)
    block[d] = cwi_axis_block_of(&array->axes[d], index[d]);
  const int64_t number = cwi_block_number(array, block);
  return cwi_ga_narrow("the number of a block", 1, &number, owner);
}

int NGA_Locate64(int g_a, int64_t index[])
{
  int owner = -1;
  (void)CWI_GA(locate(g_a, index, &owner));
  return owner;
}

CWI_GA_INT(int, NGA_Locate, cwi_ga_ndim(g_a), (int g_a, int index[]), (g_a, CWI_WIDE(index)))

/* The pieces of a patch. There are none if the patch is not inside the array. */
struct located {
  size_t count;
  cw_piece *pieces;
  bool cyclic; /* the pieces are blocks, of which a process may have several */
};

static cw_error find_pieces(int g_a, const int64_t *lo, const int64_t *hi, bool list,
                            struct located *found)
{
  cw_array array = NULL;
  *found = (struct located){.count = 0};
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  found->cyclic = array->layout != CW_BLOCKS;
  if (!inside(array, lo) || !inside(array, hi) || cwi_patch_empty(array->dimensions, lo, hi))
    return CW_OK;
  return list ? cwi_list_pieces(array, lo, hi, &found->pieces, &found->count)
              : cw_array_locate_patch(array, lo, hi, 0, NULL, &found->count);
}

/* Lists the pieces in `map` or, if that is NULL, in `narrow_map`. */
static cw_error locate_region(int g_a, const int64_t *lo, const int64_t *hi, int64_t *map,
                              int *narrow_map, int *procs, int *count)
{
  struct located found;
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  CWI_TRY(cwi_check_not_null("procs", procs));
  if (map == NULL)
    CWI_TRY(cwi_check_not_null("map", narrow_map));
  cw_error error = find_pieces(g_a, lo, hi, true, &found);
  for (size_t i = 0; i < found.count && error == CW_OK; i++) {
    const cw_piece *piece = &found.pieces[i];
    const size_t at = 2 * ndim * i;
    procs[i] = piece->rank;
    if (found.cyclic)
      error = cwi_ga_narrow("the number of a block", 1, &piece->block, &procs[i]);
    if (error != CW_OK)
      break;
    if (map != NULL) {
      memcpy(&map[at], piece->lo, ndim * sizeof *map);
      memcpy(&map[at + ndim], piece->hi, ndim * sizeof *map);
      continue;
    }
    error = cwi_ga_narrow("map", ndim, piece->lo, &narrow_map[at]);
    if (error == CW_OK)
      error = cwi_ga_narrow("map", ndim, piece->hi, &narrow_map[at + ndim]);
  }
  free(found.pieces);
  *count = (int)found.count;
  return error;
}

int NGA_Locate_region64(int g_a, int64_t lo[], int64_t hi[], int64_t map[], int procs[])
{
  int count = 0;
  (void)CWI_GA(cwi_check_not_null("map", map));
  (void)CWI_GA(locate_region(g_a, lo, hi, map, NULL, procs, &count));
  return count;
}

int NGA_Locate_region(int g_a, int lo[], int hi[], int map[], int procs[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  int count = 0;
  (void)CWI_GA(locate_region(g_a, CWI_WIDE(lo), CWI_WIDE(hi), NULL, map, procs, &count));
  return count;
}

cw_error cwi_ga_count_pieces(int g_a, const int64_t *lo, const int64_t *hi, bool cyclic_only,
                             int *count)
{
  struct located found;
  CWI_TRY(find_pieces(g_a, lo, hi, false, &found));
  *count = cyclic_only && !found.cyclic ? -1 : (int)found.count;
  return CW_OK;
}

int NGA_Locate_nnodes64(int g_a, int64_t lo[], int64_t hi[])
{
  int count = 0;
  (void)CWI_GA(cwi_ga_count_pieces(g_a, lo, hi, false, &count));
  return count;
}

CWI_GA_INT(int, NGA_Locate_nnodes, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))

/* Returns the number of blocks in a patch of a block-cyclic array, or -1 for other arrays. Only
 * block-cyclic arrays have several blocks per process. */
int NGA_Locate_num_blocks(int g_a, int lo[], int hi[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  int count = 0;
  (void)CWI_GA(cwi_ga_count_pieces(g_a, CWI_WIDE(lo), CWI_WIDE(hi), true, &count));
  return count;
}

/* --- Distribution --- */

/* Compares two distributions. The function is local, although GA defines the call as collective. */
static cw_error ga_inquiry_compare(int g_a, int g_b, bool *same)
{
  cw_array a = NULL, b = NULL;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &a));
  CWI_TRY(cwi_ga_array_seen("g_b", g_b, &b));
  return cw_array_same_distribution(a, b, same);
}

int GA_Compare_distr(int g_a, int g_b)
{
  bool same = false;
  (void)CWI_GA(ga_inquiry_compare(g_a, g_b, &same));
  return !same;
}

CWI_GA_NGA(Compare_distr);

static cw_error blocks(int g_a, int *nblock)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("nblock", nblock));
  for (int d = 0; d < array->dimensions; d++)
    CWI_TRY(cwi_ga_narrow("nblock", 1, &array->axes[d].blocks, &nblock[d]));
  return CW_OK;
}

void GA_Nblock(int g_a, int nblock[])
{
  (void)CWI_GA(blocks(g_a, nblock));
}

CWI_GA_NGA(Nblock);

/* Stores the coordinates of a process. They are -1 in each dimension if the process has no
 * elements. */
static cw_error coordinates(int g_a, int process, int *coord, const char *what)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null(what, coord));
  return cwi_ga_known_as(cw_array_coordinates(array, process, coord), "rank is process");
}

/* Reverses the numbers. In GA's C interface, NGA_Proc_topology and GA_Get_proc_grid begin with the
 * last dimension. All other calls begin with the first. */
static void ga_inquiry_reverse(int g_a, int *numbers)
{
  const int ndim = cwi_ga_ndim(g_a);
  for (int d = 0; d < ndim / 2; d++) {
    const int first = numbers[d];
    numbers[d] = numbers[ndim - 1 - d];
    numbers[ndim - 1 - d] = first;
  }
}

void NGA_Proc_topology(int g_a, int process, int coord[])
{
  (void)CWI_GA(coordinates(g_a, process, coord, "coord"));
  ga_inquiry_reverse(g_a, coord);
}

/* --- Block-cyclic arrays --- */

/* The blocks of an array in which a process may have several blocks. */
struct ga_blocks {
  bool several; /* If false, the other members are 0. */
  bool grid;    /* The program has given the grid of processes. */
  int64_t total, count[GA_MAX_DIM], width[GA_MAX_DIM];
};

static void find_made_blocks(cw_array array, struct ga_blocks *found)
{
  found->grid = array->layout != CW_ROUND_ROBIN;
  found->total = array->total_blocks;
  for (int d = 0; d < array->dimensions; d++) {
    found->count[d] = array->axes[d].blocks;
    found->width[d] = array->axes[d].width;
  }
}

/* Finds the blocks that the array will have after GA_Allocate. GA returns these before GA_Allocate,
 * too. */
static void find_set_blocks(const struct cwi_ga_array *entry, struct ga_blocks *found)
{
  found->grid = entry->partition != CWI_GA_BLOCK_CYCLIC;
  found->total = 1;
  for (int d = 0; d < entry->ndim; d++) {
    found->width[d] = entry->block[d];
    found->count[d] = entry->partition == CWI_GA_TILED_IRREGULAR
                          ? entry->nblock[d]
                          : (entry->dims[d] - 1) / entry->block[d] + 1;
    found->total *= found->count[d];
  }
}

static cw_error find_blocks(int g_a, struct ga_blocks *found)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  *found = (struct ga_blocks){.several = false};
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  cw_array array = entry->nominal != NULL ? entry->nominal : entry->array;
  found->several =
      array != NULL ? array->layout != CW_BLOCKS : entry->partition >= CWI_GA_BLOCK_CYCLIC;
  if (found->several && array != NULL)
    find_made_blocks(array, found);
  else if (found->several)
    find_set_blocks(entry, found);
  return CW_OK;
}

static cw_error block_info(int g_a, int *num_blocks, int *block_dims)
{
  struct ga_blocks found;
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  CWI_TRY(find_blocks(g_a, &found));
  CWI_TRY(cwi_check_not_null("num_blocks", num_blocks));
  CWI_TRY(cwi_check_not_null("block_dims", block_dims));
  CWI_TRY(cwi_ga_narrow("num_blocks", ndim, found.count, num_blocks));
  return cwi_ga_narrow("block_dims", ndim, found.width, block_dims);
}

void GA_Get_block_info(int g_a, int num_blocks[], int block_dims[])
{
  (void)CWI_GA(block_info(g_a, num_blocks, block_dims));
}

static cw_error total_blocks(int g_a, int *total)
{
  struct ga_blocks found;
  CWI_TRY(find_blocks(g_a, &found));
  return found.several ? cwi_ga_narrow("blocks", 1, &found.total, total) : CW_OK;
}

int GA_Total_blocks(int g_a)
{
  int total = -1;
  (void)CWI_GA(total_blocks(g_a, &total));
  return total;
}

static cw_error uses_grid(int g_a, int *uses)
{
  struct ga_blocks found;
  CWI_TRY(find_blocks(g_a, &found));
  *uses = found.grid;
  return CW_OK;
}

int GA_Uses_proc_grid(int g_a)
{
  int uses = 0;
  (void)CWI_GA(uses_grid(g_a, &uses));
  return uses;
}

/* Stores the extents of the grid. They are 0 if the blocks are assigned without a grid. */
static cw_error grid_of(int g_a, int *dims)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("dims", dims));
  for (int d = 0; d < array->dimensions; d++)
    dims[d] = array->layout == CW_ROUND_ROBIN ? 0 : (int)array->axes[d].grid;
  return CW_OK;
}

void GA_Get_proc_grid(int g_a, int dims[])
{
  (void)CWI_GA(grid_of(g_a, dims));
  ga_inquiry_reverse(g_a, dims);
}

void GA_Get_proc_index(int g_a, int process, int index[])
{
  (void)CWI_GA(coordinates(g_a, process, index, "index"));
}

CWI_GA_NGA(Get_block_info);
CWI_GA_NGA(Total_blocks);
CWI_GA_NGA(Uses_proc_grid);
CWI_GA_NGA(Get_proc_grid);
CWI_GA_NGA(Get_proc_index);

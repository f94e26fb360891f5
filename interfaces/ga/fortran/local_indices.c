/* Indices of local elements relative to the common block of mafdecls.fh that has the array's type.
 * For example, dbl_mb(index) is the first local element. */
#include "ga/fortran/convert.h"

#include "ga/array/patch.h"
#include "ga/ma/ma.h"

/* Returns the common block of a type. Types without a common block use byte_mb, and their indices
 * count bytes. */
static const struct cwi_ma_type *common_of(int type)
{
  const int code = cwi_ga_fortran_code(type);
  return &cwi_ma_types[(code > MT_F_BYTE && code <= MT_F_DCPL ? code : MT_F_BYTE) - MT_FIRST];
}

static cw_error find_index(int g_a, const void *address, MA_AccessIndex *x)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  const struct cwi_ma_type *common = common_of(entry->type);
  if (!cwi_ma_elements_from_base(common, address, x))
    return cwi_misuse(
        "the distance of array '%s' from the common block of %s is not a multiple of its element "
        "size: let no other library define the common blocks of mafdecls.fh",
        entry->name, common->name);
  ++*x;
  return CW_OK;
}

/* Stores the results of an access. If the address is NULL, because there are no elements, the index
 * is 0. */
static void hand_out(int g_a, const void *address, const int64_t *ld, MA_AccessIndex *x,
                     Integer *ld_made)
{
  *x = 0;
  if (address != NULL)
    (void)CWI_GA(find_index(g_a, address, x));
  if (ld != NULL)
    cwi_gaf_extents_found("ld", cwi_ga_ndim(g_a) - 1, ld, ld_made);
}

/* Stores the extent of the block, including ghost cells, in ld if the array is a vector. GA does
 * this, because a vector has no leading dimension. */
static void hand_out_extent(int g_a, int rank, Integer *ld)
{
  int64_t lo = 0, hi = 0;
  if (cwi_ga_ndim(g_a) != 1)
    return;
  NGA_Distribution64(g_a, rank, &lo, &hi);
  *ld = cwi_gaf_result("ld(1)", hi - lo + 1 + 2 * cwi_ga_entry(g_a)->ghosts[0]);
}

static int my_rank(int g_a)
{
  cw_array array = NULL;
  return CWI_GA(cwi_ga_array("g_a", g_a, &array)) == 0 ? array->team->rank : -1;
}

void cwi_gaf_access(int g_a, struct cwi_gaf_patch *patch, MA_AccessIndex *x, Integer *ld)
{
  void *address = NULL;
  int64_t wide[GA_MAX_DIM];
  NGA_Access64(g_a, patch->lo, patch->hi, &address, wide);
  hand_out(g_a, address, wide, x, ld);
  hand_out_extent(g_a, NGA_Locate64(g_a, patch->lo), ld);
}

void cwi_gaf_access_block(int g_a, int idx, MA_AccessIndex *x, Integer *ld)
{
  void *address = NULL;
  int64_t wide[GA_MAX_DIM];
  NGA_Access_block64(g_a, idx, &address, wide);
  hand_out(g_a, address, wide, x, ld);
}

void cwi_gaf_access_block_grid(int g_a, int64_t *block_at, MA_AccessIndex *x, Integer *ld)
{
  void *address = NULL;
  int64_t wide[GA_MAX_DIM];
  NGA_Access_block_grid64(g_a, block_at, &address, wide);
  hand_out(g_a, address, wide, x, ld);
}

void cwi_gaf_release_block_grid(int g_a, const int64_t *block_at)
{
  (void)CWI_GA(cwi_ga_release_block_grid(g_a, block_at));
}

void cwi_gaf_access_block_segment(int g_a, int process, MA_AccessIndex *x, Integer *count)
{
  void *address = NULL;
  int64_t wide = 0;
  NGA_Access_block_segment64(g_a, process, &address, &wide);
  hand_out(g_a, address, NULL, x, NULL);
  *count = cwi_gaf_result("number", wide);
}

void cwi_gaf_access_ghosts(int g_a, Integer *dims, MA_AccessIndex *x, Integer *ld)
{
  void *address = NULL;
  int64_t extents[GA_MAX_DIM], wide[GA_MAX_DIM];
  NGA_Access_ghosts64(g_a, extents, &address, wide);
  hand_out(g_a, address, wide, x, ld);
  hand_out_extent(g_a, my_rank(g_a), ld);
  cwi_gaf_extents_found("dims", cwi_ga_ndim(g_a), extents, dims);
}

void cwi_gaf_access_ghost_element(int g_a, MA_AccessIndex *x, int64_t *sub, Integer *ld)
{
  void *address = NULL;
  int64_t wide[GA_MAX_DIM];
  NGA_Access_ghost_element64(g_a, &address, sub, wide);
  hand_out(g_a, address, wide, x, ld);
  hand_out_extent(g_a, my_rank(g_a), ld);
}

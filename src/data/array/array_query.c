/* Properties of an array, and which process has which part. */
#include "array/array.h"
#include "array/array_walk.h"
#include "array/default_distribution.h"

#include <causeway/array.h>

#include <stdlib.h>

bool cwi_patch_empty(int dimensions, const int64_t *lo, const int64_t *hi)
{
  int d = 0;
  while (d < dimensions && lo[d] <= hi[d])
    d++;
  return d < dimensions;
}

size_t cwi_patch_elements(int dimensions, const int64_t *lo, const int64_t *hi)
{
  size_t elements = 1;
  for (int d = 0; d < dimensions; d++)
    elements *= hi[d] >= lo[d] ? (size_t)hi[d] - (size_t)lo[d] + 1 : 0;
  return elements;
}

static cw_error patch_misuse(cw_array array, const char *name, int d, int64_t value, int64_t least,
                             int64_t most)
{
  return cwi_misuse("%s[%d] is %lld; for array '%s' it may be %lld to %lld", name, d,
                    (long long)value, array->name, (long long)least, (long long)most);
}

cw_error cwi_check_patch(cw_array array, const int64_t *lo, const int64_t *hi)
{
  if (lo == NULL || hi == NULL)
    return cwi_misuse("%s is NULL", lo == NULL ? "lo" : "hi");
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t extent = array->axes[d].extent;
    if (CWI_UNLIKELY(lo[d] < 0 || lo[d] > extent))
      return patch_misuse(array, "lo", d, lo[d], 0, extent - 1);
    if (CWI_UNLIKELY(hi[d] >= extent)) /* the lower bound is not written: it differs between the
                                          bindings */
      return cwi_misuse("hi[%d] is %lld; for array '%s' it may be at most %lld", d,
                        (long long)hi[d], array->name, (long long)extent - 1);
    if (CWI_UNLIKELY(hi[d] < lo[d] - 1))
      return patch_misuse(array, "hi", d, hi[d], lo[d] - 1, extent - 1);
  }
  return CW_OK;
}

static cw_error check_rank(cw_array array, int rank)
{
  CWI_TRY(cwi_check_array("array", array));
  if (rank >= 0 && rank < array->team->size)
    return CW_OK;
  return cwi_misuse("rank is %d; the team of array '%s' has ranks 0 to %d", rank, array->name,
                    array->team->size - 1);
}

cw_error cw_array_describe(cw_array array, cw_array_description *description)
{
  CWI_TRY(cwi_in_call("cw_array_describe", cwi_check_array("array", array)));
  CWI_TRY(cwi_in_call("cw_array_describe", cwi_check_not_null("description", description)));
  *description = (cw_array_description){.name = array->name,
                                        .team = array->team,
                                        .type = array->type,
                                        .element_bytes = array->element,
                                        .dimensions = array->dimensions,
                                        .layout = array->layout,
                                        .total_blocks = array->total_blocks,
                                        .column_major = array->column_major,
                                        .device = array->device,
                                        .on_devices = array->on_devices};
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    description->extents[d] = axis->extent;
    description->ghosts[d] = axis->ghosts;
    description->block[d] = axis->width;
    description->blocks[d] = axis->blocks;
    description->grid[d] = array->layout == CW_ROUND_ROBIN ? 0 : (int)axis->grid;
  }
  return CW_OK;
}

cw_error cw_array_coordinates(cw_array array, int rank, int *coordinates)
{
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_in_call("cw_array_coordinates", check_rank(array, rank)));
  CWI_TRY(cwi_in_call("cw_array_coordinates", cwi_check_not_null("coordinates", coordinates)));
  if (array->layout == CW_ROUND_ROBIN)
    return cwi_in_call(
        "cw_array_coordinates",
        cwi_misuse("the blocks of array '%s' are distributed round robin, without a grid",
                   array->name));
  const int holder = cwi_rank_holder(array, rank);
  if (holder >= 0)
    cwi_holder_coordinates(array, holder, coordinate);
  for (int d = 0; d < array->dimensions; d++)
    coordinates[d] = holder >= 0 ? (int)coordinate[d] : -1;
  return CW_OK;
}

static bool same_ranks(cw_array a, cw_array b)
{
  if (a->holders != b->holders || !cwi_team_same_members(a->team, b->team))
    return false;
  for (int holder = 0; holder < a->holders && (a->ranks != NULL || b->ranks != NULL); holder++)
    if (cwi_holder_rank(a, holder) != cwi_holder_rank(b, holder))
      return false;
  return true;
}

bool cwi_same_distribution(cw_array a, cw_array b)
{
  if (a->dimensions != b->dimensions || a->layout != b->layout ||
      a->column_major != b->column_major || !same_ranks(a, b))
    return false;
  for (int d = 0; d < a->dimensions; d++)
    if (!cwi_axis_equal(&a->axes[d], &b->axes[d]))
      return false;
  return true;
}

cw_error cw_array_same_distribution(cw_array a, cw_array b, bool *same)
{
  CWI_TRY(cwi_in_call("cw_array_same_distribution", cwi_check_array("a", a)));
  CWI_TRY(cwi_in_call("cw_array_same_distribution", cwi_check_array("b", b)));
  CWI_TRY(cwi_in_call("cw_array_same_distribution", cwi_check_not_null("same", same)));
  *same = cwi_same_distribution(a, b);
  return CW_OK;
}

static cw_error find_block(cw_array array, int64_t number, int64_t *lo, int64_t *hi, int *rank)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  CWI_TRY(cwi_check_not_null("rank", rank));
  if (number < 0 || number >= array->total_blocks)
    return cwi_misuse("block is %lld; array '%s' has blocks 0 to %lld", (long long)number,
                      array->name, (long long)array->total_blocks - 1);
  cwi_block_at(array, number, block);
  cwi_block_limits(array, block, lo, hi);
  *rank = cwi_holder_rank(array, cwi_block_holder(array, block));
  return CW_OK;
}

cw_error cw_array_block(cw_array array, int64_t block, int64_t *lo, int64_t *hi, int *rank)
{
  return cwi_in_call("cw_array_block", find_block(array, block, lo, hi, rank));
}

/* Computes the block that a holder would have of the array with the default distribution. Returns
 * false if it would have none. */
static bool nominal_part(cw_array array, int holder, int64_t *lo, int64_t *hi)
{
  int64_t extents[CW_MAX_DIMENSIONS] = {0}, grid[CW_MAX_DIMENSIONS] = {0};
  int64_t rest = holder;
  for (int d = 0; d < array->dimensions; d++)
    extents[d] = array->axes[d].extent;
  cwi_rule_grid(array->holders, array->dimensions, extents, NULL, grid);
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_rule_blocks blocks_of_rule = cwi_rule_partition(extents[d], 0, false, grid[d]);
    const int64_t block = rest % blocks_of_rule.blocks;
    const int64_t shorter =
        block > blocks_of_rule.long_blocks ? block - blocks_of_rule.long_blocks : 0;
    rest /= blocks_of_rule.blocks;
    lo[d] = block * blocks_of_rule.length - shorter * blocks_of_rule.granule;
    hi[d] = lo[d] + blocks_of_rule.length -
            (block >= blocks_of_rule.long_blocks ? blocks_of_rule.granule : 0) - 1;
    hi[d] = hi[d] < extents[d] ? hi[d] : extents[d] - 1;
  }
  return rest == 0;
}

static bool find_part(cw_array array, int rank, int64_t *lo, int64_t *hi)
{
  const int holder = cwi_rank_holder(array, rank);
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  if (holder < 0)
    return false;
  if (array->layout != CW_BLOCKS)
    return nominal_part(array, holder, lo, hi);
  cwi_holder_coordinates(array, holder, coordinate);
  cwi_block_limits(array, coordinate, lo, hi);
  return true;
}

cw_error cw_array_part(cw_array array, int rank, int64_t *lo, int64_t *hi)
{
  CWI_TRY(cwi_in_call("cw_array_part", check_rank(array, rank)));
  CWI_TRY(cwi_in_call("cw_array_part", cwi_check_not_null("lo", lo)));
  CWI_TRY(cwi_in_call("cw_array_part", cwi_check_not_null("hi", hi)));
  if (!find_part(array, rank, lo, hi))
    for (int d = 0; d < array->dimensions; d++) {
      lo[d] = 0;
      hi[d] = -1;
    }
  return CW_OK;
}

cw_error cwi_check_index(cw_array array, const int64_t *index)
{
  CWI_TRY(cwi_check_not_null("index", index));
  for (int d = 0; d < array->dimensions; d++)
    if (CWI_UNLIKELY((uint64_t)index[d] >= (uint64_t)array->axes[d].extent))
      return patch_misuse(array, "index", d, index[d], 0, array->axes[d].extent - 1);
  return CW_OK;
}

static cw_error locate(cw_array array, const int64_t *index, int *rank)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("rank", rank));
  CWI_TRY(cwi_check_index(array, index));
  cwi_block_of(array, index, block);
  *rank = cwi_holder_rank(array, cwi_block_holder(array, block));
  return CW_OK;
}

cw_error cw_array_locate(cw_array array, const int64_t *index, int *rank)
{
  return cwi_in_call("cw_array_locate", locate(array, index, rank));
}

/* Describes the current block of a walk. */
static void query_piece(const struct cwi_walk *walk, const int64_t *lo, cw_piece *piece)
{
  cw_array array = walk->array;
  int64_t block[CW_MAX_DIMENSIONS];
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_segment *segment = &walk->segments[d];
    block[d] = segment->block;
    piece->lo[d] = lo[d] + segment->position;
    piece->hi[d] = piece->lo[d] + segment->count - 1;
  }
  piece->block = cwi_block_number(array, block);
  piece->rank = cwi_holder_rank(array, cwi_block_holder(array, block));
}

static cw_error locate_patch(cw_array array, const int64_t *lo, const int64_t *hi, size_t capacity,
                             cw_piece *pieces, size_t *count)
{
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  struct cwi_walk walk;
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_patch(array, lo, hi));
  CWI_TRY(cwi_check_not_null("count", count));
  if (capacity > 0)
    CWI_TRY(cwi_check_not_null("pieces", pieces));
  for (int d = 0; d < array->dimensions; d++)
    ranges[d] = (struct cwi_range){lo[d], hi[d] - lo[d] + 1, 1};
  cwi_walk_begin(&walk, array, ranges, CWI_WALK_BLOCKS, -1);
  for (*count = 0; cwi_walk_next(&walk); (*count)++)
    if (*count < capacity)
      query_piece(&walk, lo, &pieces[*count]);
  return CW_OK;
}

cw_error cw_array_locate_patch(cw_array array, const int64_t *lo, const int64_t *hi,
                               size_t capacity, cw_piece *pieces, size_t *count)
{
  return cwi_in_call("cw_array_locate_patch", locate_patch(array, lo, hi, capacity, pieces, count));
}

cw_error cwi_list_pieces(cw_array array, const int64_t *lo, const int64_t *hi, cw_piece **pieces,
                         size_t *count)
{
  *pieces = NULL;
  CWI_TRY(locate_patch(array, lo, hi, 0, NULL, count));
  *pieces = malloc(*count * sizeof **pieces + 1);
  if (*pieces == NULL)
    return cwi_outside("no memory for the %zu pieces of a patch", *count);
  return locate_patch(array, lo, hi, *count, *pieces, count);
}

static cw_error global_index(cw_array array, int rank, int dimension, int64_t local, int64_t *index)
{
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(check_rank(array, rank));
  CWI_TRY(cwi_check_not_null("index", index));
  if (dimension < 0 || dimension >= array->dimensions)
    return cwi_misuse("dimension is %d; array '%s' has dimensions 0 to %d", dimension, array->name,
                      array->dimensions - 1);
  const struct cwi_axis *axis = &array->axes[dimension];
  const int holder = cwi_rank_holder(array, rank);
  if (holder < 0 || !axis->dense)
    return cwi_misuse("rank is %d, whose elements of array '%s' do not make one dense matrix", rank,
                      array->name);
  cwi_holder_coordinates(array, holder, coordinate);
  const int64_t own = cwi_axis_own_elements(axis, coordinate[dimension]);
  if (local < 0 || local >= own)
    return cwi_misuse("local is %lld; it may be 0 to %lld", (long long)local, (long long)own - 1);
  const int64_t number = axis->grid < axis->blocks ? local / axis->width : 0;
  const int64_t block = cwi_axis_own_block(axis, coordinate[dimension], number);
  *index = cwi_axis_start(axis, block) + local - cwi_axis_offset(axis, block);
  return CW_OK;
}

cw_error cw_array_global_index(cw_array array, int rank, int dimension, int64_t local,
                               int64_t *index)
{
  return cwi_in_call("cw_array_global_index", global_index(array, rank, dimension, local, index));
}

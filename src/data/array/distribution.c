/* Checks the distribution that a program requests, and makes the axes of the array from it. */
#include "array/distribution.h"

#include "array/default_distribution.h"
#include "base/hash.h"
#include "base/size.h"
#include "number/number_type.h"

#include <stdlib.h>
#include <string.h>

static const char *const layout_names[] = {"CW_BLOCKS", "CW_CYCLIC", "CW_TILED", "CW_ROUND_ROBIN"};

static cw_error check_extents(const cw_array_options *options)
{
  if (options->dimensions < 1 || options->dimensions > CW_MAX_DIMENSIONS)
    return cwi_misuse("dimensions is %d; it may be 1 to %d", options->dimensions,
                      CW_MAX_DIMENSIONS);
  if (options->extents == NULL)
    return cwi_misuse("extents is NULL; it has one number for each of %d dimensions",
                      options->dimensions);
  size_t bytes = 1;
  for (int d = 0; d < options->dimensions; d++) {
    const int64_t extent = options->extents[d];
    if (extent < 1)
      return cwi_misuse("extents[%d] is %lld; it may be 1 or more", d, (long long)extent);
    if (!cwi_multiply(bytes, (size_t)extent, &bytes) || bytes > INT64_MAX / 4)
      return cwi_misuse("extents[0] to extents[%d] make more elements than can be counted", d);
  }
  return CW_OK;
}

cw_error cwi_check_array_type(cw_type type)
{
  if (type == CW_OPAQUE || (unsigned)cwi_arithmetic_type(type) < CW_TYPES)
    return CW_OK;
  return cwi_misuse("type is %d; it may be CW_INT (%d) to %s (%d), CW_INT32 (%d), CW_INT64 (%d) or "
                    "CW_OPAQUE (%d)",
                    (int)type, CW_INT, cwi_type_word((cw_type)(CW_TYPES - 1)), CW_TYPES - 1,
                    CW_INT32, CW_INT64, CW_OPAQUE);
}

static cw_error set_type(const cw_array_options *options, cw_array array)
{
  CWI_TRY(cwi_check_array_type(options->type));
  array->type = cwi_arithmetic_type(options->type);
  if (options->type == CW_OPAQUE) {
    if (options->element_bytes < 1 || options->element_bytes > INT32_MAX)
      return cwi_misuse("element_bytes is %zu; elements of CW_OPAQUE have 1 to %d bytes",
                        options->element_bytes, INT32_MAX);
    array->element = options->element_bytes;
    return CW_OK;
  }
  array->element = cwi_type_bytes[array->type];
  return CW_OK;
}

/* Checks the size of the array as if one process had all of it, with ghosts. */
static cw_error check_bytes(cw_array array)
{
  size_t bytes = array->element;
  bool ghosts = false;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    ghosts = ghosts || axis->ghosts > 0;
    if (!cwi_multiply(bytes, (size_t)(axis->extent + 2 * axis->ghosts), &bytes) ||
        bytes > INT64_MAX / 4)
      return cwi_misuse("extents%s and elements of %zu bytes make more than 2^61 bytes",
                        ghosts ? ", ghosts" : "", array->element);
  }
  return CW_OK;
}

/* Determines the processes that may have data. */
static cw_error set_holders(const cw_distribution *wanted, cw_array array)
{
  const int size = array->team->size;
  if (wanted->members < 0 || wanted->members > size)
    return cwi_misuse("members is %d; the team has %d members", wanted->members, size);
  array->holders = wanted->members > 0 ? wanted->members : size;
  if (wanted->ranks == NULL)
    return CW_OK;
  if (wanted->members == 0)
    return cwi_misuse("ranks is given, but members is 0; members must be the number of ranks");
  array->ranks = malloc((size_t)array->holders * sizeof *array->ranks);
  array->holder_of = malloc((size_t)size * sizeof *array->holder_of);
  if (array->ranks == NULL || array->holder_of == NULL)
    return cwi_outside("no memory for the ranks of an array on %d processes", size);
  memcpy(array->ranks, wanted->ranks, (size_t)array->holders * sizeof *array->ranks);
  for (int rank = 0; rank < size; rank++)
    array->holder_of[rank] = -1;
  for (int holder = 0; holder < array->holders; holder++) {
    const int rank = array->ranks[holder];
    if (rank < 0 || rank >= size)
      return cwi_misuse("ranks[%d] is %d; it may be 0 to %d", holder, rank, size - 1);
    if (array->holder_of[rank] >= 0)
      return cwi_misuse("ranks[%d] is %d, as is ranks[%d]; a rank may be there once", holder, rank,
                        array->holder_of[rank]);
    array->holder_of[rank] = holder;
  }
  return CW_OK;
}

/* Takes the requested grid, if there are enough holders. */
static cw_error take_grid(const int *wanted, cw_array array)
{
  int64_t places = 1;
  for (int d = 0; d < array->dimensions; d++) {
    if (wanted[d] < 1)
      return cwi_misuse("grid[%d] is %d; it may be 1 or more", d, wanted[d]);
    array->axes[d].grid = wanted[d];
    places *= wanted[d];
    if (places > array->holders)
      return cwi_misuse("grid has %lld places or more; there are %d processes for it",
                        (long long)places, array->holders);
  }
  return CW_OK;
}

static void choose_grid(const cw_array_options *options, const int64_t *least, cw_array array)
{
  int64_t grid[CW_MAX_DIMENSIONS];
  cwi_rule_grid(array->holders, array->dimensions, options->extents, least, grid);
  for (int d = 0; d < array->dimensions; d++)
    array->axes[d].grid = grid[d];
}

static cw_error new_starts(struct cwi_axis *axis)
{
  axis->starts = malloc(((size_t)axis->blocks + 1) * sizeof *axis->starts);
  if (axis->starts == NULL)
    return cwi_outside("no memory for the %lld blocks of a dimension", (long long)axis->blocks);
  axis->starts[axis->blocks] = axis->extent;
  return CW_OK;
}

/* Divides a dimension by Global Arrays' rule: long blocks, then shorter ones. */
static cw_error partition_by_rule(struct cwi_axis *axis, int64_t least, bool heeded)
{
  const struct cwi_rule_blocks blocks_of_rule =
      cwi_rule_partition(axis->extent, least, heeded, axis->grid);
  axis->grid = axis->blocks = blocks_of_rule.blocks;
  if (blocks_of_rule.long_blocks >= blocks_of_rule.blocks) {
    axis->width = blocks_of_rule.length;
    return CW_OK;
  }
  CWI_TRY(new_starts(axis));
  int64_t start = 0;
  for (int64_t block = 0; block < blocks_of_rule.blocks; block++) {
    axis->starts[block] = start;
    start += block < blocks_of_rule.long_blocks ? blocks_of_rule.length
                                                : blocks_of_rule.length - blocks_of_rule.granule;
  }
  return CW_OK;
}

/* Divides a dimension at the program's boundaries. `from` is the first entry of this dimension in
 * `boundaries`, and is advanced. */
static cw_error partition_dimension(const cw_distribution *wanted, int d, int64_t *from,
                                    struct cwi_axis *axis)
{
  const int64_t *first = &wanted->boundaries[*from];
  axis->blocks = wanted->blocks[d];
  if (axis->blocks < 1 || axis->blocks > axis->extent)
    return cwi_misuse("blocks[%d] is %d; dimension %d can have 1 to %lld blocks", d,
                      wanted->blocks[d], d, (long long)axis->extent);
  if (first[0] != 0)
    return cwi_misuse("boundaries[%lld] is %lld; the first block of dimension %d begins at 0",
                      (long long)*from, (long long)first[0], d);
  CWI_TRY(new_starts(axis));
  for (int64_t block = 0; block < axis->blocks; block++) {
    const int64_t least = block > 0 ? first[block - 1] : 0;
    if (first[block] < least || first[block] > axis->extent)
      return cwi_misuse("boundaries[%lld] (block %lld of dimension %d) is %lld; it may be %lld to "
                        "%lld",
                        (long long)(*from + block), (long long)block, d, (long long)first[block],
                        (long long)least, (long long)axis->extent);
    axis->starts[block] = first[block];
  }
  *from += axis->blocks;
  return CW_OK;
}

static cw_error partition_by_boundaries(const cw_distribution *wanted, cw_array array)
{
  int64_t from = 0;
  if (wanted->blocks == NULL)
    return cwi_misuse(
        "blocks is NULL; with boundaries it must have the number of blocks of each dimension");
  for (int d = 0; d < array->dimensions; d++)
    CWI_TRY(partition_dimension(wanted, d, &from, &array->axes[d]));
  return CW_OK;
}

static cw_error partition_equally(const cw_distribution *wanted, cw_array array)
{
  if (wanted->block == NULL)
    return cwi_misuse("block is NULL; %s needs the elements of a block",
                      layout_names[array->layout]);
  for (int d = 0; d < array->dimensions; d++) {
    struct cwi_axis *axis = &array->axes[d];
    if (wanted->block[d] < 1)
      return cwi_misuse("block[%d] is %lld; it may be 1 or more", d, (long long)wanted->block[d]);
    axis->width = wanted->block[d] < axis->extent ? wanted->block[d] : axis->extent;
    axis->blocks = (axis->extent - 1) / axis->width + 1;
  }
  return CW_OK;
}

static cw_error set_ghosts(const cw_distribution *wanted, cw_array array)
{
  for (int d = 0; d < array->dimensions && wanted->ghosts != NULL; d++) {
    struct cwi_axis *axis = &array->axes[d];
    if (wanted->ghosts[d] < 0 || wanted->ghosts[d] > axis->extent)
      return cwi_misuse("ghosts[%d] is %lld; it may be 0 to %lld", d, (long long)wanted->ghosts[d],
                        (long long)axis->extent);
    axis->ghosts = wanted->ghosts[d];
  }
  return check_bytes(array);
}

static cw_error make_blocks(const cw_array_options *options, cw_array array)
{
  const cw_distribution *wanted = &options->distribution;
  int64_t places = 1;
  for (int d = 0; d < array->dimensions; d++)
    array->axes[d].dense = true;
  CWI_TRY(set_ghosts(wanted, array));
  if (wanted->boundaries != NULL) {
    CWI_TRY(partition_by_boundaries(wanted, array));
    for (int d = 0; d < array->dimensions; d++) {
      array->axes[d].grid = array->axes[d].blocks;
      places *= array->axes[d].blocks;
      if (places > array->holders)
        return cwi_misuse("blocks makes %lld blocks or more; there are %d processes for them",
                          (long long)places, array->holders);
    }
    return CW_OK;
  }
  if (wanted->grid != NULL)
    CWI_TRY(take_grid(wanted->grid, array));
  else
    choose_grid(options, wanted->block, array);
  const bool heeded = wanted->grid != NULL || cwi_rule_heeds(array->dimensions, wanted->block);
  for (int d = 0; d < array->dimensions; d++)
    CWI_TRY(
        partition_by_rule(&array->axes[d], wanted->block != NULL ? wanted->block[d] : 0, heeded));
  return CW_OK;
}

static cw_error set_alignment(const cw_distribution *wanted, cw_array array)
{
  for (int d = 0; d < array->dimensions && wanted->alignment != NULL; d++) {
    struct cwi_axis *axis = &array->axes[d];
    if (wanted->alignment[d] < 0 || wanted->alignment[d] >= axis->grid)
      return cwi_misuse("alignment[%d] is %d; it may be 0 to %lld", d, wanted->alignment[d],
                        (long long)axis->grid - 1);
    axis->alignment = wanted->alignment[d];
  }
  return CW_OK;
}

static cw_error make_round_robin(const cw_array_options *options, cw_array array)
{
  const cw_distribution *wanted = &options->distribution;
  if (wanted->boundaries != NULL && array->layout == CW_TILED)
    CWI_TRY(partition_by_boundaries(wanted, array));
  else
    CWI_TRY(partition_equally(wanted, array));
  for (int d = 0; d < array->dimensions; d++)
    array->axes[d].grid = 1;
  if (array->layout == CW_ROUND_ROBIN)
    return CW_OK;
  if (wanted->grid != NULL)
    CWI_TRY(take_grid(wanted->grid, array));
  else
    choose_grid(options, NULL, array);
  CWI_TRY(set_alignment(wanted, array));
  for (int d = 0; d < array->dimensions; d++) {
    array->axes[d].dense = array->layout == CW_CYCLIC;
    CWI_TRY(cwi_axis_set_offsets(&array->axes[d]));
  }
  return CW_OK;
}

/* Rejects options that the layout does not have, instead of ignoring them. */
static cw_error check_layout(const cw_distribution *wanted)
{
  const cw_layout layout = wanted->layout;
  const char *name = NULL;
  if ((unsigned)layout > CW_ROUND_ROBIN)
    return cwi_misuse("layout is %d; it may be CW_BLOCKS (0) to CW_ROUND_ROBIN (%d)", (int)layout,
                      CW_ROUND_ROBIN);
  if (layout != CW_BLOCKS && wanted->ghosts != NULL)
    name = "ghosts";
  else if ((layout == CW_CYCLIC || layout == CW_ROUND_ROBIN) && wanted->boundaries != NULL)
    name = "boundaries";
  else if ((layout == CW_BLOCKS || layout == CW_ROUND_ROBIN) && wanted->alignment != NULL)
    name = "alignment";
  else if (layout == CW_ROUND_ROBIN && wanted->grid != NULL)
    name = "grid";
  else if (layout == CW_BLOCKS && wanted->boundaries != NULL && wanted->grid != NULL)
    return cwi_misuse("grid and boundaries are both given; with CW_BLOCKS the boundaries make the "
                      "grid");
  return name == NULL ? CW_OK
                      : cwi_misuse("%s is given; an array of layout %s has none", name,
                                   layout_names[layout]);
}

/* Completes the numbers of blocks and holders. A grid may have fewer places than there are
 * processes: then the last ones hold nothing. */
static void distribution_finish(cw_array array)
{
  int64_t places = 1;
  array->total_blocks = 1;
  for (int d = 0; d < array->dimensions; d++) {
    if (array->axes[d].starts == NULL)
      array->axes[d].inverse = 1.0 / (double)array->axes[d].width;
    array->total_blocks *= array->axes[d].blocks;
    places *= array->axes[d].grid;
  }
  if (array->layout == CW_ROUND_ROBIN)
    return;
  array->holders = (int)places;
  for (int rank = 0; array->holder_of != NULL && rank < array->team->size; rank++)
    if (array->holder_of[rank] >= array->holders)
      array->holder_of[rank] = -1;
}

cw_error cwi_distribution_make(const cw_array_options *options, cw_array array)
{
  const cw_distribution *wanted = &options->distribution;
  CWI_TRY(check_extents(options));
  CWI_TRY(set_type(options, array));
  array->dimensions = options->dimensions;
  array->layout = wanted->layout;
  array->column_major = wanted->column_major;
  for (int d = 0; d < array->dimensions; d++)
    array->axes[d].extent = options->extents[d];
  CWI_TRY(check_bytes(array));
  CWI_TRY(check_layout(wanted));
  CWI_TRY(set_holders(wanted, array));
  CWI_TRY(array->layout == CW_BLOCKS ? make_blocks(options, array)
                                     : make_round_robin(options, array));
  array->plain = array->layout == CW_BLOCKS && !array->column_major;
  distribution_finish(array);
  return cwi_round_robin_note(array);
}

static cw_error copy_ints(const int *from, int count, int **to)
{
  *to = NULL;
  if (from == NULL)
    return CW_OK;
  *to = malloc((size_t)count * sizeof **to);
  if (*to == NULL)
    return cwi_outside("no memory for the ranks of an array on %d processes", count);
  memcpy(*to, from, (size_t)count * sizeof **to);
  return CW_OK;
}

cw_error cwi_distribution_copy(cw_array from, cw_array array)
{
  *array = *from;
  array->region = NULL;
  array->ranks = array->holder_of = NULL;
  array->before = NULL;
  array->accesses = array->attached = 0;
  array->protection = NULL;
  for (int d = 0; d < array->dimensions; d++)
    array->axes[d].starts = array->axes[d].offsets = NULL;
  for (int d = 0; d < array->dimensions; d++)
    CWI_TRY(cwi_axis_copy(&from->axes[d], &array->axes[d]));
  CWI_TRY(cwi_round_robin_note(array));
  CWI_TRY(copy_ints(from->ranks, from->holders, &array->ranks));
  return copy_ints(from->holder_of, from->team->size, &array->holder_of);
}

void cwi_distribution_free(cw_array array)
{
  for (int d = 0; d < array->dimensions; d++)
    cwi_axis_free(&array->axes[d]);
  free(array->ranks);
  free(array->holder_of);
  free(array->before);
}

static void mix(uint64_t *print, int64_t number)
{
  *print = cwi_hash_add(*print, (uint64_t)number);
  *print ^= *print >> 29;
}

uint64_t cwi_distribution_print(cw_array array)
{
  uint64_t print = CWI_HASH_EMPTY;
  mix(&print, array->type);
  mix(&print, (int64_t)array->element);
  mix(&print, array->dimensions);
  mix(&print, array->layout);
  mix(&print, array->column_major);
  mix(&print, array->holders);
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    mix(&print, axis->extent);
    mix(&print, axis->width);
    mix(&print, axis->blocks);
    mix(&print, axis->grid);
    mix(&print, axis->alignment);
    mix(&print, axis->ghosts);
    for (int64_t block = 0; axis->starts != NULL && block < axis->blocks; block++)
      mix(&print, axis->starts[block]);
  }
  for (int holder = 0; array->ranks != NULL && holder < array->holders; holder++)
    mix(&print, array->ranks[holder]);
  return print;
}

/* The tiles of a product, and the counter from which members take them if the work is uneven. */
#include "linear/tiles.h"

#include "array/default_distribution.h"
#include "base/size.h"
#include "linear/synchronize.h"
#include "route/region_calls.h"

#include <causeway/atomic.h>
#include <causeway/memory.h>

#include <stdlib.h>

enum {
  SMALL_BLOCK = 128, /* blocks that are at least this wide are computed in place */
  TILES_EACH = 6,    /* tiles per member that are taken one by one, if they are not too small */
  LEAST_TILE = 256,
  MOST_TILE = 2048,
};
/* For uneven products with fewer multiplications a counter costs more than it saves. */
static const double SMALL_PRODUCT = 4e6;

/* Returns true if the blocks along one side are wide, or each member has at most one. */
static bool wide_blocks(const struct cwi_matrix *c, int side)
{
  const int d = c->dimension[side];
  const struct cwi_axis *axis = &c->array->axes[d];
  if (c->array->layout != CW_ROUND_ROBIN && axis->blocks <= axis->grid)
    return true;
  const int64_t first = cwi_axis_block_of(axis, c->lo[d]);
  const int64_t last = cwi_axis_block_of(axis, c->hi[d]);
  return c->extents[side] >= SMALL_BLOCK * (last - first + 1);
}

static struct cwi_tile tile_of(const struct cwi_matrix *c, const cw_piece *piece)
{
  const int row = c->dimension[0], column = c->dimension[1];
  return (struct cwi_tile){piece->lo[row] - c->lo[row], piece->lo[column] - c->lo[column],
                           piece->hi[row] - piece->lo[row] + 1,
                           piece->hi[column] - piece->lo[column] + 1};
}

/* Sets *even to false if one member has much more of the matrix than an equal part, otherwise to
 * true. Errors: CW_OUTSIDE. */
static cw_error find_balance(const struct cwi_matrix *c, const cw_piece *pieces, size_t count,
                             bool *even)
{
  const int size = c->array->team->size;
  double *work = calloc((size_t)size, sizeof *work), most = 0;
  if (work == NULL)
    return cwi_outside("no memory for the work of %d members", size);
  for (size_t i = 0; i < count; i++) {
    const struct cwi_tile tile = tile_of(c, &pieces[i]);
    work[pieces[i].rank] += (double)tile.rows * (double)tile.columns;
    most = work[pieces[i].rank] > most ? work[pieces[i].rank] : most;
  }
  free(work);
  *even = most * size <= 1.2 * (double)c->extents[0] * (double)c->extents[1];
  return CW_OK;
}

static cw_error reserve_tiles(struct cwi_tiles *tiles, size_t count)
{
  tiles->list = malloc(count * sizeof *tiles->list + 1);
  return tiles->list != NULL ? CW_OK : cwi_outside("no memory for %zu parts of a product", count);
}

static cw_error list_own(const struct cwi_matrix *c, const cw_piece *pieces, size_t count,
                         struct cwi_tiles *tiles)
{
  CWI_TRY(reserve_tiles(tiles, count));
  for (size_t i = 0; i < count; i++)
    if (pieces[i].rank == c->array->team->rank)
      tiles->list[tiles->count++] = tile_of(c, &pieces[i]);
  return CW_OK;
}

static void partition_piece(const struct cwi_tile *piece, int64_t edge, struct cwi_tiles *tiles)
{
  const int64_t high = cwi_divide_up(piece->rows, edge), wide = cwi_divide_up(piece->columns, edge);
  for (int64_t i = 0; i < high; i++)
    for (int64_t j = 0; j < wide; j++) {
      const int64_t row = piece->rows * i / high, column = piece->columns * j / wide;
      tiles->list[tiles->count++] = (struct cwi_tile){piece->row + row, piece->column + column,
                                                      piece->rows * (i + 1) / high - row,
                                                      piece->columns * (j + 1) / wide - column};
    }
}

/* Returns the edge of square tiles: the greatest with which all members get enough tiles. */
static int64_t tile_edge(const struct cwi_matrix *c)
{
  const double elements = (double)c->extents[0] * (double)c->extents[1];
  const double tiles = (double)TILES_EACH * c->array->team->size;
  int64_t edge = LEAST_TILE;
  while (edge < MOST_TILE && tiles * (double)edge * (double)edge < elements)
    edge += edge / 4;
  return edge;
}

static cw_error list_shared(const struct cwi_matrix *c, const cw_piece *pieces, size_t count,
                            struct cwi_tiles *tiles)
{
  const int64_t edge = tile_edge(c);
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    const struct cwi_tile piece = tile_of(c, &pieces[i]);
    total += (size_t)cwi_divide_up(piece.rows, edge) * (size_t)cwi_divide_up(piece.columns, edge);
  }
  CWI_TRY(reserve_tiles(tiles, total));
  for (size_t i = 0; i < count; i++) {
    const struct cwi_tile piece = tile_of(c, &pieces[i]);
    partition_piece(&piece, edge, tiles);
  }
  return CW_OK;
}

/* Makes equal parts on a grid of members. */
static cw_error list_spread(const struct cwi_matrix *c, struct cwi_tiles *tiles)
{
  int64_t grid[2], least[2] = {0, 0};
  cwi_rule_grid(c->array->team->size, 2, c->extents, least, grid);
  const int64_t i = c->array->team->rank / grid[1], j = c->array->team->rank % grid[1];
  const int64_t row = c->extents[0] * i / grid[0], column = c->extents[1] * j / grid[1];
  CWI_TRY(reserve_tiles(tiles, 1));
  tiles->list[0] = (struct cwi_tile){row, column, c->extents[0] * (i + 1) / grid[0] - row,
                                     c->extents[1] * (j + 1) / grid[1] - column};
  tiles->count = tiles->list[0].rows > 0 && tiles->list[0].columns > 0;
  return CW_OK;
}

static cw_error list_blocks(const struct cwi_matrix *c, double multiplications,
                            const cw_piece *pieces, size_t count, struct cwi_tiles *tiles)
{
  bool even = true;
  CWI_TRY(find_balance(c, pieces, count, &even));
  tiles->kind = even || multiplications <= SMALL_PRODUCT ? CWI_TILES_OWN : CWI_TILES_SHARED;
  return tiles->kind == CWI_TILES_OWN ? list_own(c, pieces, count, tiles)
                                      : list_shared(c, pieces, count, tiles);
}

cw_error cwi_tiles_make(const struct cwi_matrix *c, int64_t depth, struct cwi_tiles *tiles)
{
  *tiles = (struct cwi_tiles){.kind = CWI_TILES_SPREAD, .team = c->array->team};
  if (c->extents[0] == 0 || c->extents[1] == 0)
    return CW_OK;
  if (!wide_blocks(c, 0) || !wide_blocks(c, 1))
    return list_spread(c, tiles);
  cw_piece *pieces = NULL;
  size_t count = 0;
  cw_error error = cwi_list_pieces(c->array, c->lo, c->hi, &pieces, &count);
  if (error == CW_OK) {
    const double elements = (double)c->extents[0] * (double)c->extents[1];
    error = list_blocks(c, elements * (double)depth, pieces, count, tiles);
  }
  free(pieces);
  return error;
}

/* The team is that of the array, which stays valid although the program may have freed the team. */
cw_error cwi_tiles_begin(struct cwi_tiles *tiles)
{
  if (tiles->kind != CWI_TILES_SHARED)
    return CW_OK;
  const bool host = tiles->team->rank == 0;
  int64_t before;
  CWI_TRY(cwi_region_create(tiles->team, host ? sizeof(int64_t) : 0, &tiles->counter));
  return cwi_matrix_synchronize(
      tiles->team,
      !host ? CW_OK
            : cw_swap_int64(cw_region_address(tiles->counter, 0), 0, cwi_world.process, &before));
}

cw_error cwi_tiles_end(struct cwi_tiles *tiles)
{
  return tiles->counter != NULL ? cwi_region_free(tiles->team, &tiles->counter) : CW_OK;
}

cw_error cwi_tiles_next(struct cwi_tiles *tiles, int64_t *number)
{
  if (tiles->kind == CWI_TILES_SHARED)
    return cw_fetch_add_int64(cw_region_address(tiles->counter, 0), 1, tiles->team->process[0],
                              number);
  *number = tiles->next++;
  return CW_OK;
}

void cwi_tiles_free(struct cwi_tiles *tiles)
{
  free(tiles->list);
  tiles->list = NULL;
}

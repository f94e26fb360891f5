/* Makes the block-sparse matrices, and compares the result. */
#include "matrices.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t number)
{
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
  number = (number ^ number >> 27) * 0x94d049bb133111ebu;
  return number ^ number >> 31;
}

/* Chooses the sides of the tiles, from half to three halves of `tile`. */
static void choose_tiles(struct matrices *matrices, int64_t tile)
{
  int64_t next = 0;
  matrices->first = malloc((size_t)(matrices->size + 1) * sizeof *matrices->first);
  if (matrices->first == NULL) {
    fprintf(stderr, "tiles: no memory\n");
    exit(1);
  }
  for (matrices->tiles = 0; next < matrices->size; matrices->tiles++) {
    matrices->first[matrices->tiles] = next;
    next += (tile + 1) / 2 + (int64_t)(mix((uint64_t)matrices->tiles + 1) % (uint64_t)tile);
  }
  matrices->first[matrices->tiles] = matrices->size;
}

int matrices_has(const struct matrices *matrices, int which, int64_t row, int64_t column)
{
  const uint64_t number = (uint64_t)((row * 2 + which) * matrices->tiles + column);
  return (int)(mix(number + 12345) % 100) < matrices->full;
}

void matrices_tile(const struct matrices *matrices, int64_t row, int64_t column, int64_t lo[2],
                   int64_t hi[2])
{
  lo[0] = matrices->first[row];
  lo[1] = matrices->first[column];
  hi[0] = matrices->first[row + 1] - 1;
  hi[1] = matrices->first[column + 1] - 1;
}

static void make_array(const struct matrices *matrices, const char *name, cw_array *array)
{
  const int64_t extents[] = {matrices->size, matrices->size};
  const cw_array_options options = {
      .name = name, .type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  CW_MUST(cw_array_create(cw_team_world(), &options, array));
}

static void put_tile(const struct matrices *matrices, int which, int64_t row, int64_t column)
{
  int64_t lo[2], hi[2];
  matrices_tile(matrices, row, column, lo, hi);
  const size_t count = (size_t)((hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1));
  const int there = matrices_has(matrices, which, row, column);
  double *tile = calloc(count, sizeof *tile);
  if (tile == NULL) {
    fprintf(stderr, "tiles: no memory\n");
    exit(1);
  }
  for (size_t i = 0; there && i < count; i++)
    tile[i] = (double)(mix((uint64_t)lo[0] << 32 ^ (uint64_t)lo[1] << 8 ^ i) % 1000) / 1000 - 0.5;
  CW_MUST(cw_array_put(which == 0 ? matrices->a : matrices->b, lo, hi, tile, NULL));
  free(tile);
}

void matrices_make(struct matrices *matrices, int64_t size, int64_t tile, int full)
{
  *matrices = (struct matrices){.size = size, .full = full};
  choose_tiles(matrices, tile);
  make_array(matrices, "A", &matrices->a);
  make_array(matrices, "B", &matrices->b);
  make_array(matrices, "C", &matrices->c);
  make_array(matrices, "A B", &matrices->right);
  const int64_t all = matrices->tiles * matrices->tiles;
  for (int64_t number = cw_process(); number < all; number += cw_processes())
    for (int which = 0; which < 2; which++)
      put_tile(matrices, which, number / matrices->tiles, number % matrices->tiles);
  CW_MUST(cw_array_sync(matrices->a));
  const cw_operand a = {.array = matrices->a}, b = {.array = matrices->b};
  const cw_operand right = {.array = matrices->right};
  CW_MUST(cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &a, &b, NULL, &right));
}

void matrices_free(struct matrices *matrices)
{
  CW_MUST(cw_array_destroy(&matrices->a));
  CW_MUST(cw_array_destroy(&matrices->b));
  CW_MUST(cw_array_destroy(&matrices->c));
  CW_MUST(cw_array_destroy(&matrices->right));
  free(matrices->first);
}

void matrices_clear(struct matrices *matrices)
{
  const double zero = 0;
  CW_MUST(cw_array_fill(matrices->c, NULL, NULL, &zero));
}

/* Each process compares some of the rows. */
double matrices_error(const struct matrices *matrices)
{
  const int64_t size = matrices->size;
  double worst[2] = {0, 0};
  double *got = malloc(2 * (size_t)size * sizeof *got);
  CW_MUST(cw_barrier(cw_team_world()));
  for (int64_t row = cw_process(); got != NULL && row < size; row += cw_processes()) {
    const int64_t lo[] = {row, 0}, hi[] = {row, size - 1};
    CW_MUST(cw_array_get(matrices->c, lo, hi, got, NULL));
    CW_MUST(cw_array_get(matrices->right, lo, hi, got + size, NULL));
    for (int64_t i = 0; i < size; i++) {
      const double right = got[size + i], off = got[i] - right;
      worst[0] = (off < 0 ? -off : off) > worst[0] ? (off < 0 ? -off : off) : worst[0];
      worst[1] = (right < 0 ? -right : right) > worst[1] ? (right < 0 ? -right : right) : worst[1];
    }
  }
  worst[0] = got == NULL ? 1 : worst[0];
  free(got);
  CW_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, 2, worst));
  return worst[1] > 0 ? worst[0] / worst[1] : worst[0];
}

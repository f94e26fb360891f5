/* Computes the matrices of one-electron integrals, shared between the processes by tiles. */
#include "one_electron.h"

#include <ga.h>
#include <math.h>

/* Adds the integrals of shells[0] (rows) and shells[1] (columns) to the block, whose first
 * functions are those of `origin`. */
static void shells_add(const struct one_electron_source *source, enum one_electron kind,
                       const struct shell *const shells[2], const int origin[2],
                       struct matrix *block)
{
  struct shell_pair pair;
  shell_pair_create(&pair, shells[0], shells[1], INFINITY); /* the primitives are not used */
  const double *values = engine_one_electron(source->engine, kind, &pair, source->molecule);
  bool swapped = pair.a != shells[0];
  for (int i = 0; i < shells[0]->size; i++) {
    double *row = block->values + (origin[0] + i) * block->columns + origin[1];
    for (int j = 0; j < shells[1]->size; j++) {
      row[j] += swapped ? values[j * shells[0]->size + i] : values[i * shells[1]->size + j];
    }
  }
  shell_pair_free(&pair);
}

void one_electron_block(const struct one_electron_source *source, enum one_electron kind,
                        const int tiles[2], struct matrix *block)
{
  const struct tile *row = &source->basis->tiles[tiles[0]];
  const struct tile *column = &source->basis->tiles[tiles[1]];
  for (int i = 0; i < row->shell_count; i++) {
    for (int j = 0; j < column->shell_count; j++) {
      const struct shell *const shells[2] = {&source->basis->shells[row->first_shell + i],
                                             &source->basis->shells[column->first_shell + j]};
      const int origin[2] = {shells[0]->first - row->first, shells[1]->first - column->first};
      shells_add(source, kind, shells, origin, block);
    }
  }
}

/* Stores the block of two tiles in the array, or its transpose if `transposed`. */
static void block_put(const struct basis *basis, const int tiles[2], bool transposed,
                      const struct matrix *block, int array)
{
  const struct tile *row = &basis->tiles[tiles[transposed]];
  const struct tile *column = &basis->tiles[tiles[!transposed]];
  struct matrix copy = matrix_create(row->size, column->size);
  for (int i = 0; i < row->size; i++) {
    for (int j = 0; j < column->size; j++) {
      copy.values[i * column->size + j] =
          block->values[transposed ? j * row->size + i : i * column->size + j];
    }
  }
  int low[2] = {row->first, column->first};
  int high[2] = {row->first + row->size - 1, column->first + column->size - 1};
  NGA_Put(array, low, high, copy.values, &copy.columns);
  matrix_free(&copy);
}

void one_electron_matrix(const struct one_electron_source *source, const enum one_electron *kinds,
                         int count, int array, struct matrix *matrix)
{
  const struct basis *basis = source->basis;
  for (int i = 0, number = 0; i < basis->tile_count; i++) {
    for (int j = 0; j <= i; j++, number++) {
      if (number % GA_Nnodes() != GA_Nodeid())
        continue;
      const int tiles[2] = {i, j};
      struct matrix block = matrix_create(basis->tiles[i].size, basis->tiles[j].size);
      for (int k = 0; k < count; k++)
        one_electron_block(source, kinds[k], tiles, &block);
      block_put(basis, tiles, false, &block, array);
      if (i != j)
        block_put(basis, tiles, true, &block, array);
      matrix_free(&block);
    }
  }
  GA_Sync();
  int low[2] = {0, 0}, high[2] = {basis->size - 1, basis->size - 1};
  NGA_Get(array, low, high, matrix->values, &matrix->columns);
  GA_Sync(); /* after this, all processes have read the array and it may be overwritten */
}

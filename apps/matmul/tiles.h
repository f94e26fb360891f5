/* How a product is cut into tasks. A task is a tile of C, and a stretch of the terms of its sums.
 * Tasks are numbered: those of a tile follow each other, then come the tiles of the same rows. */
#ifndef MATMUL_TILES_H
#define MATMUL_TILES_H

#include "product.h"

struct cut {
  int64_t rows, columns; /* of a tile of C */
  int64_t terms;         /* of a task's sums */
  int64_t panel;         /* terms that are fetched and multiplied at a time */
};

/* Lengths that are 0 become as long as leaves enough tasks for each process, but no longer than is
 * of use. */
void cut_complete(const struct sides *sides, struct cut *cut);

/* Rows `row` on and columns `column` on of C, terms `from` on. */
struct task {
  int64_t row, rows, column, columns, from, terms;
};

int64_t tasks_count(const struct sides *sides, const struct cut *cut);
struct task task_of(const struct sides *sides, const struct cut *cut, int64_t number);

#endif

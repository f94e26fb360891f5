/* Partitions a product into tasks. A task is a tile of C and a range of the terms of its sums.
 * Tasks are numbered: those of the same tile are consecutive, then those of tiles in the same
 * rows. */
#pragma once

#include "product.h"

struct tiling {
  int64_t rows, columns; /* of a tile of C */
  int64_t terms;         /* of a task's sums */
  int64_t panel;         /* terms that are fetched and multiplied at once */
};

/* Sets the lengths that are 0. They are as long as is useful, but short enough for several tasks on
 * each process. */
void tiling_complete(const struct sides *sides, struct tiling *tiling);

/* A task: the tile of C that begins at `row` and `column`, and the terms that begin at `from`. */
struct task {
  int64_t row, rows, column, columns, from, terms;
};

int64_t tasks_count(const struct sides *sides, const struct tiling *tiling);
struct task task_of(const struct sides *sides, const struct tiling *tiling, int64_t number);

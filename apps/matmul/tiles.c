/* Partitions a product into tasks. */
#include "tiles.h"

static int64_t parts(int64_t extent, int64_t length)
{
  return (extent + length - 1) / length;
}

/* Returns the length of the part that begins at `begin`; the last part may be shorter. */
static int64_t within(int64_t extent, int64_t begin, int64_t length)
{
  return extent - begin < length ? extent - begin : length;
}

/* With tiles and panels of these sizes BLAS is nearly as fast as on a whole matrix, and fetched
 * elements are used often enough. */
enum { MOST_ROWS = 1024, MOST_COLUMNS = 4096, MOST_TERMS = 2048, PANEL = 384 };

enum { TASKS_EACH = 4, LEAST = 128 };

/* Sets a length that was not given to its greatest useful value, and adds it to `open`, the lengths
 * that may be shortened. */
static void choose(int64_t *length, int64_t extent, int64_t most, int64_t *open[3], int *count)
{
  if (*length != 0)
    return;
  *length = within(extent, 0, most);
  open[(*count)++] = length;
}

void tiling_complete(const struct sides *sides, struct tiling *tiling)
{
  int64_t *open[3];
  int count = 0;
  if (tiling->panel == 0)
    tiling->panel = PANEL;
  choose(&tiling->terms, sides->k, MOST_TERMS, open, &count);
  choose(&tiling->columns, sides->n, MOST_COLUMNS, open, &count);
  choose(&tiling->rows, sides->m, MOST_ROWS, open, &count);
  while (tasks_count(sides, tiling) < (int64_t)TASKS_EACH * cw_processes()) {
    int64_t *longest = NULL;
    for (int i = 0; i < count; i++)
      if (*open[i] > LEAST && (longest == NULL || *open[i] > *longest))
        longest = open[i];
    if (longest == NULL)
      return;
    *longest = parts(*longest, 2);
  }
}

int64_t tasks_count(const struct sides *sides, const struct tiling *tiling)
{
  return parts(sides->m, tiling->rows) * parts(sides->n, tiling->columns) *
         parts(sides->k, tiling->terms);
}

struct task task_of(const struct sides *sides, const struct tiling *tiling, int64_t number)
{
  const int64_t stretches = parts(sides->k, tiling->terms),
                columns = parts(sides->n, tiling->columns);
  const int64_t tile = number / stretches;
  struct task task = {.row = tile / columns * tiling->rows,
                      .column = tile % columns * tiling->columns,
                      .from = number % stretches * tiling->terms};
  task.rows = within(sides->m, task.row, tiling->rows);
  task.columns = within(sides->n, task.column, tiling->columns);
  task.terms = within(sides->k, task.from, tiling->terms);
  return task;
}

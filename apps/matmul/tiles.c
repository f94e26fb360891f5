#include "tiles.h"

static int64_t parts(int64_t extent, int64_t length)
{
  return (extent + length - 1) / length;
}

/* How much of an extent is in the part that begins here. */
static int64_t within(int64_t extent, int64_t begin, int64_t length)
{
  return extent - begin < length ? extent - begin : length;
}

int64_t tasks_count(const struct sides *sides, const struct cut *cut)
{
  return parts(sides->m, cut->rows) * parts(sides->n, cut->columns) * parts(sides->k, cut->terms);
}

struct task task_of(const struct sides *sides, const struct cut *cut, int64_t number)
{
  const int64_t stretches = parts(sides->k, cut->terms), columns = parts(sides->n, cut->columns);
  const int64_t tile = number / stretches;
  struct task task = {.row = tile / columns * cut->rows,
                      .column = tile % columns * cut->columns,
                      .from = number % stretches * cut->terms};
  task.rows = within(sides->m, task.row, cut->rows);
  task.columns = within(sides->n, task.column, cut->columns);
  task.terms = within(sides->k, task.from, cut->terms);
  return task;
}

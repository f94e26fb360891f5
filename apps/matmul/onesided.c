/* The product by one-sided calls, with double buffers for panels and tiles. */
#include "onesided.h"

#include "dgemm.h"

#include <stdlib.h>

/* Arguments of one dgemm: some of the terms of a task. The elements of A and B are being fetched to
 * these buffers. */
struct panel {
  struct task task;
  int64_t from, terms;
  cw_local_matrix a, b;
};

/* State of a process. Communication overlaps computation: while one panel is multiplied, the next
 * one is fetched; while one tile is computed, the tile before it is added to C. */
struct worker {
  const struct product *product;
  const struct tiling *tiling;
  cw_matrix a, b, c;
  struct panel panels[2];
  int coming;   /* index of the panel to fetch next */
  bool fetched; /* true if the other panel has been requested and is not multiplied yet */
  cw_local_matrix tiles[2];
  int tile; /* index of the tile that is being computed */
};

static double *allocate(int64_t rows, int64_t columns)
{
  double *numbers = malloc((size_t)rows * (size_t)columns * sizeof *numbers);
  if (numbers == NULL)
    cw_abort("matmul: no memory for a tile; choose a smaller one with --tile", 1);
  return numbers;
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void worker_begin(struct worker *worker, const struct product *product,
                         const struct tiling *tiling)
{
  const struct sides *sides = &product->sides;
  const int64_t rows = least(tiling->rows, sides->m), columns = least(tiling->columns, sides->n);
  const int64_t terms = least(least(tiling->panel, tiling->terms), sides->k);
  *worker = (struct worker){.product = product, .tiling = tiling};
  for (int i = 0; i < 2; i++) {
    worker->panels[i].a.data = allocate(rows, terms);
    worker->panels[i].b.data = allocate(terms, columns);
    worker->tiles[i].data = allocate(rows, columns);
  }
  CW_MUST(cw_matrix_attach(product->a, CW_ROW_MAJOR, &worker->a));
  CW_MUST(cw_matrix_attach(product->b, CW_ROW_MAJOR, &worker->b));
  CW_MUST(cw_matrix_attach(product->c, CW_ROW_MAJOR, &worker->c));
}

/* Starts to fetch rows and columns of op(A) or op(B), where `transposed` says that the
 * transpose is stored. The function multiply waits for it. */
static void fetch(cw_matrix matrix, bool transposed, cw_local_matrix *local, int64_t row,
                  int64_t rows, int64_t column, int64_t columns)
{
  local->height = transposed ? columns : rows;
  local->width = transposed ? rows : columns;
  CW_MUST(cw_matrix_iget(matrix, local, transposed ? column : row, transposed ? row : column));
}

/* Starts to add the finished tile to C, and switches to the other tile. */
static void add(struct worker *worker, const struct task *task)
{
  CW_MUST(cw_matrix_iaccumulate(worker->c, NULL, &worker->tiles[worker->tile], task->row,
                                task->column));
  worker->tile = 1 - worker->tile;
}

static void multiply(struct worker *worker, struct panel *panel)
{
  const struct task *task = &panel->task;
  cw_local_matrix *tile = &worker->tiles[worker->tile];
  const bool first = panel->from == task->from;
  const bool last = panel->from + panel->terms == task->from + task->terms;
  CW_MUST(cw_matrix_flush_local(worker->a, &panel->a));
  CW_MUST(cw_matrix_flush_local(worker->b, &panel->b));
  if (first) /* the last accumulate from this tile must have read it before it is overwritten */
    CW_MUST(cw_matrix_flush_local(worker->c, tile));
  tile->height = task->rows;
  tile->width = task->columns;
  dgemm(&(struct dgemm){.ta = worker->product->ta,
                        .tb = worker->product->tb,
                        .m = task->rows,
                        .n = task->columns,
                        .k = panel->terms,
                        .a = panel->a.data,
                        .b = panel->b.data,
                        .beta = first ? 0 : 1,
                        .c = tile->data});
  if (last)
    add(worker, task);
}

/* Multiplies the panel that was requested last, if there is one. */
static void catch_up(struct worker *worker)
{
  if (worker->fetched)
    multiply(worker, &worker->panels[1 - worker->coming]);
  worker->fetched = false;
}

/* Runs a task. Its last panel is left until the next task has requested its first one, or until the
 * end. */
static void work(void *what, int64_t number)
{
  struct worker *worker = what;
  const struct product *product = worker->product;
  const struct task task = task_of(&product->sides, worker->tiling, number);
  const int64_t end = task.from + task.terms;
  for (int64_t from = task.from; from < end; from += worker->tiling->panel) {
    struct panel *panel = &worker->panels[worker->coming];
    panel->task = task;
    panel->from = from;
    panel->terms = least(worker->tiling->panel, end - from);
    fetch(worker->a, product->ta, &panel->a, task.row, task.rows, from, panel->terms);
    fetch(worker->b, product->tb, &panel->b, from, panel->terms, task.column, task.columns);
    catch_up(worker);
    worker->coming = 1 - worker->coming;
    worker->fetched = true;
  }
}

static void worker_end(struct worker *worker)
{
  catch_up(worker);
  CW_MUST(cw_matrix_detach(&worker->a));
  CW_MUST(cw_matrix_detach(&worker->b));
  CW_MUST(cw_matrix_detach(
      &worker->c)); /* collective; afterwards C has the contributions of all processes */
  for (int i = 0; i < 2; i++) {
    free(worker->panels[i].a.data);
    free(worker->panels[i].b.data);
    free(worker->tiles[i].data);
  }
}

void multiply_onesided(struct product *product, const struct tiling *tiling,
                       distribute_function distribute)
{
  struct worker worker;
  CW_MUST(cw_array_fill(product->c, NULL, NULL, NULL));
  worker_begin(&worker, product, tiling);
  distribute(tasks_count(&product->sides, tiling), work, &worker);
  worker_end(&worker);
}

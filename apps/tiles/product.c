/* The product by tasks: plans the patches of a task, and runs it on the host by BLAS. */
#include "product.h"

#include "kernel.h"

#include <cblas.h>
#include <mpi.h>
#include <stddef.h>

/* Weak, because other BLAS libraries do not have it. */
#pragma weak openblas_set_num_threads
void openblas_set_num_threads(int threads); /* NOLINT(readability-redundant-declaration) */

void product_alone(void)
{
  if (openblas_set_num_threads != NULL)
    openblas_set_num_threads(1);
}

struct pairs {
  int64_t row, column; /* the tile of C */
  int64_t terms[KERNEL_PAIRS];
  int64_t count;
};

static int64_t side(const struct matrices *matrices, int64_t number)
{
  return matrices->first[number + 1] - matrices->first[number];
}

/* Plans the patches of a pair. The patches of an unused pair are empty. */
static cw_error plan_pair(const struct matrices *matrices, const struct pairs *pairs, int pair,
                          cw_plan *plan)
{
  int64_t lo[2], hi[2];
  const int there = pair < pairs->count;
  const int64_t term = there ? pairs->terms[pair] : 0;
  matrices_tile(matrices, pairs->row, term, lo, hi);
  hi[1] = there ? hi[1] : lo[1] - 1;
  CW_TRY(cw_plan_patch(plan, CW_PATCH_CONSTANT, matrices->a, lo, hi));
  matrices_tile(matrices, term, pairs->column, lo, hi);
  hi[0] = there ? hi[0] : lo[0] - 1;
  return cw_plan_patch(plan, CW_PATCH_CONSTANT, matrices->b, lo, hi);
}

static cw_error plan_sizes(const struct matrices *matrices, const struct pairs *pairs,
                           cw_plan *plan)
{
  const int64_t rows = side(matrices, pairs->row), columns = side(matrices, pairs->column);
  int64_t all = 0;
  CW_TRY(cw_plan_scalar(plan, &rows, sizeof rows));
  CW_TRY(cw_plan_scalar(plan, &columns, sizeof columns));
  for (int pair = 0; pair < KERNEL_PAIRS; pair++) {
    const int64_t terms = pair < pairs->count ? side(matrices, pairs->terms[pair]) : 0;
    CW_TRY(cw_plan_scalar(plan, &terms, sizeof terms));
    all += terms;
  }
  plan->work = (double)rows * (double)columns * (double)all;
  plan->local[0] = plan->local[1] = KERNEL_SIDE;
  plan->global[0] = (size_t)(columns + KERNEL_SIDE - 1) / KERNEL_SIDE * KERNEL_SIDE;
  plan->global[1] = (size_t)(rows + KERNEL_SIDE - 1) / KERNEL_SIDE * KERNEL_SIDE;
  return CW_OK;
}

/* Argument of the tasks. */
struct product {
  const struct matrices *matrices;
  struct timeline *timeline;
};

static cw_error note_pairs(const cw_task *task, void *argument)
{
  const struct product *product = argument;
  timeline_note(product->timeline, task);
  return CW_OK;
}

static cw_error plan_pairs(const cw_task *task, void *argument, cw_plan *plan)
{
  const struct matrices *matrices = ((const struct product *)argument)->matrices;
  const struct pairs *pairs = task->body;
  int64_t lo[2], hi[2];
  matrices_tile(matrices, pairs->row, pairs->column, lo, hi);
  CW_TRY(cw_plan_patch(plan, CW_PATCH_ADD, matrices->c, lo, hi));
  for (int pair = 0; pair < KERNEL_PAIRS; pair++)
    CW_TRY(plan_pair(matrices, pairs, pair, plan));
  return plan_sizes(matrices, pairs, plan);
}

static cw_error run_pairs(const cw_task *task, void *argument)
{
  const struct matrices *matrices = ((const struct product *)argument)->matrices;
  const struct pairs *pairs = task->body;
  const int rows = (int)side(matrices, pairs->row), columns = (int)side(matrices, pairs->column);
  for (int pair = 0; pair < pairs->count; pair++) {
    const int terms = (int)side(matrices, pairs->terms[pair]);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, terms, 1,
                task->data[1 + 2 * pair], terms, task->data[2 + 2 * pair], columns, 1,
                task->data[0], columns);
  }
  return CW_OK;
}

/* Adds tasks for a tile of C, each with up to KERNEL_PAIRS products. */
static void add_tile(const struct matrices *matrices, cw_tasks pool, int number, int64_t row,
                     int64_t column)
{
  struct pairs pairs = {.row = row, .column = column};
  for (int64_t term = 0; term < matrices->tiles; term++) {
    if (!matrices_has(matrices, 0, row, term) || !matrices_has(matrices, 1, term, column))
      continue;
    pairs.terms[pairs.count++] = term;
    if (pairs.count == KERNEL_PAIRS) {
      CW_MUST(cw_tasks_add(pool, number, &pairs, sizeof pairs));
      pairs.count = 0;
    }
  }
  if (pairs.count > 0)
    CW_MUST(cw_tasks_add(pool, number, &pairs, sizeof pairs));
}

static void add_tasks(const struct matrices *matrices, cw_tasks pool, int number)
{
  const int64_t all = matrices->tiles * matrices->tiles;
  const int64_t begin = cw_process() * all / cw_processes();
  const int64_t end = (cw_process() + 1) * all / cw_processes();
  for (int64_t tile = end - 1; tile >= begin; tile--)
    add_tile(matrices, pool, number, tile / matrices->tiles, tile % matrices->tiles);
}

static void add_up(cw_tasks_counts *counts)
{
  int64_t sums[] = {(int64_t)counts->on_host,   (int64_t)counts->on_device,
                    (int64_t)counts->fetched,   (int64_t)counts->stored,
                    (int64_t)counts->to_device, (int64_t)counts->from_device,
                    (int64_t)counts->hits,      (int64_t)counts->misses};
  CW_MUST(cw_allreduce(cw_team_world(), CW_LONG_LONG, CW_SUM, sizeof sums / sizeof sums[0], sums));
  CW_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_SUM, 1, &counts->device_idle));
  counts->on_host = (uint64_t)sums[0];
  counts->on_device = (uint64_t)sums[1];
  counts->fetched = (uint64_t)sums[2];
  counts->stored = (uint64_t)sums[3];
  counts->to_device = (uint64_t)sums[4];
  counts->from_device = (uint64_t)sums[5];
  counts->hits = (uint64_t)sums[6];
  counts->misses = (uint64_t)sums[7];
}

void product_run(struct matrices *matrices, const struct way *way, struct tally *tally)
{
  const cw_tasks_options options = {.body = sizeof(struct pairs),
                                    .device = way->device,
                                    .where = way->where,
                                    .cache = way->cache};
  const cw_task_class description = {.function = run_pairs,
                                     .plan = plan_pairs,
                                     .kernel = &kernel_source,
                                     .kernel_name = kernel_name,
                                     .then = way->timeline != NULL ? note_pairs : NULL};
  struct product product = {matrices, way->timeline};
  cw_tasks pool = NULL;
  int number = 0;
  matrices_clear(matrices);
  CW_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  CW_MUST(cw_tasks_register_class(pool, "pairs of tiles", &description, &product, &number));
  add_tasks(matrices, pool, number);
  CW_MUST(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  if (way->timeline != NULL)
    way->timeline->begin = timeline_now();
  CW_MUST(cw_tasks_process(pool));
  CW_MUST(cw_barrier(cw_team_world()));
  tally->seconds = MPI_Wtime() - begin;
  CW_MUST(cw_tasks_statistics(pool, &tally->counts));
  CW_MUST(cw_tasks_free(&pool));
  add_up(&tally->counts);
}

/* Builds the two-electron part of the Fock matrix: plans tasks, and runs them with screening. */
#include "fock.h"

#include "error.h"
#include "pair_list.h"
#include "quartet.h"
#include "tile_cache.h"

#include <ga.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Enough tasks to balance the load, and few enough that getting them takes no time. */
enum { TASKS_PER_PROCESS = 300 };

static const double progress_interval = 5; /* in seconds */

struct fock_builder {
  const struct basis *basis;
  struct engine *engine;
  struct fock_settings settings;
  struct pair_list list;
  struct tile_cache *cache;
  int density_array; /* any density array; they all have the same distribution */
  int kets_per_task;
  long *first_task; /* indexed by bra; the most expensive bra has the first tasks */
  struct work_list tasks;
  void *work;
  /* These count for this process in the current build. */
  long tasks_run;
  double quartets, next_message;
};

/* Returns the number of tasks of a bra. Its kets are itself and all cheaper ones. */
static long bra_tasks(const struct fock_builder *builder, int bra)
{
  return (bra + builder->kets_per_task) / builder->kets_per_task;
}

static void tasks_plan(struct fock_builder *builder)
{
  double quartets = 0.5 * builder->list.count * (builder->list.count + 1.0);
  double wanted = (double)TASKS_PER_PROCESS * GA_Nnodes();
  builder->kets_per_task = quartets > wanted ? (int)fmin(quartets / wanted, 1e6) : 1;
  builder->first_task = memory_allocate((size_t)builder->list.count, sizeof *builder->first_task);
  for (int bra = builder->list.count - 1; bra >= 0; bra--) {
    builder->first_task[bra] = builder->tasks.count;
    builder->tasks.count += bra_tasks(builder, bra);
  }
}

static int task_bra(const struct fock_builder *builder, long task)
{
  int low = 0, high = builder->list.count - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (builder->first_task[middle] > task)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The tiles that contain the six blocks of a quartet. */
struct quartet_tiles {
  struct tile_entry *entries[BLOCK_COUNT];
  const struct tile *rows[BLOCK_COUNT], *columns[BLOCK_COUNT];
};

static struct quartet_tiles tiles_find(const struct fock_builder *builder,
                                       const struct quartet *quartet)
{
  struct quartet_tiles tiles;
  for (int k = 0; k < BLOCK_COUNT; k++) {
    int row = quartet->rows[k]->tile, column = quartet->columns[k]->tile;
    tiles.rows[k] = &builder->basis->tiles[row];
    tiles.columns[k] = &builder->basis->tiles[column];
    tiles.entries[k] = tile_cache_entry(builder->cache, row, column);
  }
  return tiles;
}

/* Returns the largest density with which the integrals are multiplied. The Coulomb blocks weigh
 * four times as much as the exchange blocks. */
static double quartet_density(const struct basis *basis, const struct quartet *quartet,
                              const struct quartet_tiles *tiles)
{
  double largest = 0;
  for (int k = 0; k < BLOCK_COUNT; k++) {
    long i = quartet->rows[k] - basis->shells - tiles->rows[k]->first_shell;
    long j = quartet->columns[k] - basis->shells - tiles->columns[k]->first_shell;
    double bound = tiles->entries[k]->shell_bounds[i * tiles->columns[k]->shell_count + j];
    if (k == BLOCK_AB || k == BLOCK_CD)
      bound *= 4;
    if (bound > largest)
      largest = bound;
  }
  return largest;
}

static void quartet_add(struct fock_builder *builder, const struct quartet *quartet,
                        const struct quartet_tiles *tiles)
{
  const double *values = engine_repulsion(builder->engine, quartet->bra, quartet->ket);
  builder->quartets++;
  if (!values)
    return;
  struct quartet_block blocks[BLOCK_COUNT];
  for (int k = 0; k < BLOCK_COUNT; k++) {
    const struct tile *row = tiles->rows[k], *column = tiles->columns[k];
    int offset = (quartet->rows[k]->first - row->first) * column->size +
                 quartet->columns[k]->first - column->first;
    blocks[k] = (struct quartet_block){.density = tiles->entries[k]->density + offset,
                                       .fock = tiles->entries[k]->fock + offset,
                                       .stride = column->size};
  }
  quartet_digest(quartet, values, blocks);
}

/* Returns the largest density of the tiles of two tile pairs, with the same weights. */
static double tile_density(struct tile_cache *cache, const struct tile_pair *bra,
                           const struct tile_pair *ket)
{
  double coulomb = fmax(tile_cache_entry(cache, bra->row, bra->column)->bound,
                        tile_cache_entry(cache, ket->row, ket->column)->bound);
  double exchange = fmax(fmax(tile_cache_entry(cache, bra->row, ket->row)->bound,
                              tile_cache_entry(cache, bra->row, ket->column)->bound),
                         fmax(tile_cache_entry(cache, bra->column, ket->row)->bound,
                              tile_cache_entry(cache, bra->column, ket->column)->bound));
  return fmax(4 * coulomb, exchange);
}

/* Adds all shell quartets of two tile pairs. Both lists start with the largest bound, so the loop
 * ends at the first product that is too small. */
static void tile_quartet_add(struct fock_builder *builder, const struct tile_pair *bras,
                             const struct tile_pair *kets)
{
  tile_cache_reserve(builder->cache);
  double least = builder->settings.screening / tile_density(builder->cache, bras, kets);
  for (int i = 0; i < bras->pair_count; i++) {
    const struct shell_pair *bra = &bras->pairs[i];
    if (bra->bound * kets->bound < least)
      break;
    int end = bras == kets ? i + 1 : kets->pair_count;
    for (int j = 0; j < end; j++) {
      const struct shell_pair *ket = &kets->pairs[j];
      double bound = bra->bound * ket->bound;
      if (bound < least)
        break;
      struct quartet quartet = quartet_create(bra, ket);
      struct quartet_tiles tiles = tiles_find(builder, &quartet);
      double density = quartet_density(builder->basis, &quartet, &tiles);
      if (bound * density < builder->settings.screening)
        continue;
      quartet_add(builder, &quartet, &tiles);
    }
  }
}

static void progress_report(struct fock_builder *builder)
{
  if (!builder->settings.progress || GA_Nodeid() != 0 || GA_Wtime() < builder->next_message)
    return;
  fprintf(stderr, "  Fock matrix: process 0 has run %ld of all %ld tasks\n", builder->tasks_run,
          builder->tasks.count);
  builder->next_message = GA_Wtime() + progress_interval;
}

/* Returns the process that owns the density tile that the task reads first. */
static int task_owner(void *context, long task)
{
  const struct fock_builder *builder = context;
  const struct tile_pair *bra = &builder->list.tile_pairs[task_bra(builder, task)];
  const struct tile *tiles = builder->basis->tiles;
  int place[2] = {tiles[bra->row].first, tiles[bra->column].first};
  return NGA_Locate(builder->density_array, place);
}

static void task_run(void *context, long task)
{
  struct fock_builder *builder = context;
  const struct tile_pair *pairs = builder->list.tile_pairs;
  int bra = task_bra(builder, task);
  int last = bra - (int)(task - builder->first_task[bra]) * builder->kets_per_task;
  progress_report(builder);
  for (int ket = last; ket >= 0 && ket > last - builder->kets_per_task; ket--)
    tile_quartet_add(builder, &pairs[bra], &pairs[ket]);
  builder->tasks_run++;
}

struct fock_builder *fock_builder_create(const struct basis *basis, struct engine *engine,
                                         const struct fock_settings *settings, int density_array)
{
  struct fock_builder *builder = memory_allocate(1, sizeof *builder);
  builder->basis = basis;
  builder->engine = engine;
  builder->settings = *settings;
  builder->density_array = density_array;
  builder->list = pair_list_create(basis, engine, settings->screening);
  builder->cache = tile_cache_create(basis, settings->cache_tiles);
  builder->tasks = (struct work_list){.owner = task_owner, .run = task_run, .context = builder};
  tasks_plan(builder);
  builder->work = settings->work->create(&builder->tasks);
  return builder;
}

void fock_builder_free(struct fock_builder *builder)
{
  if (!builder)
    return;
  builder->settings.work->destroy(builder->work);
  tile_cache_free(builder->cache);
  free(builder->first_task);
  pair_list_free(&builder->list);
  free(builder);
}

void fock_build(struct fock_builder *builder, int density_array, int fock_array,
                struct fock_cost *cost)
{
  double start = GA_Wtime();
  struct work_cost work;
  GA_Zero(fock_array);
  double work_start = GA_Wtime();
  builder->quartets = 0;
  builder->tasks_run = 0;
  builder->next_message = work_start + progress_interval;
  tile_cache_attach(builder->cache, density_array, fock_array);
  builder->settings.work->run(builder->work, &work);
  tile_cache_flush(builder->cache);
  double work_end = GA_Wtime();
  GA_Sync();
  double sync_end = GA_Wtime();
  GA_Symmetrize(fock_array);

  double communication = builder->cache->seconds + work.draw;
  cost->integrals += work_end - work_start - communication - work.wait;
  cost->communication += communication + (work_start - start) + (GA_Wtime() - sync_end);
  cost->wait += sync_end - work_end + work.wait;
  cost->quartets += builder->quartets;
}

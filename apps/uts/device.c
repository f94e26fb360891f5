/* The search of `uts --device`: the table of children, the tasks, and their nodes. */
#include "device.h"

#include "expand.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* Argument of the tasks of this process. */
struct expansion {
  struct uts_device_search *search;
  cw_array table;
  uint32_t last; /* last row of the table */
};

/* --- The table of children -------------------------------------------------------------------- */

static uint32_t children_of(const struct uts_tree *tree, int depth, uint32_t drawn)
{
  struct uts_node node = {.depth = depth};
  const uint32_t last = htonl(drawn);
  memcpy(node.state + sizeof node.state - sizeof last, &last, sizeof last);
  return (uint32_t)uts_children(tree, &node);
}

enum { BITS = 31 };

/* Returns the least number drawn for which a node has at least `children` children or, if `rises`
 * is 0, fewer than `children`. Returns 2^31 if there is none. Binary search requires that the
 * number of children rises or falls with the number drawn. */
static uint32_t least(const struct uts_tree *tree, int depth, uint32_t children, int rises)
{
  uint32_t low = 0, high = (uint32_t)1 << BITS;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if ((children_of(tree, depth, middle) >= children) == (rises != 0))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Fills a row of the table. In the geometric part of a tree more children follow from greater
 * numbers; in the binomial part small numbers give all children and the others none. */
static void fill_row(const struct uts_tree *tree, int depth, struct expand_row *row)
{
  *row = (struct expand_row){.children = children_of(tree, depth, 0)};
  row->below = row->children > 0 ? least(tree, depth, row->children, 0) : 0;
  for (uint32_t step = 0; step < EXPAND_STEPS; step++)
    row->steps[step] = row->children > 0 ? (uint32_t)1 << BITS : least(tree, depth, step + 1, 1);
}

static void make_table(struct expansion *expansion)
{
  const struct uts_tree *tree = expansion->search->tree;
  const int levels = uts_levels(tree);
  const int64_t extents[] = {levels + 1, sizeof(struct expand_row) / sizeof(uint32_t)};
  const cw_array_options options = {
      .name = "children", .type = CW_INT, .dimensions = 2, .extents = extents};
  CW_MUST(cw_array_create(cw_team_world(), &options, &expansion->table));
  expansion->last = (uint32_t)levels;
  for (int depth = cw_process(); depth <= levels; depth += cw_processes()) {
    struct expand_row row;
    const int64_t lo[] = {depth, 0}, hi[] = {depth, extents[1] - 1};
    fill_row(tree, depth, &row);
    CW_MUST(cw_array_put(expansion->table, lo, hi, &row, NULL));
  }
  CW_MUST(cw_array_sync(expansion->table));
}

/* --- Tasks ------------------------------------------------------------------------------------ */

static size_t seeds_of(const cw_task *task)
{
  return task->bytes / sizeof(struct expand_seed);
}

static cw_error plan(const cw_task *task, void *argument, cw_plan *plan)
{
  enum { GROUP = 64 };
  const struct expansion *expansion = argument;
  const size_t seeds = seeds_of(task);
  const uint32_t count = (uint32_t)seeds;
  const int64_t lo[] = {0, 0};
  const int64_t hi[] = {expansion->last, sizeof(struct expand_row) / sizeof(uint32_t) - 1};
  plan->work = (double)seeds;
  plan->local[0] = GROUP;
  plan->global[0] = (seeds + GROUP - 1) / GROUP * GROUP;
  CW_TRY(cw_plan_memory(plan, CW_PATCH_IN, task->body, task->bytes));
  CW_TRY(cw_plan_memory(plan, CW_PATCH_OUT, NULL, seeds * sizeof(struct expand_made)));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_CONSTANT, expansion->table, lo, hi));
  CW_TRY(cw_plan_scalar(plan, &count, sizeof count));
  return cw_plan_scalar(plan, &expansion->last, sizeof expansion->last);
}

/* Does the work of the kernel on the host, with the functions of the search itself. */
static cw_error on_host(const cw_task *task, void *argument)
{
  const struct expansion *expansion = argument;
  const struct expand_seed *seeds = task->data[0];
  struct expand_made *made = task->data[1];
  for (size_t i = 0; i < seeds_of(task); i++) {
    struct uts_node parent = {.depth = (int32_t)seeds[i].depth - 1}, child;
    for (int word = 0; word < EXPAND_STATE; word++) {
      const uint32_t bytes = htonl(seeds[i].parent[word]);
      memcpy(parent.state + (size_t)word * sizeof bytes, &bytes, sizeof bytes);
    }
    uts_child(&parent, (int)seeds[i].number, &child);
    for (int word = 0; word < EXPAND_STATE; word++) {
      uint32_t bytes = 0;
      memcpy(&bytes, child.state + (size_t)word * sizeof bytes, sizeof bytes);
      made[i].state[word] = ntohl(bytes);
    }
    made[i].children = (uint32_t)uts_children(expansion->search->tree, &child);
  }
  return CW_OK;
}

/* Seeds that are collected until there are enough for a task. */
struct heap {
  cw_tasks pool;
  int number;
  struct expand_seed *seeds;
  size_t count, most;
};

static cw_error heap_give(struct heap *heap)
{
  const size_t bytes = heap->count * sizeof *heap->seeds;
  heap->count = 0;
  return bytes > 0 ? cw_tasks_add(heap->pool, heap->number, heap->seeds, bytes) : CW_OK;
}

static cw_error heap_children(struct heap *heap, const uint32_t *state, uint32_t depth,
                              uint32_t children)
{
  for (uint32_t child = 0; child < children; child++) {
    struct expand_seed *seed = &heap->seeds[heap->count++];
    memcpy(seed->parent, state, sizeof seed->parent);
    seed->depth = depth + 1;
    seed->number = child;
    if (heap->count == heap->most)
      CW_TRY(heap_give(heap));
  }
  return CW_OK;
}

static cw_error heap_begin(struct heap *heap, cw_tasks pool, int number, size_t most)
{
  *heap = (struct heap){.pool = pool, .number = number, .most = most};
  heap->seeds = malloc(most * sizeof *heap->seeds);
  return heap->seeds != NULL ? CW_OK : CW_OUTSIDE;
}

/* Continuation of a task: counts its nodes, and adds tasks for their children. The tasks are
 * smaller while other processes have none. */
static cw_error then(const cw_task *task, void *argument)
{
  enum { SHARES = 8 };
  const struct expansion *expansion = argument;
  const struct expand_seed *seeds = task->body;
  const struct expand_made *made = task->data[1];
  struct uts_found *found = &expansion->search->found[task->worker];
  size_t most = (size_t)expansion->search->nodes;
  struct heap heap;
  bool wanted = false;
  CW_TRY(cw_tasks_wanted(task->pool, &wanted));
  if (wanted && most > SHARES)
    most /= SHARES;
  CW_TRY(heap_begin(&heap, task->pool, task->number, most));
  cw_error error = CW_OK;
  for (size_t i = 0; i < seeds_of(task) && error == CW_OK; i++) {
    uts_count(found, (int)seeds[i].depth, (int)made[i].children);
    error = heap_children(&heap, made[i].state, seeds[i].depth, made[i].children);
  }
  if (error == CW_OK)
    error = heap_give(&heap);
  free(heap.seeds);
  return error;
}

/* --- The search ------------------------------------------------------------------------------- */

/* Adds the first tasks. The children of the root are created here, because it may have more of them
 * than any other node. */
static void plant(struct uts_device_search *search, cw_tasks pool, int number)
{
  struct uts_node root;
  uint32_t state[EXPAND_STATE];
  struct heap heap;
  uts_root(search->tree, &root);
  const int children = uts_children(search->tree, &root);
  uts_count(&search->found[0], 0, children);
  memcpy(state, root.state, sizeof state);
  for (int word = 0; word < EXPAND_STATE; word++)
    state[word] = ntohl(state[word]);
  CW_MUST(heap_begin(&heap, pool, number, (size_t)search->nodes));
  CW_MUST(heap_children(&heap, state, 0, (uint32_t)children));
  CW_MUST(heap_give(&heap));
  free(heap.seeds);
}

/* Returns the options of the pool. It has few slots, because each has space for all nodes of a
 * task. No process adds tasks to another one, so the inboxes are small. */
static cw_tasks_options device_options(const struct uts_device_search *search,
                                       const cw_tasks_options *given)
{
  enum { SLOTS = 128, INBOX = 2 };
  cw_tasks_options options = *given;
  options.body = (size_t)search->nodes * sizeof(struct expand_seed);
  options.slots = given->slots > 0 ? given->slots : SLOTS;
  options.inbox = INBOX;
  options.device = search->device;
  options.where = search->where;
  return options;
}

void uts_device_run(struct uts_device_search *search, const cw_tasks_options *given,
                    cw_tasks_counts *counts, double *seconds)
{
  static const cw_task_class description = {.function = on_host,
                                            .kernel = &expand_source,
                                            .kernel_name = "uts_expand",
                                            .plan = plan,
                                            .then = then};
  const cw_tasks_options options = device_options(search, given);
  struct expansion expansion = {.search = search};
  cw_tasks pool = NULL;
  int number = 0;
  make_table(&expansion);
  CW_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  CW_MUST(cw_tasks_register_class(pool, "nodes", &description, &expansion, &number));
  if (cw_process() == 0)
    plant(search, pool, number);
  CW_MUST(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  CW_MUST(cw_tasks_process(pool));
  *seconds = MPI_Wtime() - begin;
  CW_MUST(cw_tasks_statistics(pool, counts));
  CW_MUST(cw_tasks_free(&pool));
  CW_MUST(cw_array_destroy(&expansion.table));
}

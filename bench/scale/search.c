/* The Unbalanced Tree Search on many nodes in simulated time, with four ways to distribute its
 * nodes. Prints one line of CSV for each.
 *
 *   search TREE NANOSECONDS WAY...      under smpirun, with CW_SERVER=rank: see run.sh
 *
 *   half       the library's pool of tasks: a thief claims half of the published tasks by one
 *              fetch-and-add, gets them, and notifies the victim
 *   one        like half, but a thief takes one task
 *   locks      a thief takes half under a lock: lock, read, write, get, unlock. Choice of victims
 *              and delays after failed attempts are the pool's
 *   messages   a victim polls for requests every few nodes (SEARCH_INTERVAL, 4) and answers with
 *              half of its stack. One poll takes 50 ns
 *
 * A node of the tree takes NANOSECONDS of simulated time, so it may stand for many nodes. The
 * simulation detects termination of the last two ways at no cost; the pools detect theirs by waves.
 * All nodes and leaves are counted. */
#include "../../apps/uts/tree.h"
#include "must.h"
#include "simulated.h"

#include <causeway.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 8192, MOST_ANSWER = 2048, QUESTION = 11, ANSWER = 12 };

/* Used by all ways: the step of simulated time and the cost of a poll, in seconds. */
static const double STEP = 4e-6, POLL_SECONDS = 5e-8;
static const double FIRST_DELAY = 5e-6, LAST_DELAY = 1e-4;

static const struct uts_tree *tree;
static double seconds_of_node, debt;
static int me, processes;
static int64_t nodes, leaves, steals, stolen, failed;

/* --- The tree --------------------------------------------------------------------------------- */

static void pay(double least)
{
  if (debt <= least)
    return;
  simulated_compute(debt);
  debt = 0;
}

/* Does the work of a node and returns the number of its children, which the caller adds. */
static int visit(const struct uts_node *node)
{
  const int children = uts_children(tree, node);
  nodes++;
  leaves += children == 0;
  debt += seconds_of_node;
  pay(STEP);
  return children;
}

static uint32_t draw(uint32_t count)
{
  static uint64_t random;
  random = random == 0 ? ((uint64_t)me << 32) + 1 : random;
  random = random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random >> 32) * count >> 32);
}

static int draw_other(void)
{
  const int other = (int)draw((uint32_t)processes - 1);
  return other < me ? other : other + 1;
}

/* --- Pools ------------------------------------------------------------------------------------ */

static int node_class;

static cw_error run_node(const cw_task *task, void *argument)
{
  (void)argument;
  const struct uts_node *node = task->body;
  const int children = visit(node);
  for (int i = 0; i < children; i++) {
    struct uts_node child;
    uts_child(node, i, &child);
    must(cw_tasks_add(task->pool, node_class, &child, sizeof child));
  }
  return CW_OK;
}

static cw_tasks make_pool(cw_steal_amount amount)
{
  const cw_tasks_options options = {.body = sizeof(struct uts_node), .amount = amount};
  cw_tasks pool = NULL;
  must(cw_tasks_create(cw_team_world(), &options, &pool));
  must(cw_tasks_register(pool, "node", run_node, NULL, &node_class));
  return pool;
}

static void search_pool(cw_tasks pool)
{
  cw_tasks_counts counts;
  struct uts_node root;
  uts_root(tree, &root);
  if (me == 0)
    must(cw_tasks_add(pool, node_class, &root, sizeof root));
  must(cw_tasks_process(pool));
  must(cw_tasks_statistics(pool, &counts));
  steals = (int64_t)(counts.near_steals + counts.far_steals);
  stolen = (int64_t)(counts.near_stolen + counts.far_stolen);
  failed = (int64_t)(counts.near_failed + counts.far_failed);
}

/* --- My own stack ----------------------------------------------------------------------------- */

static struct uts_node *stack;
static size_t bottom, top, capacity;

static void grow(size_t more)
{
  if (bottom > 0 && bottom >= capacity / 2) {
    top -= bottom;
    memmove(stack, stack + bottom, top * sizeof *stack);
    bottom = 0;
  }
  if (top + more <= capacity)
    return;
  capacity = 2 * (top + more);
  stack = realloc(stack, capacity * sizeof *stack);
  must_be(stack != NULL, "no memory");
}

static void visit_top(void)
{
  const struct uts_node node = stack[--top];
  const int children = visit(&node);
  grow((size_t)children);
  for (int i = 0; i < children; i++)
    uts_child(&node, i, &stack[top++]);
  simulated_add(SIMULATED_NODES, 1);
}

static void begin_stack(void)
{
  bottom = top = 0;
  grow(4096);
  if (me == 0)
    uts_root(tree, &stack[top++]);
}

static bool is_over(void)
{
  return simulated_add(SIMULATED_NODES, 0) == tree->nodes;
}

/* --- Locks ------------------------------------------------------------------------------------ */

struct ring {
  int64_t lock; /* owner of the lock, its process + 1 */
  int64_t first, last;
  struct uts_node nodes[RING];
};

static struct ring **rings; /* [processes] */

static bool try_lock(int process)
{
  int64_t before = 0;
  must(cw_compare_swap_int64(&rings[process]->lock, 0, me + 1, process, &before));
  return before == 0;
}

/* Releases the lock after the puts to the same process. */
static void unlock(int process)
{
  must(cw_notify(&rings[process]->lock, -(int64_t)(me + 1), process));
}

/* Publishes the older half of this process's stack if the ring is empty and no thief has the lock.
 * */
static void release(void)
{
  struct ring *mine = rings[me];
  if (top - bottom < 2 || __atomic_load_n(&mine->first, __ATOMIC_ACQUIRE) != mine->last ||
      !try_lock(me))
    return;
  const size_t half = (top - bottom) / 2, count = half < RING ? half : RING;
  for (size_t i = 0; i < count; i++)
    mine->nodes[mine->last++ % RING] = stack[bottom++];
  unlock(me);
}

static void reacquire(void)
{
  struct ring *mine = rings[me];
  if (__atomic_load_n(&mine->first, __ATOMIC_ACQUIRE) == mine->last)
    return;
  while (!try_lock(me))
    simulated_wait();
  const int64_t count = (mine->last - mine->first + 1) / 2;
  grow((size_t)count);
  for (int64_t i = 0; i < count; i++)
    stack[top++] = mine->nodes[(mine->last - count + i) % RING];
  mine->last -= count;
  unlock(me);
}

static void copy_from(struct ring *ring, int process, int64_t first, int64_t count)
{
  grow((size_t)count);
  while (count > 0) {
    const int64_t place = first % RING, run = count < RING - place ? count : RING - place;
    must(cw_get(stack + top, &ring->nodes[place], (size_t)run * sizeof *stack, process));
    top += (size_t)run;
    first += run;
    count -= run;
  }
}

static bool steal_locked(int process)
{
  int64_t ends[2];
  struct ring *ring = rings[process];
  if (!try_lock(process))
    return false;
  must(cw_get(ends, &ring->first, sizeof ends, process));
  const int64_t count = (ends[1] - ends[0] + 1) / 2, first = ends[0] + count;
  if (count > 0) {
    must(cw_put(&first, &ring->first, sizeof first, process));
    copy_from(ring, process, ends[0], count);
  }
  unlock(process);
  stolen += count;
  return count > 0;
}

static void seek_locked(void)
{
  double delay = FIRST_DELAY, next = 0;
  while (!is_over()) {
    if (simulated_seconds() < next) {
      simulated_wait();
      continue;
    }
    if (steal_locked(draw_other())) {
      steals++;
      return;
    }
    failed++;
    next = simulated_seconds() + delay;
    delay = 2 * delay < LAST_DELAY ? 2 * delay : LAST_DELAY;
  }
}

static void search_locked(void)
{
  begin_stack();
  while (!is_over()) {
    release();
    if (top > bottom) {
      visit_top();
      continue;
    }
    pay(0);
    reacquire();
    if (top == bottom)
      seek_locked();
  }
}

/* --- Polling ---------------------------------------------------------------------------------- */

static MPI_Comm comm;
static MPI_Request question, reply;
static char nothing;
static struct uts_node answered[MOST_ANSWER];

static void must_mpi(int code)
{
  must_be(code == MPI_SUCCESS, "a call of MPI has failed");
}

static void listen(void)
{
  must_mpi(MPI_Irecv(&nothing, 1, MPI_CHAR, MPI_ANY_SOURCE, QUESTION, comm, &question));
}

static void answer_questions(void)
{
  MPI_Status from;
  int there = 0;
  while (must_mpi(MPI_Test(&question, &there, &from)), there) {
    const size_t half = (top - bottom) / 2, count = half < MOST_ANSWER ? half : MOST_ANSWER;
    must_mpi(MPI_Send(stack + bottom, (int)(count * sizeof *stack), MPI_BYTE, from.MPI_SOURCE,
                      ANSWER, comm));
    bottom += count;
    listen();
  }
}

static void take_answer(const MPI_Status *from)
{
  int bytes = 0;
  must_mpi(MPI_Get_count(from, MPI_BYTE, &bytes));
  const size_t count = (size_t)bytes / sizeof *stack;
  grow(count);
  memcpy(stack + top, answered, (size_t)bytes);
  top += count;
  stolen += (int64_t)count;
  steals += count > 0;
  failed += count == 0;
  simulated_add(SIMULATED_QUESTIONS, -1);
}

/* Sends one request and waits for its answer; answers other processes' requests meanwhile. */
static void seek_polling(void)
{
  MPI_Status from;
  int there = 0;
  must_mpi(MPI_Irecv(answered, sizeof answered, MPI_BYTE, MPI_ANY_SOURCE, ANSWER, comm, &reply));
  simulated_add(SIMULATED_QUESTIONS, 1);
  must_mpi(MPI_Send(&nothing, 1, MPI_CHAR, draw_other(), QUESTION, comm));
  while (must_mpi(MPI_Test(&reply, &there, &from)), !there) {
    answer_questions();
    simulated_wait();
  }
  take_answer(&from);
}

static void search_polling(void)
{
  const char *text = getenv("SEARCH_INTERVAL");
  const long interval = text != NULL ? atol(text) : 1;
  comm = cw_team_comm(cw_team_world());
  begin_stack();
  listen();
  while (!is_over()) {
    for (long i = 0; i < interval && top > bottom; i++)
      visit_top();
    debt += POLL_SECONDS;
    if (top == bottom)
      pay(0);
    answer_questions();
    if (top == bottom && !is_over())
      seek_polling();
  }
  while (simulated_add(SIMULATED_QUESTIONS, 0) > 0) {
    answer_questions();
    simulated_wait();
  }
  /* No process sends requests any more: send one to this process, to end its own receive. */
  must_mpi(MPI_Send(&nothing, 1, MPI_CHAR, me, QUESTION, comm));
  for (int there = 0; !there; simulated_wait())
    must_mpi(MPI_Test(&question, &there, MPI_STATUS_IGNORE));
}

/* --- Measurement ------------------------------------------------------------------------------ */

/* Returns the largest end time of all processes. A pool ends with its phase, the other ways with
 * the last node. */
static double finished(double end)
{
  double last = 0;
  must_be(MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, cw_team_comm(cw_team_world())) ==
              MPI_SUCCESS,
          "MPI_Allreduce failed");
  return last;
}

static void measure(const char *way)
{
  const bool one = strcmp(way, "one") == 0, pooled = one || strcmp(way, "half") == 0;
  cw_tasks pool = pooled ? make_pool(one ? CW_STEAL_ONE : CW_STEAL_HALF) : NULL;
  nodes = leaves = steals = stolen = failed = 0;
  debt = 0;
  simulated_add(SIMULATED_NODES, me == 0 ? -simulated_add(SIMULATED_NODES, 0) : 0);
  must(cw_barrier(cw_team_world()));
  const double begin = simulated_seconds();
  if (pooled)
    search_pool(pool);
  else if (strcmp(way, "locks") == 0)
    search_locked();
  else
    search_polling();
  const double took = finished(pooled ? simulated_seconds() : simulated_last_node()) - begin;
  const int64_t mine[] = {nodes, leaves, steals, stolen, failed};
  int64_t sums[5];
  must_mpi(MPI_Allreduce(mine, sums, 5, MPI_INT64_T, MPI_SUM, cw_team_comm(cw_team_world())));
  must_be(sums[0] == tree->nodes && sums[1] == tree->leaves, "another tree was found");
  if (me == 0)
    printf("%s,%d,%s,%.9g,%.9g,%.4f,%ld,%ld,%ld\n", way, processes, tree->name,
           1e9 * seconds_of_node, took, seconds_of_node * (double)tree->nodes / (took * processes),
           (long)sums[2], (long)sums[3], (long)sums[4]);
  (void)fflush(stdout);
  must(cw_barrier(cw_team_world()));
  if (pool != NULL)
    must(cw_tasks_free(&pool));
}

static void run(int count, char **ways)
{
  cw_region region = NULL;
  me = cw_process();
  processes = cw_processes();
  rings = calloc((size_t)processes, sizeof *rings);
  must_be(rings != NULL, "no memory");
  must(cw_region_create(cw_team_world(), sizeof(struct ring), &region, (void **)rings));
  memset(rings[me], 0, sizeof(struct ring));
  for (int i = 0; i < count; i++)
    measure(ways[i]);
  must(cw_region_free(cw_team_world(), &region));
  free(rings);
  free(stack);
  if (me == 0)
    puts("verified");
}

int main(int argc, char **argv)
{
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  must(cw_init(MPI_COMM_WORLD));
  tree = argc > 3 ? uts_tree(argv[1]) : NULL;
  must_be(tree != NULL, "usage: search TREE NANOSECONDS WAY...");
  seconds_of_node = 1e-9 * atof(argv[2]);
  if (cw_processes() > 0)
    run(argc - 3, argv + 3);
  must(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

/* Compares two ways to distribute a known list of uneven tasks: by a counter of process 0, or by a
 * pool into which each process has put its part of the list.
 *
 *   uneven [ROUNDS [PART]]    turns of each (default 5); a PART-th of the tasks (1)
 *
 * A task's work is drawn from Pareto's distribution (a = 1.5), at most 1000 times the least. Work
 * is a loop, so that it costs the same on every process. Every task produces a number, and their
 * sum is checked. */
#include "../program.h"
#include "../samples.h"

#include <causeway.h>

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 99, MOST = 100000 };

static int me;
static double loops_of_second; /* iterations of the loop */

/* --- The work --------------------------------------------------------------------------------- */

static uint64_t loop(uint64_t value, long iterations)
{
  for (long i = 0; i < iterations; i++)
    value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

static uint64_t mix(uint64_t value)
{
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

struct list {
  int64_t count;
  double mean;     /* seconds */
  double shortest; /* iterations of the loop */
  uint64_t sum;    /* sum of the numbers that tasks produced on this process */
  int number;      /* number of the task class */
};

static void run(struct list *list, int64_t task)
{
  static const double power = -1 / 1.5, most = 1000;
  const double u = ((double)(mix((uint64_t)task + 1) >> 11) + 1) / 9007199254740992.0;
  const double times = pow(u, power);
  list->sum += loop((uint64_t)task, (long)(list->shortest * (times < most ? times : most)));
}

static void calibrate(void)
{
  static volatile uint64_t kept;
  double best = 0;
  for (int i = 0; i < 5; i++) {
    const long iterations = 2000000;
    const double begin = seconds(CLOCK_MONOTONIC);
    kept = loop((uint64_t)i, iterations);
    const double rate = (double)iterations / (seconds(CLOCK_MONOTONIC) - begin);
    best = rate > best ? rate : best;
  }
  (void)kept;
  loops_of_second = best;
  must(cw_broadcast(cw_team_world(), 0, &loops_of_second, sizeof loops_of_second));
}

/* --- The ways --------------------------------------------------------------------------------- */

static int64_t *counter;
static cw_tasks pool;
static int64_t bodies[MOST]; /* bodies of the tasks that this process adds */

static void by_counter(struct list *list)
{
  int64_t task = 0;
  while (must(cw_fetch_add_int64(counter, 1, 0, &task)), task < list->count)
    run(list, task);
}

static cw_error run_task(const cw_task *task, void *argument)
{
  run(argument, *(const int64_t *)task->body);
  return CW_OK;
}

static void by_pool(struct list *list)
{
  const int64_t share = (list->count + cw_processes() - 1) / cw_processes(), first = me * share;
  size_t mine = 0;
  for (int64_t task = first; task < first + share && task < list->count; task++)
    bodies[mine++] = task;
  must(cw_tasks_add_many(pool, list->number, mine, bodies, sizeof *bodies, me, 0));
  must(cw_tasks_process(pool));
}

static void alone(struct list *list)
{
  for (int64_t task = 0; task < list->count && me == 0; task++)
    run(list, task);
}

/* Returns the seconds until all processes have finished. `sum` receives the sum over all processes.
 * */
static double time_round(struct list *list, void (*way)(struct list *list), uint64_t *sum)
{
  list->sum = 0;
  if (me == 0)
    *counter = 0;
  must(cw_barrier(cw_team_world()));
  const double begin = seconds(CLOCK_MONOTONIC);
  way(list);
  must(cw_barrier(cw_team_world()));
  const double took = seconds(CLOCK_MONOTONIC) - begin;
  MPI_Allreduce(&list->sum, sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return took;
}

static void measure(struct list *list, int rounds)
{
  static void (*const ways[])(struct list *) = {alone, by_counter, by_pool};
  enum { WAYS = sizeof ways / sizeof ways[0] };
  static double times[WAYS][ROUNDS_MAX];
  double medians[WAYS];
  uint64_t sums[WAYS];
  list->shortest = loops_of_second * list->mean / 2.9; /* the mean of the distribution */
  for (int round = -1; round < rounds; round++)
    for (int way = 0; way < WAYS; way++) {
      times[way][round < 0 ? 0 : round] = time_round(list, ways[way], &sums[way]);
      if (sums[way] != sums[0])
        cw_abort("uneven: the tasks have left another sum than the same list has alone", 1);
    }
  for (int way = 0; way < WAYS; way++)
    medians[way] = median_of(times[way], (size_t)rounds);
  if (me == 0)
    printf("| %d on %d | %.2g | %ld | %.4g | %.4g | %.4g | %.3f | %.2f |\n", cw_processes(),
           cw_nodes(), 1e6 * medians[0] / (double)list->count, (long)list->count, 1e3 * medians[0],
           1e3 * medians[1], 1e3 * medians[2], medians[1] / medians[2], medians[0] / medians[2]);
  (void)fflush(stdout);
}

int main(int argc, char **argv)
{
  static struct list lists[] = {{.count = MOST, .mean = 1e-6},
                                {.count = 30000, .mean = 1e-5},
                                {.count = 10000, .mean = 1e-4}};
  const int rounds = argc > 1 ? atoi(argv[1]) : 5, part = argc > 2 ? atoi(argv[2]) : 1;
  const cw_tasks_options options = {.body = sizeof(int64_t), .slots = CW_TASKS_MOST_SLOTS};
  void **words = NULL;
  cw_region region = NULL;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  must(cw_init(MPI_COMM_WORLD));
  me = cw_process();
  if (rounds < 1 || rounds > ROUNDS_MAX || part < 1 ||
      (words = calloc((size_t)cw_processes(), sizeof *words)) == NULL) {
    cw_abort("usage: uneven [ROUNDS [PART]]", 2);
    return 2;
  }
  must(cw_region_create(cw_team_world(), sizeof *counter, &region, words));
  counter = words[0];
  must(cw_tasks_create(cw_team_world(), &options, &pool));
  calibrate();
  if (me == 0)
    printf("| processes, nodes | mean of a task, us | tasks | alone, ms | counter, ms | pool, ms | "
           "counter / pool | alone / pool |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    char name[] = "list 0";
    name[5] = (char)('0' + i);
    lists[i].count /= part;
    must(cw_tasks_register(pool, name, run_task, &lists[i], &lists[i].number));
    measure(&lists[i], rounds);
  }
  must(cw_tasks_free(&pool));
  must(cw_region_free(cw_team_world(), &region));
  free(words);
  must(cw_finalize());
  return MPI_Finalize();
}

/* Measures hosts and a device that work together: tasks of equal length on the host alone, on the
 * device alone, and each where it finishes first, compared with the limit,
 * 1 / (1 / host + 1 / device).
 *
 *   kinds [ROUNDS [SECONDS]]   one process; CW_DEVICE_HOST_ITEM=1000: a device with a clock of its
 *                              own. SECONDS: of a turn
 *
 * A task spins on the host for some microseconds; on the device it is a kernel with as many work
 * items. Ways take turns; the results are medians. */
#include "../program.h"
#include "../samples.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 99, WAYS = 3 };

static cw_device device;

static cw_error plan(const cw_task *task, void *argument, cw_plan *plan)
{
  (void)argument;
  plan->global[0] = *(const size_t *)task->body;
  plan->work = (double)plan->global[0];
  return CW_OK;
}

static cw_error spin(const cw_task *task, void *argument)
{
  const double end = seconds(CLOCK_MONOTONIC) + 1e-6 * (double)*(const size_t *)task->body;
  (void)argument;
  while (seconds(CLOCK_MONOTONIC) < end)
    continue;
  return CW_OK;
}

static void nothing(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
}

/* The pool of each way. Its mean times persist from turn to turn. */
struct way {
  cw_tasks pool;
  int number;
  uint64_t ran, before;     /* tasks of the last turn on the device */
  double idle, idle_before; /* seconds of that turn in which the device was idle */
};

static void make_way(struct way *way, cw_where where)
{
  static const cw_host_function functions[] = {{"nothing", nothing}, {NULL, NULL}};
  static const cw_kernel_source source = {.functions = functions};
  const cw_task_class description = {
      .function = spin, .plan = plan, .kernel = &source, .kernel_name = "nothing"};
  const cw_tasks_options options = {.device = device, .where = where};
  *way = (struct way){0};
  must(cw_tasks_create(cw_team_world(), &options, &way->pool));
  must(cw_tasks_register_class(way->pool, "task", &description, NULL, &way->number));
}

/* Returns the seconds of `tasks` tasks. */
static double time_round(struct way *way, size_t microseconds, int tasks)
{
  cw_tasks_counts counts;
  for (int i = 0; i < tasks; i++)
    must(cw_tasks_add(way->pool, way->number, &microseconds, sizeof microseconds));
  const double begin = seconds(CLOCK_MONOTONIC);
  must(cw_tasks_process(way->pool));
  const double took = seconds(CLOCK_MONOTONIC) - begin;
  must(cw_tasks_statistics(way->pool, &counts));
  way->ran = counts.on_device - way->before;
  way->idle = counts.device_idle - way->idle_before;
  way->before = counts.on_device;
  way->idle_before = counts.device_idle;
  return took;
}

static void compare(size_t microseconds, int rounds, double length)
{
  static double samples[WAYS][MOST_ROUNDS], shares[MOST_ROUNDS], idle[MOST_ROUNDS];
  static const cw_where places[WAYS] = {CW_WHERE_HOST, CW_WHERE_DEVICE, CW_WHERE_MEASURED};
  const int most = (int)(1e6 * length / (double)microseconds), tasks = most > 4 ? most : 4;
  struct way ways[WAYS];
  double medians[WAYS];
  for (int way = 0; way < WAYS; way++)
    make_way(&ways[way], places[way]);
  for (int round = -1; round < rounds; round++) /* the first one does not count */
    for (int way = 0; way < WAYS; way++) {
      const double took = time_round(&ways[way], microseconds, tasks);
      const int at = round < 0 ? 0 : round;
      samples[way][at] = took;
      /* Each way overwrites the share: that of the third way remains. */
      shares[at] = 100.0 * (double)ways[way].ran / tasks;
      idle[at] = 100 * ways[way].idle / took;
    }
  for (int way = 0; way < WAYS; way++) {
    medians[way] = 1e3 * median_of(samples[way], (size_t)rounds);
    must(cw_tasks_free(&ways[way].pool));
  }
  const double limit = 1 / (1 / medians[0] + 1 / medians[1]), ratio = medians[2] / limit;
  printf("| %8zu | %6d | %8.2f | %8.2f | %8.2f | %8.2f | %5.1f | %5.1f | %5.2f | %s |\n",
         microseconds, tasks, medians[0], medians[1], limit, medians[2],
         median_of(shares, (size_t)rounds), median_of(idle, (size_t)rounds), ratio,
         ratio > 1.15 ? "UNDER" : "ok");
}

int main(int argc, char **argv)
{
  static const size_t lengths[] = {20, 50, 100, 200, 500, 1000, 2000};
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  const double length = argc > 2 ? strtod(argv[2], NULL) : 0.1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 1 || rounds < 1 || rounds > MOST_ROUNDS || !(length > 0))
    cw_abort("kinds: one process, 1 to 99 rounds, seconds of a turn above 0", 1);
  must(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  printf("| task, µs | tasks | host, ms | device, ms | limit, ms | both, ms | on the device, %% | "
         "it idles, %% | "
         "both / limit | at most 1.15 |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n");
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    compare(lengths[i], rounds, length);
  must(cw_device_close(&device));
  must(cw_finalize());
  return MPI_Finalize();
}

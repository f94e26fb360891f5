/* Traffic of many nodes in simulated time. Prints one line of CSV for each pattern.
 *
 *   traffic [--smoke] [PATTERN...]         under smpirun, with CW_SERVER=rank: see run.sh
 *
 *   start        cw_init on all processes
 *   array        all processes make an array of 64 x 64 numbers per process; each puts such a block
 *                at the next process, gets its own block, and frees the array
 *   counter      each draws 10 numbers from one counter of process 0 (NXTVAL)
 *   small        each adds 1 KiB to the memory of process 0 and fences, 10 times
 *   large        each adds 32 KiB to the memory of process 0, 4 times, and fences
 *   chemistry    like NWChem's coupled cluster, 4 tasks per process: draw a task from process 0,
 *                compute for 1 to 3 ms, add two blocks of 10 to 100 KB to any process's memory
 *
 * Fails unless every draw is larger than the one before and the final sums are those that were
 * added. */
#include <causeway.h>

#include "must.h"
#include "simulated.h"

#include "base/settings.h"
#include "link/topology.h"

/* Only the library's memory is counted. */
#undef calloc
#undef free

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 112 * 1024, DOUBLES = BLOCK / 8, COUNTERS = 8 };

/* The memory that a process offers to the others. */
struct slice {
  int64_t counters[COUNTERS];
  double block[DOUBLES];
};

static int me, processes;
static bool smoke;
static struct slice **slices; /* [processes] */
static double ones[DOUBLES];

/* --- Patterns --------------------------------------------------------------------------------- */

static double added; /* sum of all numbers that this process added, over all blocks */

static int64_t draw(int counter)
{
  int64_t number = -1;
  must(cw_fetch_add_int64(&slices[0]->counters[counter], 1, 0, &number));
  return number;
}

static void draw_numbers(int counter)
{
  int64_t last = -1;
  for (int i = 0; i < (smoke ? 3 : 10); i++) {
    const int64_t number = draw(counter);
    must_be(number > last, "a counter went back");
    last = number;
  }
}

static void add(int process, size_t bytes)
{
  cw_transfer transfer = cw_contiguous(CW_ACCUMULATE, ones, slices[process]->block, bytes, process);
  transfer.type = CW_DOUBLE;
  must(cw_transfer_start(&transfer, NULL));
  added += (double)(bytes / sizeof(double));
}

static void add_small(int counter)
{
  (void)counter;
  for (int i = 0; i < (smoke ? 3 : 10); i++) {
    add(0, 1024);
    must(cw_fence(0));
  }
}

static void add_large(int counter)
{
  (void)counter;
  for (int i = 0; i < (smoke ? 2 : 4); i++)
    add(0, 32768);
  must(cw_fence(0));
}

/* Marsaglia's xorshift. The numbers of a task do not depend on the process that draws it. */
static uint32_t random_number(uint32_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static void run_tasks(int counter)
{
  const int64_t tasks = (int64_t)processes * (smoke ? 1 : 4);
  for (int64_t task = draw(counter); task < tasks; task = draw(counter)) {
    uint32_t state = 2463534242u + 7919u * (uint32_t)task;
    for (int warm = 0; warm < 8; warm++)
      (void)random_number(&state);
    must_be(usleep(1000 + random_number(&state) % 2000) == 0, "usleep failed");
    for (int block = 0; block < 2; block++) {
      const int process = (int)(random_number(&state) % (uint32_t)processes);
      add(process, 8 * (size_t)(1250 + random_number(&state) % 11250));
    }
    must(cw_wait_all());
  }
}

enum { SIDE = 64 };

static void fill_array(int counter)
{
  (void)counter;
  const int64_t extents[2] = {(int64_t)processes * SIDE, SIDE}, least[2] = {SIDE, SIDE};
  const int next = (me + 1) % processes, before = (me + processes - 1) % processes;
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 2, .extents = extents, .distribution.block = least};
  cw_array array = NULL;
  double block[SIDE * SIDE];
  int64_t lo[2], hi[2];
  for (int i = 0; i < SIDE * SIDE; i++)
    block[i] = me + 1;
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_array_part(array, next, lo, hi));
  must(cw_array_put(array, lo, hi, block, NULL));
  must(cw_array_sync(array));
  must(cw_array_part(array, me, lo, hi));
  must(cw_array_get(array, lo, hi, block, NULL));
  for (int i = 0; i < SIDE * SIDE; i++)
    must_be(block[i] == before + 1, "a block is not what was put");
  must(cw_array_destroy(&array));
}

static const struct pattern {
  const char *name;
  void (*run)(int counter);
  bool uses_slices;
} patterns[] = {{"array", fill_array, false},
                {"counter", draw_numbers, true},
                {"small", add_small, true},
                {"large", add_large, true},
                {"chemistry", run_tasks, true}};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* --- Measurement ------------------------------------------------------------------------------ */

/* Makes the slices, if the pattern needs them: with 4096 nodes they take gigabytes. */
static cw_region make_slices(void)
{
  cw_region region = NULL;
  slices = calloc((size_t)processes, sizeof *slices);
  must_be(slices != NULL, "no memory");
  must(cw_region_create(cw_team_world(), sizeof(struct slice), &region, (void **)slices));
  must(cw_access_begin(slices[me]));
  memset(slices[me], 0, sizeof(struct slice));
  must(cw_access_end(slices[me]));
  return region;
}

static void check_sums(void)
{
  double mine = 0, sums[2], totals[2];
  must(cw_access_begin(slices[me]));
  for (int i = 0; i < DOUBLES; i++)
    mine += slices[me]->block[i];
  must(cw_access_end(slices[me]));
  sums[0] = mine;
  sums[1] = added;
  must_be(MPI_Allreduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, cw_team_comm(cw_team_world())) ==
              MPI_SUCCESS,
          "MPI_Allreduce failed");
  if (me == 0 && totals[0] != totals[1])
    fprintf(stderr, "traffic: the sum is %.17g, %.17g were added\n", totals[0], totals[1]);
  must_be(totals[0] == totals[1], "accumulates were lost");
}

/* Prints one line on process 0. Messages are those to and from servers and those of the library's
 * own barriers, without those of MPI's collectives. */
static void print_line(const char *pattern, double seconds)
{
  const struct cwi_topology *topology = cwi_topology_choose(cwi_settings.topology, cw_nodes());
  const size_t buffers =
      cwi_topology_buffers(topology, cw_nodes(), (size_t)cwi_settings.server_credits);
  struct simulated_traffic traffic;
  struct simulated_memory memory;
  simulated_traffic_get(&traffic);
  simulated_memory_get(&memory);
  printf("%s,%d,%d,%s,%.9g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
         ",%zu,%d,%" PRIu64 ",%ld,%ld,%ld,%ld\n",
         topology->name, cw_nodes(), processes, pattern, seconds, traffic.messages, traffic.bytes,
         traffic.requests, traffic.credits, traffic.hot_messages, traffic.hot_peers,
         buffers * (size_t)cwi_settings.server_buffer, topology->neighbours(cw_nodes(), 0, NULL),
         traffic.answer_peers, memory.process, memory.process_most, memory.server,
         memory.server_most);
  (void)fflush(stdout);
}

static void measure(const struct pattern *pattern, int counter)
{
  must(cw_barrier(cw_team_world()));
  if (me == 0)
    simulated_traffic_reset();
  must(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  pattern->run(counter);
  must(cw_fence_all());
  must(cw_barrier(cw_team_world()));
  const double end = MPI_Wtime();
  if (me == 0)
    print_line(pattern->name, end - begin);
  must(cw_barrier(cw_team_world()));
}

/* Servers have not returned from cw_init, so from now on MPI's collectives over all ranks are not
 * possible. */
static double start(void)
{
  must_be(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier failed");
  const double begin = MPI_Wtime();
  must(cw_init(MPI_COMM_WORLD));
  double seconds = MPI_Wtime() - begin;
  if (cw_processes() > 0)
    must_be(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX,
                          cw_team_comm(cw_team_world())) == MPI_SUCCESS,
            "MPI_Allreduce failed");
  return seconds;
}

static bool is_wanted(const char *pattern, int argc, char **argv)
{
  bool wanted = argc == 0;
  for (int i = 0; i < argc; i++)
    wanted = wanted || strcmp(argv[i], pattern) == 0;
  return wanted;
}

static void run(double start_seconds, int argc, char **argv)
{
  cw_region region = NULL;
  me = cw_process();
  processes = cw_processes();
  for (int i = 0; i < DOUBLES; i++)
    ones[i] = 1;
  if (me == 0 && is_wanted("start", argc, argv))
    print_line("start", start_seconds);
  for (int number = 0; number < PATTERNS; number++) {
    const struct pattern *pattern = &patterns[number];
    if (!is_wanted(pattern->name, argc, argv))
      continue;
    if (region == NULL && pattern->uses_slices)
      region = make_slices();
    measure(pattern, number);
  }
  if (region != NULL) {
    check_sums();
    must(cw_region_free(cw_team_world(), &region));
    free(slices);
  }
  if (me == 0)
    puts("verified");
}

int main(int argc, char **argv)
{
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  const double start_seconds = start();
  smoke = argc > 1 && strcmp(argv[1], "--smoke") == 0;
  if (cw_processes() > 0)
    run(start_seconds, argc - 1 - smoke, argv + 1 + smoke);
  must(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

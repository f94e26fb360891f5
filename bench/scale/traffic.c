/* Traffic of many nodes, in simulated time: one line of CSV for each pattern.
 *
 *   traffic [--smoke] [PATTERN...]         under smpirun, with CW_SERVER=rank: see run.sh
 *
 *   counter      everybody draws 10 numbers from one counter of process 0 (NXTVAL)
 *   small        everybody adds 1 KiB to the memory of process 0 and fences, 10 times
 *   large        everybody adds 32 KiB to the memory of process 0, 4 times, and fences
 *   chemistry    like NWChem's coupled cluster, 4 tasks for each process: draw a task from process
 *                0, compute for 1 to 3 ms, add two blocks of 10 to 100 KB to any processes' memory
 *
 * It fails unless every draw grows and the sums at the end are what was added. */
#include <causeway.h>

#include "must.h"
#include "simulated.h"

#include "base/settings.h"
#include "link/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 112 * 1024, DOUBLES = BLOCK / 8, COUNTERS = 8 };

/* What a process keeps for the others. */
struct slice {
  int64_t counters[COUNTERS];
  double block[DOUBLES];
};

static int me, processes;
static bool smoke;
static struct slice **slices; /* [processes] */
static double ones[DOUBLES];

/* --- Patterns --------------------------------------------------------------------------------- */

static double added; /* the sum of all that I added, over all blocks */

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

/* Marsaglia's xorshift: the same numbers for a task, whoever draws it. */
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

static const struct pattern {
  const char *name;
  void (*run)(int counter);
} patterns[] = {{"counter", draw_numbers},
                {"small", add_small},
                {"large", add_large},
                {"chemistry", run_tasks}};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* --- Measurement ------------------------------------------------------------------------------ */

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
  if (me == 0)
    puts("verified");
}

static void measure(const struct pattern *pattern, int counter)
{
  struct simulated_traffic traffic;
  const struct cwi_topology *topology = cwi_topology_choose(cwi_settings.topology, cw_nodes());
  must(cw_barrier(cw_team_world()));
  if (me == 0)
    simulated_traffic_reset();
  must(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  pattern->run(counter);
  must(cw_fence_all());
  must(cw_barrier(cw_team_world()));
  const double end = MPI_Wtime();
  if (me == 0) {
    simulated_traffic_get(&traffic);
    const size_t buffers =
        cwi_topology_buffers(topology, cw_nodes(), (size_t)cwi_settings.server_credits);
    printf("%s,%d,%d,%s,%.9g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%zu,%d,%" PRIu64 "\n",
           topology->name, cw_nodes(), processes, pattern->name, end - begin, traffic.messages,
           traffic.bytes, traffic.requests, traffic.credits, traffic.hot_messages,
           traffic.hot_peers, buffers * (size_t)cwi_settings.server_buffer,
           topology->neighbours(cw_nodes(), 0, NULL), traffic.answer_peers);
    (void)fflush(stdout);
  }
  must(cw_barrier(cw_team_world()));
}

static void run(int argc, char **argv)
{
  cw_region region = NULL;
  me = cw_process();
  processes = cw_processes();
  for (int i = 0; i < DOUBLES; i++)
    ones[i] = 1;
  slices = calloc((size_t)processes, sizeof *slices);
  must_be(slices != NULL, "no memory");
  must(cw_region_create(cw_team_world(), sizeof(struct slice), &region, (void **)slices));
  must(cw_access_begin(slices[me]));
  memset(slices[me], 0, sizeof(struct slice));
  must(cw_access_end(slices[me]));
  for (int number = 0; number < PATTERNS; number++) {
    bool wanted = argc == 0;
    for (int i = 0; i < argc; i++)
      wanted = wanted || strcmp(argv[i], patterns[number].name) == 0;
    if (wanted)
      measure(&patterns[number], number);
  }
  check_sums();
  must(cw_region_free(cw_team_world(), &region));
  free(slices);
}

int main(int argc, char **argv)
{
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  must(cw_init(MPI_COMM_WORLD));
  smoke = argc > 1 && strcmp(argv[1], "--smoke") == 0;
  if (cw_processes() > 0)
    run(argc - 1 - smoke, argv + 1 + smoke);
  must(cw_finalize());
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

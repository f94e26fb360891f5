/* Measures array operations on one node: NGA_Put, NGA_Gather, GA_Fill ... of libcwga (Causeway), of
 * Debian's Global Arrays, and as handwritten loops (the limit), in turns. Global Arrays runs on the
 * ARMCI that this program is linked with: arrays.sh runs it on ours and on Debian's ARMCI-MPI and
 * makes a table of both. Process 0 acts on the part of process 1 unless a case says otherwise.
 * Prints a line for each case:
 *
 *   operation;shape;nanoseconds of the limit;of Causeway;of Global Arrays;which of these three
 *   moved the right data;required part of the limit;required nanoseconds (0 if none are required or
 *   there is no such side)
 *
 *   causeway-arrays-<armci> [rounds [seconds of a turn [only operations with this in their name]]]
 *   two processes of one node */
#include "arrays.h"
#include "../samples.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 3, MOST_ROUNDS = 99, BUFFER = ARRAYS_LINE / 2, ELEMENTS = 10000 };

static const struct arrays_side *const sides[SIDES] = {&arrays_limit, &arrays_ours, &arrays_peer};
static int me;
static double *source, *sink; /* BUFFER doubles */
static int indices[ELEMENTS][2], *elements[ELEMENTS];

struct demand {
  double rate;        /* required fraction of the rate of the limit */
  double nanoseconds; /* required upper bound on the time */
};

struct one {
  const char *name;
  char shape[32];
  struct arrays_work work;
  struct demand demand;
};

/* --- Time ------------------------------------------------------------------------------------- */

/* Returns the seconds that process 0 takes, on both processes. */
static double time_round(const struct arrays_side *side, const struct arrays_work *work,
                         size_t times)
{
  double elapsed = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (work->operation >= ARRAYS_COLLECTIVE || me == 0) {
    side->loops[work->operation](work, times / 4 + 1);
    const double start = MPI_Wtime();
    side->loops[work->operation](work, times);
    elapsed = MPI_Wtime() - start;
  }
  MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return elapsed;
}

/* Returns the number of operations that fill a turn. */
static size_t calibrate(const struct arrays_side *side, const struct arrays_work *work,
                        double seconds)
{
  size_t enough = 0;
  for (size_t times = 1; enough == 0; times *= 8)
    enough = enough_times(times, time_round(side, work, times), seconds);
  return enough;
}

/* Stores the medians in nanoseconds. Each round begins with another side. */
static void measure(const struct arrays_work *work, int rounds, double seconds, double *medians)
{
  static double samples[SIDES][MOST_ROUNDS];
  size_t times[SIDES] = {0};
  for (int s = 0; s < SIDES; s++)
    if (sides[s]->loops[work->operation] != NULL)
      times[s] = calibrate(sides[s], work, seconds);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < SIDES; i++) {
      const int s = (round + i) % SIDES;
      if (times[s] > 0)
        samples[s][round] = 1e9 * time_round(sides[s], work, times[s]) / (double)times[s];
    }
  for (int s = 0; s < SIDES; s++)
    medians[s] = times[s] > 0 ? median_of(samples[s], (size_t)rounds) : 0;
}

/* --- Verification ----------------------------------------------------------------------------- */

static size_t size_of(const struct arrays_work *work)
{
  if (work->elements != NULL)
    return (size_t)work->count;
  const size_t first = (size_t)(work->hi[0] - work->lo[0] + 1);
  return work->array == ARRAYS_ONE_LINE ? first : first * (size_t)(work->hi[1] - work->lo[1] + 1);
}

static void run(const struct arrays_side *side, struct arrays_work work,
                enum arrays_operation operation, double *local)
{
  work.operation = operation;
  work.local = local;
  side->loops[operation](&work, 1);
}

/* Puts, accumulates if the case does, gets, and compares. Called by process 0 only. */
static bool patch_right(const struct arrays_side *side, const struct arrays_work *work)
{
  const enum arrays_operation operation = work->operation;
  const bool cyclic = operation == ARRAYS_CYCLIC_PUT || operation == ARRAYS_CYCLIC_GET;
  const bool list = work->elements != NULL,
             sum = operation == ARRAYS_ACC || operation == ARRAYS_SCATTER_ACC;
  const size_t size = size_of(work);
  static double salt;
  salt += 1;
  for (size_t i = 0; i < size; i++) {
    source[i] = salt + (double)(i % 1009);
    sink[i] = -1;
  }
  run(side, *work, cyclic ? ARRAYS_CYCLIC_PUT : list ? ARRAYS_SCATTER : ARRAYS_PUT, source);
  if (sum)
    run(side, *work, operation, source);
  run(side, *work, cyclic ? ARRAYS_CYCLIC_GET : list ? ARRAYS_GATHER : ARRAYS_GET, sink);
  for (size_t i = 0; i < size; i++)
    if (fabs(sink[i] - (sum ? 2 : 1) * source[i]) > 0)
      return false;
  return true;
}

static double element(const struct arrays_side *side, enum arrays_array array, int i, int j)
{
  double value = 0;
  const struct arrays_work work = {.array = array, .lo = {i, j}, .hi = {i, j}};
  run(side, work, ARRAYS_GET, &value);
  return value;
}

/* Returns true if one element that an operation on whole arrays has written is right. */
static bool whole_right(const struct arrays_side *side, enum arrays_operation operation)
{
  enum { ROW = 5, COLUMN = 1500 };
  const double a = element(side, ARRAYS_A, ROW, COLUMN), c = element(side, ARRAYS_C, ROW, COLUMN);
  const double across = element(side, ARRAYS_A, COLUMN, ROW);
  switch ((int)operation) {
  case ARRAYS_FILL:
    return fabs(c - 0.5) <= 0;
  case ARRAYS_COPY:
    return fabs(c - a) <= 0;
  case ARRAYS_ADD:
    return fabs(c - (2 * a + 1.5)) <= 0;
  case ARRAYS_DDOT:
    return fabs(*sink - 0.25 * ARRAYS_EXTENT * ARRAYS_EXTENT) <= 0;
  case ARRAYS_TRANSPOSE:
    return fabs(c - across) <= 0;
  default:
    return true;
  }
}

/* Verifies an operation. Collective; the result is that of process 0. */
static bool right(const struct arrays_side *side, const struct arrays_work *work)
{
  bool good = true;
  if (side->loops[work->operation] == NULL)
    return true;
  if (work->operation >= ARRAYS_COLLECTIVE)
    run(side, *work, work->operation, sink);
  side->sync();
  if (me == 0 && work->operation == ARRAYS_READ_INC) {
    run(side, *work, ARRAYS_READ_INC, sink);
    run(side, *work, ARRAYS_READ_INC, sink + 1);
    good = fabs(sink[1] - sink[0] - 1) <= 0;
  } else if (me == 0) {
    good = work->operation < ARRAYS_COLLECTIVE ? patch_right(side, work)
                                               : whole_right(side, work->operation);
  }
  side->sync();
  return good;
}

/* --- Cases ------------------------------------------------------------------------------------ */

static int rounds = 5;
static double seconds = 2e-3;
static const char *only = "";
static struct arrays_part mine, theirs;

static void row(const struct one *one)
{
  double medians[SIDES];
  bool good[SIDES];
  if (strstr(one->name, only) == NULL)
    return;
  measure(&one->work, rounds, seconds, medians);
  for (int s = 0; s < SIDES; s++)
    good[s] = right(sides[s], &one->work);
  if (me == 0) {
    printf("%s;%s;%.2f;%.2f;%.2f;%d%d%d;%g;%g\n", one->name, one->shape, medians[0], medians[1],
           medians[2], good[0], good[1], good[2], one->demand.rate, one->demand.nanoseconds);
    fflush(stdout);
  }
}

static const struct transfer {
  const char *name;
  enum arrays_operation operation;
} transfers[] = {{"NGA_Put", ARRAYS_PUT}, {"NGA_Get", ARRAYS_GET}, {"NGA_Acc", ARRAYS_ACC}};

enum { TRANSFERS = sizeof transfers / sizeof transfers[0] };

static struct demand demand_of(enum arrays_operation operation, size_t bytes)
{
  if (bytes >= 1024)
    return (struct demand){.rate = 0.9};
  return (struct demand){.nanoseconds = bytes == 8 && operation != ARRAYS_ACC ? 60 : 0};
}

static void contiguous(const char *shape, size_t bytes)
{
  const int length = (int)(bytes / sizeof(double));
  for (int t = 0; t < TRANSFERS; t++) {
    struct one one = {.name = transfers[t].name,
                      .work = {.operation = transfers[t].operation,
                               .array = ARRAYS_ONE_LINE,
                               .lo = {ARRAYS_LINE - length},
                               .hi = {ARRAYS_LINE - 1},
                               .local = transfers[t].operation == ARRAYS_GET ? sink : source},
                      .demand = demand_of(transfers[t].operation, bytes)};
    snprintf(one.shape, sizeof one.shape, "%s", shape);
    row(&one);
  }
}

/* A square patch of n x n elements that begins at lo. */
static void square(const char *where, const int *lo, int n)
{
  for (int t = 0; t < TRANSFERS; t++) {
    const enum arrays_operation operation = transfers[t].operation;
    struct one one = {.name = transfers[t].name,
                      .work = {.operation = operation,
                               .array = ARRAYS_A,
                               .lo = {lo[0], lo[1]},
                               .hi = {lo[0] + n - 1, lo[1] + n - 1},
                               .local = operation == ARRAYS_GET ? sink : source},
                      .demand = demand_of(operation, (size_t)n * (size_t)n * sizeof(double))};
    snprintf(one.shape, sizeof one.shape, "%d x %d%s", n, n, where);
    row(&one);
  }
}

static void squares(void)
{
  static const int extents[] = {8, 32, 128, 512, 1024};
  const int middle[] = {(theirs.lo[0] + theirs.hi[0]) / 2, (theirs.lo[1] + theirs.hi[1]) / 2};
  square("", middle, 1);
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++) {
    const int n = extents[i];
    const int inside[] = {middle[0] + 1 - n / 2, middle[1] + 1 - n / 2};
    square("", inside, n);
  }
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++) {
    /* Half of the patch is here and half at the other process, along the partitioned dimension. */
    const int n = extents[i], center = ARRAYS_EXTENT / 2 - n / 2;
    square(", both", (const int[]){center, center}, n);
  }
  const int own[] = {mine.lo[0] + 8, mine.lo[1] + 8};
  square(", own", own, 1);
  square(", own", own, 32);
  square(", own", own, 512);
}

static void lists(void)
{
  static const struct transfer of_elements[] = {{"NGA_Scatter", ARRAYS_SCATTER},
                                                {"NGA_Gather", ARRAYS_GATHER},
                                                {"NGA_Scatter_acc", ARRAYS_SCATTER_ACC}};
  for (size_t t = 0; t < sizeof of_elements / sizeof of_elements[0]; t++)
    row(&(struct one){.name = of_elements[t].name,
                      .shape = "10,000 elements",
                      .work = {.operation = of_elements[t].operation,
                               .array = ARRAYS_A,
                               .elements = elements,
                               .count = ELEMENTS,
                               .local = of_elements[t].operation == ARRAYS_GATHER ? sink : source},
                      .demand = {.nanoseconds = 200e3}});
}

static void whole(void)
{
  static const struct transfer operations[] = {
      {"GA_Fill", ARRAYS_FILL}, {"GA_Copy", ARRAYS_COPY},           {"GA_Add", ARRAYS_ADD},
      {"GA_Ddot", ARRAYS_DDOT}, {"GA_Transpose", ARRAYS_TRANSPOSE},
  };
  row(&(struct one){.name = "create, destroy",
                    .shape = "16 x 16",
                    .work = {.operation = ARRAYS_CREATE_DESTROY},
                    .demand = {.rate = 0.25}});
  row(&(struct one){.name = "GA_Sync", .work = {.operation = ARRAYS_SYNC}});
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
    row(&(struct one){.name = operations[i].name,
                      .shape = "2048 x 2048",
                      .work = {.operation = operations[i].operation, .local = sink}});
}

static void cyclic(void)
{
  static const struct {
    const char *shape;
    enum arrays_array array;
  } layouts[] = {{"cyclic rows", ARRAYS_ELEMENT_ROWS},
                 {"cyclic columns", ARRAYS_ELEMENT_COLUMNS},
                 {"32 columns a block", ARRAYS_BLOCK_COLUMNS}};
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    for (int get = 0; get < 2; get++) {
      struct one one = {.name = get ? "cw_array_get" : "cw_array_put",
                        .work = {.operation = get ? ARRAYS_CYCLIC_GET : ARRAYS_CYCLIC_PUT,
                                 .array = layouts[i].array,
                                 .lo = {512, 512},
                                 .hi = {1023, 1023},
                                 .local = get ? sink : source},
                        .demand = {.rate = 0.8}};
      snprintf(one.shape, sizeof one.shape, "512 x 512, %s", layouts[i].shape);
      row(&one);
    }
}

/* Chooses elements all over the array in random order. None comes twice, because each step of the
 * mixing can be undone. */
static void choose_elements(void)
{
  const unsigned all = ARRAYS_EXTENT * ARRAYS_EXTENT;
  for (unsigned i = 0; i < ELEMENTS; i++) {
    unsigned place = i * 2654435769U % all;
    place ^= place >> 11;
    place = place * 2246822519U % all;
    place ^= place >> 13;
    indices[i][0] = (int)(place / ARRAYS_EXTENT);
    indices[i][1] = (int)(place % ARRAYS_EXTENT);
    elements[i] = indices[i];
  }
}

int main(int argc, char **argv)
{
  int provided, processes;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  rounds = argc > 1 ? atoi(argv[1]) : rounds;
  seconds = argc > 2 ? atof(argv[2]) : seconds;
  only = argc > 3 ? argv[3] : only;
  source = calloc(BUFFER, sizeof *source);
  sink = calloc(BUFFER, sizeof *sink);
  if (processes != 2 || rounds < 1 || rounds > MOST_ROUNDS || !(seconds > 0) || source == NULL ||
      sink == NULL) {
    fprintf(stderr, "causeway-arrays: two processes, 1 to %d rounds, turns of some time\n",
            MOST_ROUNDS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  choose_elements();
  arrays_ours.start();
  arrays_limit.start();
  /* Two Causeway runtimes share this process: the second needs another address for its zone. */
  setenv("CW_ZONE_ADDRESS", "0x300000000000", 1);
  arrays_peer.start();
  arrays_memory.part(ARRAYS_A, 0, &mine);
  arrays_memory.part(ARRAYS_A, 1, &theirs);
  contiguous("8 B", 8);
  contiguous("1 KiB", 1024);
  contiguous("64 KiB", 65536);
  contiguous("1 MiB", 1 << 20);
  contiguous("8 MiB", 8 << 20);
  squares();
  row(&(struct one){.name = "NGA_Read_inc",
                    .shape = "8 B",
                    .work = {.operation = ARRAYS_READ_INC,
                             .array = ARRAYS_COUNTERS,
                             .lo = {ARRAYS_EXTENT - 1},
                             .local = sink},
                    .demand = {.nanoseconds = 50}});
  lists();
  whole();
  cyclic();
  for (int s = SIDES - 1; s >= 0; s--)
    sides[s]->stop();
  free(source);
  free(sink);
  return MPI_Finalize();
}

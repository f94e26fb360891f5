/* Measures views of memory. Process 0 puts; process 1 waits or computes. Four tables follow the
 * figures of Schuchart et al., "Quo Vadis MPI RMA?" (2021):
 *
 *   threads   put of 8 bytes + flush, by 1 to 16 threads: thread scope, process scope, MPI
 *   streams   puts with one flush at the end: ordered, not ordered, with a flush after each
 *   memory    put + flush over a region, private memory by its handle, MPI's dynamic window
 *   busy      put + flush while process 1 computes, outside MPI
 *
 *   views [MILLISECONDS [ROUNDS]]    of one turn (default 20), turns of each (default 9)
 *
 * mpiexec -n 2 causeway-views; tests/multinode/hosts.sh mpich 2 1 CW_ROUTE=server
 * causeway-views */
#include "../program.h"
#include "../samples.h"

#include <causeway.h>

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, WAYS_MAX = 5, ROUNDS_MAX = 99, STREAM = 500 };
enum { MOST_BYTES = 1 << 20, STEP = 4096, SLICE = MOST_BYTES + THREADS * STEP };

/* One way to put: one thread puts `bytes` bytes `count` times. */
struct way {
  const char *name;
  bool by_mpi; /* process 1 waits in MPI; otherwise in Causeway */
  long least;  /* least number of puts in a batch */
  void (*run)(int thread, size_t bytes, long count);
};

static const double BUSY_SECONDS = 0.02;
static double round_seconds;
static int rounds, me;
static cw_view plain, threaded, ordered, by_handle;
static char *region_there, *memory_there, local[SLICE];
static unsigned char handle[CW_MEMORY_HANDLE_BYTES];
static MPI_Win window, dynamic;
static MPI_Aint dynamic_there;

static void must_mpi(int code)
{
  if (code != MPI_SUCCESS)
    cw_abort("a call of MPI has failed", 1);
}

/* --- Ways ------------------------------------------------------------------------------------- */

static void put_each(cw_view view, char *there, int thread, size_t bytes, long count)
{
  char *to = there + (size_t)thread * STEP, *from = local + (size_t)thread * STEP;
  for (long i = 0; i < count; i++) {
    must(cw_view_put(view, from, to, bytes, 1));
    must(cw_view_flush(view, 1));
  }
}

static void put_stream(cw_view view, size_t bytes, long count)
{
  const size_t places = MOST_BYTES / bytes;
  for (long i = 0; i < count; i++)
    must(cw_view_put(view, local, region_there + (size_t)i % places * bytes, bytes, 1));
  must(cw_view_flush(view, 1));
}

static void by_threads(int thread, size_t bytes, long count)
{
  put_each(threaded, region_there, thread, bytes, count);
}

static void by_process(int thread, size_t bytes, long count)
{
  put_each(plain, region_there, thread, bytes, count);
}

static void by_memory(int thread, size_t bytes, long count)
{
  put_each(by_handle, memory_there, thread, bytes, count);
}

static void unordered_stream(int thread, size_t bytes, long count)
{
  (void)thread;
  put_stream(plain, bytes, count);
}

static void ordered_stream(int thread, size_t bytes, long count)
{
  (void)thread;
  put_stream(ordered, bytes, count);
}

static void mpi_put(MPI_Win to, MPI_Aint at, int thread, size_t bytes)
{
  must_mpi(MPI_Put(local + (size_t)thread * STEP, (int)bytes, MPI_BYTE, 1, at, (int)bytes, MPI_BYTE,
                   to));
}

static void mpi_each(int thread, size_t bytes, long count)
{
  for (long i = 0; i < count; i++) {
    mpi_put(window, thread * STEP, thread, bytes);
    must_mpi(MPI_Win_flush(1, window));
  }
}

static void mpi_stream(int thread, size_t bytes, long count)
{
  const size_t places = MOST_BYTES / bytes;
  for (long i = 0; i < count; i++)
    mpi_put(window, (MPI_Aint)((size_t)i % places * bytes), thread, bytes);
  must_mpi(MPI_Win_flush(1, window));
}

static void mpi_dynamic(int thread, size_t bytes, long count)
{
  for (long i = 0; i < count; i++) {
    mpi_put(dynamic, MPI_Aint_add(dynamic_there, thread * STEP), thread, bytes);
    must_mpi(MPI_Win_flush(1, dynamic));
  }
}

/* --- Turns ------------------------------------------------------------------------------------ */

struct worker {
  const struct way *way;
  int number;
  size_t bytes;
  double took;
  long done;
};

static pthread_barrier_t ready;

/* Puts in batches, so that reading the clock costs little. */
static void *work(void *argument)
{
  struct worker *worker = argument;
  pthread_barrier_wait(&ready);
  const double begin = seconds(CLOCK_MONOTONIC);
  long batch = worker->way->least;
  for (double before = begin; worker->took < round_seconds;) {
    worker->way->run(worker->number, worker->bytes, batch);
    worker->done += batch;
    const double now = seconds(CLOCK_MONOTONIC);
    batch *= now - before < 20e-6 ? 2 : 1;
    before = now;
    worker->took = now - begin;
  }
  return NULL;
}

/* Returns the mean seconds of a put with `threads` threads. */
static double time_of(const struct way *way, int threads, size_t bytes)
{
  pthread_t others[THREADS];
  struct worker workers[THREADS];
  double took = 0, done = 0;
  pthread_barrier_init(&ready, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++)
    workers[i] = (struct worker){way, i, bytes, 0, 0};
  for (int i = 1; i < threads; i++)
    if (pthread_create(&others[i], NULL, work, &workers[i]) != 0)
      cw_abort("no thread", 1);
  work(&workers[0]);
  for (int i = 1; i < threads; i++)
    pthread_join(others[i], NULL);
  pthread_barrier_destroy(&ready);
  for (int i = 0; i < threads; i++) {
    took += workers[i].took;
    done += (double)workers[i].done;
  }
  return took / done;
}

/* Returns the seconds of one put by this thread. */
static double time_once(const struct way *way, size_t bytes)
{
  const double begin = seconds(CLOCK_MONOTONIC);
  way->run(0, bytes, 1);
  return seconds(CLOCK_MONOTONIC) - begin;
}

static void barrier(bool by_mpi)
{
  if (by_mpi)
    must_mpi(MPI_Barrier(MPI_COMM_WORLD));
  else
    must(cw_barrier(cw_team_world()));
}

/* Runs one turn. Process 1 waits for its end in the measured library; or, if `computes`, computes
 * for a while first, and there is only one put. Collective. */
static double time_round(const struct way *way, int threads, size_t bytes, bool computes)
{
  double each = 0;
  barrier(true);
  if (me == 0)
    each = computes ? time_once(way, bytes) : time_of(way, threads, bytes);
  else if (computes)
    for (const double begin = seconds(CLOCK_MONOTONIC);
         seconds(CLOCK_MONOTONIC) - begin < BUSY_SECONDS;)
      ;
  barrier(way->by_mpi);
  return each;
}

/* Prints the median microseconds of a put. The ways take turns, and the first turns do not count.
 * */
static void measure(const struct way *ways, int count, int threads, size_t bytes, bool computes,
                    double *medians)
{
  static double samples[WAYS_MAX][ROUNDS_MAX];
  for (int round = -1; round < rounds; round++)
    for (int i = 0; i < count; i++)
      samples[i][round < 0 ? 0 : round] = time_round(&ways[i], threads, bytes, computes);
  for (int i = 0; i < count; i++)
    medians[i] = 1e6 * median_of(samples[i], (size_t)rounds);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void head(const char *first, const struct way *ways, int count)
{
  if (me != 0)
    return;
  printf("\n| %s", first);
  for (int i = 0; i < count; i++)
    printf(" | %s, us", ways[i].name);
  printf(" |\n|---");
  for (int i = 0; i < count; i++)
    printf("|---");
  printf("|\n");
}

static void row(size_t first, const double *values, int count)
{
  if (me != 0)
    return;
  printf("| %zu", first);
  for (int i = 0; i < count; i++)
    printf(" | %.3g", values[i]);
  printf(" |\n");
  fflush(stdout);
}

static void rows_of(const char *first, const struct way *ways, int count, size_t factor,
                    size_t most, bool computes)
{
  head(first, ways, count);
  for (size_t bytes = 8; bytes <= most; bytes *= factor) {
    double medians[WAYS_MAX];
    measure(ways, count, 1, bytes, computes, medians);
    row(bytes, medians, count);
  }
}

static void table_of_threads(void)
{
  static const struct way ways[] = {{"thread scope", false, 1, by_threads},
                                    {"process scope", false, 1, by_process},
                                    {"MPI_Put + flush", true, 1, mpi_each}};
  head("threads, put of 8 bytes + flush", ways, 3);
  for (int threads = 1; threads <= THREADS; threads *= 2) {
    double medians[3];
    measure(ways, 3, threads, 8, false, medians);
    row((size_t)threads, medians, 3);
  }
}

static void table_of_streams(void)
{
  static const struct way ways[] = {{"not ordered", false, STREAM, unordered_stream},
                                    {"ordered", false, STREAM, ordered_stream},
                                    {"put + flush", false, 1, by_process},
                                    {"MPI_Put", true, STREAM, mpi_stream},
                                    {"MPI_Put + flush", true, 1, mpi_each}};
  rows_of("stream of puts, bytes", ways, 5, 8, 32768, false);
}

static void tables_of_memory(void)
{
  static const struct way ways[] = {{"region", false, 1, by_process},
                                    {"memory handle", false, 1, by_memory},
                                    {"MPI window", true, 1, mpi_each},
                                    {"MPI dynamic window", true, 1, mpi_dynamic}};
  rows_of("put + flush, bytes", ways, 4, 8, MOST_BYTES, false);
  rows_of("put + flush while the target computes, bytes", ways, 4, 512, MOST_BYTES, true);
}

/* Measures the lifetime of a handle. Process 1 creates and releases one; process 0 makes a view
 * from it, puts 8 bytes and ends the view. With MPI, process 1 attaches and detaches. */
static void table_of_lives(char *memory)
{
  enum { TIMES = 200 };
  double handle_life = 0, view_life = 0, attach_life = 0;
  barrier(false);
  if (me == 1) {
    unsigned char another[CW_MEMORY_HANDLE_BYTES];
    double begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < TIMES; i++) {
      must(cw_memory_handle_create(memory, SLICE, another));
      must(cw_memory_handle_release(another));
    }
    handle_life = (seconds(CLOCK_MONOTONIC) - begin) / TIMES;
    begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < TIMES; i++) {
      must_mpi(MPI_Win_attach(dynamic, local, SLICE));
      must_mpi(MPI_Win_detach(dynamic, local));
    }
    attach_life = (seconds(CLOCK_MONOTONIC) - begin) / TIMES;
  } else {
    const double begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < TIMES; i++) {
      cw_view view = NULL;
      must(cw_view_from_memory(handle, &view));
      must(cw_view_free(&view));
    }
    view_life = (seconds(CLOCK_MONOTONIC) - begin) / TIMES;
  }
  double lives[3] = {handle_life, view_life, attach_life}, all[3];
  must_mpi(MPI_Reduce(lives, all, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
  if (me == 0)
    printf("\n| create + release of a handle, us | view from a handle + its end, us | "
           "MPI_Win_attach + detach, us |\n"
           "|---|---|---|\n| %.3g | %.3g | %.3g |\n",
           1e6 * all[0], 1e6 * all[1], 1e6 * all[2]);
}

/* --- Start ------------------------------------------------------------------------------------ */

static void make_views(cw_region region)
{
  const cw_view_settings thread = {.scope = CW_SCOPE_THREAD}, order = {.ordered = true};
  must(cw_view_of(region, &plain));
  must(cw_view_dup(plain, &thread, &threaded));
  must(cw_view_dup(plain, &order, &ordered));
}

/* Process 1 sends the address of its memory. */
static void share(char *memory)
{
  struct {
    unsigned char handle[CW_MEMORY_HANDLE_BYTES];
    MPI_Aint dynamic;
  } names;
  memset(&names, 0, sizeof names);
  must_mpi(MPI_Win_attach(dynamic, memory, SLICE));
  must_mpi(MPI_Get_address(memory, &names.dynamic));
  if (me == 1)
    must(cw_memory_handle_create(memory, SLICE, names.handle));
  must_mpi(MPI_Bcast(&names, sizeof names, MPI_BYTE, 1, MPI_COMM_WORLD));
  memcpy(handle, names.handle, sizeof handle);
  dynamic_there = names.dynamic;
  size_t bytes = 0;
  void *there = NULL;
  must(cw_view_from_memory(handle, &by_handle));
  must(cw_view_address(by_handle, 1, &there, &bytes));
  memory_there = there;
}

static void make_windows(void)
{
  void *base = NULL;
  must_mpi(MPI_Win_allocate(SLICE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
  must_mpi(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
  must_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  must_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, dynamic));
}

int main(int argc, char **argv)
{
  int provided = 0;
  round_seconds = 1e-3 * (argc > 1 ? atof(argv[1]) : 20);
  rounds = argc > 2 ? atoi(argv[2]) : 9;
  rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || provided < MPI_THREAD_MULTIPLE)
    cw_abort("views runs on 2 processes, with MPI_THREAD_MULTIPLE", 1);
  me = cw_process();
  cw_region region = NULL;
  void *address[2];
  char *memory = calloc(1, SLICE);
  must(cw_region_create(cw_team_world(), SLICE, &region, address));
  region_there = address[1];
  memset(address[me], 0, SLICE);
  make_views(region);
  make_windows();
  share(memory);
  table_of_threads();
  table_of_streams();
  tables_of_memory();
  table_of_lives(memory);
  must(cw_barrier(cw_team_world()));
  must(cw_view_free(&by_handle));
  if (me == 1)
    must(cw_memory_handle_release(handle));
  must_mpi(MPI_Win_unlock_all(window));
  must_mpi(MPI_Win_unlock_all(dynamic));
  must_mpi(MPI_Win_detach(dynamic, memory));
  must_mpi(MPI_Win_free(&window));
  must_mpi(MPI_Win_free(&dynamic));
  free(memory);
  must(cw_view_free(&ordered));
  must(cw_view_free(&threaded));
  must(cw_view_free(&plain));
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
  return MPI_Finalize();
}

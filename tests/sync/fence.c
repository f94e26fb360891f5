/* A fence makes operations complete at the target. The data does not prove that, because it may
 * arrive without a fence. So this test counts MPI's calls: after a fence, each put or accumulate
 * must have been followed by an MPI_Win_flush, and a fence with nothing to do must not flush. */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* --- MPI, watched ----------------------------------------------------------------------------- */

enum { WINDOWS = 64, RANKS = 16 };

static struct watched {
  MPI_Win window;
  long unflushed[RANKS]; /* operations since the last flush */
} watched[WINDOWS];
static int windows;
static long flushes, operations;

static struct watched *watch(MPI_Win window)
{
  for (int i = 0; i < windows; i++)
    if (watched[i].window == window)
      return &watched[i];
  if (windows == WINDOWS)
    abort();
  memset(&watched[windows], 0, sizeof watched[0]);
  watched[windows].window = window;
  return &watched[windows++];
}

static void issued(MPI_Win window, int rank)
{
  operations++;
  watch(window)->unflushed[rank]++;
}

static void flushed(MPI_Win window, int rank)
{
  flushes++;
  for (int i = 0; i < RANKS; i++)
    if (rank < 0 || i == rank)
      watch(window)->unflushed[i] = 0;
}

int MPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at, int there,
            MPI_Datatype there_type, MPI_Win window)
{
  issued(window, rank);
  return PMPI_Put(from, count, type, rank, at, there, there_type, window);
}

int MPI_Rput(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at, int there,
             MPI_Datatype there_type, MPI_Win window, MPI_Request *request)
{
  issued(window, rank);
  return PMPI_Rput(from, count, type, rank, at, there, there_type, window, request);
}

int MPI_Accumulate(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at, int there,
                   MPI_Datatype there_type, MPI_Op op, MPI_Win window)
{
  issued(window, rank);
  return PMPI_Accumulate(from, count, type, rank, at, there, there_type, op, window);
}

int MPI_Raccumulate(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int there, MPI_Datatype there_type, MPI_Op op, MPI_Win window,
                    MPI_Request *request)
{
  issued(window, rank);
  return PMPI_Raccumulate(from, count, type, rank, at, there, there_type, op, window, request);
}

int MPI_Win_flush(int rank, MPI_Win window)
{
  const int code = PMPI_Win_flush(rank, window);
  flushed(window, rank);
  return code;
}

int MPI_Win_flush_all(MPI_Win window)
{
  const int code = PMPI_Win_flush_all(window);
  flushed(window, -1);
  return code;
}

/* In the windows of mutexes, the end of an epoch completes its operations. */
int MPI_Win_unlock(int rank, MPI_Win window)
{
  const int code = PMPI_Win_unlock(rank, window);
  flushed(window, rank);
  return code;
}

static long unflushed(int process)
{
  long sum = 0;
  for (int i = 0; i < windows; i++)
    for (int rank = 0; rank < RANKS; rank++)
      sum += process < 0 || rank == process ? watched[i].unflushed[rank] : 0;
  return sum;
}

/* --- The tests -------------------------------------------------------------------------------- */

enum { WORDS = 32 };

static cw_region region; /* of the world: ranks are processes */
static cw_mutexes mutexes;
static void *slices[RANKS];

static void fence_one(int process)
{
  KIT_OK(cw_fence(process));
}

static void fence_all(int process)
{
  (void)process;
  KIT_OK(cw_fence_all());
}

static void barrier(int process)
{
  (void)process;
  KIT_OK(cw_barrier(cw_team_world()));
}

static void unlock(int process)
{
  KIT_OK(cw_mutex_unlock(mutexes, 0, process));
}

static const struct way {
  const char *name;
  void (*complete)(int process);
  bool locked; /* the mutex is already held */
  bool to_all;
} ways[] = {{"cw_fence", fence_one, false, false},
            {"cw_fence_all", fence_all, false, true},
            {"cw_barrier", barrier, false, true},
            {"cw_mutex_unlock", unlock, true, true}};

static double sent[WORDS];

/* Puts or adds contiguous words or every second one: blocking, non-blocking with a wait, or
 * without. */
static void operate(int process, int number)
{
  static const size_t count = WORDS / 2;
  static const ptrdiff_t stride = 2 * sizeof(double);
  const bool strided = number / 2 % 2;
  cw_transfer transfer = cw_contiguous(number % 2 == 0 ? CW_PUT : CW_ACCUMULATE, sent,
                                       slices[process], sizeof sent, process);
  if (strided) {
    transfer.bytes = sizeof(double);
    transfer.levels = 1;
    transfer.counts = &count;
    transfer.local_strides = transfer.remote_strides = &stride;
  }
  if (number / 4 == 0)
    KIT_OK(cw_transfer_run(&transfer));
  else
    KIT_OK(cw_transfer_start(&transfer, NULL));
  if (number / 4 == 1)
    KIT_OK(cw_wait_all());
}

static void test_way(const struct way *way, int process, int number)
{
  kit_about("%s after operation %d on process %d", way->name, number, process);
  if (way->locked)
    KIT_OK(cw_mutex_lock(mutexes, 0, process));
  const long before = operations;
  operate(process, number);
  if (way->to_all)
    operate((process + 1) % kit_processes(), number);
  kit_check(operations > before || process == kit_me(), "nothing has reached MPI");
  way->complete(process);
  kit_check_long(unflushed(way->to_all ? -1 : process), 0, "number of operations without flush");
  const long idle = flushes;
  if (!way->locked)
    way->complete(process);
  kit_check_long(flushes - idle, 0, "number of flushes with nothing outstanding");
  KIT_OK(cw_wait_all());
  KIT_OK(cw_fence_all());
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "fence");
  KIT_MUST(cw_region_create(cw_team_world(), sizeof sent, &region, slices));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++)
    for (int number = 0; number < 12; number++)
      for (int step = 1; step <= kit_processes(); step++)
        test_way(&ways[way], (kit_me() + step) % kit_processes(), number);
  kit_about("free of a region");
  KIT_OK(cw_barrier(cw_team_world()));
  operate((kit_me() + 1) % kit_processes(), 8);
  KIT_OK(cw_wait_all());
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  kit_check_long(unflushed(-1), 0, "number of operations without flush");
  return kit_finish_native();
}

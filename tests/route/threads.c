/* Several threads of every process transfer, add, and update words at the same time. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, WORDS = 64, SUMS = 40, PROCESSES = 16 };

/* A slice: an area for each thread of each process, sums, a counter, and a word under a mutex. */
struct slice {
  long area[PROCESSES][THREADS][WORDS];
  double sums[SUMS];
  int64_t counter;
  long guarded;
};

struct worker {
  int number;
  long steps, wrong;
  char message[256];
};

static struct slice *slices[PROCESSES];
static cw_mutexes mutexes;
static long rounds = 60;

static bool works(struct worker *worker, cw_error error)
{
  if (error != CW_OK && worker->message[0] == '\0')
    snprintf(worker->message, sizeof worker->message, "%s", cw_error_message());
  return error == CW_OK;
}

/* Puts with handles, every second word by a strided transfer; then gets everything and compares. */
static bool put_and_get(struct worker *worker, int process, long round)
{
  long sent[WORDS], got[WORDS] = {0};
  long *there = slices[process]->area[kit_me()][worker->number];
  cw_handle handle = {0};
  for (int i = 0; i < WORDS; i++)
    sent[i] = round * 1000000 + kit_me() * 10000 + worker->number * 1000 + i;
  const ptrdiff_t stride = 2 * sizeof(long);
  const size_t count = WORDS / 2;
  for (int half = 0; half < 2; half++) {
    const cw_transfer put = cw_strided(CW_PUT, sent + half, &stride, there + half, &stride,
                                       sizeof(long), &count, 1, process);
    if (!works(worker, cw_transfer_start(&put, &handle)))
      return false;
  }
  if (!works(worker, cw_wait(&handle)))
    return false;
  const cw_transfer get = cw_contiguous(CW_GET, got, there, sizeof got, process);
  bool done = false;
  if (!works(worker, cw_transfer_start(&get, &handle)))
    return false;
  while (!done)
    if (!works(worker, cw_test(&handle, &done)))
      return false;
  worker->wrong += memcmp(sent, got, sizeof got) != 0;
  return true;
}

static bool add(struct worker *worker, int process)
{
  double ones[SUMS];
  int64_t before = -1;
  for (int i = 0; i < SUMS; i++)
    ones[i] = i + 1;
  return works(worker,
               cw_accumulate(CW_DOUBLE, NULL, ones, slices[process]->sums, sizeof ones, process)) &&
         works(worker, cw_fetch_add_int64(&slices[process]->counter, 1, process, &before));
}

static bool add_guarded(struct worker *worker, int process)
{
  long value = 0, *there = &slices[process]->guarded;
  if (!works(worker, cw_mutex_lock(mutexes, 0, process)) ||
      !works(worker, cw_get(&value, there, sizeof value, process)))
    return false;
  value++;
  return works(worker, cw_put(&value, there, sizeof value, process)) &&
         works(worker, cw_mutex_unlock(mutexes, 0, process));
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  for (long round = 0; round < rounds; round++) {
    const int process = (int)((kit_me() + worker->number + round) % kit_processes());
    if (!put_and_get(worker, process, round) || !add(worker, process) ||
        (round % 4 == 0 && !add_guarded(worker, process)) || !works(worker, cw_fence(process)))
      break;
    worker->steps++;
  }
  return NULL;
}

/* Checks the totals over all slices, which do not depend on the processes that threads chose. */
static void check_totals(const struct slice *mine)
{
  const double workers = (double)THREADS * kit_processes();
  double local[3] = {(double)mine->counter, (double)mine->guarded, 0}, all[3];
  for (int i = 0; i < SUMS; i++)
    local[2] += mine->sums[i];
  MPI_Allreduce(local, all, 3, MPI_DOUBLE, MPI_SUM, kit_comm());
  kit_check_long((long)all[0], (long)(workers * (double)rounds), "number of fetch-and-adds");
  kit_check_long((long)all[1], (long)workers * ((rounds + 3) / 4), "adds under a mutex");
  kit_check_long((long)all[2], (long)(workers * (double)rounds * SUMS * (SUMS + 1) / 2),
                 "sum of the accumulates");
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  struct worker workers[THREADS] = {{0}};
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "threads");
  kit_hang_guard();
  kit_need_threads();
  rounds = kit_rounds(argc > 1 ? argv[1] : NULL, rounds);
  KIT_MUST(cw_region_create(cw_team_world(), sizeof(struct slice), &region, (void **)slices));
  memset(slices[kit_me()], 0, sizeof(struct slice));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    kit_about("thread %d", i);
    kit_check(workers[i].steps == rounds, "stopped after %ld of %ld rounds: %s", workers[i].steps,
              rounds, workers[i].message);
    kit_check_long(workers[i].wrong, 0, "number of gets that brought other data");
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_about("all threads");
  check_totals(slices[kit_me()]);
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}

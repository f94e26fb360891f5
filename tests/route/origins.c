/* Threads with origins of their own. Their transfers complete by their own fences and by those of
 * the process; operations that a thread leaves behind when it ends are not lost; other threads may
 * wait for its handles. Every other thread acts for the process, as plain calls do. */
#include "kit/native.h"
#include "mpi/origin.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16, SHORT = 24, LONG = 6000, PROCESSES = 8 };

/* Areas for each thread of each process: for words, rows, a long run, and the operations that it
 * leaves behind. */
struct area {
  long words[SHORT], rows[SHORT], run[LONG], left[SHORT];
};

struct worker {
  int number;
  long rounds, wrong;
  cw_handle handle; /* of an operation that is left behind */
  long from_handle[SHORT];
  char message[256];
};

static void **slices;
static int thread_count;
static long round_count;
static bool stop;

static struct area *area_of(int process, int number)
{
  return (struct area *)slices[process] + (long)kit_me() * thread_count + number;
}

static bool works(struct worker *worker, cw_error error)
{
  if (error != CW_OK && worker->message[0] == '\0')
    snprintf(worker->message, sizeof worker->message, "%s", cw_error_message());
  return error == CW_OK;
}

static void fill(long *words, int count, const struct worker *worker, long round)
{
  for (int i = 0; i < count; i++)
    words[i] = round * 1000000 + kit_me() * 100000 + worker->number * 10000 + i;
}

/* Starts operations, so that they stay in packets until the fence. */
static bool start(struct worker *worker, cw_operation operation, long *local, long *remote,
                  size_t bytes, int process)
{
  const cw_transfer transfer = cw_contiguous(operation, local, remote, bytes, process);
  return works(worker, cw_transfer_start(&transfer, NULL));
}

static bool put_all(struct worker *worker, struct area *mine, struct area *there, int process)
{
  const ptrdiff_t stride = 2 * sizeof(long);
  const size_t count = SHORT / 2;
  const cw_transfer rows = cw_strided(CW_PUT, mine->rows, &stride, there->rows, &stride,
                                      sizeof(long), &count, 1, process);
  for (int i = 0; i < SHORT; i++)
    if (!start(worker, CW_PUT, &mine->words[i], &there->words[i], sizeof(long), process))
      return false;
  return works(worker, cw_transfer_start(&rows, NULL)) &&
         start(worker, CW_PUT, mine->run, there->run, sizeof mine->run, process);
}

/* Checks that everything has arrived after the fence. */
static bool compare(struct worker *worker, const struct area *mine, struct area *there, int process)
{
  struct area *got = calloc(1, sizeof *got);
  cw_handle handle = {0};
  const cw_transfer get =
      cw_contiguous(CW_GET, got->words, there->words, sizeof got->words, process);
  bool good = works(worker, cw_transfer_start(&get, &handle)) &&
              start(worker, CW_GET, got->run, there->run, sizeof got->run, process) &&
              works(worker, cw_get(got->rows, there->rows, sizeof got->rows, process)) &&
              works(worker, cw_wait(&handle)) && works(worker, cw_wait_process(process));
  if (good) {
    worker->wrong += memcmp(mine->words, got->words, sizeof got->words) != 0;
    worker->wrong += memcmp(mine->run, got->run, sizeof got->run) != 0;
    for (int i = 0; i < SHORT; i += 2)
      worker->wrong += mine->rows[i] != got->rows[i];
  }
  free(got);
  return good;
}

static bool run_round(struct worker *worker, struct area *mine, long round)
{
  const int process = (int)((kit_me() + worker->number + round) % kit_processes());
  struct area *there = area_of(process, worker->number);
  int64_t before = 0;
  fill(mine->words, SHORT, worker, round);
  fill(mine->rows, SHORT, worker, round + 1);
  fill(mine->run, LONG, worker, round + 2);
  return put_all(worker, mine, there, process) && works(worker, cw_fence(process)) &&
         compare(worker, mine, there, process) &&
         works(worker, cw_fetch_add_int64((int64_t *)&there->left[0], 1, process, &before)) &&
         start(worker, CW_PUT, mine->words, there->words, sizeof mine->words, process) &&
         works(worker, cw_fence_all());
}

/* Starts puts to the next process, and a get on a handle that another thread waits for. */
static bool leave_behind(struct worker *worker, struct area *mine)
{
  const int process = (kit_me() + 1) % kit_processes();
  struct area *there = area_of(process, worker->number);
  fill(mine->left, SHORT, worker, 77);
  const cw_transfer get =
      cw_contiguous(CW_GET, worker->from_handle, there->left, sizeof mine->left, process);
  for (int i = 0; i < SHORT; i++)
    if (!start(worker, CW_PUT, &mine->left[i], &there->left[i], sizeof(long), process))
      return false;
  return works(worker, cw_transfer_start(&get, &worker->handle));
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  struct area *mine = calloc(1, sizeof *mine);
  uint32_t origin = 0;
  bool good = worker->number % 2 == 1 || works(worker, cwi_origin_mine(&origin));
  const uint32_t before = cwi_origin_enter(origin);
  for (; good && worker->rounds < round_count; worker->rounds++)
    good = run_round(worker, mine, worker->rounds);
  if (good && !leave_behind(worker, mine))
    worker->rounds = -1;
  cwi_origin_enter(before);
  free(mine);
  return NULL;
}

/* The process fences for all threads, too, and waits only in these fences. */
static void *fence(void *argument)
{
  struct worker *worker = argument;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    if (!works(worker, cw_fence_all()) || !works(worker, cw_wait_all()))
      break;
    worker->rounds++;
  }
  return NULL;
}

static void check(struct worker *worker)
{
  long wanted[SHORT];
  kit_about("thread %d", worker->number);
  kit_check(worker->rounds == round_count, "stopped after %ld of %ld rounds: %s", worker->rounds,
            round_count, worker->message);
  kit_check_long(worker->wrong, 0, "number of gets that brought other data");
  KIT_OK(cw_wait(&worker->handle));
  fill(wanted, SHORT, worker, 77);
  kit_check(memcmp(wanted, worker->from_handle, sizeof wanted) == 0,
            "a get on a handle that its thread left behind brought other data");
}

/* Checks the last puts of the threads of the previous process. */
static void check_left(const struct area *areas)
{
  const int before = (kit_me() + kit_processes() - 1) % kit_processes();
  for (int number = 0; number < thread_count; number++)
    for (int i = 0; i < SHORT; i++)
      kit_check_long(areas[before * thread_count + number].left[i],
                     77 * 1000000 + before * 100000 + number * 10000 + i,
                     "word that a thread left behind");
}

int main(int argc, char **argv)
{
  pthread_t threads[MOST_THREADS + 1];
  struct worker workers[MOST_THREADS + 1] = {{0}};
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "origins");
  kit_hang_guard();
  kit_need_threads();
  thread_count = argc > 1 ? atoi(argv[1]) : 4;
  round_count = argc > 2 ? atol(argv[2]) : 20;
  const size_t areas = (size_t)kit_processes() * (size_t)thread_count;
  void *mine = kit_make_region(areas * sizeof(struct area), &region, &slices);
  pthread_create(&threads[thread_count], NULL, fence, &workers[thread_count]);
  for (int i = 0; i < thread_count; i++) {
    workers[i].number = i;
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < thread_count; i++)
    pthread_join(threads[i], NULL);
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  pthread_join(threads[thread_count], NULL);
  kit_check(workers[thread_count].message[0] == '\0', "the process's fence: %s",
            workers[thread_count].message);
  for (int i = 0; i < thread_count; i++)
    check(&workers[i]);
  KIT_OK(cw_barrier(cw_team_world()));
  check_left(mine);
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, slices);
  return kit_finish_native();
}

/* Threads that begin and end: their counts are exact, and none is lost. */
#include "kit/kit.h"

#include <causeway.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096, THREADS = 4, ROUNDS = 3, PUTS = 500, LATE_PUTS = 20000 };

static void **addresses;

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

/* number: number of the thread, counted from 1. Returns NULL if all went well. */
static void *put_some(void *number)
{
  const size_t mine = *(const size_t *)number;
  const int to = (int)(mine % (size_t)cw_processes());
  const int64_t word = to;
  bool all = cw_profile_begin("thread") == CW_OK && cw_profile_begin("inner") == CW_OK &&
             cw_profile_end() == CW_OK; /* the other one ends with the thread */
  for (int i = 0; i < PUTS; i++)
    all =
        cw_put(&word, (int64_t *)addresses[to] + mine, sizeof word, to) == CW_OK && /* site: put */
        all;
  return all ? NULL : number;
}

static void round_of_threads(void)
{
  static size_t numbers[THREADS];
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    numbers[i] = i + 1;
    kit_check(pthread_create(&threads[i], NULL, put_some, &numbers[i]) == 0, "a thread");
  }
  for (size_t i = 0; i < THREADS; i++) {
    void *failed = NULL;
    kit_check(pthread_join(threads[i], &failed) == 0 && failed == NULL, "the puts of a thread");
  }
  kit_check(cw_profile_end() == CW_MISUSE && strstr(cw_error_message(), "no open phase") != NULL,
            "the phases of other threads are not this one's: %s", cw_error_message());
}

/* --- A thread that calls while it ends, after the profile's own destructor -----------------------
 */

static pthread_key_t late_key;
static pthread_barrier_t both;

/* A word for each thread: if two threads wrote one of them at once, that would be a race. */
static _Atomic int words_taken;
static __thread int my_word;

static int64_t *word_of_mine(int process)
{
  if (my_word == 0)
    my_word = 16 + ++words_taken;
  return (int64_t *)addresses[process] + my_word;
}

/* Returns NULL if all went well. */
static void *put_late(void *given)
{
  const int next = (cw_process() + 1) % cw_processes();
  const int64_t word = 0;
  bool all = true;
  for (int i = 0; i < LATE_PUTS; i++)
    all = cw_put(&word, word_of_mine(next), sizeof word, next) == CW_OK && all;
  return all ? NULL : given;
}

static void put_at_end(void *given)
{
  pthread_barrier_wait(&both); /* the other thread may begin: this one has released its counters */
  pthread_barrier_wait(&both); /* it has called */
  kit_check(put_late(given) == NULL, "puts of a destructor");
}

static void *leave_late(void *given)
{
  const int64_t word = 0;
  kit_check(pthread_setspecific(late_key, given) == 0, "a value of a thread");
  return cw_put(&word, word_of_mine(cw_process()), sizeof word, cw_process()) == CW_OK ? NULL
                                                                                       : given;
}

static void *begin_meanwhile(void *given)
{
  pthread_barrier_wait(&both);
  void *const first = leave_late(NULL);
  pthread_barrier_wait(&both);
  return first == NULL ? put_late(given) : given;
}

static void end_late(void)
{
  pthread_t threads[2];
  static int given;
  void *failed = NULL;
  pthread_barrier_init(&both, NULL, 2);
  kit_check(pthread_key_create(&late_key, put_at_end) == 0, "a key");
  kit_check(pthread_create(&threads[0], NULL, leave_late, &given) == 0 &&
                pthread_create(&threads[1], NULL, begin_meanwhile, &given) == 0,
            "two threads");
  for (int i = 0; i < 2; i++)
    kit_check(pthread_join(threads[i], &failed) == 0 && failed == NULL, "the puts of a thread");
}

/* --- A thread that forks: its child ends as a thread does ---------------------------------------
 */

static pthread_key_t child_key;

/* Runs after the profile's destructor, and before MPI's actions at the end of a process. */
static void end_child(void *given)
{
  _exit(given == NULL);
}

static void *fork_some(void *given)
{
  const int64_t word = 0;
  int status = 1;
  bool all = cw_profile_begin("forks") == CW_OK &&
             cw_put(&word, word_of_mine(cw_process()), sizeof word, cw_process()) == CW_OK;
  const pid_t child = fork();
  if (child == 0) {
    all = cw_profile_end() == CW_OK && cw_profile_begin("of a child") == CW_OK &&
          pthread_setspecific(child_key, given) == 0;
    pthread_exit(NULL);
  }
  all = child > 0 && waitpid(child, &status, 0) == child && status == 0 && all;
  pthread_barrier_wait(&both); /* the other thread begins, with counters of its own */
  pthread_barrier_wait(&both);
  return put_late(given) == NULL && cw_profile_end() == CW_OK && all ? NULL : given;
}

static void fork_child(void)
{
  pthread_t threads[2];
  static int given;
  void *failed = NULL;
  kit_check(pthread_key_create(&child_key, end_child) == 0, "a key");
  kit_check(pthread_create(&threads[0], NULL, fork_some, &given) == 0 &&
                pthread_create(&threads[1], NULL, begin_meanwhile, &given) == 0,
            "two threads");
  for (int i = 0; i < 2; i++)
    kit_check(pthread_join(threads[i], &failed) == 0 && failed == NULL, "the puts beside a child");
}

int main(int argc, char **argv)
{
  int level = 0;
  cw_region region = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "threads");
  if (level < MPI_THREAD_MULTIPLE)
    kit_skip("MPI has no MPI_THREAD_MULTIPLE");
  ok(cw_init(MPI_COMM_WORLD));
  addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, addresses))) {
    for (int i = 0; i < ROUNDS; i++)
      round_of_threads();
    end_late();
    fork_child();
    ok(cw_region_free(cw_team_world(), &region));
  }
  free(addresses);
  ok(cw_finalize());
  return kit_finish();
}

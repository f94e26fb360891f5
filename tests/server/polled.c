/* A process that only polls serves its node's requests meanwhile: the server makes no pass of its
 * own, because its thread has not begun yet. Runs on nodes of one process. */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { ADDS = 50, WORDS = 40000 };

struct slice {
  int64_t sum, last_update, words[WORDS];
};

static bool begins; /* the threads that this process has started may begin */
static cw_region region;
static void **at;
static cw_notifications set;
static cw_mutexes mutexes;

/* --- Threads that begin late ------------------------------------------------------------------ */

struct late {
  void *(*run)(void *argument);
  void *argument;
};

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument);

static void *run_late(void *given)
{
  const struct late late = *(struct late *)given;
  const struct timespec nap = {.tv_nsec = 1000000};
  free(given);
  while (!__atomic_load_n(&begins, __ATOMIC_ACQUIRE))
    nanosleep(&nap, NULL);
  return late.run(late.argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *argument), void *argument)
{
  struct late *late = kit_alloc(1, sizeof *late);
  *late = (struct late){run, argument};
  return __real_pthread_create(thread, attributes, run_late, late);
}

/* --- Polls ------------------------------------------------------------------------------------ */

/* Polls once; returns true if the last update of the other process has arrived. */
typedef bool poll_function(struct slice *mine, cw_handle *handle);

static bool by_test(struct slice *mine, cw_handle *handle)
{
  bool here = false;
  (void)mine;
  KIT_OK(cw_test(handle, &here));
  return here;
}

static bool by_test_any(struct slice *mine, cw_handle *handle)
{
  size_t which = 0;
  bool here = false;
  (void)mine;
  KIT_OK(cw_handle_test_any(handle, 1, &which, &here));
  return here;
}

static bool by_notify_test(struct slice *mine, cw_handle *handle)
{
  bool holds = false;
  (void)handle;
  KIT_OK(cw_notify_test(&mine->last_update, CW_AT_LEAST, 1, &holds, NULL));
  return holds;
}

static bool by_progress(struct slice *mine, cw_handle *handle)
{
  (void)handle;
  cw_progress();
  return __atomic_load_n(&mine->last_update, __ATOMIC_ACQUIRE) > 0;
}

/* The other process holds the mutex. */
static bool by_trylock(struct slice *mine, cw_handle *handle)
{
  bool acquired = true;
  (void)handle;
  KIT_OK(cw_mutex_trylock(mutexes, 0, kit_me(), &acquired));
  kit_check(!acquired, "a mutex that is held");
  return __atomic_load_n(&mine->last_update, __ATOMIC_ACQUIRE) > 0;
}

static void send_requests(int other)
{
  struct slice *there = at[other];
  int64_t *words = kit_alloc(WORDS, sizeof *words), before = 0;
  for (int64_t i = 0; i < ADDS; i++) {
    KIT_OK(cw_fetch_add_int64(&there->sum, 1, other, &before));
    kit_check_long((long)before, (long)i, "what was there before");
  }
  for (int64_t i = 0; i < WORDS; i++)
    words[i] = i + 1;
  KIT_OK(cw_put(words, there->words, WORDS * sizeof *words, other));
  words[WORDS - 1] = 0;
  KIT_OK(cw_get(words, there->words, WORDS * sizeof *words, other));
  kit_check_long((long)words[WORDS - 1], WORDS, "the last word of a long get");
  KIT_OK(cw_put_notify(NULL, NULL, 0, other, set, 0));
  KIT_OK(cw_notify(&there->last_update, 1, other));
  free(words);
}

static void check_poll(const char *name, poll_function *poll, int polling_process)
{
  struct slice *mine = at[kit_me()];
  const bool holds = poll == by_trylock, is_origin = kit_me() != polling_process;
  cw_handle handle = {0};
  kit_about("process %d looks by %s", polling_process, name);
  *mine = (struct slice){.sum = 0};
  if (is_origin && holds)
    KIT_OK(cw_mutex_lock(mutexes, 0, polling_process));
  KIT_OK(cw_barrier(cw_team_world()));
  if (is_origin) {
    send_requests(polling_process);
    if (holds)
      KIT_OK(cw_mutex_unlock(mutexes, 0, polling_process));
  } else {
    KIT_MUST(cw_notification_request(set, 0, CW_AT_LEAST, 1, &handle));
    while (!poll(mine, &handle))
      continue;
    KIT_OK(cw_wait(&handle));
    kit_check_long((long)mine->sum, ADDS, "sums of the other process");
    kit_check_long((long)mine->words[WORDS - 1], WORDS, "the last word of a long put");
    KIT_OK(cw_notification_reset(set, 0, NULL));
  }
  KIT_OK(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    poll_function *poll;
  } ways[] = {{"cw_test", by_test},
              {"cw_handle_test_any", by_test_any},
              {"cw_notify_test", by_notify_test},
              {"cw_progress", by_progress},
              {"cw_mutex_trylock", by_trylock}};
  setenv("CW_ROUTE", "server", 1);
  kit_start_native(&argc, &argv, "polled");
  kit_need_threads();
  kit_hang_guard();
  kit_make_region(sizeof(struct slice), &region, &at);
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    for (int polling_process = 0; polling_process < 2; polling_process++)
      check_poll(ways[i].name, ways[i].poll, polling_process);
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_notifications_free(&set));
  kit_free_region(&region, at);
  __atomic_store_n(&begins, true, __ATOMIC_RELEASE);
  return kit_finish_native();
}

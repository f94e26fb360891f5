/* Threads with views of their own: each on its own words, beside fences of the process; and threads
 * that end while their operations are outstanding.
 *
 * threads ROUNDS */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, WORDS = 600, LONG = 40 };

static cw_view plain;
static void **at;
static int rounds, next;

struct work {
  pthread_t thread;
  int number;
  bool leaves; /* ends without a flush */
};

static int64_t word(int number, int round, size_t i)
{
  return (int64_t)(cw_process() + 1) << 48 | (int64_t)number << 32 | (int64_t)round << 12 |
         (int64_t)i;
}

static void fill(int64_t *words, int number, int round, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = word(number, round, i);
}

/* Puts are flushed, then read back by the same thread and by a plain get of the process. */
static void put_and_get(cw_view view, const struct work *work, int round)
{
  const size_t count = round % LONG == 0 ? WORDS : 1 + (size_t)round % 5;
  int64_t *there = (int64_t *)at[next] + (size_t)work->number * WORDS;
  int64_t out[WORDS], back[WORDS];
  fill(out, work->number, round, count);
  KIT_OK(cw_view_put(view, out, there, count * 8, next));
  KIT_OK(cw_view_flush(view, next));
  if (round % 2 == 0) {
    KIT_OK(cw_view_get(view, back, there, count * 8, next));
    KIT_OK(cw_view_flush_local(view, next));
  } else {
    KIT_OK(cw_get(back, there, count * 8, next));
  }
  kit_check_bytes(back, out, count * 8, "a thread's words");
}

/* Data that is put here stays until the thread has ended. */
static int64_t last_words[MOST][WORDS];

static void *run(void *given)
{
  const struct work *work = given;
  const cw_view_settings alone = {.scope = CW_SCOPE_THREAD, .ordered = work->number % 2 == 1};
  cw_view view = NULL;
  cw_handle handle = {0, 0};
  KIT_OK(cw_view_dup(plain, &alone, &view));
  for (int round = 1; round <= rounds; round++)
    put_and_get(view, work, round);
  int64_t *there = (int64_t *)at[next] + (size_t)work->number * WORDS;
  fill(last_words[work->number], work->number, rounds + 1, WORDS);
  KIT_OK(cw_view_put(view, last_words[work->number], there, WORDS / 2 * 8, next));
  KIT_OK(cw_view_rrput(view, last_words[work->number] + WORDS / 2, there + WORDS / 2, WORDS / 2 * 8,
                       next, &handle));
  if (!work->leaves) {
    KIT_OK(cw_wait(&handle));
    KIT_OK(cw_view_flush_all(view));
  }
  KIT_OK(cw_view_free(&view));
  return NULL;
}

static void run_threads(int threads)
{
  static struct work work[MOST];
  static int64_t back[WORDS];
  kit_about("%d threads", threads);
  for (int t = 0; t < threads; t++) {
    work[t] = (struct work){.number = t, .leaves = t % 3 != 1};
    kit_check(pthread_create(&work[t].thread, NULL, run, &work[t]) == 0, "no thread");
  }
  for (int i = 0; i < 20; i++) /* covers what threads have outstanding */
    KIT_OK(i % 2 == 0 ? cw_fence(next) : cw_view_flush_all(plain));
  for (int t = 0; t < threads; t++)
    pthread_join(work[t].thread, NULL);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int t = 0; t < threads; t++) {
    KIT_OK(cw_get(back, (int64_t *)at[next] + (size_t)t * WORDS, sizeof back, next));
    kit_check_bytes(back, last_words[t], sizeof back, "what a thread left behind");
  }
  KIT_MUST(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  const cw_view_settings alone = {.scope = CW_SCOPE_THREAD};
  cw_view_settings granted;
  cw_region region = NULL;
  rounds = argc > 1 ? atoi(argv[1]) : 100;
  kit_start_native(&argc, &argv, "view_threads");
  kit_need_threads();
  next = (cw_process() + 1) % cw_processes();
  kit_make_region(sizeof(int64_t) * MOST * WORDS, &region, &at);
  KIT_MUST(cw_view_of(region, &plain));
  KIT_MUST(cw_view_would_grant(plain, &alone, &granted));
  if (granted.scope == CW_SCOPE_THREAD) {
    run_threads(1);
    run_threads(4);
    run_threads(16);
  }
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
  return kit_finish_native();
}

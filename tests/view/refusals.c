/* An operation that a target rejects concerns only the thread that started it. Each wait for a
 * rejected get returns the error; other gets return data, puts and notifications arrive, and all
 * members end. A handle's owner waits for updates in progress. "threads": a thread whose update was
 * rejected gets the error when it waits for its completion, even if other threads have seen it
 * before.
 *
 *   "refusals" [late | threads ROUNDS] */
#include "kit/native.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OWNER = 1, WORDS = 64 };

static const int64_t three = 3;
static int64_t memory[WORDS];
static cw_region region;
static void **words;
static cw_view view, good; /* in memory of the owner's handle, and in the region */
static void *there;

/* Makes a handle of a process's memory, and releases it. */
static void make_released_at(int owner, cw_view *released, void **place)
{
  unsigned char handle[CW_MEMORY_HANDLE_BYTES];
  if (kit_me() == owner)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, handle));
  KIT_OK(cw_broadcast(cw_team_world(), owner, handle, sizeof handle));
  KIT_MUST(cw_view_from_memory(handle, released));
  KIT_OK(cw_view_address(*released, owner, place, NULL));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == owner)
    KIT_OK(cw_memory_handle_release(handle));
  KIT_OK(cw_barrier(cw_team_world()));
}

static void make_released(void)
{
  make_released_at(OWNER, &view, &there);
}

static void make_all(void)
{
  kit_make_region(WORDS * sizeof(int64_t), &region, &words);
  for (int i = 0; i < WORDS; i++)
    ((int64_t *)words[kit_me()])[i] = 77 + i;
  KIT_MUST(cw_view_of(region, &good));
  make_released();
}

static void free_all(void)
{
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_free(&view));
  KIT_OK(cw_view_free(&good));
  kit_free_region(&region, words);
}

static void check_perhaps_rejected(cw_error error)
{
  kit_check(error == CW_OK ||
                (error == CW_MISUSE && strstr(cw_error_message(), "was released") != NULL),
            "%s", cw_error_message());
}

/* Gets of one packet have one reply, except for those that are rejected. */
static void gets(void)
{
  int64_t released = 0, here = 0, more = 0;
  int64_t *from = words[OWNER];
  KIT_OK(cw_view_get(view, &released, there, sizeof released, OWNER));
  KIT_OK(cw_get(&here, from, sizeof here, OWNER));
  kit_check_long(here, 77, "the get behind one that is refused");
  KIT_MISUSE("was released", cw_view_flush(view, OWNER));
  KIT_OK(cw_view_get(good, &here, from + 1, sizeof here, OWNER));
  KIT_OK(cw_view_get(view, &released, there, sizeof released, OWNER));
  KIT_OK(cw_view_get(good, &more, from + 2, sizeof more, OWNER));
  KIT_MISUSE("was released", cw_view_flush(view, OWNER));
  kit_check_long(here, 78, "the get before one that is refused");
  kit_check_long(more, 79, "the get behind it");
}

/* A rejected get of the view returns its error in its own wait, whichever thread waits first. */
static void learn_why(cw_view released, void *from, size_t bytes, char why[400])
{
  char data[sizeof memory];
  cw_handle handle = {0};
  KIT_OK(cw_view_rget(released, data, from, bytes, OWNER, &handle));
  KIT_MISUSE("was released", cw_wait(&handle));
  snprintf(why, 400, "%s", cw_error_message());
}

static void check_why(cw_handle *handle, const char *why)
{
  KIT_MISUSE("was released", cw_wait(handle));
  kit_check(strcmp(cw_error_message(), why) == 0, "'%s' instead of '%s'", cw_error_message(), why);
}

/* Gets from two released handles: the last one is waited for first, with fences in between. */
static void reasons(cw_view other, void *other_there)
{
  char data[3][sizeof memory], why[400], other_why[400];
  for (size_t bytes = 8; bytes <= sizeof memory; bytes *= 8) {
    cw_handle handles[3] = {{0}, {0}, {0}};
    kit_about("gets of %zu bytes", bytes);
    learn_why(view, there, bytes, why);
    learn_why(other, other_there, bytes, other_why);
    kit_check(strcmp(why, other_why) != 0, "the same reason for both: %s", why);
    KIT_OK(cw_view_rget(view, data[0], there, bytes, OWNER, &handles[0]));
    KIT_OK(cw_view_rget(other, data[1], other_there, bytes, OWNER, &handles[1]));
    KIT_OK(cw_view_rget(view, data[2], there, bytes, OWNER, &handles[2]));
    KIT_OK(cw_fence(OWNER));
    check_why(&handles[2], why);
    KIT_OK(cw_fence_all());
    check_why(&handles[1], other_why);
    check_why(&handles[0], why);
  }
}

static void test_reasons(void)
{
  cw_view other = view;
  void *other_there = there;
  unsigned char held[CW_MEMORY_HANDLE_BYTES]; /* so that the next handle has another number */
  if (kit_me() == OWNER)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, held));
  make_released();
  if (kit_me() == OWNER)
    KIT_OK(cw_memory_handle_release(held));
  if (kit_me() == 0)
    reasons(other, other_there);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_free(&other));
}

/* Updates of the process are rejected: all threads that have some outstanding get the error, and no
 * others. */
static cw_error of_thread[2];

static void *put_and_flush(void *unused)
{
  (void)unused;
  of_thread[0] = cw_view_put(view, &three, there, sizeof three, OWNER);
  if (of_thread[0] == CW_OK)
    of_thread[0] = cw_view_flush(view, OWNER);
  of_thread[1] = cw_fence(OWNER);
  return NULL;
}

static void errors_of_threads(void)
{
  const int64_t five = 5;
  pthread_t thread;
  kit_about("updates of two threads");
  for (int round = 0; round < 3; round++) {
    if (round > 0) /* by the server, where MPI might take a put */
      KIT_OK(cw_accumulate(CW_INT64, NULL, &five, words[OWNER], sizeof five, OWNER));
    pthread_create(&thread, NULL, put_and_flush, NULL);
    pthread_join(thread, NULL);
    kit_check(of_thread[0] == CW_MISUSE && of_thread[1] == CW_OK, "the thread: errors %d, %d",
              (int)of_thread[0], (int)of_thread[1]);
    if (round > 0)
      KIT_MISUSE("was released", round == 1 ? cw_fence(OWNER) : cw_fence_all());
    KIT_OK(cw_fence(OWNER));
    KIT_OK(cw_fence_all());
  }
}

static void *flush_for(void *error)
{
  *(cw_error *)error = cw_view_flush(view, OWNER);
  return NULL;
}

/* Another thread's flush finds that a get was rejected: the wait for the get returns the error,
 * too. */
static void found_by_others(void)
{
  int64_t released = 0;
  cw_handle handle = {0};
  cw_error found = CW_OK;
  pthread_t thread;
  kit_about("a get, and the flush of another thread");
  KIT_OK(cw_view_rget(view, &released, there, sizeof released, OWNER, &handle));
  pthread_create(&thread, NULL, flush_for, &found);
  pthread_join(thread, NULL);
  kit_check(found == CW_MISUSE, "the flush gives %d", (int)found);
  KIT_MISUSE("was released", cw_wait(&handle));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_view_flush(view, OWNER));
}

static void *put_without_success(void *context)
{
  KIT_OK(cw_view_put(context, &three, there, sizeof three, OWNER));
  return NULL;
}

/* Another thread's put is rejected: the error is returned, and the notification arrives. */
static void notifications(void)
{
  const int64_t five = 5;
  int64_t *to = words[OWNER], count = 0;
  cw_notifications set = NULL;
  cw_view own = NULL;
  pthread_t thread;
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &own));
  if (kit_me() == 0) {
    pthread_create(&thread, NULL, put_without_success, own);
    pthread_join(thread, NULL);
    KIT_OK(cw_put_notify(&five, to, sizeof five, OWNER, set, 0));
    KIT_MISUSE("was released", cw_fence(OWNER));
    KIT_OK(cw_fence(OWNER));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER) {
    KIT_OK(cw_notification_read(set, 0, &count));
    kit_check_long(count, 1, "the notification");
    kit_check_long(*to, 5, "what was put before it");
  }
  KIT_OK(cw_view_free(&own));
  KIT_OK(cw_notifications_free(&set));
}

/* An operation of several parts behind a put of another scope that is rejected: all its parts are
 * done, and a fence returns the error. */
static void parts(void)
{
  const int64_t one = 1;
  int64_t *to = words[OWNER], count = 0;
  cw_notifications set = NULL;
  cw_view apart = NULL;
  cw_handle handle = {0};
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &apart));
  memset(words[kit_me()], 0, 3 * sizeof(int64_t));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int way = 0; way < 4 && kit_me() == 0; way++) {
    kit_about("a refused put, then way %d", way);
    KIT_OK(cw_view_put(apart, &three, there, sizeof three, OWNER));
    if (way == 0)
      KIT_OK(cw_put_notify(&one, to, sizeof one, OWNER, set, 0));
    else if (way == 1)
      KIT_OK(cw_view_put_notify(good, &one, to + 1, sizeof one, OWNER, set, 0));
    else if (way == 2)
      KIT_OK(cw_view_accumulate_notify(good, CW_INT64, CW_SUM, &one, to + 2, 1, OWNER, set, 0));
    else
      KIT_OK(cw_view_rrput(good, &one, to + 3, sizeof one, OWNER, &handle));
    KIT_MISUSE("was released", cw_fence(OWNER));
    KIT_OK(cw_fence(OWNER));
  }
  if (kit_me() == 0)
    KIT_OK(cw_wait(&handle));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER) {
    KIT_OK(cw_notification_read(set, 0, &count));
    kit_check_long(count, 3, "the notifications");
    for (int i = 0; i < 4; i++)
      kit_check_long(to[i], 1, "what came with them");
  }
  KIT_OK(cw_view_free(&apart));
  KIT_OK(cw_notifications_free(&set));
}

static void in_a_thread(void *(*act)(void *), void *context)
{
  pthread_t thread;
  pthread_create(&thread, NULL, act, context);
  pthread_join(thread, NULL);
}

static void *fence_without_error(void *unused)
{
  (void)unused;
  KIT_OK(cw_fence(OWNER));
  return NULL;
}

/* A rejected operation of another scope: a wait returns its error; so does a fence of the target's
 * node; and so does the thread that started it, even if another thread fences first. */
static void *put_and_fence(void *apart)
{
  static const int64_t one = 1;
  KIT_OK(cw_view_put(apart, &three, there, sizeof three, OWNER));
  KIT_OK(cw_put(&one, (int64_t *)words[OWNER] + 4, sizeof one, OWNER));
  in_a_thread(fence_without_error, NULL);
  KIT_MISUSE("was released", cw_fence(OWNER));
  return NULL;
}

static void errors_of_scopes(void)
{
  int64_t got = 0;
  cw_view apart = NULL;
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &apart));
  for (int way = 0; way < 4 && kit_me() == 0; way++) {
    kit_about("a refused get, then wait %d", way);
    KIT_OK(cw_view_get(apart, &got, there, sizeof got, OWNER));
    KIT_OK(cw_put(&three, (int64_t *)words[OWNER] + 4, sizeof three, OWNER));
    KIT_MISUSE("was released", way == 0   ? cw_wait_all()
                               : way == 1 ? cw_wait_process(OWNER)
                               : way == 2 ? cw_view_flush_local(apart, OWNER)
                                          : cw_fence(OWNER));
    KIT_OK(cw_fence(OWNER));
  }
  if (kit_me() == 0) {
    kit_about("another thread's fence");
    in_a_thread(put_and_fence, apart);
    KIT_OK(cw_fence(OWNER));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_free(&apart));
}

/* A request for an event that never occurs. */
static uint32_t wait_without_success(void)
{
  cw_notifications set = NULL;
  cw_handle handle = {0};
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  KIT_OK(cw_notification_request(set, 0, CW_AT_LEAST, 5, &handle));
  return handle.index;
}

/* cw_finalize returns on all processes with the error, and leaves no request. */
static void last_words(bool get)
{
  int64_t value = 1;
  const uint32_t left = wait_without_success();
  make_released();
  if (kit_me() != 0) {
    KIT_OK(cw_finalize());
  } else {
    KIT_OK(get ? cw_view_get(view, &value, there, sizeof value, OWNER)
               : cw_view_put(view, &value, there, sizeof value, OWNER));
    kit_check(cw_finalize() != CW_OK, "nobody hears of what was refused");
  }
  KIT_OK(cw_finalize()); /* it has ended: nothing happens */
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  kit_check_long(wait_without_success(), left, "the handle of a request in the next life");
}

/* --- Several threads -------------------------------------------------------------------------- */

/* The server's answer to one thread's request reports another thread's put, and no thread has read
 * it yet. */
static void *answer_unread(void *context)
{
  static const int64_t one = 1;
  KIT_OK(cw_view_rraccumulate(good, CW_INT64, CW_SUM, &one, words[OWNER], 1, OWNER, context));
  return NULL;
}

static void unread(void)
{
  cw_handle handle = {0};
  kit_about("an answer that nobody has read");
  KIT_OK(cw_view_put(view, &three, there, sizeof three, OWNER));
  in_a_thread(answer_unread, &handle);
  KIT_MISUSE("was released", cw_fence(OWNER));
  check_perhaps_rejected(cw_wait(&handle));
  KIT_OK(cw_fence(OWNER));
}

/* Another thread sees the error first: the thread whose put it was still gets it when it waits for
 * a request. */
static void *accumulate_and_fence(void *unused)
{
  static const int64_t one = 1;
  (void)unused;
  KIT_OK(cw_accumulate(CW_INT64, NULL, &one, words[OWNER], sizeof one, OWNER));
  KIT_MISUSE("was released", cw_fence(OWNER));
  return NULL;
}

static void requests(void)
{
  cw_handle handle = {0};
  kit_about("a request behind another thread's fence");
  KIT_OK(cw_view_put(view, &three, there, sizeof three, OWNER));
  in_a_thread(accumulate_and_fence, NULL);
  KIT_OK(cw_view_rraccumulate(good, CW_INT64, CW_SUM, &three, words[OWNER], 1, OWNER, &handle));
  KIT_MISUSE("was released", cw_wait(&handle));
  KIT_OK(cw_fence(OWNER));
}

/* Operations in the scope of a thread are fenced by other threads, too. */
static void *fence_of_process(void *unused)
{
  (void)unused;
  KIT_MISUSE("was released", cw_fence(OWNER));
  KIT_OK(cw_fence(OWNER));
  return NULL;
}

static void *put_fence_and_flush(void *apart)
{
  KIT_OK(cw_view_put(apart, &three, there, sizeof three, OWNER));
  in_a_thread(fence_of_process, NULL);
  KIT_MISUSE("was released", cw_view_flush(apart, OWNER));
  KIT_OK(cw_view_flush(apart, OWNER));
  return NULL;
}

/* Operations rejected at two nodes: both errors are returned, and no others. */
static void everywhere(void)
{
  cw_view two = NULL;
  void *there_too = NULL;
  const int last = kit_processes() - 1;
  if (last <= OWNER)
    return;
  kit_about("two nodes");
  make_released_at(last, &two, &there_too);
  if (kit_me() == 0) {
    KIT_OK(cw_view_put(view, &three, there, sizeof three, OWNER));
    KIT_OK(cw_view_put(two, &three, there_too, sizeof three, last));
    KIT_MISUSE("was released", cw_fence(OWNER));
    KIT_MISUSE("was released", cw_fence(last));
    KIT_OK(cw_put(&three, words[OWNER], sizeof three, OWNER));
    KIT_OK(cw_fence(OWNER));
    KIT_OK(cw_fence(last));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_free(&two));
}

enum { THREADS = 4, WAYS = 5 };
static int rounds;
static cw_view own; /* of the kind of `view`, for each thread separately */
static pthread_barrier_t all_threads;

/* A rejected put, and the wait for its completion. */
static void put_and_complete(int way)
{
  char data[sizeof memory] = {0};
  const size_t bytes = way % 2 == 0 ? sizeof three : sizeof data;
  cw_handle handle = {0};
  if (way == 3)
    KIT_OK(cw_view_rrput(view, data, there, bytes, OWNER, &handle));
  else
    KIT_OK(cw_view_put(way == 4 ? own : view, data, there, bytes, OWNER));
  KIT_MISUSE("was released", way == 0   ? cw_fence(OWNER)
                             : way == 1 ? cw_fence_all()
                             : way == 2 ? cw_view_flush(view, OWNER)
                             : way == 3 ? cw_wait(&handle)
                                        : cw_view_flush(own, OWNER));
}

static void *put_in_rounds(void *context)
{
  const int number = *(const int *)context;
  for (int round = 0; round < rounds; round++) {
    pthread_barrier_wait(&all_threads);
    if (number == 0 || (round + number) % 3 != 0) {
      put_and_complete((round + number * (1 + round / WAYS)) % WAYS);
    } else {
      KIT_OK(cw_accumulate(CW_INT64, NULL, &three, words[OWNER], sizeof three, OWNER));
      check_perhaps_rejected(cw_fence(OWNER));
    }
    pthread_barrier_wait(&all_threads);
    check_perhaps_rejected(cw_fence(OWNER)); /* to get the error of an operation after a request */
    pthread_barrier_wait(&all_threads);
    KIT_OK(cw_accumulate(CW_INT64, NULL, &three, words[OWNER], sizeof three, OWNER));
    KIT_OK(cw_fence(OWNER));
  }
  return NULL;
}

static void put_side_by_side(void)
{
  pthread_t threads[THREADS];
  int numbers[THREADS];
  kit_about("%d threads", THREADS);
  pthread_barrier_init(&all_threads, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, put_in_rounds, &numbers[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all_threads);
}

static void test_threads(void)
{
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &own));
  if (kit_me() == 0) {
    unread();
    requests();
    kit_about("a thread's own put");
    in_a_thread(put_fence_and_flush, own);
    put_side_by_side();
  }
  everywhere();
  KIT_OK(cw_view_free(&own));
}

/* --- Updates under way ------------------------------------------------------------------------ */

/* The owner computes while the update waits for it; then its handle is released. */
static void release_in_time(void)
{
  enum { BYTES = 1 << 16 };
  unsigned char handle[CW_MEMORY_HANDLE_BYTES];
  char *pages = NULL;
  const int64_t one = 1;
  int64_t before = 0;
  if (kit_me() == OWNER) {
    pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    kit_check(pages != MAP_FAILED, "no memory");
    KIT_MUST(cw_memory_handle_create(pages, BYTES, handle));
  }
  KIT_OK(cw_broadcast(cw_team_world(), OWNER, handle, sizeof handle));
  KIT_MUST(cw_view_from_memory(handle, &view));
  KIT_OK(cw_view_address(view, OWNER, &there, NULL));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER) {
    usleep(100000);
    KIT_OK(cw_memory_handle_release(handle));
    munmap(pages, BYTES);
  } else if (kit_me() == 0) {
    const cw_error error = cw_view_fetch_op(view, CW_INT64, CW_SUM, &one, there, OWNER, &before);
    kit_check(error == CW_OK || strstr(cw_error_message(), "released") != NULL, "the update: %s",
              cw_error_message());
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_free(&view));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "refusals");
  kit_hang_guard();
  if (argc == 2) {
    for (int i = 0; i < 5; i++)
      release_in_time();
    return kit_finish_native();
  }
  make_all();
  if (argc > 2) {
    rounds = atoi(argv[2]);
    test_threads();
    free_all();
    return kit_finish_native();
  }
  if (kit_me() == 0)
    gets();
  test_reasons();
  if (kit_me() == 0)
    errors_of_threads();
  if (kit_me() == 0)
    found_by_others();
  notifications();
  parts();
  errors_of_scopes();
  free_all();
  last_words(false);
  last_words(true);
  return kit_finish_native();
}

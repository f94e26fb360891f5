/* Completion when operations are rejected, much is outstanding, or two scopes meet: a wait returns
 * the errors of its own operations, and a wait for all returns all of them. Process 0 acts on the
 * last process, which releases a handle before. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 22, PAGE = 4096, REQUESTS = 17000 };

static cw_view plain, threaded, released, released_threaded;
static char *there;
static void *released_there;
static int target;

/* A plain notification also covers what the thread has put in its own scope. */
static void test_notify(int64_t *mine)
{
  const int64_t value = 42;
  int64_t *counter = (int64_t *)(void *)there + 1;
  kit_about("a notification behind a put with thread scope");
  if (kit_me() == 0) {
    KIT_OK(cw_view_put(threaded, &value, there, sizeof value, target));
    KIT_OK(cw_notify(counter, 1, target));
  }
  if (kit_me() == target) {
    KIT_OK(cw_notify_wait(mine + 1, 1, NULL));
    kit_check_long(__atomic_load_n(mine, __ATOMIC_ACQUIRE), value, "data");
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_flush(threaded, target));
}

/* More than there are tags. */
static void test_many(void)
{
  static cw_handle handles[REQUESTS];
  const int64_t one = 1;
  int64_t before = -1;
  kit_about("many requests for remote completion");
  for (size_t i = 0; i < REQUESTS; i++)
    if (!KIT_OK(cw_view_rrput(plain, &one, there + 8 * i, sizeof one, target, &handles[i])))
      break;
  KIT_OK(cw_fence(target));
  KIT_OK(cw_fetch_add_int64((int64_t *)(void *)there, 1, target, &before));
  kit_check_long(before, 1, "number that was put");
  KIT_OK(cw_handle_wait_all(handles, REQUESTS));
}

/* Every page of a get has come, however its handle's other operations ended. */
static void check_pages(const char *got, const char *what)
{
  long missing = 0;
  for (size_t i = 0; i < BYTES; i += PAGE)
    missing += ((const volatile char *)got)[i] == 7;
  kit_check(missing == 0, "%s: %ld of %d pages have not come", what, missing, BYTES / PAGE);
}

static void test_rejected_among(char *got)
{
  int64_t value = 0;
  cw_handle handle = {0}, other = {0};
  bool complete = false;
  kit_about("a handle with a get, and with some that are refused");
  memset(got, 7, BYTES);
  const cw_error first =
      cw_view_rget(released, &value, released_there, sizeof value, target, &handle);
  /* If it takes another route, it waits for the previous one, and returns its error once. */
  if (cw_view_rget(plain, got, there, BYTES, target, &handle) != CW_OK)
    KIT_OK(cw_view_rget(plain, got, there, BYTES, target, &handle));
  const cw_error last =
      cw_view_rget(released, &value, released_there, sizeof value, target, &handle);
  const cw_error waited = cw_handle_wait_all(&handle, 1);
  kit_check(first != CW_OK || last != CW_OK || waited == CW_MISUSE,
            "nobody heard of a refused get: %d, %d, %d", (int)first, (int)last, (int)waited);
  check_pages(got, "after the wait");
  KIT_OK(cw_test(&handle, &complete));
  kit_check(complete && handle.index == 0, "the handle is not empty");
  kit_about("a handle of another scope");
  memset(got, 7, BYTES);
  KIT_OK(cw_view_rget(threaded, got, there, BYTES, target, &other));
  const cw_transfer plainly = cw_contiguous(CW_GET, &value, there, sizeof value, target);
  const cw_error mixed = cw_transfer_start(&plainly, &other);
  kit_check(mixed == CW_OK || mixed == CW_MISUSE, "error %d", (int)mixed);
  KIT_OK(cw_wait(&other));
  check_pages(got, "after the wait for a handle of a thread");
}

/* Short and long puts that are rejected: the wait for their remote completion returns the error at
 * the latest. */
static void test_rejected_puts(const char *data)
{
  for (size_t bytes = 64; bytes <= BYTES; bytes *= 256) {
    cw_handle handle = {0};
    kit_about("a put of %zu bytes to released memory", bytes);
    const cw_error started = cw_view_rrput(released, data, released_there, bytes, target, &handle);
    const cw_error waited = cw_wait(&handle);
    kit_check(started == CW_MISUSE || waited == CW_MISUSE, "errors %d and %d", (int)started,
              (int)waited);
    KIT_OK(cw_view_flush(released, target));
  }
}

static cw_error other_flush;

static void *put_well(void *unused)
{
  const int64_t one = 1;
  (void)unused;
  other_flush = cw_view_put(threaded, &one, there, sizeof one, target);
  if (other_flush == CW_OK)
    other_flush = cw_view_flush(threaded, target);
  return NULL;
}

/* Only the thread whose put was rejected gets the error. */
static void test_threads(void)
{
  const int64_t one = 1;
  pthread_t thread;
  cw_handle handle = {0};
  kit_about("threads, of which one has put to released memory");
  cw_error error = cw_view_put(released_threaded, &one, released_there, sizeof one, target);
  if (error == CW_OK)
    error = cw_view_rput(released_threaded, &one, released_there, sizeof one, target, &handle);
  pthread_create(&thread, NULL, put_well, NULL);
  pthread_join(thread, NULL);
  kit_check(other_flush == CW_OK, "the other thread's flush: error %d", (int)other_flush);
  const cw_error flushed = cw_view_flush(released_threaded, target);
  kit_check(error == CW_MISUSE || flushed == CW_MISUSE, "errors %d and %d", (int)error,
            (int)flushed);
}

/* --- Two scopes of one thread ----------------------------------------------------------------- */

enum { WORDS = 6000, AT_A_TIME = 12 };

/* Operation in progress: its words, and the expected result of a get. */
static struct {
  int64_t words[WORDS], wanted[WORDS];
  size_t bytes; /* 0 if it is no get */
} under_way[AT_A_TIME];

/* Uses plain calls, blocking and non-blocking, and views of either scope. */
static cw_error act(const cw_transfer *transfer, int how)
{
  switch (how) {
  case 0:
    return cw_transfer_run(transfer);
  case 1:
    return cw_transfer_start(transfer, NULL);
  default:
    return cw_view_start(how == 2 ? plain : threaded, transfer, NULL);
  }
}

static void act_at_random(int64_t *model, int i)
{
  static const size_t counts[] = {1, 1, 1, 3, 500, WORDS / 2};
  static const cw_operation operations[] = {CW_PUT, CW_PUT, CW_GET, CW_ACCUMULATE};
  const size_t count = counts[kit_own(6)], first = kit_own(2) == 0 ? 0 : count;
  const cw_operation operation = operations[kit_own(4)];
  int64_t *words = under_way[i].words;
  cw_transfer transfer =
      cw_contiguous(operation, words, (int64_t *)(void *)there + first, count * 8, target);
  transfer.type = CW_INT64;
  under_way[i].bytes = operation == CW_GET ? count * 8 : 0;
  memcpy(under_way[i].wanted, model + first, count * 8);
  for (size_t j = 0; j < count; j++) {
    words[j] = kit_own(1 << 30);
    if (operation != CW_GET)
      model[first + j] = words[j] + (operation == CW_ACCUMULATE ? model[first + j] : 0);
  }
  KIT_OK(act(&transfer, kit_own(4)));
}

/* A thread's operations in its process's scope and in its own take effect in the order in which
 * they are called. */
static void test_order(long rounds)
{
  static int64_t model[WORDS];
  kit_about("both scopes in turn");
  KIT_OK(cw_get(model, there, sizeof model, target));
  for (long round = 0; round < rounds; round++) {
    for (int i = 0; i < AT_A_TIME; i++)
      act_at_random(model, i);
    KIT_OK(cw_view_flush(round % 2 == 0 ? plain : threaded, target));
    KIT_OK(cw_view_flush(round % 2 == 0 ? threaded : plain, target));
    for (int i = 0; i < AT_A_TIME; i++)
      kit_check_bytes(under_way[i].words, under_way[i].wanted, under_way[i].bytes, "what was got");
  }
  KIT_OK(cw_get(under_way[0].words, there, sizeof model, target));
  kit_check_bytes(under_way[0].words, model, sizeof model, "what is there in the end");
  memset(model, 0, sizeof model); /* as the others expect it */
  KIT_OK(cw_put(model, there, sizeof model, target));
  KIT_OK(cw_fence(target));
}

static void make_views(cw_region region)
{
  static char memory[BYTES];
  const cw_view_settings settings = {.scope = CW_SCOPE_THREAD};
  unsigned char handle[CW_MEMORY_HANDLE_BYTES] = {0};
  KIT_MUST(cw_view_of(region, &plain));
  KIT_MUST(cw_view_dup(plain, &settings, &threaded));
  if (kit_me() == target)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, handle));
  KIT_MUST(cw_broadcast(cw_team_world(), target, handle, sizeof handle));
  KIT_MUST(cw_view_from_memory(handle, &released));
  KIT_MUST(cw_view_dup(released, &settings, &released_threaded));
  KIT_OK(cw_view_address(released, target, &released_there, NULL));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == target)
    KIT_OK(cw_memory_handle_release(handle));
  KIT_OK(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "completion");
  kit_hang_guard();
  kit_need_threads();
  target = kit_processes() - 1;
  void *mine = kit_make_region(BYTES, &region, &at);
  there = at[target];
  make_views(region);
  test_notify(mine);
  char *data = calloc(1, BYTES);
  if (kit_me() == 0) {
    test_many();
    test_order(kit_rounds(NULL, 60));
    test_rejected_among(data);
    test_rejected_puts(data);
    test_threads();
  }
  KIT_OK(cw_barrier(cw_team_world()));
  free(data);
  KIT_OK(cw_view_free(&released_threaded));
  KIT_OK(cw_view_free(&released));
  KIT_OK(cw_view_free(&threaded));
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
  return kit_finish_native();
}

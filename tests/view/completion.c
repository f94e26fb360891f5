/* Completion where something is refused, much is outstanding, or two scopes meet: who waits hears
 * of its own operations, and of all of them. Process 0 acts on the last process, which releases a
 * handle before. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 22, PAGE = 4096, REQUESTS = 17000 };

static cw_view plain, threaded, gone, gone_threaded;
static char *there;
static void *gone_there;
static int target;

/* A plain notification tells of what the thread has put for itself, too. */
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

static void test_refused_among(char *got)
{
  int64_t value = 0;
  cw_handle handle = {0}, other = {0};
  bool complete = false;
  kit_about("a handle with a get, and with some that are refused");
  memset(got, 7, BYTES);
  const cw_error first = cw_view_rget(gone, &value, gone_there, sizeof value, target, &handle);
  /* Where it takes another route, it waits for the one before, and hears of it: once. */
  if (cw_view_rget(plain, got, there, BYTES, target, &handle) != CW_OK)
    KIT_OK(cw_view_rget(plain, got, there, BYTES, target, &handle));
  const cw_error last = cw_view_rget(gone, &value, gone_there, sizeof value, target, &handle);
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

/* Short and long puts that are refused: the wait for their remote completion tells, at the latest.
 */
static void test_refused_puts(const char *data)
{
  for (size_t bytes = 64; bytes <= BYTES; bytes *= 256) {
    cw_handle handle = {0};
    kit_about("a put of %zu bytes to released memory", bytes);
    const cw_error started = cw_view_rrput(gone, data, gone_there, bytes, target, &handle);
    const cw_error waited = cw_wait(&handle);
    kit_check(started == CW_MISUSE || waited == CW_MISUSE, "errors %d and %d", (int)started,
              (int)waited);
    KIT_OK(cw_view_flush(gone, target));
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

/* The thread whose put was refused hears of it, and no other. */
static void test_threads(void)
{
  const int64_t one = 1;
  pthread_t thread;
  cw_handle handle = {0};
  kit_about("threads, of which one has put to released memory");
  cw_error error = cw_view_put(gone_threaded, &one, gone_there, sizeof one, target);
  if (error == CW_OK)
    error = cw_view_rput(gone_threaded, &one, gone_there, sizeof one, target, &handle);
  pthread_create(&thread, NULL, put_well, NULL);
  pthread_join(thread, NULL);
  kit_check(other_flush == CW_OK, "the other thread's flush: error %d", (int)other_flush);
  const cw_error flushed = cw_view_flush(gone_threaded, target);
  kit_check(error == CW_MISUSE || flushed == CW_MISUSE, "errors %d and %d", (int)error,
            (int)flushed);
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
  KIT_MUST(cw_view_from_memory(handle, &gone));
  KIT_MUST(cw_view_dup(gone, &settings, &gone_threaded));
  KIT_OK(cw_view_address(gone, target, &gone_there, NULL));
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
    test_refused_among(data);
    test_refused_puts(data);
    test_threads();
  }
  KIT_OK(cw_barrier(cw_team_world()));
  free(data);
  KIT_OK(cw_view_free(&gone_threaded));
  KIT_OK(cw_view_free(&gone));
  KIT_OK(cw_view_free(&threaded));
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
  return kit_finish_native();
}

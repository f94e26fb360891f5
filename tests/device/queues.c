/* Tests queues of a back end: order, events, threads. */
#include "device/backends.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_BYTES = 32 << 20 };

static struct cwi_device_rows whole(void *memory, void *host, size_t bytes)
{
  return (struct cwi_device_rows){.run = bytes, .rows = 1, .host = host, .memory = memory};
}

/* Order in one queue: a long write, then a kernel that overwrites it, then reads. */
static void test_order_within(void *memory, char *host)
{
  kit_about("order within a queue");
  char small[64], got[64], after[64];
  for (int queue = 0; queue < CWI_DEVICE_QUEUES; queue++) {
    const enum cwi_device_queue one = (enum cwi_device_queue)queue;
    backends_random(small, sizeof small);
    struct cwi_device_rows rows = whole(memory, host, LONG_BYTES);
    memset(host, 17 + queue, LONG_BYTES);
    KIT_OK(back->write(device, one, &rows));
    rows = whole(memory, got, sizeof got);
    rows.offset = LONG_BYTES - sizeof got;
    KIT_OK(back->read(device, one, &rows));
    rows.host = small;
    KIT_OK(back->write(device, one, &rows));
    rows.host = after;
    KIT_OK(back->read(device, one, &rows));
    backends_finish(one);
    kit_check_bytes(got, host, sizeof got, "the end of the long write");
    kit_check_bytes(after, small, sizeof small, "what was written after it");
  }
}

/* Order between queues: commands after `order` see the end of a long write; repeated in a circle.
 * */
static void test_order_between(void *memory, char *host, char *back_again)
{
  kit_about("order between queues");
  for (int round = 0; round < 9; round++) {
    const enum cwi_device_queue first = (enum cwi_device_queue)(round % 3),
                                second = (enum cwi_device_queue)((round + 1 + round / 5) % 3),
                                third = (enum cwi_device_queue)(3 - (int)first - (int)second);
    if (first == second)
      continue;
    memset(host, 40 + round, LONG_BYTES);
    memset(back_again, 0, LONG_BYTES);
    const struct cwi_device_rows in = whole(memory, host, LONG_BYTES),
                                 out = whole(memory, back_again, LONG_BYTES);
    KIT_OK(back->write(device, first, &in));
    KIT_OK(back->order(device, second, first));
    KIT_OK(back->copy(device, second,
                      &(struct cwi_device_copy){.run = LONG_BYTES / 2,
                                                .rows = 1,
                                                .from = memory,
                                                .to = memory,
                                                .from_offset = LONG_BYTES / 2}));
    KIT_OK(back->order(device, third, second));
    KIT_OK(back->read(device, third, &out));
    backends_finish(third);
    kit_check_bytes(back_again, host, LONG_BYTES, "what came through three queues");
    backends_finish(first);
    backends_finish(second);
  }
}

/* Order of a queue after itself, and after empty queues. */
static void test_order_empty(void)
{
  kit_about("order of empty queues");
  for (int later = 0; later < CWI_DEVICE_QUEUES; later++)
    for (int earlier = 0; earlier < CWI_DEVICE_QUEUES; earlier++)
      KIT_OK(back->order(device, (enum cwi_device_queue)later, (enum cwi_device_queue)earlier));
  for (int queue = 0; queue < CWI_DEVICE_QUEUES; queue++)
    backends_finish((enum cwi_device_queue)queue);
}

static void test_events(void *memory, char *host)
{
  kit_about("marks");
  void *before = NULL, *behind = NULL;
  bool passed = false;
  const struct cwi_device_rows rows = whole(memory, host, LONG_BYTES);
  KIT_MUST(back->event(device, CWI_QUEUE_IN, &before));
  KIT_OK(back->write(device, CWI_QUEUE_IN, &rows));
  KIT_MUST(back->event(device, CWI_QUEUE_IN, &behind));
  KIT_OK(back->wait(device, behind));
  KIT_OK(back->wait(device, behind));
  KIT_OK(back->passed(device, behind, &passed));
  kit_check(passed, "a event that was waited for is not passed");
  KIT_OK(back->passed(device, before, &passed));
  kit_check(passed, "a event before one that is passed is not");
  back->forget(device, behind);
  back->forget(device, before);

  /* Waits by polling alone. */
  memset(host, 3, LONG_BYTES);
  KIT_OK(back->write(device, CWI_QUEUE_IN, &rows));
  KIT_MUST(back->event(device, CWI_QUEUE_IN, &behind));
  for (passed = false; !passed;)
    KIT_OK(back->passed(device, behind, &passed));
  back->forget(device, behind);
  char got[16];
  backends_read(memory, LONG_BYTES - sizeof got, got, sizeof got);
  kit_check_bytes(got, host, sizeof got, "written before a event that is passed");
}

/* --- Threads ---------------------------------------------------------------------------------- */

enum { THREADS = 4, PART = 4096, PASSES = 150 };

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* the lock that a back end's caller holds */
static void *shared;

static void finish_locked(enum cwi_device_queue queue)
{
  void *event = NULL;
  pthread_mutex_lock(&lock);
  KIT_MUST(back->event(device, queue, &event));
  pthread_mutex_unlock(&lock);
  KIT_OK(back->wait(device, event));
  pthread_mutex_lock(&lock);
  back->forget(device, event);
  pthread_mutex_unlock(&lock);
}

/* Each thread has a part of the memory: it writes, reads through another queue, and compares. */
static void *thread_run(void *given)
{
  const int number = *(int *)given;
  unsigned char mine[PART], got[PART];
  for (int pass = 0; pass < PASSES; pass++) {
    const size_t bytes = 1 + (size_t)(pass * 911 + number * 97) % PART;
    memset(mine, pass + 50 * number, sizeof mine);
    memset(got, 0, sizeof got);
    struct cwi_device_rows rows = whole(shared, mine, bytes);
    rows.offset = (size_t)number * PART;
    const enum cwi_device_queue in = (enum cwi_device_queue)(pass % CWI_DEVICE_QUEUES),
                                out = (enum cwi_device_queue)((pass / 3) % CWI_DEVICE_QUEUES);
    pthread_mutex_lock(&lock);
    KIT_OK(back->write(device, in, &rows));
    pthread_mutex_unlock(&lock);
    rows.host = (char *)got;
    pthread_mutex_lock(&lock);
    KIT_OK(back->order(device, out, in));
    KIT_OK(back->read(device, out, &rows));
    pthread_mutex_unlock(&lock);
    finish_locked(out);
    kit_check(memcmp(got, mine, bytes) == 0, "thread %d, turn %d: other bytes", number, pass);
    finish_locked(in);
  }
  return NULL;
}

static void test_threads(void)
{
  kit_about("queues used by several threads");
  pthread_t threads[THREADS];
  int numbers[THREADS];
  KIT_MUST(back->allocate(device, (size_t)THREADS * PART, &shared));
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    kit_check(pthread_create(&threads[i], NULL, thread_run, &numbers[i]) == 0, "pthread_create");
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  back->release(device, shared);
}

/* Buffers that are used repeatedly may be registered. */
static void test_pinned(void *memory)
{
  enum { BYTES = 1 << 20 };
  kit_about("pinned memory");
  char *host = kit_alloc(BYTES, 1), *got = kit_alloc(BYTES, 1);
  backends_random(host, BYTES);
  if (back->pin != NULL)
    KIT_OK(back->pin(device, host, BYTES));
  backends_write(memory, 0, host, BYTES);
  if (back->unpin != NULL)
    back->unpin(device, host);
  backends_read(memory, 0, got, BYTES);
  kit_check_bytes(got, host, BYTES, "what was written from pinned memory");
  free(host);
  free(got);
}

void test_queues(void)
{
  void *memory = NULL;
  char *host = kit_alloc(LONG_BYTES, 1), *other = kit_alloc(LONG_BYTES, 1);
  KIT_MUST(back->allocate(device, LONG_BYTES, &memory));
  test_order_within(memory, host);
  test_order_between(memory, host, other);
  test_order_empty();
  test_events(memory, host);
  test_threads();
  test_pinned(memory);
  back->release(device, memory);
  free(host);
  free(other);
}

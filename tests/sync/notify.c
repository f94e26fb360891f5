/* Notifications: a process that has seen the counter advance sees the data that was sent before,
 * of any size and by any kind of call. Each process sends to the next one, several rounds without
 * other synchronisation. */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 18, SLOTS = 2, ROWS = 50 };

struct slice {
  int64_t ready; /* rounds that this process has received */
  int64_t taken; /* rounds of this process that the next one has read */
  int64_t data[SLOTS][WORDS];
};

static int64_t word(int from, int round, size_t i)
{
  return (int64_t)from << 40 | (int64_t)round << 20 | (int64_t)i;
}

static void send_words(int64_t *to, const int64_t *from, size_t words, int way, int process)
{
  const size_t counts[1] = {ROWS};
  const ptrdiff_t strides[1] = {(ptrdiff_t)(words / ROWS * sizeof *from)};
  cw_transfer transfer = cw_contiguous(CW_PUT, (void *)(uintptr_t)from, to, words * 8, process);
  if (way == 1 && words >= ROWS) { /* rows, and the words that fill no row */
    transfer.bytes = words / ROWS * 8;
    transfer.levels = 1;
    transfer.counts = counts;
    transfer.local_strides = transfer.remote_strides = strides;
    KIT_OK(cw_transfer_start(&transfer, NULL));
    const size_t done = words / ROWS * ROWS;
    transfer = cw_contiguous(CW_PUT, (void *)(uintptr_t)(from + done), to + done,
                             (words - done) * 8, process);
  }
  if (way == 2)
    KIT_OK(cw_put(from, to, words * 8, process));
  else
    KIT_OK(cw_transfer_start(&transfer, NULL));
}

static void check_words(const int64_t *got, int from, int round, size_t words)
{
  size_t wrong = 0;
  for (size_t i = 0; i < words; i++)
    wrong += got[i] != word(from, round, i);
  kit_check(wrong == 0, "round %d: %zu of %zu words from %d are not there yet", round, wrong, words,
            from);
}

static void run(int rounds)
{
  static const size_t sizes[] = {1, 60, 700, 9000, WORDS};
  const int me = cw_process(), all = cw_processes();
  const int next = (me + 1) % all, last = (me + all - 1) % all;
  cw_region region = NULL;
  void **at = kit_alloc((size_t)all, sizeof(void *));
  int64_t *words = kit_alloc(SLOTS * WORDS, sizeof *words);
  KIT_MUST(cw_region_create(cw_team_world(), sizeof(struct slice), &region, at));
  struct slice *mine = at[me], *there = at[next], *before = at[last];
  memset(mine, 0, sizeof *mine);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int round = 1; round <= rounds; round++) {
    const size_t count = sizes[round % 5];
    int64_t *from = words + (size_t)(round % SLOTS) * WORDS;
    int64_t seen = 0, ready_count = 0;
    /* the slot and the buffer are free when the data of the previous round in it has been read */
    KIT_OK(cw_notify_wait(&mine->taken, round - SLOTS, NULL));
    for (size_t i = 0; i < count; i++)
      from[i] = word(me, round, i);
    send_words(there->data[round % SLOTS], from, count, round % 3, next);
    KIT_OK(cw_notify(&there->ready, 1, next));
    /* the next operation of this process there comes after it */
    KIT_OK(cw_get(&ready_count, &there->ready, sizeof ready_count, next));
    kit_check(ready_count == round, "round %d: I have told %ld", round, (long)ready_count);
    KIT_OK(cw_notify_wait(&mine->ready, round, &seen));
    kit_check(seen >= round && seen <= round + SLOTS, "round %d: the counter is %ld", round,
              (long)seen);
    check_words(mine->data[round % SLOTS], last, round, count);
    KIT_OK(cw_notify(&before->taken, 1, last));
    KIT_OK(cw_wait_all());
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  int64_t outside = 0;
  KIT_MISUSE("cw_notify|process is", cw_notify(&there->ready, 1, all));
  KIT_MISUSE("cw_notify|multiple of 8", cw_notify((int64_t *)(void *)((char *)there + 4), 1, next));
  KIT_MISUSE("cw_notify|lies in no slice", cw_notify(&outside, 1, next));
  KIT_MISUSE("cw_notify_wait|NULL", cw_notify_wait(NULL, 1, NULL));
  KIT_MUST(cw_region_free(NULL, &region));
  free(at);
  free(words);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "notify");
  run(argc > 1 ? atoi(argv[1]) : 100);
  return kit_finish_native();
}

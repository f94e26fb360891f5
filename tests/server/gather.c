/* Updates that share packets: they arrive although their process computes, in order for every
 * sender, from several processes and threads of a node at once, and none is left at the end.
 *
 *   gather off      with CW_GATHER=0, where each leaves at once
 *   gather scarce   a server that has taken a credit often has no memory for the message */
#include "kit/native.h"

#include "execution/request_buffer.h"
#include "link/link.h"
#include "team/world.h"

#include <base/settings.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static cw_region region;
static void **at; /* [processes] */

/* --- A server that cannot send ---------------------------------------------------------------- */

static bool scarce;
static long denied; /* messages for which a credit was taken and returned */

bool __real_cwi_forward_copy(int link, const void *message, size_t bytes);
bool __wrap_cwi_forward_copy(int link, const void *message, size_t bytes);

bool __wrap_cwi_forward_copy(int link, const void *message, size_t bytes)
{
  static unsigned requested;
  if (scarce && requested++ % 2 == 0) {
    __atomic_fetch_add(&denied, 1, __ATOMIC_RELAXED);
    return false;
  }
  return __real_cwi_forward_copy(link, message, bytes);
}

/* Computes without a call of Causeway or MPI. */
static void compute(double microseconds)
{
  const double end = MPI_Wtime() + microseconds * 1e-6;
  while (MPI_Wtime() < end)
    continue;
}

static void await_word(const int64_t *word, int64_t least)
{
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
    continue;
}

/* --- Arrival ---------------------------------------------------------------------------------- */

/* Rows of puts and accumulates; then the process computes until the last of its predecessor's row
 * has arrived. No process calls anything: if the servers did not send delayed updates, all would
 * wait for ever (the hang guard would end the test). */
static void check_arrival(void)
{
  enum { ROWS = 60, WORDS = 3000, LAST = WORDS };
  int64_t *mine = kit_make_region((WORDS + 1) * sizeof *mine, &region, &at);
  const int all = cw_processes(), next = (cw_process() + 1) % all;
  int64_t *there = at[next], *words = kit_alloc(WORDS, sizeof *words);
  const long one = 1;
  kit_about("the last of a row");
  for (int64_t row = 1; row <= ROWS; row++) {
    const size_t updates = 1 + (size_t)kit_common(row % 2 == 0 ? 400 : 6);
    const size_t each = 1 + (size_t)kit_common(row % 5 == 0 ? WORDS : 40);
    for (size_t i = 0; i < each; i++)
      words[i] = row;
    for (size_t i = 0; i < updates; i++)
      KIT_OK(cw_put(words, there, each * sizeof *words, next));
    KIT_OK(cw_accumulate(CW_LONG, NULL, &one, &there[LAST], sizeof one, next));
    await_word(&mine[LAST], row);
    kit_check(mine[0] == row && mine[each - 1] == row, "row %ld: the puts before its last update",
              (long)row);
    kit_barrier(); /* otherwise the next row would come too early */
  }
  free(words);
  kit_free_region(&region, at);
}

/* A million calls are not a million messages. */
static void check_company(bool gathers)
{
  enum { UPDATES = 20000 };
  double *mine = kit_make_region(4 * sizeof *mine, &region, &at);
  const int all = cw_processes(), next = (cw_process() + 1) % all;
  const double one = 1;
  double *there = at[next];
  kit_about("many updates");
  kit_barrier();
  const uint64_t before = cwi_served().messages;
  kit_barrier();
  for (int i = 0; i < UPDATES; i++)
    KIT_OK(cw_accumulate(CW_DOUBLE, NULL, &one, &there[i % 4], sizeof one, next));
  KIT_OK(cw_fence(next));
  kit_barrier();
  const uint64_t received = cwi_served().messages - before;
  kit_check(mine[0] + mine[1] + mine[2] + mine[3] == UPDATES, "the sum");
  const bool hosts = cwi_settings.server != CWI_SERVER_RANK && cw_nodes() == all;
  if (hosts && gathers)
    kit_check(received < UPDATES / 3, "%lu messages for %d updates", (unsigned long)received,
              UPDATES);
  if (hosts && !gathers)
    kit_check(received >= UPDATES, "%lu messages for %d updates", (unsigned long)received, UPDATES);
  kit_free_region(&region, at);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* A request that immediately follows the server's message: from another sender, and shorter. */
static void check_change_of_hands(void)
{
  enum { TRIES = 100, WORDS = 1500 };
  kit_make_region((size_t)cw_processes() * WORDS * sizeof(int64_t), &region, &at);
  const int all = cw_processes(), opposite = (cw_process() + all / 2) % all;
  int64_t *there = (int64_t *)at[opposite] + (size_t)cw_process() * WORDS;
  int64_t *words = kit_alloc(WORDS, sizeof *words);
  kit_about("a question behind what the server has sent");
  long wrong = 0;
  for (int64_t try = 1; try <= TRIES; try++) {
    int64_t before = 0;
    for (size_t i = 0; i < WORDS; i++)
      words[i] = 10 * try;
    for (int i = 0; i < 3; i++)
      KIT_OK(cw_put(words, there, sizeof *words, opposite));
    KIT_OK(cw_put(words, there, WORDS * sizeof *words, opposite));
    compute(kit_own(400));
    KIT_OK(cw_fetch_add_int64(&there[WORDS - 1], 1, opposite, &before));
    wrong += before != 10 * try;
  }
  kit_check_long(wrong, 0, "questions that have overtaken a put");
  free(words);
  kit_free_region(&region, at);
}

enum { WORDS = 600, MOST_THREADS = 3 };

struct part {
  int64_t words[WORDS];
  int64_t notified;
};

/* One thread's part of every process, and its expected contents. */
struct worker {
  int number, steps;
  uint64_t random;
  struct part *model; /* [processes] */
  long wrong;
};

static uint32_t draw(struct worker *worker, uint32_t count)
{
  return (uint32_t)kit_random(&worker->random, (int)count);
}

static struct part *part_at(const struct worker *worker, int process)
{
  struct part *parts = at[process];
  return &parts[cw_process() * MOST_THREADS + worker->number];
}

static void note(struct worker *worker, bool right)
{
  worker->wrong += !right;
}

static void update(struct worker *worker, int process, size_t first, size_t count)
{
  int64_t values[WORDS];
  int64_t *model = worker->model[process].words + first;
  int64_t *there = part_at(worker, process)->words + first;
  const bool adds = draw(worker, 2) == 0;
  for (size_t i = 0; i < count; i++) {
    values[i] = (int64_t)draw(worker, 1000000);
    model[i] = adds ? model[i] + values[i] : values[i];
  }
  const size_t bytes = count * sizeof *values;
  note(worker, (adds ? cw_accumulate(CW_LONG, NULL, values, there, bytes, process)
                     : cw_put(values, there, bytes, process)) == CW_OK);
}

/* A get must see all earlier updates. */
static void send_request(struct worker *worker, int process, size_t first, size_t count)
{
  int64_t values[WORDS], before = 0;
  struct part *model = &worker->model[process], *there = part_at(worker, process);
  switch (draw(worker, 6)) {
  case 0:
    note(worker, cw_fetch_add_int64(&there->words[first], 5, process, &before) == CW_OK);
    note(worker, before == model->words[first]);
    model->words[first] += 5;
    break;
  case 1:
    note(worker, cw_notify(&there->notified, 1, process) == CW_OK);
    model->notified++;
    break;
  case 2:
    note(worker, cw_fence(process) == CW_OK);
    break;
  case 3:
    note(worker, cw_wait_all() == CW_OK);
    break;
  default:
    note(worker, cw_get(values, &there->words[first], count * sizeof *values, process) == CW_OK);
    note(worker, memcmp(values, &model->words[first], count * sizeof *values) == 0);
  }
}

static void *work(void *context)
{
  struct worker *worker = context;
  int process = 0;
  for (int step = 0; step < worker->steps; step++) {
    if (draw(worker, 4) == 0)
      process = (int)draw(worker, (uint32_t)cw_processes());
    const size_t count = 1 + draw(worker, draw(worker, 8) == 0 ? WORDS : 12);
    const size_t first = draw(worker, (uint32_t)(WORDS - count + 1));
    if (draw(worker, 12) == 0)
      send_request(worker, process, first, count);
    else
      update(worker, process, first, count);
    /* sometimes long enough for the server to send delayed updates */
    if (draw(worker, 20) == 0)
      compute(draw(worker, 150));
  }
  return context;
}

static void check_parts(const struct worker *worker)
{
  for (int process = 0; process < cw_processes(); process++) {
    struct part got;
    KIT_OK(cw_get(&got, part_at(worker, process), sizeof got, process));
    kit_check(memcmp(&got, &worker->model[process], sizeof got) == 0,
              "thread %d's part of process %d", worker->number, process);
  }
  kit_check_long(worker->wrong, 0, "wrong answers and calls");
}

static void check_order(int threads, int steps)
{
  struct worker workers[MOST_THREADS];
  pthread_t others[MOST_THREADS];
  const size_t all = (size_t)cw_processes();
  kit_make_region(all * MOST_THREADS * sizeof(struct part), &region, &at);
  kit_about("order, %d threads", threads);
  for (int i = 0; i < threads; i++)
    workers[i] = (struct worker){.number = i,
                                 .steps = steps,
                                 .random = (uint64_t)kit_own(1 << 30) + 1,
                                 .model = kit_alloc(all, sizeof(struct part))};
  for (int i = 1; i < threads; i++)
    kit_check(pthread_create(&others[i], NULL, work, &workers[i]) == 0, "a thread");
  work(&workers[0]);
  for (int i = 1; i < threads; i++)
    pthread_join(others[i], NULL);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < threads; i++) {
    check_parts(&workers[i]);
    free(workers[i].model);
  }
  kit_free_region(&region, at);
}

/* --- End -------------------------------------------------------------------------------------- */

/* The barrier of cw_finalize completes the remaining updates. */
static void leave_updates(void)
{
  const int64_t one = 1;
  kit_make_region(8 * sizeof one, &region, &at);
  for (int process = 0; process < cw_processes(); process++)
    for (int i = 0; i < 50; i++)
      KIT_OK(cw_put(&one, (int64_t *)at[process] + i % 8, sizeof one, process));
  free(at);
}

int main(int argc, char **argv)
{
  setenv("CW_ROUTE", "server", 1); /* also where MPI's one-sided operations progress without help */
  kit_start_native(&argc, &argv, "gather");
  kit_hang_guard();
  if (cw_nodes() == 1)
    kit_skip("one node has no server");
  const bool gathers = argc < 2 || strcmp(argv[1], "off") != 0;
  scarce = argc > 1 && strcmp(argv[1], "scarce") == 0;
  if (!scarce) /* no process returns the credit that it has offered */
    check_arrival();
  check_company(gathers);
  check_change_of_hands();
  check_order(1, 12000 / cw_processes());
  check_order(MOST_THREADS, 3000 / cw_processes());
  leave_updates();
  if (scarce) /* were one of these credits lost, the server would wait for it at the end */
    kit_check(__atomic_load_n(&denied, __ATOMIC_RELAXED) > 0, "no credit was given back unused");
  return kit_finish_native();
}

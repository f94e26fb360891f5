/* Atomic updates by several threads of every process on the same elements: different operations on
 * one word, each of which leaves a trace that the others do not erase.
 *   updates_together [rounds] */
#include "kit/native.h"
#include "route/route.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Most updates are of the first words. All words are so many that MPI does not split an operation
 * on them. */
enum { THREADS = 4, CONTENDED = 2, WORDS = 40, FIELD = WORDS * 16 };

/* Integers: bits 0 and 1 are toggled, bit 2 is set, and the bits above are a counter that wraps. */
enum { TOGGLED = 3, SET = 4, UNIT = 8 };

struct kind {
  cw_type type;
  size_t bytes;
  bool real;
  int parts; /* of a complex number */
};

static const struct kind kinds[] = {
    {CW_INT8, 1, false, 1},   {CW_UINT8, 1, false, 1},        {CW_INT16, 2, false, 1},
    {CW_UINT16, 2, false, 1}, {CW_INT32, 4, false, 1},        {CW_UINT32, 4, false, 1},
    {CW_INT64, 8, false, 1},  {CW_UINT64, 8, false, 1},       {CW_FLOAT, 4, true, 1},
    {CW_DOUBLE, 8, true, 1},  {CW_FLOAT_COMPLEX, 8, true, 2}, {CW_DOUBLE_COMPLEX, 16, true, 2}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The amounts that this thread has added to each word, and the bits that it has toggled. */
struct worker {
  uint64_t random;
  int64_t added[WORDS];
  unsigned toggled[WORDS];
  int64_t least, most; /* of the values that it has passed to minimum and maximum */
  long steps;
  char message[256];
};

static char *elements; /* at `host`: WORDS elements, the least value at FIELD, and the greatest at 2
                        * FIELD */
static int host;
static enum { LOCK_FREE, LOCKED, MIXED, WAYS } way;
static const struct kind *kind;
static long rounds = 400;

static unsigned draw(struct worker *worker, unsigned count)
{
  return (unsigned)kit_random(&worker->random, (int)count);
}

static bool works(struct worker *worker, cw_error error)
{
  if (error != CW_OK && worker->message[0] == '\0')
    snprintf(worker->message, sizeof worker->message, "%s", cw_error_message());
  return error == CW_OK;
}

/* Stores a number as one element. */
static void encode(int64_t number, void *to)
{
  const float few[2] = {(float)number, 0};
  const double wide[2] = {(double)number, 0};
  if (!kind->real)
    memcpy(to, &number, kind->bytes);
  else
    memcpy(to, kind->bytes == (size_t)kind->parts * sizeof(float) ? (const void *)few : wide,
           kind->bytes);
}

static int64_t decode(const void *from)
{
  float few[2];
  double wide[2];
  int64_t number = 0;
  if (!kind->real) {
    memcpy(&number, from, kind->bytes);
    return number;
  }
  if (kind->bytes == (size_t)kind->parts * sizeof(float)) {
    memcpy(few, from, kind->bytes);
    return (int64_t)few[0];
  }
  memcpy(wide, from, kind->bytes);
  return (int64_t)wide[0];
}

static cw_error update(int operation, const void *operands, const void *expected, size_t at,
                       size_t count, void *before)
{
  static _Thread_local unsigned calls;
  /* one element that is updated by lock is atomic against both */
  const bool locked = way == LOCKED || (way == MIXED && count == 1 && ++calls % 2 == 0);
  struct cwi_update given = {.operation = operation,
                             .type = kind->type,
                             .locked = locked,
                             .process = host,
                             .remote = elements + at,
                             .count = count,
                             .local = operands,
                             .before = before};
  if (count == 1)
    memcpy(given.operand.bytes, operands, kind->bytes);
  if (expected != NULL)
    memcpy(given.expected.bytes, expected, kind->bytes);
  return cwi_start_update(&given, true, NULL);
}

static bool add_one(struct worker *worker, size_t word)
{
  char operand[16], before[16];
  encode(UNIT, operand);
  worker->added[word] += UNIT;
  return works(worker, update(CW_SUM, operand, NULL, word * kind->bytes, 1, before));
}

static bool add_all(struct worker *worker, bool fetches)
{
  char operands[WORDS * 16], before[WORDS * 16];
  for (size_t word = 0; word < WORDS; word++) {
    encode(UNIT, operands + word * kind->bytes);
    worker->added[word] += UNIT;
  }
  return works(worker, update(CW_SUM, operands, NULL, 0, WORDS, fetches ? before : NULL));
}

/* Updates without fetching. */
static bool accumulate(struct worker *worker)
{
  char operands[WORDS * 16];
  cw_transfer sum = cw_contiguous(CW_ACCUMULATE, operands, elements, WORDS * kind->bytes, host);
  sum.type = kind->type;
  sum.lock_free = way != LOCKED;
  for (size_t word = 0; word < WORDS; word++) {
    encode(UNIT, operands + word * kind->bytes);
    worker->added[word] += UNIT;
  }
  return works(worker, cw_transfer_run(&sum));
}

/* Adds by compare-and-swap. */
static bool swap_in(struct worker *worker, size_t word)
{
  char seen[16], wanted[16], found[16] = {0};
  if (!works(worker, update(CW_NO_OP, found, NULL, word * kind->bytes, 1, found)))
    return false;
  do {
    memcpy(seen, found, kind->bytes);
    encode(decode(seen) + UNIT, wanted);
    if (kind->parts == 2) /* the imaginary part stays unchanged */
      memcpy(wanted + kind->bytes / 2, seen + kind->bytes / 2, kind->bytes / 2);
    if (!works(worker, update(CWI_COMPARE_SWAP, wanted, seen, word * kind->bytes, 1, found)))
      return false;
  } while (memcmp(found, seen, kind->bytes) != 0);
  worker->added[word] += UNIT;
  return true;
}

static bool toggle(struct worker *worker, size_t word)
{
  char operand[16], before[16];
  const unsigned bits = 1 + draw(worker, TOGGLED);
  encode((int64_t)bits, operand);
  worker->toggled[word] ^= bits;
  return works(worker, update(CW_BIT_XOR, operand, NULL, word * kind->bytes, 1, before));
}

static bool set(struct worker *worker, size_t word)
{
  char operand[16], before[16];
  encode(SET, operand);
  return works(worker, update(CW_BIT_OR, operand, NULL, word * kind->bytes, 1, before));
}

static bool limit(struct worker *worker)
{
  const int64_t number = (int64_t)draw(worker, 127);
  char operand[16], before[16];
  encode(number, operand);
  worker->least = number < worker->least ? number : worker->least;
  worker->most = number > worker->most ? number : worker->most;
  return works(worker, update(CW_MINIMUM, operand, NULL, FIELD, 1, before)) &&
         works(worker, update(CW_MAXIMUM, operand, NULL, 2 * FIELD, 1, before));
}

/* MPI has no compare-and-swap of 16 bytes, and Open MPI none of 8 bytes that is atomic with
 * accumulates of real numbers. */
static bool may_swap(void)
{
  const size_t least = way == LOCKED && kind->real ? 8 : 16;
  return kind->bytes < least || cwi_ready.atomics || kit_processes() == 1;
}

static bool step(struct worker *worker)
{
  const size_t word = draw(worker, CONTENDED);
  switch (draw(worker, 8)) {
  case 0:
    return add_all(worker, true);
  case 1:
    return add_all(worker, false);
  case 2:
    return accumulate(worker);
  case 3:
    return may_swap() ? swap_in(worker, word) : add_one(worker, word);
  case 4:
    return kind->real ? add_one(worker, word) : toggle(worker, word);
  case 5:
    return kind->real ? add_one(worker, word) : set(worker, word);
  case 6:
    return kind->parts == 1 ? limit(worker) : add_one(worker, word);
  default:
    return add_one(worker, word);
  }
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  while (worker->steps < rounds && step(worker))
    worker->steps++;
  return NULL;
}

static void reset(void)
{
  char none[3 * FIELD] = {0}, large[16];
  encode(127, large);
  memcpy(none + FIELD, large, kind->bytes);
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == host)
    KIT_OK(cw_put(none, elements, sizeof none, host));
  KIT_OK(cw_barrier(cw_team_world()));
}

/* Reduces over all processes. */
static int64_t all_of(int64_t mine, MPI_Op op)
{
  int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, op, kit_comm());
  return all;
}

static void check_words(const struct worker *workers)
{
  char seen[3 * FIELD];
  const uint64_t mask = kind->bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * kind->bytes) - 1;
  KIT_OK(cw_get(seen, elements, sizeof seen, host));
  for (size_t word = 0; word < WORDS; word++) {
    int64_t added = 0, toggled = 0;
    for (int t = 0; t < THREADS; t++) {
      added += workers[t].added[word];
      toggled ^= workers[t].toggled[word];
    }
    added = all_of(added, MPI_SUM);
    toggled = all_of(toggled, MPI_BXOR);
    const int64_t number = decode(seen + word * kind->bytes);
    if (kind->real)
      kit_check_long(number, added, "the sum");
    else /* whether a bit was ever set is not recorded */
      kit_check_long((int64_t)(((uint64_t)number & ~(uint64_t)SET) & mask),
                     (int64_t)((uint64_t)(added + toggled) & mask), "the word");
  }
  int64_t least = 127, most = 0;
  for (int t = 0; t < THREADS; t++) {
    least = workers[t].least < least ? workers[t].least : least;
    most = workers[t].most > most ? workers[t].most : most;
  }
  least = all_of(least, MPI_MIN);
  most = all_of(most, MPI_MAX);
  kit_check_long(decode(seen + FIELD), least, "the least");
  kit_check_long(decode(seen + 2 * FIELD), most, "the most");
}

static void test(void)
{
  pthread_t threads[THREADS];
  struct worker workers[THREADS];
  static const char *const ways[] = {"lock-free", "locked", "in both ways"};
  kit_about("type %d, %s, at process %d", (int)kind->type, ways[way], host);
  reset();
  for (int t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){.random = (uint64_t)(kit_own(1 << 30) + t), .least = 127};
    pthread_create(&threads[t], NULL, work, &workers[t]);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    kit_check(workers[t].steps == rounds, "thread %d stopped after %ld of %ld rounds: %s", t,
              workers[t].steps, rounds, workers[t].message);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  check_words(workers);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "updates_together");
  kit_hang_guard();
  kit_need_threads();
  rounds = kit_rounds(argc > 1 ? argv[1] : NULL, rounds);
  kit_make_region(4 * FIELD, &region, &at);
  for (int last = 0; last < 2; last++)
    for (int i = 0; i < WAYS * KINDS; i++) {
      kind = &kinds[i / WAYS];
      way = i % WAYS;
      host = last ? kit_processes() - 1 : 0;
      elements = at[host];
      if (way != MIXED || cwi_ready.atomics) /* through MPI there is one kind of updates */
        test();
    }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
  return kit_finish_native();
}

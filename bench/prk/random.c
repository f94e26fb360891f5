/* The kernels random and random-exact: the definition. */
#include "random.h"

#include <stdlib.h>

/* Returns word `number` of the stream: x to the power of it, by repeated squaring. Word 0 is 1. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
  uint64_t product = 0;
  for (; b != 0; b >>= 1, a = table_next(a))
    product ^= (b & 1) != 0 ? a : 0;
  return product;
}

static uint64_t word_at(uint64_t number)
{
  uint64_t word = 1;
  for (uint64_t square = 2; number != 0; number >>= 1, square = multiply(square, square))
    word = (number & 1) != 0 ? multiply(word, square) : word;
  return word;
}

static struct span part_of(const struct table *table, int process)
{
  return span_of((int64_t)1 << table->bits, table->state.problem->processes, process);
}

static const char *random_reject(const struct problem *problem)
{
  return (int64_t)1 << problem->sizes[0] >= problem->processes ? NULL
                                                               : "has fewer words than processes";
}

static size_t random_measure(void *state)
{
  struct table *table = state;
  const struct problem *problem = table->state.problem;
  table->bits = (int)problem->sizes[0];
  table->updates = problem->sizes[1] << table->bits;
  table->share = span_of(table->updates, problem->processes, problem->process);
  table->start = word_at((uint64_t)table->share.first);
  table->part = part_of(table, problem->process);
  return (size_t)table->part.count * sizeof(uint64_t);
}

static void random_place(void *state)
{
  struct table *table = state;
  const struct memory *memory = &table->state.memory;
  const int processes = table->state.problem->processes;
  table->words = (uint64_t *)(void *)memory->mine;
  table->bases = allocate((size_t)processes * sizeof(uint64_t *));
  table->whole = true;
  for (int i = 0; i < processes; i++) {
    void *address = memory_address(memory, i);
    table->whole = table->whole && address != NULL;
    if (address != NULL)
      table->bases[i] = (uint64_t *)address - part_of(table, i).first;
  }
}

static void random_release(void *state)
{
  struct table *table = state;
  free(table->bases);
}

static void random_reset(void *state)
{
  const struct table *table = state;
  for (int64_t i = 0; i < table->part.count; i++)
    table->words[i] = (uint64_t)(table->part.first + i);
}

/* Each iteration makes the same updates, so two of them restore the table. Verification follows
 * after one iteration more than a multiple of two; it applies the updates once more, each process
 * to its own words. Missing updates then show. */
static double random_check(void *state)
{
  const struct table *table = state;
  double errors = 0;
  uint64_t word = 1;
  for (int64_t i = 0; i < table->updates; i++) {
    word = table_next(word);
    const int64_t number = (int64_t)table_index(table, word) - table->part.first;
    if (number >= 0 && number < table->part.count)
      table->words[number] ^= word;
  }
  for (int64_t i = 0; i < table->part.count; i++)
    errors += table->words[i] != (uint64_t)(table->part.first + i);
  return errors;
}

static void random_spoil(void *state)
{
  const struct table *table = state;
  for (int64_t i = 0; i < table->part.count; i += 16)
    table->words[i] ^= 1;
}

static double random_work(const struct problem *problem)
{
  return (double)(problem->sizes[1] << problem->sizes[0]);
}

static double random_allow(const struct problem *problem)
{
  return 0.01 * (double)((int64_t)1 << problem->sizes[0]);
}

const struct kernel random_kernel = {
    .name = "random",
    .what = "random updates of a table of 2^bits words, ratio updates a word; 1 % may be lost",
    .unit = "Mupdate/s",
    /* In a small table updates collide so often that more than 1 % may be lost: of 2^14 words in 72
     * of 400 runs of the side that uses shared memory, of 2^18 words in none. */
    .sizes = {{"bits", 22, 18, 2, 40}, {"ratio", 1, 1, 1, 1024}},
    .usual_iterations = 2,
    .small_iterations = 2,
    .multiple = 2,
    .state_bytes = sizeof(struct table),
    .reject = random_reject,
    .measure = random_measure,
    .place = random_place,
    .reset = random_reset,
    .check = random_check,
    .spoil = random_spoil,
    .release = random_release,
    .work = random_work,
    .allow = random_allow,
    .sides = {&random_causeway, &random_buckets, &random_shared, &random_buckets},
};

const struct kernel random_exact_kernel = {
    .name = "random-exact",
    .what = "the same, and none may be lost",
    .unit = "Mupdate/s",
    .sizes = {{"bits", 22, 10, 2, 40}, {"ratio", 1, 2, 1, 1024}},
    .usual_iterations = 2,
    .small_iterations = 2,
    .multiple = 2,
    .state_bytes = sizeof(struct table),
    .reject = random_reject,
    .measure = random_measure,
    .place = random_place,
    .reset = random_reset,
    .check = random_check,
    .spoil = random_spoil,
    .release = random_release,
    .work = random_work,
    .sides = {&random_buckets, &random_buckets, &random_exact_shared, &random_buckets},
};

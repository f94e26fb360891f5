/* The kernels random and random-exact with updates in buckets, as HPC Challenge allows. Each
 * process changes its own words, so no update is lost. By Causeway, and by MPI's two-sided and
 * one-sided calls. */
#include "random.h"

#include <stdlib.h>

/* A bucket may be filled again when its owner has emptied it. The owner acknowledges bucket n with
 * the bucket n + 2 that it sends, which this process has emptied before it fills bucket n again. */
enum { SLOTS = 4 };

/* Random words for one owner. Each word contains its own position. */
struct bucket {
  uint64_t *words;
  size_t count;
};

static void empty(const struct table *table, const uint64_t *words, size_t count)
{
  uint64_t *base = table->words - table->part.first;
  for (size_t i = 0; i < count; i++)
    base[table_index(table, words[i])] ^= words[i];
}

/* Sends the next `count` updates of this process after a word; makes own ones at once. Returns the
 * last word. */
static uint64_t send(struct table *table, uint64_t word, int64_t count)
{
  const int processes = table->state.problem->processes, me = table->state.problem->process;
  struct bucket buckets[processes];
  for (int i = 0; i < processes; i++)
    buckets[i] = (struct bucket){i != me ? mailbox_write(&table->mailbox, i) : table->operands, 0};
  for (int64_t i = 0; i < count; i++) {
    word = table_next(word);
    struct bucket *bucket = &buckets[table_owner(table, table_index(table, word))];
    bucket->words[bucket->count++] = word;
  }
  for (int i = 0; i < processes; i++)
    if (i != me)
      mailbox_send(&table->mailbox, i, buckets[i].count * sizeof(uint64_t));
  empty(table, buckets[me].words, buckets[me].count);
  return word;
}

static void receive(struct table *table)
{
  for (int i = 0; i < table->state.problem->processes; i++)
    if (i != table->state.problem->process) {
      size_t bytes = 0;
      const uint64_t *words = mailbox_read(&table->mailbox, i, &bytes);
      empty(table, words, bytes / sizeof(uint64_t));
    }
}

/* Buckets that arrive in a turn are waited for in the next turn, after this process has sent again.
 * */
static void buckets_iterate(struct table *table)
{
  const int64_t most = table->updates / table->state.problem->processes + 1;
  const int64_t passes = (most + LOOKAHEAD - 1) / LOOKAHEAD;
  uint64_t word = table->start;
  int64_t left = table->share.count;
  for (int64_t pass = 0; pass < passes; pass++) {
    const int64_t count = left < LOOKAHEAD ? left : LOOKAHEAD;
    word = send(table, word, count);
    left -= count;
    if (pass > 0)
      receive(table);
  }
  receive(table);
  mailbox_settle(&table->mailbox);
}

static void buckets_begin(void *state)
{
  struct table *table = state;
  const struct mailbox_terms terms = {.side = table->state.memory.side,
                                      .writing = WORD_BY_WORD,
                                      .slots = SLOTS,
                                      .bytes = LOOKAHEAD * sizeof(uint64_t)};
  mailbox_create(&terms, &table->mailbox);
  table->operands = allocate(LOOKAHEAD * sizeof(uint64_t));
}

static void buckets_end(void *state)
{
  struct table *table = state;
  mailbox_destroy(&table->mailbox);
  free(table->operands);
}

static void buckets_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    buckets_iterate(state);
}

/* Uses loads and stores if they reach all words; updates may then be lost. */
static void random_causeway_run(void *state, int iterations)
{
  const struct table *table = state;
  if (!table->whole) {
    buckets_run(state, iterations);
    return;
  }
  for (int i = 0; i < iterations; i++)
    random_store(table);
  CW_MUST(cw_barrier(cw_team_world()));
}

const struct side random_causeway = {buckets_begin, random_causeway_run, buckets_end};
const struct side random_buckets = {buckets_begin, buckets_run, buckets_end};

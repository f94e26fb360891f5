/* The kernels random and random-exact: the sides that change words wherever they lie. */
#include "random.h"

#include <stdlib.h>

/* --- Batches of updates ----------------------------------------------------------------------- */

/* The next updates of this process. */
struct batch {
  uint64_t last; /* random word */
  int64_t left;  /* updates, after these */
  int count;
  uint64_t words[AHEAD], *places[AHEAD];
};

static inline struct batch first_batch(const struct table *table)
{
  return (struct batch){.last = table->start, .left = table->share.count};
}

/* False: there are none. Their cache lines come meanwhile. */
static inline bool next_batch(const struct table *table, struct batch *batch)
{
  batch->count = batch->left < AHEAD ? (int)batch->left : AHEAD;
  batch->left -= batch->count;
  for (int i = 0; i < batch->count; i++) {
    batch->words[i] = batch->last = table_next(batch->last);
    const uint64_t index = table_index(table, batch->last);
    batch->places[i] = table->bases[table_owner(table, index)] + index;
    __builtin_prefetch(batch->places[i], 1);
  }
  return batch->count > 0;
}

/* --- Loads and stores, or the processor's atomic updates -------------------------------------- */

static inline void local_iterate(const struct table *table, bool exact)
{
  struct batch batch = first_batch(table);
  while (next_batch(table, &batch))
    for (int i = 0; i < batch.count; i++)
      if (exact)
        __atomic_fetch_xor(batch.places[i], batch.words[i], __ATOMIC_RELAXED);
      else
        *batch.places[i] ^= batch.words[i];
}

void random_store(const struct table *table)
{
  local_iterate(table, false);
}

/* --- MPI, shared memory ----------------------------------------------------------------------- */

static void random_shared_run(void *state, int iterations)
{
  struct table *table = state;
  for (int i = 0; i < iterations; i++)
    random_store(table);
  MPI_Win_sync(table->state.memory.window);
  MPI_Barrier(prk_comm);
}

static void shared_run_exact(void *state, int iterations)
{
  struct table *table = state;
  for (int i = 0; i < iterations; i++)
    local_iterate(table, true);
  MPI_Barrier(prk_comm);
}

const struct side random_shared = {NULL, random_shared_run, NULL};
const struct side random_exact_shared = {NULL, shared_run_exact, NULL};

/* --- MPI, one-sided: accumulates, which lose nothing ------------------------------------------ */

static void random_windows_begin(void *state)
{
  struct table *table = state;
  table->operands = room(LOOKAHEAD * sizeof(uint64_t));
}

static void random_windows_end(void *state)
{
  struct table *table = state;
  free(table->operands);
}

static void windows_iterate(struct table *table)
{
  const MPI_Win window = table->state.memory.window;
  uint64_t word = table->start;
  for (int64_t i = 0; i < table->share.count; i++) {
    uint64_t *operand = &table->operands[i % LOOKAHEAD];
    if (i % LOOKAHEAD == 0)
      MPI_Win_flush_local_all(window);
    *operand = word = table_next(word);
    const uint64_t index = table_index(table, word);
    const int owner = table_owner(table, index);
    const struct span part =
        span_of((int64_t)1 << table->bits, table->state.problem->processes, owner);
    MPI_Accumulate(operand, 1, MPI_UINT64_T, owner, (MPI_Aint)(((int64_t)index - part.first) * 8),
                   1, MPI_UINT64_T, MPI_BXOR, window);
  }
  MPI_Win_flush_all(window);
}

static void random_windows_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    windows_iterate(state);
  MPI_Barrier(prk_comm);
}

const struct side random_windows = {random_windows_begin, random_windows_run, random_windows_end};

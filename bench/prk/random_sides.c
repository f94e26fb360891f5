/* The kernels random and random-exact: the sides that change words directly in their owner's
 * memory. */
#include "random.h"

/* --- Batches of updates ----------------------------------------------------------------------- */

/* The next updates of this process. */
struct batch {
  uint64_t last; /* the last random word */
  int64_t left;  /* number of updates after these */
  int count;
  uint64_t words[AHEAD], *places[AHEAD];
};

static inline struct batch first_batch(const struct table *table)
{
  return (struct batch){.last = table->start, .left = table->share.count};
}

/* Takes the next batch and prefetches its cache lines. Returns false if there is none. */
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

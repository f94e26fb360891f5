/* The kernels random and random-exact: their sides. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* --- Batches of updates ----------------------------------------------------------------------- */

/* The next updates of this process. */
struct batch {
  uint64_t last; /* random word */
  int64_t left;  /* updates, after these */
  int count, owners[AHEAD];
  uint64_t words[AHEAD], *places[AHEAD];
};

static inline struct batch first_batch(const struct table *table)
{
  return (struct batch){.last = table->start, .left = table->share.count};
}

/* False: there are none. The cache lines that this process may load come meanwhile. */
static inline bool next_batch(const struct table *table, struct batch *batch)
{
  batch->count = batch->left < AHEAD ? (int)batch->left : AHEAD;
  batch->left -= batch->count;
  for (int i = 0; i < batch->count; i++) {
    batch->words[i] = batch->last = table_next(batch->last);
    const uint64_t index = table_index(table, batch->last);
    batch->owners[i] = table_owner(table, index);
    batch->places[i] = table->bases[batch->owners[i]] + index;
    if (table->whole)
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

/* --- Causeway: loads and stores if they reach all words, else updates; or only updates ----------
 *
 * A word is changed in one way by all: MPI's updates and a processor's are not atomic against each
 * other. */

static void view_begin(void *state)
{
  struct table *table = state;
  cw_view plain = NULL;
  cw_view_settings granted;
  const cw_view_settings wanted = {
      .intrinsic = "bxor", .intrinsic_type = CW_UINT64, .intrinsic_count = 1};
  table->operands = room(LOOKAHEAD * sizeof(uint64_t));
  CW_MUST(cw_view_of(table->state.memory.region, &plain));
  CW_MUST(cw_view_would_grant(plain, &wanted, &granted));
  CW_MUST(cw_view_dup(plain, &granted, &table->view));
  CW_MUST(cw_view_free(&plain));
}

static void view_end(void *state)
{
  struct table *table = state;
  CW_MUST(cw_view_free(&table->view));
  free(table->operands);
}

/* An operand stays until its update is complete: in the batches that a process may keep to itself.
 */
static void causeway_iterate(struct table *table)
{
  struct batch batch = first_batch(table);
  for (int place = 0; next_batch(table, &batch); place = (place + AHEAD) % LOOKAHEAD) {
    uint64_t *operands = table->operands + place;
    if (place == 0)
      CW_MUST(cw_view_flush_local_all(table->view));
    memcpy(operands, batch.words, sizeof batch.words);
    for (int i = 0; i < batch.count; i++)
      CW_MUST(cw_view_accumulate(table->view, CW_UINT64, CW_BIT_XOR, operands + i, batch.places[i],
                                 1, batch.owners[i]));
  }
  CW_MUST(cw_view_flush_all(table->view));
}

static void random_causeway_run(void *state, int iterations)
{
  struct table *table = state;
  for (int i = 0; i < iterations; i++)
    if (table->whole)
      local_iterate(table, false);
    else
      causeway_iterate(table);
  CW_MUST(cw_barrier(cw_team_world()));
}

static void causeway_run_exact(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    causeway_iterate(state);
  CW_MUST(cw_barrier(cw_team_world()));
}

const struct side random_causeway = {view_begin, random_causeway_run, view_end};
const struct side random_exact_causeway = {view_begin, causeway_run_exact, view_end};

/* --- MPI, shared memory ----------------------------------------------------------------------- */

static void random_shared_run(void *state, int iterations)
{
  struct table *table = state;
  for (int i = 0; i < iterations; i++)
    local_iterate(table, false);
  MPI_Win_sync(table->state.memory.window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void shared_run_exact(void *state, int iterations)
{
  struct table *table = state;
  for (int i = 0; i < iterations; i++)
    local_iterate(table, true);
  MPI_Barrier(MPI_COMM_WORLD);
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
  MPI_Barrier(MPI_COMM_WORLD);
}

const struct side random_windows = {random_windows_begin, random_windows_run, random_windows_end};

/* --- MPI, two-sided: buckets, as HPC Challenge allows them ------------------------------------ */

/* Requests of a turn: what comes, then what goes. There are two turns. */
static MPI_Request *requests_of(const struct table *table, int turn)
{
  return table->requests + (ptrdiff_t)2 * turn * table->state.problem->processes;
}

static struct bucket *bucket_of(const struct table *table, struct bucket *buckets, int turn,
                                int process)
{
  return &buckets[turn * table->state.problem->processes + process];
}

static void random_messages_begin(void *state)
{
  struct table *table = state;
  const size_t places = 2 * (size_t)table->state.problem->processes;
  table->outgoing = room(places * sizeof(struct bucket));
  table->incoming = room(places * sizeof(struct bucket));
  table->requests = room(2 * places * sizeof(MPI_Request));
  for (size_t i = 0; i < 2 * places; i++)
    table->requests[i] = MPI_REQUEST_NULL;
}

static void random_messages_end(void *state)
{
  struct table *table = state;
  free(table->outgoing);
  free(table->incoming);
  free(table->requests);
}

static void update(const struct table *table, const uint64_t *words, int count)
{
  uint64_t *base = table->words - table->part.first;
  for (int i = 0; i < count; i++)
    base[table_index(table, words[i])] ^= words[i];
}

static void receive(struct table *table, int turn)
{
  MPI_Request *requests = requests_of(table, turn);
  for (int i = 0; i < table->state.problem->processes; i++)
    if (i != table->state.problem->process)
      MPI_Irecv(bucket_of(table, table->incoming, turn, i), LOOKAHEAD, MPI_UINT64_T, i, turn,
                MPI_COMM_WORLD, &requests[i]);
}

/* Send so many updates: own ones are made at once. The last turn's messages with these buckets have
 * gone. */
static uint64_t send(struct table *table, int turn, uint64_t word, int64_t count)
{
  const int processes = table->state.problem->processes;
  MPI_Request *requests = requests_of(table, turn) + processes;
  int counts[processes];
  memset(counts, 0, sizeof counts);
  wait_for_all(processes, requests);
  for (int64_t i = 0; i < count; i++) {
    word = table_next(word);
    const int owner = table_owner(table, table_index(table, word));
    bucket_of(table, table->outgoing, turn, owner)->words[counts[owner]++] = word;
  }
  for (int i = 0; i < processes; i++)
    if (i != table->state.problem->process)
      MPI_Isend(bucket_of(table, table->outgoing, turn, i), counts[i], MPI_UINT64_T, i, turn,
                MPI_COMM_WORLD, &requests[i]);
  const int me = table->state.problem->process;
  update(table, bucket_of(table, table->outgoing, turn, me)->words, counts[me]);
  return word;
}

static void apply(struct table *table, int turn)
{
  const int processes = table->state.problem->processes;
  for (int left = processes - 1, which = 0, count = 0; left > 0; left--) {
    MPI_Status status;
    MPI_Waitany(processes, requests_of(table, turn), &which, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    update(table, bucket_of(table, table->incoming, turn, which)->words, count);
  }
}

/* What comes in a turn is waited for in the next one, when this process has sent again. */
static void messages_iterate(struct table *table)
{
  const int64_t most = table->updates / table->state.problem->processes + 1;
  const int64_t turns = (most + LOOKAHEAD - 1) / LOOKAHEAD;
  uint64_t word = table->start;
  int64_t left = table->share.count;
  for (int64_t turn = 0; turn <= turns; turn++) {
    if (turn < turns) {
      const int64_t count = left < LOOKAHEAD ? left : LOOKAHEAD;
      receive(table, (int)(turn % 2));
      word = send(table, (int)(turn % 2), word, count);
      left -= count;
    }
    if (turn > 0)
      apply(table, (int)((turn - 1) % 2));
  }
  wait_for_all(4 * table->state.problem->processes, table->requests);
}

static void random_messages_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    messages_iterate(state);
}

const struct side random_messages = {random_messages_begin, random_messages_run,
                                     random_messages_end};

/* The kernels random and random-exact: the sides that send updates in buckets, as HPC Challenge
 * allows it. Each process changes its own words, so that no update is lost: by Causeway, and by
 * MPI's two-sided calls. */
#include "random.h"

#include <stdlib.h>

/* Put the next updates of this process, after a word, into the buckets of their owners. Returns the
 * last word. */
static uint64_t sort_out(const struct table *table, struct bucket *const *buckets, uint64_t word,
                         int64_t count)
{
  for (int i = 0; i < table->state.problem->processes; i++)
    buckets[i]->count = 0;
  for (int64_t i = 0; i < count; i++) {
    word = table_next(word);
    struct bucket *bucket = buckets[table_owner(table, table_index(table, word))];
    bucket->words[bucket->count++] = word;
  }
  return word;
}

static void empty(const struct table *table, const struct bucket *bucket)
{
  uint64_t *base = table->words - table->part.first;
  for (uint64_t i = 0; i < bucket->count; i++)
    base[table_index(table, bucket->words[i])] ^= bucket->words[i];
}

/* One way of buckets: send the next updates, own ones being made at once; and make those that came
 * in a turn. */
struct post {
  uint64_t (*send)(struct table *table, int64_t turn, uint64_t word, int64_t count);
  void (*apply)(struct table *table, int64_t turn);
};

/* What comes in a turn is waited for in the next one, when this process has sent again. */
static void take_turns(struct table *table, const struct post *post)
{
  const int64_t most = table->updates / table->state.problem->processes + 1;
  const int64_t turns = (most + LOOKAHEAD - 1) / LOOKAHEAD, first = table->turns;
  uint64_t word = table->start;
  int64_t left = table->share.count;
  for (; table->turns < first + turns; table->turns++) {
    const int64_t count = left < LOOKAHEAD ? left : LOOKAHEAD;
    word = post->send(table, table->turns, word, count);
    left -= count;
    if (table->turns > first)
      post->apply(table, table->turns - 1);
  }
  post->apply(table, table->turns - 1);
}

/* --- Causeway: a bucket is filled where its owner reads it, or put there, and the owner told ----
 */

static struct bucket *box_of(const struct table *table, struct bucket *mail, int64_t turn,
                             int process)
{
  return &mail[turn % OWNER_BUCKETS * table->state.problem->processes + process];
}

static void buckets_begin(void *state)
{
  struct table *table = state;
  const int processes = table->state.problem->processes;
  memory_create(CAUSEWAY, (size_t)(OWNER_BUCKETS * processes) * sizeof(struct bucket),
                &table->mail);
  table->outgoing = room((size_t)processes * sizeof(struct bucket));
  table->boxes = room((size_t)processes * sizeof(struct bucket *));
  for (int i = 0; i < processes; i++)
    table->boxes[i] = memory_address(&table->mail, i);
  CW_MUST(cw_notifications_create(cw_team_world(), (size_t)processes, &table->told));
}

static void buckets_end(void *state)
{
  struct table *table = state;
  CW_MUST(cw_notifications_free(&table->told));
  memory_destroy(&table->mail);
  free(table->outgoing);
  free(table->boxes);
}

static void causeway_tell(const struct table *table, int64_t turn, int process)
{
  const int me = table->state.problem->process;
  const struct bucket *bucket = &table->outgoing[process];
  struct bucket *box = box_of(table, table->mail.all[process], turn, me);
  const size_t bytes =
      table->boxes[process] != NULL ? 0 : sizeof bucket->count + bucket->count * sizeof(uint64_t);
  CW_MUST(cw_put_notify(bucket, box, bytes, process, table->told, (size_t)me));
}

static uint64_t causeway_send(struct table *table, int64_t turn, uint64_t word, int64_t count)
{
  const int processes = table->state.problem->processes, me = table->state.problem->process;
  struct bucket *buckets[processes];
  for (int i = 0; i < processes; i++)
    buckets[i] = i != me && table->boxes[i] != NULL ? box_of(table, table->boxes[i], turn, me)
                                                    : &table->outgoing[i];
  word = sort_out(table, buckets, word, count);
  for (int i = 0; i < processes; i++)
    if (i != me)
      causeway_tell(table, turn, i);
  empty(table, buckets[me]);
  return word;
}

static void causeway_apply(struct table *table, int64_t turn)
{
  const int processes = table->state.problem->processes, me = table->state.problem->process;
  for (int i = 0; i < processes; i++)
    if (i != me) {
      CW_MUST(cw_notification_wait(table->told, (size_t)i, CW_AT_LEAST, turn + 1, NULL));
      empty(table, box_of(table, table->boxes[me], turn, i));
    }
}

static void causeway_run_exact(void *state, int iterations)
{
  static const struct post post = {causeway_send, causeway_apply};
  for (int i = 0; i < iterations; i++)
    take_turns(state, &post);
}

/* Loads and stores, if they reach all words: then updates may be lost. */
static void random_causeway_run(void *state, int iterations)
{
  const struct table *table = state;
  if (!table->whole) {
    causeway_run_exact(state, iterations);
    return;
  }
  for (int i = 0; i < iterations; i++)
    random_store(table);
  CW_MUST(cw_barrier(cw_team_world()));
}

const struct side random_causeway = {buckets_begin, random_causeway_run, buckets_end};
const struct side random_exact_causeway = {buckets_begin, causeway_run_exact, buckets_end};

/* --- MPI, two-sided --------------------------------------------------------------------------- */

/* Requests of a turn: what comes, then what goes. */
static MPI_Request *requests_of(const struct table *table, int64_t turn)
{
  return table->requests + 2 * (turn % MESSAGE_BUCKETS) * table->state.problem->processes;
}

static struct bucket *bucket_of(const struct table *table, struct bucket *buckets, int64_t turn,
                                int process)
{
  return &buckets[turn % MESSAGE_BUCKETS * table->state.problem->processes + process];
}

static void random_messages_begin(void *state)
{
  struct table *table = state;
  const size_t places = MESSAGE_BUCKETS * (size_t)table->state.problem->processes;
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

static void receive(struct table *table, int64_t turn)
{
  MPI_Request *requests = requests_of(table, turn);
  for (int i = 0; i < table->state.problem->processes; i++)
    if (i != table->state.problem->process)
      MPI_Irecv(bucket_of(table, table->incoming, turn, i)->words, LOOKAHEAD, MPI_UINT64_T, i,
                (int)(turn % MESSAGE_BUCKETS), MPI_COMM_WORLD, &requests[i]);
}

/* The last messages with these buckets have gone. */
static uint64_t messages_send(struct table *table, int64_t turn, uint64_t word, int64_t count)
{
  const int processes = table->state.problem->processes, me = table->state.problem->process;
  MPI_Request *requests = requests_of(table, turn) + processes;
  struct bucket *buckets[processes];
  receive(table, turn);
  wait_for_all(processes, requests);
  for (int i = 0; i < processes; i++)
    buckets[i] = bucket_of(table, table->outgoing, turn, i);
  word = sort_out(table, buckets, word, count);
  for (int i = 0; i < processes; i++)
    if (i != me)
      MPI_Isend(buckets[i]->words, (int)buckets[i]->count, MPI_UINT64_T, i,
                (int)(turn % MESSAGE_BUCKETS), MPI_COMM_WORLD, &requests[i]);
  empty(table, buckets[me]);
  return word;
}

static void messages_apply(struct table *table, int64_t turn)
{
  const int processes = table->state.problem->processes;
  for (int left = processes - 1, which = 0, count = 0; left > 0; left--) {
    MPI_Status status;
    MPI_Waitany(processes, requests_of(table, turn), &which, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    struct bucket *bucket = bucket_of(table, table->incoming, turn, which);
    bucket->count = (uint64_t)count;
    empty(table, bucket);
  }
}

static void random_messages_run(void *state, int iterations)
{
  static const struct post post = {messages_send, messages_apply};
  struct table *table = state;
  for (int i = 0; i < iterations; i++) {
    take_turns(table, &post);
    wait_for_all(2 * MESSAGE_BUCKETS * table->state.problem->processes, table->requests);
  }
}

const struct side random_messages = {random_messages_begin, random_messages_run,
                                     random_messages_end};

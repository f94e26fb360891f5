/* Measures the cost of tasks in three tables; in each a limit takes turns with ours:
 *
 *   local    a task that is added and runs on the same process, compared with a plain stack of the
 *            same bodies whose entries are called; alone, and while another process could steal
 *   steal    process 0 steals from process 1, with or without success, compared with MPI's
 *            ping-pong of 8 bytes
 *   phase    a phase without tasks, compared with a barrier of the same team
 *
 *   tasks [local] [steal] [phase] [MILLISECONDS [ROUNDS]]   all tables; of one turn (default 20),
 *                                                           turns of each (default 9)
 *
 * Local tasks are timed by the CPU time of their thread. Steals are timed one by one, so their
 * times include reading the clock. They use the pool's own queues, so that the program knows what
 * can be stolen.
 *
 * mpiexec -n 2 causeway-tasks; tests/multinode/hosts.sh mpich 2 1 CW_ROUTE=server causeway-tasks */
#include "../program.h"
#include "../samples.h"

#include "wait/lock.h"
#include "worker/pool.h"

#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 99, MOST_BODY = 256, BATCH = 64, SINGLES_MAX = 1 << 16, TAG = 5 };

static double round_seconds;
static int rounds, me;
static double limits[ROUNDS_MAX], times[ROUNDS_MAX];

/* --- Rows ------------------------------------------------------------------------------------- */

static void head(const char *first, const char *limit)
{
  if (me == 0)
    printf("\n| %s | %s, us | tasks, us | ratio | more, us | aim |\n"
           "|---|--:|--:|--:|--:|---|\n",
           first, limit);
}

/* Prints a row. Times are in seconds; a target of 0 means none. */
static void row(const char *what, double limit, double ours, double most_ratio, double most_more,
                double most)
{
  char aim[64] = "";
  if (me != 0)
    return;
  const bool missed = (most_ratio > 0 && ours > most_ratio * limit) ||
                      (most_more > 0 && ours - limit > most_more) || (most > 0 && ours > most);
  if (most_ratio > 0)
    snprintf(aim, sizeof aim, "ratio <= %g", most_ratio);
  else if (most_more > 0)
    snprintf(aim, sizeof aim, "more <= %g", 1e6 * most_more);
  else if (most > 0)
    snprintf(aim, sizeof aim, "<= %g us", 1e6 * most);
  printf("| %s | %.4g | %.4g | %.2f | %.3g | %s%s |\n", what, 1e6 * limit, 1e6 * ours, ours / limit,
         1e6 * (ours - limit), aim, missed ? ", UNDER" : "");
  fflush(stdout);
}

static void barrier(void)
{
  must(cw_barrier(cw_team_world()));
}

/* --- A plain stack ---------------------------------------------------------------------------- */

struct entry {
  int function;
  uint32_t bytes;
  double body[MOST_BODY / 8];
};

struct stack {
  char *slots;
  size_t slot_bytes, height;
};

static void nothing(const void *body)
{
  (void)body;
}

typedef void (*entry_function)(const void *body);
static const entry_function functions[] = {nothing};
static struct stack plain;

static void plain_push(struct stack *stack, int function, const void *body, uint32_t bytes)
{
  char *slot = stack->slots + stack->height++ * stack->slot_bytes;
  const size_t fixed = offsetof(struct entry, body);
  memcpy(slot, &function, sizeof function);
  memcpy(slot + sizeof function, &bytes, sizeof bytes);
  cwi_slot_copy(slot + fixed, body, bytes);
}

static void plain_pop(struct stack *stack, struct entry *entry)
{
  const char *slot = stack->slots + --stack->height * stack->slot_bytes;
  const size_t fixed = offsetof(struct entry, body);
  memcpy(entry, slot, fixed);
  cwi_slot_copy((char *)entry->body, slot + fixed, entry->bytes);
}

static void run_plain(long batches, const void *body, uint32_t bytes)
{
  struct entry entry;
  for (long i = 0; i < batches; i++) {
    for (int k = 0; k < BATCH; k++)
      plain_push(&plain, 0, body, bytes);
    while (plain.height > 0) {
      plain_pop(&plain, &entry);
      functions[entry.function](entry.body);
    }
  }
}

static double seconds_of_plain(long batches, size_t bytes)
{
  static char body[MOST_BODY];
  const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
  run_plain(batches, body, (uint32_t)bytes);
  return seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* --- Local tasks ------------------------------------------------------------------------------ */

struct local {
  cw_tasks pool;
  int spawn, empty, busy;
  size_t bytes;
  long batches;
  double begin, end, plain; /* seconds; `plain` is a duration */
  int64_t *finished;        /* flag in the memory of process 1; NULL if there is no process 1 */
};

static cw_error run_empty(const cw_task *task, void *argument)
{
  (void)task, (void)argument;
  return CW_OK;
}

/* A task: counts the batches that are left. Adds the next task of its kind and after it a batch of
 * empty tasks, which run first. */
static cw_error spawn(const cw_task *task, void *argument)
{
  static const char body[MOST_BODY];
  struct local *local = argument;
  const long left = *(const long *)task->body - 1;
  if (local->begin == 0) {
    local->plain = seconds_of_plain(local->batches, local->bytes);
    local->begin = seconds(CLOCK_THREAD_CPUTIME_ID);
  }
  if (left < 0) {
    local->end = seconds(CLOCK_THREAD_CPUTIME_ID);
    return local->finished != NULL ? cw_notify(local->finished, 1, 1) : CW_OK;
  }
  must(cw_tasks_add(local->pool, local->spawn, &left, sizeof left));
  for (int k = 0; k < BATCH; k++)
    must(cw_tasks_add(local->pool, local->empty, body, local->bytes));
  return CW_OK;
}

/* Keeps process 1 busy, so that it has no time to steal. */
static cw_error be_busy(const cw_task *task, void *argument)
{
  const struct local *local = argument;
  (void)task;
  while (__atomic_load_n(local->finished, __ATOMIC_ACQUIRE) == 0)
    cwi_pause();
  *local->finished = 0;
  return CW_OK;
}

/* Measures tasks. The plain stack has its turn inside the first task, while the other process is
 * equally busy. */
static double seconds_of_tasks(struct local *local)
{
  local->begin = 0;
  if (me == 0)
    must(cw_tasks_add(local->pool, local->spawn, &local->batches, sizeof local->batches));
  if (me == 1)
    must(cw_tasks_add(local->pool, local->busy, NULL, 0));
  must(cw_tasks_process(local->pool));
  return local->end - local->begin;
}

/* Chooses the number of batches that fill a turn. */
static long choose_batches(size_t bytes)
{
  for (long batches = 64;; batches *= 2) {
    const double took = seconds_of_plain(batches, bytes);
    if (took > round_seconds / 4)
      return batches;
  }
}

static void measure_local(struct local *local, size_t bytes, const char *where)
{
  local->bytes = bytes;
  local->batches = choose_batches(bytes);
  const double each = (double)local->batches * BATCH;
  char what[64];
  for (int round = -1; round < rounds; round++) {
    const int place = round < 0 ? 0 : round;
    times[place] = seconds_of_tasks(local) / each;
    limits[place] = local->plain / each;
  }
  snprintf(what, sizeof what, "%zu bytes%s", bytes, where);
  row(what, median_of(limits, (size_t)rounds), median_of(times, (size_t)rounds), 0, 12e-9, 0);
}

static void make_local(cw_team team, struct local *local)
{
  const cw_tasks_options options = {.body = MOST_BODY};
  must(cw_tasks_create(team, &options, &local->pool));
  must(cw_tasks_register(local->pool, "spawn", spawn, local, &local->spawn));
  must(cw_tasks_register(local->pool, "empty", run_empty, local, &local->empty));
  must(cw_tasks_register(local->pool, "busy", be_busy, local, &local->busy));
}

static void table_of_local(void)
{
  static const size_t sizes[] = {0, 8, 24, 64, 256};
  cw_team self = NULL, two = NULL;
  cw_region region = NULL;
  plain = (struct stack){calloc(BATCH, sizeof(struct entry)), sizeof(struct entry), 0};
  if (plain.slots == NULL)
    cw_abort("no memory", 1);
  head("push + pop and run, local", "plain stack");
  must(cw_team_split(cw_team_world(), me, 0, &self));
  must(cw_team_split(cw_team_world(), me < 2 ? 0 : MPI_UNDEFINED, me, &two));
  if (me == 0) {
    struct local local = {0};
    make_local(self, &local);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      measure_local(&local, sizes[i], ", alone");
    must(cw_tasks_free(&local.pool));
  }
  barrier();
  if (me < 2 && cw_processes() > 1) {
    struct local local = {0};
    void *words[2];
    must(cw_region_create(two, sizeof(int64_t), &region, words));
    local.finished = words[1];
    *(int64_t *)words[me] = 0;
    make_local(two, &local);
    must(cw_barrier(two));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      measure_local(&local, sizes[i], ", others could steal");
    must(cw_tasks_free(&local.pool));
    must(cw_region_free(two, &region));
  }
  if (two != NULL)
    must(cw_team_free(&two));
  must(cw_team_free(&self));
  barrier();
  free(plain.slots);
}

/* --- Steals ----------------------------------------------------------------------------------- */

/* The victim waits in a barrier or computes. */
enum state { WAITS, COMPUTES };

struct attempt {
  const char *what;
  uint64_t published;
  uint64_t expects; /* number of tasks that the thief expects */
  bool exhausted;   /* preceded by another steal that empties the queue */
  enum state state;
  double near_most, far_ratio; /* targets */
};

static struct cwi_victim victim;
static int64_t *signal, signalled; /* flag in the memory of process 1: the thief has finished */

static double samples[2][SINGLES_MAX];

static void publish(struct cwi_queue *queue, const struct attempt *attempt)
{
  static const char body[24];
  const struct cwi_slot_head head = {.bytes = sizeof body};
  bool published = false;
  if (attempt->published == 0)
    return;
  for (uint64_t i = 0; i < 2 * attempt->published; i++)
    if (!cwi_queue_push(queue, head, body))
      cw_abort("tasks: the queue is full", 1);
  must(cwi_queue_release(queue, cwi_queue_private(queue) / 2, 0, &published));
  if (!published)
    cw_abort("tasks: nothing was published", 1);
}

static void clear(struct cwi_queue *queue, void *body)
{
  struct cwi_slot_head head;
  while (cwi_queue_pop(queue, &head, body))
    ;
  must(cwi_queue_reacquire(queue));
  while (cwi_queue_pop(queue, &head, body))
    ;
}

/* Waits for the thief. A victim that computes spins on the thief's signal, because a steal must not
 * depend on calls of the victim. */
static void await_thief(const struct attempt *attempt)
{
  if (attempt->state == COMPUTES)
    for (signalled++; __atomic_load_n(signal, __ATOMIC_ACQUIRE) < signalled;)
      ;
  barrier();
}

static double steal_once(struct cwi_worker *worker, const struct attempt *attempt)
{
  uint64_t count = 0;
  unsigned phase = 0;
  const uint64_t largest = cwi_queue_largest((uint64_t)worker->queue.mask + 1);
  if (cwi_queue_space(&worker->queue, largest) < largest)
    cw_abort("tasks: no space for stolen tasks", 1);
  if (attempt->exhausted)
    must(cwi_queue_steal(&worker->queue, &victim, &count, &phase));
  int64_t word = 0;
  must(cw_get(&word, signal, sizeof word,
              1)); /* warms up the connection, as the first ping-pong does */
  const double begin = seconds(CLOCK_MONOTONIC);
  must(cwi_queue_steal(&worker->queue, &victim, &count, &phase));
  const double took = seconds(CLOCK_MONOTONIC) - begin;
  if (count != attempt->expects)
    cw_abort("tasks: a steal has brought another number of tasks than expected", 1);
  if (attempt->state == COMPUTES)
    must(cw_notify(signal, 1, 1));
  barrier();
  clear(&worker->queue, worker->body);
  return took;
}

static double ping_pong(void)
{
  char word[8] = {0};
  const double begin = seconds(CLOCK_MONOTONIC);
  if (me == 0) {
    MPI_Send(word, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(word, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    MPI_Recv(word, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(word, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
  }
  return seconds(CLOCK_MONOTONIC) - begin;
}

/* Measures steals. The ways take turns, one operation at a time; the first turns do not count. */
static void measure_steal(cw_tasks pool, const struct attempt *attempt, int singles)
{
  struct cwi_worker *worker = &pool->workers[0];
  for (int i = -singles / 8; i < singles; i++) {
    const int place = i < 0 ? 0 : i;
    barrier();
    ping_pong();
    samples[0][place] = ping_pong();
    if (me == 1)
      publish(&worker->queue, attempt);
    barrier();
    if (me == 0)
      samples[1][place] = steal_once(worker, attempt);
    else if (me == 1) {
      await_thief(attempt);
      clear(&worker->queue, worker->body);
    } else
      barrier();
  }
  const bool near = victim.loads;
  row(attempt->what, median_of(samples[0], (size_t)singles), median_of(samples[1], (size_t)singles),
      near ? 0 : attempt->far_ratio, 0, near ? attempt->near_most : 0);
}

static void table_of_steals(void)
{
  static const struct attempt attempts[] = {
      {"of 1 task", 1, 1, false, WAITS, 0.5e-6, 2.3},
      {"of 32 tasks of 24 bytes", 64, 32, false, WAITS, 0.5e-6, 2.3},
      {"of 32 tasks, the victim computes", 64, 32, false, COMPUTES, 0.5e-6, 0},
      {"without success: nothing is published", 0, 0, false, WAITS, 0, 1.2},
      {"without success: all has been stolen", 1, 0, true, WAITS, 0, 1.2},
      {"without success: the victim computes", 0, 0, false, COMPUTES, 0, 0}};
  const cw_tasks_options options = {.body = 24};
  cw_tasks pool = NULL;
  cw_region region = NULL;
  void **words = calloc((size_t)cw_processes(), sizeof *words);
  if (cw_processes() < 2 || words == NULL) {
    cw_abort("tasks: steals need two processes, and memory", 1);
    return;
  }
  must(cw_tasks_create(cw_team_world(), &options, &pool));
  must(cw_region_create(cw_team_world(), sizeof(int64_t), &region, words));
  memset(words[me], 0, sizeof(int64_t));
  signal = words[1];
  for (uint32_t i = 0; i < pool->near_count; i++)
    victim = pool->near[i].process == 1 ? pool->near[i] : victim;
  for (uint32_t i = 0; i < pool->far_count; i++)
    victim = pool->far[i].process == 1 ? pool->far[i] : victim;
  /* All processes make the same number. */
  const double wanted = round_seconds * rounds / (victim.loads ? 20e-6 : 300e-6);
  const int singles = wanted > SINGLES_MAX ? SINGLES_MAX : (int)wanted + 9;
  head(victim.loads ? "steal from a node peer" : "steal from another node", "ping-pong of 8 bytes");
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
    int count = singles;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    measure_steal(pool, &attempts[i], count);
  }
  barrier();
  must(cw_region_free(cw_team_world(), &region));
  must(cw_tasks_free(&pool));
  free(words);
}

/* --- Empty phases ----------------------------------------------------------------------------- */

static double seconds_of(cw_tasks pool, long count)
{
  barrier();
  const double begin = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++)
    must(pool != NULL ? cw_tasks_process(pool) : cw_barrier(cw_team_world()));
  return (seconds(CLOCK_MONOTONIC) - begin) / (double)count;
}

static void table_of_phases(void)
{
  cw_tasks pool = NULL;
  char what[64];
  must(cw_tasks_create(cw_team_world(), NULL, &pool));
  long count = 8;
  for (double took = 0; took < round_seconds && count < 1 << 20; count *= 2) {
    took = seconds_of(pool, count) * (double)count;
    MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  for (int round = -1; round < rounds; round++) {
    limits[round < 0 ? 0 : round] = seconds_of(NULL, count);
    times[round < 0 ? 0 : round] = seconds_of(pool, count);
  }
  head("phase without tasks", "cw_barrier");
  snprintf(what, sizeof what, "%d processes on %d nodes", cw_processes(), cw_nodes());
  row(what, median_of(limits, (size_t)rounds), median_of(times, (size_t)rounds), 6, 0, 0);
  must(cw_tasks_free(&pool));
}

/* --- Start ------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
  static const struct table {
    const char *name;
    void (*make)(void);
  } tables[] = {{"local", table_of_local}, {"steal", table_of_steals}, {"phase", table_of_phases}};
  enum { TABLES = sizeof tables / sizeof tables[0] };
  bool wanted[TABLES] = {0}, any = false;
  double numbers[2] = {20, 9};
  int level = 0, given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  must(cw_init(MPI_COMM_WORLD));
  me = cw_process();
  for (int i = 1; i < argc; i++) {
    int table = 0;
    while (table < TABLES && strcmp(argv[i], tables[table].name) != 0)
      table++;
    if (table < TABLES)
      wanted[table] = any = true;
    else if (given < 2)
      numbers[given++] = atof(argv[i]);
  }
  round_seconds = 1e-3 * numbers[0];
  rounds = numbers[1] < 1 ? 1 : numbers[1] > ROUNDS_MAX ? ROUNDS_MAX : (int)numbers[1];
  for (int table = 0; table < TABLES; table++)
    if (wanted[table] || !any)
      tables[table].make();
  must(cw_finalize());
  return MPI_Finalize();
}

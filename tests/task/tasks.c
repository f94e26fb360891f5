/* Pools of tasks: every task exactly once, whatever the queues, the phases and the threads.
 *
 * usage: tasks trees|phases|nested|threads|calls [number [survive]]
 *
 * The number is that of nodes or phases, 0 for the default. With "survive" the pools survive the
 * failure of processes, but no process fails.
 *
 * A tree of random shape is a range of numbers: its root takes the first and distributes the
 * others among its children. A task marks its number, alternately by fetch-and-add and by
 * accumulate; the latter is complete only when the phase ends. */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct range {
  int64_t first, count;
  uint64_t random;
  int64_t phase; /* 0 for any */
};

static cw_region region;
static void **marks;  /* slices of words */
static long words;    /* of each slice */
static int node;      /* class */
static cw_team where; /* team of the pool with the class */
static int64_t present_phase;
static int64_t late; /* tasks of another phase */
static int64_t executed;

static int64_t *mark_of(int64_t number, int *process)
{
  *process = (int)(number % kit_processes());
  return (int64_t *)marks[*process] + number / kit_processes();
}

static void mark(int64_t number)
{
  const int64_t one = 1;
  int process = 0;
  int64_t *word = mark_of(number, &process);
  if (number % 2 == 0)
    KIT_OK(cw_fetch_add_int64(word, 1, process, NULL));
  else
    KIT_OK(cw_accumulate(CW_LONG, NULL, &one, word, sizeof one, process));
}

static uint32_t draw(uint64_t *random, uint32_t count)
{
  return (uint32_t)kit_random(random, (int)count);
}

/* Children are added in one of three ways, to any process. */
static void add_children(const cw_task *task, const struct range *children, int count,
                         uint64_t *random)
{
  const int rank = (int)draw(random, (uint32_t)cw_team_size(where));
  const int process = cw_team_process(where, rank);
  const int affinity = (int)draw(random, 4) - 1;
  switch (draw(random, 4)) {
  case 0:
    KIT_OK(cw_tasks_add_many(task->pool, node, (size_t)count, children, sizeof *children, process,
                             affinity));
    return;
  case 1:
    for (int i = 0; i < count; i++)
      KIT_OK(cw_tasks_add_to(task->pool, node, &children[i], sizeof *children, process, affinity));
    return;
  default:
    for (int i = 0; i < count; i++)
      KIT_OK(cw_tasks_add(task->pool, node, &children[i], sizeof *children));
  }
}

static cw_error grow(const cw_task *task, void *argument)
{
  enum { MOST = 6 };
  struct range mine, children[MOST];
  memcpy(&mine, task->body, sizeof mine);
  kit_check(task->bytes == sizeof mine && argument == &executed && task->number == node,
            "a task has %zu bytes, class %d", task->bytes, task->number);
  mark(mine.first);
  __atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
  if (mine.phase != 0 && mine.phase != present_phase)
    __atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
  int64_t left = mine.count - 1, first = mine.first + 1;
  const int most = 1 + (int)draw(&mine.random, MOST);
  int count = 0;
  for (; left > 0 && count < most; count++) {
    const int64_t size = count == most - 1 ? left : 1 + (int64_t)draw(&mine.random, (uint32_t)left);
    children[count] = (struct range){first, size, mine.random + (uint64_t)first, mine.phase};
    first += size;
    left -= size;
  }
  if (count > 0)
    add_children(task, children, count, &mine.random);
  return CW_OK;
}

/* Each process adds tasks for its part of the `count` numbers from `first` on, half of them on the
 * next process. */
static void plant(cw_tasks pool, int64_t first, int64_t count, int64_t phase)
{
  const int64_t me = kit_me(), all = kit_processes();
  const int64_t begin = first + count * me / all, end = first + count * (me + 1) / all;
  const int64_t half = (end - begin) / 2;
  const uint64_t random = (uint64_t)kit_own(1 << 30);
  const struct range mine = {begin, half, random, phase},
                     other = {begin + half, end - begin - half, random * 3, phase};
  if (mine.count > 0)
    KIT_OK(cw_tasks_add(pool, node, &mine, sizeof mine));
  if (other.count > 0)
    KIT_OK(cw_tasks_add_to(pool, node, &other, sizeof other, (int)((me + 1) % all), 0));
}

/* One task goes to a process that has nothing else to do, and returns with more. */
static void plant_one(cw_tasks pool, int64_t count)
{
  const struct range one = {0, count, (uint64_t)present_phase, present_phase};
  if (kit_me() == 0)
    KIT_OK(cw_tasks_add_to(pool, node, &one, sizeof one, 1 % kit_processes(), 0));
}

/* Checks directly after the phase; nothing else makes the accumulates visible. */
static void check_marks(int64_t count, int64_t want)
{
  const int64_t *mine = marks[kit_me()];
  long wrong = 0;
  KIT_OK(cw_access_begin(mine));
  for (int64_t i = 0; i * kit_processes() + kit_me() < count; i++)
    wrong += mine[i] != want;
  KIT_OK(cw_access_end(mine));
  kit_check_long(wrong, 0, "numbers that were not marked as often as they should be");
}

static void make_marks(long nodes)
{
  words = nodes / kit_processes() + 1;
  kit_make_region((size_t)words * sizeof(int64_t), &region, &marks);
}

static bool survive;

static void create(cw_team team, const cw_tasks_options *given, cw_tasks *pool)
{
  cw_tasks_options options = given != NULL ? *given : (cw_tasks_options){0};
  options.survive = survive;
  KIT_MUST(cw_tasks_create(team, &options, pool));
}

static void make_pool(cw_team team, const cw_tasks_options *options, cw_tasks *pool)
{
  create(team, options, pool);
  KIT_MUST(cw_tasks_register(*pool, "node", grow, &executed, &node));
  where = team;
}

/* Returns the sum of the counts of all processes. */
static int64_t sum(int64_t mine)
{
  KIT_OK(cw_allreduce(cw_team_world(), CW_LONG, CW_SUM, 1, &mine));
  return mine;
}

static void check_counts(cw_tasks pool, int64_t tasks, int64_t phases)
{
  cw_tasks_counts counts;
  KIT_OK(cw_tasks_statistics(pool, &counts));
  kit_check_long((long)sum((int64_t)counts.executed), tasks, "tasks executed");
  kit_check_long((long)sum((int64_t)counts.added), tasks, "tasks added");
  kit_check_long((long)sum((int64_t)(counts.sent - counts.received)), 0, "sent and not received");
  kit_check_long((long)counts.phases, phases, "phases");
  kit_check(counts.searching >= 0 && (survive || counts.waves >= counts.phases),
            "%lu waves, %lu phases", (unsigned long)counts.waves, (unsigned long)counts.phases);
}

static void tree(const char *what, const cw_tasks_options *options, long nodes)
{
  cw_tasks pool = NULL;
  kit_about("%s", what);
  make_marks(nodes);
  make_pool(cw_team_world(), options, &pool);
  for (int time = 1; time <= 2; time++) {
    plant(pool, 0, nodes, 0);
    KIT_MUST(cw_tasks_process(pool));
    check_marks(nodes, time);
    KIT_OK(cw_barrier(cw_team_world()));
    check_counts(pool, nodes * time, time);
  }
  KIT_OK(cw_tasks_free(&pool));
  kit_check(pool == NULL, "the handle is left");
  kit_free_region(&region, marks);
}

/* --- Thieves come ------------------------------------------------------------------------------*/

static int64_t *here; /* processes that have run a task, at process 0 */
static bool was_here;

static cw_error wait_for_all(const cw_task *task, void *argument)
{
  int64_t count = 0;
  (void)task, (void)argument;
  if (!was_here)
    KIT_OK(cw_fetch_add_int64(here, 1, 0, NULL));
  was_here = true;
  for (; count < kit_processes(); cw_progress())
    KIT_OK(cw_fetch_add_int64(here, 0, 0, &count));
  return CW_OK;
}

/* Process 0 has all tasks, and none ends before each process has one. */
static void starving(cw_steal_order order)
{
  enum { TASKS = 64 };
  cw_tasks pool = NULL;
  int number = 0;
  kit_about("thieves in order %d", (int)order);
  make_marks(1);
  here = marks[0];
  was_here = false;
  create(cw_team_world(), &(cw_tasks_options){.order = order}, &pool);
  KIT_MUST(cw_tasks_register(pool, "waits", wait_for_all, NULL, &number));
  for (int i = 0; kit_me() == 0 && i < TASKS; i++)
    KIT_OK(cw_tasks_add(pool, number, NULL, 0));
  KIT_MUST(cw_tasks_process(pool));
  check_counts(pool, TASKS, 1);
  KIT_OK(cw_tasks_free(&pool));
  kit_free_region(&region, marks);
}

/* --- Queues that are full ----------------------------------------------------------------------*/

/* A node has a leaf and a child with children. The leaf comes second, so that the other child finds
 * a full queue. */
static cw_error go_deeper(const cw_task *task, void *argument)
{
  int64_t left = 0;
  int64_t *ran = argument;
  const int64_t leaf = 0;
  memcpy(&left, task->body, sizeof left);
  __atomic_fetch_add(ran, 1, __ATOMIC_RELAXED);
  if (left-- <= 0)
    return CW_OK;
  KIT_OK(cw_tasks_add(task->pool, task->number, &leaf, sizeof leaf));
  KIT_OK(cw_tasks_add(task->pool, task->number, &left, sizeof left));
  KIT_OK(cw_tasks_add(task->pool, task->number, &leaf, sizeof leaf));
  return CW_OK;
}

/* Deeper than any stack: nested tasks would need a gigabyte of it. */
static void deep(long depth)
{
  cw_tasks pool = NULL;
  cw_tasks_counts counts;
  int64_t ran = 0;
  int number = 0;
  kit_about("a tree of depth %ld", depth);
  create(cw_team_world(), &(cw_tasks_options){.slots = 2, .inbox = 2}, &pool);
  KIT_MUST(cw_tasks_register(pool, "node", go_deeper, &ran, &number));
  const int64_t root = depth;
  if (kit_me() == 0)
    for (int i = 0; i < 2; i++)
      KIT_OK(cw_tasks_add(pool, number, &root, sizeof root));
  KIT_MUST(cw_tasks_process(pool));
  kit_check_long((long)sum(ran), 2 * (3 * depth + 1), "tasks");
  check_counts(pool, 2 * (3 * depth + 1), 1);
  KIT_OK(cw_tasks_statistics(pool, &counts));
  kit_check(survive || (sum((int64_t)counts.deferred) > 0 && sum((int64_t)counts.inlined) > 0),
            "nothing was deferred");
  KIT_OK(cw_tasks_free(&pool));
}

/* --- Adders without space, and without a queue ------------------------------------------------ */

struct crowd {
  int waits; /* class */
  int64_t ran;
};

static cw_error wait_and_count(const cw_task *task, void *argument)
{
  struct crowd *crowd = argument;
  __atomic_fetch_add(&crowd->ran, 1, __ATOMIC_RELAXED);
  return wait_for_all(task, NULL);
}

/* More tasks than the queue has space for: a task that would run at once waits until the others
 * have got their part. */
static cw_error add_too_many(const cw_task *task, void *argument)
{
  const struct crowd *crowd = argument;
  for (int i = 0; i < 200; i++)
    KIT_OK(cw_tasks_add(task->pool, crowd->waits, NULL, 0));
  return CW_OK;
}

static void crowded(void)
{
  struct crowd crowd = {0};
  cw_tasks pool = NULL;
  int number = 0;
  kit_about("one task that adds more than a queue takes");
  make_marks(1);
  here = marks[0];
  was_here = false;
  create(cw_team_world(), &(cw_tasks_options){.slots = 16}, &pool);
  KIT_MUST(cw_tasks_register(pool, "waits", wait_and_count, &crowd, &crowd.waits));
  KIT_MUST(cw_tasks_register(pool, "adds", add_too_many, &crowd, &number));
  if (kit_me() == 0)
    KIT_OK(cw_tasks_add(pool, number, NULL, 0));
  KIT_MUST(cw_tasks_process(pool));
  kit_check_long((long)sum(crowd.ran), 200, "tasks");
  check_counts(pool, 201, 1);
  KIT_OK(cw_tasks_free(&pool));
  kit_free_region(&region, marks);
}

static struct {
  cw_tasks pool;
  int number;
  long count;
} apart;

static cw_error count_one(const cw_task *task, void *argument)
{
  (void)task;
  __atomic_fetch_add((int64_t *)argument, 1, __ATOMIC_RELAXED);
  return CW_OK;
}

static void *add_from_thread(void *unused)
{
  (void)unused;
  for (long i = 0; i < apart.count; i++)
    KIT_OK(cw_tasks_add(apart.pool, apart.number, &i, sizeof i));
  return NULL;
}

/* A thread that is not a worker adds tasks, independent of the phases. */
static void from_threads(long phases_run)
{
  int64_t ran = 0;
  pthread_t thread;
  kit_about("a thread that is no worker");
  create(cw_team_world(), &(cw_tasks_options){.slots = 64, .inbox = 8}, &apart.pool);
  KIT_MUST(cw_tasks_register(apart.pool, "one", count_one, &ran, &apart.number));
  apart.count = 100 * phases_run;
  pthread_create(&thread, NULL, add_from_thread, NULL);
  for (long i = 0; i < phases_run; i++)
    KIT_MUST(cw_tasks_process(apart.pool));
  pthread_join(thread, NULL);
  KIT_MUST(cw_tasks_process(apart.pool)); /* tasks that came too late */
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long((long)sum(ran), apart.count * kit_processes(), "tasks");
  check_counts(apart.pool, apart.count * kit_processes(), phases_run + 1);
  KIT_OK(cw_tasks_free(&apart.pool));
}

static void trees(long nodes)
{
  deep(20 * nodes);
  starving(CW_STEAL_NEAR_FIRST);
  starving(CW_STEAL_RANDOM);
  crowded();
  tree("as usual", NULL, nodes);
  tree("tiny queues", &(cw_tasks_options){.slots = 2, .inbox = 2}, nodes / 2);
  tree("small queues", &(cw_tasks_options){.slots = 16, .inbox = 5, .body = 100}, nodes / 2);
  tree("one by one", &(cw_tasks_options){.amount = CW_STEAL_ONE, .slots = 128}, nodes / 2);
  tree("from anywhere", &(cw_tasks_options){.order = CW_STEAL_RANDOM}, nodes / 2);
  tree("half near", &(cw_tasks_options){.near_percent = 50, .slots = 300}, nodes / 2);
  tree("no thieves", &(cw_tasks_options){.order = CW_STEAL_NOTHING}, nodes / 2);
  tree("long bodies", &(cw_tasks_options){.body = 5000, .slots = 1024, .inbox = 8}, nodes / 4);
  tree("huge", &(cw_tasks_options){.slots = CW_TASKS_MOST_SLOTS, .inbox = 4096}, nodes / 4);
}

/* Processes run ahead: they leave a phase and add to the next one before others have left it. */
static void phases(long number)
{
  enum { MOST = 40 };
  cw_tasks pool = NULL;
  int64_t planted = 0;
  make_marks(MOST);
  make_pool(cw_team_world(), &(cw_tasks_options){.slots = 64}, &pool);
  for (present_phase = 1; present_phase <= number; present_phase++) {
    const bool single = present_phase % 8 == 0;
    const int count = single ? MOST : kit_common(3) == 0 ? 0 : kit_common(MOST);
    if (single)
      plant_one(pool, count);
    else
      plant(pool, 0, count, present_phase);
    KIT_MUST(cw_tasks_process(pool));
    planted += count;
  }
  kit_check_long(late, 0, "tasks that ran in another phase");
  kit_check_long((long)sum(executed), planted, "tasks of all phases");
  check_counts(pool, planted, number);
  KIT_OK(cw_tasks_reset(pool));
  check_counts(pool, 0, 0);
  plant(pool, 0, MOST, number + 1);
  KIT_OK(cw_tasks_reset(pool)); /* they never run */
  KIT_MUST(cw_tasks_process(pool));
  check_counts(pool, 0, 1);
  kit_check_long((long)sum(executed), planted, "tasks after the reset");
  KIT_OK(cw_tasks_free(&pool));
  kit_free_region(&region, marks);
}

/* --- Phases within tasks -----------------------------------------------------------------------*/

struct inner {
  cw_team team;
  cw_tasks pool;
  int64_t first, count;
};

static cw_error run_inner(const cw_task *task, void *argument)
{
  struct inner *inner = argument;
  const struct range all = {inner->first, inner->count, 7, 0};
  KIT_MISUSE("cw_tasks_process|already in a phase", cw_tasks_process(task->pool));
  if (cw_team_rank(inner->team) == 0)
    KIT_OK(cw_tasks_add(inner->pool, node, &all, sizeof all));
  return cw_tasks_process(inner->pool);
}

/* Each process has a task that runs a phase of its half of the world. */
static void nested(void)
{
  enum { NODES = 2000, TIMES = 5 };
  struct inner inner = {0};
  cw_tasks outer = NULL;
  int outer_class = 0;
  const int halves = kit_processes() > 1 ? 2 : 1, mine = kit_me() % halves;
  make_marks(NODES);
  KIT_MUST(cw_team_split(cw_team_world(), mine, 0, &inner.team));
  inner.first = mine == 0 ? 0 : NODES / 3;
  inner.count = halves == 1 ? NODES : mine == 0 ? NODES / 3 : NODES - NODES / 3;
  create(cw_team_world(), &(cw_tasks_options){.order = CW_STEAL_NOTHING}, &outer);
  KIT_MUST(cw_tasks_register(outer, "phase", run_inner, &inner, &outer_class));
  make_pool(inner.team, NULL, &inner.pool);
  for (int time = 1; time <= TIMES; time++) {
    KIT_OK(cw_tasks_add_to(outer, outer_class, NULL, 0, (kit_me() + time) % kit_processes(), 0));
    KIT_MUST(cw_tasks_process(outer));
    check_marks(NODES, time);
    KIT_OK(cw_barrier(cw_team_world()));
  }
  KIT_OK(cw_tasks_free(&inner.pool));
  KIT_OK(cw_tasks_free(&outer));
  KIT_OK(cw_team_free(&inner.team));
  kit_free_region(&region, marks);
}

/* --- Threads -----------------------------------------------------------------------------------*/

static void threads(long nodes)
{
  kit_need_threads();
  from_threads(nodes / 20);
  tree("two threads", &(cw_tasks_options){.threads = 2}, nodes);
  tree("four threads", &(cw_tasks_options){.threads = 4, .slots = 32, .inbox = 8}, nodes / 2);
  tree("three, one by one", &(cw_tasks_options){.threads = 3, .amount = CW_STEAL_ONE}, nodes / 4);
}

/* --- Results and errors of calls -------------------------------------------------------------- */

static cw_error fail_once(const cw_task *task, void *argument)
{
  int64_t number = 0;
  (void)argument;
  memcpy(&number, task->body, sizeof number);
  kit_check(task->affinity == 3 && task->worker == 0 && task->adder == (int)(number % 1000),
            "affinity %d, worker %d, adder %d", task->affinity, task->worker, task->adder);
  KIT_MISUSE("cw_finalize|phase", cw_finalize());
  return number / 1000 == 2 ? cw_fence(-5) : CW_OK;
}

static cw_error note_order(const cw_task *task, void *argument)
{
  char **end = argument;
  *(*end)++ = *(const char *)task->body;
  return CW_OK;
}

/* The task with the highest affinity is first, and of equal ones the newest. */
static void affinity(void)
{
  static const char tasks[] = "a1b0c1d2e0f2g1";
  cw_tasks pool = NULL;
  char order[16] = "", *end = order;
  int letter = 0;
  create(cw_team_world(), &(cw_tasks_options){.order = CW_STEAL_NOTHING}, &pool);
  KIT_MUST(cw_tasks_register(pool, "letter", note_order, &end, &letter));
  for (const char *next = tasks; *next != '\0'; next += 2)
    KIT_OK(cw_tasks_add_to(pool, letter, next, 1, cw_process(), next[1] - '0'));
  KIT_OK(cw_tasks_process(pool));
  kit_check(strcmp(order, "fdgcaeb") == 0, "the tasks ran in the order %s", order);
  KIT_OK(cw_tasks_free(&pool));
}

static void full(void)
{
  cw_tasks pool = NULL;
  cw_tasks_options granted;
  const struct range leaf = {0, 1, 0, 0};
  make_pool(cw_team_world(), &(cw_tasks_options){.slots = 3, .inbox = 2}, &pool);
  KIT_OK(cw_tasks_granted(pool, &granted));
  kit_check(granted.slots == 4 && granted.inbox == 2 && granted.body == 64 && granted.threads == 1,
            "%zu slots, %zu, %zu, %d threads", granted.slots, granted.inbox, granted.body,
            granted.threads);
  for (int i = 0; i < 400; i++) /* far more than the queue has slots */
    KIT_OK(cw_tasks_add(pool, node, &leaf, sizeof leaf));
  KIT_OK(cw_tasks_reset(pool));
  check_counts(pool, 0, 0);
  KIT_OK(cw_tasks_free(&pool));
}

static void differ(cw_tasks pool)
{
  int number = -1;
  const bool first = kit_me() == 0;
  cw_tasks none = NULL;
  if (kit_processes() < 2)
    return;
  KIT_MISUSE("cw_tasks_register|has to be the same",
             cw_tasks_register(pool, first ? "one" : "another", fail_once, NULL, &number));
  KIT_MISUSE("cw_tasks_register",
             cw_tasks_register(pool, first ? "" : "name", fail_once, NULL, &number));
  KIT_MISUSE("cw_tasks_create|has to be the same",
             cw_tasks_create(cw_team_world(), &(cw_tasks_options){.slots = first ? 8 : 16}, &none));
  KIT_MISUSE(
      "cw_tasks_create",
      cw_tasks_create(cw_team_world(), &(cw_tasks_options){.threads = first ? -1 : 1}, &none));
  kit_check(number == -1 && none == NULL, "something was made nevertheless");
}

static cw_error return_it(const cw_task *task, void *argument)
{
  cw_error error = CW_OK;
  (void)argument;
  memcpy(&error, task->body, sizeof error);
  return error;
}

/* Errors that the tasks return themselves, without a message of a call. */
static void returned(void)
{
  const cw_error outside = CW_OUTSIDE, misuse = CW_MISUSE, odd = (cw_error)77;
  cw_tasks pool = NULL;
  int number = 0;
  create(cw_team_world(), &(cw_tasks_options){.order = CW_STEAL_NOTHING}, &pool);
  KIT_MUST(cw_tasks_register(pool, "returns", return_it, NULL, &number));
  KIT_MISUSE("-77", cw_fence(-77));
  KIT_MUST(cw_tasks_add(pool, number, &outside, sizeof outside));
  KIT_OUTSIDE("cw_tasks_process: a task of class 'returns' returned CW_OUTSIDE (2)",
              cw_tasks_process(pool));
  for (int i = 0; i < 3; i++)
    KIT_MUST(cw_tasks_add(pool, number, &misuse, sizeof misuse));
  KIT_MISUSE("'returns' returned CW_MISUSE (1)|and 2 more", cw_tasks_process(pool));
  kit_check(strstr(cw_error_message(), "-77") == NULL, "an old sentence: %s", cw_error_message());
  KIT_MUST(cw_tasks_add(pool, number, &odd, sizeof odd));
  kit_check(cw_tasks_process(pool) == odd && strstr(cw_error_message(), "no cw_error (77)") != NULL,
            "the sentence is: %s", cw_error_message());
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_tasks_free(&pool));
}

static void calls(void)
{
  cw_tasks pool = NULL;
  int failing = 0, number = 0, mine = 0;
  void *object = NULL;
  create(cw_team_world(), NULL, &pool);
  KIT_MUST(cw_tasks_register(pool, "failing", fail_once, NULL, &failing));
  KIT_MISUSE("'failing'|number 0", cw_tasks_register(pool, "failing", fail_once, NULL, &number));
  KIT_MUST(cw_tasks_share(pool, "nothing", NULL, &number));
  KIT_MUST(cw_tasks_share(pool, "mine", &mine, &number));
  KIT_OK(cw_tasks_object(pool, number, &object));
  kit_check(number == 1 && object == &mine, "the object is %d, %p", number, object);
  differ(pool);
  for (int64_t i = 0; i < 10; i++) {
    const int64_t what = i * 1000 + kit_me();
    KIT_OK(cw_tasks_add_to(pool, failing, &what, sizeof what, kit_me(), 3));
  }
  /* All tasks run; the order of the failing ones is not known. */
  const cw_error error = cw_tasks_process(pool);
  kit_check(error == CW_OK || strstr(cw_error_message(), "cw_tasks_process: cw_fence") != NULL,
            "the sentence is: %s", cw_error_message());
  const int64_t failed = sum(error == CW_MISUSE);
  kit_check(failed >= 1, "nobody heard of the errors");
  check_counts(pool, 10L * kit_processes(), 1);
  KIT_OK(cw_tasks_process(pool)); /* the tasks are discarded */
  KIT_OK(cw_tasks_free(&pool));
  returned();
  if (!survive) /* tasks that are added one by one are not sorted there */
    affinity();
  full();
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "trees";
  kit_start_native(&argc, &argv, "tasks");
  const long number = argc > 2 ? atol(argv[2]) : 0;
  survive = argc > 3 && strcmp(argv[3], "survive") == 0;
  kit_hang_guard();
  if (strcmp(what, "trees") == 0)
    trees(number > 0 ? number : 20000);
  else if (strcmp(what, "phases") == 0)
    phases(number > 0 ? number : 1000);
  else if (strcmp(what, "nested") == 0)
    nested();
  else if (strcmp(what, "threads") == 0)
    threads(number > 0 ? number : 20000);
  else
    calls();
  return kit_finish_native();
}

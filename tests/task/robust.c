/* The queue of a surviving pool. Processes run a tree of tasks and are killed: after each single
 * instruction (traced), and at random times while others work. Survivors must then have run each
 * task, whose effects must have happened exactly once. Also compares random operations with a
 * model. One process, which does not start Causeway.
 *
 * usage: task_robust death [ROUNDS] | kills [ROUNDS] | random [ROUNDS] */
#include "kit/kit.h"

#include "memory/zone.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "worker/robust_queue.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QUEUES = 4, BODY = 16, SLOTS = 4, MOST = 4096, LENGTH = 3, MEMORY = 1 << 24 };
#define SLOT_BYTES cwi_slot_bytes(BODY)

/* The shared memory: queues, locks, targets of effects, memory for rings and logs. */
struct shared {
  uint32_t locks[CWI_ROBUST_LOCKS];
  int64_t sums[MOST];          /* [task] 1 when it has run */
  double real;                 /* number of tasks that have run */
  int64_t lines[MOST][LENGTH]; /* [task] each number is the task's when it has run */
  unsigned char failed[QUEUES];
  uint64_t used; /* bytes of `memory` */
  char queues[QUEUES][4096] __attribute__((aligned(64)));
  char memory[MEMORY] __attribute__((aligned(64)));
};

static struct shared *shared;
static struct cwi_robust_pool pool;
static struct cwi_robust_queue queues[QUEUES];

static void *take_memory(size_t bytes)
{
  const uint64_t at = __atomic_fetch_add(&shared->used, (bytes + 63) / 64 * 64, __ATOMIC_RELAXED);
  return at + bytes <= MEMORY ? shared->memory + at : NULL;
}

/* Overwrites the memory, so that the test fails if a process still uses it. */
static void give_memory(void *memory)
{
  memset(memory, 0xee, 64);
}

static void *share_memory(size_t bytes)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    abort();
  return memory;
}

/* Makes the shared memory look like a zone. */
static void make_pool(void)
{
  static struct cwi_robust_shared *all[QUEUES];
  static int process[QUEUES];
  shared = share_memory(sizeof *shared);
  cwi_zone.base = (char *)shared;
  cwi_zone.size = sizeof *shared;
  cwi_zone.header = share_memory(sizeof *cwi_zone.header);
  for (int i = 0; i < QUEUES; i++) {
    all[i] = (struct cwi_robust_shared *)(void *)shared->queues[i];
    process[i] = i;
  }
  pool = (struct cwi_robust_pool){.count = QUEUES,
                                  .all = all,
                                  .process = process,
                                  .locks = shared->locks,
                                  .slot_bytes = SLOT_BYTES,
                                  .take = take_memory,
                                  .give = give_memory};
  if (cwi_failures_start(QUEUES) != CW_OK)
    abort();
  cwi_failures_survive();
  if (cwi_robust_bytes(SLOTS, SLOT_BYTES) > sizeof shared->queues[0])
    abort();
}

/* Replaces the function of the library: the processes are forked ones. */
bool __wrap_cwi_has_failed(int number);
bool __wrap_cwi_has_failed(int number)
{
  return __atomic_load_n(&shared->failed[number], __ATOMIC_ACQUIRE) != 0;
}

/* Begins again with empty queues and living processes. */
static void reset(void)
{
  memset(shared, 0, offsetof(struct shared, memory));
  memset(cwi_zone.header, 0, sizeof *cwi_zone.header);
  for (uint32_t i = 0; i < QUEUES; i++) {
    cwi_robust_begin(pool.all[i], SLOTS, SLOT_BYTES);
    cwi_robust_open(&queues[i], &pool, i);
    cwi_robust_note_entered(&queues[i], 1);
  }
}

/* --- The tree of tasks -------------------------------------------------------------------------*/

/* A task stands for `count` tasks from `first` on: it runs the first one, and adds the others in
 * two halves. */
struct range {
  int64_t first, count;
};

static bool add_range(struct cwi_robust_queue *queue, struct range range)
{
  const struct cwi_slot_head head = {.affinity = (int32_t)(range.count % 3), .bytes = sizeof range};
  return range.count == 0 || cwi_robust_add(queue, head, &range);
}

/* Registers the effects of a task: sums, and a put that makes logs longer. */
static bool log_effects(struct cwi_robust_queue *queue, int64_t task)
{
  const int64_t one = 1, line[LENGTH] = {task, task, task};
  const double real = 1;
  const struct cwi_robust_effect effects[] = {
      {(char *)&shared->sums[task], &one, sizeof one, CW_INT64, CW_SUM},
      {(char *)shared->lines[task], line, sizeof line, CW_INT64, CW_REPLACE},
      {(char *)&shared->real, &real, sizeof real, CW_DOUBLE, CW_SUM}};
  for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++)
    if (!cwi_robust_log(queue, &effects[i]))
      return false;
  return true;
}

/* Runs a task. One of a multiple of five tasks commits in the middle and continues with the rest;
 * one of a multiple of seven does all its tasks itself, in one transaction. */
static void run_range(struct cwi_robust_queue *queue, struct range range)
{
  bool fine = log_effects(queue, range.first);
  range.first++;
  range.count--;
  if (range.count > 0 && range.count % 5 == 0) {
    cwi_robust_continue(queue, &range, sizeof range);
    run_range(queue, range);
    return;
  }
  for (; range.count % 7 == 6; range.first++, range.count--)
    fine = fine && log_effects(queue, range.first);
  const int64_t half = range.count / 2;
  fine = fine && add_range(queue, (struct range){range.first, half}) &&
         add_range(queue, (struct range){range.first + half, range.count - half});
  if (!fine)
    _exit(KIT_FAIL);
  cwi_robust_finish(queue);
}

static void run_all(struct cwi_robust_queue *queue)
{
  const void *body = NULL;
  struct cwi_slot_head head;
  while (cwi_robust_take(queue, &head, &body)) {
    struct range range;
    memcpy(&range, body, sizeof range);
    if (cwi_robust_private(queue) > 1 && cwi_robust_exhausted(queue))
      cwi_robust_release(queue, cwi_robust_private(queue) / 2);
    run_range(queue, range);
  }
}

/* Works on the phase until it is over. */
static void work(uint32_t number)
{
  cwi_lock_holder = number + 1;
  struct cwi_robust_queue *mine = &queues[number];
  uint64_t settled = 0;
  bool over = false;
  while (true) {
    run_all(mine);
    cwi_robust_note_settled(mine);
    cwi_robust_recover_all(&pool, number);
    if (cwi_robust_is_over(&pool, 1, &settled))
      return;
    for (uint32_t i = 1; i < QUEUES; i++)
      if (cwi_robust_steal(mine, (number + i) % QUEUES, 1, &over) > 0)
        break;
    sched_yield();
  }
}

static void add_root(uint32_t queue, int64_t tasks)
{
  const bool added = add_range(&queues[queue], (struct range){0, tasks});
  kit_check(added, "no memory for a task");
  cwi_robust_publish(&queues[queue]);
}

static void check_tasks(int64_t tasks)
{
  for (int64_t task = 0; task < tasks; task++) {
    kit_check_long(shared->sums[task], 1, "times that a task took effect");
    for (int i = 0; i < LENGTH; i++)
      kit_check_long(shared->lines[task][i], task, "what a task put");
  }
  kit_check(shared->real == (double)tasks, "%g tasks added 1.0, not %ld", shared->real,
            (long)tasks);
}

/* --- Death at each instruction -----------------------------------------------------------------*/

/* The shared memory as a process has left it. */
struct snapshot {
  struct shared *memory;
  struct cwi_zone_header *header;
};

static size_t shared_bytes(void)
{
  return offsetof(struct shared, memory) + shared->used;
}

static void snapshot_take(const struct snapshot *snapshot)
{
  memcpy(snapshot->memory, shared, shared_bytes());
  memcpy(snapshot->header, cwi_zone.header, sizeof *cwi_zone.header);
}

static bool snapshot_is_current(const struct snapshot *snapshot)
{
  return memcmp(snapshot->memory, shared, shared_bytes()) == 0;
}

static void snapshot_restore(const struct snapshot *snapshot)
{
  memcpy(shared, snapshot->memory, offsetof(struct shared, memory) + snapshot->memory->used);
  memcpy(cwi_zone.header, snapshot->header, sizeof *cwi_zone.header);
}

/* Starts a process that works, and stops it before its first instruction. */
static pid_t trace_worker(uint32_t number)
{
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
      _exit(KIT_SKIP);
    raise(SIGSTOP);
    work(number);
    _exit(KIT_PASS);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    abort();
  if (WIFEXITED(status))
    kit_skip("processes cannot be traced here");
  return pid;
}

/* Executes one instruction. Returns false if the process has ended. */
static bool trace_step(pid_t pid)
{
  int status = 0;
  if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid)
    kit_skip("this machine executes no single steps");
  kit_check(WIFSTOPPED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == KIT_PASS),
            "the process has failed");
  return WIFSTOPPED(status);
}

static void note_death(int number)
{
  shared->failed[number] = 1;
}

/* Kills a process after some instructions. */
static void kill_after(uint32_t number, long steps)
{
  const pid_t pid = trace_worker(number);
  while (steps > 0 && trace_step(pid))
    steps--;
  if (steps == 0 && (kill(pid, SIGKILL) != 0 || waitpid(pid, NULL, 0) != pid))
    abort();
  note_death((int)number);
}

/* Process 0 works. After each of its instructions that has changed the shared memory, process 3
 * finishes the tasks as if process 0 had been killed; then process 0 continues. */
static long die_at_each(const struct snapshot *snapshot, int64_t tasks)
{
  const pid_t pid = trace_worker(0);
  long deaths = 0, steps = 0;
  snapshot_take(snapshot);
  for (; trace_step(pid); steps++) {
    if (snapshot_is_current(snapshot))
      continue;
    kit_about("%ld tasks, killed after %ld instructions", (long)tasks, steps);
    snapshot_take(snapshot);
    note_death(0);
    cwi_robust_open(&queues[3], &pool, 3);
    work(3);
    check_tasks(tasks);
    snapshot_restore(snapshot);
    deaths++;
  }
  check_tasks(tasks);
  return deaths;
}

/* The tasks are those of process 0; or of process 1, which is idle; or of process 2, which has been
 * killed before. */
static void part_death(long rounds)
{
  enum { MOST_TASKS = 40, STEPS = 8000 };
  const struct snapshot snapshot = {kit_alloc(1, sizeof *snapshot.memory),
                                    kit_alloc(1, sizeof *snapshot.header)};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  const int pinned = sched_setaffinity(0, sizeof one, &one); /* steps take less time */
  (void)pinned;
  long deaths = 0;
  for (long round = 0; round < rounds; round++) {
    const int64_t tasks = 1 + kit_own(MOST_TASKS);
    const uint32_t owner = (uint32_t)(round % 3);
    reset();
    add_root(owner, tasks);
    if (owner == 2)
      kill_after(2, kit_own(STEPS));
    deaths += die_at_each(&snapshot, tasks);
  }
  printf("%ld deaths in %ld rounds\n", deaths, rounds);
  free(snapshot.memory);
  free(snapshot.header);
}

/* --- Death at random times ---------------------------------------------------------------------*/

static void sleep_some(int most_microseconds)
{
  const struct timespec some = {0, 1000L * kit_own(most_microseconds)};
  nanosleep(&some, NULL);
}

/* Four processes work, of which up to three are killed. */
static long kill_some(int64_t tasks)
{
  pid_t pids[QUEUES];
  long kills = 0;
  int status = 0;
  reset();
  add_root((uint32_t)kit_own(QUEUES), tasks);
  for (uint32_t i = 0; i < QUEUES; i++)
    if ((pids[i] = fork()) == 0) {
      work(i);
      _exit(KIT_PASS);
    }
  for (int i = 0; i < QUEUES - 1; i++) {
    sleep_some(400);
    if (kill(pids[i], SIGKILL) != 0 || waitpid(pids[i], &status, 0) != pids[i])
      abort();
    kills += WIFSIGNALED(status);
    __atomic_store_n(&shared->failed[i], WIFSIGNALED(status), __ATOMIC_RELEASE);
  }
  if (waitpid(pids[QUEUES - 1], &status, 0) != pids[QUEUES - 1])
    abort();
  kit_check(WIFEXITED(status) && WEXITSTATUS(status) == KIT_PASS, "the survivor has failed");
  check_tasks(tasks);
  return kills;
}

static void part_kills(long rounds)
{
  long kills = 0;
  for (long round = 0; round < rounds; round++) {
    kit_about("round %ld", round);
    kills += kill_some(1 + kit_own(MOST - 1));
  }
  printf("%ld processes killed in %ld rounds\n", kills, rounds);
}

/* --- The model ---------------------------------------------------------------------------------*/

struct model {
  int64_t ids[MOST];
  int affinity[MOST];
  int count;     /* committed */
  int published; /* of these, the oldest */
  int pending;   /* after these */
};

static void model_add(struct model *model, int64_t id, int affinity)
{
  int place = model->count + model->pending++;
  for (int depth = 0;
       depth < CWI_QUEUE_DEPTH && place > model->count && model->affinity[place - 1] > affinity;
       depth++, place--) {
    model->ids[place] = model->ids[place - 1];
    model->affinity[place] = model->affinity[place - 1];
  }
  model->ids[place] = id;
  model->affinity[place] = affinity;
}

static void model_remove_oldest(struct model *model, int count)
{
  model->count -= count;
  model->published -= count;
  memmove(model->ids, model->ids + count, (size_t)model->count * sizeof model->ids[0]);
  memmove(model->affinity, model->affinity + count,
          (size_t)model->count * sizeof model->affinity[0]);
}

static bool add_id(struct cwi_robust_queue *queue, int64_t id, int affinity)
{
  const struct cwi_slot_head head = {.affinity = affinity, .bytes = sizeof id};
  return cwi_robust_add(queue, head, &id);
}

/* Takes a task; some of its children are committed, some dropped. */
static void check_run(struct model *model, int64_t *next)
{
  struct cwi_robust_queue *queue = &queues[0];
  struct cwi_slot_head head;
  const void *body = NULL;
  if (model->count == model->published)
    model->published /= 2;
  const bool taken = cwi_robust_take(queue, &head, &body);
  kit_check_long(taken, model->count > model->published, "a task to run");
  if (!taken)
    return;
  model->count--;
  kit_check_bytes(body, &model->ids[model->count], sizeof(int64_t), "the task that runs");
  kit_check_long(head.affinity, model->affinity[model->count], "its affinity");
  for (int i = kit_own(4); i > 0; i--, (*next)++) {
    const int affinity = kit_own(3);
    kit_check(add_id(queue, *next, affinity), "no memory");
    model_add(model, *next, affinity);
  }
  if (kit_own(4) == 0) {
    cwi_robust_drop(queue);
    model->pending = 0;
  }
  cwi_robust_finish(queue);
  model->count += model->pending;
  model->pending = 0;
}

/* A thief takes the oldest published half, as much as it has space for, and runs them. */
static void check_steal(struct model *model)
{
  struct cwi_robust_queue *thief = &queues[1];
  struct cwi_slot_head head;
  const void *body = NULL;
  bool over = false;
  const int half = (model->published + 1) / 2, want = half < SLOTS - 1 ? half : SLOTS - 1;
  const long count = (long)cwi_robust_steal(thief, 0, 1, &over);
  kit_check_long(count, want, "stolen tasks");
  for (long i = count; i-- > 0;) {
    kit_check(cwi_robust_take(thief, &head, &body), "a stolen task is missing");
    kit_check_bytes(body, &model->ids[i], sizeof(int64_t), "the stolen task");
    cwi_robust_finish(thief);
  }
  model_remove_oldest(model, (int)count);
}

static void check_step(struct model *model, int64_t *next)
{
  struct cwi_robust_queue *queue = &queues[0];
  const int private = model->count - model->published;
  switch (kit_own(8)) {
  case 0:
    check_steal(model);
    return;
  case 1:
    if (cwi_robust_exhausted(queue)) {
      cwi_robust_release(queue, (uint64_t) private / 2);
      model->published += private / 2;
    }
    return;
  case 2:
    if (model->count > MOST / 2 || kit_own(20) == 0) {
      kit_check_long((long)cwi_robust_clear(queue), model->count, "dropped tasks");
      model->count = model->published = 0;
    }
    return;
  case 3:
    kit_check(add_id(queue, *next, 0), "no memory");
    model_add(model, (*next)++, 0);
    cwi_robust_publish(queue);
    model->published = model->count += model->pending;
    model->pending = 0;
    return;
  default:
    check_run(model, next);
  }
}

static void part_random(long rounds)
{
  struct model *model = kit_alloc(1, sizeof *model);
  uint64_t settled = 0;
  int64_t next = 1;
  reset();
  for (long round = 0; round < rounds; round++) {
    kit_about("round %ld", round);
    check_step(model, &next);
    kit_check_long((long)cwi_robust_private(&queues[0]), model->count - model->published,
                   "private tasks");
  }
  cwi_robust_clear(&queues[0]);
  for (int i = 0; i < 2; i++)
    cwi_robust_note_settled(&queues[i]);
  kit_check(cwi_robust_is_over(&pool, 1, &settled), "tasks are left");
  free(model);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "task_robust");
  const char *part = argc > 1 ? argv[1] : "random", *number = argc > 2 ? argv[2] : NULL;
  make_pool();
  if (strcmp(part, "death") == 0)
    part_death(kit_rounds(number, 12));
  else if (strcmp(part, "kills") == 0)
    part_kills(kit_rounds(number, 400));
  else
    part_random(kit_rounds(number, 100000));
  return kit_finish();
}

/* A pool of tasks whose processes die. All but one may kill themselves, at a random time or at a
 * chosen point of a task. The others continue, and in each phase every task must have had its
 * effects exactly once. On several nodes process 0 lives, and effects on lost nodes are not
 * checked. Needs CW_FAILURES=survive and run.sh.
 *
 * usage: task_pool [PHASES [NODE_SIZE [peers]]]
 *
 * With NODE_SIZE the processes are on virtual nodes, and none dies at a random time, which may be
 * within a call of MPI and block other processes for ever (rounds.c). The first process of a node
 * has a server, whose thread is often in such a call: with "peers" these processes live. */
#include "kit/native.h"

#include <causeway/failure.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { NODES = 3000, MOST_PHASES = 20 };

/* Where a process kills itself: in its n-th task, at one of these points. */
enum point { AT_BEGIN, AFTER_EFFECTS, AFTER_COMMIT, AT_TIME, NEVER, POINTS };

static enum point point;
static long deadly;  /* the task in which it does */
static int immortal; /* the process that adds the first task, and lives */
static bool lives;   /* this process does not kill itself */
static bool on_virtual_nodes;
static bool gathers;    /* all marks are at process 0 */
static int64_t **marks; /* [process] [phase][node], then the sums of phases */

/* Nodes first to first + count - 1 of a phase. */
struct range {
  int64_t phase, first, count;
};

static void die_at(enum point here, long ran)
{
  if (point == here && ran == deadly)
    raise(SIGKILL);
}

/* Returns the process at which a node is marked. */
static int process_of(int64_t node)
{
  return gathers ? 0 : (int)(node % kit_processes());
}

static void register_node(const cw_task *task, int64_t phase, int64_t node)
{
  const int64_t one = 1;
  const double real = 1;
  const int process = process_of(node);
  int64_t *mark = marks[process] + phase * NODES + node;
  double *sum = (double *)(void *)(marks[0] + MOST_PHASES * NODES + phase);
  KIT_MUST(cw_task_accumulate(task, CW_INT64, CW_SUM, &one, mark, sizeof one, process));
  KIT_MUST(cw_task_accumulate(task, CW_DOUBLE, CW_SUM, &real, sum, sizeof real, 0));
}

/* Marks the first node, and adds the others in two halves. Some tasks commit and continue. */
static cw_error visit(const cw_task *task, void *argument)
{
  long *ran = argument;
  struct range range;
  memcpy(&range, task->body, sizeof range);
  ++*ran;
  die_at(AT_BEGIN, *ran);
  register_node(task, range.phase, range.first);
  range.first++;
  range.count--;
  if (range.count % 3 == 1) {
    KIT_MUST(cw_task_commit(task, &range, sizeof range));
    die_at(AFTER_COMMIT, *ran);
    register_node(task, range.phase, range.first);
    range.first++;
    range.count--;
  }
  const struct range halves[2] = {
      {range.phase, range.first, range.count / 2},
      {range.phase, range.first + range.count / 2, range.count - range.count / 2}};
  for (int i = 0; i < 2; i++)
    if (halves[i].count > 0)
      KIT_MUST(cw_tasks_add(task->pool, task->number, &halves[i], sizeof halves[i]));
  die_at(AFTER_EFFECTS, *ran);
  return CW_OK;
}

static void on_time(int signal)
{
  (void)signal;
  raise(SIGKILL);
}

/* Chooses how this process dies. */
static void choose_death(long phases)
{
  point = (enum point)kit_own(POINTS);
  if (lives || (point == AT_TIME && on_virtual_nodes))
    point = NEVER;
  deadly = 1 + kit_own((int)phases * NODES / 8);
  if (point != AT_TIME)
    return;
  const struct itimerval once = {.it_value = {0, 1 + kit_own(4000 * (int)phases)}};
  signal(SIGALRM, on_time);
  setitimer(ITIMER_REAL, &once, NULL);
}

/* Checks the marks at a process. Those of a lost node are gone. */
static void check_marks(int process, int64_t phase)
{
  static int64_t got[NODES];
  const cw_error error =
      CW_MAY_FAIL(cw_get(got, marks[process] + phase * NODES, sizeof got, process));
  if (error == CW_FAILED && cw_nodes() > 1 && process != 0)
    return;
  kit_check(error == CW_OK, "cw_get: %d %s", (int)error, cw_error_message());
  for (int64_t node = 0; node < NODES; node++)
    kit_check_long((long)got[node], process_of(node) == process, "times that a node was marked");
}

static void check_phase(int64_t phase)
{
  double sum = 0;
  kit_about("phase %ld", (long)phase);
  for (int process = 0; process < kit_processes(); process++)
    check_marks(process, phase);
  KIT_OK(cw_get(&sum, marks[0] + MOST_PHASES * NODES + phase, sizeof sum, 0));
  kit_check(sum == NODES, "the sum is %g", sum);
}

static void run_phase(cw_tasks pool, int number, int64_t phase)
{
  const struct range all = {phase, 0, NODES};
  if (kit_me() == immortal)
    KIT_MUST(cw_tasks_add(pool, number, &all, sizeof all));
  KIT_MUST(cw_tasks_process(pool));
  check_phase(phase);
}

/* Runs one more phase in a pool of the survivors, who no longer die. They may all be on one node,
 * and a task of their pool then has effects there only. */
static void run_shrunken(int64_t phase)
{
  gathers = cw_nodes() > 1;

  cw_team survivors = NULL;
  cw_tasks pool = NULL;
  int number = 0;
  long ran = 0;
  KIT_MUST(cw_team_shrink(cw_team_world(), &survivors));
  KIT_MUST(cw_tasks_create(survivors, &(cw_tasks_options){.survive = true}, &pool));
  KIT_MUST(cw_tasks_register(pool, "visit", visit, &ran, &number));
  run_phase(pool, number, phase);
  KIT_OK(cw_tasks_free(&pool));
  KIT_OK(cw_team_free(&survivors));
}

/* Ends the chance to die: from here on calls are collective. */
static void live_on(void)
{
  const struct itimerval none = {.it_value = {0, 0}};
  setitimer(ITIMER_REAL, &none, NULL);
  point = NEVER;
}

static void kill_some(long phases)
{
  cw_region region = NULL;
  cw_tasks pool = NULL;
  int number = 0;
  long ran = 0;
  if (!cw_survives())
    kit_skip("this job ends when a process fails");
  kit_make_region((MOST_PHASES * NODES + MOST_PHASES) * sizeof(int64_t), &region, (void ***)&marks);
  KIT_MUST(
      cw_tasks_create(cw_team_world(), &(cw_tasks_options){.survive = true, .slots = 16}, &pool));
  KIT_MUST(cw_tasks_register(pool, "visit", visit, &ran, &number));
  KIT_MUST(cw_barrier(cw_team_world()));
  choose_death(phases);
  for (int64_t phase = 0; phase < phases; phase++)
    run_phase(pool, number, phase);
  live_on();
  KIT_OK(cw_tasks_free(&pool));
  run_shrunken(phases);
}

int main(int argc, char **argv)
{
  on_virtual_nodes = argc > 2;
  const bool peers = argc > 3 && strcmp(argv[3], "peers") == 0;
  if (on_virtual_nodes)
    setenv("CW_NODE_SIZE", argv[2], 1);
  kit_start_native(&argc, &argv, "task_pool");
  const long phases = argc > 1 ? atol(argv[1]) : 3;
  immortal = cw_nodes() > 1 ? 0 : kit_processes() - 1;
  lives = kit_me() == immortal || (peers && kit_me() % atoi(argv[2]) == 0);
  kit_hang_guard();
  kill_some(phases < MOST_PHASES ? phases : MOST_PHASES - 1);
  KIT_OK(cw_finalize());
  cw_failure_end(kit_verdict());
}

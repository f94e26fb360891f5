/* A tool with counters of its own. Causeway calls it at the beginning and end of each call and of
 * each phase of the program. Such a tool may also be a separate library that registers itself when
 * it is loaded, as TAU or Score-P could. This one counts the calls and their time in each phase. */
#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The tool: calls and phases nest, and each thread has its own state ----------------------- */

enum { DEEPEST = 64, PHASES = 8 };

struct counters {
  char phase[32];
  long calls[CW_CALL_CLASSES];
  size_t bytes[CW_CALL_CLASSES];
  double seconds;
};

struct thread {
  double began[DEEPEST];
  int depth;
  int in_phase[DEEPEST]; /* indices in the table of the phases that are open; the last one counts */
  int open;
};

static struct counters table[PHASES] = {
    {.phase = "(no phase)"}}; /* not protected: this program has one thread */
static int phases = 1;
static _Thread_local struct thread mine;

static int phase_find(const char *name)
{
  for (int i = 0; i < phases; i++)
    if (strcmp(table[i].phase, name) == 0)
      return i;
  if (phases == PHASES)
    return 0;
  snprintf(table[phases].phase, sizeof table[phases].phase, "%s", name);
  return phases++;
}

static void begin(const cw_profile_call *call, void *context)
{
  (void)context;
  if (call->call_class == CW_CALL_PROGRAM_PHASE && mine.open + 1 < DEEPEST)
    mine.in_phase[++mine.open] = phase_find(call->name);
  if (mine.depth < DEEPEST)
    mine.began[mine.depth] = MPI_Wtime();
  mine.depth++;
}

static void end(const cw_profile_call *call, void *context)
{
  struct counters *counters = &table[mine.in_phase[mine.open]];
  (void)context;
  mine.depth--;
  if (call->call_class == CW_CALL_PROGRAM_PHASE) {
    mine.open -= mine.open > 0;
    return;
  }
  counters->calls[call->call_class]++;
  counters->bytes[call->call_class] += call->bytes;
  if (mine.depth < DEEPEST)
    counters->seconds += MPI_Wtime() - mine.began[mine.depth];
}

static void show(void)
{
  for (int phase = 0; phase < phases; phase++) {
    printf("%s: %.6f s in calls\n", table[phase].phase, table[phase].seconds);
    for (int i = 0; i < CW_CALL_CLASSES; i++)
      if (table[phase].calls[i] > 0)
        printf("  %-18s %6ld calls %10zu bytes\n", cw_call_class_word((cw_call_class)i),
               table[phase].calls[i], table[phase].bytes[i]);
  }
}

/* --- The program ------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
  enum { WORDS = 1000 };
  const cw_profile_tool tool = {begin, end, NULL};
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_profile_register(&tool)); /* before cw_init, to see all calls that follow it */
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;

  cw_region region = NULL;
  void **at = malloc((size_t)all * sizeof *at);
  CW_MUST(cw_region_create(cw_team_world(), WORDS * sizeof(int64_t), &region, at));
  CW_MUST(cw_profile_begin("scatter"));
  for (int64_t i = 0; i < WORDS; i++)
    CW_MUST(cw_put(&i, (int64_t *)at[next] + i, sizeof i, next));
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_profile_end());

  int64_t sum = 0;
  CW_MUST(cw_profile_begin("sum"));
  for (int i = 0; i < WORDS; i++)
    sum += ((int64_t *)at[me])[i];
  CW_MUST(cw_allreduce(cw_team_world(), CW_INT64, CW_SUM, 1, &sum));
  CW_MUST(cw_profile_end());
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(at);
  CW_MUST(cw_finalize());

  const int scatter = phase_find("scatter");
  const int right = sum == (int64_t)all * WORDS * (WORDS - 1) / 2 &&
                    table[scatter].calls[CW_CALL_PUT] == WORDS &&
                    table[scatter].bytes[CW_CALL_PUT] == WORDS * sizeof(int64_t) &&
                    table[scatter].calls[CW_CALL_BARRIER] == 1;
  if (me == 0)
    show();
  MPI_Finalize();
  return right ? 0 : 1;
}

#include "ga_kit.h"

#include <ga-mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPORTS = 4, SCRATCH_ELEMENTS = 1 << 20 };

/* Present in mutant builds only (ga_mutant.c): makes transfers do nothing from now on. */
__attribute__((weak)) void ga_mutant_enable(void);

char kit_name[] = "test array";
char kit_sum[] = "+";

static struct {
  const char *program;
  char about[160];
  int me, processes;
  MPI_Comm comm;
  uint64_t seed, common, own;
  long checks, failures;
  bool trace;
} kit;

static uint64_t next_random(uint64_t *state)
{
  /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void start_random(void)
{
  const char *given = getenv("CW_TEST_SEED");

  kit.seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
  MPI_Bcast(&kit.seed, 1, MPI_UINT64_T, 0, kit.comm);
  kit.common = kit.seed;
  kit.own = kit.seed ^ (0x5851f42d4c957f2du * (uint64_t)(kit.me + 1));
}

void kit_start(int *argc, char ***argv, const char *program)
{
  int level;

  /* A server thread between nodes needs MULTIPLE; if MPI grants less, there is none. */
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
  GA_Initialize();
  /* GA takes its scratch memory from MA. */
  MA_init(C_DBL, SCRATCH_ELEMENTS, SCRATCH_ELEMENTS);
  kit.program = program;
  kit.trace = getenv("CW_TEST_TRACE") != NULL;
  kit.me = GA_Nodeid();
  kit.processes = GA_Nnodes();
  /* Not GA's own communicator: the verdict outlives GA. */
  MPI_Comm_dup(GA_MPI_Comm(), &kit.comm);
  start_random();
  if (ga_mutant_enable)
    ga_mutant_enable();
}

void kit_restart_ga(void)
{
  GA_Terminate();
  MPI_Barrier(kit.comm);
  GA_Initialize(); /* MA outlives GA */
}

static _Noreturn void stop(int code)
{
  GA_Terminate();
  MPI_Comm_free(&kit.comm);
  MPI_Finalize();
  exit(code);
}

int kit_finish(void)
{
  long mine[3] = {kit.checks, kit.failures, kit.failures > 0}, all[3];
  bool failed;

  MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, kit.comm);
  failed = all[1] > 0 || all[0] == 0; /* a program that checked nothing has proved nothing */
  if (kit.me == 0) {
    printf("%s: %s: %ld of %ld checks failed in %ld of %d processes, CW_TEST_SEED=%llu\n",
           kit.program, failed ? "DATA FAILURE" : "passed", all[1], all[0], all[2], kit.processes,
           (unsigned long long)kit.seed);
    fflush(stdout);
  }
  stop(failed ? KIT_FAIL : KIT_PASS);
}

void kit_stop_if_failed(void)
{
  int failed = kit.failures > 0;

  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, kit.comm);
  if (failed)
    kit_finish();
}

void kit_skip(const char *reason)
{
  if (kit.me == 0)
    printf("%s: skipped: %s\n", kit.program, reason);
  stop(KIT_SKIP);
}

int kit_me(void)
{
  return kit.me;
}

int kit_processes(void)
{
  return kit.processes;
}

MPI_Comm kit_comm(void)
{
  return kit.comm;
}

void kit_about(const char *format, ...)
{
  va_list list;

  va_start(list, format);
  vsnprintf(kit.about, sizeof kit.about, format, list);
  va_end(list);
  /* for a test that hangs or aborts */
  if (kit.trace)
    fprintf(stderr, "%s: process %d: %s\n", kit.program, kit.me, kit.about);
}

bool kit_check(bool passed, const char *format, ...)
{
  char text[256];
  va_list list;

  kit.checks++;
  if (passed)
    return true;
  if (kit.failures++ < REPORTS) {
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    /* one write for each line, or processes mix theirs */
    fprintf(stderr, "%s: process %d of %d: %s: %s\n", kit.program, kit.me, kit.processes, kit.about,
            text);
  }
  return false;
}

bool kit_check_long(long got, long want, const char *what)
{
  return kit_check(got == want, "%s: got %ld, want %ld", what, got, want);
}

bool kit_check_near(double got, double want, double tolerance, const char *what)
{
  double difference = got > want ? got - want : want - got;

  /* written so that NaN fails */
  return kit_check(difference <= tolerance, "%s: got %.17g, want %.17g +- %g", what, got, want,
                   tolerance);
}

int kit_common(int count)
{
  return (int)(next_random(&kit.common) % (uint64_t)count);
}

int kit_own(int count)
{
  return (int)(next_random(&kit.own) % (uint64_t)count);
}

void *kit_alloc(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);

  if (!memory)
    GA_Error(kit_name, KIT_FAIL);
  return memory;
}

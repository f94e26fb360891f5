#include "kit/kit.h"

#include "number/random.h"

#include <dirent.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PRINTED = 5 };

static const char *program_name = "test";
static char about[256];
static MPI_Comm world = MPI_COMM_WORLD;
static int me, processes;
static long checks, failures;
static uint64_t seed, common_state, own_state;

static void must(int code)
{
  if (code != MPI_SUCCESS)
    abort();
}

static void own_sequence(void)
{
  own_state = seed + 0x1000003u * (uint64_t)(me + 1);
}

/* Reads the seed on process 0 and broadcasts it, so that all processes have the same. */
static void read_seed(void)
{
  const char *text = getenv("CW_TEST_SEED");
  seed = text != NULL ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) % 1000000;
  must(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, world));
  common_state = seed;
  own_sequence();
}

long kit_rounds(const char *given, long usual)
{
  const char *times = getenv("CW_TEST_TIMES");
  const long number = given != NULL ? atol(given) : usual;
  const long rounds = times != NULL ? (long)((double)number * strtod(times, NULL)) : number;
  return rounds < 1 && number > 0 ? 1 : rounds;
}

void kit_start(int *argc, char ***argv, const char *program)
{
  int up = 0;
  must(MPI_Initialized(&up));
  if (!up)
    must(MPI_Init(argc, argv));
  must(MPI_Comm_rank(world, &me));
  must(MPI_Comm_size(world, &processes));
  program_name = program;
  read_seed();
}

void kit_use_world(MPI_Comm given)
{
  const int before = me;
  must(MPI_Comm_dup(given, &world));
  must(MPI_Comm_rank(world, &me));
  must(MPI_Comm_size(world, &processes));
  if (me != before)
    own_sequence();
}

static void end_mpi(void)
{
  if (world != MPI_COMM_WORLD)
    must(MPI_Comm_free(&world));
  must(MPI_Finalize());
}

int kit_finish(void)
{
  long mine[2] = {checks, failures}, all[2] = {0, 0};
  must(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, world));
  const bool passed = all[1] == 0 && all[0] > 0;
  if (me == 0)
    printf("%s: %s: %ld checks on %d processes, %ld failed (CW_TEST_SEED=%lu)\n", program_name,
           passed ? "passed" : "FAILED", all[0], processes, all[1], (unsigned long)seed);
  fflush(stdout);
  end_mpi();
  return passed ? KIT_PASS : KIT_FAIL;
}

int kit_verdict(void)
{
  const bool passed = failures == 0 && checks > 0;
  printf("%s[%d]: %s: %ld checks, %ld failed (CW_TEST_SEED=%lu)\n", program_name, me,
         passed ? "passed" : "FAILED", checks, failures, (unsigned long)seed);
  fflush(stdout);
  return passed ? KIT_PASS : KIT_FAIL;
}

void kit_skip(const char *reason)
{
  if (me == 0)
    printf("%s: skipped: %s\n", program_name, reason);
  fflush(stdout);
  end_mpi();
  exit(KIT_SKIP);
}

int kit_me(void)
{
  return me;
}

int kit_processes(void)
{
  return processes;
}

MPI_Comm kit_comm(void)
{
  return world;
}

void kit_about(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(about, sizeof about, format, arguments);
  va_end(arguments);
}

bool kit_check(bool passed, const char *format, ...)
{
  __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED); /* several threads may check at once */
  if (passed)
    return true;
  if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) >= PRINTED)
    return false;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s[%d] %s: %s (CW_TEST_SEED=%lu)\n", program_name, me, about, message,
          (unsigned long)seed);
  return false;
}

bool kit_check_long(long got, long want, const char *what)
{
  return kit_check(got == want, "%s is %ld; it should be %ld", what, got, want);
}

bool kit_check_bytes(const void *got, const void *want, size_t bytes, const char *what)
{
  const unsigned char *a = got, *b = want;
  size_t at = 0;
  if (memcmp(got, want, bytes) != 0)
    while (a[at] == b[at])
      at++;
  else
    at = bytes;
  return kit_check(at == bytes, "%s: byte %zu of %zu is 0x%02x; it should be 0x%02x", what, at,
                   bytes, at < bytes ? a[at] : 0u, at < bytes ? b[at] : 0u);
}

int kit_random(uint64_t *state, int count)
{
  return (int)(cwi_random_next(state) % (uint64_t)count);
}

int kit_common(int count)
{
  return kit_random(&common_state, count);
}

int kit_own(int count)
{
  return kit_random(&own_state, count);
}

void *kit_alloc(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) {
    fprintf(stderr, "%s: no memory for %zu x %zu bytes\n", program_name, count, size);
    exit(KIT_FAIL);
  }
  return memory;
}

void kit_barrier(void)
{
  must(MPI_Barrier(world));
}

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the number of times that this thread has slept. A yield does not count. */
static long sleeps(void)
{
  struct rusage usage = {0};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/* On a busy machine a wait lasts longer and each pass costs more CPU time, but a thread that sleeps
 * between two passes still computes for a few passes only. */
void kit_check_waits(void (*wait)(bool late), const char *what)
{
  enum { ROUNDS = 30, FIRST_SLEEPS = 16 /* each longer than the one before */ };
  static const double ROUND_SECONDS = 1e-3, PASS_SECONDS = 100e-6, SLEEP_SECONDS = 100e-6;
  double waited = 0, used = 0;
  long slept = 0;
  kit_about("%s", what);
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    const long before = sleeps();
    wait(me == 0);
    slept += sleeps() - before;
    waited += seconds(CLOCK_MONOTONIC) - begin;
    used += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    kit_barrier();
  }
  kit_check(me == 0 || used < ROUNDS * ROUND_SECONDS + (double)slept * PASS_SECONDS,
            "it used %.0f ms of CPU, and slept %ld times in a wait of %.0f ms", 1e3 * used, slept,
            1e3 * waited);
  kit_check(me == 0 || (double)slept < ROUNDS * FIRST_SLEEPS + waited / SLEEP_SECONDS,
            "it slept %ld times in a wait of %.0f ms", slept, 1e3 * waited);
}

enum { TIMEOUT = 60000 /* milliseconds */ };

void kit_await(const int *count, int least)
{
  for (int i = 0; i < TIMEOUT && __atomic_load_n(count, __ATOMIC_SEQ_CST) < least; i++)
    usleep(1000);
}

long kit_threads(void)
{
  long count = 0;
  DIR *folder = opendir("/proc/self/task");
  if (folder == NULL)
    return -1;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

bool kit_check_threads(long wanted, const char *what)
{
  for (int i = 0; i < TIMEOUT && kit_threads() != wanted; i++)
    usleep(1000);
  return kit_check_long(kit_threads(), wanted, what);
}

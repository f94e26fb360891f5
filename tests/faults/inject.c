/* Decides which call fails, and ends a program that then hangs or crashes: see sweep.sh. */
#include "inject.h"

#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc
#undef posix_memalign
#undef free

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct fault_site *sites;
static char wanted[256];    /* "calloc@src/core/base/hash_map.c:grow:22" */
static unsigned number = 1; /* the number of its call that fails */
static bool lasts;          /* all later calls of all sites fail, too */
static bool injected;
static int own_rank;
static int pieces; /* pieces of memory that the library has */
static long bytes_had;

/* Returns the rank from the launcher's variables, before MPI is initialised. */
static int learn_rank(void)
{
  const char *rank = getenv("PMI_RANK");
  if (rank == NULL)
    rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL ? atoi(rank) : 0;
}

static void print_text(const char *text)
{
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    _exit(98);
}

/* Shortens a path to src/... or interfaces/... */
static const char *short_name(const char *file)
{
  const char *begin = strstr(file, "/src/");
  if (begin == NULL)
    begin = strstr(file, "/interfaces/");
  return begin != NULL ? begin + 1 : file;
}

static void name_site(const struct fault_site *site, char *text, size_t size)
{
  snprintf(text, size, "%s@%s:%s:%d", site->call, short_name(site->file), site->function,
           site->line);
}

static void list_site(struct fault_site *site)
{
  if (__atomic_exchange_n(&site->listed, true, __ATOMIC_ACQ_REL))
    return;
  site->next = __atomic_load_n(&sites, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&sites, &site->next, site, true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
    continue;
}

static bool is_wanted(const struct fault_site *site)
{
  char name[256];
  name_site(site, name, sizeof name);
  return strcmp(name, wanted) == 0;
}

bool fault_strikes(struct fault_site *site)
{
  const unsigned count = __atomic_add_fetch(&site->count, 1, __ATOMIC_RELAXED);
  if (!site->listed)
    list_site(site);
  if (wanted[0] == '\0')
    return false;
  if (__atomic_load_n(&injected, __ATOMIC_ACQUIRE))
    return lasts;
  if (count != number || !is_wanted(site))
    return false;
  char text[400];
  snprintf(text, sizeof text, "fault: %s fails, call %u\n", wanted, number);
  print_text(text);
  __atomic_store_n(&injected, true, __ATOMIC_RELEASE);
  return true;
}

void counted_has(int more, long bytes)
{
  __atomic_add_fetch(&pieces, more, __ATOMIC_RELAXED);
  __atomic_add_fetch(&bytes_had, bytes, __ATOMIC_RELAXED);
}

long fault_bytes(void)
{
  return __atomic_load_n(&bytes_had, __ATOMIC_RELAXED);
}

/* Reports the remaining pieces after the end of the library. */
static void report_pieces(void)
{
  char text[80];
  snprintf(text, sizeof text, "left: rank %d has %d pieces of memory\n", own_rank, pieces);
  print_text(text);
}

/* Writes one line for each site: number of calls, name. */
static void write_list(void)
{
  char path[512], name[256];
  snprintf(path, sizeof path, "%s.%d", getenv("CW_TEST_FAULT_LIST"), own_rank);
  FILE *file = fopen(path, "w");
  if (file == NULL)
    return;
  for (const struct fault_site *site = sites; site != NULL; site = site->next) {
    name_site(site, name, sizeof name);
    fprintf(file, "%u %s\n", site->count, name);
  }
  fclose(file);
}

/* The program is ending: unsafe calls in this handler can at worst lose the report.
 * NOLINTBEGIN(bugprone-signal-handler) */
static void on_signal(int signal_number)
{
  void *frames[40];
  char text[80];
  snprintf(text, sizeof text, "FAILED: rank %d %s (signal %d)\n", own_rank,
           signal_number == SIGALRM ? "hangs" : "crashes", signal_number);
  print_text(text);
  backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
  _exit(97);
}
/* NOLINTEND(bugprone-signal-handler) */

static __attribute__((constructor)) void start(void)
{
  static const int signals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  const char *site = getenv("CW_TEST_FAULT_SITE"), *which = getenv("CW_TEST_FAULT_NUMBER");
  const char *rank = getenv("CW_TEST_FAULT_RANK"), *seconds = getenv("CW_TEST_FAULT_HANG");
  void *frames[1];
  own_rank = learn_rank();
  backtrace(frames, 1); /* loads the libraries that it needs */
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    signal(signals[i], on_signal);
  alarm(seconds != NULL ? (unsigned)atoi(seconds) : 100);
  if (site != NULL && (rank == NULL || atoi(rank) == own_rank))
    snprintf(wanted, sizeof wanted, "%s", site);
  if (which != NULL)
    number = (unsigned)atoi(which);
  lasts = getenv("CW_TEST_FAULT_LASTS") != NULL;
  if (getenv("CW_TEST_FAULT_LIST") != NULL)
    atexit(write_list);
  atexit(report_pieces);
}

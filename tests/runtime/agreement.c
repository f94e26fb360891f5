/* Settings that all processes must share. Where they differ, or one process rejects its own, all
 * processes get the same message, and none waits for the others. */
#include "kit/native.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two values of a setting, neither of which the tests' environment sets. */
struct setting {
  const char *name, *one, *other;
};

static const struct setting shared[] = {{"CW_ROUTE", "direct", "rma"},
                                        {"CW_SERVER", "none", "rank"},
                                        {"CW_TOPOLOGY", "cfcg", "hypercube"},
                                        {"CW_SERVER_BUFFER", "8k", "32k"},
                                        {"CW_SERVER_CREDITS", "7", "8"},
                                        {"CW_NODE_SIZE", "1", "2"},
                                        {"CW_ZONE", "memfd", "mpi"},
                                        {"CW_ZONE_ADDRESS", "0x300000000000", "0x400000000000"},
                                        {"CW_CHUNK_SIZE", "1M", "2M"},
                                        {"CW_TEAM_METHOD", "create_group", "merge"},
                                        {"CW_DOMAINS", "process", "node"},
                                        {"CW_STATS", "0", "1"},
                                        {"CW_GA_DISTRIBUTION", "cyclic", "block-cyclic:7"}};

static const struct setting own[] = {{"CW_SERVER_BULK", "1M", "2M"},
                                     {"CW_SERVER_SPIN", "10", "20"},
                                     {"CW_SERVER_TIMEOUT", "50", "0"},
                                     {"CW_PUNCH_SIZE", "1M", "2M"},
                                     {"CW_COPY", "auto", "library"},
                                     {"CW_HUGE_PAGES", "0", "0"},
                                     {"CW_CLEAR_MEMORY", "0", "1"},
                                     {"CW_RMA_METHOD", "auto", "direct"},
                                     {"CW_RMA_BATCH", "3", "4"},
                                     {"CW_RMA_CHECK", "0", "1"},
                                     {"CW_RAISE_THREADS", "0", "1"},
                                     {"CW_SPIN", "100", "200"},
                                     {"CW_LOG", "1", "0"}};

enum { SHARED = sizeof shared / sizeof shared[0], OWN = sizeof own / sizeof own[0] };

static char *saved;

static void set(const char *name, const char *value)
{
  const char *before = getenv(name);
  free(saved);
  saved = before != NULL ? strdup(before) : NULL;
  setenv(name, value, 1);
}

static void restore(const char *name)
{
  if (saved != NULL)
    setenv(name, saved, 1);
  else
    unsetenv(name);
}

/* All processes have one of the values, and the odd one has the other. */
static void test_difference(const struct setting *setting, int odd)
{
  char words[256];
  kit_about("%s differs in rank %d", setting->name, odd);
  set(setting->name, kit_me() == odd ? setting->other : setting->one);
  snprintf(words, sizeof words, "cw_init: |%s| '%s' in rank %d| '%s' in rank %d", setting->name,
           setting->other, odd, setting->one, odd == 0 ? 1 : 0);
  KIT_MISUSE(words, cw_init(MPI_COMM_WORLD));
  kit_check(!cw_initialized(), "Causeway runs after a refused cw_init");
  restore(setting->name);
}

static void test_failing_start(int odd)
{
  char words[64];
  kit_about("rank %d refuses CW_SPIN=many", odd);
  if (kit_me() == odd)
    set("CW_SPIN", "many");
  snprintf(words, sizeof words, "cw_init: |CW_SPIN|'many'");
  if (kit_me() != odd)
    snprintf(words, sizeof words, "cw_init: |CW_SPIN|'many'|in rank %d", odd);
  KIT_MISUSE(words, cw_init(MPI_COMM_WORLD));
  if (kit_me() == odd)
    restore("CW_SPIN");
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "agreement");
  kit_hang_guard();
  const int last = kit_processes() - 1;
  for (int i = 0; i < SHARED; i++) {
    test_difference(&shared[i], 0);
    test_difference(&shared[i], last);
  }
  test_failing_start(0);
  test_failing_start(last);
  kit_about("what each process has for itself");
  for (int i = 0; i < OWN; i++)
    setenv(own[i].name, kit_me() == 0 ? own[i].one : own[i].other, 1);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_MUST(cw_finalize());
  free(saved);
  return kit_finish();
}

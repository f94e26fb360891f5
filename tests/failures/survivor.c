#include "failures/survivor.h"

#include "kit/kit.h"
#include "number/random.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed;
static enum survivor_death chosen;
static bool is_victim, spares_first;
static int after;      /* microseconds or calls before this process dies */
static int calls_left; /* before this process dies; 0 if it does not die at a call now */

void survivor_start(int *argc, char ***argv, const char *program)
{
  kit_start(argc, argv, program);
  seed = (uint64_t)kit_common(1 << 30);
}

uint64_t survivor_sequence(uint64_t first, uint64_t second)
{
  return cwi_random_bits(cwi_random_bits(seed, first), second);
}

enum survivor_death survivor_death_of(const char *word)
{
  if (strcmp(word, "timer") == 0)
    return DEATH_BY_TIMER;
  return strcmp(word, "exit") == 0 ? DEATH_BY_EXIT : DEATH_AT_CALL;
}

static void *killer(void *nothing)
{
  usleep((useconds_t)after);
  kill(getpid(), SIGKILL);
  return nothing;
}

void survivor_spare_first(void)
{
  spares_first = true;
}

void survivor_choose(int victims, enum survivor_death death, int most)
{
  uint64_t state = survivor_sequence(UINT64_MAX, 0);
  bool *are_victims = kit_alloc((size_t)kit_processes(), sizeof *are_victims);
  chosen = death;
  for (int count = 0; count < victims && count < kit_processes() - 1;) {
    const int process = kit_random(&state, kit_processes()), delay = kit_random(&state, most);
    if (are_victims[process] || (process == 0 && spares_first))
      continue;
    are_victims[process] = true;
    count++;
    if (process == kit_me())
      after = delay;
  }
  is_victim = are_victims[kit_me()];
  free(are_victims);
}

void survivor_begin_deaths(void)
{
  pthread_t thread;
  if (!is_victim)
    return;
  if (chosen != DEATH_BY_TIMER)
    __atomic_store_n(&calls_left, 1 + after, __ATOMIC_RELAXED);
  else if (pthread_create(&thread, NULL, killer, NULL) != 0)
    abort();
}

void survivor_end_deaths(void)
{
  __atomic_store_n(&calls_left, 0, __ATOMIC_RELAXED);
}

void survivor_call(void)
{
  if (__atomic_load_n(&calls_left, __ATOMIC_RELAXED) == 0 ||
      __atomic_sub_fetch(&calls_left, 1, __ATOMIC_RELAXED) != 0)
    return;
  if (chosen == DEATH_BY_EXIT)
    exit(3);
  kill(getpid(), SIGKILL);
}

void survivor_end(void)
{
  const cw_error error = CW_MAY_FAIL(cw_finalize());
  kit_check(error == CW_OK, "cw_finalize: %d %s", (int)error, cw_error_message());
  cw_failure_end(kit_verdict());
  abort(); /* cw_failure_end does not return */
}

/* Decides which calls of the fake driver fail, and reports misuse and leaks at the end. */
#include "device/fake_cuda/fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;

enum { MOST_NAMES = 64, LONGEST_NAME = 64 };

static struct {
  bool ready; /* the environment has been read */
  char refused[LONGEST_NAME], ignored[LONGEST_NAME];
  int refused_at, refused_code; /* at: number of the call that fails, counted down; 0 if none */
  int lose_at, fail_at;         /* counted down likewise */
  bool lost;
  int mistakes;
  struct {
    const char *name;
    int count;
  } calls[MOST_NAMES];
} gate;

long fake_number(const char *variable, long usual)
{
  const char *text = getenv(variable);
  return text != NULL && *text != '\0' ? strtol(text, NULL, 0) : usual;
}

static void gate_read(void)
{
  if (gate.ready)
    return;
  gate.ready = true;
  gate.refused_code = FAKE_OUT_OF_MEMORY;
  const char *refuse = getenv("FAKE_CUDA_REFUSE"), *ignore = getenv("FAKE_CUDA_IGNORE");
  if (refuse != NULL &&
      sscanf(refuse, "%63[^:]:%d:%d", gate.refused, &gate.refused_at, &gate.refused_code) < 2)
    fake_misused("FAKE_CUDA_REFUSE is '%s'; it should be name:n or name:n:code", refuse);
  snprintf(gate.ignored, sizeof gate.ignored, "%s", ignore != NULL ? ignore : "");
  gate.lose_at = (int)fake_number("FAKE_CUDA_LOSE", 0);
  gate.fail_at = (int)fake_number("FAKE_CUDA_FAIL", 0);
}

void fake_misused(const char *format, ...)
{
  char sentence[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  fprintf(stderr, "fake_cuda: %s\n", sentence);
  gate.mistakes++;
}

static void gate_count(const char *name)
{
  int i = 0;
  while (i < MOST_NAMES - 1 && gate.calls[i].name != NULL && strcmp(gate.calls[i].name, name) != 0)
    i++;
  gate.calls[i].name = name;
  gate.calls[i].count++;
}

/* Counts down and returns true when the end is reached. */
static bool gate_falls(int *left)
{
  return *left > 0 && --*left == 0;
}

static void gate_lose(void)
{
  gate.lost = true;
  pthread_cond_broadcast(&fake_changed);
}

bool fake_is_lost(void)
{
  return gate.lost;
}

bool fake_op_fails(void)
{
  if (gate_falls(&gate.fail_at))
    gate_lose();
  return gate.lost;
}

/* Returns the result of a call that must fail, or FAKE_OK. */
static int gate_verdict(const char *name)
{
  /* These two calls describe another call's result. */
  if (strncmp(name, "cuGetError", 10) != 0 && gate_falls(&gate.lose_at))
    gate_lose();
  if (strcmp(name, gate.refused) == 0 && gate_falls(&gate.refused_at))
    return gate.refused_code;
  if (gate.lost && strncmp(name, "cuGetError", 10) != 0) {
    fake_await_quiet();
    return FAKE_LOST;
  }
  return FAKE_OK;
}

static int gate_lacks(enum fake_need need)
{
  if (need != NEED_NOTHING && !fake_started)
    return FAKE_NOT_INITIALIZED;
  return need == NEED_CONTEXT && !fake_has_context() ? FAKE_INVALID_CONTEXT : FAKE_OK;
}

static bool gate_enter(const char *name, enum fake_need need, bool ends, int *result)
{
  pthread_mutex_lock(&fake_lock);
  gate_read();
  gate_count(name);
  const int verdict = gate_verdict(name), lacks = gate_lacks(need);
  const bool ignored = strcmp(name, gate.ignored) == 0;
  *result = verdict != FAKE_OK ? verdict : lacks;
  /* A lost device's context cannot be made current, and its objects are destroyed with it. */
  if (!ignored && (*result == FAKE_OK || (ends && verdict != FAKE_OK)))
    return true;
  pthread_mutex_unlock(&fake_lock);
  return false;
}

bool fake_enter(const char *name, enum fake_need need, int *result)
{
  return gate_enter(name, need, false, result);
}

bool fake_enter_to_end(const char *name, enum fake_need need, int *result)
{
  return gate_enter(name, need, true, result);
}

int fake_leave(int result)
{
  pthread_mutex_unlock(&fake_lock);
  return result;
}

/* --- Interface for tests ---------------------------------------------------------------------- */

void fake_cuda_refuse(const char *name, int n, int code)
{
  pthread_mutex_lock(&fake_lock);
  gate_read();
  snprintf(gate.refused, sizeof gate.refused, "%s", name);
  gate.refused_at = n;
  gate.refused_code = code;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_lose(int n)
{
  pthread_mutex_lock(&fake_lock);
  gate_read();
  gate.lose_at = n;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_fail(int n)
{
  pthread_mutex_lock(&fake_lock);
  gate_read();
  gate.fail_at = n;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_slow(unsigned microseconds)
{
  pthread_mutex_lock(&fake_lock);
  fake_slowness = microseconds;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_hold(bool held)
{
  pthread_mutex_lock(&fake_lock);
  fake_held = held;
  pthread_cond_broadcast(&fake_changed);
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_pitch(size_t bytes)
{
  pthread_mutex_lock(&fake_lock);
  fake_longest_pitch = bytes;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_heal(void)
{
  pthread_mutex_lock(&fake_lock);
  gate.lost = false;
  pthread_mutex_unlock(&fake_lock);
}

int fake_cuda_count(const char *name)
{
  int count = 0;
  pthread_mutex_lock(&fake_lock);
  for (int i = 0; i < MOST_NAMES; i++)
    if (gate.calls[i].name != NULL && strcmp(gate.calls[i].name, name) == 0)
      count = gate.calls[i].count;
  pthread_mutex_unlock(&fake_lock);
  return count;
}

void fake_cuda_count_anew(void)
{
  pthread_mutex_lock(&fake_lock);
  for (int i = 0; i < MOST_NAMES; i++)
    gate.calls[i].count = 0;
  pthread_mutex_unlock(&fake_lock);
}

static int gate_left(bool tell)
{
  return fake_contexts_left() + fake_blocks_left(tell) + fake_streams_left(tell) +
         fake_modules_left(tell);
}

int fake_cuda_alive(void)
{
  pthread_mutex_lock(&fake_lock);
  const int left = gate_left(false);
  pthread_mutex_unlock(&fake_lock);
  return left;
}

/* Streams that are left are still running: the process ends at once. */
static __attribute__((destructor)) void gate_end(void)
{
  pthread_mutex_lock(&fake_lock);
  const int contexts = fake_contexts_left();
  if (contexts > 0)
    fake_misused("%d contexts are still retained or current", contexts);
  gate_left(true);
  pthread_mutex_unlock(&fake_lock);
  if (gate.mistakes == 0)
    return;
  printf("fake_cuda: FAILED: %d checks\n", gate.mistakes);
  fflush(NULL);
  _exit(1);
}

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
  char failing[LONGEST_NAME], ignored[LONGEST_NAME];
  int failing_at, failing_code; /* at: number of the call that fails, counted down; 0 if none */
  int lose_at, fail_at;         /* counted down likewise */
  bool lost;
  int mistakes;
  struct {
    const char *name;
    int count;
  } calls[MOST_NAMES];
} faults;

long fake_number(const char *variable, long usual)
{
  const char *text = getenv(variable);
  return text != NULL && *text != '\0' ? strtol(text, NULL, 0) : usual;
}

static void read_environment(void)
{
  if (faults.ready)
    return;
  faults.ready = true;
  faults.failing_code = FAKE_OUT_OF_MEMORY;
  const char *fail = getenv("FAKE_CUDA_REFUSE"), *ignore = getenv("FAKE_CUDA_IGNORE");
  if (fail != NULL &&
      sscanf(fail, "%63[^:]:%d:%d", faults.failing, &faults.failing_at, &faults.failing_code) < 2)
    fake_misused("FAKE_CUDA_REFUSE is '%s'; it should be name:n or name:n:code", fail);
  snprintf(faults.ignored, sizeof faults.ignored, "%s", ignore != NULL ? ignore : "");
  faults.lose_at = (int)fake_number("FAKE_CUDA_LOSE", 0);
  faults.fail_at = (int)fake_number("FAKE_CUDA_FAIL", 0);
}

void fake_misused(const char *format, ...)
{
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "fake_cuda: %s\n", message);
  faults.mistakes++;
}

static void count_call(const char *name)
{
  int i = 0;
  while (i < MOST_NAMES - 1 && faults.calls[i].name != NULL &&
         strcmp(faults.calls[i].name, name) != 0)
    i++;
  faults.calls[i].name = name;
  faults.calls[i].count++;
}

/* Counts down and returns true when the end is reached. */
static bool counts_down_to_end(int *left)
{
  return *left > 0 && --*left == 0;
}

static void lose_device(void)
{
  faults.lost = true;
  pthread_cond_broadcast(&fake_changed);
}

bool fake_is_lost(void)
{
  return faults.lost;
}

bool fake_op_fails(void)
{
  if (counts_down_to_end(&faults.fail_at))
    lose_device();
  return faults.lost;
}

/* Returns the result of a call that must fail, or FAKE_OK. */
static int injected_result(const char *name)
{
  /* These two calls describe another call's result. */
  if (strncmp(name, "cuGetError", 10) != 0 && counts_down_to_end(&faults.lose_at))
    lose_device();
  if (strcmp(name, faults.failing) == 0 && counts_down_to_end(&faults.failing_at))
    return faults.failing_code;
  if (faults.lost && strncmp(name, "cuGetError", 10) != 0) {
    fake_await_quiet();
    return FAKE_LOST;
  }
  return FAKE_OK;
}

static int missing_state(enum fake_need need)
{
  if (need != NEED_NOTHING && !fake_started)
    return FAKE_NOT_INITIALIZED;
  return need == NEED_CONTEXT && !fake_has_context() ? FAKE_INVALID_CONTEXT : FAKE_OK;
}

static bool enter_call(const char *name, enum fake_need need, bool ends, int *result)
{
  pthread_mutex_lock(&fake_lock);
  read_environment();
  count_call(name);
  const int verdict = injected_result(name), lacks = missing_state(need);
  const bool ignored = strcmp(name, faults.ignored) == 0;
  *result = verdict != FAKE_OK ? verdict : lacks;
  /* A lost device's context cannot be made current, and its objects are destroyed with it. */
  if (!ignored && (*result == FAKE_OK || (ends && verdict != FAKE_OK)))
    return true;
  pthread_mutex_unlock(&fake_lock);
  return false;
}

bool fake_enter(const char *name, enum fake_need need, int *result)
{
  return enter_call(name, need, false, result);
}

bool fake_enter_to_end(const char *name, enum fake_need need, int *result)
{
  return enter_call(name, need, true, result);
}

int fake_leave(int result)
{
  pthread_mutex_unlock(&fake_lock);
  return result;
}

/* --- Interface for tests ---------------------------------------------------------------------- */

void fake_cuda_fail_call(const char *name, int n, int code)
{
  pthread_mutex_lock(&fake_lock);
  read_environment();
  snprintf(faults.failing, sizeof faults.failing, "%s", name);
  faults.failing_at = n;
  faults.failing_code = code;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_lose(int n)
{
  pthread_mutex_lock(&fake_lock);
  read_environment();
  faults.lose_at = n;
  pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_fail(int n)
{
  pthread_mutex_lock(&fake_lock);
  read_environment();
  faults.fail_at = n;
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
  faults.lost = false;
  pthread_mutex_unlock(&fake_lock);
}

int fake_cuda_count(const char *name)
{
  int count = 0;
  pthread_mutex_lock(&fake_lock);
  for (int i = 0; i < MOST_NAMES; i++)
    if (faults.calls[i].name != NULL && strcmp(faults.calls[i].name, name) == 0)
      count = faults.calls[i].count;
  pthread_mutex_unlock(&fake_lock);
  return count;
}

void fake_cuda_count_anew(void)
{
  pthread_mutex_lock(&fake_lock);
  for (int i = 0; i < MOST_NAMES; i++)
    faults.calls[i].count = 0;
  pthread_mutex_unlock(&fake_lock);
}

static int report_left(bool report)
{
  return fake_contexts_left() + fake_blocks_left(report) + fake_streams_left(report) +
         fake_modules_left(report);
}

int fake_cuda_alive(void)
{
  pthread_mutex_lock(&fake_lock);
  const int left = report_left(false);
  pthread_mutex_unlock(&fake_lock);
  return left;
}

/* Streams that are left are still running: the process ends at once. */
static __attribute__((destructor)) void check_at_exit(void)
{
  pthread_mutex_lock(&fake_lock);
  const int contexts = fake_contexts_left();
  if (contexts > 0)
    fake_misused("%d contexts are still retained or current", contexts);
  report_left(true);
  pthread_mutex_unlock(&fake_lock);
  if (faults.mistakes == 0)
    return;
  printf("fake_cuda: FAILED: %d checks\n", faults.mistakes);
  fflush(NULL);
  _exit(1);
}

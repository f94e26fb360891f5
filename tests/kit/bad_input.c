/* Tries rows of bad inputs and recovers from everything that they do. */
#include "kit/bad_input.h"

#include "base/error.h"
#include "base/unread_errors.h"
#include "kit/kit.h"
#include "wait/wait_report.h"

#include <causeway/runtime.h>

#include <limits.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 20, ENDED = 1000, LONGEST_MESSAGE = 1024 };

struct bad_axis once = {1, {{"", 0}}};

/* A sanitizer would otherwise end the program when there is no memory. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "allocator_may_return_null=1";
}

/* Functions of the leak sanitizer, if the program has it. */
void __lsan_disable(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */
void __lsan_enable(void) __attribute__((weak));  /* NOLINT(bugprone-reserved-identifier) */

static sigjmp_buf back;
static volatile sig_atomic_t inside;
static char abort_message[LONGEST_MESSAGE]; /* the message with which the job was ended */
static char
    trying[LONGEST_MESSAGE]; /* the current row, for a call that ends the process in its own way */
static long tried, failed;
static bool broken; /* after a crash or a hang */

void bad_add(struct bad_axis *axis, const char *what, intptr_t value)
{
  if (axis->count == BAD_VALUES) {
    fprintf(stderr, "bad_input: an axis has more than %d values\n", BAD_VALUES);
    exit(KIT_FAIL);
  }
  axis->values[axis->count++] = (struct bad_value){what, value};
}

void bad_add_address(struct bad_axis *axis, const char *what, const void *address)
{
  if (address != NULL)
    bad_add(axis, what, (intptr_t)address);
}

void bad_add_other_processes(struct bad_axis *axis)
{
  static const char text[64];
  static int64_t words[8];
  bad_add(axis, "8", 8);
  bad_add(axis, "-8", -8);
  bad_add(axis, "1", 1);
  bad_add_address(axis, "private memory", words);
  bad_add_address(axis, "a constant", text);
  bad_add_address(axis, "an odd address", (char *)words + 1);
}

void bad_begin_objects(struct bad_axis *axis, bool null)
{
  axis->count = 0;
  if (null)
    bad_add(axis, "NULL", 0);
  bad_add_other_processes(axis);
}

void bad_add_negatives(struct bad_axis *axis)
{
  bad_add(axis, "-1", -1);
  bad_add(axis, "INT_MIN", INT_MIN);
}

void bad_add_numbers(struct bad_axis *axis, int count)
{
  bad_add(axis, "-1", -1);
  bad_add(axis, "the number behind the last", count);
  bad_add(axis, "INT_MIN", INT_MIN);
  bad_add(axis, "INT_MAX", INT_MAX);
}

void bad_add_sizes(struct bad_axis *axis)
{
  bad_add(axis, "SIZE_MAX", -1);
  bad_add(axis, "SIZE_MAX - 7", -8);
  bad_add(axis, "SIZE_MAX - 4095", -4096);
  bad_add(axis, "SIZE_MAX - 65534", -65535);
  bad_add(axis, "SIZE_MAX - 65535", -65536);
  bad_add(axis, "SIZE_MAX - 2^25", -((intptr_t)1 << 25));
  bad_add(axis, "2^63", INTPTR_MIN);
  bad_add(axis, "2^63 - 1", INTPTR_MAX);
  bad_add(axis, "2^61", (intptr_t)1 << 61);
  bad_add(axis, "2^48", (intptr_t)1 << 48);
}

static void return_from_call(int how)
{
  inside = 0;
  siglongjmp(back, how);
}

static void on_signal(int number)
{
  if (inside)
    return_from_call(number);
  signal(number, SIG_DFL);
  raise(number);
}

/* These names are prescribed by the linker and MPI. */
void __wrap_cw_abort(const char *message, int status); /* NOLINT(bugprone-reserved-identifier) */

void __wrap_cw_abort(const char *message, int status) /* NOLINT(bugprone-reserved-identifier) */
{
  if (!inside)
    __real_cw_abort(message, status);
  snprintf(abort_message, sizeof abort_message, "%s [status %d]", message, status);
  return_from_call(ENDED);
}

/* Reached by bugs, and by code that calls MPI_Abort directly. */
int MPI_Abort(MPI_Comm comm, int status)
{
  if (!inside)
    return PMPI_Abort(comm, status);
  snprintf(abort_message, sizeof abort_message, "MPI_Abort, not by cw_abort");
  return_from_call(ENDED);
  return 1;
}

static void on_exit_inside(void)
{
  if (inside)
    fprintf(stderr, "FAILED: %s: ended the process\n", trying);
}

static void watch(void)
{
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  static bool registered;
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    sigaction(signals[i], &action, NULL);
  }
  if (!registered)
    atexit(on_exit_inside);
  registered = true;
}

static void fail(const char *how, const char *message)
{
  failed++;
  fprintf(stderr, "FAILED [%d] %s: %s%s%s\n", kit_me(), trying, how, message[0] != '\0' ? ": " : "",
          message);
}

/* Copies to `missing` the first word that the message lacks, or that it has against "!word".
 * Returns true if there is one. */
static bool lacks(const char *message, const char *words, char *missing, size_t size)
{
  for (const char *word = words; *word != '\0';) {
    const int length = (int)strcspn(word, "|");
    snprintf(missing, size, "%.*s", length, word);
    const bool unwanted = missing[0] == '!';
    if ((strstr(message, missing + unwanted) != NULL) == unwanted)
      return true;
    word += word[length] == '|' ? length + 1 : length;
  }
  return false;
}

/* Checks that the message of a binding has no native call, type or argument name, which the program
 * does not know. */
static void check_words(const struct bad_row *row, const char *message)
{
  static const char *const foreign[] = {"cw_", "CW_", "in GA's words", "in ARMCI's words"};
  for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
    if (strncmp(row->call, "cw_", 3) != 0 && strstr(message, foreign[i]) != NULL)
      fail("the sentence has words of the native interface", message);
}

static void check_message(const struct bad_row *row, const char *message)
{
  char missing[128], how[192];
  bool bad = lacks(message, row->call, missing, sizeof missing);
  if (!bad)
    bad = lacks(message, row->words, missing, sizeof missing);
  snprintf(how, sizeof how, "the sentence lacks '%s'", missing);
  if (bad)
    fail(how, message);
}

/* Checks that a failure was counted, and only once. */
static void check_noted(const struct bad_row *row, enum bad_manner manner, unsigned long before)
{
  char how[64];
  const unsigned long times = cwi_failures_so_far() - before;
  snprintf(how, sizeof how, "was noted as a failure %lu times", times);
  if (row->kind == BAD_REJECTED && manner == BAD_RETURNS && times != 1)
    fail(how, cw_error_message());
}

static void check_returned(const struct bad_row *row, enum bad_manner manner, long result)
{
  if (row->kind == BAD_HARMLESS) {
    if (!result)
      fail("should have been harmless", cw_error_message());
  } else if (manner == BAD_ENDS || result == CW_OK) {
    fail("was accepted", "");
  } else if (result != CW_MISUSE && result != CW_OUTSIDE) {
    fail("is no error of the caller's or of the outside world", cw_error_message());
  } else {
    check_message(row, cw_error_message());
  }
}

static void check_ended(const struct bad_row *row, enum bad_manner manner)
{
  check_words(row, abort_message);
  if (manner == BAD_RETURNS || row->kind == BAD_HARMLESS)
    fail("ended the job", abort_message);
  else
    check_message(row, abort_message);
}

/* Ignores leaks while a call runs that ends the job: this program jumps out of it and continues, so
 * its memory is never freed. */
static void overlook_leaks(enum bad_manner manner, bool begin)
{
  if (manner == BAD_ENDS && __lsan_disable != NULL)
    (begin ? __lsan_disable : __lsan_enable)();
}

static void try_value(const struct bad_row *row, const struct bad_value *value,
                      enum bad_manner manner)
{
  cwi_error_set_recorded(cwi_misuse("(no sentence)") == CW_OK);
  cwi_waiting = (struct cwi_waiting){0};
  abort_message[0] = '\0';
  tried++;
  const unsigned long before = cwi_failures_so_far();
  overlook_leaks(manner, true);
  const int how = sigsetjmp(back, 1);
  if (how == 0) {
    inside = 1;
    alarm(SECONDS);
    const long result = row->run(value->value);
    inside = 0;
    alarm(0);
    overlook_leaks(manner, false);
    check_returned(row, manner, result);
    check_noted(row, manner, before);
    return;
  }
  alarm(0);
  overlook_leaks(manner, false);
  if (how == ENDED) {
    check_ended(row, manner);
    return;
  }
  broken = true;
  fail(how == SIGALRM ? "hangs" : strsignal(how), "");
}

void bad_try(const struct bad_row *rows, size_t count, enum bad_manner manner, const char *when)
{
  const char *wanted = getenv("CW_TEST_PENDING");
  const bool pending = wanted != NULL && (wanted[0] == '1' || strstr(when, wanted) != NULL);
  watch();
  for (size_t i = 0; i < count; i++) {
    if (rows[i].kind == BAD_PENDING && !pending)
      return;
    for (size_t v = 0; v < rows[i].axis->count && rows[i].kind != BAD_PENDING; v++) {
      const struct bad_value *value = &rows[i].axis->values[v];
      snprintf(trying, sizeof trying, "%s, row %zu: %s (%s)%s%s", when, i, rows[i].call,
               rows[i].words, value->what[0] != '\0' ? ", bad is " : "", value->what);
      try_value(&rows[i], value, manner);
    }
  }
}

long bad_failures(void)
{
  return failed;
}

void bad_judge(void)
{
  if (broken) {
    fprintf(stderr, "bad_input: FAILED: %ld of %ld bad inputs, some by a crash or a hang\n", failed,
            tried);
    PMPI_Abort(MPI_COMM_WORLD, KIT_FAIL);
  }
  if (kit_me() == 0)
    printf("bad_input: %ld bad inputs for each process\n", tried);
  kit_about("bad inputs");
  kit_check_long(failed, 0, "the number of failures");
}

static void try_idle(const struct bad_program *program, struct bad_rows idle, const char *when)
{
  if (program->begin != NULL)
    program->begin();
  bad_try(idle.rows, idle.count, program->manner, when);
}

static void live(const struct bad_program *program, struct bad_rows running, const char *when)
{
  program->make();
  if (program->begin != NULL)
    program->begin();
  bad_try(running.rows, running.count, program->manner, when);
  if (bad_failures() > 0)
    bad_judge();
  program->end();
}

static void try_outside_mpi(const struct bad_program *program, struct bad_rows idle,
                            const char *when)
{
  if (program->without_mpi != NULL)
    program->without_mpi(when);
  if (program->outside_mpi)
    try_idle(program, idle, when);
}

int bad_run(int *argc, char ***argv, const struct bad_program *program, struct bad_rows running,
            struct bad_rows idle)
{
  int level = 0;
  if (program->add != NULL)
    program->add();
  try_outside_mpi(program, idle, "before MPI_Init");
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(argc, argv, program->name);
  try_idle(program, idle, "before the start");
  live(program, running, "first life");
  try_idle(program, idle, "after the end");
  live(program, running, "second life");
  bad_judge();
  const int verdict = kit_finish();
  const long before = bad_failures();
  try_outside_mpi(program, idle, "after MPI_Finalize");
  return bad_failures() == before ? verdict : KIT_FAIL;
}

/* The list of failed processes, and the program's handler. */
#include "wait/failures.h"

#include <stdlib.h>
#include <string.h>

static struct {
  bool survive, messages;
  unsigned count;         /* number of failed processes */
  int processes;          /* number of processes of the world */
  unsigned char *failed;  /* [processes] 1 if the process has failed */
  unsigned char *known;   /* [processes] a copy that other processes read, or NULL */
  unsigned char *reports; /* [processes] enum cwi_report, in memory of the node; or NULL */
} failures;

static cwi_failure_function handler;
static void *handler_context;
static __thread bool without_handler;
static unsigned char *handled; /* [processes] 1 if the handler has been called for the process */

bool cwi_survives(void)
{
  return failures.survive;
}

bool cwi_survives_by_messages(void)
{
  return failures.messages;
}

void cwi_failures_use_messages(void)
{
  failures.messages = true;
}

bool cwi_has_failed(int process)
{
  return failures.survive && __atomic_load_n(&failures.failed[process], __ATOMIC_ACQUIRE) != 0;
}

unsigned cwi_failures_count(void)
{
  return __atomic_load_n(&failures.count, __ATOMIC_ACQUIRE);
}

void cwi_failures_survive(void)
{
  failures.survive = true;
}

void cwi_failures_note(int process)
{
  if (__atomic_exchange_n(&failures.failed[process], 1, __ATOMIC_SEQ_CST) != 0)
    return;
  __atomic_fetch_add(&failures.count, 1, __ATOMIC_RELEASE);
  unsigned char *known = __atomic_load_n(&failures.known, __ATOMIC_SEQ_CST);
  if (known != NULL)
    __atomic_store_n(&known[process], 1, __ATOMIC_RELEASE);
}

/* A failure that is recorded at the same time is copied here, or by cwi_failures_note. */
void cwi_failures_share(unsigned char *known, unsigned char *reports)
{
  __atomic_store_n(&failures.reports, reports, __ATOMIC_RELEASE);
  __atomic_store_n(&failures.known, known, __ATOMIC_SEQ_CST);
  for (int process = 0; known != NULL && process < failures.processes; process++)
    if (cwi_has_failed(process))
      __atomic_store_n(&known[process], 1, __ATOMIC_RELEASE);
}

bool cwi_failure_report(int process, enum cwi_report report)
{
  unsigned char *reports = __atomic_load_n(&failures.reports, __ATOMIC_ACQUIRE);
  if (reports != NULL && reports[process] == CWI_NOT_REPORTED)
    __atomic_store_n(&reports[process], (unsigned char)report, __ATOMIC_RELAXED);
  return reports != NULL;
}

enum cwi_report cwi_failure_reported(int process)
{
  const unsigned char *reports = __atomic_load_n(&failures.reports, __ATOMIC_ACQUIRE);
  return reports != NULL ? (enum cwi_report)__atomic_load_n(&reports[process], __ATOMIC_RELAXED)
                         : CWI_NOT_REPORTED;
}

int cwi_failures_first(void)
{
  for (int process = 0; process < failures.processes; process++)
    if (cwi_has_failed(process))
      return process;
  return -1;
}

cw_error cwi_process_failed(int process)
{
  cwi_failures_call_handler();
  return cwi_failure(CW_FAILED, "process %d has failed", process);
}

cw_error cwi_failures_start(int processes)
{
  cwi_failures_stop();
  failures.failed = calloc((size_t)processes, 1);
  handled = calloc((size_t)processes, 1);
  if (failures.failed == NULL || handled == NULL) {
    cwi_failures_stop();
    return cwi_outside("no memory for the list of %d processes", processes);
  }
  failures.processes = processes;
  return CW_OK;
}

void cwi_failures_stop(void)
{
  free(failures.failed);
  free(handled);
  handled = NULL;
  handler = NULL;
  memset(&failures, 0, sizeof failures);
}

void cwi_failures_call_handler(void)
{
  const cwi_failure_function function = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
  if (function == NULL || without_handler)
    return;
  for (int process = 0; process < failures.processes; process++)
    if (cwi_has_failed(process) && __atomic_exchange_n(&handled[process], 1, __ATOMIC_RELAXED) == 0)
      function(process, handler_context);
}

void cwi_failures_without_handler(void)
{
  without_handler = true;
}

void cwi_failures_handle(cwi_failure_function function, void *context)
{
  __atomic_store_n(&handler, NULL, __ATOMIC_RELEASE);
  handler_context = context;
  __atomic_store_n(&handler, function, __ATOMIC_RELEASE);
}

/* TCGMSG: messages, collective operations and a shared counter of all processes. The calls of C and
 * of Fortran both use the functions declared here.
 *
 * collective.c      collective operations: broadcast, reductions, synchronisation
 * counter.c         the shared counter, which gives each caller the number of the next piece of
 *                   work
 * failure.c         TCGMSG's call Error, which no header declares
 * file.c            files: copying a file to all processes, and a log file for each process
 * local.c           local calls: sizes, clocks, random numbers, priority
 * run.c             start and end of TCGMSG
 * tcgmsg_error.c    TCGMSG's errors: a message in its terms, and the end of the job
 * tcgmsg_fortran.c  TCGMSG's calls in Fortran
 * tcgmsg_message.c  messages between two processes
 * text.c            helper functions for text and bytes */
#pragma once

#include "base/error.h"
#include "wait/wait_report.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Errors: tcgmsg_error.c --- */

/* Returns 0 if there is no error. Otherwise prints the error message, and ends the job. `name` is
 * the name of the program's call, which the message and the reports of long waits use. */
#define CWI_TCG(name, error) (cwi_tcg_enter(name), cwi_tcg_leave(name, (error)))
void cwi_tcg_enter(const char *call);
int cwi_tcg_leave(const char *call, cw_error error);

/* cwi_tcg_runs returns true between pbeginf and pend, which set that by cwi_tcg_set_runs.
 * cwi_tcg_running returns CW_MISUSE if it is false. */
bool cwi_tcg_runs(void);
void cwi_tcg_set_runs(bool on);
CWI_CHECKED cw_error cwi_tcg_running(void);

CWI_NORETURN void cwi_tcg_give_up(const char *message, long code);

/* If `on` is true, each call prints its name from now on. */
void cwi_tcg_trace(bool on);

/* --- Start and end: run.c --- */

CWI_CHECKED cw_error cwi_tcg_start(void);
CWI_CHECKED cw_error cwi_tcg_stop(void);

/* --- Messages: tcgmsg_message.c --- */

CWI_CHECKED cw_error cwi_tcg_messages_start(void);
CWI_CHECKED cw_error cwi_tcg_messages_stop(void);

/* A message that is sent or received. `node` is the receiver or the sender, or -1 to receive from
 * any process. */
struct cwi_tcg_message {
  long type;
  void *buffer;
  long bytes, node;
  bool waits; /* false if the transfer is only complete after waitcom */
};
CWI_CHECKED cw_error cwi_tcg_send(const struct cwi_tcg_message *message);
CWI_CHECKED cw_error cwi_tcg_receive(const struct cwi_tcg_message *message, long *length,
                                     long *sender);
CWI_CHECKED cw_error cwi_tcg_probe(long type, long node, bool *there);
CWI_CHECKED cw_error cwi_tcg_wait(void);

/* --- All processes: collective.c, counter.c, file.c --- */

CWI_CHECKED cw_error cwi_tcg_broadcast(void *buffer, long bytes, long root);
CWI_CHECKED cw_error cwi_tcg_reduce(cw_type type, void *x, long count, const char *op);
CWI_CHECKED cw_error cwi_tcg_synchronise(void);
CWI_CHECKED cw_error cwi_tcg_counter_start(void);
CWI_CHECKED cw_error cwi_tcg_counter_stop(void);
CWI_CHECKED cw_error cwi_tcg_next(long processes, long *value);
CWI_CHECKED cw_error cwi_tcg_copy_file(long root, const char *name);
CWI_CHECKED cw_error cwi_tcg_log(void);

/* --- Local: local.c --- */

/* Stores the number of elements of `to` bytes that have space for `count` elements of `from` bytes.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_tcg_sizes(long count, size_t from, size_t to, long *result);
double cwi_tcg_seconds(void);
double cwi_tcg_random(void);

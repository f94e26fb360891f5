/* The test kit of the Global Arrays programs: start and stop, verdict, random numbers.
 *
 * A program is kit_start(), checks, kit_finish(). The verdict is global: if a check fails in any
 * process, every process exits with KIT_FAIL. Random choices come from one seed, which is printed
 * and can be given in CW_TEST_SEED.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>

enum { KIT_PASS = 0, KIT_FAIL = 1, KIT_SKIP = 77 };

/* GA's prototypes take names as char *, so a string constant will not do. */
extern char kit_name[];
extern char kit_sum[]; /* the operation "+" of the reductions */

/* Starts MPI and GA, reads the seed, and switches a mutant build's mutations on. */
void kit_start(int *argc, char ***argv, const char *program);

/* Collective. Prints the verdict, ends GA and MPI, returns the exit code. */
int kit_finish(void);

/* Collective. Finishes here if any check has failed so far: before calls that hang or abort when
 * the data that they are given are wrong. */
void kit_stop_if_failed(void);

/* Collective; does not return. */
_Noreturn void kit_skip(const char *reason);

/* Ends GA while MPI stays up, and starts it again. */
void kit_restart_ga(void);

/* This process's rank among the processes that GA uses, and their number. */
int kit_me(void);
int kit_processes(void);
MPI_Comm kit_comm(void);

/* Names what the next checks are about; a failed check prints it. With CW_TEST_TRACE set, it is
   printed at once. */
void kit_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a check; if it failed, prints the message (the first few of each process). */
bool kit_check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kit_check_long(long got, long want, const char *what);
bool kit_check_near(double got, double want, double tolerance, const char *what);

/* Return a random number from 0 to count - 1. The sequence of kit_common is the same in every
 * process, as long as all draw alike; that of kit_own differs between processes. */
int kit_common(int count);
int kit_own(int count);

void *kit_alloc(size_t count, size_t size);

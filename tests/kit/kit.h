/* The test kit: start and stop, verdict, random numbers.
 *
 * A program is kit_start(), checks, kit_finish(). The verdict is global: if a check fails in any
 * process, every process exits with KIT_FAIL. Random choices come from one seed, which is printed
 * and can be given in CW_TEST_SEED. The kit needs MPI alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

enum { KIT_PASS = 0, KIT_FAIL = 1, KIT_SKIP = 77 };

/* Starts MPI if it is not running, by plain MPI_Init as most programs do, and reads the seed. */
void kit_start(int *argc, char ***argv, const char *program);

/* Makes the processes of `world` the kit's processes. MPI_COMM_WORLD may contain others that the
 * library uses as servers (CW_SERVER=rank). The kit keeps a copy. Collective over `world`. */
void kit_use_world(MPI_Comm world);

/* Prints the verdict, ends MPI and returns the exit status. Collective. */
int kit_finish(void);

/* Prints the verdict of this process alone, without communication, and returns its exit status. For
 * jobs of which processes have failed. */
int kit_verdict(void);

/* Ends every process with KIT_SKIP. Collective. */
_Noreturn void kit_skip(const char *reason);

/* Return this process's rank, the number of the kit's processes and their communicator: a copy of
 * MPI_COMM_WORLD or of kit_use_world's argument. */
int kit_me(void);
int kit_processes(void);
MPI_Comm kit_comm(void);

/* Describes what the next checks are about; a failed check prints the description. */
void kit_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a check. If it failed, prints the message (only the first few of each process). */
bool kit_check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kit_check_long(long got, long want, const char *what);
bool kit_check_bytes(const void *got, const void *want, size_t bytes, const char *what);

/* Return a random number in 0 .. count-1. The sequence of kit_common is the same in every process
 * as long as all draw alike; that of kit_own differs between processes. That of kit_random is the
 * caller's: it begins with any `*state`. */
int kit_common(int count);
int kit_own(int count);
int kit_random(uint64_t *state, int count);

/* Returns the number of rounds of random operations: `given`, or `usual` if it is NULL, times
 * CW_TEST_TIMES, which may be a fraction; at least one. */
long kit_rounds(const char *given, long usual);

/* Returns zeroed memory, which free() releases, or ends the program if there is none. */
void *kit_alloc(size_t count, size_t size);

/* Waits for all processes, by MPI alone. */
void kit_barrier(void);

/* Waits until a count that other threads raise is at least `least`, or a minute is over. On a busy
 * machine, a millisecond of work may take seconds. */
void kit_await(const int *count, int least);

/* Returns the number of threads of this process, or -1 if the system does not report it. */
long kit_threads(void);
/* Checks that this process has `wanted` threads. The kernel lists a joined thread a moment longer,
 * so this waits. */
bool kit_check_threads(long wanted, const char *what);

/* Process 0 repeatedly comes KIT_LATE microseconds late, and the others wait for it in
 * `wait(late)`. Checks that they sleep meanwhile: they compute briefly between two sleeps, and do
 * not wake up all the time. */
enum { KIT_LATE = 10000 };
void kit_check_waits(void (*wait)(bool late), const char *what);

/* The test kit: start and stop, verdict, random numbers.
 *
 * A program is kit_start(), checks, kit_finish(). The verdict is global: if a check fails in any
 * process, every process exits with KIT_FAIL. Random choices come from one seed, which is printed
 * and can be given in CW_TEST_SEED. The kit needs MPI alone. */
#ifndef KIT_H
#define KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

enum { KIT_PASS = 0, KIT_FAIL = 1, KIT_SKIP = 77 };

/* Starts MPI (by plain MPI_Init, as most programs do) if it is not up, and reads the seed. */
void kit_start(int *argc, char ***argv, const char *program);

/* Collective over the communicator, whose processes are the kit's from now on: MPI_COMM_WORLD may
 * have others, which the library took for servers (CW_SERVER=rank). The kit keeps a copy. */
void kit_use_world(MPI_Comm world);

/* Collective. Prints the verdict, ends MPI, returns the exit status. */
int kit_finish(void);

/* Collective; every process exits with KIT_SKIP. */
_Noreturn void kit_skip(const char *reason);

/* The kit's processes: MPI_COMM_WORLD, or what kit_use_world made of it. */
int kit_me(void);
int kit_processes(void);
MPI_Comm kit_comm(void);

/* Names what the next checks are about; a failed check prints it. */
void kit_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts a check; if it failed, prints the message (the first few of each process). */
bool kit_check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kit_check_long(long got, long want, const char *what);
bool kit_check_bytes(const void *got, const void *want, size_t bytes, const char *what);

/* A number in 0 .. count-1. The first sequence is the same in every process, as long as all draw
 * alike; the second differs between processes. */
int kit_common(int count);
int kit_own(int count);

/* How many rounds of random operations: what `given` says (NULL: the usual number), times
 * CW_TEST_TIMES, which may be a fraction; one at least. */
long kit_rounds(const char *given, long usual);

/* Zeroed memory; ends the program when there is none. Freed by free(). */
void *kit_alloc(size_t count, size_t size);

/* Wait for all processes without any library but MPI. */
void kit_meet(void);

/* Until a count that other threads raise is at least this, or a minute is over: what takes a
 * millisecond takes seconds on a busy machine. */
void kit_await(const int *count, int least);

/* How many threads this process has; -1: the system does not say. */
long kit_threads(void);
/* Has it so many? A thread that was joined is listed a moment longer. */
bool kit_check_threads(long wanted, const char *what);

/* Process 0 comes late, KIT_LATE microseconds, and the others wait for it: `wait(late)`, again and
 * again. Checks that they use little CPU time meanwhile: who sleeps has less than a tenth of the
 * time, who spins all of it, unless others compute. */
enum { KIT_LATE = 10000 };
void kit_check_waits(void (*wait)(bool late), const char *what);
#endif

/* What programs of the native API share that go on after a fault, or end well: see native.c. */
#ifndef FAULTS_VERDICT_H
#define FAULTS_VERDICT_H

#include <causeway.h>

#include <stdbool.h>

extern int me, peer;      /* of two processes */
extern bool goes_on;      /* what has failed is done once more, and then succeeds */
extern const char *doing; /* what the sentence of a failure names */

/* MPI and cw_init; ends the program where that fails. */
void faults_start(int *argc, char ***argv);

/* cw_finalize, unless it is left to MPI_Finalize; MPI_Finalize. The program's exit status. */
int faults_finish(void);

_Noreturn void fail(const char *what);
void expect(bool right, const char *what);

/* Is the call to be made again? Ends the program if it may not fail, or not go on. */
bool again(const char *call, cw_error error);

/* The same for collective calls, which have to fail on all members or on none. */
bool again_together(const char *call, cw_error error, int members);

#define MUST(call)                                                                                 \
  while (again(#call, (call)))                                                                     \
  continue
#define TOGETHER(members, call)                                                                    \
  while (again_together(#call, (call), members))                                                   \
  continue

#endif

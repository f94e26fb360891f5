/* Shared by native API programs that continue after a fault, or end in a controlled way: see
 * native.c. */
#pragma once

#include <causeway.h>

#include <stdbool.h>

extern int me, peer;      /* of two processes */
extern bool continues;    /* failed calls are repeated, and then succeed */
extern const char *doing; /* the name that the message of a failure must have */

/* Calls MPI_Init and cw_init; ends the program if that fails. */
void faults_start(int *argc, char ***argv);

/* Calls cw_finalize, unless it is left to MPI_Finalize, and MPI_Finalize. Returns the exit status
 * of the program. */
int faults_finish(void);

_Noreturn void fail(const char *what);
void expect(bool right, const char *what);

/* Returns true if the call is to be repeated. Ends the program if the call must not fail, or the
 * program must not continue. */
bool again(const char *call, cw_error error);

/* Like again, for collective calls, which must fail on all members or on none. */
bool again_together(const char *call, cw_error error, int members);

#define MUST(call)                                                                                 \
  while (again(#call, (call)))                                                                     \
  continue
#define TOGETHER(members, call)                                                                    \
  while (again_together(#call, (call), members))                                                   \
  continue

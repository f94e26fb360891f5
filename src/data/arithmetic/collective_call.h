/* The frame of all operations: all members meet, each does its own part, and each receives the
 * results of the others. */
#ifndef CWI_ARITHMETIC_COLLECTIVE_CALL_H
#define CWI_ARITHMETIC_COLLECTIVE_CALL_H

#include "arithmetic/operate.h"
#include "array/array_arguments.h"
#include "team/team.h"

/* Result of a member's part. */
struct cwi_contribution {
  uint64_t words[3];
};

enum { CWI_COLLECTIVE_AGREED = 7 };

struct cwi_collective_call {
  const char *call;
  cw_team team;     /* NULL if an argument was rejected and no team is known that could meet */
  cw_error checked; /* result of this process's checks of the arguments */
  const struct cwi_operation
      *operation; /* its patches have to be equal on all members; NULL if there is none */
  const struct cwi_argument
      *agreed; /* other arguments that have to be equal, up to CWI_COLLECTIVE_AGREED; or NULL */
  bool synchronized; /* the members have just synchronised, and need not do so again */
  /* Does my part, without waiting for others. */
  cw_error (*work)(void *argument, struct cwi_contribution *mine);
  /* Merges the results of the members, called on each member in the order of ranks. NULL if there
   * are no results. */
  void (*merge)(void *argument, const struct cwi_contribution *share);
};

/* Runs an operation with one synchronisation before the work, which completes all transfers, and
 * one exchange after it, which follows a fence of the work's transfers. A member whose arguments
 * were rejected does no work but still meets the others. Errors, on every member: its own, or
 * CW_MISUSE (arguments) or CW_OUTSIDE, which names the member. */
CWI_CHECKED cw_error cwi_collective_run(const struct cwi_collective_call *collective,
                                        void *argument);
#endif

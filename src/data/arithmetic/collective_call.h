/* The frame of all operations: all members meet, each does its own part, and each receives the
 * results of the others. */
#pragma once

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
  cw_team team;     /* NULL if no team is known because an argument was rejected */
  cw_error checked; /* result of this process's checks of the arguments */
  const struct cwi_operation
      *operation; /* its patches have to be equal on all members; NULL if there is none */
  const struct cwi_argument
      *agreed; /* other arguments that have to be equal, up to CWI_COLLECTIVE_AGREED; or NULL */
  bool synchronized; /* the members have just synchronised, and need not do so again */
  /* Does my part, without waiting for others. */
  cw_error (*work)(void *argument, struct cwi_contribution *mine);
  /* Merges the result of one member. Called on each member for all results, in the order of ranks.
   * NULL if there are no results. */
  void (*merge)(void *argument, const struct cwi_contribution *share);
};

/* Runs an operation. Before the work, one synchronisation completes all transfers. After the work
 * come a fence of its transfers and one exchange of the results. A member whose arguments were
 * rejected does no work but still meets the others. Errors, on every member: its own error, or
 * CW_MISUSE (arguments) or CW_OUTSIDE with a message that names the failed member. */
CWI_CHECKED cw_error cwi_collective_run(const struct cwi_collective_call *collective,
                                        void *argument);

/* Runs an element-by-element operation as a collective call of its team. `checked` is the result of
 * the checks of its arguments. `agreed` lists arguments that have to be equal, besides the patches.
 * `divisor` is the box of the divisors, or NULL. Errors, on every member: CW_MISUSE (checked;
 * divisors that are 0), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_operate_collective(const char *call, cw_error checked,
                                            struct cwi_operation *operation,
                                            const struct cwi_box *divisor,
                                            const struct cwi_argument *agreed);

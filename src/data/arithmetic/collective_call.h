/* The frame of all operations: everybody comes, does its own part, and hears how the others did. */
#ifndef CWI_ARITHMETIC_COLLECTIVE_CALL_H
#define CWI_ARITHMETIC_COLLECTIVE_CALL_H

#include "arithmetic/operate.h"
#include "array/array_arguments.h"
#include "team/team.h"

/* What a member found in its part. */
struct cwi_contribution {
  uint64_t words[3];
};

enum { CWI_COLLECTIVE_AGREED = 7 };

struct cwi_collective_call {
  const char *call;
  cw_team team;     /* NULL: an argument was refused, and there is no team that could hear of it */
  cw_error checked; /* what looking at the arguments gave here */
  const struct cwi_operation *operation; /* whose patches have to be the same; NULL: none */
  const struct cwi_argument *agreed; /* what else has to be, up to CWI_COLLECTIVE_AGREED; or NULL */
  bool synchronized; /* the members have just heard of each other: they need not meet again */
  /* My part, without waiting for others. */
  cw_error (*work)(void *argument, struct cwi_contribution *mine);
  /* What each member found, in the order of ranks, on every member; NULL: nothing is found. */
  void (*merge)(void *argument, const struct cwi_contribution *share);
};

/* One synchronisation before the work, which completes all transfers, and one exchange after it,
 * behind what the work has put. A member whose arguments were refused does no work, but meets the
 * others, and so nobody waits for it.
 * Errors, on every member: its own, or CW_MISUSE (arguments) or CW_OUTSIDE that names whose it is.
 */
CWI_CHECKED cw_error cwi_collective_run(const struct cwi_collective_call *collective,
                                        void *argument);
#endif

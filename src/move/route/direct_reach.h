/* Which processes small transfers may reach without further questions. */
#ifndef CWI_ROUTE_DIRECT_REACH_H
#define CWI_ROUTE_DIRECT_REACH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct cwi_ready {
  uint8_t *is;  /* [processes] 1: the target is reached directly and nothing of another route is
                   outstanding there: a small transfer may go ahead */
  bool atomics; /* accumulates and read-modify-writes of node peers are the processor's, whatever
                   the region */
};
extern struct cwi_ready cwi_ready;

/* Another thread may just be changing it: what two threads do at once has no order. */
static inline bool cwi_is_ready(int process)
{
  return __atomic_load_n(&cwi_ready.is[process], __ATOMIC_RELAXED) != 0;
}

CWI_CHECKED cw_error cwi_ready_start(bool direct, bool atomics);
void cwi_ready_stop(void);

/* The rma route has something outstanding at a process: direct transfers to it first complete
 * that (only possible for node peers). */
void cwi_ready_not(int process);
#endif

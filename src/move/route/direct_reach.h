/* The table of processes that small transfers reach by loads and stores without further checks. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Flags that small transfers check before they load and store, and what they depend on. */
struct cwi_ready {
  uint8_t *is;  /* [processes] 1 if loads and stores reach the process and no other route has
                   operations outstanding there: a small transfer may be done at once */
  bool atomics; /* true if the processor does accumulates and read-modify-writes between node peers
                   in all regions; false if MPI does those in regions of teams that span nodes, even
                   between node peers, because MPI's atomics and the processor's are not atomic with
                   respect to each other */
  bool served;  /* nodes have servers */
};
extern struct cwi_ready cwi_ready;

/* Returns true if a small transfer to the process may be done at once. Another thread may change
 * the answer concurrently; operations that two threads start at the same time have no order. */
static inline bool cwi_is_ready(int process)
{
  return __atomic_load_n(&cwi_ready.is[process], __ATOMIC_RELAXED) != 0;
}

/* Returns true if there are servers, which reach every process. */
static inline bool cwi_routes_served(void)
{
  return cwi_ready.served;
}

/* Returns true if memory named by handles is updated only through MPI. Such memory follows the
 * rules of regions of teams that span nodes. */
static inline bool cwi_memory_handles_by_mpi(void)
{
  return !cwi_ready.atomics;
}

/* Allocates and frees the table. `direct` allows loads and stores to node peers. The rma route
 * clears cwi_ready.atomics if there are no servers. */
CWI_CHECKED cw_error cwi_ready_start(bool direct, bool served);
void cwi_ready_stop(void);

/* Notes that the rma route has operations outstanding at a node peer. The next direct transfer to
 * the peer first completes them. */
void cwi_ready_not(int process);

/* The memory of the zone: a memory file without a name (memfd), or an MPI shared-memory window if
 * the system does not allow that. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maps the zone and sets base, size, fixed and limit of cwi_zone. cwi_zone_file_stop unmaps it.
 * Collective over the node; all processes return the same result. */
CWI_CHECKED cw_error cwi_zone_file_start(void);
CWI_CHECKED cw_error cwi_zone_file_stop(void);

/* Unmaps the zone after a failed start. An MPI window is left to MPI, because freeing it is
 * collective and other processes may not take part. Local. */
void cwi_zone_file_forget(void);

/* Returns the start of a node's zone as this process names it. */
uintptr_t cwi_zone_file_base(int node);

/* Returns the length of the address range that contains the zones of all nodes, and sets *begin to
 * its start. Returns 0 if all zones have the same addresses. */
size_t cwi_zone_file_apart(uintptr_t *begin);

/* Returns the descriptor of the memory file, or -1 if there is none. */
int cwi_zone_file_file(void);

/* Returns the length of a new memory file. */
size_t cwi_zone_file_begin(void);

/* Extends the memory file so that the first `end` bytes of the zone can be used. Only one process
 * of the node at a time may call it. Returns false if a limit forbids that. */
bool cwi_zone_file_reach(size_t end);

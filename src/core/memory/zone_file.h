/* Where the zone's bytes come from: a memory file without a name (memfd), or an MPI shared-memory
 * window where that is refused. */
#ifndef CWI_MEMORY_ZONE_FILE_H
#define CWI_MEMORY_ZONE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Map the zone: base, size, fixed and limit of cwi_zone. Collective over the node, with one outcome
 * for all. */
CWI_CHECKED cw_error cwi_zone_file_start(void);
CWI_CHECKED cw_error cwi_zone_file_stop(void);

/* After a start that failed. An MPI window stays with MPI: others may not come to free it. Local.
 */
void cwi_zone_file_forget(void);

/* Where the zone of a node begins, as this process names it. */
uintptr_t cwi_zone_file_base(int node);

/* Returns the length of the address range in which the zones of all nodes lie apart and sets *begin
 * to its start, or returns 0 if all zones have the same addresses. */
size_t cwi_zone_file_apart(uintptr_t *begin);

/* The memory file, or -1. */
int cwi_zone_file_file(void);

/* So long is the memory file when it is new. */
size_t cwi_zone_file_begin(void);

/* The first `end` bytes of the zone are about to be used: the file becomes so long. By one process
 * of the node at a time. False: a limit forbids it. */
bool cwi_zone_file_reach(size_t end);
#endif

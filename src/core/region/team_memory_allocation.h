/* The shared memory of teams on one node: barriers and exchanges without MPI. */
#ifndef CWI_REGION_TEAM_MEMORY_ALLOCATION_H
#define CWI_REGION_TEAM_MEMORY_ALLOCATION_H

#include "base/error.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on such teams get shared memory; the world's, if it is one, now. Collective over the
 * world. */
CWI_CHECKED cw_error cwi_team_memory_start(void);

/* Larger pages for long messages, laid out as those of team/team_memory.h, [2][members][bytes], and
 * used in turn with them. The team gets them when it first asks; *wide false: there is no memory,
 * or the team has so many members that these would be no larger. Collective: the same answer on all
 * members. Errors: as cwi_team_share.
 *
 * 64 KiB: two sets for two members fit into a second-level cache, and where cores are short each
 * piece costs a time slice. The size is a
 * choice: on a shared machine 16, 32 and 64 KiB could not be told apart. */
enum { CWI_MOST_WIDE = 64 * 1024 };
CWI_CHECKED cw_error cwi_team_widen(cw_team team, bool *wide);
size_t cwi_team_wide_bytes(cw_team team);

/* What is left goes with the zone. */
void cwi_team_memory_stop(void);
#endif

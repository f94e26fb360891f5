/* The shared memory of teams on one node, for barriers and exchanges without MPI. */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

/* From now on teams on one node get shared memory. The world gets it at once, if it is on one node.
 * Collective over the world. */
CWI_CHECKED cw_error cwi_team_memory_start(void);

/* cwi_team_widen gives the team larger bounce buffers for long messages. Like those of
 * team/team_memory.h, they have the layout [2][members][bytes], and the two sets are used in turn.
 * Sets *wide to true if the team has such buffers. Sets it to false if there is no memory, or if
 * with this number of members they would be no larger than the usual ones. Collective; all members
 * get the same result. Errors: as cwi_team_share.
 *
 * With 64 KiB two sets for two members fit into a second-level cache. Smaller pieces cost more time
 * slices where cores are short. On a shared machine 16, 32 and 64 KiB showed no measurable
 * difference. */
enum { CWI_MOST_WIDE = 64 * 1024 };
CWI_CHECKED cw_error cwi_team_widen(cw_team team, bool *wide);
size_t cwi_team_wide_bytes(cw_team team);

/* Forgets all shared memory of teams. It is freed with the zone. */
void cwi_team_memory_stop(void);

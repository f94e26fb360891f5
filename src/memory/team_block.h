/* The blocks of shared memory of teams on one node: barriers and exchanges without MPI. */
#ifndef CWI_MEMORY_TEAM_BLOCK_H
#define CWI_MEMORY_TEAM_BLOCK_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on such teams get a block; the world's, if it is one, now. Collective over the world. */
CWI_CHECKED cw_error cwi_team_blocks_start(void);

/* The blocks that are left go with the zone. */
void cwi_team_blocks_stop(void);

#ifdef __cplusplus
}
#endif
#endif

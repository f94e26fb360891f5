/* Chunks: memory of a team that spans nodes, each covered by one MPI window. */
#ifndef CWI_REGION_CHUNK_H
#define CWI_REGION_CHUNK_H

#include "region/region.h"

/* Allocate my slice from a chunk that the team has; NULL when none has room (no error recorded). */
void *cwi_chunk_allocate(cw_team team, size_t bytes, uint64_t region, struct cwi_chunk **chunk);

/* Make a chunk, my part of which has `bytes`. Collective over the team; on failure no member has
 * it. dedicated: my whole part becomes one slice of exactly `bytes`, at *slice (NULL if 0). */
CWI_CHECKED cw_error cwi_chunk_create(cw_team team, size_t bytes, bool dedicated, uint64_t region,
                                      struct cwi_chunk **chunk, void **slice);

/* Collective over the chunk's team. */
CWI_CHECKED cw_error cwi_chunk_destroy(struct cwi_chunk *chunk);

/* A team's chunk by number; NULL if it has none of that number. */
struct cwi_chunk *cwi_chunk_numbered(cw_team team, unsigned number);

/* Are regions of teams that span nodes covered by MPI windows? */
bool cwi_chunks_wanted(void);

/* Convert between an address in my node's zone and its offset, which means the same on all nodes.
 */
uint64_t cwi_offset_of(const void *address);
char *cwi_address_at(uint64_t offset);

/* The same in the zone of a process's node, whose addresses this process names. */
uint64_t cwi_offset_in(int process, const void *address);
char *cwi_address_in(int process, uint64_t offset);
#endif

/* Chunks: memory of a team that spans nodes, each covered by one MPI window. */
#pragma once

#include "region/region.h"

/* Allocates my slice from one of the team's chunks. Returns NULL if none has space; no error is
 * recorded. */
void *cwi_chunk_allocate(cw_team team, size_t bytes, uint64_t region, struct cwi_chunk **chunk);

/* Makes a chunk in which my part has `bytes` bytes. Collective over the team; if it fails, no
 * member has the chunk. If `dedicated` is true, my whole part becomes one slice of exactly `bytes`
 * bytes. *slice receives its address, or NULL if it has 0 bytes. */
CWI_CHECKED cw_error cwi_chunk_create(cw_team team, size_t bytes, bool dedicated, uint64_t region,
                                      struct cwi_chunk **chunk, void **slice);

/* Frees a chunk and its window. Collective over the chunk's team. */
CWI_CHECKED cw_error cwi_chunk_destroy(struct cwi_chunk *chunk);

/* Returns the team's chunk of this number, or NULL. */
struct cwi_chunk *cwi_chunk_numbered(cw_team team, unsigned number);

/* Returns true if MPI windows cover the regions of teams that span nodes. */
bool cwi_chunks_wanted(void);

/* Convert between an address in my node's zone and its offset, which does not depend on where a
 * process maps the zone. */
uint64_t cwi_offset_of(const void *address);
char *cwi_address_at(uint64_t offset);

/* Convert between an offset and an address in the zone of the process's node, as this process names
 * it. */
uint64_t cwi_offset_in(int process, const void *address);
char *cwi_address_in(int process, uint64_t offset);

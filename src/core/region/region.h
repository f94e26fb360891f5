/* Memory of the processes of a node, and regions in it.
 *
 *
 * This header has regions, as the inside sees them, and chunks.
 *
 * agent.c                   a thread of a process that acts on its memory for others of the node
 * chunk.c                   memory of a team that MPI's windows cover
 * fault.c                   saying whose address a load or store has faulted at
 * region.c                  making and freeing regions
 * region_access.c           looking regions up, access epochs, access modes, private memory
 * slice_index.c             which slices the processes of my teams have in chunks
 * team_memory_allocation.c  the shared memory of a team on one node
 * zone_start.c              making the zone, and watching the processes that share it */
#ifndef CWI_REGION_REGION_H
#define CWI_REGION_REGION_H

#include "base/error.h"
#include "memory/arena.h"
#include "team/collective_arguments.h"
#include "team/team.h"

#include <causeway/memory.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_chunk;
struct cwi_zone_slice;    /* memory/zone.h */
struct cwi_memory_handle; /* route/memory_handle/memory_handle.h */
struct cwi_device_slice;  /* device/device.h */

/* One member's slice. `address` is how this process names it. */
struct cwi_slice {
  char *address; /* NULL: no bytes */
  size_t bytes;
  struct cwi_chunk *chunk; /* the chunk that holds it; NULL on teams with shared memory */
  bool on_device;          /* memory/device_address.h */
};

struct cwi_region {
  uint64_t key; /* the same on all members, unlike that of any other living region */
  cw_team team;
  cw_access_mode mode;
  bool listed;      /* the program made it: what other rooms make is listed as theirs */
  unsigned sharers; /* further arrays that lie in this memory */
  unsigned epochs;  /* access epochs that are open here */
  void (*release)(char *address); /* of my slice: memory/device_address.h; NULL: nothing is to do */
  struct cwi_slice *slices;       /* [team size] */
  int64_t *before; /* [team size] bytes of the slices before; NULL: nobody profiles */
};

/* As an argument that has to be the same on all members: its number in the team. NULL: "NULL". */
void cwi_write_region(const struct cwi_argument *argument, struct cwi_words *words);
static inline struct cwi_argument cwi_argument_region(const char *name, cw_region region)
{
  return (struct cwi_argument){name, cwi_write_region, region, 0, NULL, NULL};
}

/* Is this a region that lives? Recognises what was freed, and what never was a region. */
bool cwi_is_region(const void *region);
CWI_CHECKED cw_error cwi_check_region(cw_region region);

/* Memory of the members of a team that one MPI window covers. */
struct cwi_chunk {
  cw_team team;
  unsigned number;  /* in the team: the same on all members */
  bool dedicated;   /* holds one large region and goes with it */
  size_t uses;      /* slices of living regions in it, of all members: the same on all */
  uint32_t granule; /* my part of it: first granule and length; 0 granules is legal */
  uint32_t length;
  char **bases;  /* [team size] where each member's part begins, as this process names it */
  size_t *sizes; /* [team size] bytes */
  struct cwi_arena arena;
  struct cwi_heap heap;
  struct cwi_exposure *exposure; /* the rma route's: its MPI_Win and bookkeeping */
  struct cwi_chunk *next;
};

/* The rma route makes and ends the MPI window of a chunk. Collective over the chunk's team.
 * NULL: there is no rma route. */
struct cwi_chunk_hooks {
  cw_error (*expose)(struct cwi_chunk *chunk);
  cw_error (*withdraw)(struct cwi_chunk *chunk);
};
void cwi_chunk_set_hooks(const struct cwi_chunk_hooks *hooks);

/* What is at (process, address), for routes that go through MPI. */
struct cwi_location {
  cw_region region;
  int rank; /* of the process in the region's team */
  const struct cwi_slice *slice;
  const struct cwi_memory_handle *memory;  /* not NULL: memory that a handle names, and no region */
  const struct cwi_device_slice *imported; /* not NULL: of a node peer's device, reached by mine */
};

/* Look up bytes of any process in the regions that MPI windows cover. *remote: the slice that holds
 * some address nearby, if that is known; or {0}. False: no slice of such a region holds them all.
 * O(log regions) if it is not known. */
bool cwi_slice_index_find(int process, const void *address, size_t bytes,
                          struct cwi_location *remote);

/* The misuse of an address: says whether it is in no slice, in another process's, or runs past the
 * end of one. The argument is called "remote", or as given. */
CWI_CHECKED cw_error cwi_address_misuse(int process, const void *address, size_t bytes);
CWI_CHECKED cw_error cwi_named_address_misuse(const char *name, int process, const void *address,
                                              size_t bytes);

/* Returns false if the address is of device memory, or names another node's where these lie apart:
 * no load or store reaches it. */
bool cwi_is_loadable(const void *address);

/* Finds the slice that holds an address, whosever it is, which was given as one of the process's.
 * Where nodes have the same addresses, only those of node peers tell. It waits for no lock. */
bool cwi_find_owner(int process, const void *address, struct cwi_zone_slice *slice);

/* Rejects a buffer of mine that is not loadable. The argument is called `name`. */
CWI_CHECKED cw_error cwi_check_host_buffer(const char *name, const void *address);

/* Can this be what cw_local_alloc gave? Recognises memory of regions, and odd addresses. */
CWI_CHECKED cw_error cwi_check_local(const void *address);

/* What members tell each other about that for which a region is made: so it costs no round of its
 * own. */
struct cwi_region_terms {
  cw_error mine; /* how it went here so far, with its sentence if not CW_OK: then there is no region
                    on any member */
  uint64_t key;  /* of `same`, as cwi_team_agree_on wants it */
  const struct cwi_argument *same; /* NULL: nothing */
};

/* Make a region, as cw_region_create; also for a team that the program has freed. *out stays NULL
 * if all sizes are 0. Collective over the team; errors on all members. */
CWI_CHECKED cw_error cwi_region_create(cw_team team, size_t bytes, cw_region *out);

/* Give the program a region, or NULL, and the addresses of its slices (addresses NULL: not them).
 */
void cwi_region_hand_out(cw_team team, cw_region region, cw_region *out, void **addresses);

/* Free a region; mine is NULL on members that have no bytes of it. completion: whether everything
 * that this member has started is complete: if not, the memory stays, on all. Collective over the
 * team.
 */
CWI_CHECKED cw_error cwi_region_release(cw_team team, cw_region mine, cw_error completion);

/* The same by the handles that programs have. named: the team that this member names; NULL: none.
 * Errors, on every member: also CW_MISUSE: some name no region and some one, or another team than
 * its own; an access epoch is open. The region stays. */
CWI_CHECKED cw_error cwi_region_release_handle(cw_team team, cw_region mine, cw_team named,
                                               cw_error completion);

/* What the profile asks: which part of which object lies there? */
struct cwi_profiled_part;
bool cwi_region_part(int process, const void *address, struct cwi_profiled_part *part);

/* The living region of this key, if I am a member; NULL otherwise. */
cw_region cwi_region_keyed(uint64_t key);

/* The slice of the process with that address, of those that lie on_device. The caller holds the
 * bookkeeping lock. */
bool cwi_region_find_device_slice(int process, const void *address, struct cwi_zone_slice *found);

/* The slice that this process gives that address, whosever it is, of those in zones. The caller
 * holds the bookkeeping lock. */
bool cwi_region_find_named(const void *address, struct cwi_zone_slice *found);

/* Free every region and chunk that is left. Collective over the world. */
CWI_CHECKED cw_error cwi_memory_stop(void);

/* The regions that live: NULL gives the first, NULL comes after the last. */
cw_region cwi_region_next(cw_region region);

/* Regions that live now (statistics and tests). */
size_t cwi_regions_alive(void);
#endif

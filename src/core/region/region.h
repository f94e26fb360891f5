/* Regions: memory that the members of a team allocate together. This header also has chunks.
 *
 * agent.c                   a thread that works on its process's memory for others of the node
 * chunk.c                   memory of a team that an MPI window covers
 * failed_slices.c           slices of failed processes
 * fault.c                   reports the owner of an address at which a load or store faulted
 * peers.c                   watches the processes of the machine
 * region.c                  making and freeing regions
 * region_access.c           looking regions up, access epochs, access modes, private memory
 * slice_index.c             finds slices in chunks by process and address
 * team_memory_allocation.c  the shared memory of a team on one node
 * zone_start.c              making the zone */
#pragma once

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
  char *address; /* NULL if it has no bytes */
  size_t bytes;
  struct cwi_chunk *chunk; /* the chunk that holds it; NULL on teams with shared memory */
  bool on_device;          /* memory/device_address.h */
};

struct cwi_region {
  uint64_t key; /* the same on all members, and different from that of any other existing region */
  cw_team team;
  cw_access_mode mode;
  bool listed;      /* true if the program created it; the memory of arrays and other objects is not
                       listed */
  unsigned sharers; /* number of further arrays that lie in this memory */
  unsigned epochs;  /* number of access epochs that are open here */
  void (*release)(char *address); /* called for my slice when the region is freed, or NULL */
  struct cwi_slice *slices;       /* [team size] */
  int64_t *before; /* [team size] bytes in the slices of lower ranks; NULL without a profile */
};

/* A region as an argument that has to be the same on all members. It is written as its number in
 * the team, or as "NULL". */
void cwi_write_region(const struct cwi_argument *argument, struct cwi_words *words);
static inline struct cwi_argument cwi_argument_region(const char *name, cw_region region)
{
  return (struct cwi_argument){name, cwi_write_region, region, 0, NULL, NULL};
}

/* Frees the slices of failed members, in each node's surviving member of lowest rank. Uses the set
 * of the last agreement, which is the same on all members: if that member has failed since, the
 * slices stay allocated. */
void cwi_region_free_failed_slices(cw_region region);

/* Returns true if this is an existing region. Any address may be passed, also of freed memory. */
bool cwi_is_region(const void *region);
CWI_CHECKED cw_error cwi_check_region(cw_region region);

/* Memory of the members of a team that one MPI window covers. */
struct cwi_chunk {
  cw_team team;
  unsigned number;  /* in the team; the same on all members */
  bool dedicated;   /* holds one large region and is freed with it */
  size_t uses;      /* number of slices of regions in it, of all members; the same on all */
  uint32_t granule; /* my part: its first granule and length; 0 granules are legal */
  uint32_t length;
  char **bases;  /* [team size] start of each member's part, as this process names it */
  size_t *sizes; /* [team size] bytes */
  struct cwi_arena arena;
  struct cwi_heap heap;
  struct cwi_exposure *exposure; /* MPI_Win and state of the rma route */
  struct cwi_chunk *next;
};

/* Functions of the rma route, a higher module, that make and free the MPI window of a chunk. They
 * are collective over the chunk's team. Without the rma route the hooks are NULL. */
struct cwi_chunk_hooks {
  cw_error (*expose)(struct cwi_chunk *chunk);
  cw_error (*withdraw)(struct cwi_chunk *chunk);
};
void cwi_chunk_set_hooks(const struct cwi_chunk_hooks *hooks);

/* The object at (process, address), for routes that use MPI. */
struct cwi_location {
  cw_region region;
  int rank; /* of the process in the region's team */
  const struct cwi_slice *slice;
  const struct cwi_memory_handle
      *memory; /* not NULL if a memory handle names the memory, which then is in no region */
  const struct cwi_device_slice
      *imported; /* not NULL if the memory is on a node peer's device and my device can access it */
};

/* Looks up bytes of any process in the regions that MPI windows cover. *remote is {0}, or the slice
 * that was found for an address nearby. In the second case only that slice is checked, which saves
 * a search of O(log regions). Returns false if the bytes are not all in one slice. */
bool cwi_slice_index_find(int process, const void *address, size_t bytes,
                          struct cwi_location *remote);

/* Return the misuse of an address: it is in no slice, in another process's, or the bytes run past
 * the end of a slice. The argument is called "remote", or `name`. */
CWI_CHECKED cw_error cwi_address_misuse(int process, const void *address, size_t bytes);
CWI_CHECKED cw_error cwi_named_address_misuse(const char *name, int process, const void *address,
                                              size_t bytes);

/* Returns false if no load or store reaches the address. It is then an address of device memory, or
 * of another node's memory if zones are apart. */
bool cwi_is_loadable(const void *address);

/* Finds the slice that holds an address, whichever process owns the slice. The program passed the
 * address as one of `process`. If all nodes have the same addresses, it finds only slices of node
 * peers. Does not wait for a lock. */
bool cwi_find_owner(int process, const void *address, struct cwi_zone_slice *slice);

/* Rejects a buffer of mine that is not loadable. The argument is called `name`. */
CWI_CHECKED cw_error cwi_check_host_buffer(const char *name, const void *address);

/* Checks that cw_local_alloc could have returned this address. Rejects memory of regions and
 * misaligned addresses. */
CWI_CHECKED cw_error cwi_check_local(const void *address);

/* Terms that the members exchange while they make a region for an object, so that the object needs
 * no exchange of its own. */
struct cwi_region_terms {
  cw_error mine; /* the result on this member so far; if it is an error, its message is recorded,
                    and no member gets a region */
  uint64_t key;  /* hash of `same` for cwi_team_agree_on */
  const struct cwi_argument *same; /* arguments that must be the same on all members, or NULL */
};

/* Makes a region like cw_region_create, also for a team that the program has freed. *out stays NULL
 * if all sizes are 0. Collective over the team; errors are returned on all members. */
CWI_CHECKED cw_error cwi_region_create(cw_team team, size_t bytes, cw_region *out);

/* Returns a region (or NULL) and the addresses of its slices to the program. `addresses` may be
 * NULL. */
void cwi_region_hand_out(cw_team team, cw_region region, cw_region *out, void **addresses);

/* Frees a region. `mine` is NULL on members that have no bytes of it. `completion` is the result of
 * completing this member's operations. If that failed in MPI on any member, no member frees the
 * memory. Collective over the team. */
CWI_CHECKED cw_error cwi_region_release(cw_team team, cw_region mine, cw_error completion);

/* Like cwi_region_release, for the handles that programs have. `named` is the team that this member
 * passes, or NULL. Further errors, on every member: CW_MISUSE if only some members pass a region, a
 * member passes another team than the region's, or an access epoch is open. After such an error the
 * region still exists. */
CWI_CHECKED cw_error cwi_region_release_handle(cw_team team, cw_region mine, cw_team named,
                                               cw_error completion);

/* Finds the part of an object at (process, address), for the profile. Returns false if there is
 * none. */
struct cwi_profiled_part;
bool cwi_region_part(int process, const void *address, struct cwi_profiled_part *part);

/* Returns the region of this key if I am a member, or NULL. */
cw_region cwi_region_keyed(uint64_t key);

/* Finds the slice of the process that lies on a device and contains the address. The caller holds
 * the bookkeeping lock. */
bool cwi_region_find_device_slice(int process, const void *address, struct cwi_zone_slice *found);

/* Finds the slice of any process that lies in a zone and contains the address, as this process
 * names it. The caller holds the bookkeeping lock. */
bool cwi_region_find_named(const void *address, struct cwi_zone_slice *found);

/* Frees all regions and chunks that are left. Collective over the world. */
CWI_CHECKED cw_error cwi_memory_stop(void);

/* Returns the region after `region`, or the first one for NULL. Returns NULL after the last. */
cw_region cwi_region_next(cw_region region);

/* Returns the number of existing regions, for statistics and tests. */
size_t cwi_regions_alive(void);

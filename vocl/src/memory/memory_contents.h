/* Memory of contexts over several locations: the locations where its ranges are valid, and its
 * mappings.
 *
 * memory_mapping.c     maps and unmaps memory
 * memory_uses.c        commands that may still use a range
 * replicated_memory.c  buffers, sub-buffers and images
 * valid_ranges.c       ranges of memory and the locations where they are valid */
#pragma once

#include "replica/replicated_memory.h"

/* --- replicated_memory.c --- */

cl_int vocl_replicated_memory_make(const struct vocl_making *making, void **object);

extern const struct vocl_replicated_kind vocl_replicated_memory_kind;
/* Updates which replicas are watched for deletion, after the one at `spare` has moved to
 * `location`. */
void vocl_memory_adopt_replica(struct vocl_replicated_memory *memory, uint32_t spare,
                               uint32_t location);
/* Forgets that the replica at the location is watched for deletion, because it is dropped before
 * the memory. */
void vocl_memory_drop_replica(struct vocl_replicated_memory *memory, uint32_t location);
/* Returns the memory that contains all of this one, and stores the offset in it in *offset. */
struct vocl_replicated_memory *vocl_memory_root(struct vocl_replicated_memory *memory,
                                                size_t *offset);
/* Returns CL_INVALID_OPERATION if the memory's flags forbid the program to read or write it. */
cl_int vocl_memory_check_host_access(const struct vocl_replicated_memory *memory, bool reads,
                                     bool writes);
/* Returns the client-side memory for mappings, or NULL. It lives as long as a replica may use
 * it. Called with the context's lock held. */
char *vocl_memory_shadow(struct vocl_replicated_memory *memory);
/* Keeps the shadow until the vendors of this process have deleted their replicas. Does not wait: it
 * registers callbacks for the deletions. Such a vendor may read the shadow after the unmapping call
 * has returned. Proxies need no callback, because a write to a proxy copies the data before it
 * returns. Called without the lock. */
void vocl_memory_wait_for_vendors(struct vocl_replicated_memory *memory);

static inline bool vocl_memory_is_image(const struct vocl_replicated_memory *memory)
{
  return memory->sort == VOCL_IMAGE;
}

/* Returns the number of bytes of a buffer, or of rows in all slices of an image. */
size_t vocl_memory_extent(const struct vocl_replicated_memory *memory);

/* --- valid_ranges.c --- */

/* Makes a single range that is valid at the given locations. Returns false if there is no
 * memory. */
bool vocl_contents_begin(struct vocl_contents *contents, size_t extent, uint32_t valid);
void vocl_contents_end(struct vocl_contents *contents);
/* Splits the range that contains `at`. Returns false if there is no memory. */
bool vocl_ranges_split(struct vocl_contents *contents, size_t at);
/* Merges neighbours that are certainly valid at the same locations. */
void vocl_ranges_merge(struct vocl_contents *contents, struct vocl_memory_use **over);
/* Records that the command will write the whole range, so that other locations become outdated.
 * Returns false if there is no memory. */
bool vocl_range_write(struct vocl_valid_range *part, struct vocl_replicated_event *event);
/* Records that the range did not arrive at a location. */
void vocl_range_invalidate(struct vocl_valid_range *part, uint32_t location);
/* Updates the range by the writes that have completed. */
void vocl_range_update(struct vocl_valid_range *part, struct vocl_memory_use **over);

/* --- memory_uses.c: with the lock held, except the last function --- */

/* Returns NULL if there is no memory. */
struct vocl_memory_use *vocl_memory_use_new(struct vocl_replicated_event *event, size_t from,
                                            size_t to, bool writes);
/* Appends a use by a command of the program. Returns false if there is no memory. */
bool vocl_memory_uses_add(struct vocl_contents *contents, struct vocl_replicated_event *event,
                          size_t from, size_t to, bool writes);
/* Moves the use to the list *over. */
static inline void vocl_memory_use_retire(struct vocl_memory_use *use,
                                          struct vocl_memory_use **over)
{
  use->next = *over;
  *over = use;
}
/* vocl_memory_uses_prune moves at most two completed uses, the oldest ones, to *over, which bounds
 * the work per call. vocl_memory_uses_prune_transfers moves all completed uses by transfers. */
void vocl_memory_uses_prune(struct vocl_contents *contents, struct vocl_memory_use **over);
void vocl_memory_uses_prune_transfers(struct vocl_contents *contents,
                                      struct vocl_memory_use **over);
void vocl_memory_uses_free(struct vocl_memory_use *use);

/* --- memory_mapping.c --- */

/* Turn map and unmap commands into commands that executors have: reads, writes and markers. The
 * mapped memory is command->host. `box` is space for the region of an unmapped image. */
cl_int vocl_map_begin(struct vocl_command *command);
cl_int vocl_map_end(struct vocl_command *command, size_t box[2][3]);
/* Removes the mapping of a map command that was not enqueued. */
void vocl_map_undo(struct vocl_replicated_memory *memory, const void *address);

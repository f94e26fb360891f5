/* Memory that a process has not allocated with a team, named by a handle: a string of bytes that
 * any process of the job may turn into the memory again.
 *
 * The living handles of a process stand in a table in the memory that its node shares. Every
 * access, by a node peer, the node's server or the owner, looks there first. So each access detects
 * a released handle, and does not touch its memory.
 *
 * memory_handle_agent.c  the agent: a thread of the owner, where the kernel does not let peers
 * memory_handle_route.c  route memory_handle
 * memory_handle_table.c  the tables; names; release waits for accesses under way
 * private_memory.c       moving bytes of another process: the kernel copies, or the owner's agent
 */
#ifndef CWI_ROUTE_MEMORY_HANDLE_H
#define CWI_ROUTE_MEMORY_HANDLE_H

#include "base/error.h"
#include "region/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a handle. Numbers are in the machine's byte order, as on all wires of a job. */
struct cwi_memory_handle_name {
  uint32_t magic;
  uint32_t sum; /* of all that follows: what is no handle is recognised */
  uint64_t job;
  uint64_t address; /* as the owner has it */
  uint64_t offset;  /* in the zone of its node; or CWI_NOT_IN_ZONE */
  uint64_t bytes;
  uint64_t serial;
  uint64_t entry; /* where the owner has the table's entry, for routes that read it through MPI */
  uint32_t slot;
  int32_t owner;
};
#define CWI_NOT_IN_ZONE UINT64_MAX

/* A handle that lives, in shared memory. A line of its own: users count accesses in it. */
struct cwi_memory_handle_entry {
  uint64_t serial; /* of the handle that has the slot; 0: none. Written last, read first */
  uint64_t address, offset, bytes;
  int32_t slice_owner; /* memory of the zone: whose slice it is in */
  uint32_t next_free;  /* slot + 1 */
  uint32_t users;      /* accesses under way: release waits for them */
  uint32_t padding[5];
};

/* A handle as a process has resolved it. */
struct cwi_memory_handle {
  int owner;
  char *address; /* memory of the zone: as this process names it; else as its owner does */
  size_t bytes;
  uint64_t serial;
  uint32_t slot;
  bool in_zone;
  bool careful;                          /* what is not mapped is an error, in my own memory too */
  uint64_t owner_address, owner_entry;   /* as the owner has them */
  struct cwi_memory_handle_entry *entry; /* NULL: the owner is on another node */
};

/* Collective over the processes and server ranks of the world, after the zone. */
CWI_CHECKED cw_error cwi_memory_handles_start(void);

/* Before the zone goes, when nobody accesses anything any more. */
void cwi_memory_handles_stop(void);

/* Name memory of mine. Errors: CW_MISUSE (no such memory), CW_OUTSIDE (too many handles). */
CWI_CHECKED cw_error cwi_memory_handle_create(void *address, size_t bytes,
                                              struct cwi_memory_handle_name *name);

/* The part of my table that has it. */
void cwi_memory_handle_slab(const struct cwi_memory_handle_name *name, void **slab, size_t *bytes);

/* Take it back, before anybody has heard of it. */
void cwi_memory_handle_withdraw(const struct cwi_memory_handle_name *name);

/* End a handle of mine. *memory: what it named. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_memory_handle_release(const void *handle,
                                               struct cwi_memory_handle *memory);

/* What a handle's bytes name. Local. Errors: CW_MISUSE (no handle; of another job; released, if its
 * owner is on my node). */
CWI_CHECKED cw_error cwi_memory_handle_resolve(const void *handle,
                                               struct cwi_memory_handle *memory);

/* The same of what another node asks for: a handle of a process of mine. */
CWI_CHECKED cw_error cwi_memory_handle_find(int process, uint32_t slot, uint64_t serial,
                                            struct cwi_memory_handle *memory);

/* Do these bytes lie inside it? Local. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_memory_handle_holds(const struct cwi_memory_handle *memory,
                                             const void *remote, size_t bytes);

/* Begin and end an access to memory of my node: it is not released meanwhile. */
CWI_CHECKED cw_error cwi_memory_handle_enter(const struct cwi_memory_handle *memory);
void cwi_memory_handle_leave(const struct cwi_memory_handle *memory);

/* Was it released? Only the owner's node knows. */
static inline bool cwi_memory_handle_lives(const struct cwi_memory_handle *memory)
{
  return __atomic_load_n(&memory->entry->serial, __ATOMIC_ACQUIRE) == memory->serial;
}

/* The misuse of what was released. */
CWI_CHECKED cw_error cwi_memory_handle_released(const struct cwi_memory_handle *memory);

/* How many handles of mine live. */
size_t cwi_memory_handles_alive(void);

struct cwi_route;

/* The route to memory of my node that a handle names: transfer->place.memory is what
 * cwi_memory_handle_resolve gave. Everything is complete on return. */
extern const struct cwi_route cwi_route_memory_handle;

/* Start such a transfer without waiting for an agent: *agent_operation gives what is left to do, or
 * stays: all is complete. The transfer is copied; the arrays of a list stay in use until the
 * agent_operation has ended. Accumulates wait for the owner's agent, with a lock: that agent waits
 * for nobody. */
struct cwi_transfer;
struct cwi_agent_operation;
CWI_CHECKED cw_error cwi_memory_handle_start_later(const struct cwi_transfer *transfer,
                                                   struct cwi_agent_operation **agent_operation);
#endif

/* Memory handles. A handle is a string of bytes that names memory of one process, inside a slice or
 * elsewhere. Any process of the job can resolve the handle to the memory. Memory outside the zone
 * is called private memory.
 *
 * The living handles of a process are in a table in the memory that its node shares. Every access,
 * whether by a node peer, the node's server or the owner, checks the table first. So each access
 * detects a released handle, and does not touch its memory.
 *
 * memory_handle_agent.c  the agent: a thread of the owner, where the kernel does not let peers copy
 * memory_handle_route.c  the route to memory named by handles
 * memory_handle_table.c  the tables; names; release waits for accesses in progress
 * private_memory.c       moving bytes of another process: by the kernel or by the owner's agent */
#pragma once

#include "base/error.h"
#include "region/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a handle. Numbers are in the machine's byte order, as on all wires of a job. */
struct cwi_memory_handle_name {
  uint32_t magic;
  uint32_t sum; /* checksum of all that follows, which detects invalid handles */
  uint64_t job;
  uint64_t address; /* in the owner's address space */
  uint64_t offset;  /* offset in the zone of the owner's node, or CWI_NOT_IN_ZONE */
  uint64_t bytes;
  uint64_t serial;
  uint64_t entry; /* owner's address of the table's entry, for routes that read it through MPI */
  uint32_t slot;
  int32_t owner;
};
#define CWI_NOT_IN_ZONE UINT64_MAX

/* A living handle, in shared memory. It has a cache line of its own because processes count their
 * accesses in it. */
struct cwi_memory_handle_entry {
  uint64_t serial; /* serial number of the handle in the slot, or 0 if the slot is free; written
                      last, read first */
  uint64_t address, offset, bytes;
  int32_t slice_owner; /* owner of the slice, for memory of the zone */
  uint32_t next_free;  /* slot + 1 */
  uint32_t users;      /* accesses in progress: release waits for them */
  uint32_t padding[5];
};

/* A handle that a process has resolved. */
struct cwi_memory_handle {
  int owner;
  char *address; /* address in this process for memory of the zone, else in its owner */
  size_t bytes;
  uint64_t serial;
  uint32_t slot;
  bool in_zone;
  bool careful; /* report memory that is not mapped as an error, even in my own process */
  uint64_t owner_address, owner_entry;   /* addresses in the owner */
  struct cwi_memory_handle_entry *entry; /* NULL if the owner is on another node */
};

/* Makes the tables. Collective over the processes and server ranks of the world, after the zone. */
CWI_CHECKED cw_error cwi_memory_handles_start(void);

/* Stops the module. Called after the last access, and before the zone is freed. */
void cwi_memory_handles_stop(void);

/* Makes a handle for memory of mine. Errors: CW_MISUSE (no such memory), CW_OUTSIDE (too many
 * handles). */
CWI_CHECKED cw_error cwi_memory_handle_create(void *address, size_t bytes,
                                              struct cwi_memory_handle_name *name);

/* Returns the slab of my table that has the handle's entry. */
void cwi_memory_handle_slab(const struct cwi_memory_handle_name *name, void **slab, size_t *bytes);

/* Removes a handle of mine that no other process knows yet. */
void cwi_memory_handle_withdraw(const struct cwi_memory_handle_name *name);

/* Releases a handle of mine. *memory receives the memory that it named. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_memory_handle_release(const void *handle,
                                               struct cwi_memory_handle *memory);

/* Resolves a handle. Local. Errors: CW_MISUSE (not a handle; of another job; released, if its owner
 * is on my node). */
CWI_CHECKED cw_error cwi_memory_handle_resolve(const void *handle,
                                               struct cwi_memory_handle *memory);

/* Resolves a handle of a process of my node that another node names by slot and serial number.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_memory_handle_find(int process, uint32_t slot, uint64_t serial,
                                            struct cwi_memory_handle *memory);

/* Checks that the bytes lie inside the memory. Local. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_memory_handle_holds(const struct cwi_memory_handle *memory,
                                             const void *remote, size_t bytes);

/* Begin and end an access to memory of my node, which its owner cannot release meanwhile. */
CWI_CHECKED cw_error cwi_memory_handle_enter(const struct cwi_memory_handle *memory);
void cwi_memory_handle_leave(const struct cwi_memory_handle *memory);

/* Returns true if the handle has not been released. The owner must be on my node. */
static inline bool cwi_memory_handle_lives(const struct cwi_memory_handle *memory)
{
  return __atomic_load_n(&memory->entry->serial, __ATOMIC_ACQUIRE) == memory->serial;
}

/* Returns the error for a released handle. */
CWI_CHECKED cw_error cwi_memory_handle_released(const struct cwi_memory_handle *memory);

/* Returns the number of my living handles. */
size_t cwi_memory_handles_alive(void);

/* Starts a transfer by cwi_route_memory_handle without waiting for an agent. *agent_operation
 * receives the rest of the work, or is unchanged if the transfer is complete. The transfer is
 * copied; the arrays of a list must stay valid until the agent operation has ended. Accumulates are
 * an exception: they wait for the owner's agent with a stripe's lock held, which is safe because
 * the agent waits for no other thread. */
struct cwi_transfer;
struct cwi_agent_operation;
CWI_CHECKED cw_error cwi_memory_handle_start_later(const struct cwi_transfer *transfer,
                                                   struct cwi_agent_operation **agent_operation);

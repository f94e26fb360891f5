/* Helpers that tests of memory handles share: sending handles, and transfers on the memory that
 * they name. */
#pragma once

#include "kit/native.h"

#include "route/memory_handle_calls.h"

#include <mpi.h>

typedef struct handle_name {
  char bytes[CW_MEMORY_HANDLE_BYTES];
} handle_name;

/* Gathers all processes' handles of one kind. Collective. */
static inline void share_names(const handle_name *mine, handle_name *all)
{
  MPI_Allgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, kit_comm());
}

static inline struct cwi_memory_handle resolved(const handle_name *handle)
{
  struct cwi_memory_handle memory = {0};
  KIT_MUST(cwi_memory_handle_resolve(handle, &memory));
  return memory;
}

static inline cw_error run(const struct cwi_memory_handle *memory, cw_transfer transfer)
{
  transfer.process = memory->owner;
  return cwi_memory_handle_start(memory, &transfer, true, NULL);
}

static inline cw_error move(cw_operation operation, const struct cwi_memory_handle *memory,
                            void *local, size_t at, size_t bytes)
{
  return run(memory, cw_contiguous(operation, local, memory->address + at, bytes, 0));
}

/* Runs a blocking operation, and returns its error or that of the next fence. */
static inline cw_error complete(cw_error error, int process)
{
  return error != CW_OK ? error : cw_fence(process);
}

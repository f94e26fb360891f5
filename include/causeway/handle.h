/* Causeway: memory handles, names for any memory of a process that others may then reach.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_HANDLE_H
#define CAUSEWAY_HANDLE_H

#include <causeway/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MEMORY_HANDLE_BYTES = 64 };

/* Names memory of mine, of any kind: heap, stack, a mapped file, a region.
 *
 * address, bytes: the memory, at least 1 byte. It must not be freed before the handle is released.
 * handle: receives CW_MEMORY_HANDLE_BYTES opaque bytes, which the program may copy and send to any
 * process of the job, by any means; they are valid there until the handle is released or the job
 * calls cw_finalize. Handles may overlap. Two restrictions hold in jobs of several nodes without
 * servers, and with CW_ROUTE=rma. The memory of a handle must lie inside the memory of a live
 * handle, or not overlap it. And while memory of a region is updated atomically through a handle,
 * it must not be updated through the region. Local. Complete on return: others may reach the
 * memory. Errors: CW_MISUSE (NULL; no such memory), CW_OUTSIDE (262,080 handles of this process
 * live; memory; MPI). After "memory handles" of Schuchart, Niethammer, Gracia, Bosilca: Quo Vadis
 * MPI RMA? (2021), and MPI_Win_attach. */
CW_CHECKED cw_error cw_memory_handle_create(void *address, size_t bytes, void *handle);

/* Releases a handle of mine: from now on every access by it is an error. Accesses that are under
 * way end before this returns. But between nodes without servers, other processes must complete
 * their operations by the handle before this call. The same holds for puts and gets with
 * CW_ROUTE=rma.
 *
 * handle: the bytes, or a copy of them.
 * Local. Complete on return: the memory may be freed. Errors: CW_MISUSE (NULL; not a handle; one of
 * another job; one of another process; already released). */
CW_CHECKED cw_error cw_memory_handle_release(const void *handle);

#ifdef __cplusplus
}
#endif
#endif

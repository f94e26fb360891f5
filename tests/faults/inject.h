/* Included before every file of the copy of the library with which these tests are linked. Each
 * call that allocates memory, and (calls.h) each call of MPI, first checks whether it must fail.
 * MPI's own allocations are not affected. */
#pragma once

#include "counted.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<mm_malloc.h>)
#include <mm_malloc.h> /* it declares posix_memalign again, so include it before that is a macro (CL/cl.h) */
#endif

/* A location in the library that calls something. */
struct fault_site {
  const char *call, *file, *function;
  int line;
  bool listed;
  unsigned count; /* calls so far */
  struct fault_site *next;
};

/* Counts a call; returns true if it must fail. */
bool fault_strikes(struct fault_site *site);

#define FAULT_HERE(call)                                                                           \
  __extension__({                                                                                  \
    static struct fault_site fault_site = {call, __FILE__, __func__, __LINE__, false, 0, NULL};    \
    fault_strikes(&fault_site);                                                                    \
  })
#define FAULT_MPI(name, ...) (FAULT_HERE(#name) ? MPI_ERR_OTHER : name(__VA_ARGS__))

/* A process that makes a window sends the result to the others afterwards, so that all fail
 * together. That requires that the call returns on the others. The window is therefore made, and
 * then reported as failed. */
static inline int fault_late(bool strikes, int code)
{
  return strikes ? MPI_ERR_OTHER : code;
}
#define MPI_Win_create(...) fault_late(FAULT_HERE("MPI_Win_create"), MPI_Win_create(__VA_ARGS__))

/* Memory of the library: pieces (counted_has), which detect leaks of failed calls, and bytes, which
 * show growth with the job. */
long fault_bytes(void);

#define malloc(size) (FAULT_HERE("malloc") ? NULL : counted_malloc(size))
#define calloc(count, size) (FAULT_HERE("calloc") ? NULL : counted_calloc(count, size))
#define realloc(old, size) (FAULT_HERE("realloc") ? NULL : counted_grown(old, size))
#define strdup(text) (FAULT_HERE("strdup") ? NULL : counted_strdup(text))
#define aligned_alloc(align, size)                                                                 \
  (FAULT_HERE("aligned_alloc") ? NULL : counted_taken(aligned_alloc(align, size)))
#define posix_memalign(made, align, size)                                                          \
  (FAULT_HERE("posix_memalign") ? ENOMEM : counted_aligned(made, align, size))
#define free(memory) counted_free(memory)

#include "calls.h"

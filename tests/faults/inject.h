/* Included before every file of the copy of the library that these tests are linked with: each call
 * that takes memory, and (calls.h) each call of MPI, first asks whether it is to fail. MPI's own
 * allocations are not touched. */
#ifndef FAULTS_INJECT_H
#define FAULTS_INJECT_H

#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A place in the library that calls something. */
struct fault_site {
  const char *call, *file, *function;
  int line;
  bool listed;
  unsigned count; /* calls so far */
  struct fault_site *next;
};

/* Count a call; true: this one fails. */
bool fault_strikes(struct fault_site *site);

#define FAULT_HERE(call)                                                                           \
  __extension__({                                                                                  \
    static struct fault_site fault_site = {call, __FILE__, __func__, __LINE__, false, 0, NULL};    \
    fault_strikes(&fault_site);                                                                    \
  })
#define FAULT_MPI(name, ...) (FAULT_HERE(#name) ? MPI_ERR_OTHER : name(__VA_ARGS__))

/* Who makes a window tells the others afterwards how it went, so that all fail together; that takes
 * an MPI whose call returns on the others. This one is made, and then reported as failed. */
static inline int fault_late(bool strikes, int code)
{
  return strikes ? MPI_ERR_OTHER : code;
}
#define MPI_Win_create(...) fault_late(FAULT_HERE("MPI_Win_create"), MPI_Win_create(__VA_ARGS__))

/* What the library has of memory, in pieces: what a call that failed has left is found by that; and
 * in bytes: what grows with the job. */
void fault_has(int more, long bytes);
long fault_bytes(void);

static inline void *fault_taken(void *memory)
{
  if (memory != NULL)
    fault_has(1, (long)malloc_usable_size(memory));
  return memory;
}

static inline void *fault_grown(void *old, size_t size)
{
  const long before = (long)malloc_usable_size(old);
  void *memory = realloc(old, size);
  if (memory != NULL)
    fault_has(old == NULL, (long)malloc_usable_size(memory) - before);
  return memory;
}

static inline void fault_free(void *memory)
{
  if (memory != NULL)
    fault_has(-1, -(long)malloc_usable_size(memory));
  free(memory);
}

static inline int fault_aligned(void **made, size_t align, size_t size)
{
  const int code = posix_memalign(made, align, size);
  if (code == 0)
    fault_has(1, (long)malloc_usable_size(*made));
  return code;
}

#define malloc(size) (FAULT_HERE("malloc") ? NULL : fault_taken(malloc(size)))
#define calloc(count, size) (FAULT_HERE("calloc") ? NULL : fault_taken(calloc(count, size)))
#define realloc(old, size) (FAULT_HERE("realloc") ? NULL : fault_grown(old, size))
#define strdup(text) (FAULT_HERE("strdup") ? NULL : fault_taken(strdup(text)))
#define aligned_alloc(align, size)                                                                 \
  (FAULT_HERE("aligned_alloc") ? NULL : fault_taken(aligned_alloc(align, size)))
#define posix_memalign(made, align, size)                                                          \
  (FAULT_HERE("posix_memalign") ? ENOMEM : fault_aligned(made, align, size))
#define free(memory) fault_free(memory)

#include "calls.h"

#endif

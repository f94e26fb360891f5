/* The memory of a side (Causeway's, MPI's or private), and signals: numbers in it by which
 * processes report their progress. */
#pragma once

#include <causeway.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Communicator for MPI's calls, with the processes in their order. It does not contain servers that
 * are MPI ranks. */
extern MPI_Comm prk_comm;

/* The sides, by the memory that they use. */
enum side_number {
  CAUSEWAY, /* a region */
  MESSAGES, /* private memory, MPI's two-sided calls */
  SHARED,   /* a window of shared memory, loads and stores; on one node only */
  WINDOWS,  /* a window, MPI's one-sided calls */
  SIDES
};
extern const char *const side_names[SIDES];

struct memory {
  enum side_number side;
  size_t bytes; /* the same on all processes */
  char *mine;
  void **all; /* by process. CAUSEWAY: as transfers name it. SHARED: address for loads and stores.
                 Else NULL */
  cw_region region;
  MPI_Win
      window; /* displacements are in bytes; an access epoch to all lasts as long as the memory */
  bool *touched;     /* [processes] WINDOWS: operations to it may be in flight */
  MPI_Request never; /* WINDOWS: a receive that never matches */
  bool crowded;      /* there may be more processes than cores */
};

/* Creates the memory. All processes get the largest size that one of them requests. Collective. */
void memory_create(enum side_number side, size_t bytes, struct memory *memory);
void memory_destroy(struct memory *memory);

/* Returns the address of a process's memory for loads and stores, or NULL if only transfers reach
 * it. */
void *memory_address(const struct memory *memory, int process);

/* Writes numbers into another process's memory after all that this process has stored there
 * (SHARED) or put and flushed (WINDOWS). When it returns they are written (SHARED), or in flight
 * and must not change before memory_push (WINDOWS). Other sides have signals of their own. */
void memory_signal(const struct memory *memory, int process, size_t place, const int64_t *numbers,
                   int count);

/* Completes all puts, gets and signals of this process to windows that it has touched. */
void memory_push(const struct memory *memory);

/* Makes this process's stores to its own memory visible to others' operations, and their effects
 * visible to its loads. MPI requires this for windows alone. */
void memory_sync(const struct memory *memory);

/* memory_reached returns true if a signal's number in this process's memory is at least `least`;
 * memory_await waits for that. memory_await_change waits until a word differs from `before` and
 * returns it. */
bool memory_reached(const struct memory *memory, size_t place, int64_t least);
void memory_await(const struct memory *memory, size_t place, int64_t least);
uint64_t memory_await_change(const struct memory *memory, size_t place, uint64_t before);

/* Waits for MPI's requests, or frees them. (gcc takes MPI_STATUSES_IGNORE for an array without
 * elements.) */
void wait_for_all(int count, MPI_Request *requests);
void free_all(int count, MPI_Request *requests);

/* Returns private memory, or ends the job. */
void *allocate(size_t bytes);

/* Size of a cache line. Signals do not share one. */
enum { LINE = 64 };

static inline size_t lines(size_t bytes)
{
  return (bytes + LINE - 1) / LINE * LINE;
}

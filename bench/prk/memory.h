/* The memory of a side: Causeway's, MPI's or private; and numbers in it by which processes tell
 * each other how far they are. */
#ifndef PRK_MEMORY_H
#define PRK_MEMORY_H

#include <causeway.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For MPI's calls: the processes in their order. Servers that are ranks of MPI are not among them.
 */
extern MPI_Comm prk_comm;

/* The sides, by the memory that they work in. */
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
  void **all; /* by process: Causeway: as transfers name it; SHARED: where to load and store; else
                 NULL */
  cw_region region;
  MPI_Win window;    /* displacements are bytes; open to all while the memory lives */
  bool *touched;     /* [processes] something of mine may be under way there (WINDOWS) */
  MPI_Request never; /* a receive of what nobody sends (WINDOWS) */
  bool crowded;      /* there may be more processes than cores */
};

/* Collective. All members want the most that one of them asks for. */
void memory_create(enum side_number side, size_t bytes, struct memory *memory);
void memory_destroy(struct memory *memory);

/* Where a process's memory may be loaded and stored here; NULL: only by transfers. */
void *memory_address(const struct memory *memory, int process);

/* Numbers for the memory of another process, behind all that this process has stored there (SHARED)
 * or put and flushed (WINDOWS). On return they are there (SHARED), or are on their way, and must
 * stay as they are until memory_push. Other sides have means of their own. */
void memory_signal(const struct memory *memory, int process, size_t place, const int64_t *numbers,
                   int count);

/* All that this process has put into windows that it has touched, got from there, or signalled, is
 * complete on return. */
void memory_push(const struct memory *memory);

/* What this process has stored in its memory is there for others' operations, and what these have
 * done for its loads. MPI wants that of windows alone. */
void memory_sync(const struct memory *memory);

/* Wait until such a number in this process's memory is at least that; or ask whether it is; or wait
 * until a word in it is another one, and return it. */
bool memory_reached(const struct memory *memory, size_t place, int64_t least);
void memory_await(const struct memory *memory, size_t place, int64_t least);
uint64_t memory_await_change(const struct memory *memory, size_t place, uint64_t before);

/* Wait for MPI's requests, or free them. (gcc takes MPI_STATUSES_IGNORE for an array without
 * elements.) */
void wait_for_all(int count, MPI_Request *requests);
void free_all(int count, MPI_Request *requests);

/* Private memory, or the end of the job. */
void *room(size_t bytes);

/* A cache line, so that signals do not share one. */
enum { LINE = 64 };

static inline size_t lines(size_t bytes)
{
  return (bytes + LINE - 1) / LINE * LINE;
}

#endif

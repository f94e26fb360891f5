/* The kernel stencil: a star of radius 2 on a square grid; each process has a rectangle of it. */
#pragma once

#include "kernel.h"
#include "star.h"

/* Direction of a neighbour. The opposite of way w is w ^ 1. */
enum { UP, DOWN, LEFT, RIGHT, WAYS };

struct stencil {
  struct state state;
  int64_t order;             /* of the grid */
  struct span rows, columns; /* of this process */
  int neighbours[WAYS];      /* -1 at the edge of the grid */
  int64_t stride;            /* distance between rows of `in`; that of `out` is columns.count */
  double *in, *out;          /* `in` has RADIUS more rows and columns on each side */
  size_t halo_bytes;         /* space for the cells that one neighbour sends */
  int64_t exchanges;         /* number of exchanges that were begun */
  cw_notifications acknowledged;
  char *packed[WAYS]; /* WINDOWS: outgoing cells */
  MPI_Request requests[2 * WAYS];
  int started; /* number of requests */
};

/* Return offsets in each process's memory: of the signal for a way, and of the cells that are put
 * from there. Two buffers alternate: a neighbour puts into the second one while this process still
 * reads the first. It cannot be further ahead, because it needs this process's cells. */
static inline size_t stencil_signal(int way)
{
  return (size_t)way * LINE;
}

static inline size_t stencil_halo_place(const struct stencil *stencil, int way)
{
  const size_t number = 2 * (size_t)way + (size_t)(stencil->exchanges % 2);
  return WAYS * LINE + number * stencil->halo_bytes;
}

/* A rectangle of cells of the grid. */
struct rectangle {
  double *from;
  int64_t rows, columns;
};

/* Returns the cells that the neighbour on that way needs. stencil_halo has the place for its own.
 * */
struct rectangle stencil_border(const struct stencil *stencil, int way);
struct rectangle stencil_halo(const struct stencil *stencil, int way);

/* Copies the border to consecutive places and returns its bytes. */
size_t stencil_pack(const struct stencil *stencil, int way, void *to);

/* Copies cells that came from there into their place. */
void stencil_unpack(const struct stencil *stencil, int way, const void *from);

/* Updates the grid once the neighbours' cells have arrived. */
void stencil_compute(struct stencil *stencil);

extern const struct side stencil_causeway, stencil_messages, stencil_shared, stencil_windows;

/* The kernel stencil: a star of radius 2 on a square grid; each process has a rectangle of it. */
#ifndef PRK_STENCIL_H
#define PRK_STENCIL_H

#include "kernel.h"
#include "star.h"

/* Where a neighbour is. The opposite of way w is w ^ 1. */
enum { UP, DOWN, LEFT, RIGHT, WAYS };

struct stencil {
  struct state state;
  int64_t order;             /* of the grid */
  struct span rows, columns; /* of this process */
  int neighbours[WAYS];      /* -1: the grid ends here */
  int64_t stride;            /* of in; that of out is columns.count */
  double *in, *out;          /* in has RADIUS more rows and columns on each side */
  size_t halo_bytes;         /* room for what one neighbour sends */
  int64_t exchanges;         /* that were ever begun */
  cw_notifications acknowledged;
  char *packed[WAYS]; /* what goes out (WINDOWS) */
  MPI_Request requests[2 * WAYS];
  int started; /* how many of them there are */
};

/* Places in each process's memory: a signal for each way, and where what comes from there is put.
 * Two of these take turns: a neighbour puts into the second one while this process still reads the
 * first. It cannot be further ahead, since it needs what this process sends. */
static inline size_t stencil_signal(int way)
{
  return (size_t)way * LINE;
}

static inline size_t stencil_halo_place(const struct stencil *stencil, int way)
{
  const size_t number = 2 * (size_t)way + (size_t)(stencil->exchanges % 2);
  return WAYS * LINE + number * stencil->halo_bytes;
}

/* Cells of the grid. */
struct rectangle {
  double *from;
  int64_t rows, columns;
};

/* Those that the neighbour on that way needs, and the place behind them for its own. */
struct rectangle stencil_border(const struct stencil *stencil, int way);
struct rectangle stencil_halo(const struct stencil *stencil, int way);

/* Copy them to consecutive places; returns bytes. */
size_t stencil_pack(const struct stencil *stencil, int way, void *to);

/* Copy what came from there into its place. */
void stencil_unpack(const struct stencil *stencil, int way, const void *from);

/* What is done with the grid once the neighbours' cells are there. */
void stencil_compute(struct stencil *stencil);

extern const struct side stencil_causeway, stencil_messages, stencil_shared, stencil_windows;

#endif

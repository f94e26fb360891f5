/* The kernel sparse: y += M x of a sparse matrix whose columns are scrambled; each process has
 * consecutive rows, and the elements of the vectors with these numbers. */
#ifndef PRK_SPARSE_H
#define PRK_SPARSE_H

#include "kernel.h"

struct sparse {
  struct state state;
  int bits;           /* the matrix has 4 to this number of rows */
  int radius, points; /* of the star; elements of a row */
  struct span rows;   /* of this process */
  double *values;     /* [rows.count][points] */
  int64_t *columns;   /* [rows.count][points]: where the element of x lies in a room */
  double *y;

  /* A room has this process's elements of x, and behind them those that it needs of other ones,
   * owner by owner. Two take turns where others store or put: they do so for the next product while
   * this process still computes. */
  double *rooms[2];
  int rooms_count;
  size_t room_bytes; /* the same on all processes */
  int64_t turns;     /* products that were ever begun */

  int64_t *first; /* [processes + 1] in what is needed: where an owner's part begins */
  int64_t *given; /* numbers of this process's elements that others need, one after the other */
  int64_t *first_given; /* [processes + 1] in these: where a process's part begins */
  int64_t *there;       /* [processes] where this part begins in that process's room */

  /* A side's own: what goes out, in the order of `given`. */
  double *packed;
  MPI_Request *requests;
  int started; /* how many of them there are */
  cw_notifications acknowledged;
};

/* The room of this turn. */
static inline double *sparse_room(const struct sparse *sparse)
{
  return sparse->rooms[sparse->turns % sparse->rooms_count];
}

/* Places in each process's memory: the signal of another one, and what this one gives to it. */
size_t sparse_signal(int process);
size_t sparse_gift(const struct sparse *sparse, int process);

/* How many elements another process needs of this one, and this one of it. */
static inline int64_t sparse_gives(const struct sparse *sparse, int process)
{
  return sparse->first_given[process + 1] - sparse->first_given[process];
}

static inline int64_t sparse_needs(const struct sparse *sparse, int process)
{
  return sparse->first[process + 1] - sparse->first[process];
}

/* Copy what another process needs to consecutive places. */
void sparse_pack(const struct sparse *sparse, int process, double *to);

/* Begin the next turn: x += row number + 1. */
void sparse_renew(struct sparse *sparse);

/* y += M x */
void sparse_multiply(const struct sparse *sparse);

extern const struct side sparse_causeway, sparse_messages, sparse_shared, sparse_windows;

#endif

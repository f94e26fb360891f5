/* The kernel sparse: y += M x for a sparse matrix whose columns are scrambled. Each process has
 * consecutive rows and the elements of the vectors with the same numbers. */
#pragma once

#include "kernel.h"

struct sparse {
  struct state state;
  int bits;           /* the matrix has 4^bits rows */
  int radius, points; /* radius of the star; number of elements in a row */
  struct span rows;   /* of this process */
  double *values;     /* [rows.count][points] */
  int64_t *columns;   /* [rows.count][points]: index of the element of x in a buffer */
  double *y;

  /* A buffer has this process's elements of x, followed by the elements of other processes that it
   * needs, ordered by owner. Two buffers alternate where others store or put, because they do so
   * for the next product while this process still computes. */
  double *buffers[2];
  int buffer_count;
  size_t buffer_bytes; /* the same on all processes */
  int64_t products;    /* number of products that were begun */

  int64_t *first; /* [processes + 1] start of each owner's part in the needed elements */
  int64_t *given; /* numbers of this process's elements that others need, process by process */
  int64_t *first_given; /* [processes + 1] start of each process's part in `given` */
  int64_t *there;       /* [processes] where this part begins in that process's buffer */

  /* Used by some sides: outgoing elements in the order of `given`. */
  double *packed;
  MPI_Request *requests;
  int started; /* number of requests */
  cw_notifications acknowledged;
};

/* Returns the buffer of this product. */
static inline double *sparse_buffer(const struct sparse *sparse)
{
  return sparse->buffers[sparse->products % sparse->buffer_count];
}

/* Return offsets in each process's memory: of the signal of a process, and of the elements that
 * this process gives to it. */
size_t sparse_signal(int process);
size_t sparse_gift(const struct sparse *sparse, int process);

/* Returns the number of elements that this process gives to another one. sparse_needs has the other
 * direction. */
static inline int64_t sparse_gives(const struct sparse *sparse, int process)
{
  return sparse->first_given[process + 1] - sparse->first_given[process];
}

static inline int64_t sparse_needs(const struct sparse *sparse, int process)
{
  return sparse->first[process + 1] - sparse->first[process];
}

/* Copies the elements that another process needs to consecutive places. */
void sparse_pack(const struct sparse *sparse, int process, double *to);

/* Begins the next product: x += row number + 1. */
void sparse_renew(struct sparse *sparse);

/* Computes y += M x. */
void sparse_multiply(const struct sparse *sparse);

extern const struct side sparse_causeway, sparse_messages, sparse_shared, sparse_windows;

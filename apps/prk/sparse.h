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
  double *x, *y;      /* this process's elements */
  double *values;     /* [rows.count][points] */
  int64_t *columns;   /* [rows.count][points]; when a side has begun: where its x lies, in elements
                         behind x */

  /* Of processes whose elements this one cannot load: what it needs of them, and where that comes.
   */
  double *ghosts;
  int64_t *needed; /* their numbers at the owner, owner by owner, ascending */
  int64_t *first;  /* [processes + 1] where an owner's begin in both */

  /* A side's own: what others need of this process (MESSAGES), requests, and the lists of addresses
   * (CAUSEWAY). */
  int64_t *given, *first_given;
  double *packed;
  MPI_Request *requests;
  int started;
  MPI_Datatype *types;
  void **local, **remote;
  cw_handle handle;
};

/* Find out where each element of x that this process needs will lie: in memory that it can load, or
 * in `ghosts`. */
void sparse_resolve(struct sparse *sparse);
void sparse_forget(struct sparse *sparse);

/* Load what is needed of an owner, whose x lies there. */
void sparse_gather(const struct sparse *sparse, int owner, const double *theirs);

/* x += row number + 1. */
void sparse_renew(const struct sparse *sparse);

/* y += M x */
void sparse_multiply(const struct sparse *sparse);

extern const struct side sparse_causeway, sparse_messages, sparse_shared, sparse_windows;

#endif

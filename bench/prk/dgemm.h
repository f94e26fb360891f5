/* The kernel dgemm: C += A B of square matrices; each process of a grid has a block of all three.
 */
#ifndef PRK_DGEMM_H
#define PRK_DGEMM_H

#include "kernel.h"

enum { PANEL = 384 }; /* terms of the sums that are computed at once, at most */

/* A rectangle of a matrix. */
struct panel {
  const double *numbers;
  int64_t stride; /* from row to row */
};

/* Terms of the sums whose columns of A, and rows of B, lie at one process each. */
struct terms {
  int64_t first, count;
  int a_owner, b_owner;       /* of those that this process needs */
  size_t a_place, b_place;    /* where they lie in the owner's memory */
  int64_t a_stride, b_stride; /* from row to row there */
};

struct dgemm {
  struct state state;
  int64_t order;
  int counts[2];             /* of processes along rows and columns */
  struct span rows, columns; /* of this process */
  double *a, *b, *c;
  struct terms *terms; /* all of them, in order */
  int terms_count;

  /* A side's own: two buffers for each of the factors take turns. */
  double *buffers[2][2];
  cw_handle handles[2];
  MPI_Request requests[2][2];
  MPI_Comm row, column; /* processes of my row, and of my column */
};

enum { FACTOR_A, FACTOR_B };

/* Room for terms that come. */
void dgemm_make_buffers(struct dgemm *dgemm);
void dgemm_free_buffers(struct dgemm *dgemm);

/* c (rows x columns) += a (rows x terms) b (terms x columns), in this process's memory. */
void product_add(int64_t rows, int64_t columns, int64_t terms, const struct panel *a,
                 const struct panel *b, double *c);

extern const struct side dgemm_causeway, dgemm_messages, dgemm_shared, dgemm_windows;

#endif

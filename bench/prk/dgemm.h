/* The kernel dgemm: C += A B for square matrices. Each process of a grid has a block of all three.
 * */
#pragma once

#include "kernel.h"

enum { PANEL = 384 }; /* upper bound on the terms of the sums that are computed at once */

/* A rectangle of a matrix. */
struct panel {
  const double *numbers;
  int64_t stride; /* distance between rows */
};

/* A range of terms of the sums whose columns of A lie at one process, and whose rows of B do. */
struct terms {
  int64_t first, count;
  int a_owner, b_owner;       /* the owners of the parts that this process needs */
  size_t a_place, b_place;    /* offsets in the owners' memory */
  int64_t a_stride, b_stride; /* distance between rows there */
};

struct dgemm {
  struct state state;
  int64_t order;
  int counts[2];             /* numbers of processes along rows and columns */
  struct span rows, columns; /* the block of this process */
  double *a, *b, *c;
  struct terms *terms; /* all ranges, in order */
  int terms_count;

  /* Used by some sides: two buffers for each factor, which take turns. */
  double *buffers[2][2];
  cw_handle handles[2];
  MPI_Request requests[2][2];
  MPI_Comm row, column; /* communicators of the processes in this row and in this column */
};

enum { FACTOR_A, FACTOR_B };

/* Allocates the buffers for incoming terms. */
void dgemm_make_buffers(struct dgemm *dgemm);
void dgemm_free_buffers(struct dgemm *dgemm);

/* Computes c (rows x columns) += a (rows x terms) b (terms x columns) in this process's memory. */
void product_add(int64_t rows, int64_t columns, int64_t terms, const struct panel *a,
                 const struct panel *b, double *c);

extern const struct side dgemm_causeway, dgemm_messages, dgemm_shared, dgemm_windows;

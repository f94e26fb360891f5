/* The kernel synch_p2p: a wave over a grid from column to column. Each process has some of the
 * columns. */
#pragma once

#include "kernel.h"

/* A value in flight to a neighbour. Four of them share a cache line. */
struct step {
  _Alignas(16) union {
    double value;
    uint64_t bits; /* bits of the value */
  };
};

/* A process has one more column on the left of its own: process 0 the constant first column, the
 * others the column whose values come from their neighbour. */
struct p2p {
  struct state state;
  int64_t rows, columns;  /* computed by this process, except row 0 */
  int64_t stride;         /* distance between rows: columns + 1 */
  struct step *from_left; /* [rows] values from the left; [0] is the corner, from the last process
                        to the first. Used by all sides but MESSAGES */
  double *grid;
  int left, right; /* neighbours; -1 if there is none */
  cw_view view;
};

/* Returns the offset of incoming values in each process's memory. They are not in the grid, where
 * each would be in a cache line of its own that its owner has modified. */
static inline size_t p2p_value_place(int64_t row)
{
  return (size_t)row * sizeof(struct step) + offsetof(struct step, value);
}

/* Returns the address of the value of a row that comes from the left. p2p_right has the one that
 * goes to the right. */
static inline double *p2p_left(const struct p2p *p2p, int64_t row)
{
  return p2p->grid + row * p2p->stride;
}

static inline double *p2p_right(const struct p2p *p2p, int64_t row)
{
  return p2p_left(p2p, row) + p2p->columns;
}

/* Computes a row from the previous row and the value on the left. */
void p2p_row(const struct p2p *p2p, int64_t row);

extern const struct side p2p_causeway, p2p_messages, p2p_shared, p2p_windows;

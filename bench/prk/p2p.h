/* The kernel synch_p2p: a wave over a grid, from column to column; each process has some of them.
 */
#ifndef PRK_P2P_H
#define PRK_P2P_H

#include "kernel.h"

/* A value on its way to a neighbour; four of them in a cache line. */
struct step {
  _Alignas(16) union {
    double value;
    uint64_t bits; /* of the value */
  };
};

/* On the left of its columns a process has one more: process 0 the first column of all, whose
 * values stand from the beginning, the others the column whose values come from their neighbour. */
struct p2p {
  struct state state;
  int64_t rows, columns; /* that this process computes, but for row 0 */
  int64_t stride;        /* from row to row: columns + 1 */
  struct step *come; /* [rows] from the left; [0]: the corner, from the last process to the first.
                        For all sides but MESSAGES */
  double *grid;
  int left, right; /* neighbours; -1: none */
  cw_view view;
};

/* Where what comes lies in each process's memory. In the grid each value would be in a cache line
 * of its own, which its owner has changed since. */
static inline size_t p2p_value_place(int64_t row)
{
  return (size_t)row * sizeof(struct step) + offsetof(struct step, value);
}

/* Where the value of a row that comes from the left lies, and the one that goes to the right. */
static inline double *p2p_left(const struct p2p *p2p, int64_t row)
{
  return p2p->grid + row * p2p->stride;
}

static inline double *p2p_right(const struct p2p *p2p, int64_t row)
{
  return p2p_left(p2p, row) + p2p->columns;
}

/* Compute a row from the one before it and the value on the left. */
void p2p_row(const struct p2p *p2p, int64_t row);

extern const struct side p2p_causeway, p2p_messages, p2p_shared, p2p_windows;

#endif

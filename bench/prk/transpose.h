/* The kernel transpose: B += transposed A, A += 1; of both, each process has consecutive rows. */
#ifndef PRK_TRANSPOSE_H
#define PRK_TRANSPOSE_H

#include "kernel.h"

struct transpose {
  struct state state;
  int64_t order;
  struct span rows;  /* of this process */
  double *a, *b;     /* [rows.count][order] */
  size_t tile_bytes; /* room for what one process needs of another one's A */
  double **tiles;    /* by process: what goes to it; NULL: nothing does (CAUSEWAY) */
  cw_notifications acknowledged;
  MPI_Request *requests; /* two for each other process (MESSAGES) */
  int64_t turns;         /* iterations that were ever begun */
};

struct span transpose_rows(const struct transpose *transpose, int process);

/* Where a process receives another one's tiles, the same on all processes. Two rooms for them take
 * turns. */
size_t transpose_tile_place(const struct transpose *transpose, int turn, int process);

/* Where another process's signal lies: how many of its tiles have come (WINDOWS). */
size_t transpose_signal(const struct transpose *transpose, int process);

/* A rectangle of a matrix. */
struct tile {
  double *numbers;
  int64_t stride; /* from row to row */
};

/* to (rows x columns) += the transposed of `from` (columns x rows); and from += 1, if `grow`. */
void transpose_add(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns,
                   bool grow);

/* to = the transposed of `from`; and from += 1. */
void transpose_pack(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns);

/* Where the tile of B, or A, of this process begins that belongs to rows, or columns, of another
 * one. */
struct tile transpose_tile(const struct transpose *transpose, double *matrix, int process);

extern const struct side transpose_causeway, transpose_messages, transpose_shared,
    transpose_windows;

#endif

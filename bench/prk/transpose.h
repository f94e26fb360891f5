/* The kernel transpose: B += transposed A, A += 1. Each process has consecutive rows of both. */
#pragma once

#include "kernel.h"

struct transpose {
  struct state state;
  int64_t order;
  struct span rows;  /* of this process */
  double *a, *b;     /* [rows.count][order] */
  size_t tile_bytes; /* space for the part that one process needs of another one's A */
  double **tiles;    /* by process: outgoing tiles; NULL if there is none (CAUSEWAY) */
  cw_notifications acknowledged;
  MPI_Request *requests; /* two for each other process (MESSAGES) */
  int64_t begun;         /* number of iterations that were begun */
};

struct span transpose_rows(const struct transpose *transpose, int process);

/* Returns the offset at which a process receives another one's tiles, the same on all processes.
 * Two buffers alternate. */
size_t transpose_tile_place(const struct transpose *transpose, int half, int process);

/* Returns the offset of another process's signal: the number of its tiles that have arrived
 * (WINDOWS). */
size_t transpose_signal(const struct transpose *transpose, int process);

/* A rectangle of a matrix. */
struct tile {
  double *numbers;
  int64_t stride; /* distance between rows */
};

/* Computes to (rows x columns) += transposed `from` (columns x rows), and from += 1 if `grow`. */
void transpose_add(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns,
                   bool grow);

/* Computes to = transposed `from`, and from += 1. */
void transpose_pack(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns);

/* Returns the tile of this process's B (or A) whose columns are the rows of another process. */
struct tile transpose_tile(const struct transpose *transpose, double *matrix, int process);

extern const struct side transpose_causeway, transpose_messages, transpose_shared,
    transpose_windows;

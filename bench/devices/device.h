/* Sides of bench/devices/device.c. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <causeway.h>

#include <mpi.h>
#include <stdbool.h>

enum { MOST_BYTES = 1 << 26, ROWS = 8192, SEGMENTS = 4096, APART = 4096 };

/* Where a side of a transfer lies. BUFFER: memory that no other process sees. */
enum place { BUFFER, SLICE, DEVICE, PEER_SLICE, PEER_DEVICE };

/* Sides of a comparison; the first ones are parts of limits. */
enum side { WRITE, READ, ADD, RECT, BY_KERNEL, COPY, HOST, FUTEX, MESSAGE, NAIVE, OURS, SIDES };

/* What is measured. */
struct move {
  const char *name;
  cw_operation operation;
  enum place local, remote;
  double most[2]; /* ours / limit, of 8 bytes and of most; 0: no aim */
  size_t run;     /* 0: contiguous; else of each of ROWS rows */
  bool rests;     /* ours begins when the peer's agent sleeps */
  bool listed;    /* a list of SEGMENTS rows, in any order */
};

/* Collective. */
void sides_begin(void);
void sides_end(void);
void sides_describe(cw_device_facts *facts);

/* Process 0: seconds of single transfers, by one side. */
void turn(enum side side, const struct move *move, size_t bytes, double *samples, size_t times);
void turns_end(void);

/* Process 1: its part of them until they end. */
void serve(void);

/* --- A device's back end, asked directly; every call waits ------------------------------------ */

/* mine: a slice of mine, of which the limits use the beginning. most: bytes of packed rows. */
void limit_begin(const void *mine, size_t most);
void limit_end(void);

/* Bytes to the slice (CW_PUT) or from it. */
void limit_move(cw_operation operation, void *host, size_t bytes);

/* Rows, packed on the host, so many bytes apart in the slice: by the back end's copies of rows, or
 * together, with a kernel that unpacks or packs. */
void limit_rows(cw_operation operation, void *host, size_t run, size_t rows, size_t stride);
void limit_rows_by_kernel(cw_operation operation, void *host, size_t run, size_t rows,
                          size_t stride);

/* Doubles are written, and a kernel adds them. */
void limit_add(void *host, size_t bytes);

#endif

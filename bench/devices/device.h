/* Interface of the sides of bench/devices/device.c. */
#pragma once

#include <causeway.h>

#include <mpi.h>
#include <stdbool.h>

enum { MOST_BYTES = 1 << 26, ROWS = 8192, SEGMENTS = 4096, APART = 4096 };

/* Location of one end of a transfer. BUFFER is memory that no other process can access. */
enum place { BUFFER, SLICE, DEVICE, PEER_SLICE, PEER_DEVICE };

/* Sides of a comparison. The ones before NAIVE are parts of limits. */
enum side { WRITE, READ, ADD, RECT, BY_KERNEL, COPY, HOST, FUTEX, MESSAGE, NAIVE, OURS, SIDES };

/* A transfer that is measured. */
struct move {
  const char *name;
  cw_operation operation;
  enum place local, remote;
  double most[2]; /* required ours / limit for 8 bytes and for the largest size; 0 if none is
                     required */
  size_t run;     /* bytes of each of ROWS rows; 0 if the transfer is contiguous */
  bool rests;     /* ours begins when the peer's agent sleeps */
  bool listed;    /* a list of SEGMENTS rows in irregular order */
};

/* Starts and stops the sides. Collective. */
void sides_begin(void);
void sides_end(void);
void sides_describe(cw_device_facts *facts);

/* Runs `times` transfers of one side on process 0 and stores the seconds of each. */
void measure_round(enum side side, const struct move *move, size_t bytes, double *samples,
                   size_t times);
void rounds_end(void);

/* Runs the part of process 1 until process 0 ends. */
void serve(void);

/* --- A device's back end, called directly; every call waits ----------------------------------- */

/* Prepares the limits. `mine` is a slice of this process whose beginning the limits use; `most` is
 * the number of bytes of packed rows. */
void limit_begin(const void *mine, size_t most);
void limit_end(void);

/* Moves bytes to the slice (CW_PUT) or from it (CW_GET). */
void limit_move(cw_operation operation, void *host, size_t bytes);

/* Moves rows that are packed on the host and `stride` bytes apart in the slice: by the back end's
 * copies of rows, or at once with a kernel that packs or unpacks. */
void limit_rows(cw_operation operation, void *host, size_t run, size_t rows, size_t stride);
void limit_rows_by_kernel(cw_operation operation, void *host, size_t run, size_t rows,
                          size_t stride);

/* Writes doubles to the device, where a kernel adds them. */
void limit_add(void *host, size_t bytes);

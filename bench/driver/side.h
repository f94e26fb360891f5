/* Describes what is measured and the sides that are measured. A side is one implementation of all
 * operations: the limit, Causeway's ARMCI, or Debian's ARMCI-MPI. Every operation is a loop inside
 * the side, so that the call through this table is not part of the measured time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum bench_operation {
  BENCH_PUT8, /* the size is known to the compiler */
  BENCH_GET8,
  BENCH_FETCH_ADD,
  BENCH_PUT,
  BENCH_GET,
  BENCH_ACC,
  BENCH_PUT_ROWS,
  BENCH_GET_ROWS,
  BENCH_ACC_ROWS,
  BENCH_CREATE_FREE,
  BENCH_BARRIER,
  BENCH_FENCE,
  BENCH_LOCK,
  BENCH_OPERATIONS
};

/* Distance in bytes between remote rows. It is 64 bytes off a multiple of the page size, so that
 * rows do not fall into the same cache sets. Local rows are dense. */
enum { BENCH_STRIDE = 2 * 4096 + 64 };

/* One operation of process 0 on the slice of process 1. */
struct bench_work {
  enum bench_operation operation;
  size_t bytes; /* bytes of a contiguous run, or of one row */
  size_t rows;  /* number of rows, for operations on rows */
  double scale; /* scale factor of accumulates */
  bool singly;  /* report the median of single operations instead of the mean of a turn */
  bool fence;   /* complete each put or accumulate at the target before the next */
  double *local;
  char *remote;
  int process; /* the target */
};

/* Runs the operation `times` times. When it returns, all of them are complete at the target. */
typedef void (*bench_loop)(const struct bench_work *work, size_t times);

/* takes_part: process 1 runs the loop as well, with the same work and `times`. does: describes what
 * the loop really does where that differs from the work; used for verification only. */
struct bench_side {
  void (*start)(void); /* collective, after MPI_Init */
  void (*stop)(void);  /* collective */
  void (*allocate)(size_t bytes,
                   char **slices); /* collective; slices: addresses of both processes' slices */
  void (*release)(char *mine);     /* collective */
  void (*access)(char *mine);      /* called before loads and stores to the own slice */
  void (*access_end)(char *mine);
  void (*synchronise)(void); /* collective: a barrier of the library; may be NULL */
  struct bench_work (*does)(const struct bench_work *work); /* may be NULL */
  bool takes_part;
  bench_loop loops[BENCH_OPERATIONS];
};

/* operations.c, compiled against Causeway's ARMCI: the one symbol of bench_ours.so. */
extern const struct bench_side bench_ours;

/* Causeway's replacement of the UCX function of that name. Set when Causeway's module is loaded. */
extern void *(*bench_disconnect)(void *endpoint);

/* operations.c, compiled against ARMCI-MPI, and linked into the driver if that is installed. */
extern const struct bench_side bench_peer __attribute__((weak));

/* Loads and stores on memory that is mapped here. This side allocates no memory of its own. */
extern const struct bench_side bench_limit_memory;

/* Handwritten MPI one-sided operations on one window. */
extern const struct bench_side bench_limit_mpi;

/* MPI messages: round trips and streams of the same bytes, in which both processes take part. */
extern const struct bench_side bench_limit_messages;

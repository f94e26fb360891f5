/* What is measured, and by which side. A side is one implementation of all operations: the limit,
 * Causeway's ARMCI, Debian's ARMCI-MPI. Every operation is a loop inside the side, so that calling
 * through this table costs nothing that is timed. */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include <stdbool.h>
#include <stddef.h>

enum bench_operation {
  BENCH_PUT8, /* size known to the compiler */
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

/* Remote rows are this many bytes apart; 64 bytes off a multiple of the page, so that rows do not
 * fall into the same cache sets. Local rows are dense. */
enum { BENCH_STRIDE = 2 * 4096 + 64 };

/* One operation: process 0 on the slice of process 1. */
struct bench_work {
  enum bench_operation operation;
  size_t bytes; /* contiguous run; of one row */
  size_t rows;  /* operations on rows */
  double scale; /* accumulates */
  bool singly;  /* the time is the median of single operations, not the mean of a turn's */
  bool fence;   /* complete each put or accumulate at the target before the next */
  double *local;
  char *remote;
  int process; /* the target */
};

/* Run the operation `times` times; afterwards all of them are complete at the target. */
typedef void (*bench_loop)(const struct bench_work *work, size_t times);

/* takes_part: process 1 runs the loop as well, with the same work and `times`.
 * does: what the loop really does, if it is not what the work says; for verification only. */
struct bench_side {
  void (*start)(void);                           /* collective, after MPI_Init */
  void (*stop)(void);                            /* collective */
  void (*allocate)(size_t bytes, char **slices); /* collective; slices: of both processes */
  void (*release)(char *mine);                   /* collective */
  void (*access)(char *mine);                    /* before loads and stores to my slice */
  void (*access_end)(char *mine);
  void (*meet)(void); /* collective: a barrier of the library; may be NULL */
  struct bench_work (*does)(const struct bench_work *work); /* may be NULL */
  bool takes_part;
  bench_loop loops[BENCH_OPERATIONS];
};

/* operations.c, compiled against Causeway's ARMCI: the one symbol of bench_ours.so. */
extern const struct bench_side bench_ours;

/* What Causeway puts in place of UCX's function of that name; set when its module is loaded. */
extern void *(*bench_disconnect)(void *endpoint);

/* operations.c, compiled against ARMCI-MPI, and linked into the driver if that is installed. */
extern const struct bench_side bench_peer __attribute__((weak));

/* Loads and stores on memory that is mapped here; it has no memory of its own. */
extern const struct bench_side bench_limit_memory;

/* MPI's one-sided operations, by hand, on one window. */
extern const struct bench_side bench_limit_mpi;

/* MPI's messages: round trips and streams of the same bytes, both processes taking part. */
extern const struct bench_side bench_limit_messages;

#endif

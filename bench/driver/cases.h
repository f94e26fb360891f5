/* The list of measurements, and the performance that the design requires of each. */
#pragma once

#include "side.h"

enum bench_mode {
  BENCH_DIRECT, /* processes of one node: the limit is a load or store */
  BENCH_WINDOW, /* processes of two nodes: the limit is MPI's one-sided operation */
  BENCH_SERVER, /* processes of two nodes: the limit is MPI's messages */
  BENCH_BUSY,   /* two nodes, and process 1 computes: the limit is the time with a waiting process 1
                 */
};

enum bench_measure {
  BENCH_NONE,        /* no requirement */
  BENCH_NANOSECONDS, /* at most `value` nanoseconds for one operation */
  BENCH_RATE         /* at least `value` times the rate of the limit */
};

struct bench_target {
  enum bench_measure measure;
  double value;
  size_t from; /* smallest transfer, in bytes, to which the target applies */
  double peer; /* least fraction of the peer's rate, at any size; 0 if none is required */
};

struct bench_case {
  const char *name;
  struct bench_work work; /* the operation, without addresses */
  struct bench_target target;
  bool collective; /* process 1 runs the loop as well */
};

enum { BENCH_CASES_MAX = 160, BENCH_LARGEST = 16 << 20, BENCH_ROWS = 256 };

/* Fills `cases` with the cases of `mode` and returns their number. */
size_t bench_cases(enum bench_mode mode, struct bench_case cases[BENCH_CASES_MAX]);

/* Returns the number of bytes that one operation moves. */
size_t bench_bytes(const struct bench_work *work);

/* The list of measurements, and what the design demands of each. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "side.h"

enum bench_mode {
  BENCH_DIRECT, /* processes of one node: the limit is a load or store */
  BENCH_WINDOW, /* of two nodes: the limit is MPI's one-sided operation */
  BENCH_SERVER, /* the same: the limit are MPI's messages */
  BENCH_BUSY,   /* the same, and process 1 computes: the limit is the side's time when it waits */
};

enum bench_measure {
  BENCH_NONE,        /* nothing is demanded */
  BENCH_NANOSECONDS, /* at most so many for one operation */
  BENCH_RATE         /* at least so much of the limit's rate */
};

struct bench_target {
  enum bench_measure measure;
  double value;
  size_t from; /* bytes of a transfer from which on it holds */
  double peer; /* at least so much of the peer's rate, at any size; 0: nothing is demanded */
};

struct bench_case {
  const char *name;
  struct bench_work work; /* without addresses */
  struct bench_target target;
  bool collective; /* process 1 runs the loop as well */
};

enum { BENCH_CASES_MAX = 160, BENCH_LARGEST = 16 << 20, BENCH_ROWS = 256 };

/* Fill cases with those of a mode; returns their number. */
size_t bench_cases(enum bench_mode mode, struct bench_case cases[BENCH_CASES_MAX]);

/* Bytes that one operation moves. */
size_t bench_bytes(const struct bench_work *work);

#endif

/* Reads the command line. */
#pragma once

#include "kernel.h"

struct options {
  const struct kernel **kernels; /* kernels to run, in order; ended by NULL */
  int64_t sizes[SIZES];          /* 0 if not given */
  int iterations;                /* 0 if not given */
  int rounds;
  bool without[SIDES]; /* sides that do not take part */
  bool small, spoil, threads, help;
};

/* Returns true if --threads is among the words. MPI must know that before the other options are
 * read. */
bool options_threads(char **words);

/* Reads the command line. Returns NULL or an error message. */
const char *options_read(char **words, struct options *options);
void options_free(struct options *options);

/* Prints the options for --help. */
void options_explain(void);

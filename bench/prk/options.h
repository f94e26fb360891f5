/* The command line. */
#ifndef PRK_OPTIONS_H
#define PRK_OPTIONS_H

#include "kernel.h"

struct options {
  const struct kernel **kernels; /* that run, in order; NULL is the last */
  int64_t sizes[SIZES];          /* 0: not given */
  int iterations;                /* 0: not given */
  int rounds;
  bool without[SIDES]; /* these do not take part */
  bool small, spoil, threads, help;
};

/* Does --threads stand among the words? MPI must know before anything else is read. */
bool options_threads(char **words);

/* Read the words behind the program's name. Returns NULL, or what is wrong, as one sentence. */
const char *options_read(char **words, struct options *options);
void options_free(struct options *options);

/* For --help. */
void options_explain(void);

#endif

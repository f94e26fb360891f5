/* The command line. */
#ifndef MATMUL_OPTIONS_H
#define MATMUL_OPTIONS_H

#include "product.h"
#include "tiles.h"

struct options {
  struct sides sides;
  struct distribution distribution;
  struct cut cut;      /* 0: not given */
  const char *cases;   /* of options_cases, separated by blanks */
  const char *dealing; /* counter, pool, both */
  int runs;
  int help;
};

extern const char options_help[];

/* Read the words behind the program's name. Returns NULL, or what is wrong, as one sentence. */
const char *options_read(char **words, struct options *options);

#endif

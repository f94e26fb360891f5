/* The options of the command line. */
#pragma once

#include "product.h"
#include "tiles.h"

#include <stdbool.h>

struct options {
  struct sides sides;
  struct distribution distribution;
  struct tiling tiling; /* lengths are 0 if they were not given */
  const char *cases;    /* such as "NN TN", separated by blanks */
  const char *dealing;  /* "counter", "pool", or both */
  int runs;
  bool help;
};

extern const char options_help[];

/* Reads the command line. Returns NULL, or the text of an error. */
const char *options_read(char **words, struct options *options);

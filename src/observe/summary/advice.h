/* Advice: messages that follow from figures, each with its figure. */
#pragma once

#include "summary/figures.h"

enum { CWI_ADVICES = 3 };

struct cwi_advice {
  const char *kind; /* one word, for programs that read the file */
  double share;     /* share of the time to which it refers */
  char message[400];
};

/* Writes at most CWI_ADVICES pieces of advice, those with the largest shares first, and returns
 * their number. The summary must be sorted. */
int cwi_advise(const struct cwi_summary *summary, const struct cwi_figures *figures,
               struct cwi_advice *advice);

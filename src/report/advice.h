/* Sentences that follow from figures, each with its figure. */
#ifndef CWI_REPORT_ADVICE_H
#define CWI_REPORT_ADVICE_H

#include "report/figures.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_ADVICES = 3 };

struct cwi_advice {
  const char *kind; /* one word for programs */
  double share;     /* of the time, that it is about */
  char sentence[400];
};

/* At most so many, those about the most time first. Returns how many. Of a summary in order. */
int cwi_advise(const struct cwi_summary *summary, const struct cwi_figures *figures,
               struct cwi_advice *advice);

#ifdef __cplusplus
}
#endif
#endif

/* What follows from a summary: shares of the time, who did least and most, what is hottest. */
#ifndef CWI_SUMMARY_FIGURES_H
#define CWI_SUMMARY_FIGURES_H

#include "summary/summary.h"

/* Of one figure of the processes, in shares of each one's time. */
struct cwi_spread {
  double least, mean, most;
  int least_process, most_process;
};

enum { CWI_HOTTEST = 3 };

struct cwi_figures {
  double wall;                   /* seconds, the longest */
  double all;                    /* seconds, of all threads: from the first call to the last */
  double inside, waiting, tasks; /* seconds of these */
  double meeting;                /* waiting until others come */
  double seconds[CWI_CALL_CLASSES];
  uint64_t calls[CWI_CALL_CLASSES], bytes[CWI_CALL_CLASSES];
  uint64_t operations, moved; /* of all kinds and routes; bytes */
  struct cwi_spread in_waiting, in_calls, in_program;
  struct cwi_spread in_wall; /* meeting, in shares of each one's wall time, 1 at most */
  /* Of processes that have not died: seconds of them, of cores, and ready without one;
   * how often they lost one. */
  double walls, processor, waited;
  uint64_t preemptions;
  size_t spread; /* processes in these: all that have been anywhere */
  const struct cwi_place_row *places[CWI_HOTTEST]; /* NULL: there are fewer */
  const struct cwi_object_row *objects[CWI_HOTTEST];
};

/* Seconds of a phase in calls of Causeway. */
double cwi_phase_inside(const struct cwi_phase_row *row);

/* Put the rows in order: places and phases by seconds, objects by bytes, pairs and processes by
 * number. */
void cwi_summary_sort(struct cwi_summary *summary);

/* Of a summary in order: the next process after that one of whom it knows nothing, or -1. -1: the
 * first. */
int cwi_missing_next(const struct cwi_summary *summary, int processes, int process);

/* Of a summary in order. */
void cwi_figures_find(const struct cwi_summary *summary, struct cwi_figures *figures);
#endif

/* Figures that follow from a summary: shares of the time, extremes among the processes, and what is
 * hottest. */
#pragma once

#include "summary/summary.h"

/* Spread of one figure over the processes, as shares of each process's time. */
struct cwi_spread {
  double least, mean, most;
  int least_process, most_process;
};

enum { CWI_HOTTEST = 3 };

struct cwi_figures {
  double wall;                   /* seconds of the longest process */
  double all;                    /* seconds of all threads, each from its first call to its last */
  double inside, waiting, tasks; /* seconds in calls, in waits, in tasks */
  double arrival_seconds;        /* seconds of waiting for other processes to arrive */
  double seconds[CWI_CALL_CLASSES];
  uint64_t calls[CWI_CALL_CLASSES], bytes[CWI_CALL_CLASSES];
  uint64_t operations, moved; /* operations of all kinds and routes, and their bytes */
  struct cwi_spread in_waiting, in_calls, in_program;
  struct cwi_spread in_wall; /* waiting for other processes to arrive, as a share of each process's
                                wall time, at most 1 */
  /* Sums over the processes that have not died: wall time, processor time, time in which they were
   * ready but had no core (all in seconds), and the number of preemptions. */
  double walls, processor, waited;
  uint64_t preemptions;
  size_t spread; /* number of processes in the spreads: all with a time above 0 */
  const struct cwi_place_row *places[CWI_HOTTEST]; /* NULL if there are fewer */
  const struct cwi_object_row *objects[CWI_HOTTEST];
};

/* Returns the seconds of a phase that were spent in calls of Causeway. */
double cwi_phase_inside(const struct cwi_phase_row *row);

/* Sorts the rows: places and phases by seconds, objects by bytes, pairs and processes by number. */
void cwi_summary_sort(struct cwi_summary *summary);

/* Returns the next process after `process` that is missing in a sorted summary, or -1 if there is
 * none. Pass -1 for the first. */
int cwi_missing_next(const struct cwi_summary *summary, int processes, int process);

/* Computes the figures of a sorted summary. */
void cwi_figures_find(const struct cwi_summary *summary, struct cwi_figures *figures);

/* The end of a phase: waves on a tree of the team's processes count the tasks that were added and
 * those that are done.
 *
 * A process adds up its children's numbers and its own, and tells its parent, when all its children
 * have told it and it has nothing to do; so nothing is sent where a process is busy. The root
 * compares: if all that had been added when this wave came by had been done when the last one did,
 * no task is left. For every task done was added before, so these are the same tasks; one that was
 * not among them had an adder that was, and was added before that was done. It tells its children,
 * they theirs: the phase is over, or the next wave begins. Waves count on from phase to phase: an
 * empty phase takes one.
 *
 * After Mattern, "Algorithms for distributed termination detection" (1987): four counters. */
#ifndef CWI_WORKER_WAVE_H
#define CWI_WORKER_WAVE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* In each process's slice. Of each counter one process tells another. */
struct cwi_wave_shared {
  struct {
    int64_t told; /* waves */
    int64_t added, done;
    int64_t padding[5];
  } child[2];
  int64_t down; /* what has been decided: 1 for each wave, and 1 more if the phase is over */
  int64_t padding[7];
};

struct cwi_wave {
  struct cwi_wave_shared *mine;
  struct cwi_wave_shared *parent; /* NULL: I am the root */
  int parent_process, place;      /* which child of it I am */
  struct cwi_wave_shared *children[2];
  int child_process[2], count;
  int64_t number;   /* waves that are decided here */
  int64_t received; /* of `down`: no more than one decision is new, for the next needs my numbers */
  int64_t done;     /* the root: of the last wave */
  bool given;       /* I have told mine */
};

/* slice: gives that of a rank; process: its number. */
struct cwi_wave_members {
  void *(*slice)(const void *context, int rank);
  int (*process)(const void *context, int rank);
  const void *context;
  int rank, size;
};
void cwi_wave_begin(struct cwi_wave *wave, const struct cwi_wave_members *members);

/* Have all children told their numbers, so that mine may follow? */
bool cwi_wave_is_ready(const struct cwi_wave *wave);

/* Tell my numbers, which were read after my turn had come and are complete at their targets.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_wave_report(struct cwi_wave *wave, int64_t added, int64_t done);

/* Has the wave been decided? Pass it on. over: receives whether the phase is over. */
CWI_CHECKED cw_error cwi_wave_poll(struct cwi_wave *wave, bool *over);
#endif

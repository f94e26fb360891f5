/* The end of a phase: waves on a tree of the team's processes add up the number of tasks that were
 * added and the number that are done.
 *
 * When a process has no tasks and all its children have sent their numbers, it adds these to its
 * own and sends the sums to its parent. So a busy process sends nothing. The root compares the
 * number of tasks added, as of this wave, with the number of tasks done, as of the previous wave.
 * If the two are equal, no task is left. Every task that was done had been added before, so both
 * numbers count the same tasks. If another task were left, a task that is done would have added it
 * before it was done, so this wave would have counted it.
 *
 * The root sends the decision to its children, and they to theirs: the phase is over, or the next
 * wave begins. Waves are counted across phases: an empty phase takes one. After Mattern,
 * "Algorithms for distributed termination detection" (1987): four counters. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The part in each process's slice. Each counter has exactly one process that increments it. */
struct cwi_wave_shared {
  struct {
    int64_t reported; /* number of waves that the child has reported */
    int64_t added, done;
    int64_t padding[5];
  } child[2];
  int64_t down; /* decisions: 1 for each wave, and 1 more if the phase is over */
  int64_t padding[7];
};

struct cwi_wave {
  struct cwi_wave_shared *mine;
  struct cwi_wave_shared *parent; /* NULL at the root */
  int parent_process, place;      /* place: index among the parent's children */
  struct cwi_wave_shared *children[2];
  int child_process[2], count;
  int64_t number;   /* number of waves decided so far */
  int64_t received; /* value of `down` already handled; at most one decision is new, because the
                       next needs my numbers */
  int64_t done;     /* at the root: tasks done in the last wave */
  bool given;       /* my numbers of this wave have been sent */
};

/* slice: returns the slice of a rank. process: returns its process number. */
struct cwi_wave_members {
  void *(*slice)(const void *context, int rank);
  int (*process)(const void *context, int rank);
  const void *context;
  int rank, size;
};
void cwi_wave_begin(struct cwi_wave *wave, const struct cwi_wave_members *members);

/* Returns true if all children have sent their numbers and this process has not sent its own
 * yet. */
bool cwi_wave_is_ready(const struct cwi_wave *wave);

/* Sends this process's numbers. They must have been read after cwi_wave_is_ready returned true, and
 * the operations that they count must be remotely complete. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_wave_report(struct cwi_wave *wave, int64_t added, int64_t done);

/* Passes on the decision of the wave, if there is a new one. Sets *over to true if the phase is
 * over, otherwise to false. */
CWI_CHECKED cw_error cwi_wave_poll(struct cwi_wave *wave, bool *over);

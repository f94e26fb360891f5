/* The picture of `uts --plot`: when each worker visited nodes.
 *
 * Reading the clock takes half as long as a node, so it is read only at every 64th node. */
#pragma once

#include <causeway.h>

#include <stddef.h>
#include <stdio.h>

enum { UTS_NODES_OF_A_SAMPLE = 64 };

/* `steals` and `searching` (seconds) count for the process so far. Only worker 0 records them. */
struct uts_sample {
  double time, steals, searching;
};

/* The samples of one worker. It has a cache line of its own to avoid false sharing. */
struct uts_track {
  struct uts_sample *samples;
  size_t count, capacity;
  uint64_t nodes;
  char padding[32];
};

void uts_track_sample(struct uts_track *track, const cw_task *task);

static inline void uts_track_node(struct uts_track *track, const cw_task *task)
{
  if (++track->nodes % UTS_NODES_OF_A_SAMPLE == 0)
    uts_track_sample(track, task);
}

struct uts_picture {
  const char *title, *text;
  double begin, seconds; /* start and duration of the search, by the clock of this process */
  double steals, searching;
  const struct uts_track *tracks; /* [threads] of this process */
  int threads;
};

/* Draws the tracks of all processes as SVG. `file`, `title` and `text` are used on process 0 only.
 * Returns false if the file could not be written. Collective. */
int uts_plot(const struct uts_picture *picture, FILE *file);

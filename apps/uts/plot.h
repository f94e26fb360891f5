/* A picture of which worker visited nodes when: what `uts --plot` keeps, and draws.
 *
 * To ask for the time at each node would take half as long as the node: it is asked for at every
 * 64th. */
#ifndef UTS_PLOT_H
#define UTS_PLOT_H

#include <causeway.h>

#include <stddef.h>
#include <stdio.h>

enum { UTS_NODES_OF_A_SAMPLE = 64 };

/* steals, searching (seconds): of the process, so far; worker 0 asks for them. */
struct uts_sample {
  double time, steals, searching;
};

/* What one worker keeps. A cache line of its own. */
struct uts_track {
  struct uts_sample *samples;
  size_t count, room;
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
  double begin, seconds; /* of the search, by the process's own clock */
  double steals, searching;
  const struct uts_track *tracks; /* [threads] of the process */
  int threads;
};

/* Draw the tracks of all processes as SVG. Collective. `file` is process 0's, and so are the title
 * and the text. Returns whether it could be written. */
int uts_plot(const struct uts_picture *picture, FILE *file);

#endif

/* Timelines that show when each worker of each process fetched data, ran tasks and stored results,
 * on the terminal and as a picture. */
#pragma once

#include <causeway.h>

#include <stddef.h>
#include <stdio.h>

enum { TIMELINE_WORKERS = 2, TIMELINE_WAYS = 3, TIMELINE_COLUMNS = 720 };

/* Times of the tasks of one worker of this process. Only this worker's thread writes them. */
struct timeline_worker {
  cw_task_times *tasks;
  size_t count, capacity;
};

/* Timeline of one phase on this process. */
struct timeline {
  struct timeline_worker workers[TIMELINE_WORKERS]; /* of the host and of the device */
  double begin;                                     /* time by timeline_now */
};

/* Returns the seconds of the clock that cw_task_times uses. */
double timeline_now(void);

/* Records the times of a finished task. It is called by the thread of the worker that ran the
 * task. */
void timeline_note(struct timeline *timeline, const cw_task *task);

/* Timelines of all processes in one phase, for process 0 to show. */
struct timeline_lane;
struct timeline_panel {
  const char *title;
  int workers; /* workers per process */
  double seconds;
  struct timeline_lane *lanes; /* [processes x workers] */
};

/* Gathers a phase on process 0 and resets `timeline`. Collective. The caller frees panel->lanes. */
void timeline_collect(struct timeline *timeline, const char *title, int workers, double seconds,
                      struct timeline_panel *panel);

/* Only process 0 calls these. timeline_print prints a line for each worker, and
 * timeline_draw draws all phases as SVG. The latter returns false if the file could not be
 * written. */
void timeline_print(const struct timeline_panel *panel);
int timeline_draw(const struct timeline_panel *panels, int count, FILE *file);

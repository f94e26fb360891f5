/* Which worker of which process brought, ran and stored tasks when: on the terminal, and as a
 * picture. */
#ifndef TILES_TIMELINE_H
#define TILES_TIMELINE_H

#include <causeway.h>

#include <stddef.h>
#include <stdio.h>

enum { TIMELINE_WORKERS = 2, TIMELINE_WAYS = 3, TIMELINE_COLUMNS = 720 };

/* What a worker of this process has done; it alone writes there. */
struct timeline_worker {
  cw_task_times *tasks;
  size_t count, room;
};

/* Of a phase. */
struct timeline {
  struct timeline_worker workers[TIMELINE_WORKERS]; /* the host's, and the device's */
  double begin;                                     /* by the clock of tasks */
};

/* Seconds of that clock. */
double timeline_now(void);

/* After a task, in its worker's thread. */
void timeline_note(struct timeline *timeline, const cw_task *task);

/* What process 0 shows of a phase. */
struct timeline_lane;
struct timeline_panel {
  const char *title;
  int workers; /* of each process */
  double seconds;
  struct timeline_lane *lanes; /* [processes x workers] */
};

/* Bring a phase to process 0, and forget it here. Collective. */
void timeline_collect(struct timeline *timeline, const char *title, int workers, double seconds,
                      struct timeline_panel *panel);

/* A line for each worker; and all phases as SVG: whether the file could be written. Process 0. */
void timeline_print(const struct timeline_panel *panel);
int timeline_draw(const struct timeline_panel *panels, int count, FILE *file);

#endif

/* Where a task with a kernel runs: means of what tasks took, and the choice by them.
 *
 * Seconds of running are counted for each unit of work that plans name; transfers apart, by bytes
 * and the seconds that a byte took. The caller sees to it that one thread at a time is here. */
#ifndef CWI_DEVICE_TASK_PLACEMENT_H
#define CWI_DEVICE_TASK_PLACEMENT_H

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cwi_side { CWI_ON_HOST, CWI_ON_DEVICE, CWI_SIDES };

/* A running mean: of all that came while they are few, then of the last ones mostly. */
struct cwi_mean {
  double value;
  unsigned count;
};

/* Of a class, for a unit of work: seconds that running takes, and bytes that move for it. */
struct cwi_class_cost {
  struct cwi_mean run[CWI_SIDES], moved[CWI_SIDES];
};

struct cwi_placement {
  struct cwi_mean byte[CWI_SIDES];  /* seconds that one takes */
  struct cwi_mean usual[CWI_SIDES]; /* seconds that a task of the pool takes */
  double held;                      /* seconds of the device that it has before it */
  unsigned tasks;                   /* so many tasks */
  int hosts;                        /* workers that are no device */
  cw_where requested;
};

/* A task has ended well. run, moving: seconds. */
struct cwi_task_cost {
  double work, run, moving;
  size_t moved;
};
void cwi_placement_learn(struct cwi_placement *where, struct cwi_class_cost *cost,
                         enum cwi_side side, const struct cwi_task_cost *took);

/* Seconds that a task takes there. A device moves data while it runs other tasks. */
double cwi_placement_expect(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                            enum cwi_side side, double work);

/* Does a host run this task, since it ends before the device could end it: behind what the device
 * has, and `waiting` tasks here? Until each has tried twice, each tries. */
bool cwi_placement_host_takes(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                              double work, uint64_t waiting);

/* Does the device, since it ends before the hosts could end it behind `waiting` tasks? */
bool cwi_placement_device_takes(const struct cwi_placement *where,
                                const struct cwi_class_cost *cost, double work, uint64_t waiting);

/* The device has so many more seconds before it, or less. */
void cwi_placement_hold(struct cwi_placement *where, double seconds);
void cwi_placement_release(struct cwi_placement *where, double seconds);
#endif

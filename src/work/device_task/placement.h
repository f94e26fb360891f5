/* Decides whether a task with a kernel runs on a host or on the device, from averages of earlier
 * tasks. Running times are averaged per unit of work, which the plans declare. Transfers are
 * averaged separately: their bytes, and the seconds per byte. The caller holds planning->lock. */
#pragma once

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cwi_side { CWI_ON_HOST, CWI_ON_DEVICE, CWI_SIDES };

/* A running mean: over all values at first, later weighted towards the latest ones. */
struct cwi_mean {
  double value;
  unsigned count;
};

/* Cost of a class per unit of work: seconds of running, and bytes moved. */
struct cwi_class_cost {
  struct cwi_mean run[CWI_SIDES], moved[CWI_SIDES];
};

struct cwi_placement {
  struct cwi_mean byte[CWI_SIDES];  /* seconds per byte */
  struct cwi_mean usual[CWI_SIDES]; /* seconds per task of the pool */
  double held;                      /* expected seconds of the tasks that the device has */
  unsigned tasks;                   /* number of these tasks */
  int hosts;                        /* number of workers, without that of the device */
  cw_where requested;
};

/* Records the cost of a task that has succeeded. run and moving are in seconds. */
struct cwi_task_cost {
  double work, run, moving;
  size_t moved;
};
void cwi_placement_learn(struct cwi_placement *where, struct cwi_class_cost *cost,
                         enum cwi_side side, const struct cwi_task_cost *took);

/* Returns the seconds that a task is expected to take on `side`. A device moves data while it runs
 * other tasks, so only the longer of the two times counts. */
double cwi_placement_expect(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                            enum cwi_side side, double work);

/* Returns true if a host should run this task, because it would end the task before the device. The
 * device would first run the tasks that it has, and the `waiting` tasks of this process. Until each
 * side has run two tasks of the class, both sides get tasks. */
bool cwi_placement_host_takes(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                              double work, uint64_t waiting);

/* Returns true if the device should run the task, because it would end the task before the hosts.
 * The hosts would first run the `waiting` tasks. */
bool cwi_placement_device_takes(const struct cwi_placement *where,
                                const struct cwi_class_cost *cost, double work, uint64_t waiting);

/* Adds seconds to the expected load of the device, or subtracts them. */
void cwi_placement_hold(struct cwi_placement *where, double seconds);
void cwi_placement_release(struct cwi_placement *where, double seconds);

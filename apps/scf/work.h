/* Distributes the tasks of a Fock build, in one of two ways: by a shared counter that all processes
 * increment; or by a pool, where a task starts on the process that has its data and idle processes
 * steal tasks. */
#pragma once

/* Tasks 0 to count - 1 in order of decreasing cost. The list is the same on all processes. */
struct work_list {
  long count;
  int (*owner)(void *context,
               long task); /* returns the process that owns the data that the task reads first */
  void (*run)(void *context, long task);
  void *context;
};

/* Seconds of this process in one run. */
struct work_cost {
  double draw; /* spent getting tasks */
  double wait; /* spent without a task while others still had some */
};

/* One way to distribute tasks. `create` is NULL if this program was built without it. */
struct work_source {
  const char *name; /* value of the option --tasks */

  /** Creates the state from `list`, which must outlive it. Collective. */
  void *(*create)(const struct work_list *list);

  /** Runs each task once, on any process. Collective. May be called repeatedly. */
  void (*run)(void *work, struct work_cost *cost);

  /** Frees the state. Collective. */
  void (*destroy)(void *work);
};

extern const struct work_source work_counter, work_pool;

/** Returns the source called `name`. Returns NULL and sets error_text if there is none. */
const struct work_source *work_source_find(const char *name);

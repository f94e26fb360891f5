/* Where the tasks of a Fock build come from: a shared counter that all processes draw from, or a
 * pool, where tasks begin with the process that has their data and are stolen by those without. */
#ifndef SCF_WORK_H
#define SCF_WORK_H

/* Tasks 0 to count - 1, dearest first; the same on all processes. */
struct work_list {
  long count;
  int (*home)(void *context, long task); /* process that has what the task reads first */
  void (*run)(void *context, long task);
  void *context;
};

/* Seconds of this process, in one run. */
struct work_cost {
  double draw; /* getting tasks */
  double wait; /* without a task, while others have some */
};

/* A way to share them out. */
struct work_source {
  const char *name; /* behind --tasks */

  /** Collective. The list must outlive what it returns. NULL: this program has no such source. */
  void *(*create)(const struct work_list *list);

  /** Runs each task once, on some process. Collective. May be called again. */
  void (*run)(void *work, struct work_cost *cost);

  /** Collective. */
  void (*destroy)(void *work);
};

extern const struct work_source work_counter, work_pool;

/** NULL with error_text when there is none of this name. */
const struct work_source *work_source_find(const char *name);

#endif

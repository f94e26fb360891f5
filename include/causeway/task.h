/* Causeway: pools of tasks, which idle processes steal.
 *
 * A task is the number of a class (a function that all members have registered) and a body of some
 * bytes, which is copied. Each process adds tasks to its own queue, or to that of another process.
 * In a phase, which all members enter, every task runs once, on some process, and may add others;
 * processes without work take half of what another one has. The phase ends when no task is left
 * anywhere.
 *
 *     cw_tasks_create(team, NULL, &pool);
 *     cw_tasks_register(pool, "tree node", search, NULL, &node);
 *     if (cw_process() == 0)
 *       cw_tasks_add(pool, node, &root, sizeof root);
 *     cw_tasks_process(pool);
 *     cw_tasks_free(&pool);
 *
 * A class may have a plan, which names the patches of arrays that its tasks access: the runtime
 * fetches them. Such a class may have a kernel beside its function, and the process's device runs
 * some of its tasks: cw_tasks_register_class.
 *
 * A pool with the option `survive` completes its phases although processes fail
 * (causeway/failure.h): tasks of a failed process run on others. A task has its effects exactly
 * once if they go through the pool: the tasks that it adds, and what it registers by cw_task_put
 * and cw_task_accumulate. These take effect together when the task returns, or at cw_task_commit.
 *
 * After Dinan, Krishnamoorthy, Larkins, Nieplocha, Sadayappan, "Scioto" (ICPP 2008).
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_TASK_H
#define CAUSEWAY_TASK_H

#include <causeway/array.h>
#include <causeway/device.h>
#include <causeway/error.h>
#include <causeway/team.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of tasks; NULL stands for "no pool". */
typedef struct cwi_tasks *cw_tasks;

/* The part of the offered tasks that a thief takes. */
typedef enum cw_steal_amount {
  CW_STEAL_HALF = 0,
  CW_STEAL_ONE = 1 /* one task: for comparison */
} cw_steal_amount;

/* Victims that a process without work tries. */
typedef enum cw_steal_order {
  CW_STEAL_NEAR_FIRST = 0, /* all workers of its node in turn, then a random one of the others */
  CW_STEAL_RANDOM = 1,     /* a random worker */
  CW_STEAL_NOTHING = 2     /* none: tasks run where they were added */
} cw_steal_order;

/* Placement of a task with a kernel, on a process that has a device for it. */
typedef enum cw_where {
  CW_WHERE_MEASURED = 0, /* where it is expected to end first, by measured times of earlier tasks */
  CW_WHERE_HOST = 1,     /* on the host: for comparison */
  CW_WHERE_DEVICE = 2    /* on the device, if it has space for the task: for comparison */
} cw_where;

enum {
  CW_TASKS_MOST_BODY = 1 << 20,  /* bytes */
  CW_TASKS_MOST_SLOTS = 1 << 17, /* of a queue, and of an inbox */
  CW_TASKS_MOST_THREADS = 256,
  CW_TASKS_MOST_CLASSES = 1 << 15,
  CW_TASKS_MOST_AHEAD = 64,
  CW_PLAN_PATCHES = 8,
  CW_PLAN_SCALARS = 16,
  CW_PLAN_SCALAR_BYTES = 16
};

/* Options of a pool. A zero stands for the value in brackets. device, ahead, cache and where may
 * differ between members; the others are the same on all members. */
typedef struct cw_tasks_options {
  size_t body;  /* most bytes of a task's body (64), up to CW_TASKS_MOST_BODY */
  size_t slots; /* tasks in the queue of a worker (8192), 2 to CW_TASKS_MOST_SLOTS */
  size_t inbox; /* tasks that others may add to a process before it takes some (256), 2 to
                   CW_TASKS_MOST_SLOTS. slots and inbox are rounded up to powers of 2 */
  int threads;  /* workers of each process (1), up to CW_TASKS_MOST_THREADS. More than one needs
                   MPI_THREAD_MULTIPLE */
  cw_steal_amount amount; /* (half) */
  cw_steal_order order;   /* (near first) */
  int near_percent; /* percentage of searches that try only my node, 1 to 100, while the others try
                       only other nodes; 0 leaves it to the order */
  cw_device device; /* a device that gets one more worker, a thread, for tasks of classes with a
                       kernel; NULL for none. Without MPI_THREAD_MULTIPLE it is not used, and a
                       message says so once */
  int ahead;        /* tasks that the device has under way at a time (3), up to
                       CW_TASKS_MOST_AHEAD */
  size_t cache;     /* bytes of the device's memory for patches of tasks (a quarter of the memory,
                       divided among the processes of the node). The host's cache of constant
                       patches has as many bytes (a sixteenth of host memory, divided likewise) */
  cw_where where;   /* (measured) */
  bool survive;     /* phases end although processes fail (false). Classes have no plans. A pool can
                       survive failures only if the job does: cw_survives. On several nodes the job
                       must do so, process 0 must be a member, and each task costs messages to it */
} cw_tasks_options;

/* A task's access to a patch of an array. */
typedef enum cw_patch_mode {
  CW_PATCH_CONSTANT = 0, /* reads it; no task writes it in this phase, so that copies may be kept */
  CW_PATCH_IN = 1,       /* reads it */
  CW_PATCH_OUT = 2,      /* writes all of it; this task alone touches it */
  CW_PATCH_INOUT = 3,    /* reads and writes it; this task alone touches it */
  CW_PATCH_ADD = 4       /* begins with zeros; its contents at the end are added to the array */
} cw_patch_mode;

/* A patch of a plan: lo to hi, both included; or memory that is the task's alone. */
typedef struct cw_planned_patch {
  cw_array array; /* NULL for memory of the task */
  cw_patch_mode mode;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  const void *from; /* initial contents and size of such memory */
  size_t bytes;
} cw_planned_patch;

typedef struct cw_planned_scalar {
  size_t bytes;
  unsigned char value[CW_PLAN_SCALAR_BYTES];
} cw_planned_scalar;

/* Resources that a task needs to run. */
typedef struct cw_plan {
  double work;      /* proportional to the time that the task takes; above 0 (1) */
  size_t global[3]; /* work items of the kernel; 0 stands for 1 */
  size_t local[3];  /* as in cw_kernel_launch_options */
  int patches, scalars;
  cw_planned_patch patch[CW_PLAN_PATCHES];
  cw_planned_scalar scalar[CW_PLAN_SCALARS];
} cw_plan;

/* Times of a task's parts, in seconds of the process's CLOCK_MONOTONIC. Parts of several tasks of a
 * device overlap. */
typedef struct cw_task_times {
  double begin; /* the fetch of its patches began */
  double run;   /* all patches had arrived; the function or the kernel began */
  double ran;   /* it had ended; the store of the results began */
  double end;   /* the results were stored */
} cw_task_times;

/* A task, for its function. */
typedef struct cw_task {
  cw_tasks pool;
  int number;   /* of its class */
  int affinity; /* as it was added */
  int adder;    /* process that added it, world rank */
  int worker;   /* the thread of the pool on this process that runs it, counted from 0. The device's
                   thread, which may call plans and `then`, has the number cw_tasks_options.threads */
  const void *body; /* aligned to 16 bytes, if it comes out of a queue; valid until return, or until
                       cw_task_commit. If the task runs at once (see cw_tasks_add), it is the
                       caller's own body */
  size_t bytes;
  const cw_plan *plan; /* the plan, in the function of a class that has one */
  void *const *data;   /* [patches] the elements of each patch, row by row. Other tasks may share
                          CONSTANT patches: do not store there */
  const cw_task_times *times; /* in `then`; else NULL */
} cw_task;

/* The function that runs a task. It may make every call except those that are collective over the
 * pool's team or over the world (cw_finalize among them), and may run a phase of another pool if
 * all members of that pool join. For the value that it returns see cw_tasks_process. */
typedef cw_error (*cw_task_function)(const cw_task *task, void *argument);

/* Makes the plan of a task: names patches and scalars (cw_plan_patch, cw_plan_scalar), sizes and
 * work.
 *
 * It may be called more than once for a task, in any thread of the pool. It only reads the body and
 * the argument, and does not communicate. plan: empty at first. An error that it returns counts as
 * the error of the task. */
typedef cw_error (*cw_task_plan)(const cw_task *task, void *argument, cw_plan *plan);

/* A class of tasks: the ways in which the host and a device run them. */
typedef struct cw_task_class {
  cw_task_function function; /* required, because every process can run every task */
  const cw_kernel_source
      *kernel; /* NULL if hosts run all tasks. The kernel's arguments are the memory of the patches,
                  in the order of the plan, then the scalars */
  const char *kernel_name;
  cw_task_plan
      plan; /* NULL if the tasks transfer their data themselves; they have no kernel then */
  cw_task_function
      then; /* NULL, or a function that runs after the results of a task are stored, see below */
} cw_task_class;

/* Counts of a process's workers since the pool was created or reset. */
typedef struct cw_tasks_counts {
  uint64_t added;                    /* tasks, here and elsewhere */
  uint64_t executed;                 /* tasks */
  uint64_t inlined;                  /* of these, run at once because the queue was full */
  uint64_t deferred;                 /* tasks kept in separate memory because the queue was full */
  uint64_t sent, received;           /* tasks into others' inboxes, and from my inbox */
  uint64_t near_steals, far_steals;  /* steals that brought tasks, from my node and from others */
  uint64_t near_stolen, far_stolen;  /* tasks that these steals brought */
  uint64_t near_failed, far_failed;  /* searches that found no task */
  uint64_t releases, reacquisitions; /* number of times that tasks were published, and that
                                        published tasks were taken back */
  uint64_t waves;                    /* waves of the termination detection */
  uint64_t phases;
  double searching; /* seconds without a task, of all workers */
  /* Counts of classes with a plan. */
  uint64_t on_host, on_device; /* tasks that succeeded, by their function or by their kernel */
  uint64_t handed, returned;   /* tasks that a host's worker left to the device, and the reverse */
  uint64_t fetched, stored;    /* bytes of patches from arrays, and to them */
  uint64_t to_device, from_device; /* bytes */
  uint64_t hits, misses;           /* CONSTANT patches found in the cache, and not found */
  uint64_t evicted;                /* CONSTANT patches that were replaced by others */
  double device_idle;              /* seconds of phases in which the device had nothing to do */
} cw_tasks_counts;

/* Creates a pool.
 *
 * team: its members take part. options: NULL stands for all zeros. pool: receives the pool, or NULL
 * on failure. Memory: (threads x slots + inbox) x (16 + body) bytes in a region; with survive =
 * true (threads + 1) x slots x (16 + body), or on several nodes (threads + 1) x (1 KB + body), and
 * at process 0 17 KB for each such thread and private memory for all tasks. Collective over team.
 * Complete on return: tasks may be added. Errors, on every member: CW_MISUSE (team; options out of
 * range or not the same), CW_OUTSIDE (memory, threads, MPI's thread level).
 */
CW_CHECKED cw_error cw_tasks_create(cw_team team, const cw_tasks_options *options, cw_tasks *pool);

/* Frees a pool and clears the handle; tasks that are in it never run. Collective over its team.
 * Errors: CW_MISUSE (NULL; this process is in a phase of the pool, which stays; earlier operations
 * failed at their targets: the pool is freed nevertheless), CW_OUTSIDE. */
CW_CHECKED cw_error cw_tasks_free(cw_tasks *pool);

/* Drops the tasks that are in the pool, and sets its counts to zero. Classes and objects stay.
 *
 * Collective over its team. Complete on return: the pool is empty everywhere. Errors: CW_MISUSE (no
 * pool; in a phase), CW_OUTSIDE. */
CW_CHECKED cw_error cw_tasks_reset(cw_tasks pool);

/* Returns the options of a pool, with the chosen values in the place of zeros. Local. Errors:
 * CW_MISUSE (no pool; NULL). */
CW_CHECKED cw_error cw_tasks_granted(cw_tasks pool, cw_tasks_options *options);

/* Registers a class of tasks.
 *
 * name: the same on all members, and not yet a class of the pool; it is copied. function: runs the
 * tasks of the class. argument: passed to the function; each process may have its own. number:
 * receives the number of the class, the same on all members: 0, 1, ... in the order of
 * registration.
 * Collective over the pool's team. Complete on return: all members have it. Errors, on every
 * member: CW_MISUSE (names that differ; a name twice; NULL; in a phase; too many), CW_OUTSIDE. */
CW_CHECKED cw_error cw_tasks_register(cw_tasks pool, const char *name, cw_task_function function,
                                      void *argument, int *number);

/* Registers a class of tasks with a plan, which a device may run.
 *
 * description: the function is required. Each process may have its own functions; sources are
 * copied. argument: of the function and the plan. name, number: as cw_tasks_register.
 * Before a task runs, its CONSTANT, IN and INOUT patches are fetched into contiguous memory. If it
 * returns CW_OK, its OUT and INOUT patches are put and its ADD patches accumulated. If it fails,
 * nothing is stored. If a process has a device and the class has a program for it, the kernel runs
 * the tasks that are expected to end earlier there than on the host. The kernel must write the same
 * results as the function. CONSTANT patches stay on the device and on the host until the phase
 * ends, as long as there is space. Collective over the pool's team. Complete on return: all members
 * have it. Errors, on every member: as cw_tasks_register; CW_MISUSE (a kernel without a plan or a
 * name; it has no kernel of that name), CW_OUTSIDE (it does not compile). After Arafat, Dinan,
 * Krishnamoorthy, Balaji, Sadayappan, "Work stealing for GPU-accelerated parallel programs in a
 * global address space framework" (CCPE 2015).
 *
 * then: for a class with a plan. The worker that ran a task, a host's or the device's, calls it
 * once the task has succeeded and its results have been stored. It may do what a function may. It
 * can add the tasks that follow from the results, because a kernel cannot add any. Its task->data[]
 * are the OUT, INOUT and ADD patches as the task has left them (ADD: what was added), and NULL for
 * the others; task->times is set. The task is over when `then` has returned. An error that `then`
 * returns counts as the error of the task, but results stay stored. On a device other tasks wait
 * for `then`, so it should be short. */
CW_CHECKED cw_error cw_tasks_register_class(cw_tasks pool, const char *name,
                                            const cw_task_class *description, void *argument,
                                            int *number);

/* Add a patch to a plan, or a scalar, whose bytes are copied.
 *
 * lo, hi: [dimensions of the array]. Local. Complete on return. Errors: CW_MISUSE (NULL; no array;
 * a patch outside; an unknown mode; more than CW_PLAN_PATCHES, CW_PLAN_SCALARS or
 * CW_PLAN_SCALAR_BYTES). */
CW_CHECKED cw_error cw_plan_patch(cw_plan *plan, cw_patch_mode mode, cw_array array,
                                  const int64_t *lo, const int64_t *hi);
CW_CHECKED cw_error cw_plan_scalar(cw_plan *plan, const void *value, size_t bytes);

/* Adds memory of the task alone to a plan, as a patch without an array: input of a kernel, and its
 * output for the class's `then`.
 *
 * mode: IN or INOUT: its initial contents are the `bytes` bytes at from. These must stay valid
 * until the task is over, for example in its body. OUT: its initial contents are undefined; from is
 * ignored. Local. Complete on return. Errors: CW_MISUSE (NULL; another mode; bytes is 0; more than
 * CW_PLAN_PATCHES). */
CW_CHECKED cw_error cw_plan_memory(cw_plan *plan, cw_patch_mode mode, const void *from,
                                   size_t bytes);

/* Registers a common object: a pointer of each process under a number that is the same everywhere,
 * so that a task finds the pointer of the process on which it runs.
 *
 * name: the same on all members. object: mine; NULL is legal. number: receives 0, 1, ...
 * Collective over the pool's team. Errors: as cw_tasks_register. */
CW_CHECKED cw_error cw_tasks_share(cw_tasks pool, const char *name, void *object, int *number);

/* Returns the object that this process has registered under a number. Local. Errors: CW_MISUSE (no
 * pool, no such number; NULL). */
CW_CHECKED cw_error cw_tasks_object(cw_tasks pool, int number, void **object);

/* Adds a task to my own queue, with affinity 0.
 *
 * number: of its class. body: `bytes` bytes, at most as long as the pool's bodies; copied. During a
 * phase, tasks of the pool make this call: the new task goes to the queue of the worker that runs
 * the calling task. If that queue is full, the new task runs at once, before this call returns; but
 * if 32 tasks are already nested, Causeway keeps it in memory that it allocates for the task.
 * Before a phase any thread may call; the task runs in the next phase. (A thread that runs no task
 * of the pool may add tasks during a phase, but in which phase they run is undefined.) Others can
 * steal the tasks that a running task has added only once this task has returned, has filled the
 * queue, or has called cw_tasks_wanted. In a pool with survive = true they can do so once the task
 * has returned or committed, and a full queue becomes longer. Local. Complete on return: the body
 * may be used again. Errors: CW_MISUSE (no pool; no such class; too long; NULL), CW_OUTSIDE (the
 * caller runs no task of the pool: the queue is full, or a phase runs, and there is no memory). */
CW_CHECKED cw_error cw_tasks_add(cw_tasks pool, int number, const void *body, size_t bytes);

/* Adds a task like cw_tasks_add, to the queue of another process, and with affinity.
 *
 * process: world rank, of a member of the pool's team. This is a hint: the task goes into my own
 * queue if the other's inbox is full, and others may steal it from either queue. affinity: how
 * strongly the queue's owner should keep the task; 0 is usual. A queue gives away the tasks with
 * the least affinity first, and of these the oldest; its owner runs those with the most first, and
 * of these the newest. (A new task is put below at most 32 tasks of more affinity.) Local. Complete
 * on return: the body may be used again. Errors: as cw_tasks_add, and CW_MISUSE (process outside
 * the team). If MPI fails half-way, the job ends with an error message. */
CW_CHECKED cw_error cw_tasks_add_to(cw_tasks pool, int number, const void *body, size_t bytes,
                                    int process, int affinity);

/* Adds `count` tasks of one class like cw_tasks_add_to, in as few messages as the inbox allows.
 *
 * bodies: count x bytes bytes, one after the other.
 * Local. Complete on return: the bodies may be used again. Errors: as cw_tasks_add_to; after
 * CW_OUTSIDE, the tasks before the one for which no space was left have been added. */
CW_CHECKED cw_error cw_tasks_add_many(cw_tasks pool, int number, size_t count, const void *bodies,
                                      size_t bytes, int process, int affinity);

/* Register an effect of a task: a put, or an update remote[i] = remote[i] op local[i].
 *
 * task: the one that this thread runs. local: copied. remote, process: as in cw_put; the elements
 * of an update are aligned to their size, those of 16 bytes to 8. bytes: of an update a multiple of
 * the element size. Local. Complete on return: the local buffer may be used again. The target
 * changes when the task has returned CW_OK, or when it has called cw_task_commit. The effects of a
 * task are applied in the order of their calls. An update is atomic for each element against other
 * updates by tasks of the pool, and against accumulates (but on one node, if a process fails, only
 * against the former). If the pool was created with survive = true, the effects, and the tasks that
 * were added, happen exactly once, although processes fail: if a process fails before the task has
 * returned, the task runs again on another process. Other effects (cw_put, cw_accumulate, output)
 * may then happen more than once. Effects on memory of a lost node are dropped. In other pools the
 * target changes at once. Errors: CW_MISUSE (NULL; this thread does not run the task; address,
 * type, reduction, bytes, alignment), CW_OUTSIDE (memory). */
CW_CHECKED cw_error cw_task_put(const cw_task *task, const void *local, void *remote, size_t bytes,
                                int process);
CW_CHECKED cw_error cw_task_accumulate(const cw_task *task, cw_type type, cw_reduction reduction,
                                       const void *local, void *remote, size_t bytes, int process);

/* Commits what a task has done so far, and continues it: the tasks that it has added and the
 * effects that it has registered happen now. If this process fails later, the task runs again from
 * here, with `body` in the place of its own body.
 *
 * task: the one that this thread runs. body: `bytes` bytes that describe what the task has left to
 * do, at most as long as the pool's bodies; copied. It may be the task's own body. The bytes at
 * task->body are undefined afterwards.
 * Until a task commits, other processes cannot steal the tasks that it has added. So a task that
 * divides its work when cw_tasks_wanted returns true commits then. In pools without survive = true
 * the call has no effect. Local. Complete on return: the effects are visible to all. Errors:
 * CW_MISUSE (NULL; this thread does not run the task; too long). */
CW_CHECKED cw_error cw_task_commit(const cw_task *task, const void *body, size_t bytes);

/* Finds out if other processes need tasks of mine. A task that could be divided calls this from
 * time to time. If others want tasks, it adds a part of its work as tasks; if not, it continues by
 * itself, so that it creates no tasks that are not stolen. In a pool with survive = true the task
 * then calls cw_task_commit.
 *
 * wanted: receives true if others find nothing to steal from the worker that runs the task, and no
 * tasks wait there that could be offered; false if there is no thief, or if the pool has survive =
 * true and the task has added tasks that it has not committed. The call offers the older
 * half of the waiting tasks, takes in the tasks that others have added here, and lets MPI progress
 * where others need that: a task that runs long should call it a few times in 100 us. Local.
 * Errors: CW_MISUSE (no pool; NULL; this thread runs no task of the pool). */
CW_CHECKED cw_error cw_tasks_wanted(cw_tasks pool, bool *wanted);

/* Runs all tasks of the pool, and those that they add, until none is left on any member.
 *
 * The call does not begin with a barrier: another process may run tasks before I enter. If tasks
 * need data of other processes, make a cw_barrier before. Tasks that a process adds after it has
 * left a phase run on another process only when that process has left it, too.
 * If a task returns an error, the phase continues; when it is over, the call returns the first
 * error of the tasks that ran on this process, and the message has the number of further errors (if
 * no call of Causeway has failed, the message names the class and the error). In a pool with
 * survive = true, a task that returns an error has no effects since its last cw_task_commit. If
 * members fail, a pool with survive = true ends its phase with the others, which have then run all
 * tasks; the call returns CW_OK, and later phases run with the members that are left. Collective
 * over the pool's team; also within a task of another pool. Complete on return: all tasks have run,
 * and all their puts, accumulates and atomics are visible to all. Errors: CW_MISUSE (no pool; this
 * process is in a phase of this pool; operations of the tasks failed at their targets), errors that
 * tasks have returned. If MPI fails meanwhile, the job ends with an error message, because tasks
 * would be lost. */
CW_CHECKED cw_error cw_tasks_process(cw_tasks pool);

/* Returns the counts of this process's workers. Between phases the numbers are consistent. Local.
 * Errors: CW_MISUSE (no pool; NULL). */
CW_CHECKED cw_error cw_tasks_statistics(cw_tasks pool, cw_tasks_counts *counts);

#ifdef __cplusplus
}
#endif
#endif

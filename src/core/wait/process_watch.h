/* A thread that learns from the kernel when processes end. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct cwi_process_watch {
  bool runs;
  pthread_t thread;
  int events; /* epoll: the ends of the processes, and `end` */
  int end;    /* eventfd that ends the thread */
  int *files; /* [count] pidfds; -1 for a process that is not watched */
  int count;
};

/* Initial value of a watch. */
#define CWI_PROCESS_WATCH_CLOSED                                                                   \
  {                                                                                                \
    .events = -1, .end = -1                                                                        \
  }

/* cwi_process_watch_open opens a watch. cwi_process_watch_reserve allocates space for `count`
 * processes, and cwi_process_watch_add watches the process with this PID as number `number`, below
 * count. They return false and set errno if they fail. A watch that could not be opened has to be
 * stopped, too. Processes may be added while the thread runs. */
bool cwi_process_watch_open(struct cwi_process_watch *watch);
bool cwi_process_watch_reserve(struct cwi_process_watch *watch, int count);
bool cwi_process_watch_add(struct cwi_process_watch *watch, int number, pid_t pid);

/* Starts the thread. Returns the result of pthread_create. */
int cwi_process_watch_start(struct cwi_process_watch *watch, void *(*run)(void *argument));

/* Waits in the thread. Returns the number of a process that has ended, which is returned once,
 * CWI_WATCH_STOPPED if the thread has to end, or CWI_WATCH_NOTHING after at most this number of
 * milliseconds (-1 for no limit). */
enum { CWI_WATCH_STOPPED = -1, CWI_WATCH_NOTHING = -2 };
int cwi_process_watch_next(const struct cwi_process_watch *watch, int milliseconds);

/* Ends the thread, if it runs, and closes the watch. */
void cwi_process_watch_stop(struct cwi_process_watch *watch);

/* cw-top: shows a job that runs on this node, from the status pages of its processes
 * (src/core/wait/status_page.h) and from the kernel. It reads files below /proc and writes
 * nothing, so it does not disturb the job.
 *
 * cw-top.c        options; finds the job; prints one screen or starts the live view
 * kernel.c        reads what the kernel knows of a process
 * process_page.c  finds and reads the status page of a process
 * counts.c        reads the counters of CW_PROFILE in the memory of a process
 * tally.c         sums by name, and their increase between two samples
 * job.c           takes samples: all processes of a job at one time; lists the jobs
 * waits.c         finds which processes wait for which
 * view.c          makes a page of lines from two samples
 * page.c          lines; formats numbers as words; messages and memory
 * live.c          the live view by ncurses, and its keys
 * live_none.c     replaces live.c where ncurses is not installed */
#pragma once

#include "profile/profile.h"
#include "wait/status_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses. top_failed and top_misuse print a message to standard error and return the
 * status. */
enum { TOP_DONE = 0, TOP_FAILED = 1, TOP_MISUSE = 2 };
int top_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int top_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* top_allocate is like calloc. top_add appends a row of zeros to a list and returns it. The program
 * exits when memory runs out. */
void *top_allocate(size_t count, size_t size);

struct top_list {
  void *rows;
  size_t count, capacity;
};
void *top_add(struct top_list *list, size_t size);

/* --- kernel.c --------------------------------------------------------------------------------- */

struct top_kernel {
  char name[64];
  char state;
  int parent;
  double seconds;         /* processor time used so far */
  uint64_t resident, own; /* in bytes; own: those that no other process shares */
};

/* Reads the figures of a thread, or of the whole process if `thread` is 0. Returns false if there
 * is no such process or thread. */
bool top_kernel_read(int pid, int thread, struct top_kernel *kernel);

/* Returns the PID by which the process knows itself. It differs from `pid` if the process is in a
 * PID namespace of its own. */
int top_kernel_own_pid(int pid);

/* Returns the user ID of the process, or -1 if there is no such process. */
long top_kernel_user(int pid);

/* Returns the seconds of the monotonic clock. */
double top_now(void);

/* Returns the PIDs of all processes (int). The caller frees the rows. */
struct top_list top_kernel_pids(void);

/* --- process_page.c --------------------------------------------------------------------------- */

enum top_sight {
  TOP_NO_PROCESS,
  TOP_FORBIDDEN,
  TOP_NOTHING,       /* not a process of Causeway */
  TOP_OLD,           /* a process of Causeway without a status page */
  TOP_OTHER_VERSION, /* its status page has a layout that we cannot read */
  TOP_SHOWN
};

/* Reads the status page of a process. *file is the descriptor at which the page was found last
 * time, or -1. If the page is no longer there, all open files of the process are searched and *file
 * is updated. The result is valid whatever the process has written: numbers are in range and texts
 * end. */
enum top_sight top_read_process(int pid, int *file, struct cwi_status *status_page);

/* Opens a file that the process has open, to read it. Returns -1 if that fails. The caller closes
 * it soon: memory that the job frees stays allocated while we have its file open. */
int top_open(int pid, int file);

/* Replaces all characters but printable ASCII, and ends the text. */
void top_clean(char *text, size_t size);

/* --- tally.c ---------------------------------------------------------------------------------- */

/* Sums of an object, which has a name, or of a target, which is a process. */
struct top_tally {
  char name[96];
  int process; /* -1 if it has a name */
  uint64_t operations, bytes;
};

/* Merges rows of the same name or process into one and sorts the rows by name or process. */
void top_tally_merge(struct top_list *tallies);

/* Returns the increases from `before` to `now`, those with the most bytes first. Both lists must be
 * merged. The caller frees the rows. */
struct top_list top_tally_since(const struct top_list *now, const struct top_list *before);

/* --- counts.c --------------------------------------------------------------------------------- */

struct top_counts {
  bool known;
  uint64_t operations, bytes;
  uint64_t calls[CWI_CALL_CLASSES], class_bytes[CWI_CALL_CLASSES], nanoseconds[CWI_CALL_CLASSES];
  cw_call_class under_way;          /* class of the longest call in progress */
  double under_way_seconds;         /* duration of that call so far; 0 if there is none */
  struct top_list targets, objects; /* both lists are of struct top_tally */
};

/* Reads the counters of a process with CW_PROFILE. counts->known is false if it has none, or has
 * those of another version of Causeway. */
void top_counts_read(int pid, const struct cwi_status *status_page, struct top_counts *counts);
void top_counts_free(struct top_counts *counts);

/* --- job.c ------------------------------------------------------------------------------------ */

struct top_process {
  int pid, file;
  struct cwi_status status_page;
  struct top_kernel kernel;
  double server_seconds; /* processor time of the server's thread, if it runs in this process */
  struct top_counts counts;
};

/* A node of the job that has processes on this machine. */
struct top_node {
  int number;
  bool known; /* the memory file of the node could be read */
  uint64_t handed_out, resident;
};

struct top_sample {
  double when;
  struct top_list processes; /* struct top_process, sorted by number; server ranks last */
  struct top_list nodes;     /* struct top_node */
};

/* Identifies a job as the status pages of its processes do: by the PID of process 0 and its
 * machine. */
struct top_job {
  int64_t number;
  char machine[32];
};

/* A job of the list from which the user chooses. */
struct top_choice {
  struct top_job job;
  char program[64];
  int here, processes, nodes, waiting;
  double seconds;
};

bool top_is_same(const struct top_job *a, const struct top_job *b);
bool top_is_of(const struct top_job *job, const struct cwi_status *status_page);

/* Takes a sample of the job. A sample without processes means that the job has ended. `before` is
 * NULL or the last sample, with which the status pages are found faster. */
void top_sample_take(const struct top_job *job, const struct top_sample *before,
                     struct top_sample *sample);
void top_sample_free(struct top_sample *sample);

/* Returns the jobs of this user (struct top_choice). If `below` is not 0, returns instead the jobs
 * that process `below` or one of its descendants belongs to. The caller frees the rows. */
struct top_list top_jobs(int below);

/* --- waits.c ---------------------------------------------------------------------------------- */

/* A group of processes that wait for the same thing in the same call. */
struct top_wait {
  char call[64], whom[200];
  int first, count;
  double longest;
};

/* Returns the groups of waiting processes (struct top_wait), the largest first. The caller frees
 * the rows. */
struct top_list top_waits(const struct top_sample *sample);

/* Returns the longest wait of a process's threads, or NULL if none waits. */
const struct cwi_status_wait *top_wait_of(const struct top_process *process, double now);

/* Returns the processes (int) that others wait for and that do not wait themselves. *all receives
 * true if any process is waited for, even if it waits itself. The caller frees the rows. */
struct top_list top_awaited(const struct top_sample *sample, const struct top_list *waits,
                            bool *all);

/* --- page.c ----------------------------------------------------------------------------------- */

enum top_style { TOP_PLAIN, TOP_TITLE, TOP_ALARM, TOP_CHOSEN };

struct top_line {
  char *text;
  enum top_style style;
};

struct top_page {
  struct top_list lines;     /* struct top_line */
  struct top_list processes; /* int: the processes in the order in which they are shown */
  size_t width;              /* columns after which lines are cut off */
};

void top_write(struct top_page *page, enum top_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void top_page_free(struct top_page *page);

/* These functions format a number as words. The text is valid until the eighth call after it. */
const char *top_amount(double count);    /* 1.2 M */
const char *top_bytes(double bytes);     /* 1.2 GiB */
const char *top_seconds(double seconds); /* 12.3 s, 2:03, 3:02:03 */
const char *top_share(double share);     /* 12 % */

/* --- view.c ----------------------------------------------------------------------------------- */

enum top_order {
  TOP_BY_NUMBER,
  TOP_BY_CPU,
  TOP_BY_MEMORY,
  TOP_BY_OPERATIONS,
  TOP_BY_BYTES,
  TOP_BY_WAIT,
  TOP_ORDERS
};

struct top_view {
  struct top_job job;
  bool is_live;  /* the output is a terminal, where the user can choose one of several jobs */
  bool choosing; /* the list of jobs is shown, in which `job` is selected */
  int below;     /* restricts the list of jobs, see top_jobs */
  enum top_order order;
  int chosen; /* the process whose classes, targets and objects are shown; -1 for all */
};

/* Makes a page of what happened between two samples. */
void top_show(const struct top_view *view, const struct top_sample *before,
              const struct top_sample *now, struct top_page *page);
void top_show_jobs(const struct top_list *jobs, struct top_page *page);

/* --- live.c ----------------------------------------------------------------------------------- */

/* True if this cw-top was built with the live view. */
extern const bool top_has_live;

/* Runs the live view until the user quits or the job ends. In the latter case the last screen stays
 * on the terminal. */
int top_live(struct top_view *view, double interval);

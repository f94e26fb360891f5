/* cw-top: a running job on this node, as its processes show themselves
 * (src/core/wait/status_page.h) and as the kernel does. It reads files below /proc, and writes
 * nothing there.
 *
 * cw-top.c   options, which job, and the order of things
 * kernel.c   what the kernel says of a process
 * process_page.c     what a process shows: its status_page
 * counts.c   the counters of CW_PROFILE, read in its memory
 * tally.c    sums by name, and what of them is new between two samples
 * job.c      all processes of a job at one time: a sample; the list of jobs
 * waits.c    who waits for whom
 * view.c     a page of lines made of two samples
 * page.c     lines, and figures as words
 * live.c     pages on a terminal, and keys (live_none.c: where there is no ncurses) */
#ifndef CW_TOP_H
#define CW_TOP_H

#include "profile/profile.h"
#include "wait/status_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, and their sentence on standard error. */
enum { TOP_DONE = 0, TOP_FAILED = 1, TOP_MISUSE = 2 };
int top_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int top_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* calloc, realloc; without memory the program ends. */
void *top_allocate(size_t count, size_t size);

struct top_list {
  void *rows;
  size_t count;
};
void *top_add(struct top_list *list, size_t size);

/* --- kernel.c --------------------------------------------------------------------------------- */

struct top_kernel {
  char name[64];
  char state;
  int parent;
  double seconds;         /* of processor time */
  uint64_t resident, own; /* bytes; those that it shares with nobody */
};

/* false: there is no such process. thread: 0 for all of it. */
bool top_kernel_read(int pid, int thread, struct top_kernel *kernel);

/* The number that the process knows itself by: it may be in a PID namespace of its own. */
int top_kernel_own_pid(int pid);

/* Whose it is; -1: there is no such process. */
long top_kernel_user(int pid);

/* Seconds on the clock that never goes back. */
double top_now(void);

/* The numbers of all processes. */
struct top_list top_kernel_pids(void);

/* --- process_page.c
 * ----------------------------------------------------------------------------------- */

enum top_sight {
  TOP_NO_PROCESS,
  TOP_FORBIDDEN,
  TOP_NOTHING,       /* no process of Causeway */
  TOP_OLD,           /* its Causeway shows nothing */
  TOP_OTHER_VERSION, /* it shows what we cannot read */
  TOP_SHOWN
};

/* file: where the status_page was among the open files of the process; it is looked for where it is
 * not there. status_page: sound, whatever its process has written. */
enum top_sight top_read_process(int pid, int *file, struct cwi_status *status_page);

/* An open file of a process, to read; -1: there is none. Whoever opens it closes it soon: memory
 * that a job gives back stays as long as it is open. */
int top_open(int pid, int file);

/* Make a text harmless on any terminal. */
void top_clean(char *text, size_t size);

/* --- tally.c ---------------------------------------------------------------------------------- */

/* Sums of something that has a name, or a number. */
struct top_tally {
  char name[96];
  int process; /* -1: it has a name */
  uint64_t operations, bytes;
};

/* Rows of one name become one; in the order of names. */
void top_tally_merge(struct top_list *tallies);

/* What is new since `before`, the largest number of bytes first. Both are merged. */
struct top_list top_tally_since(const struct top_list *now, const struct top_list *before);

/* --- counts.c --------------------------------------------------------------------------------- */

struct top_counts {
  bool known;
  uint64_t operations, bytes;
  uint64_t calls[CWI_CALL_CLASSES], class_bytes[CWI_CALL_CLASSES], nanoseconds[CWI_CALL_CLASSES];
  enum cwi_call_class under_way;    /* a call */
  double under_way_seconds;         /* for which it has been; 0: there is none */
  struct top_list targets, objects; /* struct top_tally */
};

/* Of a process with CW_PROFILE. */
void top_counts_read(int pid, const struct cwi_status *status_page, struct top_counts *counts);
void top_counts_free(struct top_counts *counts);

/* --- job.c ------------------------------------------------------------------------------------ */

struct top_process {
  int pid, file;
  struct cwi_status status_page;
  struct top_kernel kernel;
  double server_seconds; /* of the server's thread, if it is here */
  struct top_counts counts;
};

/* A node of the job on this machine. */
struct top_node {
  int number;
  bool known; /* it has a memory file that can be asked */
  uint64_t handed_out, resident;
};

struct top_sample {
  double when;
  struct top_list processes; /* struct top_process, by their numbers; server ranks last */
  struct top_list nodes;     /* struct top_node */
};

/* Which job: as the gauges of its processes have it. */
struct top_job {
  int64_t number;
  char machine[32];
};

/* One that the user can choose. */
struct top_choice {
  struct top_job job;
  char program[64];
  int here, processes, nodes, waiting;
  double seconds;
};

bool top_is_same(const struct top_job *a, const struct top_job *b);
bool top_is_of(const struct top_job *job, const struct cwi_status *status_page);

/* A sample without processes: the job has ended. before: the last one, or NULL. */
void top_sample_take(const struct top_job *job, const struct top_sample *before,
                     struct top_sample *sample);
void top_sample_free(struct top_sample *sample);

/* Those of this user, struct top_choice. below: only those with processes that this one has
 * started, or one that it has started; 0: all. */
struct top_list top_jobs(int below);

/* --- waits.c ---------------------------------------------------------------------------------- */

/* Processes that wait for the same in the same call. */
struct top_wait {
  char call[64], whom[200];
  int first, count;
  double longest;
};

/* struct top_wait, those of most processes first. */
struct top_list top_waits(const struct top_sample *sample);

/* The longest of a process's threads; NULL: none waits. */
const struct cwi_status_wait *top_wait_of(const struct top_process *process, double now);

/* Processes (int) that others wait for, and that do not wait themselves; all: is somebody waited
 * for? */
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
  struct top_list processes; /* int: those of the rows, in their order */
  size_t width;              /* where lines are cut off */
};

void top_write(struct top_page *page, enum top_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void top_page_free(struct top_page *page);

/* Numbers as words; the text is valid until the eighth call after it. */
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
  bool is_live;  /* it is on a terminal, where one of several jobs can be chosen */
  bool choosing; /* the list of jobs is shown, of which `job` is chosen */
  int below;     /* as of top_jobs: which jobs are in the list */
  enum top_order order;
  int chosen; /* the process whose classes, targets and objects are shown; -1: all */
};

/* What happened between two samples. */
void top_show(const struct top_view *view, const struct top_sample *before,
              const struct top_sample *now, struct top_page *page);
void top_show_jobs(const struct top_list *jobs, struct top_page *page);

/* --- live.c ----------------------------------------------------------------------------------- */

/* Whether there is a live view. */
extern const bool top_has_live;

/* Until the user ends it, or the job ends: its last screen stays on the terminal. */
int top_live(struct top_view *view, double interval);

#endif

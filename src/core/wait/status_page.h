/* What a process shows to those who look at it from outside (cw-top): a page in a memory file of
 * its own, which they find among its open files and only read. Nobody is told that they look.
 *
 * It costs a file of one page, and a few stores for a thread that waits long. What is there is for
 * people: nothing of Causeway reads it. */
#ifndef CWI_WAIT_STATUS_PAGE_H
#define CWI_WAIT_STATUS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Who changes the structures below changes the version: programs of another version are told from
 * ours by it. The first three numbers stay where they are in all versions. */
enum { CWI_STATUS_VERSION = 1, CWI_STATUS_WAITS = 8 };
#define CWI_STATUS_FILE "cw-status_page"
#define CWI_STATUS_MAGIC UINT64_C(0x656775614765776b)

/* A thread that waits for so long, in seconds, is shown; one that has not last_poll for so long
 * waits no more. */
#define CWI_STATUS_SHOWN_SECONDS 0.05
#define CWI_STATUS_STALE_SECONDS 3.0

/* A wait. Times are seconds on the clock that never goes back. */
struct cwi_status_wait {
  uint32_t version; /* odd: it is being written */
  int32_t thread;   /* its number in the kernel; 0: nobody waits here */
  double since;
  double last_poll; /* whether what it waits for has come, the last time */
  double written;   /* the texts */
  char call[64];    /* that the program has made */
  char whom[200];   /* for whom or what it waits; "": that is not known */
};

struct cwi_status {
  uint64_t magic; /* not ours: nothing runs */
  uint32_t version, bytes;
  int64_t job; /* the PID of process 0 on its machine */
  char job_machine[32];
  int32_t pid;
  int32_t process, processes; /* process: -1 for a server rank */
  int32_t node, nodes;
  int32_t server_thread; /* that of the node's server, if it lives here; 0: it does not */
  int32_t memory_file;   /* the node's, among the open files of this process; -1: there is none */
  int32_t profile_file;  /* the counters of CW_PROFILE; -1: nobody counts */
  uint64_t handed_out; /* where in the memory file the bytes handed out are: a number of 8 bytes */
  uint64_t profile_layout; /* of the counters */
  double began;
  struct cwi_status_wait waits[CWI_STATUS_WAITS];
};

/* Once mapped it stays, so that a thread that waits always finds it; a later world's file comes to
 * the same address. NULL: nothing was ever shown. */
extern struct cwi_status *cwi_status_page;

/* Show this, from now on until the stop. Where there can be no such file nothing is shown. Local.
 */
void cwi_status_start(const struct cwi_status *shown);
void cwi_status_stop(void);

/* What comes later: the counters are in this open file; this thread is the node's server. */
void cwi_status_profile(int file, uint64_t layout);
void cwi_status_server(void);

/* The calling thread still waits; true: say what it waits for, now and then. It waits no more. */
bool cwi_status_waits(double since, double now);
void cwi_status_wait_write(const char *call, const char *whom, double now);
void cwi_status_wait_end(void);
#endif

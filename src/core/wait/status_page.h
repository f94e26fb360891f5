/* The status page of a process, for observers outside the job (cw-top). It is a page in a memory
 * file. Observers find the file among the open files of the process and only read it. The process
 * does not notice them.
 *
 * It costs a file of one page, and a few stores for a thread that waits long. The contents are for
 * people; the library does not read them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Increment the version with every change of the structures below, so that programs of another
 * version recognise it. `magic`, `version` and `bytes` have the same offsets in all versions. */
enum { CWI_STATUS_VERSION = 1, CWI_STATUS_WAITS = 8 };
#define CWI_STATUS_FILE "cw-status_page"
#define CWI_STATUS_MAGIC UINT64_C(0x656775614765776b)

/* A thread is shown when it has waited for CWI_STATUS_SHOWN_SECONDS. A wait whose last poll is
 * older than CWI_STATUS_STALE_SECONDS is over. */
#define CWI_STATUS_SHOWN_SECONDS 0.05
#define CWI_STATUS_STALE_SECONDS 3.0

/* The wait of one thread. Times are seconds of cwi_now(). */
struct cwi_status_wait {
  uint32_t version; /* odd while it is being written */
  int32_t thread;   /* kernel's number of the thread; 0 if this place is free */
  double since;
  double last_poll; /* last time at which the thread polled */
  double written;   /* time at which the texts were last written */
  char call[64];    /* call that the program has made */
  char whom[200];   /* what the thread waits for; "" if that is not known */
};

struct cwi_status {
  uint64_t magic; /* CWI_STATUS_MAGIC while Causeway runs */
  uint32_t version, bytes;
  int64_t job; /* PID of process 0 on its machine */
  char job_machine[32];
  int32_t pid;
  int32_t process, processes; /* process is -1 for a server rank */
  int32_t node, nodes;
  /* kernel's number of the server's thread, if it is in this process; else 0 */
  int32_t server_thread;
  /* descriptor of the node's memory file in this process; -1 if there is none */
  int32_t memory_file;
  int32_t profile_file; /* descriptor of the counters of CW_PROFILE; -1 if there are none */
  uint64_t handed_out;  /* offset in the memory file of the number of bytes handed out (8 bytes) */
  uint64_t profile_layout; /* hash of the layout of the counters */
  double began;
  struct cwi_status_wait waits[CWI_STATUS_WAITS];
};

/* The status page, or NULL if none was ever made. Once mapped, it stays mapped, so that a waiting
 * thread can always write to it. A later world maps its file at the same address. */
extern struct cwi_status *cwi_status_page;

/* Copies `shown` to the page and makes it visible until cwi_status_stop. If no memory file can be
 * made, nothing is shown. Local. */
void cwi_status_start(const struct cwi_status *shown);
void cwi_status_stop(void);

/* cwi_status_profile adds the descriptor of the file with the counters, and the hash of their
 * layout. cwi_status_server records that the calling thread is the node's server. */
void cwi_status_profile(int file, uint64_t layout);
void cwi_status_server(void);

/* cwi_status_waits records a poll of a waiting thread, and returns true if the thread should now
 * describe its wait by cwi_status_wait_write. cwi_status_wait_end ends the wait. */
bool cwi_status_waits(double since, double now);
void cwi_status_wait_write(const char *call, const char *whom, double now);
void cwi_status_wait_end(void);

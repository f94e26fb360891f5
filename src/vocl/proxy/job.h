/* The job of proxies, as seen by the process that starts it and outlives it. */
#ifndef CWI_PROXY_JOB_H
#define CWI_PROXY_JOB_H

#include "proxy/proxy.h"

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_proxy_job {
  pid_t launcher;  /* 0: it has ended */
  int life;        /* our end of process 0's standard input: the service ends when it is closed */
  int output;      /* of all processes */
  int status;      /* as waitpid says, once it has ended */
  char line[1024]; /* the beginning of the output's line, until the job is ready */
  size_t length;
  int matched; /* bytes of CWI_PROXY_UNREACHED with which the line begins; -1: it is another one */
  bool is_ready;
  bool is_unreached;  /* a proxy has given up another one */
  bool death_is_told; /* to the user */
};

/* False, with a sentence on standard error: it cannot be started. */
bool cwi_job_start(struct cwi_proxy_job *job, const struct cwi_job_options *options);

/* Passes on what the job has printed, but for the line that says that it is ready, unless
 * `shows_ready`. Call it when there is something. */
void cwi_job_read(struct cwi_proxy_job *job, bool shows_ready);

/* The launcher may have ended: has it? */
bool cwi_job_has_ended(struct cwi_proxy_job *job);

/* Lets the service end, and waits for it; in the end it is killed. Returns the exit status. */
int cwi_job_end(struct cwi_proxy_job *job);

/* As shells tell it: 128 and the signal. */
int cwi_exit_status(int status);

#ifdef __cplusplus
}
#endif
#endif

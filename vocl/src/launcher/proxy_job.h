/* The job of proxies, as seen by the process that starts it and outlives it.
 *
 * cw_vocl.c         the command line
 * proxy_job.c       starts the job of proxies by MPI's mpiexec, and ends it
 * service_client.c  cw-vocl list, move and stop: what clients ask at a door
 * service_run.c     cw-vocl serve and run: a job for a while, or as long as a program runs */
#ifndef VOCL_LAUNCHER_PROXY_JOB_H
#define VOCL_LAUNCHER_PROXY_JOB_H

#include "proxy/proxy.h"

#include <sys/types.h>

struct vocl_proxy_job {
  pid_t launcher;  /* 0: it has ended */
  int life;        /* our end of process 0's standard input: the service ends when it is closed */
  int output;      /* of all processes */
  int status;      /* as waitpid says, once it has ended */
  char line[1024]; /* the beginning of the output's line, until the job is ready */
  size_t length;
  int matched; /* bytes of VOCL_PROXY_UNREACHED with which the line begins; -1: it is another one */
  bool is_ready;
  bool is_unreached;  /* a proxy has given up another one */
  bool death_is_told; /* to the user */
};

/* False, with a sentence on standard error: it cannot be started. */
bool vocl_job_start(struct vocl_proxy_job *job, const struct vocl_job_options *options);

/* Passes on what the job has printed, but for the line that says that it is ready, unless
 * `shows_ready`. Call it when there is something. */
void vocl_job_read(struct vocl_proxy_job *job, bool shows_ready);

/* The launcher may have ended: has it? */
bool vocl_job_has_ended(struct vocl_proxy_job *job);

/* Lets the service end, and waits for it; in the end it is killed. Returns the exit status. */
int vocl_job_end(struct vocl_proxy_job *job);

/* As shells tell it: 128 and the signal. */
int vocl_exit_status(int status);
#endif

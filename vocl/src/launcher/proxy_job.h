/* The job of proxies, in the process that starts it and outlives it.
 *
 * cw_vocl.c         the command line
 * proxy_job.c       starts the job of proxies by MPI's mpiexec, and ends it
 * service_client.c  cw-vocl list, move and stop: requests to a running service
 * service_run.c     cw-vocl serve and run: a job for a while, or as long as a program runs */
#pragma once

#include "proxy/proxy.h"

#include <sys/types.h>

struct vocl_proxy_job {
  pid_t launcher;  /* 0 if it has ended */
  int life;        /* write end of process 0's standard input: the service ends when it is closed */
  int output;      /* read end of the output of all processes */
  int status;      /* status of waitpid, once the launcher has ended */
  char line[1024]; /* incomplete line of the output, until the job is ready */
  size_t length;
  int matched; /* number of bytes of VOCL_PROXY_UNREACHED that the line has matched so far; -1 if it
                  differs */
  bool is_ready;
  bool is_unreached;      /* a proxy has reported that it cannot reach another one */
  bool death_is_reported; /* report_death has printed its message */
};

/* Starts the job. On failure returns false and prints a message. */
bool vocl_job_start(struct vocl_proxy_job *job, const struct vocl_job_options *options);

/* Prints the output of the job. The line that reports that the job is ready is printed only if
 * `shows_ready`. Call it when the output is readable. */
void vocl_job_read(struct vocl_proxy_job *job, bool shows_ready);

/* Returns true if the launcher has ended, without waiting. */
bool vocl_job_has_ended(struct vocl_proxy_job *job);

/* Ends the service and waits for the job. Kills a job that does not end in time. Returns the exit
 * status. */
int vocl_job_end(struct vocl_proxy_job *job);

/* Converts a status of waitpid to an exit status, as shells do: 128 plus the signal's number after
 * a signal. */
int vocl_exit_status(int status);

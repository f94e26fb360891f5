/* The program cw-vocl: proxies of virtual OpenCL, which are a Causeway job, and what starts, asks
 * and ends them.
 *
 *
 * A proxy is one process of the job, usually one on each machine. One thread of it does all but
 * serving sessions, which have a thread each: only that one calls Causeway.
 *
 * acceptor.c       what a proxy answers at its door
 * balance.c        which program should go to which device
 * heartbeat.c      whether other proxies can still be reached
 * loads.c          what is at work on all devices; balancing
 * move_requests.c  programs are asked to move what they have on a device
 * proxy_loop.c     a proxy: it begins together with the others, and turns until the service ends
 * status_list.c    the text of the list of proxies and sessions */
#ifndef VOCL_PROXY_PROXY_H
#define VOCL_PROXY_PROXY_H

#include <stdbool.h>

/* This process, which mpiexec has started, is a proxy until the service ends. is_attached: it ends,
 * too, when standard input of process 0 does. Returns the exit status. */
int vocl_proxy_run(const char *service, bool is_attached);

/* How the first line begins that process 0 prints, when programs may come. */
#define VOCL_PROXY_READY "cw-vocl: ready: "
/* How the line begins that a proxy prints when it gives up one that cannot be reached. MPI's
 * mpiexec may wait for that one's machine without end. */
#define VOCL_PROXY_UNREACHED "cw-vocl: unreached: "

struct vocl_job_options {
  const char *service;
  const char *processes; /* number; NULL: as many as hosts, or 1 */
  const char *hosts;     /* names with commas between; NULL: where mpiexec likes */
  const char *launcher;  /* in place of this MPI's */
};

/* The commands; they return the exit status. */
int vocl_cli_serve(const struct vocl_job_options *options);
int vocl_cli_run(struct vocl_job_options *options, char **program);
int vocl_cli_list(const char *service);
/* words: session, device, target. */
int vocl_cli_move(const char *service, char **words);
int vocl_cli_stop(const char *service);
#endif

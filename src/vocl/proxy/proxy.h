/* The program cw-vocl: proxies of virtual OpenCL, which are a Causeway job, and what starts, asks
 * and ends them.
 *
 * main.c      the command line
 * job.c       starts the job of proxies by MPI's mpiexec, and ends it
 * run.c       cw-vocl serve and run: a job for a while, or as long as a program runs
 * visit.c     cw-vocl list, move and stop: what visitors ask at a door
 * serve.c     a proxy: it begins together with the others, and turns until the service ends
 * desk.c      what a proxy answers at its door
 * list.c      the text of the list of proxies and sessions
 * loads.c     what is at work on all devices; balancing
 * balance.c   which program should go to which device
 * moving.c    programs are asked to move what they have on a device
 * session.c   sessions: they begin, are served or passed on, and end
 * passage.c   passing a session on: copies of rings
 * post.c      mail between proxies
 * pulse.c     whether other proxies can still be reached
 * watch.c     what a proxy sleeps on
 *
 * A proxy is one process of the job, usually one on each machine. One thread of it does all but
 * serving sessions, which have a thread each: only that one calls Causeway. */
#ifndef CWI_PROXY_PROXY_H
#define CWI_PROXY_PROXY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process, which mpiexec has started, is a proxy until the service ends. is_attached: it ends,
 * too, when standard input of process 0 does. Returns the exit status. */
int cwi_proxy_serve(const char *service, bool is_attached);

/* How the first line begins that process 0 prints, when programs may come. */
#define CWI_PROXY_READY "cw-vocl: ready: "
/* How the line begins that a proxy prints when it gives up one that cannot be reached. MPI's
 * mpiexec may wait for that one's machine without end. */
#define CWI_PROXY_UNREACHED "cw-vocl: unreached: "

struct cwi_job_options {
  const char *service;
  const char *processes; /* number; NULL: as many as hosts, or 1 */
  const char *hosts;     /* names with commas between; NULL: where mpiexec likes */
  const char *launcher;  /* in place of this MPI's */
};

/* The commands; they return the exit status. */
int cwi_command_serve(const struct cwi_job_options *options);
int cwi_command_run(struct cwi_job_options *options, char **program);
int cwi_command_list(const char *service);
/* words: session, device, target. */
int cwi_command_move(const char *service, char **words);
int cwi_command_stop(const char *service);

#ifdef __cplusplus
}
#endif
#endif

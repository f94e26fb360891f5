/* The program cw-vocl: the proxies of virtual OpenCL, which run as a Causeway job, and the commands
 * that start, query and stop them.
 *
 * A proxy is one process of the job, usually one on each machine. Its main thread does
 * everything except serving sessions, which have threads of their own. Only the main thread
 * calls Causeway.
 *
 * acceptor.c       requests of clients of the listening socket
 * balance.c        chooses which program should move to which device
 * heartbeat.c      checks that other proxies can be reached
 * loads.c          load of all devices; load balancing
 * move_requests.c  requests that a program move what it has on a device
 * proxy_loop.c     the main loop of a proxy, from start to end
 * status_list.c    the text of the list of proxies and sessions */
#pragma once

#include <stdbool.h>

/* Runs a proxy in this process, which mpiexec has started, until the service ends. If
 * `is_attached`, it also ends when standard input of process 0 is closed. Returns the exit
 * status. */
int vocl_proxy_run(const char *service, bool is_attached);

/* Beginning of the first line that process 0 prints, when programs can connect. */
#define VOCL_PROXY_READY "cw-vocl: ready: "
/* Beginning of the line that a proxy prints when it cannot reach another one and exits. mpiexec may
 * wait for ever for the machine that cannot be reached. */
#define VOCL_PROXY_UNREACHED "cw-vocl: unreached: "

struct vocl_job_options {
  const char *service;
  const char *processes; /* a number; if NULL, as many as hosts, or 1 */
  const char *hosts;     /* names separated by commas; if NULL, mpiexec chooses */
  const char *launcher;  /* replaces this MPI's mpiexec */
};

/* The commands of cw-vocl. They return the exit status. */
int vocl_cli_serve(const struct vocl_job_options *options);
int vocl_cli_run(struct vocl_job_options *options, char **program);
int vocl_cli_list(const char *service);
/* `words` are the session, the device and the target. */
int vocl_cli_move(const char *service, char **words);
int vocl_cli_stop(const char *service);

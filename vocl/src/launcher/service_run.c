/* cw-vocl serve and run: the process that users start. It starts the proxies, waits for the
 * event that ends them, and stays until they have ended. */
#include "launcher/proxy_job.h"

#include "wire/service_socket.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int held[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

/* Blocks the signals and returns a descriptor to read them from. Stores the old mask in *before,
 * for programs that this process starts. */
static int block_signals(sigset_t *before)
{
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof held / sizeof *held; i++)
    sigaddset(&set, held[i]);
  return sigprocmask(SIG_BLOCK, &set, before) == 0 ? signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)
                                                   : -1;
}

/* Returns a pending signal, or 0 if there is none. */
static int next_signal(int signals)
{
  struct signalfd_siginfo what;
  return read(signals, &what, sizeof what) == (ssize_t)sizeof what ? (int)what.ssi_signo : 0;
}

/* Waits until a signal arrives or the job has printed something. */
static void wait_for_news(struct vocl_proxy_job *job, int signals, bool shows_ready)
{
  struct pollfd both[] = {{.fd = signals, .events = POLLIN}, {.fd = job->output, .events = POLLIN}};
  if (poll(both, 2, -1) > 0 && both[1].revents != 0)
    vocl_job_read(job, shows_ready);
}

/* Reports that the job has ended unexpectedly. The messages of MPI would not help the user. */
static void report_death(struct vocl_proxy_job *job)
{
  const bool is_news = job->is_ready && job->status != 0 && !job->death_is_reported;
  job->death_is_reported = job->death_is_reported || is_news;
  if (is_news)
    fprintf(stderr, "cw-vocl: a proxy has died, or its machine cannot be reached: the service has "
                    "ended, and programs have lost its devices\n");
}

int vocl_cli_serve(const struct vocl_job_options *options)
{
  sigset_t before;
  struct vocl_proxy_job job;
  const int signals = block_signals(&before);
  if (signals < 0 || !vocl_job_start(&job, options))
    return 1;
  while (!vocl_job_has_ended(&job)) {
    wait_for_news(&job, signals, true);
    for (int signal = next_signal(signals); signal != 0; signal = next_signal(signals))
      if (signal != SIGCHLD)
        return vocl_job_end(&job);
    if (job.is_unreached)
      break;
  }
  const int status = vocl_job_end(&job);
  report_death(&job);
  return status;
}

/* --- With a program
 * -------------------------------------------------------------------------------- */

/* Finds the library relative to this program's folder, in an installation or in the build
 * folder. */
static bool find_library(char *path, size_t size)
{
  static const char *const places[] = {VOCL_PROXY_LIBRARIES, "."};
  char own[4096] = "";
  if (readlink("/proc/self/exe", own, sizeof own - 1) <= 0)
    return false;
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, size, "%s/%s/libcw-vocl.so", own, places[i]);
    if (access(path, R_OK) == 0)
      return true;
  }
  return false;
}

/* Waits until the job is ready. Returns false if the job has ended, if none of its proxies is on
 * this machine, or if a signal has arrived. */
static bool wait_for_ready(struct vocl_proxy_job *job, int signals, const char *service)
{
  while (!job->is_ready && !vocl_job_has_ended(job)) {
    wait_for_news(job, signals, false);
    for (int signal = next_signal(signals); signal != 0; signal = next_signal(signals))
      if (signal != SIGCHLD)
        return false;
  }
  if (!job->is_ready) {
    fprintf(stderr, "cw-vocl: the proxies did not start; the program was not run\n");
    return false;
  }
  const int socket = vocl_socket_connect(service);
  if (socket < 0)
    fprintf(stderr, "cw-vocl: there is no proxy on this machine (--hosts must name it, too); the "
                    "program was not run\n");
  else
    close(socket);
  return socket >= 0;
}

static pid_t start_program(char **program, const char *library, const char *service,
                           const sigset_t *mask)
{
  fflush(stdout);
  const pid_t child = fork();
  if (child != 0)
    return child;
  if (setenv("OCL_ICD_VENDORS", library, 1) == 0 && setenv("OCL_ICD_FILENAMES", library, 1) == 0 &&
      setenv("CW_VOCL_SERVICE", service, 1) == 0 && sigprocmask(SIG_SETMASK, mask, NULL) == 0)
    execvp(program[0], program);
  fprintf(stderr, "cw-vocl: %s cannot be started: %s\n", program[0], strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

/* Waits for the program. Signals from a terminal reach it directly; signals that only this
 * process receives are passed on. */
static int wait_for_program(pid_t program, struct vocl_proxy_job *job, int signals)
{
  int status = 0;
  while (waitpid(program, &status, WNOHANG) != program) {
    wait_for_news(job, signals, false);
    for (int signal = next_signal(signals); signal != 0; signal = next_signal(signals))
      if (signal == SIGTERM || signal == SIGHUP)
        kill(program, signal);
    if (job->launcher > 0 && vocl_job_has_ended(job))
      report_death(job);
  }
  return vocl_exit_status(status);
}

/* Makes a unique name for the service: it contains the process id, and the time, which
 * distinguishes processes that reuse an id. */
static void name_service(char *name, size_t size)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name, size, "run-%d-%lx%lx", (int)getpid(), (unsigned long)now.tv_sec,
           (unsigned long)now.tv_nsec);
}

int vocl_cli_run(struct vocl_job_options *options, char **program)
{
  char library[4200], name[96];
  sigset_t before;
  struct vocl_proxy_job job;
  int status = 1;
  if (!find_library(library, sizeof library)) {
    fprintf(stderr, "cw-vocl: there is no libcw-vocl.so beside this program\n");
    return 1;
  }
  name_service(name, sizeof name);
  options->service = name;
  const int signals = block_signals(&before);
  if (signals < 0 || !vocl_job_start(&job, options))
    return 1;
  if (wait_for_ready(&job, signals, name)) {
    const pid_t child = start_program(program, library, name, &before);
    if (child > 0)
      status = wait_for_program(child, &job, signals);
    else
      fprintf(stderr, "cw-vocl: no process for the program: %s\n", strerror(errno));
  }
  const bool unexpected = job.is_unreached || vocl_job_has_ended(&job);
  vocl_job_end(&job);
  if (unexpected)
    report_death(&job);
  return status;
}

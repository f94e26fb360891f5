/* Runs commands for cw-info: reproducers of MPI's bugs, and cw-info itself for its report. */
#include "job.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16 };

/* Becomes the shell of the job. */
static void exec_shell(const char *line, const char *const *arguments, int output)
{
  const char *all[MOST_ARGUMENTS + 4] = {"sh", "-c", line};
  for (int i = 0; i < MOST_ARGUMENTS && arguments[i] != NULL; i++)
    all[3 + i] = arguments[i];
  if (setpgid(0, 0) == 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
    execv("/bin/sh", (char *const *)all);
  _exit(127);
}

bool job_start(struct job *job, const char *line, const char *const *arguments)
{
  int ends[2];
  job->length = 0;
  job->text[0] = '\0';
  job->ended = job->late = false;
  if (pipe(ends) != 0)
    return false;
  fflush(stdout);
  job->leader = fork();
  if (job->leader == 0) {
    close(ends[0]);
    exec_shell(line, arguments, ends[1]);
  }
  close(ends[1]);
  job->output = ends[0];
  if (job->leader < 0)
    close(ends[0]);
  return job->leader > 0;
}

/* Waits for up to 100 ms for output of the job, and stores it. Output that does not fit is read and
 * dropped, so that the job does not block. Returns false if there was none. */
static bool read_some(struct job *job)
{
  char rest[1024];
  struct pollfd output = {.fd = job->output, .events = POLLIN};
  const size_t space = sizeof job->text - 1 - job->length;
  if (poll(&output, 1, 100) <= 0)
    return false;
  const ssize_t got = read(job->output, space > 0 ? job->text + job->length : rest,
                           space > 0 ? space : sizeof rest);
  if (got > 0 && space > 0)
    job->length += (size_t)got;
  job->text[job->length] = '\0';
  if (got <= 0)
    poll(NULL, 0, 20); /* the pipe is closed; give the job time to exit */
  return got > 0;
}

static void await_end(struct job *job, double seconds)
{
  const double until = cwi_now() + seconds;
  while (!job->ended && cwi_now() < until) {
    const bool more = read_some(job);
    job->ended = !more && waitpid(job->leader, &job->status, WNOHANG) == job->leader;
  }
}

/* At the time limit ends the job: first by SIGTERM, and five seconds later by SIGKILL. */
void job_await(struct job *job, double limit)
{
  await_end(job, limit);
  job->late = !job->ended;
  static const int signals[] = {SIGTERM, SIGKILL}; /* launchers end their processes on SIGTERM */
  for (int i = 0; i < 2 && !job->ended; i++) {
    kill(-job->leader, signals[i]);
    await_end(job, 5);
  }
  close(job->output);
}

void job_explain(const struct job *job, double limit, char *why, size_t size)
{
  if (job->late)
    snprintf(why, size, "it did not end within %g seconds", limit);
  else if (WIFSIGNALED(job->status))
    snprintf(why, size, "it was ended by signal %d (%s)", WTERMSIG(job->status),
             strsignal(WTERMSIG(job->status)));
  else
    snprintf(why, size, "it ended with status %d", WEXITSTATUS(job->status));
}

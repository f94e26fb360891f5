/* Starts the proxies by mpiexec. The job is tied to a pipe, which is the standard input of process
 * 0. When this process ends in any way, the kernel closes its end of the pipe, and the service
 * ends. */
#include "launcher/proxy_job.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 1024, TIMEOUT_SECONDS = 15, LAST_WORDS_MILLISECONDS = 200 };

/* A command line. */
struct words {
  char *word[MOST_WORDS];
  size_t count;
};

static void add(struct words *words, const char *word)
{
  if (words->count < MOST_WORDS - 1)
    words->word[words->count++] = strdup(word);
}

static void add_each(struct words *words, const char *text)
{
  char *copy = strdup(text), *rest = NULL;
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
    add(words, word);
  free(copy);
}

static void words_free(struct words *words)
{
  for (size_t i = 0; i < words->count; i++)
    free(words->word[i]);
}

static void add_number_of_hosts(struct words *words, const char *hosts)
{
  char number[32];
  unsigned count = 1;
  for (const char *comma = hosts != NULL ? strchr(hosts, ',') : NULL; comma != NULL;
       comma = strchr(comma + 1, ','))
    count++;
  snprintf(number, sizeof number, "%u", count);
  add(words, number);
}

/* Adds the options by which the launcher passes on environment variables: Causeway's, and those of
 * vendors' libraries. Some launchers pass on only the variables that are named. */
static void add_variables(struct words *words)
{
  static const char *const beginnings[] = {"CW_", "POCL_", "OCL_", "HWLOC_COMPONENTS",
                                           "LD_LIBRARY"};
  for (char **variable = environ; VOCL_PROXY_PASS[0] != '\0' && *variable != NULL; variable++)
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
      if (strncmp(*variable, beginnings[i], strlen(beginnings[i])) == 0) {
        char *name = strndup(*variable, strcspn(*variable, "="));
        add(words, VOCL_PROXY_PASS);
        add(words, name);
        free(name);
      }
}

static void make_command(struct words *words, const struct vocl_job_options *options)
{
  char own[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  add_each(words, options->launcher != NULL ? options->launcher : VOCL_PROXY_LAUNCHER);
  if (options->hosts != NULL) {
    add(words, VOCL_PROXY_HOSTS);
    add(words, options->hosts);
    add_variables(words);
  }
  add(words, "-n");
  if (options->processes != NULL)
    add(words, options->processes);
  else
    add_number_of_hosts(words, options->hosts);
  add(words, length > 0 ? own : "cw-vocl");
  add(words, "proxy");
  add(words, "--name");
  add(words, options->service);
}

/* Executes the launcher in the child process, in a process group of its own. Signals from the
 * terminal then do not reach the job, which ends when its input is closed. */
static void become_launcher(const struct words *words, int input, int output)
{
  sigset_t none;
  sigemptyset(&none);
  setenv("HWLOC_COMPONENTS", "-opencl", 0);
  if (setpgid(0, 0) == 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
      sigprocmask(SIG_SETMASK, &none, NULL) == 0)
    execvp(words->word[0], words->word);
  fprintf(stderr, "cw-vocl: %s cannot be started: %s\n", words->word[0], strerror(errno));
  _exit(127);
}

/* Checks the environment variables that MPI requires before it lets root start anything. */
static bool launcher_permits(void)
{
  char names[] = VOCL_PROXY_ROOT;
  char *rest = NULL;
  if (geteuid() != 0)
    return true;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
    if (getenv(name) == NULL) {
      fprintf(stderr,
              "cw-vocl: this MPI's mpiexec runs as root only if " VOCL_PROXY_ROOT
              " are in the environment with value 1; %s is not\n",
              name);
      return false;
    }
  return true;
}

bool vocl_job_start(struct vocl_proxy_job *job, const struct vocl_job_options *options)
{
  int input[2], output[2];
  struct words words = {.count = 0};
  *job = (struct vocl_proxy_job){.life = -1, .output = -1};
  if (!launcher_permits())
    return false;
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
    fprintf(stderr, "cw-vocl: there is no pipe for the proxies: %s\n", strerror(errno));
    return false;
  }
  make_command(&words, options);
  job->life = input[1];
  job->output = output[0];
  job->launcher = fork();
  if (job->launcher == 0)
    become_launcher(&words, input[0], output[1]);
  words_free(&words);
  close(input[0]);
  close(output[1]);
  if (job->launcher < 0)
    fprintf(stderr, "cw-vocl: no process for mpiexec: %s\n", strerror(errno));
  return job->launcher > 0;
}

/* --- Output of the job
 * ----------------------------------------------------------------------------- */

static void pass_on(const char *text, size_t length)
{
  fwrite(text, 1, length, stdout);
  fflush(stdout);
}

/* Prints complete lines and searches them for the line that reports that the job is ready. After
 * that line, prints all output as it comes. */
static void read_lines(struct vocl_proxy_job *job, bool shows_ready)
{
  char *line = job->line;
  size_t left = job->length;
  while (left > 0 && !job->is_ready) {
    const char *end = memchr(line, '\n', left);
    if (end == NULL && left < sizeof job->line)
      break;
    const size_t length = end != NULL ? (size_t)(end - line) + 1 : left;
    job->is_ready = strncmp(line, VOCL_PROXY_READY, strlen(VOCL_PROXY_READY)) == 0;
    if (!job->is_ready || shows_ready)
      pass_on(line, length);
    line += length;
    left -= length;
  }
  if (job->is_ready)
    pass_on(line, left);
  else
    memmove(job->line, line, left);
  job->length = job->is_ready ? 0 : left;
}

/* Sets is_unreached if a line begins with VOCL_PROXY_UNREACHED. The line may arrive in several
 * pieces. */
static void find_unreached(struct vocl_proxy_job *job, const char *now, size_t bytes)
{
  static const char words[] = VOCL_PROXY_UNREACHED;
  for (size_t i = 0; i < bytes; i++) {
    if (now[i] == '\n')
      job->matched = 0;
    else if (job->matched >= 0)
      job->matched = now[i] == words[job->matched] ? job->matched + 1 : -1;
    if (job->matched == (int)sizeof words - 1) {
      job->is_unreached = true;
      job->matched = -1;
    }
  }
}

void vocl_job_read(struct vocl_proxy_job *job, bool shows_ready)
{
  const ssize_t got =
      job->output >= 0 ? read(job->output, job->line + job->length, sizeof job->line - job->length)
                       : 0;
  if (got > 0) {
    find_unreached(job, job->line + job->length, (size_t)got);
    job->length += (size_t)got;
    read_lines(job, shows_ready);
  } else if (job->output >= 0 && (got == 0 || errno != EINTR)) {
    pass_on(job->line, job->length);
    job->length = 0;
    close(job->output);
    job->output = -1;
  }
}

/* --- End of the job
 * -------------------------------------------------------------------------------- */

bool vocl_job_has_ended(struct vocl_proxy_job *job)
{
  if (job->launcher > 0 && waitpid(job->launcher, &job->status, WNOHANG) == job->launcher)
    job->launcher = 0;
  return job->launcher <= 0;
}

int vocl_exit_status(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool wait_for_end(struct vocl_proxy_job *job)
{
  const double until = cwi_now() + TIMEOUT_SECONDS;
  while (!vocl_job_has_ended(job) && cwi_now() < until) {
    struct pollfd output = {.fd = job->output, .events = POLLIN};
    if (poll(&output, 1, 10) > 0)
      vocl_job_read(job, false);
  }
  return job->launcher == 0;
}

int vocl_job_end(struct vocl_proxy_job *job)
{
  static const int signals[] = {SIGTERM, SIGKILL};
  if (job->life >= 0)
    close(job->life);
  job->life = -1;
  for (int i = 0; !wait_for_end(job) && i < 2; i++)
    kill(-job->launcher, signals[i]);
  /* A process that is left behind may keep the pipe open, so do not wait for the end of file. */
  struct pollfd output = {.fd = job->output, .events = POLLIN};
  while (job->output >= 0 && poll(&output, 1, LAST_WORDS_MILLISECONDS) > 0)
    vocl_job_read(job, false);
  return vocl_exit_status(job->status);
}

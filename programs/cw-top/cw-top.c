/* cw-top: shows a job that runs on this node, live or as one screen. It is not an MPI program: run
 * it without mpiexec, on the same machine as the job. */
#include "cw-top.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "Usage: cw-top [PID|JOB] [--once] [--interval SECONDS] [--process N]\n"
    "Show a job of Causeway that runs on this node: in which call each process waits, since when\n"
    "and for which other one; memory, servers, processors; with CW_PROFILE also operations and\n"
    "bytes a second by process, class, target and object. It only reads the memory of the job and\n"
    "does not slow it down.\n"
    "\n"
    "  PID           a process of the job, or its launcher (mpiexec)\n"
    "  JOB           a job of the list: PID, or PID@MACHINE if its process 0 is on another "
    "machine.\n"
    "                Without PID and JOB: the only job of this user on this node, or one of a "
    "list\n"
    "  --once        print one screen and end\n"
    "  --interval S  seconds between two screens, at least 0.05; default 1\n"
    "  --process N   print the classes, targets and objects of process N\n"
    "  --version     print the version\n"
    "  --help        print this text\n"
    "\n"
    "Keys of the live view:\n"
    "  up, down      choose a process and show its classes, targets and objects; a: of all "
    "processes\n"
    "  < >           order of the processes: by number, cpu, rss, ops, bytes, waits (n c m o b w)\n"
    "  + -           shorter, longer intervals; space: update now; p: pause\n"
    "  j             the list of jobs: up, down and enter choose one\n"
    "  page up/down  scroll;  h: help;  q: quit\n"
    "\n"
    "Exit status: 0 shown (in the live view: until the job ended); 1 the job has ended; 2 wrong\n"
    "options, or no job.\n";

struct options {
  const char *job, *interval, *process;
  bool once, help, version;
};

static int read_options(int count, char **arguments, struct options *options)
{
  static const struct option names[] = {
      {"once", no_argument, NULL, 'o'},          {"interval", required_argument, NULL, 'i'},
      {"process", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'v'},       {NULL, 0, NULL, 0}};
  static char name[] = "cw-top";
  int option = 0;
  arguments[0] = name; /* getopt begins its messages with this name */
  while ((option = getopt_long(count, arguments, "", names, NULL)) != -1)
    if (option == 'o')
      options->once = true;
    else if (option == 'i')
      options->interval = optarg;
    else if (option == 'p')
      options->process = optarg;
    else if (option == 'h')
      options->help = true;
    else if (option == 'v')
      options->version = true;
    else
      return TOP_MISUSE; /* getopt has printed the error */
  if (count - optind > 1)
    return top_misuse("more than one job is named; try cw-top --help");
  options->job = count > optind ? arguments[optind] : NULL;
  return TOP_DONE;
}

static int read_interval(const char *text, double *interval)
{
  static const double LEAST = 0.05, MOST = 3600;
  char *end = NULL;
  *interval = 1;
  if (text == NULL)
    return TOP_DONE;
  *interval = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(*interval) || *interval < LEAST || *interval > MOST)
    return top_misuse("--interval is '%s'; it may be %g to %g seconds", text, LEAST, MOST);
  return TOP_DONE;
}

/* Returns the whole number that `text` has, from 0 to 999999999, or -1 if it has none. */
static int whole_number(const char *text)
{
  enum { DIGITS = 9 };
  const size_t length = strspn(text, "0123456789");
  return length > 0 && length <= DIGITS && text[length] == '\0' ? (int)strtol(text, NULL, 10) : -1;
}

static int read_process(const char *text, int *process)
{
  *process = text != NULL ? whole_number(text) : -1;
  return text == NULL || *process >= 0
             ? TOP_DONE
             : top_misuse("--process is '%s'; it may be a whole number, 0 or greater", text);
}

/* --- Choosing the job ------------------------------------------------------------------------- */

static int print_page(struct top_page *page)
{
  const struct top_line *lines = page->lines.rows;
  for (size_t i = 0; i < page->lines.count; i++)
    printf("%s\n", lines[i].text);
  top_page_free(page);
  return fflush(stdout) == 0 ? TOP_DONE
                             : top_failed("cannot write to standard output: %s", strerror(errno));
}

/* Lines are cut off at the edge of a terminal. Output to anything else is not cut off. */
static size_t output_width(void)
{
  struct winsize size;
  const bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : SIZE_MAX;
}

static int list_jobs(const struct top_list *jobs)
{
  struct top_page page = {.width = output_width()};
  top_show_jobs(jobs, &page);
  return print_page(&page);
}

/* Chooses the only job and sets *found. If there are several, the live view lets its user choose
 * one; else the list is printed and *found is false. */
static int choose_of(const struct top_list *jobs, struct top_view *view, bool *found)
{
  const struct top_choice *rows = jobs->rows;
  view->choosing = jobs->count > 1;
  *found = !view->choosing || view->is_live;
  if (*found)
    view->job = rows[0].job;
  return *found ? TOP_DONE : list_jobs(jobs);
}

static int reject_pid(int pid, enum top_sight sight)
{
  const long user = top_kernel_user(pid);
  if (sight == TOP_NO_PROCESS || user < 0)
    return top_misuse("there is no process and no job %d on this machine", pid);
  if (sight == TOP_FORBIDDEN && user != (long)geteuid())
    return top_misuse("process %d belongs to another user, or permits no access: cw-top shows jobs "
                      "of its own user",
                      pid);
  if (sight == TOP_FORBIDDEN)
    return top_misuse("process %d permits no access", pid);
  if (sight == TOP_OTHER_VERSION)
    return top_misuse("process %d runs another version of Causeway, which cw-top %s cannot read: "
                      "use the cw-top of that version",
                      pid, CW_VERSION);
  if (sight == TOP_OLD)
    return top_misuse("process %d runs Causeway, but shows nothing: it has just started, or is "
                      "ending, or its Causeway is older than cw-top",
                      pid);
  return top_misuse("process %d does not use Causeway, and has started no process that does", pid);
}

/* Chooses the job of process `pid`. If `pid` is not a process of a job but, for example, a
 * launcher, chooses among the jobs whose processes it has started. */
static int choose_by_pid(int pid, struct top_view *view, bool *found)
{
  struct cwi_status status_page;
  int file = -1;
  const enum top_sight sight = top_read_process(pid, &file, &status_page);
  if (sight == TOP_SHOWN) {
    view->job.number = status_page.job;
    memcpy(view->job.machine, status_page.job_machine, sizeof view->job.machine);
    *found = true;
    return TOP_DONE;
  }
  struct top_list jobs = top_jobs(pid);
  view->below = jobs.count > 0 ? pid : 0;
  const int status = jobs.count > 0 ? choose_of(&jobs, view, found) : reject_pid(pid, sight);
  free(jobs.rows);
  return status;
}

/* Finds the job called `text`, such as "4711@machine". */
static bool choose_by_name(const char *text, struct top_job *job)
{
  struct top_list jobs = top_jobs(0);
  const struct top_choice *rows = jobs.rows;
  bool found = false;
  for (size_t i = 0; i < jobs.count && !found; i++) {
    char name[64];
    snprintf(name, sizeof name, "%lld@%s", (long long)rows[i].job.number, rows[i].job.machine);
    found = strcmp(name, text) == 0;
    *job = rows[i].job;
  }
  free(jobs.rows);
  return found;
}

static int choose_job(const char *text, struct top_view *view, bool *found)
{
  *found = false;
  if (text == NULL) {
    struct top_list jobs = top_jobs(0);
    const int status = jobs.count > 0
                           ? choose_of(&jobs, view, found)
                           : top_failed("no job of Causeway of this user runs on this machine");
    free(jobs.rows);
    return status;
  }
  const int pid = whole_number(text);
  if (pid > 0)
    return choose_by_pid(pid, view, found);
  *found = choose_by_name(text, &view->job);
  return *found ? TOP_DONE
                : top_misuse("'%s' is neither a PID nor a job of this user on this machine", text);
}

/* --- One screen ------------------------------------------------------------------------------- */

static bool has_process(const struct top_sample *sample, int process)
{
  const struct top_process *rows = sample->processes.rows;
  for (size_t i = 0; i < sample->processes.count; i++)
    if (rows[i].status_page.process == process)
      return true;
  return false;
}

static void sleep_for(double seconds)
{
  struct timespec left = {.tv_sec = (time_t)seconds,
                          .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
}

static int show_once(const struct top_view *view, double interval)
{
  struct top_sample before, now;
  struct top_page page = {.width = output_width()};
  int status = TOP_DONE;
  top_sample_take(&view->job, NULL, &before);
  sleep_for(interval);
  top_sample_take(&view->job, &before, &now);
  if (now.processes.count == 0) {
    status = top_failed("the job has ended");
  } else if (view->chosen >= 0 && !has_process(&now, view->chosen)) {
    status = top_misuse("process %d is not on this machine", view->chosen);
  } else {
    top_show(view, &before, &now, &page);
    status = print_page(&page);
  }
  top_sample_free(&before);
  top_sample_free(&now);
  return status;
}

int main(int argc, char **argv)
{
  struct options options = {.job = NULL};
  struct top_view view = {.order = TOP_BY_NUMBER};
  double interval = 1;
  bool found = false;
  int status = read_options(argc, argv, &options);
  if (status == TOP_DONE && (options.help || options.version)) {
    printf("%s%s", options.help ? usage : "Causeway ", options.help ? "" : CW_VERSION "\n");
    return fflush(stdout) == 0 ? TOP_DONE : TOP_FAILED;
  }
  if (status == TOP_DONE)
    status = read_interval(options.interval, &interval);
  if (status == TOP_DONE)
    status = read_process(options.process, &view.chosen);
  view.is_live =
      top_has_live && !options.once && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (status == TOP_DONE)
    status = choose_job(options.job, &view, &found);
  if (!found)
    return status;
  return options.once ? show_once(&view, interval) : top_live(&view, interval);
}

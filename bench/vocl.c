/* Virtual OpenCL beside the vendor's: what calls cost, and what programs take. A side is an
 * environment, and its processes run in it: the vendor's library alone, ours over it, ours through
 * a proxy.
 *
 *   vocl calls ROUNDS NAME 'VARIABLE=value ...' [NAME 'VARIABLE=value ...']...
 *   vocl program ROUNDS LABEL 'COMMAND ...' NAME 'VARIABLE=value ...' [...]
 *   vocl heads                     the first lines of the table of programs
 *
 * The first side is what the others are compared with. Sides take turns; medians. */
#include "vocl.h"

#include "samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIDES = 4, MOST_ROUNDS = 999, MOST_WORDS = 64 };

/* More nanoseconds a call than natively, and times as long, where bytes move or a program runs. */
static const double most_more = 30, most_times = 1.02;
static const double turn_seconds = 1e-3;

struct side {
  const char *name, *environment;
  pid_t worker;
  int questions, answers; /* pipes to it and from it */
};

static struct side sides[MOST_SIDES];
static int side_count;
static double samples[MOST_SIDES][MOST_ROUNDS], processors[MOST_SIDES][MOST_ROUNDS];

static _Noreturn void give_up(const char *what)
{
  perror(what);
  exit(1);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Words of a text, which is cut up for that; NULL after the last. */
static void split(char *text, char *words[MOST_WORDS])
{
  int count = 0;
  for (char *word = strtok(text, " "); word != NULL && count < MOST_WORDS - 1;
       word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
}

/* In a process of the side's. */
static void enter(const struct side *side)
{
  char *words[MOST_WORDS];
  split(strdup(side->environment), words);
  for (int i = 0; words[i] != NULL; i++)
    putenv(words[i]);
}

/* --- Calls: a worker of each side measures when it is asked ------------------------------------
 */

struct question {
  size_t which, times;
};

static int work(void)
{
  struct question question;
  calls_begin();
  while (read(STDIN_FILENO, &question, sizeof question) == sizeof question) {
    const struct call_case *one = &call_cases[question.which];
    const double begin = now();
    one->loop(question.times, one->bytes);
    const double took = now() - begin;
    if (write(STDOUT_FILENO, &took, sizeof took) != sizeof took)
      return 1;
  }
  return 0;
}

static void worker_start(struct side *side)
{
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    give_up("pipe");
  side->worker = fork();
  if (side->worker < 0)
    give_up("fork");
  if (side->worker == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    enter(side);
    execl("/proc/self/exe", "vocl", "work", (char *)NULL);
    give_up("exec");
  }
  close(in[0]);
  close(out[1]);
  side->questions = in[1];
  side->answers = out[0];
}

static double worker_ask(const struct side *side, size_t which, size_t times)
{
  const struct question question = {which, times};
  double took = 0;
  if (write(side->questions, &question, sizeof question) != sizeof question ||
      read(side->answers, &took, sizeof took) != sizeof took)
    give_up(side->name);
  return took;
}

static void worker_end(const struct side *side)
{
  int status = 0;
  close(side->questions);
  if (waitpid(side->worker, &status, 0) != side->worker || status != 0)
    give_up(side->name);
}

/* Repetitions that fill a turn of the first side. */
static size_t calibrate(size_t which)
{
  for (size_t times = 1;; times *= 4) {
    const size_t enough = enough_times(times, worker_ask(&sides[0], which, times), turn_seconds);
    if (enough > 0)
      return enough;
  }
}

static void measure_case(size_t which, int rounds, double medians[MOST_SIDES])
{
  const size_t times = calibrate(which);
  for (int round = -1; round < rounds; round++) /* the first one does not count */
    for (int i = 0; i < side_count; i++)
      samples[i][round > 0 ? round : 0] = worker_ask(&sides[i], which, times) / (double)times;
  for (int i = 0; i < side_count; i++)
    medians[i] = median_of(samples[i], (size_t)rounds);
}

static void print_case(const struct call_case *one, const double medians[MOST_SIDES])
{
  printf("| %-33s | %5u | %8zu | %9.3f |", one->name, one->calls, one->bytes, 1e6 * medians[0]);
  for (int i = 1; i < side_count; i++) {
    const double ratio = medians[i] / medians[0];
    const double more = 1e9 * (medians[i] - medians[0]) / one->calls;
    printf(" %9.3f | %5.2f | %8.0f |", 1e6 * medians[i], ratio, more);
    if (i == 1) /* what is small enough is told by nanoseconds, what is not, by the ratio */
      printf(" %5s |", more <= most_more || ratio <= most_times ? "ok" : "UNDER");
  }
  printf("\n");
  fflush(stdout);
}

static void measure_calls(int rounds)
{
  double medians[MOST_SIDES];
  for (int i = 0; i < side_count; i++)
    worker_start(&sides[i]);
  printf("| %-33s | %5s | %8s | %s, µs |", "calls", "calls", "bytes", sides[0].name);
  for (int i = 1; i < side_count; i++)
    printf(" %s, µs | ratio | more a call, ns |%s", sides[i].name, i == 1 ? " |" : "");
  printf("\n|---|--:|--:|--:|");
  for (int i = 1; i < side_count; i++)
    printf("--:|--:|--:|%s", i == 1 ? "---|" : "");
  printf("\n");
  for (size_t which = 0; which < call_case_count; which++) {
    measure_case(which, rounds, medians);
    print_case(&call_cases[which], medians);
  }
  for (int i = 0; i < side_count; i++)
    worker_end(&sides[i]);
}

/* --- Programs ----------------------------------------------------------------------------------
 */

static double of(struct timeval time)
{
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Run it once; its output goes nowhere. Returns its seconds. */
static double run(const struct side *side, const char *command, double *processor)
{
  const double begin = now();
  const pid_t child = fork();
  if (child < 0)
    give_up("fork");
  if (child == 0) {
    char *words[MOST_WORDS];
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    enter(side);
    split(strdup(command), words);
    execv(words[0], words);
    _exit(127);
  }
  struct rusage used;
  int status = 0;
  if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "vocl: %s fails on the side %s\n", command, side->name);
    exit(1);
  }
  *processor = of(used.ru_utime) + of(used.ru_stime);
  return now() - begin;
}

static void print_program_heads(void)
{
  printf("| program | runs | side | s | ratio | CPU, s | ratio | |\n");
  printf("|---|--:|---|--:|--:|--:|--:|---|\n");
}

static void measure_program(int rounds, const char *label, const char *command)
{
  for (int round = -1; round < rounds; round++)
    for (int i = 0; i < side_count; i++) {
      const int at = round > 0 ? round : 0;
      samples[i][at] = run(&sides[i], command, &processors[i][at]);
    }
  double first = 0, first_processor = 0;
  for (int i = 0; i < side_count; i++) {
    const double took = median_of(samples[i], (size_t)rounds);
    const double processor = median_of(processors[i], (size_t)rounds);
    if (i == 0) {
      first = took;
      first_processor = processor;
    }
    printf("| %-8s | %4d | %-8s | %7.3f | %5.3f | %7.3f | %5.3f | %5s |\n", label, rounds,
           sides[i].name, took, took / first, processor, processor / first_processor,
           i != 1                                                                    ? ""
           : took <= most_times * first || processor <= most_times * first_processor ? "ok"
                                                                                     : "UNDER");
  }
  fflush(stdout);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "work") == 0)
    return work();
  if (strcmp(mode, "heads") == 0) {
    print_program_heads();
    return 0;
  }
  const bool calls = strcmp(mode, "calls") == 0;
  const int rounds = argc > 2 ? atoi(argv[2]) : 0, first = calls ? 3 : 5;
  for (int i = first; i + 1 < argc && side_count < MOST_SIDES; i += 2)
    sides[side_count++] = (struct side){argv[i], argv[i + 1], 0, -1, -1};
  if (rounds < 1 || rounds > MOST_ROUNDS || side_count == 0) {
    fprintf(stderr, "usage: vocl calls|program ROUNDS ...: see the beginning of bench/vocl.c\n");
    return 2;
  }
  calls ? measure_calls(rounds) : measure_program(rounds, argv[3], argv[4]);
  return 0;
}

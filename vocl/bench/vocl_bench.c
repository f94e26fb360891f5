/* Virtual OpenCL beside the vendor's: what calls cost, and what programs take. A side is an
 * environment, and its processes run in it: the vendor's library alone, ours over it, ours through
 * a proxy.
 *
 *   vocl calls ROUNDS NAME 'VARIABLE=value ...' [NAME 'VARIABLE=value ...']...
 *   vocl program ROUNDS LABEL 'COMMAND ...' NAME 'VARIABLE=value ...' [...]
 *   vocl heads                     the first lines of the table of programs
 *   vocl proxies ROUNDS LIMITS native '...' here '...' far '...'   calls
 *   vocl bytes ROUNDS LIMITS native '...' here '...' far '...'     transfers by size
 *   vocl hold BYTES                a program that is moved: calls_hold in vocl_bench.h
 *   vocl busy LAUNCHES             another one: calls_busy
 *
 * `proxies` and `bytes` measure through a proxy of this node (here) and through one of another node
 * (far), compared with what the paths there cost alone, which vocl/bench/vocl_limit.c has written
 * into the file LIMITS. The first side is what the others are compared with. Sides take turns;
 * medians. */
#include "vocl_bench.h"

#include "../../bench/samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIDES = 4, MOST_ROUNDS = 999, MOST_WORDS = 64 };

/* Limits: additional nanoseconds of a call, and the ratio to the native time where bytes move or a
 * program runs. */
static const double most_more = 30, most_times = 1.02;
static const double round_seconds = 1e-3;

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

/* Splits `text` into its words, which it separates with null bytes. Stores NULL after the last one.
 */
static void split(char *text, char *words[MOST_WORDS])
{
  int count = 0;
  for (char *word = strtok(text, " "); word != NULL && count < MOST_WORDS - 1;
       word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
}

/* Sets the environment of the side. Called in its process. */
static void enter(const struct side *side)
{
  char *words[MOST_WORDS];
  split(strdup(side->environment), words);
  for (int i = 0; words[i] != NULL; i++)
    putenv(words[i]);
}

/* --- Calls: a worker of each side measures on request ------------------------------------
 */

struct question {
  size_t which, times; /* which: a case; MOVES_FROM and more: a transfer */
};

enum { MOVES_FROM = 1000, SHORTEST_MOVE = 1 << 10, MOVE_SIZES = 10, ROUND_BYTES = 16 << 20 };

/* Returns the bytes of a transfer. The numbers count writes, then reads, each of 1 KiB, 4 KiB, ...
 * 256 MiB. */
static size_t move_bytes(size_t number)
{
  return (size_t)SHORTEST_MOVE << 2 * (number % MOVE_SIZES);
}

static void work_once(const struct question *question)
{
  if (question->which < MOVES_FROM) {
    const struct call_case *one = &call_cases[question->which];
    one->loop(question->times, one->bytes);
    return;
  }
  const size_t number = question->which - MOVES_FROM;
  calls_move(number >= MOVE_SIZES, question->times, move_bytes(number));
}

static int work(void)
{
  struct question question;
  calls_begin();
  while (read(STDIN_FILENO, &question, sizeof question) == sizeof question) {
    const double begin = now();
    work_once(&question);
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

static double worker_query(const struct side *side, size_t which, size_t times)
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

/* Returns the number of repetitions that fill a turn of the first side. */
static size_t calibrate(size_t which)
{
  for (size_t times = 1;; times *= 4) {
    const size_t enough = enough_times(times, worker_query(&sides[0], which, times), round_seconds);
    if (enough > 0)
      return enough;
  }
}

static void measure_rounds(size_t which, size_t times, int rounds, double medians[MOST_SIDES])
{
  for (int round = -1; round < rounds; round++) /* the first one does not count */
    for (int i = 0; i < side_count; i++)
      samples[i][round > 0 ? round : 0] = worker_query(&sides[i], which, times) / (double)times;
  for (int i = 0; i < side_count; i++)
    medians[i] = median_of(samples[i], (size_t)rounds);
}

static void measure_case(size_t which, int rounds, double medians[MOST_SIDES])
{
  measure_rounds(which, calibrate(which), rounds, medians);
}

static void print_case(const struct call_case *one, const double medians[MOST_SIDES])
{
  printf("| %-33s | %5u | %8zu | %9.3f |", one->name, one->calls, one->bytes, 1e6 * medians[0]);
  for (int i = 1; i < side_count; i++) {
    const double ratio = medians[i] / medians[0];
    const double more = 1e9 * (medians[i] - medians[0]) / one->calls;
    printf(" %9.3f | %5.2f | %8.0f |", 1e6 * medians[i], ratio, more);
    if (i == 1) /* short calls are judged by nanoseconds, others by the ratio */
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

/* --- Through proxies ---------------------------------------------------------------------------
 */

enum { NATIVE, HERE, REMOTE, PROXY_SIDES };

/* Upper bounds: of a waiting call's time divided by its limit, of another call's nanoseconds; lower
 * bounds of the rates of long writes and reads, divided by their limits. */
static const double most_waits = 1.5, most_others = 200, least_written = 0.85, least_read = 0.9;
static const size_t many_bytes = 1 << 20;

static const char *limits_file;

/* Returns the seconds that the file of limits has for `name`. */
static double limit_of(const char *name)
{
  char line[128];
  double seconds = 0;
  const size_t length = strlen(name);
  FILE *file = fopen(limits_file, "re");
  if (file == NULL)
    give_up(limits_file);
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, length) == 0 && line[length] == ' ')
      seconds = atof(line + length);
  fclose(file);
  if (seconds <= 0) {
    fprintf(stderr, "vocl: %s has no %s\n", limits_file, name);
    exit(1);
  }
  return seconds;
}

/* Returns the least time of a transfer: that of MPI's stream or of the vendor, whichever is slower.
 */
static double move_limit(size_t bytes, double native)
{
  char name[32];
  snprintf(name, sizeof name, "stream %zu", bytes);
  const double stream = limit_of(name);
  return stream > native ? stream : native;
}

/* Returns the least time of a call: the vendor's time, and the way of each of its waits. */
static double call_limit(const struct call_case *one, int side, double native)
{
  if (one->bytes >= many_bytes)
    return side == REMOTE ? move_limit(one->bytes, native) : native;
  return native + one->waits * (limit_of("futex") + (side == REMOTE ? limit_of("ping-pong") : 0));
}

static const char *call_verdict(const struct call_case *one, double took, double limit)
{
  const double least = one->waits > 0 ? least_read : least_written;
  const bool is_ok = one->bytes >= many_bytes ? limit >= least * took
                     : one->waits > 0         ? took <= most_waits * limit
                                              : took * 1e9 / one->calls <= most_others;
  return is_ok ? "ok" : "UNDER";
}

static void measure_proxies(int rounds)
{
  double medians[MOST_SIDES];
  printf("| calls | calls | waits | bytes | native, µs | this node, µs | limit, µs | ratio | "
         "| another node, µs | limit, µs | ratio | |\n");
  printf("|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|---|\n");
  for (size_t which = 0; which < call_case_count; which++) {
    const struct call_case *one = &call_cases[which];
    measure_case(which, rounds, medians);
    printf("| %-33s | %2u | %u | %8zu | %9.3f |", one->name, one->calls, one->waits, one->bytes,
           1e6 * medians[NATIVE]);
    for (int side = HERE; side <= REMOTE; side++) {
      const double limit = call_limit(one, side, medians[NATIVE]);
      printf(" %9.3f | %9.3f | %5.2f | %5s |", 1e6 * medians[side], 1e6 * limit,
             medians[side] / limit, call_verdict(one, medians[side], limit));
    }
    printf("\n");
    fflush(stdout);
  }
}

/* Prints a table of GB/s, which bench/plot.gp draws. */
static void measure_bytes(int rounds)
{
  double medians[MOST_SIDES];
  printf("| transfer | bytes | native, GB/s | this node | ratio | another node | MPI's stream | "
         "ratio to the slower one |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (size_t number = 0; number < (size_t)2 * MOVE_SIZES; number++) {
    const size_t bytes = move_bytes(number);
    const size_t times = bytes < ROUND_BYTES ? ROUND_BYTES / bytes : 1;
    char name[32];
    snprintf(name, sizeof name, "stream %zu", bytes);
    measure_rounds(MOVES_FROM + number, times < 256 ? times : 256, rounds, medians);
    const double size = (double)bytes * 1e-9;
    printf("| %-5s | %9zu | %6.3f | %6.3f | %4.2f | %6.3f | %6.3f | %4.2f |\n",
           number < MOVE_SIZES ? "write" : "read", bytes, size / medians[NATIVE],
           size / medians[HERE], medians[NATIVE] / medians[HERE], size / medians[REMOTE],
           size / limit_of(name), move_limit(bytes, medians[NATIVE]) / medians[REMOTE]);
    fflush(stdout);
  }
}

static int measure_through_proxies(const char *mode, int rounds)
{
  if (side_count != PROXY_SIDES) {
    fprintf(stderr, "vocl: sides must be native, here, far\n");
    return 2;
  }
  for (int i = 0; i < side_count; i++)
    worker_start(&sides[i]);
  strcmp(mode, "bytes") == 0 ? measure_bytes(rounds) : measure_proxies(rounds);
  for (int i = 0; i < side_count; i++)
    worker_end(&sides[i]);
  return 0;
}

/* --- Programs ----------------------------------------------------------------------------------
 */

static double of(struct timeval time)
{
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Runs `command` once on `side`, discards its output, and returns the seconds that it took. */
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
  if (argc == 3 && strcmp(mode, "hold") == 0) {
    calls_hold((size_t)atol(argv[2]));
    return 0;
  }
  if (argc == 3 && strcmp(mode, "busy") == 0) {
    calls_busy((size_t)atol(argv[2]));
    return 0;
  }
  const bool calls = strcmp(mode, "calls") == 0;
  const bool proxies = strcmp(mode, "proxies") == 0 || strcmp(mode, "bytes") == 0;
  const int rounds = argc > 2 ? atoi(argv[2]) : 0, first = calls ? 3 : proxies ? 4 : 5;
  for (int i = first; i + 1 < argc && side_count < MOST_SIDES; i += 2)
    sides[side_count++] = (struct side){argv[i], argv[i + 1], 0, -1, -1};
  if (rounds < 1 || rounds > MOST_ROUNDS || side_count == 0) {
    fprintf(stderr,
            "usage: vocl calls|program ROUNDS ...: see the beginning of vocl/bench/vocl_bench.c\n");
    return 2;
  }
  if (proxies) {
    limits_file = argv[3];
    return measure_through_proxies(mode, rounds);
  }
  calls ? measure_calls(rounds) : measure_program(rounds, argv[3], argv[4]);
  return 0;
}

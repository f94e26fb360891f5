/* bench: the limit of the machine, Causeway and Debian's ARMCI-MPI in one run, in turns.
 *
 * Both ARMCI libraries define the same names. Debian's archive is not position independent enough
 * for a shared object, so it is linked into this program; Causeway's goes into a module that binds
 * its names to itself and shows one symbol, and is loaded here. Both start on the same
 * MPI_COMM_WORLD. Process 0 measures against process 1. */
#include "check.h"
#include "report.h"
#include "verify.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "bench [--mode direct|window] [options], on 2 processes\n"
    "  --mode MODE    direct: one node, the limit is loads and stores (default);\n"
    "                 window: two nodes, the limit is MPI's one-sided operations\n"
    "  --label TEXT   name of this run in the CSV file (default: the mode)\n"
    "  --rounds N     turns of each side (default 15)\n"
    "  --block MS     milliseconds of a turn (default 4)\n"
    "  --only TEXT    only operations whose name starts with TEXT\n"
    "  --csv FILE     write medians there\n"
    "  --no-peer      leave ARMCI-MPI out\n";

struct options {
  enum bench_mode mode;
  const char *label, *only, *csv;
  struct bench_plan plan;
  bool peer, help;
};

struct session {
  struct options options;
  struct bench_contestant contestants[BENCH_SIDES];
  int me;
  FILE *csv;
};

static struct bench_side limit; /* with Causeway's own barriers as the limit of create-free */
static bench_loop our_barrier;

static void two_of_our_barriers(const struct bench_work *work, size_t times)
{
  our_barrier(work, 2 * times);
}

static enum bench_mode mode_named(const char *name)
{
  if (strcmp(name, "window") != 0 && strcmp(name, "direct") != 0)
    bench_fail("--mode %s: choose direct or window", name);
  return strcmp(name, "window") == 0 ? BENCH_WINDOW : BENCH_DIRECT;
}

static double positive(const char *option, const char *text, double most)
{
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number > 0 && number <= most))
    bench_fail("--%s %s: give a number above 0 and up to %g", option, text, most);
  return number;
}

static struct options parse(int argc, char **argv)
{
  static const struct option known[] = {{"mode", required_argument, NULL, 'm'},
                                        {"label", required_argument, NULL, 'l'},
                                        {"rounds", required_argument, NULL, 'r'},
                                        {"block", required_argument, NULL, 'b'},
                                        {"only", required_argument, NULL, 'o'},
                                        {"csv", required_argument, NULL, 'c'},
                                        {"no-peer", no_argument, NULL, 'p'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  struct options options = {.only = "", .plan = {.rounds = 15, .seconds = 4e-3}, .peer = true};
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (c == 'm')
      options.mode = mode_named(optarg);
    else if (c == 'l')
      options.label = optarg;
    else if (c == 'r')
      options.plan.rounds = (int)positive("rounds", optarg, BENCH_ROUNDS_MAX);
    else if (c == 'b')
      options.plan.seconds = 1e-3 * positive("block", optarg, 1e6);
    else if (c == 'o')
      options.only = optarg;
    else if (c == 'c')
      options.csv = optarg;
    else if (c == 'p')
      options.peer = false;
    else
      options.help = true;
  }
  if (options.plan.rounds < 1)
    options.plan.rounds = 1;
  if (options.label == NULL)
    options.label = options.mode == BENCH_WINDOW ? "window" : "direct";
  return options;
}

/* Causeway's side, from the module next to this program. */
static const struct bench_side *load_ours(void)
{
  static const char name[] = "bench_ours.so";
  char path[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
  char *slash = length > 0 ? strrchr(path, '/') : NULL;
  if (slash == NULL)
    bench_fail("cannot tell where this program lies");
  memcpy(slash + 1, name, sizeof name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const struct bench_side *side = library != NULL ? dlsym(library, "bench_ours") : NULL;
  if (side == NULL)
    bench_fail("%s", dlerror());
  return side;
}

static void enter(struct bench_contestant *contestant, const struct bench_side *side, int me)
{
  contestant->side = side;
  if (side == NULL)
    return;
  char *slices[2];
  side->start();
  side->allocate(BENCH_LARGEST + BENCH_STRIDE, slices);
  contestant->target = slices[1];
  contestant->mine = slices[me];
}

static void leave(const struct bench_contestant *contestant)
{
  if (contestant->side == NULL)
    return;
  contestant->side->release(contestant->mine);
  contestant->side->stop();
}

static void start_sides(struct session *session)
{
  struct bench_contestant *const contestants = session->contestants;
  const struct bench_side *ours = load_ours();
  const struct bench_side *peer = session->options.peer ? &bench_peer : NULL;
  our_barrier = ours->loops[BENCH_BARRIER];
  limit = session->options.mode == BENCH_WINDOW ? bench_limit_mpi : bench_limit_memory;
  limit.loops[BENCH_CREATE_FREE] = two_of_our_barriers;
  enter(&contestants[BENCH_OURS], ours, session->me);
  enter(&contestants[BENCH_PEER], peer, session->me);
  enter(&contestants[BENCH_LIMIT], &limit, session->me);
  if (session->options.mode == BENCH_DIRECT) { /* the limit works on Causeway's memory */
    contestants[BENCH_LIMIT].target = contestants[BENCH_OURS].target;
    contestants[BENCH_LIMIT].mine = contestants[BENCH_OURS].mine;
  }
}

struct count {
  size_t rows, wrong, demanded, met;
};

static void run_case(const struct session *session, const struct bench_case *one,
                     struct count *count)
{
  struct bench_row row = {.one = one};
  for (int s = 0; s < BENCH_SIDES; s++) {
    const struct bench_contestant *contestant = &session->contestants[s];
    struct bench_work work = one->work;
    work.remote = contestant->target;
    row.present[s] = contestant->side != NULL;
    row.right[s] = contestant->side == NULL ||
                   bench_verify(contestant->side, &work, contestant->mine, one->collective);
  }
  bench_measure(session->contestants, &one->work, one->collective, &session->options.plan,
                row.times);
  count->rows++;
  count->wrong += !row.right[BENCH_LIMIT] || !row.right[BENCH_OURS];
  count->demanded += one->target.measure != BENCH_NONE;
  if (session->me == 0)
    count->met += bench_report(&row, session->options.label, session->csv);
  if (session->me == 0 && !row.right[BENCH_PEER])
    fprintf(stderr, "bench: ARMCI-MPI moves wrong data: %s, %zu bytes\n", one->name,
            bench_bytes(&one->work));
}

static int run(struct session *session)
{
  static struct bench_case cases[BENCH_CASES_MAX];
  const size_t cases_count = bench_cases(session->options.mode, cases);
  double *local = aligned_alloc(64, BENCH_LARGEST);
  if (local == NULL)
    bench_fail("no memory for %d bytes", BENCH_LARGEST);
  memset(local, 0, BENCH_LARGEST);
  struct count all = {0, 0, 0, 0};
  for (size_t i = 0; i < cases_count; i++) {
    if (strncmp(cases[i].name, session->options.only, strlen(session->options.only)) != 0)
      continue;
    cases[i].work.local = local;
    run_case(session, &cases[i], &all);
  }
  if (session->me == 0)
    printf("\n%zu rows, %zu with wrong data; %zu of %zu targets met\n", all.rows, all.wrong,
           all.met, all.demanded);
  free(local);
  return all.wrong == 0 && all.rows > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Where the library's MPI_Init would ask for threads, ask for them; both sides live with it. */
static void start_mpi(int *argc, char ***argv, enum bench_mode mode)
{
  const int level = mode == BENCH_WINDOW ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = 0, processes = 0;
  bench_check(MPI_Init_thread(argc, argv, level, &provided), "MPI_Init_thread");
  bench_check(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  if (processes != 2)
    bench_fail("needs 2 processes, not %d", processes);
}

int main(int argc, char **argv)
{
  struct session session = {.options = parse(argc, argv)};
  if (session.options.help) {
    fputs(usage, stdout);
    return EXIT_SUCCESS;
  }
  start_mpi(&argc, &argv, session.options.mode);
  bench_check(MPI_Comm_rank(MPI_COMM_WORLD, &session.me), "MPI_Comm_rank");
  start_sides(&session);
  if (session.me == 0) {
    session.csv = session.options.csv != NULL ? fopen(session.options.csv, "w") : NULL;
    if (session.options.csv != NULL && session.csv == NULL)
      bench_fail("cannot write %s", session.options.csv);
    bench_report_start(session.csv);
  }
  const int status = run(&session);
  for (int s = 0; s < BENCH_SIDES; s++)
    leave(&session.contestants[s]);
  bench_check(MPI_Finalize(), "MPI_Finalize");
  if (session.csv != NULL && fclose(session.csv) != 0)
    bench_fail("cannot write %s", session.options.csv);
  return status;
}

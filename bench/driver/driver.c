/* bench: measures the limit of the machine, Causeway and Debian's ARMCI-MPI in one run, in turns.
 * Instead of ARMCI-MPI it can measure Causeway of another commit (--peer).
 *
 * Both ARMCI libraries define the same names. Debian's archive is not position independent enough
 * for a shared object, so it is linked into this program. Causeway's library goes into a module
 * that binds its names to itself and exports one symbol; the driver loads the module. Both start on
 * the same MPI_COMM_WORLD. Process 0 measures against process 1.
 *
 * A server thread of Causeway would take processor time from the other sides, and would also answer
 * for ARMCI-MPI while process 1 computes. In the modes with such a thread Causeway therefore starts
 * and stops for each of its turns. */
#include "check.h"
#include "copies.h"
#include "report.h"
#include "verify.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "bench [--mode direct|window|server] [options], on 2 processes\n"
    "  --mode MODE    direct: one node, the limit is loads and stores (default);\n"
    "                 window: two nodes, the limit is MPI's one-sided operations\n"
    "                 server: two nodes, the limit is MPI's messages; of rows, our own\n"
    "                 transfer of the same bytes in one piece\n"
    "  --table copy   instead: copies by size and address difference, against other ways to copy\n"
    "                 (with --mode direct; the fastest turns)\n"
    "  --busy         with server: process 1 computes, the limit is the same side while it waits\n"
    "  --compute MS   with --busy: milliseconds of one computation (default 100)\n"
    "  --label TEXT   name of this run in the CSV file (default: the mode)\n"
    "  --rounds N     turns of each side (default 15)\n"
    "  --block MS     milliseconds of a turn (default 4)\n"
    "  --fastest      the fastest turn of each side counts, not the median: for a first look on a\n"
    "                 machine that others use\n"
    "  --only TEXT    only operations whose name starts with TEXT\n"
    "  --csv FILE     write medians there\n"
    "  --no-peer      leave ARMCI-MPI out\n"
    "  --peer MODULE  instead of ARMCI-MPI: bench_ours.so of another build of Causeway. The\n"
    "                 loader needs GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384 for it\n";

struct options {
  enum bench_mode mode;
  const char *label, *only, *csv, *module;
  struct bench_plan plan;
  bool peer, help, copies;
};

struct session {
  struct options options;
  struct bench_contestant contestants[BENCH_SIDES];
  int me;
  FILE *csv;
};

static struct bench_side limit;     /* with Causeway's own barriers as the limit of create-free */
static struct bench_side one_piece; /* Causeway's contiguous transfers, as the limit of rows */
static const struct bench_side *our_side;

static void two_of_our_barriers(const struct bench_work *work, size_t times)
{
  our_side->loops[BENCH_BARRIER](work, 2 * times);
}

static struct bench_work in_one_piece(const struct bench_work *work)
{
  struct bench_work whole = *work;
  whole.operation = work->operation == BENCH_PUT_ROWS   ? BENCH_PUT
                    : work->operation == BENCH_GET_ROWS ? BENCH_GET
                                                        : BENCH_ACC;
  whole.bytes = bench_bytes(work);
  whole.rows = 1;
  return whole;
}

static void all_in_one_piece(const struct bench_work *work, size_t times)
{
  const struct bench_work whole = in_one_piece(work);
  our_side->loops[whole.operation](&whole, times);
}

static const char *const labels[] = {[BENCH_DIRECT] = "direct",
                                     [BENCH_WINDOW] = "window",
                                     [BENCH_SERVER] = "server",
                                     [BENCH_BUSY] = "server-busy"};

static enum bench_mode mode_named(const char *name)
{
  for (int mode = BENCH_DIRECT; mode <= BENCH_SERVER; mode++)
    if (strcmp(name, labels[mode]) == 0)
      return (enum bench_mode)mode;
  bench_fail("--mode %s: choose direct, window or server", name);
}

static double positive(const char *option, const char *text, double most)
{
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number > 0 && number <= most))
    bench_fail("--%s %s: give a number above 0 and up to %g", option, text, most);
  return number;
}

static bool is_copy(const char *table)
{
  if (strcmp(table, "copy") != 0)
    bench_fail("--table %s: there is copy", table);
  return true;
}

static struct options parse(int argc, char **argv)
{
  static const struct option known[] = {
      {"mode", required_argument, NULL, 'm'},    {"label", required_argument, NULL, 'l'},
      {"rounds", required_argument, NULL, 'r'},  {"block", required_argument, NULL, 'b'},
      {"only", required_argument, NULL, 'o'},    {"csv", required_argument, NULL, 'c'},
      {"no-peer", no_argument, NULL, 'p'},       {"peer", required_argument, NULL, 'P'},
      {"fastest", no_argument, NULL, 'f'},       {"busy", no_argument, NULL, 'B'},
      {"compute", required_argument, NULL, 'C'}, {"table", required_argument, NULL, 't'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  struct options options = {
      .only = "", .plan = {.rounds = 15, .seconds = 4e-3, .compute = 0.1}, .peer = true};
  bool busy = false;
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
    else if (c == 'P')
      options.module = optarg;
    else if (c == 'f')
      options.plan.fastest = true;
    else if (c == 't')
      options.copies = is_copy(optarg);
    else if (c == 'B')
      busy = true;
    else if (c == 'C')
      options.plan.compute = 1e-3 * positive("compute", optarg, 1e6);
    else
      options.help = true;
  }
  if (options.plan.rounds < 1)
    options.plan.rounds = 1;
  if (busy && options.mode != BENCH_SERVER)
    bench_fail("--busy goes with --mode server");
  if (busy)
    options.mode = BENCH_BUSY;
  if (options.copies && options.mode != BENCH_DIRECT)
    bench_fail("--table copy goes with --mode direct");
  options.peer = options.peer && !options.copies;
  if (options.label == NULL)
    options.label = labels[options.mode];
  return options;
}

static const char side_name[] = "bench_ours";

/* Loads a module that contains Causeway's side. */
static void *load(const char *path)
{
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL || dlsym(module, side_name) == NULL)
    bench_fail("%s", dlerror());
  return module;
}

/* Loads Causeway's side from the module next to this program. */
static const struct bench_side *load_ours(void)
{
  static const char name[] = "bench_ours.so";
  char path[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
  char *slash = length > 0 ? strrchr(path, '/') : NULL;
  if (slash == NULL)
    bench_fail("cannot find the folder of this program");
  memcpy(slash + 1, name, sizeof name);
  void *module = load(path);
  *(void **)(void *)&bench_disconnect = dlsym(module, "ucp_disconnect_nb");
  return dlsym(module, side_name);
}

/* Returns NULL if there is no peer. */
static const struct bench_side *load_peer(const struct options *options)
{
  if (options->module != NULL)
    return dlsym(load(options->module), side_name);
  return options->peer ? &bench_peer : NULL;
}

static struct bench_side limit_of_mode(enum bench_mode mode)
{
  return mode == BENCH_DIRECT   ? bench_limit_memory
         : mode == BENCH_WINDOW ? bench_limit_mpi
                                : bench_limit_messages;
}

static void start_sides(struct session *session)
{
  static const int order[] = {BENCH_OURS, BENCH_PEER, BENCH_LIMIT};
  struct bench_contestant *const contestants = session->contestants;
  const enum bench_mode mode = session->options.mode;
  our_side = load_ours();
  limit = limit_of_mode(mode);
  limit.loops[BENCH_CREATE_FREE] = two_of_our_barriers;
  one_piece = *our_side;
  one_piece.does = in_one_piece;
  one_piece.loops[BENCH_PUT_ROWS] = one_piece.loops[BENCH_GET_ROWS] =
      one_piece.loops[BENCH_ACC_ROWS] = all_in_one_piece;
  const bool served = mode == BENCH_SERVER || mode == BENCH_BUSY;
  const enum bench_state state = served ? BENCH_IN_LIBRARY : BENCH_IN_MPI;
  contestants[BENCH_OURS] =
      (struct bench_contestant){.side = our_side, .state = state, .visits = served};
  contestants[BENCH_PEER] =
      (struct bench_contestant){.side = load_peer(&session->options),
                                .state = state,
                                .visits = served && session->options.module != NULL};
  contestants[BENCH_LIMIT] =
      (struct bench_contestant){.side = mode == BENCH_BUSY ? NULL : &limit, .state = BENCH_IN_MPI};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    /* the zone of another build's Causeway needs an address of its own */
    if (order[i] == BENCH_PEER && session->options.module != NULL)
      setenv("CW_ZONE_ADDRESS", "0x300000000000", 1);
    if (contestants[order[i]].side != NULL && !contestants[order[i]].visits)
      bench_enter(&contestants[order[i]]);
  }
  if (mode == BENCH_DIRECT) { /* the limit works on Causeway's memory */
    contestants[BENCH_LIMIT].target = contestants[BENCH_OURS].target;
    contestants[BENCH_LIMIT].mine = contestants[BENCH_OURS].mine;
  }
}

/* Chooses the sides that are measured in this case. */
static void choose(const struct session *session, const struct bench_case *one,
                   struct bench_contestant contestants[BENCH_SIDES])
{
  memcpy(contestants, session->contestants, BENCH_SIDES * sizeof contestants[0]);
  if (session->options.mode == BENCH_BUSY) {
    contestants[BENCH_LIMIT] = contestants[BENCH_OURS];
    contestants[BENCH_OURS].state = contestants[BENCH_PEER].state = BENCH_COMPUTES;
  } else if (session->options.mode == BENCH_SERVER && one->work.rows > 1) {
    contestants[BENCH_LIMIT] = contestants[BENCH_OURS];
    contestants[BENCH_LIMIT].side = &one_piece;
  }
}

struct count {
  size_t rows, wrong, demanded, met;
};

static void run_case(const struct session *session, const struct bench_case *one,
                     struct count *count)
{
  struct bench_row row = {.one = one};
  struct bench_contestant contestants[BENCH_SIDES];
  choose(session, one, contestants);
  for (int s = 0; s < BENCH_SIDES; s++) {
    row.present[s] = contestants[s].side != NULL;
    row.right[s] = !row.present[s] || bench_verify(&contestants[s], &one->work, one->collective);
  }
  bench_measure(contestants, &one->work, one->collective, &session->options.plan, row.times);
  count->rows++;
  count->wrong += !row.right[BENCH_LIMIT] || !row.right[BENCH_OURS];
  if (session->me == 0) {
    const struct bench_verdicts verdicts = bench_report(&row, session->options.label, session->csv);
    count->demanded += verdicts.demanded;
    count->met += verdicts.met;
  }
  if (session->me == 0 && !row.right[BENCH_PEER])
    fprintf(stderr, "bench: the peer moves wrong data: %s, %zu bytes\n", one->name,
            bench_bytes(&one->work));
}

/* Measures copies on process 0 while process 1 waits. */
static void run_copies(const struct session *session)
{
  const struct bench_contestant *ours = &session->contestants[BENCH_OURS];
  const struct bench_plan *plan = &session->options.plan;
  if (session->me == 0) {
    const struct bench_copies sum =
        bench_copies(ours->side, ours->target, 1, plan->rounds, plan->seconds, session->csv);
    printf(
        "\n%zu rows, copy more than 1.1 times the best other way in %zu of them, at worst %.2f\n",
        sum.rows, sum.slow, sum.worst);
  }
  bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

static int run(struct session *session)
{
  if (session->options.copies) {
    run_copies(session);
    return EXIT_SUCCESS;
  }
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
  if (session->me == 0 && session->options.mode == BENCH_BUSY)
    printf("\nwaits: for the target, until it stops computing (%g ms, %ld cores)\n",
           1e3 * session->options.plan.compute, sysconf(_SC_NPROCESSORS_ONLN));
  if (session->me == 0)
    printf("\n%zu rows, %zu with wrong data; %zu of %zu targets met%s\n", all.rows, all.wrong,
           all.met, all.demanded, session->options.plan.fastest ? " (fastest turns)" : "");
  free(local);
  return all.wrong == 0 && all.rows > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Starts MPI with the thread level that the library's own MPI_Init would request. Both sides run
 * with it. */
static void start_mpi(int *argc, char ***argv, enum bench_mode mode)
{
  const int level = mode == BENCH_DIRECT ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
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
    if (!session.options.copies)
      bench_report_start(session.options.mode == BENCH_BUSY ? "idle" : "limit", session.csv);
  }
  const int status = run(&session);
  for (int s = 0; s < BENCH_SIDES; s++)
    if (session.contestants[s].side != NULL && !session.contestants[s].visits)
      bench_leave(&session.contestants[s]);
  bench_check(MPI_Finalize(), "MPI_Finalize");
  if (session.csv != NULL && fclose(session.csv) != 0)
    bench_fail("cannot write %s", session.options.csv);
  return status;
}

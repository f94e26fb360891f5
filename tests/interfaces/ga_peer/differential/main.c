/* The differential test's program: reads the options and performs random operations in rounds.
 *
 * A round begins and ends without arrays, so that --round alone repeats it. */
#include "differ.h"

#include <ga-mpi.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 1 << 20, TABLES = 11, PER_ROUND = 40 };

static const operation *const tables[TABLES] = {
    transfer_operations, element_operations,  local_operations,  whole_operations,
    patch_operations,    diagonal_operations, matrix_operations, scan_operations,
    inquiry_operations,  group_operations,    step_operations};

static struct {
  uint64_t seed;
  long operations, spoil;
  int round;   /* -1 for all */
  int grouped; /* percentage of rounds with groups */
  const char *log, *only, *without;
} options = {1, 1000, 0, -1, 25, "differ.log", NULL, NULL};

/* Returns true if one of the comma-separated words is the family or the operation. */
static bool listed(const char *list, const operation *o)
{
  char copy[512], *rest = NULL;

  snprintf(copy, sizeof copy, "%s", list);
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
    if (strcmp(word, o->family) == 0 || strcmp(word, o->name) == 0)
      return true;
  return false;
}

static bool wanted(const operation *o)
{
  if (run.grouped && o->alone)
    return false;
  if (options.only && !listed(options.only, o))
    return false;
  return !options.without || !listed(options.without, o);
}

static const operation *draw_operation(void)
{
  int sum = 0;

  for (size_t t = 0; t < TABLES; t++)
    for (const operation *o = tables[t]; o->name; o++)
      sum += wanted(o) ? o->weight : 0;
  if (sum == 0)
    return NULL;
  sum = draw(sum);
  for (size_t t = 0; t < TABLES; t++)
    for (const operation *o = tables[t]; o->name; o++) {
      sum -= wanted(o) ? o->weight : 0;
      if (sum < 0)
        return o;
    }
  return NULL;
}

/* In some rounds the processes form groups that work independently. */
static int form_groups(void)
{
  int world = run.processes, parts, size, group = 0;
  int *list = take((size_t)world, sizeof *list);

  parts = 1 + draw_layout(world);
  size = (world + parts - 1) / parts;
  parts = (world + size - 1) / size; /* no group is empty */
  if (chance(50)) {
    group = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), run.rank % parts);
  } else {
    for (int g = 0; g < parts; g++) {
      int count = 0, handle;

      for (int p = 0; p < world; p++)
        if (p % parts == g)
          list[count++] = p;
      handle = GA_Pgroup_create(list, count); /* called by all processes for each group */
      if (run.rank % parts == g)
        group = handle;
    }
  }
  free(list);
  GA_Pgroup_set_default(group);
  MPI_Comm_split(MPI_COMM_WORLD, run.rank % parts, run.rank, &run.comm);
  return group;
}

static void perform_round(int round)
{
  int group = 0;

  draw_from(options.seed, round, 0);
  run.grouped = chance(options.grouped);
  if (run.grouped)
    group = form_groups();
  run.me = GA_Nodeid();
  run.processes = GA_Nnodes();
  for (int i = 1; i <= PER_ROUND && (long)round * PER_ROUND + i <= options.operations; i++) {
    const operation *o;

    draw_from(options.seed, round, i);
    o = draw_operation();
    if (!o)
      break;
    log_begin(round, i, o->name);
    own(" process %d of %d%s", run.me, run.processes, run.grouped ? " in a group" : "");
    o->perform();
    if (run.all)
      arrays_log_all();
    log_end();
    arrays_end_operation();
  }
  log_begin(round, PER_ROUND + 1, "end");
  arrays_end_round();
  GA_Sync();
  if (run.grouped) {
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    log_end();
    MPI_Comm_free(&run.comm);
    run.comm = MPI_COMM_WORLD;
    GA_Sync();
    GA_Pgroup_destroy(group);
  } else {
    log_end();
  }
  run.me = GA_Nodeid();
  run.processes = GA_Nnodes();
  GA_Sync();
}

static _Noreturn void usage(void)
{
  fprintf(stderr,
          "usage: differ [--seed S] [--operations N] [--round R] [--only NAMES] [--without NAMES]\n"
          "              [--layouts NAMES] [--groups PERCENT] [--log PREFIX] [--all] [--verbose] "
          "[--spoil "
          "N] [--list]\n");
  exit(2);
}

static void list_operations(void)
{
  for (size_t t = 0; t < TABLES; t++)
    for (const operation *o = tables[t]; o->name; o++)
      printf("%s %s\n", o->family, o->name);
}

/* Returns one bit for each named layout; underscores stand for spaces. */
static unsigned read_layouts(const char *list)
{
  unsigned bits = 1u << PLAIN;
  char copy[512], *rest = NULL;

  snprintf(copy, sizeof copy, "%s", list);
  for (char *c = copy; *c; c++)
    *c = *c == '_' ? ' ' : *c;
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
    for (int l = 0; l < LAYOUTS; l++)
      if (strcmp(word, layout_names[l]) == 0)
        bits |= 1u << l;
  return bits;
}

static void read_options(int argc, char **argv)
{
  static const struct option known[] = {
      {"seed", 1, NULL, 's'},    {"operations", 1, NULL, 'n'}, {"round", 1, NULL, 'r'},
      {"only", 1, NULL, 'o'},    {"without", 1, NULL, 'w'},    {"log", 1, NULL, 'l'},
      {"verbose", 0, NULL, 'v'}, {"spoil", 1, NULL, 'b'},      {"all", 0, NULL, 'a'},
      {"list", 0, NULL, 'L'},    {"layouts", 1, NULL, 'y'},    {"groups", 1, NULL, 'g'},
      {NULL, 0, NULL, 0}};

  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
    switch (c) {
    case 's':
      options.seed = strtoull(optarg, NULL, 10);
      break;
    case 'n':
      options.operations = strtol(optarg, NULL, 10);
      break;
    case 'r':
      options.round = (int)strtol(optarg, NULL, 10);
      break;
    case 'o':
      options.only = optarg;
      break;
    case 'w':
      options.without = optarg;
      break;
    case 'l':
      options.log = optarg;
      break;
    case 'a':
      run.all = true;
      break;
    case 'v':
      run.verbose = true;
      break;
    case 'b':
      options.spoil = strtol(optarg, NULL, 10);
      break;
    case 'g':
      options.grouped = (int)strtol(optarg, NULL, 10);
      break;
    case 'y':
      layouts_allowed = read_layouts(optarg);
      break;
    case 'L':
      list_operations();
      exit(0);
    default:
      usage();
    }
}

int main(int argc, char **argv)
{
  int level;

  read_options(argc, argv);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  GA_Initialize();
  MA_init(C_DBL, SCRATCH, SCRATCH); /* GA takes its scratch memory from MA */
  run.rank = run.me = GA_Nodeid();
  run.processes = GA_Nnodes();
  run.comm = MPI_COMM_WORLD;
  log_open(options.log, run.rank == run.processes - 1 ? options.spoil : 0);
  for (int round = 0; (long)round * PER_ROUND < options.operations; round++)
    if (options.round < 0 || options.round == round)
      perform_round(round);
  log_close();
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

/* The Unbalanced Tree Search with Causeway's task pools. A task visits some nodes and their
 * descendants, and adds nodes that it leaves as new tasks. The trees are fixed, but the sizes of
 * their subtrees cannot be predicted. */
#include "../command_line.h"
#include "device.h"
#include "plot.h"
#include "tree.h"

#include <causeway.h>
#include <causeway/failure.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: uts TREE... [--nodes N] [--threads N] [--slots N] [--one] [--random]\n"
    "           [--sequential] [--plot FILE.svg] [--device [--where host|device]] [--survive]\n"
    "  TREE          T1, T2, T3, T4, T5 (4 million nodes), T1L, T3L (100 million)\n"
    "  --nodes N     a task visits so many before it asks whether others want some (64)\n"
    "  --threads N   of each process (1)\n"
    "  --slots N     of each thread's queue (8192)\n"
    "  --one         a thief takes one task, not half\n"
    "  --random      thieves look anywhere, not at their node first\n"
    "  --sequential  process 0 searches alone, without tasks\n"
    "  --device      a kernel makes many nodes at once on each process's device, hosts as many\n"
    "                (--nodes N: up to so many, 4096)\n"
    "  --where WORD  such tasks run on the host, or on the device, not where it is faster\n"
    "  --survive     the search goes on although processes fail (CW_FAILURES=survive)\n"
    "  --plot FILE   draw which worker visited nodes when (SVG); of one tree\n"
    "  --help        print this text\n";

struct search {
  const struct uts_tree *tree;
  long nodes;               /* nodes visited between checks for idle threads */
  struct uts_found *found;  /* [threads] */
  struct uts_track *tracks; /* [threads]; NULL if no picture is wanted */
  double begin;
  struct uts_found *total; /* what tasks have found, in process 0's slice of a region, if the pool
                              survives failures; otherwise NULL */
};

/* Options of the command line. */
struct command {
  cw_tasks_options options;
  long nodes;
  const struct uts_tree **trees; /* ends with NULL */
  int sequential;
  const char *plot; /* NULL if no picture is wanted */
  FILE *picture;    /* open on process 0 only */
  int accelerated;  /* true if devices take part in the search */
  cw_device device; /* the device, if `accelerated` */
};

static void *zeros(size_t count, size_t bytes)
{
  void *memory = calloc(count, bytes);
  if (memory == NULL) {
    cw_abort("uts: no memory", 1);
    abort();
  }
  return memory;
}

/* Nodes in the body of a task, and in the stack of its search. */
enum { TOGETHER = 8, STACK = 512 };

/* Adds `number` nodes as tasks. The deepest nodes are at the end and are added last, so they run
 * first. */
static void give(const cw_task *task, const struct uts_node *nodes, size_t number)
{
  for (size_t i = 0; i < number; i += TOGETHER) {
    const size_t some = number - i < TOGETHER ? number - i : TOGETHER;
    CW_MUST(cw_tasks_add(task->pool, task->number, nodes + i, some * sizeof *nodes));
  }
}

/* Adds what a task has found to the sums: those of its thread, or those of all processes when the
 * task is done. */
static void add_found(const cw_task *task, const struct search *search, struct uts_found *found)
{
  if (search->total == NULL) {
    struct uts_found *sum = &search->found[task->worker];
    sum->nodes += found->nodes;
    sum->leaves += found->leaves;
    sum->depth = found->depth > sum->depth ? found->depth : sum->depth;
  } else {
    const int64_t sums[2] = {found->nodes, found->leaves};
    CW_MUST(
        cw_task_accumulate(task, CW_INT64, CW_SUM, sums, &search->total->nodes, sizeof sums, 0));
    CW_MUST(cw_task_accumulate(task, CW_INT64, CW_MAXIMUM, &found->depth, &search->total->depth,
                               sizeof found->depth, 0));
  }
  *found = (struct uts_found){0};
}

/* If tasks are wanted, or the stack was full, turns the oldest nodes into tasks and keeps the
 * newest. Then commits, so that others can take these tasks. Returns the new height of the stack.
 */
static size_t share(const cw_task *task, const struct search *search, struct uts_node *stack,
                    size_t height, struct uts_found *found, bool *given)
{
  bool wanted = false;
  CW_MUST(cw_tasks_wanted(task->pool, &wanted));
  if (!*given && (!wanted || height <= TOGETHER))
    return height;
  if (height > TOGETHER) {
    give(task, stack, height - TOGETHER);
    memmove(stack, stack + height - TOGETHER, TOGETHER * sizeof *stack);
    height = TOGETHER;
  }
  *given = false;
  if (search->total != NULL) {
    add_found(task, search, found);
    CW_MUST(cw_task_commit(task, stack, height * sizeof *stack));
  }
  return height;
}

/* Runs a task: searches depth first, like the search without tasks, and checks at intervals whether
 * other threads want tasks. */
static cw_error visit(const cw_task *task, void *argument)
{
  const struct search *search = argument;
  struct uts_found found = {0};
  bool given = false;
  struct uts_track *track = search->tracks != NULL ? &search->tracks[task->worker] : NULL;
  struct uts_node stack[STACK], node;
  size_t height = task->bytes / sizeof node;
  long left = search->nodes;
  memcpy(stack, task->body, task->bytes);
  while (height > 0) {
    node = stack[--height];
    const int children = uts_children(search->tree, &node);
    uts_count(&found, node.depth, children);
    if (track != NULL)
      uts_track_node(track, task);
    for (int child = 0; child < children; child++) {
      if (height == STACK) {
        give(task, stack, height);
        height = 0;
        given = search->total != NULL;
      }
      uts_child(&node, child, &stack[height++]);
    }
    if (--left > 0)
      continue;
    left = search->nodes;
    height = share(task, search, stack, height, &found, &given);
  }
  add_found(task, search, &found);
  return CW_OK;
}

/* --- Without tasks ---------------------------------------------------------------------------- */

static void grow(struct uts_node **stack, size_t *capacity, size_t wanted)
{
  if (wanted <= *capacity)
    return;
  *capacity = 2 * wanted;
  *stack = realloc(*stack, *capacity * sizeof **stack);
  if (*stack == NULL)
    cw_abort("uts: no memory for the stack", 1);
}

static void search_alone(const struct uts_tree *tree, struct uts_found *found)
{
  struct uts_node *stack = NULL, node;
  size_t capacity = 0, height = 1;
  grow(&stack, &capacity, 4096);
  uts_root(tree, &stack[0]);
  while (height > 0) {
    node = stack[--height];
    const int children = uts_children(tree, &node);
    uts_count(found, node.depth, children);
    grow(&stack, &capacity, height + (size_t)children);
    for (int i = 0; i < children; i++)
      uts_child(&node, i, &stack[height++]);
  }
  free(stack);
}

/* --- With tasks ------------------------------------------------------------------------------- */

static void search_together(const struct uts_tree *tree, const cw_tasks_options *options,
                            struct search *search, cw_tasks_counts *counts, double *seconds)
{
  cw_tasks pool = NULL;
  int nodes = 0;
  CW_MUST(cw_tasks_create(cw_team_world(), options, &pool));
  CW_MUST(cw_tasks_register(pool, "nodes", visit, search, &nodes));
  if (cw_process() == 0) {
    struct uts_node root;
    uts_root(tree, &root);
    CW_MUST(cw_tasks_add(pool, nodes, &root, sizeof root));
  }
  CW_MUST(cw_barrier(cw_team_world()));
  search->begin = MPI_Wtime();
  CW_MUST(cw_tasks_process(pool));
  *seconds = MPI_Wtime() - search->begin;
  CW_MUST(cw_tasks_statistics(pool, counts));
  CW_MUST(cw_tasks_free(&pool));
}

/* --- Reports ---------------------------------------------------------------------------------- */

static void reduce(long *numbers, size_t count, cw_reduction reduction)
{
  CW_MUST(cw_reduce(cw_team_world(), 0, CW_LONG, reduction, count, numbers));
}

/* Compares the tree found with the published one, prints the result, and returns 1 if they
 * differ. */
static int check(const struct uts_tree *tree, const struct uts_found *found)
{
  printf("%-4s %ld nodes, depth %ld, %ld leaves: ", tree->name, (long)found->nodes,
         (long)found->depth, (long)found->leaves);
  if (found->nodes == tree->nodes && found->depth == tree->depth && found->leaves == tree->leaves) {
    printf("as published\n");
    return 0;
  }
  printf("WRONG,\n     published are %ld nodes, depth %ld, %ld leaves\n", (long)tree->nodes,
         (long)tree->depth, (long)tree->leaves);
  return 1;
}

static int run_alone(const struct uts_tree *tree)
{
  struct uts_found found = {0};
  if (cw_process() != 0)
    return 0;
  const double begin = MPI_Wtime();
  search_alone(tree, &found);
  const double seconds = MPI_Wtime() - begin;
  const int wrong = check(tree, &found);
  printf("     %.3f s, %.3f million nodes/s without tasks\n", seconds,
         1e-6 * (double)found.nodes / seconds);
  return wrong;
}

enum { NEAR, FAR, STOLEN, FAILED, INLINED, SEARCHING, HOSTS, DEVICES, LINK, NUMBERS };

/* Sums over all processes; valid on process 0. */
struct results {
  struct uts_found found;
  long counts[NUMBERS];
  double seconds, busy; /* busy: percentage of the workers' time */
  int workers;
};

static void collect(const struct uts_found *found, int threads, const cw_tasks_counts *counts,
                    struct results *results)
{
  long depth = 0, sums[2 + NUMBERS] = {0};
  for (int i = 0; i < threads; i++) {
    sums[0] += found[i].nodes;
    sums[1] += found[i].leaves;
    depth = found[i].depth > depth ? found[i].depth : depth;
  }
  const long more[NUMBERS] = {[NEAR] = (long)counts->near_steals,
                              [FAR] = (long)counts->far_steals,
                              [STOLEN] = (long)(counts->near_stolen + counts->far_stolen),
                              [FAILED] = (long)(counts->near_failed + counts->far_failed),
                              [INLINED] = (long)counts->inlined,
                              [SEARCHING] = (long)(1e9 * counts->searching),
                              [HOSTS] = (long)counts->on_host,
                              [DEVICES] = (long)counts->on_device,
                              [LINK] = (long)(counts->to_device + counts->from_device)};
  memcpy(sums + 2, more, sizeof more);
  reduce(sums, 2 + NUMBERS, CW_SUM);
  reduce(&depth, 1, CW_MAXIMUM);
  results->found = (struct uts_found){.nodes = sums[0], .leaves = sums[1], .depth = depth};
  memcpy(results->counts, sums + 2, sizeof results->counts);
  results->busy =
      100 * (1 - 1e-9 * (double)results->counts[SEARCHING] / (results->seconds * results->workers));
}

static int report(const struct uts_tree *tree, const struct results *results)
{
  const int wrong = check(tree, &results->found);
  const long *counts = results->counts;
  printf("     %.3f s, %.3f million nodes/s on %d workers, which had tasks %.1f %% of the time\n",
         results->seconds, 1e-6 * (double)results->found.nodes / results->seconds, results->workers,
         results->busy);
  printf("     %ld steals from the node and %ld from others brought %ld tasks\n", counts[NEAR],
         counts[FAR], counts[STOLEN]);
  printf("     %ld steals found nothing; %ld tasks ran at once\n", counts[FAILED], counts[INLINED]);
  return wrong;
}

/* Runs the search with devices. The workers that are counted are those of the hosts; each device
 * has a thread of its own. */
static int run_accelerated(const struct uts_tree *tree, const struct command *command)
{
  const int threads = command->options.threads > 0 ? command->options.threads : 1;
  struct uts_device_search search = {.tree = tree,
                                     .nodes = command->nodes,
                                     .found = zeros((size_t)threads + 1, sizeof(struct uts_found)),
                                     .device = command->device,
                                     .where = command->options.where};
  cw_tasks_counts counts;
  struct results results = {.workers = cw_processes() * threads};
  uts_device_run(&search, &command->options, &counts, &results.seconds);
  collect(search.found, threads + 1, &counts, &results);
  free(search.found);
  if (cw_process() != 0)
    return 0;
  const int wrong = report(tree, &results);
  printf("     %ld tasks on hosts, %ld on devices, to which %.1f MB went, and back\n",
         results.counts[HOSTS], results.counts[DEVICES], 1e-6 * (double)results.counts[LINK]);
  return wrong;
}

/* Draws the picture. Returns false if it could not be written. */
static int draw(const struct search *search, int threads, const cw_tasks_counts *counts,
                const struct results *results, const struct command *command)
{
  char title[80], text[160];
  snprintf(title, sizeof title, "Unbalanced Tree Search of %s: who visits nodes when",
           search->tree->name);
  snprintf(text, sizeof text,
           "%ld nodes in %.3f s: %.3f million nodes/s; %d workers had tasks %.2f %% of the time",
           (long)results->found.nodes, results->seconds,
           1e-6 * (double)results->found.nodes / results->seconds, results->workers, results->busy);
  const struct uts_picture picture = {.title = title,
                                      .text = text,
                                      .begin = search->begin,
                                      .seconds = results->seconds,
                                      .steals = (double)(counts->near_steals + counts->far_steals),
                                      .searching = counts->searching,
                                      .tracks = search->tracks,
                                      .threads = threads};
  const int drawn = uts_plot(&picture, command->picture);
  if (command->picture == NULL || (fclose(command->picture) == 0 && drawn))
    return 1;
  fprintf(stderr, "uts: cannot write all of %s\n", command->plot);
  return 0;
}

/* Returns the number of processes that are known to have failed. *first receives the lowest one
 * that has not. */
static size_t count_failed(int *first)
{
  size_t failed = 0;
  int *ranks = zeros((size_t)cw_processes(), sizeof *ranks);
  CW_MUST(cw_team_failed(cw_team_world(), (size_t)cw_processes(), ranks, &failed));
  *first = 0;
  for (size_t i = 0; i < failed && ranks[i] == *first; i++)
    ++*first;
  free(ranks);
  return failed;
}

/* Prints the sums, which lie in memory of the node and so can be read although process 0 may have
 * failed. Ends the program if a process has failed. */
static int report_surviving(const struct uts_tree *tree, struct uts_found *total, double seconds)
{
  struct uts_found found;
  int first = 0, wrong = 0;
  const size_t failed = count_failed(&first);
  CW_MUST(cw_get(&found, total, sizeof found, 0));
  if (cw_process() == first) {
    wrong = check(tree, &found);
    printf("     %.3f s, %.3f million nodes/s on %d processes, of which %zu failed\n", seconds,
           1e-6 * (double)found.nodes / seconds, cw_processes(), failed);
  }
  if (failed > 0)
    cw_failure_end(wrong);
  return wrong;
}

/* Runs the search in a pool that survives failures. */
static int run_surviving(const struct uts_tree *tree, const struct command *command)
{
  const size_t bytes = cw_process() == 0 ? sizeof(struct uts_found) : 0;
  cw_region region = NULL;
  void **addresses = zeros((size_t)cw_processes(), sizeof *addresses);
  struct search search = {.tree = tree, .nodes = command->nodes};
  cw_tasks_counts counts;
  double seconds = 0;
  CW_MUST(cw_region_create(cw_team_world(), bytes, &region, addresses));
  search.total = addresses[0];
  free(addresses);
  if (cw_process() == 0)
    memset(search.total, 0, sizeof *search.total);
  search_together(tree, &command->options, &search, &counts, &seconds);
  const int wrong = report_surviving(tree, search.total, seconds);
  CW_MUST(cw_region_free(cw_team_world(), &region));
  return wrong;
}

static int run(const struct uts_tree *tree, const struct command *command)
{
  const int threads = command->options.threads > 0 ? command->options.threads : 1;
  const size_t tracks = command->plot != NULL ? (size_t)threads : 0;
  struct search search = {.tree = tree,
                          .nodes = command->nodes,
                          .found = zeros((size_t)threads, sizeof(struct uts_found))};
  cw_tasks_counts counts;
  struct results results = {.workers = cw_processes() * threads};
  if (tracks > 0)
    search.tracks = zeros(tracks, sizeof *search.tracks);
  search_together(tree, &command->options, &search, &counts, &results.seconds);
  collect(search.found, threads, &counts, &results);
  int wrong = cw_process() == 0 && report(tree, &results);
  if (tracks > 0)
    wrong += !draw(&search, threads, &counts, &results, command);
  for (size_t i = 0; i < tracks; i++)
    free(search.tracks[i].samples);
  free(search.tracks);
  free(search.found);
  return wrong;
}

/* --- The command line ------------------------------------------------------------------------- */

static void leave(int status)
{
  CW_MUST(cw_finalize());
  MPI_Finalize();
  exit(status);
}

/* Prints the usage, after an error message if there is one, and ends the program. */
static void explain(const char *wrong)
{
  FILE *out = wrong != NULL ? stderr : stdout;
  if (cw_process() == 0 && wrong != NULL)
    fprintf(out, "uts: %s\n", wrong);
  if (cw_process() == 0)
    fputs(usage, out);
  leave(wrong != NULL ? 2 : 0);
}

static const char *add_tree(const char *word, void *given)
{
  const struct uts_tree ***next = given, *tree = uts_tree(word);
  if (tree == NULL)
    return command_wrong("there is no tree '%.80s'", word);
  *(*next)++ = tree;
  return NULL;
}

/* Reads trees and options, in any order. `trees` has space for as many trees as there are words. */
static struct command read_command(char **words, const struct uts_tree **trees)
{
  struct command command = {.options.body = TOGETHER * sizeof(struct uts_node), .trees = trees};
  const char *where = "";
  int survive = 0;
  bool help = false;
  const struct command_option table[] = {
      {"--nodes", COMMAND_LONG, .target = &command.nodes, 1},
      {"--threads", COMMAND_INT, .target = &command.options.threads, 1},
      {"--slots", COMMAND_LONG, .target = &command.options.slots, 1},
      {"--one", COMMAND_SET, .target = &command.options.amount, CW_STEAL_ONE},
      {"--random", COMMAND_SET, .target = &command.options.order, CW_STEAL_RANDOM},
      {"--sequential", COMMAND_SET, .target = &command.sequential, 1},
      {"--device", COMMAND_SET, .target = &command.accelerated, 1},
      {"--where", COMMAND_CHOICE, .target = &where, .needs = "host or device"},
      {"--survive", COMMAND_SET, .target = &survive, 1},
      {"--plot", COMMAND_TEXT, .target = &command.plot},
      {"--help", COMMAND_HELP, .target = &help},
      {.name = NULL}};
  const char *wrong = command_read(words, table, add_tree, &trees);
  if (wrong == NULL && !help && trees == command.trees)
    wrong = "no tree is named";
  if (wrong == NULL && command.plot != NULL &&
      (trees > command.trees + 1 || command.sequential || command.accelerated))
    wrong = "--plot is for one tree, searched with tasks on hosts";
  if (wrong != NULL || help)
    explain(wrong);
  if (*where != '\0')
    command.options.where = *where == 'h' ? CW_WHERE_HOST : CW_WHERE_DEVICE;
  command.options.survive = survive;
  if (wrong == NULL && survive &&
      (command.sequential || command.accelerated || command.plot != NULL))
    explain("--survive goes with none of --sequential, --device and --plot");
  if (command.nodes == 0)
    command.nodes = command.accelerated ? 4096 : 64;
  return command;
}

/* Opens the file before the search, which may take long, so that an error is reported early. */
static void open_picture(struct command *command)
{
  int failed = 0;
  if (cw_process() == 0 && (command->picture = fopen(command->plot, "w")) == NULL) {
    fprintf(stderr, "uts: cannot write %s: %s\n", command->plot, strerror(errno));
    failed = 1;
  }
  CW_MUST(cw_broadcast(cw_team_world(), 0, &failed, sizeof failed));
  if (failed)
    leave(2);
}

int main(int argc, char **argv)
{
  int level = 0, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const struct uts_tree **trees = zeros((size_t)argc + 1, sizeof(struct uts_tree *));
  struct command command = read_command(argv, trees);
  if (command.plot != NULL)
    open_picture(&command);
  if (command.accelerated)
    CW_MUST(cw_device_open(NULL, &command.device));
  for (const struct uts_tree **tree = trees; *tree != NULL; tree++)
    wrong += command.sequential        ? run_alone(*tree)
             : command.accelerated     ? run_accelerated(*tree, &command)
             : command.options.survive ? run_surviving(*tree, &command)
                                       : run(*tree, &command);
  free(trees);
  if (command.accelerated)
    CW_MUST(cw_device_close(&command.device));
  CW_MUST(cw_broadcast(cw_team_world(), 0, &wrong, sizeof wrong));
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return wrong > 0;
}

/* Multiplies block-sparse matrices by tasks that hosts and devices share: on hosts alone, on
 * devices alone, and on both. The results are compared with cw_array_multiply's. */
#include "../command_line.h"
#include "product.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  int64_t size, tile, full, cache;
  const char *on, *timeline; /* timeline: path of the picture, or NULL */
  bool help;
};

static const char help[] =
    "usage: tiles [options]\n"
    "\n"
    "C += A B of block-sparse matrices: tasks of uneven size, each of a few products of tiles, on\n"
    "hosts by BLAS and on devices by a kernel.\n"
    "\n"
    "  --size N         rows and columns of the matrices (1000)\n"
    "  --tile N         rows and columns of a tile, in the mean (100)\n"
    "  --full N         so many percent of the tiles are there (40)\n"
    "  --cache N        bytes on each device for tiles (0: a share of its memory)\n"
    "  --on host|device|both|all   where tasks run (all: one after the other)\n"
    "  --timeline FILE  show which worker runs tasks when: here, and as a picture (SVG)\n"
    "  --help           print this text\n";

static const char *read_options(char **words, struct options *options)
{
  const struct command_option table[] = {
      {"--size", COMMAND_LONG, .target = &options->size, 1, 100000},
      {"--tile", COMMAND_LONG, .target = &options->tile, 1, 10000},
      {"--full", COMMAND_LONG, .target = &options->full, 1, 100},
      {"--cache", COMMAND_LONG, .target = &options->cache, 0, (int64_t)1 << 50},
      {"--on", COMMAND_CHOICE, .target = &options->on, .needs = "host, device, both or all"},
      {"--timeline", COMMAND_TEXT, .target = &options->timeline},
      {"--help", COMMAND_HELP, .target = &options->help},
      {.name = NULL}};
  *options = (struct options){.size = 1000, .tile = 100, .full = 40, .on = "all"};
  return command_read(words, table, NULL, NULL);
}

/* State that is shared by all ways to run. */
struct run {
  struct matrices matrices;
  const struct options *options;
  struct timeline_panel panels[TIMELINE_WAYS];
  int count; /* number of panels */
};

static void show_timeline(struct run *run, const char *name, const struct way *way, double seconds)
{
  struct timeline_panel *panel = &run->panels[run->count++];
  const int workers = way->device != NULL ? TIMELINE_WORKERS : 1;
  timeline_collect(way->timeline, name, workers, seconds, panel);
  if (cw_process() == 0)
    timeline_print(panel);
}

/* Runs the product in one way, and prints a row. Returns true if the result is wrong. */
static int run_way(struct run *run, const char *name, cw_device device, cw_where where)
{
  const struct options *options = run->options;
  struct timeline timeline = {0};
  struct tally tally;
  const struct way way = {.device = device,
                          .where = where,
                          .cache = (size_t)options->cache,
                          .timeline = options->timeline != NULL ? &timeline : NULL};
  if (strcmp(options->on, "all") != 0 && strcmp(options->on, name) != 0)
    return 0;
  product_run(&run->matrices, &way, &tally);
  const double error = matrices_error(&run->matrices);
  const cw_tasks_counts *counts = &tally.counts;
  const int bad = !(error < 1e-12);
  if (cw_process() == 0)
    printf("%-8s %8.4f  %8llu  %8llu  %8.2f  %8.2f  %9llu  %9llu  %8.4f  %7.1e%s\n", name,
           tally.seconds, (unsigned long long)counts->on_host,
           (unsigned long long)counts->on_device, (double)(counts->fetched + counts->stored) / 1e6,
           (double)(counts->to_device + counts->from_device) / 1e6,
           (unsigned long long)counts->hits, (unsigned long long)counts->misses,
           counts->device_idle / cw_processes(), error, bad ? "  WRONG" : "");
  if (way.timeline != NULL)
    show_timeline(run, name, &way, tally.seconds);
  return bad;
}

/* Draws all panels. Returns true if the file could not be written. */
static int draw(const struct run *run)
{
  const char *name = run->options->timeline;
  FILE *file = fopen(name, "w");
  const int drawn = file != NULL && timeline_draw(run->panels, run->count, file);
  if (file != NULL && fclose(file) == 0 && drawn) {
    printf(
        "\n#: runs tasks most of the time, +: some of it, -: brings or stores. The picture: %s\n",
        name);
    return 0;
  }
  fprintf(stderr, "tiles: cannot write %s: %s\n", name, strerror(errno));
  return 1;
}

static int run_all(const struct options *options)
{
  struct run run = {.options = options};
  cw_device device = NULL;
  cw_device_facts facts;
  CW_MUST(cw_device_open(NULL, &device));
  CW_MUST(cw_device_describe(device, &facts));
  matrices_make(&run.matrices, options->size, options->tile, (int)options->full);
  const long long tiles = (long long)run.matrices.tiles;
  if (cw_process() == 0)
    printf("C += A B: %ld x %ld, %lld x %lld tiles, %ld %% of them there; %d processes, each with "
           "%s\n\n%-8s %8s  %8s  %8s  %8s  %8s  %9s  %9s  %8s  %s\n",
           options->size, options->size, tiles, tiles, options->full, cw_processes(), facts.name,
           "on", "seconds", "on hosts", "devices", "MB moved", "MB link", "hits", "misses",
           "idle s", "error");
  int bad = run_way(&run, "host", NULL, CW_WHERE_MEASURED);
  bad += run_way(&run, "device", device, CW_WHERE_DEVICE);
  bad += run_way(&run, "both", device, CW_WHERE_MEASURED);
  if (options->timeline != NULL && cw_process() == 0)
    bad += draw(&run);
  CW_MUST(cw_broadcast(cw_team_world(), 0, &bad, sizeof bad));
  for (int i = 0; i < run.count; i++)
    free(run.panels[i].lanes);
  matrices_free(&run.matrices);
  CW_MUST(cw_device_close(&device));
  return bad > 0;
}

int main(int argc, char **argv)
{
  int level = 0, status = 0;
  struct options options;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  product_alone();
  const char *error = read_options(argv, &options);
  if (error != NULL) {
    if (cw_process() == 0)
      fprintf(stderr, "tiles: %s\n", error);
    status = 2;
  } else if (options.help) {
    if (cw_process() == 0)
      fputs(help, stdout);
  } else {
    status = run_all(&options);
  }
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return status;
}

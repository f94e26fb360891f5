/* Compares commits and recoveries of an array with files: cw_array_commit and cw_arrays_save write
 * the same contents, cw_array_recover and cw_array_load read them. The limit of a commit is that
 * each process copies its part as often by memcpy. All take turns.
 *
 *   protect [ROUNDS [MIB [FOLDER...]]]   MIB: MiB of each process; FOLDER: of the files */
#include "../program.h"
#include "../samples.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99, MOST_FOLDERS = 8, MOST_WAYS = 5 + 2 * MOST_FOLDERS, MIB = 1 << 20 };

static cw_array array;
static size_t bytes; /* of each process */
static char *from, *to;
static const char *folder;

static void by_memcpy(void)
{
  memcpy(to, from, bytes);
  memcpy(to + bytes, from, bytes);
}

static void by_commit(void)
{
  must(cw_array_commit(array));
}

static void by_recover(void)
{
  cw_array recovered = NULL;
  must(cw_array_recover(array, cw_team_world(), &recovered));
  must(cw_array_destroy(&recovered));
}

static const char *path(void)
{
  static char text[4096];
  snprintf(text, sizeof text, "%s/causeway-bench-protect.h5", folder);
  return text;
}

static void by_save(void)
{
  must(cw_arrays_save(path(), 1, &array, NULL));
}

static void by_load(void)
{
  must(cw_array_load(path(), NULL, array));
}

struct way {
  const char *name, *folder;
  int copies; /* of cw_array_protect before the turn; -1 if it stays */
  void (*run)(void);
  double samples[MOST_ROUNDS];
};

static void turn(struct way *way, int round)
{
  if (way->copies >= 0) {
    must(cw_array_protect(array, way->copies));
    must(cw_array_commit(array)); /* the first one also makes the kernel give memory */
    must(cw_array_commit(array));
  }
  folder = way->folder;
  must(cw_barrier(cw_team_world()));
  const double start = seconds(CLOCK_MONOTONIC);
  way->run();
  must(cw_barrier(cw_team_world()));
  way->samples[round] = seconds(CLOCK_MONOTONIC) - start;
}

static void make_array(void)
{
  const int64_t extents[2] = {cw_processes(), (int64_t)(bytes / sizeof(double))};
  const int grid[2] = {cw_processes(), 1};
  const cw_array_options options = {.name = "array",
                                    .type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.grid = grid}};
  must(cw_array_create(cw_team_world(), &options, &array));
  must(
      cw_array_randomize(array, NULL, NULL, NULL, 1)); /* no runs of zeros, which files leave out */
  from = malloc(bytes);
  to = malloc(2 * bytes);
  if (from == NULL || to == NULL)
    cw_abort("protect: no memory", 1);
  memset(from, 1, bytes);
  memset(to, 2, 2 * bytes);
}

static void report(struct way *way, int rounds)
{
  const double median = median_of(way->samples, (size_t)rounds);
  if (cw_process() == 0)
    printf("| %s%s%s | %.1f | %.2f |\n", way->name, way->folder != NULL ? ", " : "",
           way->folder != NULL ? way->folder : "", 1e3 * median,
           1e-9 * (double)bytes * cw_processes() / median);
}

int main(int argc, char **argv)
{
  static struct way ways[MOST_WAYS] = {{"memcpy, twice", NULL, -1, by_memcpy, {0}},
                                       {"commit, 1 copy", NULL, 1, by_commit, {0}},
                                       {"recover", NULL, -1, by_recover, {0}}};
  int count = 3, provided = 0;
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 64) * MIB;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (rounds < 1 || rounds > MOST_ROUNDS || bytes < MIB || argc > 3 + MOST_FOLDERS)
    cw_abort("protect: 1 to 99 rounds, 1 MiB or more, at most 8 folders", 1);
  for (int i = 3; i < argc; i++) {
    ways[count++] = (struct way){"save", argv[i], -1, by_save, {0}};
    ways[count++] = (struct way){"load", argv[i], -1, by_load, {0}};
  }
  make_array();
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < count; i++)
      turn(&ways[i], round);
  if (cw_process() == 0)
    printf("%zu MiB on each of %d processes, %d nodes\n"
           "| way | time, ms | GB/s of the array |\n|---|--:|--:|\n",
           bytes / MIB, cw_processes(), cw_nodes());
  for (int i = 0; i < count; i++)
    report(&ways[i], rounds);
  for (int i = 3; i < argc && cw_process() == 0; i++) {
    folder = argv[i];
    unlink(path());
  }
  free(from);
  free(to);
  must(cw_array_destroy(&array));
  must(cw_finalize());
  return MPI_Finalize();
}

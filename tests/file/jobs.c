/* Jobs whose files are used by other jobs and tools: read by h5dump, drawn by cw-view, loaded by a
 * job of another size, interrupted by SIGKILL, or too large for the disk. */
#include "file/arrays.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const char *path;

/* --- Small arrays with known contents --------------------------------------------------------- */

enum { ARRAYS = 4 };

static void make_known(cw_array arrays[ARRAYS])
{
  const int64_t flat[1] = {5}, matrix[2] = {2, 3}, block[2] = {1, 2};
  cw_array_options options[ARRAYS] = {
      {.name = "ints", .type = CW_INT, .dimensions = 1, .extents = flat},
      {.name = "run/doubles", .type = CW_DOUBLE, .dimensions = 2, .extents = matrix},
      {.name = "run/complex", .type = CW_FLOAT_COMPLEX, .dimensions = 2, .extents = matrix},
      {.name = "opaque", .type = CW_OPAQUE, .element_bytes = 2, .dimensions = 1, .extents = flat}};
  options[2].distribution = (cw_distribution){.layout = CW_CYCLIC, .block = block};
  for (int i = 0; i < ARRAYS; i++)
    KIT_MUST(cw_array_create(cw_team_world(), &options[i], &arrays[i]));
}

static void free_known(cw_array arrays[ARRAYS])
{
  kit_barrier();
  for (int i = 0; i < ARRAYS; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
}

static void save_known(void)
{
  cw_array arrays[ARRAYS];
  make_known(arrays);
  for (int i = 0; i < ARRAYS; i++)
    fill_array(arrays[i], 500 + i);
  KIT_OK(cw_arrays_save(path, ARRAYS, arrays, NULL));
  free_known(arrays);
}

static void load_known(void)
{
  cw_array arrays[ARRAYS];
  make_known(arrays);
  for (int i = 0; i < ARRAYS; i++) {
    KIT_OK(cw_array_load(path, NULL, arrays[i]));
    check_array(arrays[i], 500 + i);
  }
  free_known(arrays);
}

/* --- For cw-view: each kind of distribution --------------------------------------------------- */

static void save_distributed(void)
{
  enum { ARRAYS_TO_VIEW = 7 };
  const int64_t vector[1] = {9}, matrix[2] = {6, 10}, large[2] = {40, 40}, wide[2] = {100, 100},
                cube[3] = {2, 4, 6};
  const int64_t block[3] = {3, 4, 3}, ones[2] = {1, 1};
  const int64_t boundaries[8] = {0, 0, 1, 1, 6, 0, 7, 9}, halves[3] = {0, 0, 7};
  const int blocks[2] = {5, 3}, two[2] = {1, 2};
  const cw_array_options options[ARRAYS_TO_VIEW] = {
      {"vector", CW_DOUBLE, 0, 1, vector, {.layout = CW_BLOCKS}, NULL},
      {"uneven", CW_INT, 0, 2, matrix, {.boundaries = halves, .blocks = two}, NULL},
      {"cyclic", CW_DOUBLE, 0, 2, matrix, {.layout = CW_CYCLIC, .block = block}, NULL},
      {"ones", CW_DOUBLE, 0, 2, large, {.layout = CW_CYCLIC, .block = ones}, NULL},
      {"tiled",
       CW_FLOAT,
       0,
       2,
       matrix,
       {CW_TILED, .boundaries = boundaries, .blocks = blocks},
       NULL},
      {"dealt", CW_LONG, 0, 3, cube, {.layout = CW_ROUND_ROBIN, .block = block}, NULL},
      {"wide", CW_INT, 0, 2, wide, {.layout = CW_BLOCKS}, NULL}};
  cw_array arrays[ARRAYS_TO_VIEW];
  for (int i = 0; i < ARRAYS_TO_VIEW; i++) {
    KIT_MUST(cw_array_create(cw_team_world(), &options[i], &arrays[i]));
    fill_array(arrays[i], 300);
  }
  KIT_OK(cw_arrays_save(path, ARRAYS_TO_VIEW, arrays, NULL));
  kit_barrier();
  for (int i = 0; i < ARRAYS_TO_VIEW; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
}

/* --- Killed while saving ---------------------------------------------------------------------- */

/* Each process is killed when its alarm goes off. */
static void on_alarm(int number)
{
  (void)number;
  kill(getpid(), SIGKILL);
}

static void die_after(int milliseconds)
{
  const struct itimerval timer = {.it_value = {.tv_usec = 1000L * milliseconds}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static cw_array make_large(void)
{
  const int64_t extents[2] = {300, 3001};
  cw_array array = make_array(cw_team_world(), "generation", CW_LONG, 0, 2, extents);
  return array;
}

static void save_until_killed(void)
{
  cw_array array = make_large();
  for (int generation = 1;; generation++) {
    fill_array(array, generation);
    KIT_OK(cw_arrays_save(path, 1, &array, NULL));
    if (generation == 2)
      die_after(1 + kit_own(120));
  }
}

/* The first element identifies the generation; all others must be of the same. */
static void check_generation(void)
{
  const int64_t first[2] = {0, 0};
  long value = 0;
  cw_array array = make_large();
  KIT_MUST(cw_array_load(path, NULL, array));
  KIT_OK(cw_array_gather(array, 1, first, &value));
  check_array(array, (int)value + 500);
  kit_barrier();
  KIT_OK(cw_array_destroy(&array));
}

/* --- A full disk ------------------------------------------------------------------------------ */

static void fill_disk(void)
{
  const int64_t little[1] = {10000}, much[1] = {400000};
  cw_array small = make_array(cw_team_world(), "a", CW_DOUBLE, 0, 1, little);
  cw_array large = make_array(cw_team_world(), "b", CW_DOUBLE, 0, 1, much);
  fill_array(small, 1);
  fill_array(large, 2);
  KIT_OK(cw_arrays_save(path, 1, &small, NULL));
  for (int i = 0; i < 3; i++) {
    KIT_OUTSIDE("No space left on device|.partial", cw_arrays_save(path, 1, &large, NULL));
    kit_check(count_beside(path) == 0, "a file is left beside '%s'", path);
  }
  check_array(large, 2);
  fill_array(small, 3);
  KIT_OK(cw_array_load(path, NULL, small));
  check_array(small, 1);
  kit_barrier();
  KIT_OK(cw_array_destroy(&small));
  KIT_OK(cw_array_destroy(&large));
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } jobs[] = {{"save", save_known},
              {"load", load_known},
              {"distributed", save_distributed},
              {"die", save_until_killed},
              {"generation", check_generation},
              {"full", fill_disk}};
  kit_start_native(&argc, &argv, "jobs");
  path = argc > 2 ? argv[2] : "";
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
    if (argc > 2 && strcmp(argv[1], jobs[i].name) == 0)
      jobs[i].run();
  return kit_finish_native();
}

/* A program whose profile is known: check.py compares it with the profile of CW_PROFILE. With
 * several processes each puts to the next one. Lines with a mark are those of its call sites. */
#include "kit/kit.h"

#include <causeway.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { BYTES = 4096, PUTS = 1000, GETS = 5, ADDS = 3, ROWS = 10, COLUMNS = 20, DEEPEST = 64 };

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

static void move_some(void **addresses, int me, int next)
{
  int64_t word = me, before = 0, *const counter = (int64_t *)addresses[0] + 8;
  char piece[100] = "";
  for (int i = 0; i < PUTS; i++)
    ok(cw_put(&word, addresses[next], sizeof word, next)); /* site: put */
  for (int i = 0; i < GETS; i++)
    ok(cw_get(piece, addresses[me], sizeof piece, me)); /* site: get */
  for (int i = 0; i < ADDS; i++)
    ok(cw_fetch_add_int64(counter, 1, 0, &before)); /* site: read-modify-write */
  ok(cw_fence_all());                               /* site: fence */
  ok(cw_barrier(cw_team_world()));                  /* site: barrier */
}

/* One process puts the whole array, of which each process has a block. */
static void use_array(int me)
{
  static double all[ROWS * COLUMNS];
  static int64_t indices[2 * ROWS * COLUMNS];
  const int64_t extents[] = {ROWS, COLUMNS}, lo[] = {0, 0}, hi[] = {ROWS - 1, COLUMNS - 1};
  const cw_array_options options = {.name = "kn\"o\\w\nn \303\274 \360\237\230\200 \374",
                                    .type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents};
  cw_array array = NULL;
  double one = 1;
  if (!ok(cw_array_create(cw_team_world(), &options, &array)))
    return;
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    indices[2 * i] = i / COLUMNS;
    indices[2 * i + 1] = i % COLUMNS;
  }
  if (me == 0) {
    ok(cw_array_put(array, lo, hi, all, NULL)); /* site: patch */
    ok(cw_array_gather(array, (size_t)ROWS * COLUMNS, indices, all));
  }
  ok(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_SUM, 1, &one)); /* site: collective */
  ok(cw_array_destroy(&array));
}

static bool is_rejected(cw_error error, const char *reason)
{
  return kit_check(error == CW_MISUSE && strstr(cw_error_message(), reason) != NULL,
                   "refused by '%s', not for '%s'", cw_error_message(), reason);
}

/* Returns true if there is a profile. Without one, calls of phases do nothing. */
static bool makes_profile(void)
{
  const char *name = getenv("CW_PROFILE");
  return name != NULL && strcmp(name, "0") != 0 && strcmp(name, "off") != 0;
}

/* Checks that each end ends what began with it, even if it was rejected. */
static void misuse_phases(void)
{
  char name[] = "changed later";
  is_rejected(cw_profile_end(), "cw_profile_end: this thread has no open phase");
  ok(cw_profile_begin("misuse"));
  is_rejected(cw_profile_begin(NULL), "cw_profile_begin: name is NULL");
  is_rejected(cw_profile_begin(""), "name is empty");
  ok(cw_profile_begin(name));
  name[0] = '\0';
  for (int i = 4; i < DEEPEST; i++)
    ok(cw_profile_begin("deep"));
  for (int i = 0; i < 2; i++)
    is_rejected(cw_profile_begin("too deep"), "64 phases are open on this thread; 'too deep'");
  for (int i = 0; i < DEEPEST + 2; i++)
    ok(cw_profile_end());
  is_rejected(cw_profile_end(), "no open phase");
}

/* Acts before the world ends. "limited": from now on the program may write files of 4 KiB, and gets
 * no signal if one is longer. Otherwise it makes this folder. */
static void before_end(const char *what)
{
  const struct rlimit low = {4096, 4096};
  if (strcmp(what, "limited") == 0)
    kit_check(setrlimit(RLIMIT_FSIZE, &low) == 0, "the limit");
  else if (what[0] == '/' && cw_process() == 0)
    kit_check(mkdir(what, 0700) == 0, "folder %s", what);
}

/* Runs twice in the job if an argument is "again". */
static void use_world(const char *what)
{
  cw_region region = NULL;
  ok(cw_profile_begin("before the world"));
  if (!ok(cw_init(MPI_COMM_WORLD)))
    return;
  ok(cw_profile_end());
  const int me = cw_process(), next = (me + 1) % cw_processes();
  void **addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, addresses))) {
    memset(addresses[me], 0, BYTES);
    if (makes_profile())
      misuse_phases();
    ok(cw_profile_begin("all"));
    move_some(addresses, me, next);
    ok(cw_profile_begin("array\033[31m\n"));
    use_array(me);
    ok(cw_profile_end());
    ok(cw_profile_end());
    ok(cw_profile_begin("array"));
    ok(cw_region_free(cw_team_world(), &region));
  }
  free(addresses);
  before_end(what);
  ok(cw_finalize());
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* for servers */
  kit_start(&argc, &argv, "known");
  setlocale(LC_NUMERIC, "");
  const char *what = argc > 1 ? argv[1] : "";
  use_world(what);
  if (strcmp(what, "again") == 0)
    use_world(what);
  return kit_finish();
}

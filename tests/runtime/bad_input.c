/* Every bad argument of every public native call, at every moment: without MPI, before cw_init,
 * while Causeway runs, after cw_finalize, in a second life with objects of the first. Each is
 * rejected with a message that names the call and the argument. The tables are the .def files. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include "memory/zone.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not a power of two, so the memory after a slice belongs to no other slice. */
enum { BYTES = 4000, BESIDE = 4096 };

/* Valid objects that a rejected call may use. */
static struct {
  cw_team team;
  cw_region region;
  cw_mutexes set;
  cw_handle handle;
  char name[CW_MEMORY_HANDLE_BYTES];
  int ranks[2];
  bool complete;
  bool acquired;
  bool same;
  cw_array array;
  cw_array_description description;
  cw_array_view view;
  cw_piece pieces[4];
  size_t count;
  int rank;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], index, before;
  void *pointer;
  double norm;
} out;

static cw_team world, freed_team, old_world;
static cw_region region, freed_region;
static cw_mutexes set, freed_set;
static cw_array array, freed_array; /* of 4 x 5 doubles */
static void *freed_slices[16], *freed_small[16];
static int target; /* the last process */
static char *there, *mine;
static void *slices[16];
static int64_t private_words[BESIDE / 8];
static char *here = (char *)private_words;
static int64_t gathered[64]; /* of all processes */
static const size_t eights[64] = {8, 8, 8, 8};
static cw_handle unused;
static const int list[2] = {0, 0};
static const size_t counts[CW_MAX_LEVELS] = {2, 2, 2, 2, 2, 2, 2, 2};
static const ptrdiff_t strides[CW_MAX_LEVELS] = {8, 8, 8, 8, 8, 8, 8, 8};

static struct bad_axis numbers, sizes, overruns, types, reductions, operations, modes, levels,
    extreme_strides;
static struct bad_axis reaches, handles, tags, colors;
static struct bad_axis teams, teams_not_null, regions, regions_not_null, sets;
static struct bad_axis arrays, arrays_not_null, indices, ranks;
static struct bad_axis unmapped, remotes, words4, words8, own_addresses, own_counters;

/* --- Elements of the rows -------------------------------------------------------------------- */

#define TEAM ((cw_team)at(bad))
#define REGION ((cw_region)at(bad))
#define SET ((cw_mutexes)at(bad))
#define ARRAY ((cw_array)at(bad))
#define ADDRESS at(bad)
#define PLACE32(address) ((int32_t *)(void *)(address))
#define PLACE64(address) ((int64_t *)(void *)(address))

static const int *with(int first, intptr_t second)
{
  static int pair[2];
  pair[0] = first;
  pair[1] = (int)second;
  return pair;
}

static void **pointers(void *first)
{
  static void *pair[2];
  pair[0] = first;
  pair[1] = here;
  return pair;
}

static void **pointers_too(void *second)
{
  static void *pair[2];
  pair[0] = there;
  pair[1] = second;
  return pair;
}

/* A rejected call leaves the handle unchanged. */
static cw_error free_team(cw_team team)
{
  cw_team handle = team;
  const cw_error error = cw_team_free(&handle);
  return error != CW_OK && handle != team ? CW_BUG : error;
}

static cw_error free_region(cw_team team, cw_region freed)
{
  cw_region handle = freed;
  const cw_error error = cw_region_free(team, &handle);
  return error != CW_OK && handle != freed ? CW_BUG : error;
}

static cw_error commit_one(cw_array bad)
{
  return cw_arrays_commit(1, &bad);
}

static cw_error free_set(cw_mutexes freed)
{
  cw_mutexes handle = freed;
  const cw_error error = cw_mutexes_free(&handle);
  return error != CW_OK && handle != freed ? CW_BUG : error;
}

static cw_error run(cw_transfer transfer)
{
  return cw_transfer_run(&transfer);
}

/* Makes the transfer an accumulate of one long. */
static cw_error sum_of(cw_transfer transfer)
{
  transfer.operation = CW_ACCUMULATE;
  transfer.process = target;
  transfer.local = here;
  transfer.bytes = 8;
  return cw_transfer_run(&transfer);
}

static cw_error begin(cw_transfer transfer)
{
  cw_handle handle = {0};
  const cw_error error = cw_transfer_start(&transfer, &handle);
  return handle.index != 0 ? CW_BUG : error;
}

static cw_transfer strided(cw_operation operation, void *remote, int level_count, size_t count,
                           ptrdiff_t stride)
{
  static size_t some[CW_MAX_LEVELS];
  static ptrdiff_t extreme[CW_MAX_LEVELS];
  for (int level = 0; level < CW_MAX_LEVELS; level++) {
    some[level] = count;
    extreme[level] = stride;
  }
  return (cw_transfer){.operation = operation,
                       .type = CW_LONG,
                       .process = target,
                       .local = here,
                       .remote = remote,
                       .bytes = 8,
                       .levels = level_count,
                       .counts = some,
                       .local_strides = strides,
                       .remote_strides = extreme};
}

static cw_error run_list(cw_operation operation, void **local, void **remote, size_t count,
                         size_t bytes)
{
  const cw_vector vector = {local, remote, count, bytes};
  cw_transfer transfer = cw_vectors(operation, &vector, 1, target);
  transfer.type = CW_LONG;
  return cw_transfer_run(&transfer);
}

static const int64_t first[2] = {0, 0}, last[2] = {3, 4};

static const int64_t *pair(int64_t one, int64_t other)
{
  static int64_t numbers_of_pair[2][2], number_of_call;
  int64_t *numbers_here = numbers_of_pair[number_of_call++ % 2];
  numbers_here[0] = one;
  numbers_here[1] = other;
  return numbers_here;
}

static cw_error make(cw_type type, int dimensions, const int64_t *extents,
                     cw_distribution distribution)
{
  const cw_array_options options = {
      .type = type, .dimensions = dimensions, .extents = extents, .distribution = distribution};
  const cw_error error = cw_array_create(world, &options, &out.array);
  return error != CW_OK && out.array != NULL ? CW_BUG : error;
}

static cw_error destroy(cw_array bad)
{
  cw_array handle = bad;
  const cw_error error = cw_array_destroy(&handle);
  return error != CW_OK && handle != bad ? CW_BUG : error;
}

static cw_error patch(cw_patch given)
{
  return cw_array_transfer(array, &given);
}

static cw_error patch_start(cw_array of, cw_patch given)
{
  cw_handle handle = {0};
  const cw_error error = cw_array_start(of, &given, &handle);
  return handle.index != 0 ? CW_BUG : error;
}

/* Returns an operand that is a whole array. */
static const cw_operand *all(cw_array of)
{
  static cw_operand operands[4];
  static int number_of_call;
  cw_operand *operand = &operands[number_of_call++ % 4];
  *operand = (cw_operand){.array = of};
  return operand;
}

/* Returns an operand that is a patch of one element. */
static const cw_operand *element(int64_t row, int64_t column)
{
  static cw_operand operand;
  const int64_t *index = pair(row, column);
  operand = (cw_operand){.array = array, .lo = index, .hi = index};
  return &operand;
}

static cw_handle handle_of(intptr_t bad)
{
  return (cw_handle){(uint32_t)bad, (uint32_t)((uint64_t)bad >> 32)};
}

static cw_handle *unknown(intptr_t bad)
{
  static cw_handle handle;
  handle = handle_of(bad);
  return &handle;
}

/* Returns lengths or offsets, of which the first is bad. */
static const size_t *sizes_with(intptr_t bad)
{
  static size_t given[64] = {0, 8, 8, 8};
  given[0] = (size_t)bad;
  return given;
}

static cw_error wait_for(intptr_t bad)
{
  cw_handle handle = handle_of(bad);
  return cw_wait(&handle);
}

static cw_error test(intptr_t bad)
{
  cw_handle handle = handle_of(bad);
  return cw_test(&handle, &out.complete);
}

static cw_error begin_on(intptr_t bad)
{
  cw_handle handle = handle_of(bad);
  const cw_transfer transfer = cw_contiguous(CW_GET, here, there, 8, target);
  return cw_transfer_start(&transfer, &handle);
}

static cw_error patch_on(intptr_t bad)
{
  cw_handle handle = handle_of(bad);
  const cw_patch given = {.lo = first, .hi = last, .buffer = here};
  return cw_array_start(array, &given, &handle);
}

static cw_error aggregate(intptr_t bad)
{
  cw_handle handle = handle_of(bad);
  return cw_handle_set_aggregate(&handle, 1);
}

static bool report(void)
{
  FILE *out_file = tmpfile();
  const bool done = out_file == NULL || cw_report(out_file, true) == CW_OK;
  return (out_file == NULL || fclose(out_file) == 0) && done;
}

static bool local_memory(void)
{
  void *memory = cw_local_alloc(100);
  cw_local_free(memory);
  return memory != NULL;
}

/* Returns the status with which cw_abort ends a process without MPI. */
static int aborts(const char *message, int status)
{
  int ended = 0;
  const pid_t child = fork();
  if (child == 0)
    __real_cw_abort(message, status);
  return waitpid(child, &ended, 0) == child && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

/* Returns the status with which cw_failure_end ends a process without MPI. */
static int failure_ends(int status)
{
  int ended = 0;
  const pid_t child = fork();
  if (child == 0)
    cw_failure_end(status);
  return waitpid(child, &ended, 0) == child && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

/* Returns the status of CW_MUST, whose message has the location, the call and the error. */
static int must_ends(void)
{
  char text[512] = "";
  int ended = 0, ends[2];
  if (pipe(ends) != 0)
    return -1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    CW_MUST(CW_OK);
    CW_MUST(cw_init(MPI_COMM_WORLD));
    _exit(0);
  }
  close(ends[1]);
  const bool reported = read(ends[0], text, sizeof text - 1) > 0 &&
                        strstr(text, __FILE__ ":") != NULL &&
                        strstr(text, ": cw_init(MPI_COMM_WORLD) failed: cw_init: MPI is") != NULL;
  close(ends[0]);
  if (waitpid(child, &ended, 0) != child || !reported)
    return -1;
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

/* Tries an intercommunicator, which cannot be a world. */
static cw_error start_between(void)
{
  int rank = 0;
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
  const cw_error error = cw_init(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  return error;
}

/* --- Tried values ----------------------------------------------------------------------------- */

static void begin_numbers(void)
{
  static struct bad_axis *const all[] = {&numbers,    &types, &reductions,
                                         &operations, &modes, &levels};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    all[i]->count = 0;
  bad_add_numbers(&numbers, kit_processes());
  bad_add_numbers(&types, CW_TYPES);
  bad_add(&types, "CW_OPAQUE", CW_OPAQUE);
  bad_add_numbers(&reductions, CW_REDUCTIONS);
  bad_add(&reductions, "CW_NO_OP + 1", CW_NO_OP + 1);
  bad_add_numbers(&operations, CW_ACCUMULATE + 1);
  bad_add_numbers(&modes, CW_ACCESS_EXCLUSIVE + 1);
  bad_add_numbers(&levels, CW_MAX_LEVELS + 1);
  ranks = numbers;
  indices.count = 0;
  bad_add_numbers(&indices, 4);
}

static void begin_constants(void)
{
  bad_add_sizes(&sizes);
  bad_add(&unmapped, "8", 8);
  bad_add(&unmapped, "-8", -8);
  bad_add(&overruns, "one element more than there is", BYTES - 16 + 8);
  bad_add(&overruns, "an element of the next slice", BESIDE);
  bad_add(&extreme_strides, "PTRDIFF_MIN", INTPTR_MIN);
  bad_add(&extreme_strides, "PTRDIFF_MAX", INTPTR_MAX);
  bad_add(&extreme_strides, "PTRDIFF_MIN + 8", INTPTR_MIN + 8);
  bad_add(&reaches, "2^62", (intptr_t)1 << 62);
  bad_add(&reaches, "-2^62", -((intptr_t)1 << 62));
  bad_add(&reaches, "2^47", (intptr_t)1 << 47);
  bad_add(&reaches, "the slice", BYTES - 7);
  bad_add(&reaches, "-8", -8);
  bad_add(&handles, "a place that never was", (intptr_t)7777);
  bad_add(&handles, "the greatest place", (intptr_t)UINT32_MAX);
  bad_add(&handles, "a generation that never was", ((intptr_t)99 << 32) | 1);
  bad_add(&handles, "an address", (intptr_t)&out);
  bad_add_negatives(&tags);
  bad_add(&tags, "INT_MAX", INT_MAX);
  bad_add_negatives(&colors);
}

static void begin_objects(void)
{
  static struct bad_axis *const all[] = {
      &teams, &teams_not_null, &regions, &regions_not_null, &sets, &arrays, &arrays_not_null};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    bad_begin_objects(all[i], all[i] != &teams_not_null && all[i] != &regions_not_null &&
                                  all[i] != &arrays_not_null);
    if (world != NULL)
      bad_add_address(all[i], "the inside of a team", (char *)world + 8);
    if (region != NULL)
      bad_add_address(all[i], "the inside of a region", (char *)region + 16);
    bad_add_address(all[i], "a freed team", freed_team);
    bad_add_address(all[i], "a freed region", freed_region);
    bad_add_address(all[i], "a freed set", freed_set);
    bad_add_address(all[i], "a destroyed array", freed_array);
    bad_add_address(all[i], "the world before", old_world);
  }
  if (region == NULL)
    return;
  bad_add_address(&teams, "a region", region);
  bad_add_address(&regions, "a team", world);
  bad_add_address(&regions, "a set", set);
  bad_add_address(&sets, "a region", region);
  bad_add_address(&arrays, "a region", region);
  bad_add_address(&arrays, "the inside of an array", (char *)array + 16);
}

/* Adds addresses that are in no slice of this process. */
static void add_elsewhere(struct bad_axis *axis, char *slice, int owner)
{
  axis->count = 0;
  bad_add(axis, "NULL", 0);
  bad_add(axis, "8", 8);
  bad_add(axis, "-8", -8);
  bad_add_address(axis, "private memory", private_words);
  bad_add_address(axis, "a variable", &out);
  if (slice == NULL)
    return;
  bad_add_address(axis, "behind the slice", slice + BYTES);
  bad_add_address(axis, "before the slice", slice - 8);
  bad_add_address(axis, "the zone", cwi_zone.base);
  bad_add_address(axis, "the end of the zone", cwi_zone.base + cwi_zone.size);
  bad_add_address(axis, "a region's handle", region);
  bad_add_address(axis, "a freed slice", freed_slices[owner]);
  bad_add_address(axis, "a small freed slice", freed_small[owner]);
  for (int process = 0; process < kit_processes(); process++)
    if (process != owner && slices[process] != slice)
      bad_add_address(axis, "a slice of another process", slices[process]);
}

static void begin_addresses(void)
{
  add_elsewhere(&remotes, there, target);
  add_elsewhere(&own_addresses, mine, target == kit_me() ? target : kit_me());
  words4 = words8 = remotes;
  own_counters = own_addresses;
  if (there == NULL)
    return;
  bad_add_address(&words4, "an odd address", there + 1);
  bad_add_address(&words4, "half an address", there + 2);
  bad_add_address(&words8, "an odd address", there + 1);
  bad_add_address(&words8, "half an address", there + 4);
  bad_add_address(&own_counters, "an odd address", mine + 1);
  bad_add_address(&own_counters, "half an address", mine + 4);
  if (cw_process_node(target) == cw_process_node(kit_me()) && target != kit_me())
    bad_add_address(&own_counters, "a counter of another process", there);
}

/* --- The tables ------------------------------------------------------------------------------- */

#define BAD_TABLE "runtime/no_mpi.def"
#define BAD_PREFIX no_mpi
#include "kit/bad_table.inc"

#define BAD_TABLE "runtime/no_world.def"
#define BAD_PREFIX no_world
#include "kit/bad_table.inc"

#define TRY(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_RETURNS, when)

/* --- The moments ------------------------------------------------------------------------------ */

static void start(void)
{
  TRY(no_world_rows, "before cw_init");
  KIT_MUST(cw_init(MPI_COMM_WORLD));
}

static void make_objects(void)
{
  start();
  cw_team twin = NULL;
  cw_region large = NULL, small = NULL;
  cw_mutexes freed_mutexes = NULL;
  target = kit_processes() - 1;
  world = cw_team_world();
  memset(here, 5, BESIDE);
  KIT_MUST(cw_region_create(world, BYTES, &region, slices));
  there = slices[target];
  mine = slices[kit_me()];
  memset(mine, 3, BYTES);
  KIT_MUST(cw_mutexes_create(world, 1, &set));
  KIT_MUST(cw_team_dup(world, &twin));
  KIT_MUST(cw_region_create(twin, 200000, &large, freed_slices));
  KIT_MUST(cw_region_create(world, 24, &small, freed_small));
  KIT_MUST(cw_mutexes_create(world, 1, &freed_mutexes));
  KIT_MUST(make(CW_DOUBLE, 2, pair(4, 5), (cw_distribution){0}));
  array = out.array;
  KIT_MUST(cw_array_duplicate(array, NULL, &freed_array));
  cw_array destroyed = freed_array;
  KIT_OK(cw_array_destroy(&destroyed));
  out.array = NULL;
  freed_team = twin;
  freed_region = large;
  freed_set = freed_mutexes;
  KIT_OK(cw_region_free(twin, &large));
  KIT_OK(cw_region_free(world, &small));
  KIT_OK(cw_mutexes_free(&freed_mutexes));
  KIT_OK(cw_team_free(&twin));
  KIT_OK(cw_barrier(world));
}

/* Checks that no data was moved. */
static void end_objects(void)
{
  char seen[BYTES], threes[BYTES];
  memset(threes, 3, BYTES);
  KIT_OK(cw_barrier(world));
  KIT_OK(cw_get(seen, there, BYTES, target));
  kit_check_bytes(seen, threes, BYTES, "the slice after all refused calls");
  for (int i = 0; i < BESIDE && here[i] == 5; i++)
    if (i == BESIDE - 1)
      kit_check(true, "my buffer is as it was");
  kit_check(here[0] == 5 && here[BESIDE - 1] == 5, "my buffer changed after refused calls");
  KIT_OK(cw_barrier(world));
  KIT_OK(cw_region_free(world, &region));
  KIT_OK(cw_mutexes_free(&set));
  KIT_OK(cw_array_destroy(&array));
  old_world = world;
  world = NULL;
  there = mine = NULL;
  KIT_MUST(cw_finalize());
}

static void begin_axes(void)
{
  begin_numbers();
  begin_objects();
  begin_addresses();
}

static void try_without_mpi(const char *when)
{
  TRY(no_mpi_rows, when);
}

static const struct bad_program program = {.name = "bad_input",
                                           .manner = BAD_RETURNS,
                                           .outside_mpi = true,
                                           .add = begin_constants,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects,
                                           .without_mpi = try_without_mpi};

#define BAD_RUNNING "runtime/bad_input.def"
#define BAD_IDLE "runtime/not_running.def"
#include "kit/bad_program.inc"

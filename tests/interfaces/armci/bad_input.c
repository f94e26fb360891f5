/* Every bad argument of every public ARMCI call at every moment: before ARMCI_Init, while ARMCI
 * runs, after ARMCI_Finalize, and in a second life. Each ends the job with a message that names the
 * call and the argument. Here cw_abort returns, so that one job can try all of them. misuse.c has
 * some that really end a job. The tables are the .def files. */
#include "kit/bad_input.h"
#include "armci_kit.h"

#include "memory/zone.h"
#include <causeway.h>

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not a power of two, so that memory after a slice belongs to no other slice. */
enum { BYTES = 4000, WORDS = 64 };

/* Valid objects that a rejected call may use. */
static struct {
  void *addresses[64];
  ARMCI_Group group;
  armci_hdl_t handle;
  armci_giov_t iov;
  void *from[2], *to[2];
  int number, count[2], stride, pair[2];
  char word[16];
} out;

static ARMCI_Group world, freed_group, garbage, zeros, ones;
static armcix_mutex_hdl_t set, freed_set;
static int target; /* the last process */
static char *there, *mine;
static int *flag_there;
static void *slices[64], *freed_slices[64], *freed_small[64];
static long data[WORDS], more[WORDS], one = 1;
static char text[8 * WORDS];
static int step[CW_MAX_LEVELS] = {8, 8, 8, 8, 8, 8, 8, 8};
static int two[CW_MAX_LEVELS + 1] = {8, 2, 2, 2, 2, 2, 2, 2, 2};
static int ranks[2] = {0, 0};

static struct bad_axis numbers, numbers_but_none, negatives, overruns, huge, types, levels, strides;
static struct bad_axis outside_two, outside_four, scopes, reduced_types, tags, receive_tags,
    handles;
static struct bad_axis remotes, words4, words8, own_addresses, own_or_null;
static struct bad_axis groups, groups_not_null, sets;

/* --- Elements of the rows --------------------------------------------------------------------- */

#define ADDRESS at(bad)
#define GROUP ((ARMCI_Group *)at(bad))
#define SET ((armcix_mutex_hdl_t)at(bad))

/* Undoes an ARMCI_Init that only increased the counter. */
static bool count(bool started)
{
  return ARMCI_Finalize() == 0 && started;
}

static int *counts(int bytes, int blocks)
{
  out.count[0] = bytes;
  out.count[1] = blocks;
  return out.count;
}

static int *stride(int bytes)
{
  out.stride = bytes;
  return &out.stride;
}

static int *with(int second)
{
  out.pair[0] = 0;
  out.pair[1] = second;
  return out.pair;
}

/* ARMCI takes operators as char *. */
static char *word(const char *given)
{
  snprintf(out.word, sizeof out.word, "%s", given);
  return out.word;
}

static armci_giov_t *describe(void *local, void *remote, int bytes, int segments, bool get)
{
  void **locals = get ? out.to : out.from, **remotes_of = get ? out.from : out.to;
  locals[0] = data;
  locals[1] = local;
  remotes_of[0] = there;
  remotes_of[1] = remote;
  out.iov = (armci_giov_t){out.from, out.to, bytes, segments};
  return &out.iov;
}

static armci_giov_t *puts_of(void *local, void *remote, int bytes, int segments)
{
  return describe(local, remote, bytes, segments, false);
}

static armci_giov_t *gets_of(void *local, void *remote, int bytes, int segments)
{
  return describe(local, remote, bytes, segments, true);
}

static armci_giov_t *without_src(void)
{
  describe(data, there, 8, 2, false);
  out.iov.src_ptr_array = NULL;
  return &out.iov;
}

static armci_giov_t *without_dst(void)
{
  describe(data, there, 8, 2, false);
  out.iov.dst_ptr_array = NULL;
  return &out.iov;
}

static armci_hdl_t *handle(intptr_t bits)
{
  memcpy(&out.handle, &bits, sizeof out.handle);
  return &out.handle;
}

static ARMCI_Group *copy(const ARMCI_Group *group)
{
  out.group = *group;
  return &out.group;
}

/* --- Tried values ----------------------------------------------------------------------------- */

static void begin_constants(void)
{
  bad_add_negatives(&negatives);
  bad_add(&overruns, "one byte more than there is", BYTES - 8 + 8 + 8);
  bad_add(&overruns, "INT_MAX - 7", INT_MAX - 7);
  bad_add(&huge, "LONG_MAX", LONG_MAX);
  bad_add(&huge, "2^61", 1L << 61);
  bad_add(&strides, "INT_MIN", INT_MIN);
  bad_add(&strides, "INT_MAX", INT_MAX);
  bad_add(&strides, "-8", -8);
  bad_add(&strides, "the slice", BYTES);
  bad_add_numbers(&types, ARMCI_ACC_DCP + 1);
  bad_add_numbers(&levels, CW_MAX_LEVELS + 1);
  bad_add_numbers(&outside_two, 2);
  bad_add_numbers(&outside_four, 4);
  bad_add_numbers(&scopes, SCOPE_MASTERS + 1);
  bad_add_numbers(&reduced_types, ARMCI_DOUBLE + 1);
  bad_add_negatives(&tags);
  bad_add(&receive_tags, "-7", -7);
  bad_add(&receive_tags, "INT_MIN", INT_MIN);
  bad_add(&handles, "a place that never was", (intptr_t)7777);
  bad_add(&handles, "a generation that never was", ((intptr_t)99 << 32) | 1);
  bad_add(&handles, "all ones", -1);
  memset(&garbage, 0xa5, sizeof garbage);
  memset(&ones, 0xff, sizeof ones);
}

static void begin_numbers(void)
{
  numbers.count = numbers_but_none.count = 0;
  bad_add_numbers(&numbers, kit_processes());
  bad_add(&numbers_but_none, "the number behind the last", kit_processes());
  bad_add(&numbers_but_none, "-2", -2);
  bad_add(&numbers_but_none, "INT_MIN", INT_MIN);
}

static void begin_groups(void)
{
  groups.count = groups_not_null.count = sets.count = 0;
  bad_add(&groups, "NULL", 0);
  struct bad_axis *const both[] = {&groups, &groups_not_null};
  for (int i = 0; i < 2; i++) {
    bad_add_address(both[i], "memory that was never cleared", &garbage);
    bad_add_address(both[i], "zeros", &zeros);
    bad_add_address(both[i], "ones", &ones);
    bad_add_address(both[i], "a freed group", &freed_group);
  }
  bad_add(&sets, "NULL", 0);
  bad_add(&sets, "8", 8);
  bad_add(&sets, "-1", -1);
  bad_add_address(&sets, "private memory", data);
  bad_add_address(&sets, "a freed set", freed_set);
  if (set != NULL)
    bad_add_address(&sets, "the inside of a set", (char *)(void *)set + 8);
}

/* Adds addresses that are in no slice of this process. */
static void add_elsewhere(struct bad_axis *axis, char *slice, int owner)
{
  bad_add(axis, "8", 8);
  bad_add(axis, "-8", -8);
  bad_add_address(axis, "private memory", data);
  bad_add_address(axis, "a variable", &out);
  if (slice == NULL)
    return;
  bad_add_address(axis, "behind the slice", slice + BYTES);
  bad_add_address(axis, "before the slice", slice - 8);
  bad_add_address(axis, "the zone", cwi_zone.base);
  bad_add_address(axis, "the end of the zone", cwi_zone.base + cwi_zone.size);
  bad_add_address(axis, "a freed slice", freed_slices[owner]);
  bad_add_address(axis, "a small freed slice", freed_small[owner]);
  for (int process = 0; process < kit_processes(); process++)
    if (process != owner && slices[process] != slice)
      bad_add_address(axis, "a slice of another process", slices[process]);
}

static void begin_addresses(void)
{
  remotes.count = own_addresses.count = own_or_null.count = 0;
  bad_add(&remotes, "NULL", 0);
  bad_add(&own_or_null, "NULL", 0);
  add_elsewhere(&remotes, there, target);
  add_elsewhere(&own_addresses, mine, kit_me());
  add_elsewhere(&own_or_null, mine, kit_me());
  words4 = words8 = remotes;
  if (there == NULL)
    return;
  bad_add_address(&own_addresses, "the inside of the slice", mine + 8);
  bad_add_address(&words4, "half an address", there + 2);
  bad_add_address(&words8, "half an address", there + 4);
  bad_add_address(&words8, "an odd address", there + 1);
}

/* --- The moments ------------------------------------------------------------------------------ */

static void make_objects(void)
{
  ARMCI_Group freed;
  kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  target = kit_processes() - 1;
  ARMCI_Group_get_world(&world);
  kit_check_long(ARMCI_Malloc(slices, BYTES), 0, "ARMCI_Malloc");
  there = slices[target];
  mine = slices[kit_me()];
  flag_there = (int *)(void *)(there + 64);
  kit_check_long(ARMCI_Malloc(freed_slices, 200000), 0, "ARMCI_Malloc");
  kit_check_long(ARMCI_Malloc(freed_small, 24), 0, "ARMCI_Malloc");
  kit_check_long(ARMCI_Free(freed_slices[kit_me()]), 0, "ARMCI_Free");
  kit_check_long(ARMCI_Free(freed_small[kit_me()]), 0, "ARMCI_Free");
  kit_check_long(ARMCIX_Group_dup(&world, &freed), 0, "ARMCIX_Group_dup");
  freed_group = freed;
  ARMCI_Group_free(&freed);
  set = ARMCIX_Create_mutexes_hdl(2, &world);
  freed_set = ARMCIX_Create_mutexes_hdl(2, &world);
  kit_check_long(ARMCIX_Destroy_mutexes_hdl(freed_set), 0, "ARMCIX_Destroy_mutexes_hdl");
  ARMCI_Barrier();
}

static void begin_axes(void)
{
  begin_numbers();
  begin_groups();
  begin_addresses();
}

static void end_objects(void)
{
  kit_check_long(ARMCIX_Destroy_mutexes_hdl(set), 0, "ARMCIX_Destroy_mutexes_hdl");
  kit_check_long(ARMCI_Free(mine), 0, "ARMCI_Free");
  kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  freed_set = set;
  set = NULL;
  there = mine = NULL;
}

static const struct bad_program program = {.name = "armci.bad_input",
                                           .manner = BAD_ENDS,
                                           .outside_mpi = true,
                                           .add = begin_constants,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "interfaces/armci/bad_input.def"
#define BAD_IDLE "interfaces/armci/not_running.def"
#include "kit/bad_program.inc"

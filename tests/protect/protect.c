/* Arrays that are protected, committed, changed and recovered on some of their members, without a
 * failure: random arrays of each layout and type, against their model.
 *
 *   protect [device] [ROUNDS] */
#include "protect/protect.h"
#include "array/array_model.h"
#include "kit/devices.h"
#include "wait/failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1500 };

static int values; /* of all changes so far */

/* Puts new values to a random patch, from a random process. */
static void change(array_model *model)
{
  const int writer = kit_common(kit_processes());
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], index[CW_MAX_DIMENSIONS];
  char *buffer = kit_alloc(model->count, model->element);
  size_t count = 0;
  model_patch(model, 0, 1, lo, hi);
  memcpy(index, lo, sizeof index);
  values++;
  do {
    const size_t at = model_index(model, index);
    model->real[at] = model_payload(writer, count, values);
    model->imaginary[at] = model_payload(writer, count + 1, values);
    model_store(model, buffer + count++ * model->element, model->real[at], model->imaginary[at]);
  } while (model_next(model->n, lo, hi, index));
  if (writer == kit_me())
    KIT_OK(cw_array_put(model->array, lo, hi, buffer, NULL));
  free(buffer);
}

static void change_often(array_model *model)
{
  for (int more = kit_common(4); more > 0; more--) {
    change(model);
    KIT_OK(cw_array_sync(model->array));
  }
  change(model);
}

static void fill(array_model *model)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  char *buffer = kit_alloc(model->count, model->element);
  for (int d = 0; d < model->n; d++)
    hi[d] = model->extents[d] - 1;
  for (size_t i = 0; i < model->count; i++) {
    model->real[i] = model_payload(0, i, 0);
    model->imaginary[i] = model_payload(1, i, 0);
    model_store(model, buffer + i * model->element, model->real[i], model->imaginary[i]);
  }
  if (kit_me() == 0)
    KIT_OK(cw_array_put(model->array, lo, hi, buffer, NULL));
  free(buffer);
  KIT_OK(cw_array_sync(model->array));
}

/* Returns a model of the same values, without an array. */
static array_model copy_of(const array_model *model)
{
  array_model copy = *model;
  copy.array = NULL;
  copy.real = kit_alloc(model->count, sizeof *copy.real);
  copy.imaginary = kit_alloc(model->count, sizeof *copy.imaginary);
  memcpy(copy.real, model->real, model->count * sizeof *copy.real);
  memcpy(copy.imaginary, model->imaginary, model->count * sizeof *copy.imaginary);
  return copy;
}

static void free_copy(array_model *copy)
{
  free(copy->real);
  free(copy->imaginary);
}

/* Draws a team of some members, in any order; now and then of all of them. Returns NULL where this
 * process is not a member. */
static cw_team draw_team(void)
{
  const int processes = kit_processes();
  int ranks[64];
  cw_team team = NULL;
  for (int i = 0; i < processes; i++)
    ranks[i] = i;
  for (int i = 0; i < processes; i++) {
    const int j = i + kit_common(processes - i), rank = ranks[j];
    ranks[j] = ranks[i];
    ranks[i] = rank;
  }
  const size_t members = 1 + (size_t)kit_common(processes);
  KIT_MUST(cw_team_create(cw_team_world(), members, ranks, 0, &team));
  return team;
}

static void check_alike(cw_array array, cw_array recovered)
{
  cw_array_description old, new;
  KIT_OK(cw_array_describe(array, &old));
  KIT_OK(cw_array_describe(recovered, &new));
  kit_check(strcmp(old.name, new.name) == 0, "the name became '%s'", new.name);
  kit_check_long(new.type, old.type, "type");
  kit_check_long(new.layout, old.layout, "layout");
  kit_check_long(new.column_major, old.column_major, "column_major");
  kit_check(memcmp(new.ghosts, old.ghosts, sizeof new.ghosts) == 0, "other ghosts");
  kit_check(memcmp(new.extents, old.extents, sizeof new.extents) == 0, "other extents");
}

/* Recovers on all members: the blocks stay where they are. */
static void recover_on_all(const array_model *committed, cw_array array)
{
  bool same = false;
  array_model again = *committed;
  KIT_MUST(cw_array_recover(array, cw_team_world(), &again.array));
  model_verify(&again);
  KIT_OK(cw_array_same_distribution(array, again.array, &same));
  kit_check(same, "the same members have other blocks after a recovery");
  KIT_OK(cw_array_destroy(&again.array));
}

/* Recovers on some members, and from there on some of these. */
static void recover_on_some(const array_model *committed, cw_array array)
{
  cw_team team = draw_team();
  const int copies = 1 + kit_common(3);
  if (team != NULL) {
    array_model again = *committed, twice = *committed;
    const int first = 0;
    cw_team alone = NULL;
    KIT_MUST(cw_array_recover(array, team, &again.array));
    check_alike(array, again.array);
    model_verify(&again);
    KIT_OK(cw_array_protect(again.array, copies));
    KIT_OK(cw_array_commit(again.array));
    KIT_MUST(cw_team_create(team, 1, &first, 0, &alone));
    if (alone != NULL) {
      KIT_MUST(cw_array_recover(again.array, alone, &twice.array));
      model_verify(&twice);
      KIT_OK(cw_array_destroy(&twice.array));
    }
    KIT_OK(cw_barrier(team));
    KIT_OK(cw_array_destroy(&again.array));
    KIT_OK(cw_team_free(&alone));
    KIT_OK(cw_team_free(&team));
  }
  KIT_OK(cw_barrier(cw_team_world()));
}

static void test_random(long round)
{
  array_model model;
  model_create(&model, 1 + (int)(round % 4), MOST, true);
  const int copies = 1 + kit_common(kit_processes() + 1);
  kit_about("round %ld, %d dimensions, %d copies", round, model.n, copies);
  fill(&model);
  KIT_OK(cw_array_protect(model.array, copies));
  for (int commits = 1 + kit_common(4); commits > 0; commits--) {
    change_often(&model);
    KIT_OK(cw_array_commit(model.array));
    array_model committed = copy_of(&model);
    change_often(&model);
    KIT_OK(cw_array_sync(model.array));
    if (commits == 1)
      recover_on_all(&committed, model.array);
    recover_on_some(&committed, model.array);
    model_verify(&model);
    free_copy(&committed);
  }
  if (kit_common(2) == 0)
    KIT_OK(cw_array_protect(model.array, 0));
  model_destroy(&model);
}

/* A second protection, and its end, give up the commits of the first. */
static void test_states(void)
{
  const int64_t extents[1] = {37};
  const cw_array_options options = {
      .name = "states", .type = CW_INT, .dimensions = 1, .extents = extents};
  const int seven = 7;
  cw_array array = NULL, none = NULL;
  kit_about("states of protection");
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &seven));
  KIT_MISUSE("cw_array_commit|not protected", cw_array_commit(array));
  KIT_MISUSE("cw_array_recover|not protected", cw_array_recover(array, cw_team_world(), &none));
  KIT_OK(cw_array_protect(array, 0));
  KIT_OK(cw_array_protect(array, 1));
  KIT_MISUSE("cw_array_recover|no committed contents",
             cw_array_recover(array, cw_team_world(), &none));
  KIT_OK(cw_array_commit(array));
  KIT_OK(cw_array_protect(array, 2));
  KIT_MISUSE("cw_array_recover|no committed contents",
             cw_array_recover(array, cw_team_world(), &none));
  KIT_OK(cw_array_commit(array));
  KIT_OK(cw_array_protect(array, 0));
  KIT_MISUSE("cw_array_commit|not protected", cw_array_commit(array));
  kit_check(none == NULL, "a rejected call made an array");
  KIT_OK(cw_array_destroy(&array));
}

/* Two arrays that are committed together and alone. */
static void test_together(void)
{
  const int64_t extents[1] = {64};
  const cw_array_options options = {
      .name = "together", .type = CW_LONG, .dimensions = 1, .extents = extents};
  cw_array arrays[2] = {NULL, NULL}, recovered = NULL;
  kit_about("commits of two arrays");
  for (int i = 0; i < 2; i++) {
    KIT_MUST(cw_array_create(cw_team_world(), &options, &arrays[i]));
    KIT_OK(cw_array_protect(arrays[i], 1));
  }
  for (long value = 1; value < 6; value++) {
    for (int i = 0; i < 2; i++)
      KIT_OK(cw_array_fill(arrays[i], NULL, NULL, &(long){value + 10 * i}));
    KIT_OK(cw_arrays_commit(value == 3 ? 1 : 2, arrays));
    for (int i = 0; i < 2; i++) {
      const int64_t last = 63;
      long seen = 0;
      KIT_MUST(cw_array_recover(arrays[i], cw_team_world(), &recovered));
      KIT_OK(cw_array_get(recovered, &last, &last, &seen, NULL));
      kit_check_long(seen, (value == 3 && i == 1 ? 2 : value) + 10 * i, "committed element");
      KIT_OK(cw_array_destroy(&recovered));
    }
  }
  KIT_OK(cw_array_protect(arrays[1], 0));
  KIT_MISUSE("cw_arrays_commit|not protected", cw_arrays_commit(2, arrays));
  for (int i = 0; i < 2; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
}

/* The members disagree, or one passes a wrong argument: all of them get an error. */
static void test_differences(void)
{
  const int64_t extents[1] = {37};
  const cw_array_options options = {
      .name = "part", .type = CW_INT, .dimensions = 1, .extents = extents};
  const bool last = kit_me() == kit_processes() - 1;
  cw_team team = NULL;
  cw_array array = NULL, recovered = NULL;
  kit_about("members that differ");
  KIT_MUST(cw_team_split(cw_team_world(), last ? 1 : 0, 0, &team));
  KIT_MUST(cw_array_create(team, &options, &array));
  KIT_OK(cw_array_protect(array, 1));
  KIT_OK(cw_array_commit(array));
  if (kit_processes() > 1 && !kit_uses_devices())
    KIT_MISUSE("cw_array_recover|is not in the team of array 'part'",
               cw_array_recover(array, cw_team_world(), &recovered));
  if (cw_team_size(team) > 1) {
    KIT_MISUSE("cw_array_protect|copies", cw_array_protect(array, kit_me() == 0 ? 1 : 2));
    KIT_MISUSE("cw_array_protect|copies is -1", cw_array_protect(array, kit_me() == 0 ? -1 : -1));
    KIT_MISUSE("cw_array_recover|recovered",
               cw_array_recover(array, team, kit_me() == 0 ? NULL : &recovered));
  }
  kit_check(recovered == NULL, "a rejected call made an array");
  KIT_MUST(cw_array_recover(array, team, &recovered));
  KIT_OK(cw_array_destroy(&recovered));
  KIT_OK(cw_array_destroy(&array));
  KIT_OK(cw_team_free(&team));
}

static int nodes_of(const struct cwi_keeper *keepers, int count)
{
  int nodes = 0;
  for (int k = 0; k < count; k++) {
    bool seen = false;
    for (int before = 0; before < k; before++)
      seen = seen || cw_process_node(keepers[before].rank) == cw_process_node(keepers[k].rank);
    nodes += !seen;
  }
  return nodes;
}

static void check_keepers(cw_array array, int copies)
{
  const int processes = kit_processes();
  const int count = copies < processes ? copies + 1 : processes;
  int parts[64] = {0};
  kit_check_long(array->protection->keepers, count, "number of keepers");
  for (int rank = 0; rank < processes; rank++) {
    const struct cwi_keeper *keepers = cwi_part_keepers(array, rank);
    kit_check_long(keepers[0].rank, rank, "first keeper");
    for (int k = 0; k < count; k++) {
      parts[keepers[k].rank]++;
      for (int before = 0; before < k; before++)
        kit_check(keepers[before].rank != keepers[k].rank, "rank %d keeps part %d twice",
                  keepers[k].rank, rank);
    }
    kit_check_long(nodes_of(keepers, count), count < cw_nodes() ? count : cw_nodes(),
                   "nodes of the copies of a part");
  }
  for (int rank = 0; rank < processes && processes % cw_nodes() == 0; rank++)
    kit_check_long(parts[rank], count, "parts that a member of equal nodes keeps");
}

/* The copies of a part are on different nodes as far as possible, and members keep equally many. */
static void test_keepers(void)
{
  const int64_t extents[1] = {100};
  const cw_array_options options = {
      .name = "kept", .type = CW_INT, .dimensions = 1, .extents = extents};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  for (int copies = 1; copies <= kit_processes(); copies++) {
    kit_about("keepers of %d copies", copies);
    KIT_OK(cw_array_protect(array, copies));
    check_keepers(array, copies);
  }
  KIT_OK(cw_array_destroy(&array));
}

/* Recovers on process 0 alone, which believes that the others have failed. It loads the copies of
 * those on its node; a part whose copies are all on other nodes is lost. */
static void test_lost(void)
{
  const int64_t extents[1] = {100};
  const cw_array_options options = {
      .name = "lost", .type = CW_INT, .dimensions = 1, .extents = extents};
  cw_array array = NULL, recovered = NULL;
  cw_team alone = NULL;
  int lost = -1;
  kit_about("parts without copies");
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_protect(array, 1));
  KIT_OK(cw_array_commit(array));
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() == 0 ? 0 : MPI_UNDEFINED, 0, &alone));
  for (int rank = kit_processes() - 1; rank > 0; rank--) {
    const struct cwi_keeper *keepers = cwi_part_keepers(array, rank);
    const bool reached =
        cwi_rank_loadable(array, keepers[0].rank) || cwi_rank_loadable(array, keepers[1].rank);
    lost = reached ? lost : rank;
  }
  if (alone != NULL) {
    char words[64];
    snprintf(words, sizeof words, "cw_array_recover|part of rank %d of array 'lost'", lost);
    free(alone->survivor_flags);
    alone->survivor_flags = kit_alloc(1, 1); /* as in a job that survives failures */
    KIT_MUST(cwi_failures_start(kit_processes()));
    cwi_failures_survive();
    for (int process = 1; process < kit_processes(); process++)
      cwi_failures_note(process);
    if (lost < 0)
      KIT_OK(cw_array_recover(array, alone, &recovered));
    else
      kit_call_fails("cw_array_recover", cw_array_recover(array, alone, &recovered), CW_FAILED,
                     words);
    kit_check((recovered != NULL) == (lost < 0), "an array without a part was recovered");
    cwi_failures_stop();
    if (recovered != NULL)
      KIT_OK(cw_array_destroy(&recovered));
    KIT_OK(cw_team_free(&alone));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_array_destroy(&array));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "protect");
  kit_take_devices(&argc, argv);
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 20);
  test_states();
  test_together();
  test_differences();
  test_keepers();
  test_lost();
  for (long round = 0; round < rounds; round++)
    test_random(round);
  kit_close_devices();
  return kit_finish_native();
}

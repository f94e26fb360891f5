/* CW_CHECK=1: one row for each collective call and each argument that must be the same on all
 * members. The last process passes another value; all calls are rejected with a message that names
 * the argument and both values. Afterwards everything still works. */
#include "kit/native.h"

#include <causeway.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* true if this process passes the odd value */
static bool odd;
static cw_array a, b, c, line, packed, vector;
static cw_region regions[2];
static cw_mutexes mutexes[2];
static cw_notifications notes[2];
static cw_tasks pools[2];

#define EITHER(usual, other) (odd ? (other) : (usual))

/* message: the parts that the message must have. */
#define ROW(message, ...) KIT_MISUSE(message "|process |process ", (__VA_ARGS__))
#define SAME(argument, ...)                                                                        \
  KIT_MISUSE(argument " has to be the same on all members: process ", (__VA_ARGS__))

/* A call that starts an operation reports the error at the wait. */
#define SAME_STARTED(argument, handle, ...)                                                        \
  do {                                                                                             \
    KIT_OK((__VA_ARGS__));                                                                         \
    SAME(argument, cw_wait(handle));                                                               \
  } while (0)

static const int64_t lo[2] = {0, 0}, hi[2] = {3, 3}, less[2] = {2, 2}, one[2] = {1, 1};
static const double three = 3, four = 4.5;

static void make_array(cw_type type, int dimensions, const char *name, cw_array *array)
{
  const int64_t extents[2] = {6, 6};
  const cw_array_options options = {
      .name = name, .type = type, .dimensions = dimensions, .extents = extents};
  KIT_MUST(cw_array_create(cw_team_world(), &options, array));
}

static void test_fill(void)
{
  SAME("value", cw_array_fill(a, NULL, NULL, EITHER(&three, &four)));
  ROW("3|4.5", cw_array_fill(a, NULL, NULL, EITHER(&three, &four)));
  SAME("array", cw_array_fill(EITHER(a, b), NULL, NULL, &three));
  SAME("lo", cw_array_fill(a, EITHER(lo, one), hi, &three));
  SAME("hi", cw_array_fill(a, lo, EITHER(hi, less), &three));
  SAME("seed", cw_array_randomize(a, NULL, NULL, NULL, EITHER(1, 2)));
  SAME("limit", cw_array_randomize(a, NULL, NULL, EITHER(&three, &four), 1));
  SAME("array", cw_array_randomize(EITHER(a, b), NULL, NULL, NULL, 1));
  SAME("start", cw_array_enumerate(a, NULL, NULL, EITHER(&three, &four), NULL));
  SAME("step", cw_array_enumerate(a, NULL, NULL, &three, EITHER(&three, &four)));
}

static void test_elements(void)
{
  const cw_operand of_a = {.array = a}, of_b = {.array = b}, of_c = {.array = c};
  const cw_operand part = {a, lo, hi, false}, other_part = {a, one, (const int64_t[]){4, 4}, false};
  const cw_operand across = {.array = b, .transposed = true};
  double result = 0;
  SAME("from", cw_array_copy(EITHER(&of_a, &of_b), &of_c));
  SAME("to", cw_array_copy(&of_a, EITHER(&of_b, &of_c)));
  SAME("lo of from", cw_array_copy(EITHER(&part, &other_part), &(cw_operand){b, lo, hi, false}));
  SAME("transposed of to", cw_array_copy(&of_a, EITHER(&of_b, &across)));
  SAME("function", cw_array_apply(a, NULL, NULL, EITHER(CW_SCALE, CW_ADD_CONSTANT), &four));
  SAME("value", cw_array_apply(a, NULL, NULL, CW_SCALE, EITHER(&three, &four)));
  SAME("function", cw_array_combine(EITHER(CW_ELEMENT_SUM, CW_ELEMENT_PRODUCT), NULL, &of_a, NULL,
                                    &of_b, &of_c));
  SAME("alpha", cw_array_combine(CW_ELEMENT_SUM, EITHER(&three, &four), &of_a, NULL, &of_b, &of_c));
  SAME("beta", cw_array_combine(CW_ELEMENT_SUM, NULL, &of_a, EITHER(&three, &four), &of_b, &of_c));
  SAME("a", cw_array_combine(CW_ELEMENT_SUM, NULL, EITHER(&of_a, &of_b), NULL, &of_b, &of_c));
  SAME("c", cw_array_combine(CW_ELEMENT_SUM, NULL, &of_a, NULL, &of_b, EITHER(&of_c, &of_b)));
  SAME("v", cw_array_median(&of_a, &of_b, EITHER(&of_a, &of_b), &of_c));
  SAME("b", cw_array_dot(&of_a, EITHER(&of_b, &of_c), &result));
  SAME("v", cw_array_step(&of_a, EITHER(&of_b, &of_c), NULL, NULL, &result, NULL));
  SAME("high", cw_array_step(&of_a, &of_b, &of_a, EITHER(&of_a, &of_c), &result, &result));
  SAME("kind", cw_array_norm(a, NULL, NULL, EITHER(CW_NORM_SUM, CW_NORM_MAXIMUM), &result));
  SAME("hi", cw_array_norm(a, lo, EITHER(hi, less), CW_NORM_SUM, &result));
}

static void test_lines(void)
{
  int64_t index[2], count = 0;
  double value = 0;
  SAME("greatest", cw_array_select(a, NULL, NULL, EITHER(true, false), &value, index));
  SAME("array", cw_array_symmetrize(EITHER(a, b)));
  SAME("what", cw_array_diagonal(a, EITHER(CW_DIAGONAL_SHIFT, CW_DIAGONAL_ZERO), NULL, &three));
  SAME("value", cw_array_diagonal(a, CW_DIAGONAL_SHIFT, NULL, EITHER(&three, &four)));
  SAME("dimension", cw_array_scale_slices(a, EITHER(0, 1), vector));
  SAME("lo", cw_array_scan_copy(line, line, line, EITHER(0, 1), 5));
  SAME("hi", cw_array_scan_copy(line, line, line, 0, EITHER(4, 5)));
  SAME("exclusive", cw_array_scan_add(line, line, line, 0, 5, EITHER(true, false)));
  SAME("hi", cw_array_pack(line, packed, line, 0, EITHER(4, 5), &count));
}

static void test_linear(void)
{
  const cw_operand of_a = {.array = a}, of_b = {.array = b}, of_c = {.array = c};
  double w[6];
  SAME("alpha", cw_array_multiply(0, 0, EITHER(&three, &four), &of_a, &of_b, NULL, &of_c));
  SAME("beta", cw_array_multiply(0, 0, NULL, &of_a, &of_b, EITHER(&three, &four), &of_c));
  SAME("ta", cw_array_multiply(EITHER(0, 1), 0, NULL, &of_a, &of_b, NULL, &of_c));
  SAME("a", cw_array_multiply(0, 0, NULL, EITHER(&of_a, &of_b), &of_b, NULL, &of_c));
  SAME("op", cw_array_solve(EITHER(CW_NOT_TRANSPOSED, CW_TRANSPOSED), a, b, NULL));
  SAME("b", cw_array_solve(CW_NOT_TRANSPOSED, a, EITHER(b, c), NULL));
  SAME("a", cw_array_solve_positive(EITHER(a, b), c, NULL));
  SAME("a", cw_array_invert_positive(EITHER(a, b), NULL));
  SAME("v", cw_array_eigen(a, NULL, EITHER(b, c), w));
}

static void test_objects(void)
{
  cw_array freed_array = EITHER(a, b);
  cw_mutexes set = EITHER(mutexes[0], mutexes[1]);
  cw_notifications notifications = EITHER(notes[0], notes[1]);
  cw_tasks pool = EITHER(pools[0], pools[1]);
  cw_region region = EITHER(regions[0], regions[1]);
  SAME("array", cw_array_duplicate(EITHER(a, b), NULL, &freed_array));
  freed_array = EITHER(a, b);
  SAME("array", cw_array_sync(EITHER(a, b)));
  SAME("array", cw_array_protect(EITHER(a, b), 1));
  SAME("copies", cw_array_protect(a, EITHER(1, 2)));
  SAME("array", cw_array_commit(EITHER(a, b)));
  SAME("arrays", cw_arrays_commit(1, EITHER(&a, &b)));
  SAME("count", cw_arrays_commit(EITHER(1, 2), (const cw_array[]){a, b}));
  SAME("array", cw_array_recover(EITHER(a, b), cw_team_world(), &freed_array));
  SAME("array", cw_array_print(EITHER(a, b), NULL, NULL, stdout));
  SAME("hi", cw_array_print(a, lo, EITHER(hi, less), stdout));
  SAME("array", cw_array_destroy(&freed_array));
  SAME("mutexes", cw_mutexes_free(&set));
  kit_check(set != NULL, "the handle of a set of mutexes that stays is lost");
  SAME("notifications", cw_notifications_free(&notifications));
  kit_check(notifications != NULL, "the handle of a set of counters that stays is lost");
  SAME("pool", cw_tasks_process(pool));
  SAME("pool", cw_tasks_reset(pool));
  SAME("pool", cw_tasks_free(&pool));
  SAME("region", cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_notifications_create(cw_team_world(), EITHER(1, 2),
                                 &notifications)); /* values may differ between processes */
  KIT_OK(cw_notifications_free(&notifications));
}

static void test_files(void)
{
  static const char *const paths[] = {"compared.h5", "other.h5"};
  const cw_array both[] = {a, b}, turned[] = {b, a};
  SAME("path", cw_array_load(EITHER(paths[0], paths[1]), "a", a));
  SAME("name", cw_array_load(paths[0], EITHER("a", "b"), a));
  SAME("array", cw_array_load(paths[0], "a", EITHER(a, b)));
  SAME("path", cw_arrays_save(EITHER(paths[0], paths[1]), 2, both, NULL));
  SAME("arrays", cw_arrays_save(paths[0], 2, EITHER(both, turned), NULL));
  cw_array made = NULL;
  SAME("name", cw_array_create_from_file(cw_team_world(), paths[0], EITHER("a", "b"), NULL, &made));
}

static void test_collective(void)
{
  double value[2] = {0, 0};
  cw_team world = cw_team_world();
  SAME("type", cw_allreduce(world, EITHER(CW_DOUBLE, CW_LONG), CW_SUM, 1, value));
  ROW("CW_DOUBLE|CW_LONG", cw_allreduce(world, EITHER(CW_DOUBLE, CW_LONG), CW_SUM, 1, value));
  SAME("reduction", cw_allreduce(world, CW_DOUBLE, EITHER(CW_SUM, CW_MAXIMUM), 1, value));
  SAME("count", cw_allreduce(world, CW_DOUBLE, CW_SUM, EITHER(1, 2), value));
  SAME("root", cw_broadcast(world, EITHER(0, 1), value, 8));
  SAME("bytes", cw_broadcast(world, 0, value, EITHER(8, 16)));
}

/* Calls with pieces of each member, and non-blocking ones. */
static void test_pieces(void)
{
  cw_team world = cw_team_world();
  const size_t n = (size_t)kit_processes();
  double *mine = calloc(2 * n, sizeof *mine), *all = calloc(2 * n, sizeof *all);
  cw_handle handle = {0};
  SAME("bytes", cw_gather(world, 0, mine, EITHER(8, 16), all));
  SAME("root", cw_gather(world, EITHER(0, 1), mine, 8, all));
  SAME("bytes", cw_allgather(world, mine, EITHER(8, 16), all));
  SAME("bytes", cw_scatter(world, 0, all, EITHER(8, 16), mine));
  SAME("root", cw_scatter(world, EITHER(0, 1), all, 8, mine));
  SAME("bytes", cw_alltoall(world, mine, EITHER(8, 16), all));
  SAME("reduction", cw_scan(world, CW_DOUBLE, EITHER(CW_SUM, CW_MAXIMUM), 1, mine));
  SAME("count", cw_exclusive_scan(world, CW_DOUBLE, CW_SUM, EITHER(1, 2), mine));
  ROW("different collective calls", EITHER(cw_scan(world, CW_DOUBLE, CW_SUM, 1, mine),
                                           cw_exclusive_scan(world, CW_DOUBLE, CW_SUM, 1, mine)));
  SAME_STARTED("root", &handle, cw_ibroadcast(world, EITHER(0, 1), mine, 8, &handle));
  SAME_STARTED("type", &handle,
               cw_iallreduce(world, EITHER(CW_DOUBLE, CW_LONG), CW_SUM, 1, mine, &handle));
  SAME_STARTED("bytes", &handle, cw_iallgather(world, mine, EITHER(8, 16), all, &handle));
  SAME_STARTED("bytes", &handle, cw_ialltoall(world, mine, EITHER(8, 16), all, &handle));
  free(mine);
  free(all);
}

/* Lengths may differ for each pair (tests/collective/pieces.c), but not the root. */
static void test_lengths(void)
{
  cw_team world = cw_team_world();
  const size_t n = (size_t)kit_processes();
  const int last = kit_processes() - 1;
  double *mine = calloc(2 * n, sizeof *mine), *all = calloc(2 * n, sizeof *all);
  size_t *lengths = calloc(n, sizeof *lengths);
  for (size_t i = 0; i < n; i++)
    lengths[i] = 8;
  SAME("root", cw_gatherv(world, EITHER(0, last), mine, 8, all, lengths, NULL));
  SAME("root", cw_scatterv(world, EITHER(0, last), all, lengths, NULL, mine, 8));
  free(mine);
  free(all);
  free(lengths);
}

static void make_all(void)
{
  make_array(CW_DOUBLE, 2, "a", &a);
  make_array(CW_DOUBLE, 2, "b", &b);
  make_array(CW_DOUBLE, 2, "c", &c);
  make_array(CW_INT, 1, "line", &line);
  make_array(CW_INT, 1, "packed", &packed);
  make_array(CW_DOUBLE, 1, "vector", &vector);
  for (int i = 0; i < 2; i++) {
    KIT_MUST(cw_region_create(cw_team_world(), 8, &regions[i], NULL));
    KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes[i]));
    KIT_MUST(cw_notifications_create(cw_team_world(), 1, &notes[i]));
    KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pools[i]));
  }
}

/* No rejected call was executed partly: all objects exist and can be freed. */
static void free_all(void)
{
  for (int i = 0; i < 2; i++) {
    KIT_OK(cw_region_free(cw_team_world(), &regions[i]));
    KIT_OK(cw_mutexes_free(&mutexes[i]));
    KIT_OK(cw_notifications_free(&notes[i]));
    KIT_OK(cw_tasks_free(&pools[i]));
  }
  cw_array *const arrays[] = {&a, &b, &c, &line, &packed, &vector};
  for (int i = 0; i < 6; i++)
    KIT_OK(cw_array_destroy(arrays[i]));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "compared");
  kit_hang_guard();
  odd = kit_me() == kit_processes() - 1;
  make_all();
  test_fill();
  test_elements();
  test_lines();
  test_linear();
  test_objects();
  test_files();
  test_collective();
  test_pieces();
  test_lengths();
  free_all();
  return kit_finish_native();
}

/* Queries of distributions: the default distribution, compared with a table of known results, and
 * all calls that report owners. */
#include "kit/native.h"

#include <stdlib.h>

#include "array/default_distribution.h"
#include "team/team.h"

#include <string.h>

/* Extents, least block sizes, number of processes, and the grid and first blocks that Global Arrays
 * 5.8 chooses. */
struct known {
  int n, processes;
  int64_t extents[3], least[3];
  int grid[3];
  int64_t starts[12]; /* first indices of the blocks, dimension after dimension */
};

static const struct known table[] = {
    {2, 2, {100, 100}, {0}, {1, 2}, {0, 0, 50}},
    {2, 3, {100, 100}, {0}, {1, 3}, {0, 0, 34, 67}},
    {2, 4, {100, 100}, {0}, {2, 2}, {0, 50, 0, 50}},
    {2, 6, {100, 100}, {0}, {2, 3}, {0, 50, 0, 34, 67}},
    {2, 8, {100, 100}, {0}, {2, 4}, {0, 50, 0, 25, 50, 75}},
    {2, 12, {100, 100}, {0}, {4, 3}, {0, 25, 50, 75, 0, 34, 67}},
    {2, 4, {10, 7}, {0}, {2, 2}, {0, 5, 0, 4}},
    {2, 4, {1000, 10}, {0}, {2, 2}, {0, 500, 0, 5}},
    {2, 4, {10, 1000}, {0}, {2, 2}, {0, 5, 0, 500}},
    {2, 4, {3, 100}, {0}, {1, 4}, {0, 0, 25, 50, 75}},
    {1, 3, {1000}, {0}, {3}, {0, 334, 667}},
    {3, 12, {64, 64, 64}, {0}, {2, 2, 3}, {0, 32, 0, 32, 0, 22, 43}},
    {2, 4, {100, 100}, {100, -1}, {1, 4}, {0, 0, 25, 50, 75}},
    {2, 4, {100, 100}, {-1, 100}, {4, 1}, {0, 25, 50, 75, 0}},
    {2, 4, {100, 100}, {30, 30}, {2, 2}, {0, 60, 0, 60}},
    {2, 8, {5, 5}, {0}, {2, 4}, {0, 3, 0, 2, 3, 4}},
    /* The least block size is given for the first dimension, and 0 (unspecified) for the last. */
    {2, 2, {15, 3}, {4, 0}, {1, 1}, {0, 0}},
    {2, 4, {15, 3}, {4, 0}, {2, 1}, {0, 12, 0}},
    {3, 3, {5, 7, 4}, {1, 3, 0}, {1, 2, 1}, {0, 0, 6, 0}},
    {3, 4, {8, 7, 6}, {5, -1, 0}, {1, 1, 2}, {0, 0, 0, 3}},
};

/* Checks the rule alone, which does not need that many processes. */
static void check_rule(const struct known *known)
{
  int64_t grid[3];
  const int64_t *start = known->starts;
  const bool heeded = cwi_rule_heeds(known->n, known->least);
  cwi_rule_grid(known->processes, known->n, known->extents, known->least, grid);
  for (int d = 0; d < known->n; d++) {
    const struct cwi_rule_blocks blocks_of_rule =
        cwi_rule_partition(known->extents[d], known->least[d], heeded, grid[d]);
    int64_t first = 0;
    kit_check_long((long)blocks_of_rule.blocks, known->grid[d], "blocks of a dimension");
    for (int block = 0; block < known->grid[d]; block++) {
      kit_check_long((long)first, (long)*start++, "first index of a block");
      first += block < blocks_of_rule.long_blocks ? blocks_of_rule.length
                                                  : blocks_of_rule.length - blocks_of_rule.granule;
    }
  }
}

/* Makes an array of this distribution on the existing processes. */
static cw_array make(int n, const int64_t *extents, const cw_distribution *distribution)
{
  cw_array array = NULL;
  const cw_array_options options = {.name = "asked",
                                    .type = CW_DOUBLE,
                                    .dimensions = n,
                                    .extents = extents,
                                    .distribution = *distribution};
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

/* Checks that the parts of all members cover the array once, in the order of the ranks. */
static void check_parts(cw_array array)
{
  cw_array_description what;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  int64_t elements = 0, whole = 1;
  KIT_OK(cw_array_describe(array, &what));
  for (int rank = 0; rank < kit_processes(); rank++) {
    int64_t part = 1;
    KIT_OK(cw_array_part(array, rank, lo, hi));
    for (int d = 0; d < what.dimensions; d++)
      part *= hi[d] - lo[d] + 1;
    elements += part;
  }
  for (int d = 0; d < what.dimensions; d++)
    whole *= what.extents[d];
  kit_check_long((long)elements, (long)whole, "elements of all parts");
}

static void check_layouts(void)
{
  const int64_t extents[] = {37, 23}, block[] = {4, 5};
  for (int layout = CW_BLOCKS; layout <= CW_ROUND_ROBIN; layout++) {
    const cw_distribution distribution = {.layout = (cw_layout)layout, .block = block};
    cw_array array = make(2, extents, &distribution), copy = NULL;
    cw_array_description what, of_copy;
    bool same = false;
    kit_about("layout %d", layout);
    check_parts(array);
    KIT_OK(cw_array_duplicate(array, "copy", &copy));
    KIT_OK(cw_array_same_distribution(array, copy, &same));
    kit_check(same, "a duplicate has another distribution");
    KIT_OK(cw_array_describe(array, &what));
    KIT_OK(cw_array_describe(copy, &of_copy));
    kit_check(strcmp(what.name, "asked") == 0 && strcmp(of_copy.name, "copy") == 0,
              "names are '%s' and '%s'", what.name, of_copy.name);
    kit_check_long((long)what.total_blocks, (long)of_copy.total_blocks, "blocks of a duplicate");
    KIT_OK(cw_array_destroy(&copy));
    KIT_OK(cw_array_destroy(&array));
  }
}

/* Compares two queries of a process's coordinates in the grid. */
static void check_coordinates(void)
{
  const int64_t extents[] = {40, 40}, block[] = {3, 3};
  const int grid[] = {kit_processes(), 1};
  for (int column_major = 0; column_major < 2; column_major++) {
    const cw_distribution distribution = {
        .layout = CW_CYCLIC, .block = block, .grid = grid, .column_major = column_major != 0};
    cw_array array = make(2, extents, &distribution);
    for (int rank = 0; rank < kit_processes(); rank++) {
      int coordinates[2] = {-2, -2}, owner = -1;
      const int64_t first[] = {3 * (int64_t)rank, 0};
      KIT_OK(cw_array_coordinates(array, rank, coordinates));
      kit_check(coordinates[0] == rank && coordinates[1] == 0, "rank %d is at (%d, %d)", rank,
                coordinates[0], coordinates[1]);
      KIT_OK(cw_array_locate(array, first, &owner));
      kit_check_long(owner, rank, "owner of the first block");
    }
    KIT_OK(cw_array_destroy(&array));
  }
}

/* Invalid arguments are rejected on all members, also if only one of them passes one. */
static void check_rejected(void)
{
  const int64_t extents[] = {10, 10}, zero[] = {10, 0}, late[] = {1, 0}, falling[] = {0, 5, 3, 0};
  const int many[] = {kit_processes() + 1, 1}, three[] = {3, 1}, one[] = {1, 1};
  cw_array array = NULL;
  cw_array_options options = {.type = CW_INT, .dimensions = 2, .extents = zero};
  KIT_MISUSE("extents[1]", cw_array_create(cw_team_world(), &options, &array));
  options.extents = extents;
  options.distribution.grid = many;
  KIT_MISUSE("grid", cw_array_create(cw_team_world(), &options, &array));
  options.distribution = (cw_distribution){.boundaries = falling, .blocks = three};
  KIT_MISUSE("boundaries[2]", cw_array_create(cw_team_world(), &options, &array));
  options.distribution = (cw_distribution){.boundaries = late, .blocks = one};
  KIT_MISUSE("boundaries[0]", cw_array_create(cw_team_world(), &options, &array));
  options.distribution = (cw_distribution){.layout = CW_ROUND_ROBIN};
  KIT_MISUSE("block", cw_array_create(cw_team_world(), &options, &array));
  options.distribution =
      (cw_distribution){.layout = CW_CYCLIC, .block = extents, .ghosts = extents};
  KIT_MISUSE("ghosts|CW_CYCLIC", cw_array_create(cw_team_world(), &options, &array));
  options.distribution = (cw_distribution){0};
  options.dimensions = kit_me() == kit_processes() - 1 ? 9 : 2;
  KIT_MISUSE(kit_me() == kit_processes() - 1 ? "dimensions" : "process",
             cw_array_create(cw_team_world(), &options, &array));
  options.dimensions = 2;
  if (kit_processes() > 1) {
    options.type = kit_me() == 0 ? CW_INT : CW_LONG;
    KIT_MISUSE("has to be the same on all members",
               cw_array_create(cw_team_world(), &options, &array));
  }
  kit_check(array == NULL, "an array came of it");
}

/* One member passes no pointer for the array, or an invalid side. It gets an error, and no process
 * waits for it. */
static void check_one_rejected(void)
{
  const int64_t extents[] = {4, 5}, ghosts[] = {1, 1};
  const bool wrong = kit_me() == kit_processes() - 1;
  const cw_array_options options = {.type = CW_INT, .dimensions = 2, .extents = extents};
  const cw_distribution distribution = {.ghosts = ghosts};
  char process[32];
  snprintf(process, sizeof process, "in process %d: ", kit_processes() - 1);
  const char *from = wrong ? "" : process;
  cw_array made = NULL, array = make(2, extents, &distribution);
  KIT_MISUSE(from, cw_array_create(cw_team_world(), &options, wrong ? NULL : &made));
  KIT_MISUSE(from, cw_array_create(cw_team_world(), wrong ? NULL : &options, &made));
  KIT_MISUSE(from, cw_array_duplicate(array, NULL, wrong ? NULL : &made));
  kit_check(made == NULL, "an array came of it");
  const cw_error error = cw_array_update_ghost_side(array, wrong ? 2 : 0, 1, false);
  kit_check((error == CW_MISUSE) == wrong, "ghosts of a side: %d", (int)error);
  const cw_error other = cw_array_update_ghost_side(array, 0, wrong ? 2 : -1, false);
  kit_check((other == CW_MISUSE) == wrong, "ghosts of the other side: %d", (int)other);
  KIT_OK(cw_array_destroy(&array));
}

/* Memory allocation fails on one member: all members get an error, unless their arguments differ,
 * which is reported instead. Afterwards all members still number their arrays alike. */
static void check_memory(cw_team team)
{
  enum { MOST = 64 };
  const int last = cw_team_size(team) - 1;
  const bool odd = cw_team_rank(team) == last;
  const int64_t huge = (int64_t)1 << 45, few[] = {10};
  int64_t boundaries[MOST];
  const int blocks[] = {last + 1};
  KIT_MUST(last < MOST ? CW_OK : CW_MISUSE);
  for (int rank = 0; rank <= last; rank++)
    boundaries[rank] = rank;
  cw_array array = NULL;
  cw_array_options options = {.name = "huge",
                              .type = CW_DOUBLE,
                              .dimensions = 1,
                              .extents = &huge,
                              .distribution = {.boundaries = boundaries, .blocks = blocks}};
  KIT_OUTSIDE(odd ? "for array 'huge'" : "in process|for array 'huge'",
              cw_array_create(team, &options, &array));
  options.distribution = (cw_distribution){0};
  options.extents = odd ? &huge : few;
  if (last > 0)
    KIT_MISUSE("extents has to be the same on all members|passes 10|passes 35184372088832",
               cw_array_create(team, &options, &array));
  kit_check(array == NULL, "an array came of it");
  options.extents = few;
  for (int times = 0; times < 3; times++) {
    KIT_OK(cw_array_create(team, &options, &array));
    KIT_OK(cw_array_destroy(&array));
  }
}

/* One member destroys an array while the others create one or destroy another: all get errors.
 * Afterwards they number their arrays alike, as destroying those shows. */
static void check_other_call(void)
{
  const char *const words = "different collective calls|cw_array_create|cw_array_destroy";
  const cw_distribution usual = {0};
  const int64_t extents[] = {10, 10};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  cw_array array = make(2, extents, &usual), other = NULL;
  if (kit_processes() > 1 && kit_me() == 0)
    KIT_MISUSE(words, cw_array_destroy(&array));
  else if (kit_me() > 0)
    KIT_MISUSE(words, cw_array_create(cw_team_world(), &options, &other));
  kit_check(array != NULL && other == NULL, "an array came or went");
  for (int times = 0; times < 2; times++) {
    KIT_OK(cw_array_create(cw_team_world(), &options, &other));
    if (kit_processes() > 1)
      KIT_MISUSE("cw_array_destroy|different objects",
                 cw_array_destroy(kit_me() == times ? &array : &other));
    KIT_OK(cw_array_destroy(&other));
  }
  KIT_OK(cw_array_destroy(&array));
}

/* Members synchronise once to create an array in a node's memory, and once to destroy it. All must
 * count the same number of synchronisations, in the node's memory and by messages. */
static void check_meetings(void)
{
  const int64_t extents[] = {10, 10};
  const unsigned before = cw_team_world()->meetings;
  const unsigned each = cw_team_world()->memory != NULL && kit_processes() > 1;
  const cw_distribution usual = {0};
  cw_array array = make(2, extents, &usual), copy = NULL;
  KIT_OK(cw_array_duplicate(array, NULL, &copy));
  if (each > 0)
    kit_check_long(cw_team_world()->meetings - before, 2, "meetings for two arrays");
  KIT_OK(cw_array_destroy(&copy));
  KIT_OK(cw_array_destroy(&array));
  if (each > 0)
    kit_check_long(cw_team_world()->meetings - before, 4, "meetings with their ends");
  const long meetings_so_far = cw_team_world()->meetings;
  long most = meetings_so_far;
  KIT_OK(cw_allreduce(cw_team_world(), CW_LONG, CW_MAXIMUM, 1, &most));
  kit_check_long(meetings_so_far, most, "meetings of all members");
  kit_check(meetings_so_far > 0 || kit_processes() == 1, "there were no meetings");
}

/* Extents whose product fits, but with ghosts exceeds 2^64 bytes: an overflow would accept them. */
static void check_wide_ghosts(void)
{
  const int64_t extents[] = {700000, 700000, 174764}, ghosts[] = {698576, 698576, 174762};
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 3, .extents = extents, .distribution = {.ghosts = ghosts}};
  cw_array array = NULL;
  KIT_MISUSE("extents, ghosts and elements of 8 bytes",
             cw_array_create(cw_team_world(), &options, &array));
}

/* A member with an empty block has no elements and no ghost cells. */
static void check_empty_blocks(void)
{
  const int last = kit_processes() - 1, blocks[] = {kit_processes(), 1};
  const int64_t extents[] = {kit_processes() + 3, 3}, ghosts[] = {1, 2};
  int64_t *boundaries = kit_alloc((size_t)kit_processes() + 1, sizeof *boundaries);
  for (int i = 1; i < kit_processes(); i++)
    boundaries[i] = extents[0];
  boundaries[0] = boundaries[last + 1] = 0;
  cw_distribution distribution = {.boundaries = boundaries, .blocks = blocks, .ghosts = ghosts};
  cw_array array = make(2, extents, &distribution);
  for (int i = 0; i < 2; i++) {
    cw_array_view view = {.address = &view};
    KIT_OK(cw_array_access_block(array, kit_me(), i == 0, &view));
    kit_check((view.address != NULL) == (kit_me() == 0), "block %d is at %p", kit_me(),
              view.address);
    kit_check_long(view.extents[0], kit_me() > 0 ? 0 : extents[0] + (i == 0 ? 2 : 0), "its rows");
    KIT_OK(cw_array_release(array, &view));
  }
  KIT_OK(cw_array_update_ghosts(array, true));
  KIT_OK(cw_array_destroy(&array));
  free(boundaries);
}

/* A skip beyond the range of integers: only the first element is selected. */
static void check_long_skip(void)
{
  const int64_t extents[] = {20}, lo[] = {3}, hi[] = {19}, skip[] = {INT64_MAX};
  const cw_distribution distribution = {0};
  cw_array array = make(1, extents, &distribution);
  const double value = 7;
  double got[17] = {-1, -1};
  KIT_OK(cw_array_sync(array));
  if (kit_me() == 0)
    KIT_OK(cw_array_put(array, lo, lo, &value, NULL));
  KIT_OK(cw_array_sync(array));
  const cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .skip = skip, .buffer = got};
  KIT_OK(cw_array_transfer(array, &patch));
  kit_check(got[0] == 7 && got[1] == -1, "the only element is %g, behind it is %g", got[0], got[1]);
  KIT_OK(cw_array_destroy(&array));
}

/* Invalid strides of a buffer, and long strides that are never used. */
static void check_strides(void)
{
  const int64_t extents[] = {3, 4}, lo[] = {0, 0}, hi[] = {2, 3}, ld[] = {4};
  const int64_t zero[] = {4, 0}, far[] = {INT64_MAX / 8, 1}, once[] = {INT64_MAX, 1};
  const cw_distribution distribution = {0};
  cw_array array = make(2, extents, &distribution);
  double buffer[12] = {0};
  cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .buffer = buffer, .ld = ld};
  KIT_OK(cw_array_sync(array));
  patch.strides = zero;
  KIT_MISUSE("ld|strides", cw_array_transfer(array, &patch));
  patch.ld = NULL;
  KIT_MISUSE("strides[1] is 0", cw_array_transfer(array, &patch));
  patch.strides = far;
  KIT_MISUSE("strides|2^62", cw_array_transfer(array, &patch));
  patch.strides = once;
  patch.hi = (const int64_t[]){0, 3};
  KIT_OK(cw_array_transfer(array, &patch));
  KIT_OK(cw_array_destroy(&array));
}

/* An array of a team that was freed before it, and many arrays one after the other. */
static void check_lives(void)
{
  cw_team team = NULL;
  cw_array array = NULL;
  const int64_t extents[] = {5};
  const cw_array_options options = {.type = CW_LONG, .dimensions = 1, .extents = extents};
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &team));
  KIT_MUST(cw_array_create(team, &options, &array));
  KIT_OK(cw_team_free(&team));
  const int64_t lo[] = {0}, hi[] = {4};
  long values[5] = {1, 2, 3, 4, 5}, got[5] = {0};
  KIT_OK(cw_array_put(array, lo, hi, values, NULL));
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_get(array, lo, hi, got, NULL));
  kit_check_bytes(got, values, sizeof got, "an array of a freed team");
  cw_array freed = array;
  KIT_OK(cw_array_destroy(&array));
  kit_check(!cw_array_valid(freed) && array == NULL, "a destroyed array lives");
  KIT_MISUSE("array|destroyed", cw_array_get(freed, lo, hi, got, NULL));
  for (int i = 0; i < 300; i++) {
    KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
    KIT_MUST(cw_array_destroy(&array));
  }
}

/* Checks the output of rank 0 for elements that all others have put. */
static void check_print(void)
{
  static const char want[] =
      "array 'printed'\n[0,1:2]        2        3\n[1,1:2]        5        6\n";
  const cw_array_options options = {
      .name = "printed", .type = CW_INT64, .dimensions = 2, .extents = (const int64_t[]){2, 3}};
  const int64_t lo[] = {0, 1}, hi[] = {1, 2}, start = 1;
  char got[sizeof want + 8] = "";
  FILE *out = kit_me() == 0 ? tmpfile() : NULL;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_enumerate(array, NULL, NULL, &start, NULL));
  KIT_OK(cw_array_print(array, lo, hi, out));
  if (out != NULL) {
    rewind(out);
    got[fread(got, 1, sizeof got - 1, out)] = '\0';
    kit_check(strcmp(got, want) == 0, "printed: %s", got);
    fclose(out);
  }
  KIT_OK(cw_array_destroy(&array));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "array queries");
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    kit_about("row %zu of the table", i);
    check_rule(&table[i]);
  }
  check_layouts();
  check_coordinates();
  check_rejected();
  check_one_rejected();
  check_memory(cw_team_world());
  cw_team half = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &half));
  check_memory(half);
  KIT_MUST(cw_team_free(&half));
  check_other_call();
  check_meetings();
  check_wide_ghosts();
  check_empty_blocks();
  check_long_skip();
  check_strides();
  check_lives();
  check_print();
  /* One array is left to cw_finalize. */
  const int64_t extents[] = {8};
  const cw_array_options options = {.type = CW_LONG, .dimensions = 1, .extents = extents};
  cw_array left = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &left));
  return kit_finish_native();
}

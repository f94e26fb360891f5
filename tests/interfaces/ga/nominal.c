/* A GA program finds the same arrays with CW_GA_DISTRIBUTION as without, except that NGA_Access
 * gives a copy. A word as argument chooses a small program whose output printed.sh reads:
 *
 *   lost      stores that are not released
 *   counted   some arrays and accesses, for CW_STATS=1
 *   printed   who has what, as GA prints it */
#include "kit/kit.h"

#include <causeway.h>
#include <cwga.h>
#include <ga.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int me, all;
static bool redistributed; /* true if the setting is on */
static long width;         /* of its blocks */

static void read_setting(void)
{
  const char *setting = getenv("CW_GA_DISTRIBUTION");
  const char *number = setting != NULL ? strchr(setting, ':') : NULL;
  redistributed = setting != NULL && strcmp(setting, "block") != 0;
  width = number != NULL ? strtol(number + 1, NULL, 10) : 1;
}

/* --- Arrays with values --- */

enum { ROWS = 13, COLUMNS = 11 };
static int shape[] = {ROWS, COLUMNS};

static double value_at(int i, int j)
{
  return 100 * i + j;
}

static void fill(int array, double add)
{
  double values[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      values[i][j] = value_at(i, j) + add;
  GA_Sync();
  if (me == 0)
    NGA_Put(array, (int[]){0, 0}, (int[]){ROWS - 1, COLUMNS - 1}, values, (int[]){COLUMNS});
  GA_Sync();
}

static int create_full(void)
{
  const int array = NGA_Create(C_DBL, 2, shape, (char[]){"full"}, NULL);
  fill(array, 0);
  return array;
}

/* My patch of an array of that shape, and a pointer to it. */
struct patch {
  int lo[2], hi[2], ld[1];
  double *at;
};

/* Returns false if this process has none. */
static bool find(int array, struct patch *mine)
{
  NGA_Distribution(array, me, mine->lo, mine->hi);
  return mine->hi[0] >= mine->lo[0] && mine->hi[1] >= mine->lo[1] && mine->lo[0] >= 0;
}

static bool open_mine(int array, struct patch *mine)
{
  if (!find(array, mine))
    return false;
  NGA_Access(array, mine->lo, mine->hi, &mine->at, mine->ld);
  return true;
}

static double *element(const struct patch *mine, int i, int j)
{
  return &mine->at[(i - mine->lo[0]) * mine->ld[0] + j - mine->lo[1]];
}

static void check_patch(const struct patch *mine, double add)
{
  for (int i = mine->lo[0]; i <= mine->hi[0]; i++)
    for (int j = mine->lo[1]; j <= mine->hi[1]; j++)
      if (!kit_check(*element(mine, i, j) == value_at(i, j) + add, "element %d, %d is %g, not %g",
                     i, j, *element(mine, i, j), value_at(i, j) + add))
        return;
}

static void add_to_patch(const struct patch *mine, double add)
{
  for (int i = mine->lo[0]; i <= mine->hi[0]; i++)
    for (int j = mine->lo[1]; j <= mine->hi[1]; j++)
      *element(mine, i, j) += add;
}

/* Checks all of the array by gets. */
static void check_all(int array, double add)
{
  double values[ROWS][COLUMNS];
  GA_Sync();
  NGA_Get(array, (int[]){0, 0}, (int[]){ROWS - 1, COLUMNS - 1}, values, (int[]){COLUMNS});
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      if (!kit_check(values[i][j] == value_at(i, j) + add, "element %d, %d is %g, not %g", i, j,
                     values[i][j], value_at(i, j) + add))
        return;
  GA_Sync();
}

/* --- Partition of arrays  */

static void check_layout(int array, bool cyclic, cw_layout own, const char *what)
{
  cw_array_description description;
  const cw_error error = cw_array_describe(cw_array_from_ga(array), &description);
  if (!kit_check(error == CW_OK, "%s: %s", what, cw_error_message()))
    return;
  kit_check_long(description.layout, cyclic && redistributed ? CW_CYCLIC : own, what);
  for (int d = 0; d < description.dimensions && cyclic && redistributed; d++) {
    const long most = (long)description.extents[d];
    kit_check_long((long)description.block[d], width < most ? width : most, what);
  }
}

static int allocated(int handle, const char *what)
{
  kit_check(GA_Allocate(handle) == 1, "cannot allocate: %s", what);
  return handle;
}

static int begun(void)
{
  const int handle = GA_Create_handle();
  GA_Set_data(handle, 2, shape, C_DBL);
  return handle;
}

/* Arrays that the program has not partitioned. */
static void default_layouts(void)
{
  int cube[] = {5, 1, 4}, chunk[] = {3, COLUMNS}, line[] = {17};
  const int half = GA_Pgroup_split_irreg(-1, me % 2);
  const int list[] = {
      NGA_Create(C_DBL, 2, shape, (char[]){"plain"}, NULL),
      NGA_Create(C_DBL, 2, shape, (char[]){"with chunk"}, chunk),
      NGA_Create(C_INT, 1, line, (char[]){"line"}, NULL),
      NGA_Create(C_DCPL, 3, cube, (char[]){"cube"}, NULL),
      NGA_Create_config(C_LONG, 2, shape, (char[]){"of a group"}, NULL, half),
      allocated(begun(), "in steps"),
  };
  kit_about("default cuts");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const int copy = GA_Duplicate(list[i], (char[]){"copy"});
    check_layout(list[i], true, CW_BLOCKS, GA_Inquire_name(list[i]));
    check_layout(copy, true, CW_BLOCKS, "copy");
    kit_check_long(GA_Compare_distr(list[i], copy), 0, "comparison with a copy");
    kit_check_long(GA_Total_blocks(list[i]), -1, "blocks in all");
    kit_check_long(GA_Uses_proc_grid(list[i]), 0, "grid of processes");
    GA_Destroy(copy);
    GA_Destroy(list[i]);
  }
  GA_Pgroup_destroy(half);
}

/* Arrays that the program has partitioned itself. */
static void own_layouts(void)
{
  int map[] = {0, 0}, whole[] = {1, 1}, rim[] = {1, 1}, block[] = {2, 3}, grid[] = {all, 1};
  double *memory = GA_Getmem(C_DBL, ROWS * COLUMNS, -1);
  const int round_robin = begun(), on_grid = begun(), tiled = begun(), few = begun();
  GA_Set_block_cyclic(round_robin, block);
  GA_Set_block_cyclic_proc_grid(on_grid, block, grid);
  GA_Set_tiled_proc_grid(tiled, block, grid);
  GA_Set_restricted(few, (int[]){all - 1}, 1);
  const int plain = NGA_Create(C_DBL, 2, shape, (char[]){"plain"}, NULL);
  const struct {
    int array;
    cw_layout layout;
  } list[] = {
      {NGA_Create_irreg(C_DBL, 2, shape, (char[]){"irregular"}, whole, map), CW_BLOCKS},
      {NGA_Create_ghosts(C_DBL, 2, shape, rim, (char[]){"with ghosts"}, NULL), CW_BLOCKS},
      {NGA_Create_config(C_DBL, 2, shape, (char[]){"mirrored"}, NULL, GA_Pgroup_get_mirror()),
       CW_BLOCKS},
      {GA_Assemble_duplicate(plain, (char[]){"assembled"}, memory), CW_BLOCKS},
      {allocated(round_robin, "dealt out"), CW_ROUND_ROBIN},
      {allocated(on_grid, "on a grid"), CW_CYCLIC},
      {allocated(tiled, "tiled"), CW_TILED},
      {allocated(few, "restricted"), CW_BLOCKS},
  };
  kit_about("own cuts");
  kit_check_long(GA_Compare_distr(plain, list[3].array), 0, "comparison with an assembled copy");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    check_layout(list[i].array, false, list[i].layout, GA_Inquire_name(list[i].array));
    GA_Destroy(list[i].array);
  }
  GA_Destroy(plain);
}

/* A patch has whole rows where the program requested that. */
static void chunks(void)
{
  const int array = NGA_Create(C_DBL, 2, shape, (char[]){"rows"}, (int[]){-1, COLUMNS});
  struct patch mine;
  kit_about("chunk");
  if (find(array, &mine)) {
    kit_check_long(mine.hi[1] - mine.lo[1] + 1, COLUMNS, "columns");
    kit_check_long(NGA_Locate(array, mine.hi), me, "the process of my last element");
    kit_check_long(NGA_Locate_nnodes(array, mine.lo, mine.hi), 1, "processes of my patch");
    kit_check_long(NGA_Locate_num_blocks(array, mine.lo, mine.hi), -1, "blocks of my patch");
  }
  GA_Destroy(array);
}

/* Every query has the answer of the same array in blocks. */
static void questions(void)
{
  int got[2][16], boxes[2][64], owners[2][16];
  const int array = create_full();
  const int blocks =
      GA_Assemble_duplicate(array, (char[]){"in blocks"}, GA_Getmem(C_DBL, ROWS * COLUMNS, -1));
  kit_about("questions");
  memset(got, 0, sizeof got);
  memset(boxes, 0, sizeof boxes);
  memset(owners, 0, sizeof owners);
  for (int i = 0; i < 2; i++) {
    const int a = i == 0 ? array : blocks;
    int *answer = got[i];
    GA_Nblock(a, answer);
    NGA_Proc_topology(a, all - 1, answer + 2);
    GA_Get_proc_grid(a, answer + 4);
    GA_Get_proc_index(a, 0, answer + 6);
    NGA_Distribution(a, all - 1, answer + 8, answer + 10);
    answer[12] =
        NGA_Locate_region(a, (int[]){1, 1}, (int[]){ROWS - 2, COLUMNS - 1}, boxes[i], owners[i]);
    answer[13] = NGA_Locate_nnodes(a, (int[]){0, 0}, (int[]){ROWS / 2, COLUMNS / 2});
    answer[14] = NGA_Locate(a, (int[]){ROWS - 1, 0});
    answer[15] = GA_Has_ghosts(a) + GA_Is_mirrored(a);
  }
  kit_check_bytes(got[0], got[1], sizeof got[0], "answers");
  kit_check_bytes(boxes[0], boxes[1], sizeof boxes[0], "boxes of a region");
  kit_check_bytes(owners[0], owners[1], sizeof owners[0], "owners of a region");
  GA_Destroy(blocks);
  GA_Destroy(array);
}

/* An array that is deallocated, and allocated again. */
static void again(void)
{
  const int handle = allocated(begun(), "first");
  struct patch mine;
  kit_about("allocated again");
  fill(handle, 0);
  (void)open_mine(handle, &mine);
  kit_check_long(GA_Deallocate(handle), 1, "given back");
  kit_check_long(GA_Valid_handle(handle), 0, "valid handle");
  (void)allocated(handle, "again");
  check_layout(handle, true, CW_BLOCKS, "again");
  fill(handle, 5);
  if (open_mine(handle, &mine))
    check_patch(&mine, 5);
  GA_Destroy(handle);
}

/* Eigenvalues of the matrix with 2 on the diagonal and -1 beside it are 2 - 2 cos(k pi / (n + 1)).
 */
static void eigenvalues(void)
{
  enum { SIDE = 7 };
  const int a = NGA_Create(C_DBL, 2, (int[]){SIDE, SIDE}, (char[]){"a"}, NULL);
  const int s = GA_Duplicate(a, (char[]){"s"}), v = GA_Duplicate(a, (char[]){"v"});
  double two = 2, beside = -1, values[3][SIDE];
  GA_Zero(a);
  GA_Zero(s);
  GA_Shift_diagonal(a, &two);
  GA_Shift_diagonal(s, &two);
  for (int i = 0; i + 1 < SIDE && me == 0; i++) {
    NGA_Put(a, (int[]){i, i + 1}, (int[]){i, i + 1}, &beside, (int[]){1});
    NGA_Put(a, (int[]){i + 1, i}, (int[]){i + 1, i}, &beside, (int[]){1});
  }
  GA_Sync();
  GA_Diag_std(a, v, values[0]);
  GA_Diag(a, s, v, values[1]);
  GA_Diag_reuse(1, a, s, v, values[2]);
  kit_about("eigenvalues");
  for (int k = 0; k < SIDE; k++) {
    const double want = 2 - 2 * cos((k + 1) * acos(-1) / (SIDE + 1));
    for (int i = 0; i < 3; i++)
      kit_check(fabs(values[i][k] * (i > 0 ? 2 : 1) - want) < 1e-12, "value %d, %d is %g, not %g",
                i, k, values[i][k], want);
  }
  GA_Destroy(v);
  GA_Destroy(s);
  GA_Destroy(a);
}

/* --- Access --- */

static void reads(void)
{
  const int array = create_full(), other = create_full();
  struct patch mine, same, part;
  kit_about("access to read");
  fill(other, 7);
  if (open_mine(array, &mine)) {
    check_patch(&mine, 0);
    kit_check_long(mine.ld[0], mine.hi[1] - mine.lo[1] + 1, "row length");
    kit_check(open_mine(other, &same), "the other array has no patch here");
    check_patch(&same, 7);
    part = mine;
    part.lo[0] = part.hi[0];
    part.lo[1] += part.hi[1] > part.lo[1];
    NGA_Access(array, part.lo, part.hi, &part.at, part.ld);
    kit_check(part.at == element(&mine, part.lo[0], part.lo[1]), "the part lies elsewhere");
    kit_check_long(part.ld[0], mine.ld[0], "row length of a part");
    check_patch(&part, 0);
    NGA_Release(array, mine.lo, mine.hi);
    check_patch(&part, 0); /* it is still open */
    NGA_Release(array, part.lo, part.hi);
    NGA_Release(other, same.lo, same.hi);
    NGA_Release(other, same.lo, same.hi);
  }
  check_all(array, 0);
  check_all(other, 7);
  GA_Destroy(other);
  GA_Destroy(array);
}

/* Two accesses of the same patch; each has its release. */
static void twice(void)
{
  const int array = create_full();
  struct patch mine, same;
  kit_about("two accesses of a patch");
  if (open_mine(array, &mine) && open_mine(array, &same)) {
    kit_check(mine.at == same.at, "the same patch lies elsewhere");
    add_to_patch(&mine, 1);
    NGA_Release(array, mine.lo, mine.hi);
    check_patch(&same, 1);
    NGA_Release_update(array, mine.lo, mine.hi);
  }
  check_all(array, 1);
  GA_Destroy(array);
}

/* A pointer that is never released: each access shows what others have put meanwhile. */
static void reads_again(void)
{
  const int array = create_full();
  struct patch mine;
  kit_about("access without release");
  for (int round = 0; round < 3; round++) {
    if (open_mine(array, &mine))
      check_patch(&mine, round);
    fill(array, round + 1);
  }
  GA_Destroy(array);
}

static void updates(void)
{
  const int array = create_full();
  struct patch mine, part;
  kit_about("access to write");
  if (open_mine(array, &mine)) {
    add_to_patch(&mine, 1);
    NGA_Release_update(array, mine.lo, mine.hi);
  }
  check_all(array, 1);
  kit_about("an access within another");
  if (open_mine(array, &mine)) {
    add_to_patch(&mine, 1);
    part = mine;
    part.lo[1] = part.hi[1];
    NGA_Access(array, part.lo, part.hi, &part.at, part.ld);
    check_patch(&part, 2);
    add_to_patch(&part, 1);
    NGA_Release(array, part.lo, part.hi);
    add_to_patch(&part, -1);
    NGA_Release_update(array, mine.lo, mine.hi);
  }
  check_all(array, 2);
  kit_about("one access, released in two parts");
  if (open_mine(array, &mine)) {
    struct patch rest = mine;
    add_to_patch(&mine, 1);
    part = mine;
    part.hi[0] = part.lo[0];
    rest.lo[0]++;
    NGA_Release_update(array, part.lo, part.hi);
    if (rest.lo[0] <= rest.hi[0])
      NGA_Release_update(array, rest.lo, rest.hi);
  }
  check_all(array, 3);
  GA_Destroy(array); /* with an open access */
}

/* Accesses every element separately and keeps all open at once. */
static void single_elements(void)
{
  const int arrays[] = {create_full(), create_full()};
  struct patch mine, one;
  kit_about("two accesses of each element of two arrays");
  for (int a = 0; a < 4 && find(arrays[0], &mine); a++)
    for (one.lo[0] = mine.lo[0]; one.lo[0] <= mine.hi[0]; one.lo[0]++)
      for (one.lo[1] = mine.lo[1]; one.lo[1] <= mine.hi[1]; one.lo[1]++) {
        NGA_Access(arrays[a % 2], one.lo, one.lo, &one.at, one.ld);
        kit_check_long((long)*one.at, (long)value_at(one.lo[0], one.lo[1]) + a / 2, "an element");
        *one.at += 1;
      }
  for (int a = 1; a >= 0; a--) {
    if (find(arrays[a], &mine))
      NGA_Release_update(arrays[a], mine.lo, mine.hi);
    check_all(arrays[a], 2);
    GA_Destroy(arrays[a]);
  }
}

/* Releases of unaccessed patches, of larger ones, and repeated ones. */
static void needless_releases(void)
{
  const int array = create_full(), other = create_full();
  struct patch mine;
  kit_about("needless releases");
  NGA_Release_update(array, (int[]){0, 0}, (int[]){ROWS - 1, COLUMNS - 1});
  if (open_mine(array, &mine)) {
    NGA_Release_update(other, mine.lo, mine.hi);
    add_to_patch(&mine, 1);
    NGA_Release_update(array, (int[]){0, 0}, (int[]){ROWS - 1, COLUMNS - 1});
    NGA_Release(array, mine.lo, mine.hi);
    NGA_Release_update(array, mine.lo, mine.hi);
  }
  check_all(array, 1);
  check_all(other, 0);
  GA_Destroy(other);
  GA_Destroy(array);
}

/* Others' elements beside the patch stay unchanged. */
static void neighbours(void)
{
  const int array = create_full();
  struct patch mine, part;
  kit_about("a part is put back, others put the rest");
  if (find(array, &mine)) {
    double rest = 0;
    part = mine;
    part.hi[0] = part.lo[0];
    NGA_Access(array, part.lo, part.hi, &part.at, part.ld);
    for (int i = mine.lo[0] + 1; i <= mine.hi[0]; i++)
      for (int j = mine.lo[1]; j <= mine.hi[1]; j++) {
        rest = value_at(i, j) + 1;
        NGA_Put(array, (int[]){i, j}, (int[]){i, j}, &rest, (int[]){1});
      }
    add_to_patch(&part, 1);
    NGA_Release_update(array, part.lo, part.hi);
  }
  check_all(array, 1);
  GA_Destroy(array);
}

static void segments(void)
{
  const int array = create_full();
  struct patch mine;
  int length = -1;
  double *segment = NULL;
  kit_about("segments");
  const bool there = find(array, &mine);
  NGA_Access_block_segment(array, me, &segment, &length);
  mine.at = segment;
  mine.ld[0] = mine.hi[1] - mine.lo[1] + 1;
  kit_check_long(length, there ? (mine.hi[0] - mine.lo[0] + 1) * mine.ld[0] : 0, "elements");
  if (there) {
    check_patch(&mine, 0);
    add_to_patch(&mine, 1);
  }
  NGA_Release_update_block_segment(array, me);
  check_all(array, 1);
  GA_Destroy(array);
}

/* Calls for ghosts accept arrays without any. */
static void without_ghosts(void)
{
  const int array = create_full();
  struct patch mine;
  int dims[2] = {0, 0}, first[2] = {0, 0};
  double *element_at = NULL, around[4];
  kit_about("arrays without ghosts");
  if (find(array, &mine)) {
    NGA_Access_ghosts(array, dims, &mine.at, mine.ld);
    kit_check_long(dims[0], mine.hi[0] - mine.lo[0] + 1, "rows");
    kit_check_long(dims[1], mine.hi[1] - mine.lo[1] + 1, "columns");
    check_patch(&mine, 0);
    add_to_patch(&mine, 1);
    NGA_Release_update_ghosts(array);
    NGA_Access_ghost_element(array, &element_at, first, mine.ld);
    kit_check(*element_at == value_at(mine.lo[0], mine.lo[1]) + 1, "the first element is %g",
              *element_at);
    *element_at += 1;
    NGA_Release_update_ghost_element(array, first);
    NGA_Access_ghost_element(array, &element_at, first, mine.ld);
    *element_at -= 1;
    NGA_Release_update_ghost_element(array, first);
  }
  GA_Update_ghosts(array);
  check_all(array, 1);
  NGA_Get_ghost_block(array, (int[]){-1, COLUMNS - 1}, (int[]){0, COLUMNS}, around, (int[]){2});
  kit_check(around[0] == value_at(ROWS - 1, COLUMNS - 1) + 1 && around[3] == value_at(0, 0) + 1,
            "around the corner are %g and %g", around[0], around[3]);
  GA_Sync();
  GA_Destroy(array);
}

/* Fewer elements than processes. */
static void empty(void)
{
  const int array = NGA_Create(C_INT, 1, (int[]){1}, (char[]){"one"}, NULL);
  int lo[1], hi[1], ld[1] = {0}, length = -1, *at = &length, dims[1] = {-1};
  kit_about("nothing of mine");
  GA_Zero(array);
  NGA_Distribution(array, me, lo, hi);
  kit_check(me == 0 ? lo[0] == 0 && hi[0] == 0 : lo[0] == -1 && hi[0] == -2, "I have %d to %d",
            lo[0], hi[0]);
  NGA_Access_block_segment(array, me, &at, &length);
  kit_check_long(length, me == 0, "elements");
  kit_check(me == 0 || at == NULL, "there is an address");
  NGA_Release_block_segment(array, me);
  NGA_Access_ghosts(array, dims, &at, ld);
  kit_check_long(dims[0], me == 0, "elements with ghosts");
  NGA_Release_ghosts(array);
  GA_Destroy(array);
}

/* Copies of any process's patch. */
static void others(void)
{
  const int array = create_full();
  struct patch theirs;
  kit_about("the next process's patch");
  NGA_Distribution(array, (me + 1) % all, theirs.lo, theirs.hi);
  if (redistributed && theirs.lo[0] >= 0) {
    NGA_Access(array, theirs.lo, theirs.hi, &theirs.at, theirs.ld);
    check_patch(&theirs, 0);
    add_to_patch(&theirs, 1);
    NGA_Release_update(array, theirs.lo, theirs.hi);
  }
  check_all(array, redistributed);
  GA_Destroy(array);
}

/* Elements of 24 bytes; a mirrored array is copied to one that is not. */
static void other_elements(void)
{
  struct thing {
    long numbers[3];
  } *mine = NULL, *last = NULL, got;
  const int type = NGA_Register_type(sizeof got);
  const int things = NGA_Create(type, 1, (int[]){5 * all}, (char[]){"things"}, NULL);
  int lo[1], hi[1], ld[1] = {0}, next[1] = {(5 * me + 5) % (5 * all)};
  kit_about("registered type");
  NGA_Distribution(things, me, lo, hi);
  NGA_Access(things, lo, hi, &mine, ld);
  NGA_Access(things, hi, hi, &last, ld);
  for (int i = 0; i < 5; i++)
    mine[i] = (struct thing){{lo[0] + i, me, i}};
  kit_check_long(last->numbers[2], 4, "last number");
  NGA_Release(things, hi, hi);
  NGA_Release_update(things, lo, hi);
  GA_Sync();
  NGA_Get(things, next, next, &got, NULL);
  kit_check(got.numbers[0] == next[0] && got.numbers[1] == (me + 1) % all, "numbers %ld, %ld, %ld",
            got.numbers[0], got.numbers[1], got.numbers[2]);
  GA_Destroy(things);
  NGA_Deregister_type(type);

  const int mirror =
      NGA_Create_config(C_DBL, 2, shape, (char[]){"mirrored"}, NULL, GA_Pgroup_get_mirror());
  const int full = create_full(), array = NGA_Create(C_DBL, 2, shape, (char[]){"to"}, NULL);
  kit_about("from a mirrored array");
  GA_Copy(full, mirror);
  GA_Copy(mirror, array);
  check_all(array, 0);
  GA_Destroy(array);
  GA_Destroy(full);
  GA_Destroy(mirror);
}

/* --- For printed.sh --- */

/* With the setting, stores without NGA_Release_update are lost, and a message reports that. */
static void lose(void)
{
  const int array = create_full();
  struct patch mine, part;
  kit_about("stores that are not given back");
  if (find(array, &part)) { /* with another patch open, too */
    part.lo[0] = part.hi[0];
    NGA_Access(array, part.lo, part.hi, &part.at, part.ld);
  }
  for (int round = 0; round < 2; round++)
    if (open_mine(array, &mine)) {
      check_patch(&mine, 0);
      if (redistributed || round > 0)
        add_to_patch(&mine, redistributed ? 1 : 0);
      NGA_Release(array, mine.lo, mine.hi);
    }
  check_all(array, 0);
  const int other = create_full();
  if (open_mine(other, &mine) && redistributed)
    add_to_patch(&mine, 1);
  check_all(other, 0);
  if (open_mine(other, &mine)) /* my stores are still there */
    check_patch(&mine, redistributed);
  GA_Destroy(other);
  GA_Destroy(array);
}

/* On 2 processes: 2 arrays cyclic, 1 not; 6 patches of 80 bytes fetched, 2 of them put back. */
static void count(void)
{
  const int array = NGA_Create(C_DBL, 1, (int[]){10 * all}, (char[]){"counted"}, NULL);
  const int copy = GA_Duplicate(array, (char[]){"copy"});
  const int own =
      NGA_Create_irreg(C_DBL, 1, (int[]){10 * all}, (char[]){"own"}, (int[]){1}, (int[]){0});
  int lo[1], hi[1], ld[1] = {0};
  double *mine = NULL;
  GA_Zero(array);
  for (int i = 0; i < 3; i++) {
    NGA_Distribution(array, me, lo, hi);
    NGA_Access(array, lo, hi, &mine, ld);
    if (i == 2)
      mine[0] = me;
    if (i < 2)
      NGA_Release(array, lo, hi);
    else
      NGA_Release_update(array, lo, hi);
  }
  GA_Sync();
  lo[0] = 10 * all - 10;
  double value = -1;
  NGA_Get(array, lo, lo, &value, NULL);
  kit_check(value == all - 1, "the value is %g", value);
  GA_Destroy(own);
  GA_Destroy(copy);
  GA_Destroy(array);
}

static void print(void)
{
  const int array = create_full();
  GA_Print_distribution(array);
  if (me == 0)
    GA_Summarize(1);
  kit_check(array != 0, "no array");
  GA_Destroy(array);
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "cwga.nominal");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  read_setting();
  if (argc > 1 && strcmp(argv[1], "lost") == 0) {
    lose();
  } else if (argc > 1 && strcmp(argv[1], "counted") == 0) {
    count();
  } else if (argc > 1 && strcmp(argv[1], "printed") == 0) {
    print();
  } else {
    default_layouts();
    own_layouts();
    chunks();
    questions();
    again();
    eigenvalues();
    reads();
    twice();
    reads_again();
    updates();
    single_elements();
    needless_releases();
    neighbours();
    segments();
    without_ghosts();
    empty();
    others();
    other_elements();
  }
  GA_Terminate();
  return kit_finish();
}

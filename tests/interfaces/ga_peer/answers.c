/* Results of GA where arguments are -1, 0, one past the end or empty, and the order in which it
 * returns coordinates of processes. The program runs on Debian's Global Arrays and on ours; each
 * expected number is Debian's. */
#include "ga_model.h"

#include <stdlib.h>

enum { LENGTH = 20, ROWS = 5 };

static int me, all;

static int vector(int type)
{
  int dims[1] = {LENGTH};
  return NGA_Create(type, 1, dims, kit_name, NULL);
}

static int counted(void)
{
  const int g = vector(C_INT);
  int start = 1, step = 1;
  GA_Patch_enum(g, 0, LENGTH - 1, &start, &step);
  return g;
}

/* Checks all elements against the list. */
static void check_all(int g, const int expected[LENGTH], const char *what)
{
  int lo[1] = {0}, hi[1] = {LENGTH - 1}, ld[1] = {1}, got[LENGTH];
  NGA_Get(g, lo, hi, got, ld);
  for (int i = 0; i < LENGTH; i++)
    kit_check(got[i] == expected[i], "%s: element %d is %d, not %d", what, i, got[i], expected[i]);
  GA_Sync();
}

/* --- Nodes --- */

static void nodes(void)
{
  int list[3] = {0};
  kit_check(GA_Cluster_nprocs(-1) == GA_Cluster_nprocs(GA_Cluster_nodeid()), "nprocs(-1)");
  GA_List_nodeid(list, -1);
  GA_List_nodeid(list, 3); /* Debian's GA writes past memory of its own for more than three. */
  for (int i = 0; i < 3; i++)
    kit_check_long(list[i], i, "GA_List_nodeid");
}

/* --- Creation --- */

static void creation(void)
{
  int dims[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  kit_check_long(NGA_Create(C_INT, 8, dims, kit_name, NULL), 0, "8 dimensions");
  const int g = vector(C_INT);
  kit_check_long(GA_Deallocate(g), 1, "GA_Deallocate");
  kit_check_long(GA_Deallocate(g), 0, "GA_Deallocate again");
  kit_check_long(NGA_Deregister_type(C_INT), -1, "a type of C");
  kit_check_long(NGA_Deregister_type(1200), -2, "a type that is not registered");
  GA_Merge_mirrored(counted());
}

/* Checks queries of an array before and after GA_Allocate. The irregular tiled one crashes Debian's
 * GA. */
static void check_blocks(int g, int total, int grid, int ghosts, const char *what)
{
  int counts[2] = {-9, -9}, widths[2] = {-9, -9};
  kit_check_long(GA_Total_blocks(g), total, what);
  kit_check_long(GA_Uses_proc_grid(g), grid, what);
  kit_check_long(GA_Has_ghosts(g), ghosts, what);
  kit_check_long(GA_Is_mirrored(g), 0, what);
  GA_Get_block_info(g, counts, widths);
  kit_check_long(counts[0], total > 0 ? 4 : 0, what);
  kit_check_long(counts[1], total > 0 ? 3 : 0, what);
  kit_check_long(widths[0], total > 0 ? 3 : 0, what);
  kit_check_long(widths[1], total > 0 ? 4 : 0, what);
}

static void blocks_before_allocation(void)
{
  int dims[2] = {10, 12}, block[2] = {3, 4}, grid[2] = {1, all}, width[2] = {1, 1};
  for (int kind = 0; kind < 5; kind++) {
    const int g = GA_Create_handle();
    kit_check_long(GA_Total_blocks(g), -1, "a new handle");
    GA_Set_data(g, 2, dims, C_INT);
    if (kind == 1)
      GA_Set_ghosts(g, width);
    else if (kind == 2)
      GA_Set_block_cyclic(g, block);
    else if (kind == 3)
      GA_Set_block_cyclic_proc_grid(g, block, grid);
    else if (kind == 4)
      GA_Set_tiled_proc_grid(g, block, grid);
    check_blocks(g, kind > 1 ? 12 : -1, kind > 2, kind == 1, "before GA_Allocate");
    GA_Allocate(g);
    check_blocks(g, kind > 1 ? 12 : -1, kind > 2, kind == 1, "after GA_Allocate");
    GA_Destroy(g);
  }
}

/* Negative numbers other than -1 also denote the world. */
static void negative_groups(void)
{
  for (int group = -1; group > -9; group -= 3) {
    double sum = me + 1;
    int from = me + 5;
    kit_about("group %d", group);
    kit_check_long(GA_Pgroup_nnodes(group), all, "GA_Pgroup_nnodes");
    kit_check_long(GA_Get_pgroup_size(group), all, "GA_Get_pgroup_size");
    kit_check_long(GA_Pgroup_nodeid(group), me, "GA_Pgroup_nodeid");
    GA_Pgroup_sync(group);
    GA_Pgroup_dgop(group, &sum, 1, kit_sum);
    kit_check_near(sum, all * (all + 1) / 2., 0, "GA_Pgroup_dgop");
    GA_Pgroup_brdcst(group, &from, sizeof from, all - 1);
    kit_check_long(from, all + 4, "GA_Pgroup_brdcst");
    GA_Pgroup_set_default(group);
    kit_check_long(GA_Nnodes(), all, "GA_Nnodes");
  }
  GA_Pgroup_set_default(GA_Pgroup_get_world());
}

static void limits(void)
{
  GA_Set_memory_limit(100000);
  kit_check_long((long)GA_Memory_avail(), 100000, "a new limit counts from now on");
  GA_Set_memory_limit(0);
  kit_check_long(GA_Memory_limited(), 1, "0 is a limit");
  kit_check_long(vector(C_INT), 0, "an array beyond the limit of 0");
  GA_Set_memory_limit((size_t)-1);
  kit_check_long(GA_Memory_limited(), 0, "-1 is none");
}

/* --- Coordinates of processes --- */

/* Expects 0 to all - 1 along the second dimension: 1 x all blocks. */
static void check_coordinates(int g, int grid, const char *what)
{
  int numbers[2];
  for (int process = 0; process < all; process++) {
    NGA_Proc_topology(g, process, numbers);
    kit_check(numbers[0] == process && numbers[1] == 0, "%s, process %d: topology %d, %d", what,
              process, numbers[0], numbers[1]);
  }
  GA_Get_proc_grid(g, numbers);
  kit_check(numbers[0] == all && numbers[1] == 1, "%s: grid %d, %d", what, numbers[0], numbers[1]);
  if (!grid)
    return;
  GA_Get_proc_index(g, all - 1, numbers);
  kit_check(numbers[0] == 0 && numbers[1] == all - 1, "%s: index %d, %d", what, numbers[0],
            numbers[1]);
}

static void coordinates(void)
{
  int dims[2] = {10, 12}, block[2] = {2, 2}, grid[2] = {1, all}, blocks[2] = {1, all};
  int chunk[2] = {10, 1}, *map = malloc(((size_t)all + 1) * sizeof *map);
  map[0] = 0;
  for (int i = 0; i < all; i++)
    map[1 + i] = i;
  check_coordinates(NGA_Create(C_INT, 2, dims, kit_name, chunk), 0, "regular");
  check_coordinates(NGA_Create_irreg(C_INT, 2, dims, kit_name, blocks, map), 0, "irregular");
  for (int tiled = 0; tiled < 2; tiled++) {
    const int g = GA_Create_handle();
    GA_Set_data(g, 2, dims, C_INT);
    if (tiled)
      GA_Set_tiled_proc_grid(g, block, grid);
    else
      GA_Set_block_cyclic_proc_grid(g, block, grid);
    GA_Allocate(g);
    check_coordinates(g, 1, tiled ? "tiled" : "block-cyclic with a grid");
    GA_Destroy(g);
  }
  free(map);
}

/* --- Patches that are not inside the array --- */

/* Expects i + 1, but `value` from lo to hi. */
static void check_changed(int g, int lo, int hi, int value, const char *what)
{
  int expected[LENGTH];
  for (int i = 0; i < LENGTH; i++)
    expected[i] = i >= lo && i <= hi ? value : i + 1;
  check_all(g, expected, what);
  GA_Destroy(g);
}

static void patches_of_one(void)
{
  static const int ends[][2] = {{2, LENGTH}, {-1, 6},      {-3, 30}, {6, 5},
                                {6, 2},      {LENGTH, 24}, {-5, -2}};
  int value = -3;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    int lo[1] = {ends[i][0]}, hi[1] = {ends[i][1]};
    kit_about("elements %d to %d", lo[0], hi[0]);
    int g = counted();
    NGA_Zero_patch(g, lo, hi);
    check_changed(g, lo[0], hi[0], 0, "NGA_Zero_patch");
    g = counted();
    NGA_Fill_patch(g, lo, hi, &value);
    check_changed(g, lo[0], hi[0], value, "NGA_Fill_patch");
    g = counted();
    NGA_Fill_patch(g, lo, hi, &value);
    GA_Abs_value_patch(g, lo, hi);
    check_changed(g, lo[0], hi[0], 3, "GA_Abs_value_patch");
    g = counted();
    NGA_Fill_patch(g, lo, hi, &value);
    GA_Add_constant_patch(g, lo, hi, &value);
    check_changed(g, lo[0], hi[0], -6, "GA_Add_constant_patch");
    g = counted();
    NGA_Fill_patch(g, lo, hi, &value);
    NGA_Scale_patch(g, lo, hi, &value);
    check_changed(g, lo[0], hi[0], 9, "NGA_Scale_patch");
    g = counted();
    NGA_Release(g, lo, hi);
    NGA_Release_update(g, lo, hi);
    if (lo[0] <= hi[0]) {
      int start = 100, step = 0;
      GA_Patch_enum(g, lo[0], hi[0], &start, &step);
      check_changed(g, lo[0], hi[0], 100, "GA_Patch_enum");
    }
  }
}

static void numbers_begin_outside(void)
{
  int start = 100, step = 2, expected[LENGTH];
  const int g = counted();
  GA_Patch_enum(g, -3, 30, &start, &step);
  for (int i = 0; i < LENGTH; i++)
    expected[i] = 100 + 2 * (i + 3);
  check_all(g, expected, "GA_Patch_enum from -3");
  GA_Destroy(g);
}

static void empty_patches(void)
{
  int lo[1] = {6}, hi[1] = {5}, one = 1, expected[LENGTH] = {0};
  const int a = counted(), b = vector(C_INT);
  GA_Zero(b);
  NGA_Copy_patch('n', a, lo, hi, b, lo, hi);
  NGA_Add_patch(&one, a, lo, hi, &one, a, lo, hi, b, lo, hi);
  GA_Elem_multiply_patch(a, lo, hi, a, lo, hi, b, lo, hi);
  kit_check_long(NGA_Idot_patch(a, 'n', lo, hi, a, 'n', lo, hi), 0, "dot product of nothing");
  check_all(b, expected, "of empty patches");
  GA_Destroy(a);
  GA_Destroy(b);
}

/* --- Transfers of patches beyond an array whose processes have several blocks --- */

enum { TALL = 10, WIDE = 7, SIDES = 4 };

static int in_blocks(int kind)
{
  int dims[2] = {TALL, WIDE}, block[2] = {3, 2}, grid[2] = {all, 1}, counts[2] = {4, 3};
  int map[7] = {0, 3, 6, 9, 0, 2, 4};
  const int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_INT);
  if (kind == 0)
    GA_Set_block_cyclic(g, block);
  else if (kind == 1)
    GA_Set_block_cyclic_proc_grid(g, block, grid);
  else if (kind == 2)
    GA_Set_tiled_proc_grid(g, block, grid);
  else
    GA_Set_tiled_irreg_proc_grid(g, map, counts, grid);
  GA_Allocate(g);
  return g;
}

static void transfer(int g, int operation, int form, int lo[2], int hi[2], int *buffer, int ld[1])
{
  int three = 3, skip[2] = {3, 2};
  ga_nbhdl_t handle;
  if (form == 0 && operation == 0)
    NGA_Put(g, lo, hi, buffer, ld);
  else if (form == 0 && operation == 1)
    NGA_Get(g, lo, hi, buffer, ld);
  else if (form == 0)
    NGA_Acc(g, lo, hi, buffer, ld, &three);
  else if (form == 1 && operation == 0)
    NGA_NbPut(g, lo, hi, buffer, ld, &handle);
  else if (form == 1 && operation == 1)
    NGA_NbGet(g, lo, hi, buffer, ld, &handle);
  else if (form == 1)
    NGA_NbAcc(g, lo, hi, buffer, ld, &three, &handle);
  else if (operation == 0)
    NGA_Strided_put(g, lo, hi, skip, buffer, ld);
  else if (operation == 1)
    NGA_Strided_get(g, lo, hi, skip, buffer, ld);
  else
    NGA_Strided_acc(g, lo, hi, skip, buffer, ld, &three);
  if (form == 1)
    NGA_NbWait(&handle);
}

/* form: 0 blocking, 1 with a handle, 2 with gaps of 3 rows and 2 columns. */
static void check_beyond(int g, int operation, int form, const int ends[SIDES])
{
  enum { COLUMNS = 20, BUFFER_ELEMENTS = 20 * COLUMNS };
  int kept[TALL][WIDE], got[TALL][WIDE], buffer[BUFFER_ELEMENTS], expected[BUFFER_ELEMENTS],
      ld[1] = {COLUMNS};
  int lo[2] = {ends[0], ends[1]}, hi[2] = {ends[2], ends[3]};
  int first[2] = {0, 0}, last[2] = {TALL - 1, WIDE - 1}, width[1] = {WIDE};
  for (int i = 0; i < TALL * WIDE; i++)
    (&kept[0][0])[i] = i;
  for (int i = 0; i < BUFFER_ELEMENTS; i++)
    buffer[i] = expected[i] = -1 - i;
  if (me == 0)
    NGA_Put(g, first, last, kept, width);
  GA_Sync();
  for (int i = lo[0], row = 0; i <= hi[0]; i += form == 2 ? 3 : 1, row++)
    for (int j = lo[1], column = 0; j <= hi[1]; j += form == 2 ? 2 : 1, column++) {
      int *here = &expected[row * COLUMNS + column];
      if (i < 0 || i >= TALL || j < 0 || j >= WIDE)
        continue;
      if (operation == 1)
        *here = kept[i][j];
      else
        kept[i][j] = operation == 0 ? *here : kept[i][j] + 3 * *here;
    }
  if (me == all - 1)
    transfer(g, operation, form, lo, hi, buffer, ld);
  GA_Sync();
  NGA_Get(g, first, last, got, width);
  kit_about("patch %d, %d to %d, %d, operation %d, form %d", lo[0], lo[1], hi[0], hi[1], operation,
            form);
  for (int i = 0; i < BUFFER_ELEMENTS && me == all - 1; i++)
    kit_check_long(buffer[i], expected[i], "buffer");
  for (int i = 0; i < TALL * WIDE; i++)
    kit_check_long((&got[0][0])[i], (&kept[0][0])[i], "array");
  GA_Sync();
}

/* gaps: with form 2. Debian's GA transfers these arrays correctly only on one process. */
static void beyond(bool gaps)
{
  static const int ends[][SIDES] = {{8, 5, 12, 8},   {-4, -1, 1, 1}, {TALL, 0, 12, 3},
                                    {-3, -3, -1, 2}, {5, 3, 2, 4},   {-2, -3, 11, 8}};
  for (int kind = 0; kind < 4; kind++) {
    const int g = in_blocks(kind);
    for (int i = 0; i < (int)(sizeof ends / sizeof *ends); i++)
      for (int way = 0; way < (gaps ? 9 : 6); way++)
        check_beyond(g, way % 3, way / 3, ends[i]);
    GA_Destroy(g);
  }
}

/* --- Scans --- */

/* Makes a mask with 1 at these two elements. */
static int mask_of(int first, int second)
{
  const int g = vector(C_INT);
  int one = 1;
  GA_Zero(g);
  NGA_Fill_patch(g, &first, &first, &one);
  NGA_Fill_patch(g, &second, &second, &one);
  return g;
}

static void scans(int lo, int hi)
{
  const int a = counted(), b = vector(C_INT), first = lo > 0 && lo < LENGTH ? lo : 0,
            mask = mask_of(first, 11);
  int sums[LENGTH], copies[LENGTH], packed[LENGTH] = {0}, minus = -5, count = -9, set = 0;
  for (int i = 0, sum = 0, last = 0; i < LENGTH; i++) {
    const bool starts = i == first || i == 11, in = i >= lo && i <= hi;
    sum = (starts ? 0 : sum) + i + 1;
    last = starts ? i + 1 : last;
    sums[i] = in ? sum : -5;
    copies[i] = in ? last : -5;
    packed[i] = -5;
    if (in && starts)
      packed[set++] = i + 1;
  }
  for (int i = 0; i < set; i++)
    packed[i] = (first >= lo && first <= hi && i == 0) ? first + 1 : 12;
  kit_about("scans from %d to %d", lo, hi);
  GA_Fill(b, &minus);
  GA_Scan_add(a, b, mask, lo, hi, 0);
  check_all(b, sums, "GA_Scan_add");
  GA_Fill(b, &minus);
  GA_Scan_copy(a, b, mask, lo, hi);
  check_all(b, copies, "GA_Scan_copy");
  GA_Fill(b, &minus);
  GA_Pack(a, b, mask, lo, hi, &count);
  kit_check_long(count, set, "elements that GA_Pack takes");
  check_all(b, packed, "GA_Pack");
  GA_Unpack(a, b, mask, lo, hi, &count);
  kit_check_long(count, set, "elements that GA_Unpack takes");
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(mask);
}

/* --- Values that each process gives for its own elements --- */

static void own_values(void)
{
  int value = me + 1, from = 3, to = 15, expected[LENGTH], start = 100 * me, step = me;
  const int g = counted(), b = vector(C_INT);
  GA_Fill(g, &value);
  GA_Add_constant(g, &value);
  GA_Scale(g, &value);
  GA_Copy(g, b);
  GA_Add(&value, g, &value, b, g);
  NGA_Scale_patch(g, &from, &to, &value);
  for (int process = 0; process < all; process++) {
    int lo = 0, hi = 0;
    const int v = process + 1;
    NGA_Distribution(g, process, &lo, &hi);
    for (int i = lo; i <= hi; i++)
      expected[i] = 2 * v * v * 2 * v * (i >= from && i <= to ? v : 1);
  }
  check_all(g, expected, "values of each process");
  GA_Patch_enum(g, 0, LENGTH - 1, &start, &step);
  for (int process = 0; process < all; process++) {
    int lo = 0, hi = 0;
    NGA_Distribution(g, process, &lo, &hi);
    for (int i = lo; i <= hi; i++)
      expected[i] = 100 * process + process * i;
  }
  check_all(g, expected, "GA_Patch_enum by each process");
  GA_Destroy(b);
  GA_Destroy(g);
}

/* --- Products of nothing --- */

/* Debian's GA multiplies c by a beta of 0 on three processes, but not on one, two or four. */
static void nothing(void)
{
  static const int cases[][4] = {{ROWS, ROWS, 0, 1},
                                 {ROWS, ROWS, -1, 1},
                                 {0, ROWS, ROWS, 2},
                                 {ROWS, 0, ROWS, 2},
                                 {-1, ROWS, ROWS, 2}};
  int dims[2] = {ROWS, ROWS};
  const int a = NGA_Create(C_DBL, 2, dims, kit_name, NULL),
            c = NGA_Create(C_DBL, 2, dims, kit_name, NULL);
  double two = 2, sum = 0;
  GA_Fill(a, &two);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    GA_Fill(c, &two);
    GA_Dgemm('n', 't', cases[i][0], cases[i][1], cases[i][2], 1, a, a, 0.5, c);
    GA_Norm1(c, &sum);
    kit_check_near(sum, cases[i][3] * ROWS * ROWS, 0, "a product without terms");
  }
  GA_Destroy(a);
  GA_Destroy(c);
}

/* --- Fortran's calls on matrices, with a vector: one column --- */

extern Integer ga_locate_(const Integer *g_a, const Integer *i, const Integer *j, Integer *owner);
extern void ga_distribution_(const Integer *g_a, const Integer *process, Integer *ilo, Integer *ihi,
                             Integer *jlo, Integer *jhi);
extern void ga_proc_topology_(const Integer *g_a, const Integer *process, Integer *row,
                              Integer *column);
extern void nga_access_(const Integer *g_a, const Integer *lo, const Integer *hi, size_t *index,
                        Integer *ld);
extern void ga_print_patch_(const Integer *g_a, const Integer *ilo, const Integer *ihi,
                            const Integer *jlo, const Integer *jhi, const Integer *pretty);

extern void nga_get_(const Integer *g_a, const Integer *lo, const Integer *hi, void *buffer,
                     const Integer *ld);

/* Elements of block-cyclic arrays that are there. */
static void beyond_in_fortran(void)
{
  const Integer lo[2] = {WIDE, TALL}, hi[2] = {WIDE + 1, TALL + 1}, ld[1] = {2};
  for (int kind = 0; kind < 4; kind++) {
    const Integer g = in_blocks(kind);
    int value = 7, got[4] = {1, 2, 3, 4};
    GA_Fill((int)g, &value);
    nga_get_(&g, lo, hi, got, ld);
    kit_check(got[0] == 7 && got[1] == 2 && got[2] == 3 && got[3] == 4, "nga_get beyond the end");
    GA_Destroy((int)g);
  }
}

static void vectors(void)
{
  int dims[2] = {ROWS, ROWS};
  const Integer g = vector(C_INT), nought = 0, one = 1, three = 3,
                matrix = NGA_Create(C_DBL, 2, dims, kit_name, NULL);
  for (Integer process = 0; process < all; process++) {
    int lo = 0, hi = 0;
    Integer ilo, ihi, ignored[2], row, column;
    NGA_Distribution((int)g, (int)process, &lo, &hi);
    ga_distribution_(&g, &process, &ilo, &ihi, &ignored[0], &ignored[1]);
    kit_check(ilo == lo + 1 && ihi == hi + 1, "ga_distribution of a vector");
    ga_proc_topology_(&g, &process, &row, &column);
    kit_check(row == process, "ga_proc_topology of a vector");
    for (Integer i = 0, owner = -9; i <= LENGTH + 1; i++) {
      const bool there = (ga_locate_(&g, &i, &three, &owner) & 1) != 0;
      kit_check(there == (i > 0 && i <= LENGTH), "ga_locate of a vector");
      kit_check((owner == process) == (i > lo && i <= hi + 1), "ga_locate of a vector");
    }
    if (process == me) {
      Integer ld = -9;
      size_t index = 0;
      nga_access_(&g, &ilo, &ilo, &index, &ld);
      kit_check_long(ld, hi - lo + 1, "ld of a vector");
      NGA_Release((int)g, &lo, &lo);
    }
  }
  ga_print_patch_(&matrix, &three, &one, &one, &one, &nought);
  GA_Destroy((int)g);
  GA_Destroy((int)matrix);
}

/* --- Fortran's factors, with a tag: as Debian's library, for INTEGER of 8 bytes --- */

extern Integer ga_llt_f_(const char *uplo, const Integer *g_a, Integer *tag, size_t length);
extern Integer ga_llt_i_(const char *uplo, const Integer *g_a, Integer *tag, size_t length);
extern void ga_llt_s_(const char *uplo, const Integer *g_a, const Integer *g_b, Integer *tag,
                      size_t length);

static void factors(void)
{
  int dims[2] = {ROWS, ROWS}, sides[2] = {2, ROWS};
  double one = 1, four = 4, sum = 0, before = 0;
  const int g = NGA_Create(C_DBL, 2, dims, kit_name, NULL),
            b = NGA_Create(C_DBL, 2, sides, kit_name, NULL);
  const Integer g_a = g, g_b = b;
  GA_Fill(g, &one);
  GA_Shift_diagonal(g, &four);
  for (int upper = 0; upper < 2; upper++) {
    Integer tag = 0;
    kit_check_long(ga_llt_f_(upper ? "U" : "L", &g_a, &tag, 1) & 1, 0, "ga_llt_f");
    GA_Norm1(g, &before);
    kit_check_near(before, ROWS * ROWS + 4 * ROWS, 1e-12, "ga_llt_f with a tag keeps g_a");
    GA_Fill(b, &one);
    ga_llt_s_(upper ? "U" : "L", &g_a, &g_b, &tag, 1);
    GA_Norm1(b, &sum);
    kit_check_near(sum, 2 * ROWS / (ROWS + 4.), 1e-12, "ga_llt_s with a tag");
    GA_Fill(b, &one);
    kit_check_long(GA_Llt_solve(g, b), 0, "GA_Llt_solve after ga_llt_f");
    GA_Norm1(b, &sum);
    kit_check_near(sum, 2 * ROWS / (ROWS + 4.), 1e-12, "GA_Llt_solve after ga_llt_f");
  }
  Integer tag = 0;
  kit_check_long(ga_llt_f_("L", &g_a, &tag, 1) & 1, 0, "ga_llt_f");
  kit_check_long(ga_llt_i_("L", &g_a, &tag, 1) & 1, 0, "ga_llt_i");
  GA_Fill(b, &one);
  const int x = GA_Duplicate(b, kit_name);
  GA_Dgemm('n', 'n', 2, ROWS, ROWS, 1, b, g, 0, x);
  GA_Norm1(x, &sum);
  kit_check_near(sum, 2 * ROWS / (ROWS + 4.), 1e-12, "the inverse by ga_llt_i");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "answers");
  me = kit_me();
  all = kit_processes();
  nodes();
  creation();
  blocks_before_allocation();
  negative_groups();
  limits();
  coordinates();
  patches_of_one();
  numbers_begin_outside();
  empty_patches();
  beyond(argc > 1);
  scans(2, LENGTH);
  scans(-1, 6);
  scans(-3, 30);
  scans(6, 5);
  scans(LENGTH, 24);
  own_values();
  nothing();
  beyond_in_fortran();
  vectors();
  factors();
  return kit_finish();
}

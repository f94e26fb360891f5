/* Functions of GA's arrays that neither tests/interfaces/ga_peer nor the differential test covers:
 * reuse of handle numbers, non-blocking handles that are reused or uninitialised, memory of the
 * program, the memory limit, steps, mirrored arrays on several nodes, native arrays, padding. */
#include "kit/kit.h"

#include <causeway.h>
#include <cwga.h>
#include <ga.h>

#include <float.h>
#include <math.h>
#include <string.h>

static int me, all;

static int create(int type, int extent)
{
  int dims[1] = {extent};
  const int array = NGA_Create(type, 1, dims, (char[]){"array"}, NULL);
  kit_check(array != 0, "cannot create an array");
  GA_Zero(array);
  return array;
}

/* The handle of a destroyed array is reused, but only after many others. */
static void numbers(void)
{
  int arrays[3], highest = -1000;
  kit_about("numbers of handles");
  for (int i = 0; i < 3; i++) {
    arrays[i] = create(C_INT, 5);
    kit_check_long(arrays[i], -1000 + i, "handle");
  }
  GA_Destroy(arrays[1]);
  const int copy = GA_Duplicate(arrays[0], (char[]){"copy"});
  kit_check(copy != arrays[1], "a copy has the handle of a destroyed array");
  for (int i = 0; i < 1000; i++) {
    const int handle = GA_Create_handle();
    kit_check(i >= 200 || handle != arrays[1], "handle %d again after %d", handle, i);
    highest = handle > highest ? handle : highest;
    GA_Destroy(handle);
  }
  kit_check(highest < -700, "handles up to %d, of 5 arrays at a time", highest);
  kit_check_long(GA_Valid_handle(arrays[1]), 0, "a destroyed handle is valid");
  GA_Destroy(arrays[0]);
  GA_Destroy(arrays[2]);
  GA_Destroy(copy);
}

/* One handle for many operations completes all of them; its initial value does not matter. */
static void handles(void)
{
  enum { EACH = 50 };
  const int array = create(C_LONG, EACH * all);
  long values[EACH], got[EACH];
  ga_nbhdl_t handle, never;
  kit_about("non-blocking handles");
  for (int fill = 0; fill < 256; fill += 51) {
    memset(&handle, fill, sizeof handle);
    memset(&never, 255 - fill, sizeof never);
    for (int i = 0; i < EACH; i++) {
      int at[1] = {(me + 1) % all * EACH + i};
      values[i] = 1000 * me + i + fill;
      NGA_NbPut(array, at, at, &values[i], NULL, &handle);
    }
    GA_Sync();
    for (int i = 0; i < EACH; i++) {
      int at[1] = {me * EACH + i};
      got[i] = -1;
      NGA_NbGet(array, at, at, &got[i], NULL, &handle);
    }
    if (fill % 2 == 0)
      NGA_NbWait(&handle);
    else
      GA_Sync();
    for (int i = 0; i < EACH; i++)
      kit_check_long(got[i], 1000 * ((me + all - 1) % all) + i + fill, "element");
    NGA_NbWait(&handle);
    NGA_NbWait(&handle);
    kit_check_long(NGA_NbTest(&handle), 1, "test of a handle that is done");
    kit_check_long(NGA_NbTest(&never), 1, "test of a handle that was never used");
    GA_Sync();
  }
  GA_Destroy(array);
}

/* GA_Mask_sync may remove synchronisations; the results stay the same. */
static void masks(void)
{
  const int a = create(C_DBL, 7 * all), b = create(C_DBL, 7 * all);
  double one = 1, two = 2;
  kit_about("Mask_sync");
  GA_Fill(a, &one);
  GA_Mask_sync(1, 0);
  GA_Add(&one, a, &two, a, b);
  GA_Mask_sync(0, 0);
  GA_Scale(b, &two);
  kit_check(GA_Ddot(a, b) == 42.0 * all, "the sum is %g", GA_Ddot(a, b));
  GA_Destroy(a);
  GA_Destroy(b);
}

/* An array in memory of the program, which the array frees. */
static void assembled(void)
{
  const int a = create(C_DBL, 10 * all);
  int lo[1], hi[1], ld[1] = {0};
  double *mine = GA_Getmem(C_DBL, 10, -1), three = 3, *address = NULL;
  kit_about("Assemble_duplicate");
  const int b = GA_Assemble_duplicate(a, (char[]){"assembled"}, mine);
  GA_Fill(b, &three);
  kit_check(mine[0] == 3 && mine[9] == 3, "the memory holds %g and %g", mine[0], mine[9]);
  NGA_Distribution(b, me, lo, hi);
  NGA_Access(b, lo, hi, &address, ld);
  kit_check(address == mine, "the array is elsewhere");
  NGA_Release(b, lo, hi);
  GA_Destroy(b);
  GA_Destroy(a);
}

/* Too little memory on the last process, with any limit on the others: all processes get 0. */
static void limited(size_t others)
{
  int dims[1] = {1000 * all};
  GA_Set_memory_limit((size_t)-1);
  const int before = create(C_DBL, dims[0]);
  kit_about("limit of memory, %zu for others", others);
  GA_Set_memory_limit(me == all - 1 ? 4000 : others);
  kit_check_long(NGA_Create(C_DBL, 1, dims, (char[]){"large"}, NULL), 0, "too large an array");
  kit_check_long(GA_Duplicate(before, (char[]){"copy"}), 0, "too large a copy");
  const int handle = GA_Create_handle();
  GA_Set_data(handle, 1, dims, C_DBL);
  kit_check_long(GA_Allocate(handle), 0, "too large an array");
  GA_Destroy(handle);
  dims[0] /= 10;
  const int small = NGA_Create(C_DBL, 1, dims, (char[]){"small"}, NULL);
  kit_check(small != 0, "no array within the limit");
  kit_check_long((long)GA_Inquire_memory(), 8800, "bytes in use");
  GA_Destroy(small);
  GA_Destroy(before);
}

/* A restriction to no process means all processes. */
static void restricted_to_none(void)
{
  int dims[1] = {20}, list[1] = {0}, low = 0, high = 0;
  kit_about("restricted to no process");
  for (int range = 0; range < 2; range++) {
    const int g = GA_Create_handle();
    GA_Set_data(g, 1, dims, C_INT);
    if (range)
      GA_Set_restricted_range(g, 1, 0);
    else
      GA_Set_restricted(g, list, 0);
    kit_check_long(GA_Allocate(g), 1, "allocated");
    NGA_Distribution(g, all - 1, &low, &high);
    kit_check_long(high, 19, "the last process has the last element");
    GA_Destroy(g);
  }
}

static void limits(void)
{
  limited(1000000);
  limited((size_t)-1); /* none */
  GA_Set_memory_limit((size_t)-1);
}

/* The values are those of Debian's GA for the same vectors. */
static void steps(void)
{
  static double x[] = {1, 2, 3, 4}, v[] = {1, -1, 2, -2}, low[] = {0, 0, -7, -9},
                high[] = {5, 6, 17, 8};
  double *const all_values[] = {x, v, low, high};
  int arrays[4], lo[1] = {0}, hi[1] = {3};
  double least = 0, wolfe = 0, most = 0;
  kit_about("steps");
  for (int i = 0; i < 4; i++) {
    arrays[i] = create(C_DBL, 4);
    if (me == 0)
      NGA_Put(arrays[i], lo, hi, all_values[i], NULL);
  }
  GA_Sync();
  GA_Step_max(arrays[0], arrays[1], &least);
  kit_check(least == 2, "the greatest step is %g", least);
  GA_Step_bound_info(arrays[0], arrays[1], arrays[2], arrays[3], &least, &wolfe, &most);
  kit_check(least == 2 && wolfe == 2 && most == 7, "bounds are %g %g %g", least, wolfe, most);
  lo[0] = 2;
  GA_Step_bound_info_patch(arrays[0], lo, hi, arrays[1], lo, hi, arrays[2], lo, hi, arrays[3], lo,
                           hi, &least, &wolfe, &most);
  kit_check(least == 6.5 && most == 7, "bounds of a patch are %g %g", least, most);
  GA_Step_max(arrays[0], arrays[0], &least);
  kit_check(least == 1e307, "without an end the step is %g", least);
  for (int i = 0; i < 4; i++)
    GA_Destroy(arrays[i]);
}

/* Each node has its own copy; merging adds them. */
static void mirrored(void)
{
  int dims[2] = {9, 5}, lo[2] = {0, 0}, hi[2] = {8, 4}, ld[1] = {5};
  long values[45], value = GA_Cluster_nodeid() + 1;
  const long nodes = GA_Cluster_nnodes();
  const int copy =
      NGA_Create_config(C_LONG, 2, dims, (char[]){"mirrored"}, NULL, GA_Pgroup_get_mirror());
  const int whole = NGA_Create(C_LONG, 2, dims, (char[]){"distributed"}, NULL);
  kit_about("mirrored, %ld nodes", nodes);
  kit_check_long(GA_Is_mirrored(copy), 1, "mirrored");
  kit_check_long(GA_Is_mirrored(whole), 0, "not mirrored");
  GA_Fill(copy, &value);
  GA_Zero(whole);
  NGA_Merge_distr_patch(copy, lo, hi, whole, lo, hi);
  GA_Merge_mirrored(copy);
  for (int which = 0; which < 2; which++) {
    NGA_Get(which == 0 ? copy : whole, lo, hi, values, ld);
    for (int i = 0; i < 45; i++)
      if (!kit_check_long(values[i], nodes * (nodes + 1) / 2, "sum over the nodes"))
        break;
  }
  GA_Sync();
  GA_Destroy(whole);
  GA_Destroy(copy);
}

static cw_array native_array(cw_team team, cw_type type, size_t bytes, int dimensions)
{
  const int64_t extents[CW_MAX_DIMENSIONS] = {6, 5, 1, 1, 1, 1, 1, 1};
  const cw_array_options options = {.name = "native",
                                    .type = type,
                                    .element_bytes = bytes,
                                    .dimensions = dimensions,
                                    .extents = extents};
  cw_array array = NULL;
  const cw_error error = cw_array_create(team, &options, &array);
  kit_check(error == CW_OK, "no native array: %s", cw_error_message());
  return array;
}

static void rejected_handle(cw_array *array, const char *word)
{
  int g_a = 0;
  const cw_error error = cw_array_to_ga(*array, &g_a);
  kit_check(error == CW_MISUSE && strstr(cw_error_message(), word) != NULL,
            "a handle where '%s' is wrong: %s", word, error == CW_OK ? "" : cw_error_message());
  kit_check(cw_array_destroy(array) == CW_OK, "the array cannot be destroyed");
}

/* A native array on process 0 alone, and a duplicate: after GA_Deallocate all processes have parts
 * of them, and values that they store through a pointer are visible. */
static void anew(void)
{
  const int64_t extents[1] = {12};
  const cw_array_options options = {.name = "one's",
                                    .type = CW_DOUBLE,
                                    .dimensions = 1,
                                    .extents = extents,
                                    .distribution = {.members = 1, .ranks = (const int[]){0}}};
  cw_array array = NULL;
  int g_a[2], lo[1], hi[1], ld[1];
  kit_about("native arrays that are made anew");
  kit_check(cw_array_create(cw_team_world(), &options, &array) == CW_OK &&
                cw_array_to_ga(array, &g_a[0]) == CW_OK,
            "no handle: %s", cw_error_message());
  g_a[1] = GA_Duplicate(g_a[0], (char[]){"twin"});
  for (int i = 0; i < 2; i++) {
    double *mine = NULL;
    NGA_Distribution(g_a[i], me, lo, hi);
    kit_check_long(hi[0] - lo[0] + 1, me == 0 ? 12 : 0, "my elements at first");
    GA_Deallocate(g_a[i]);
    kit_check_long(GA_Allocate(g_a[i]), 1, "allocated again");
    GA_Zero(g_a[i]);
    NGA_Distribution(g_a[i], me, lo, hi);
    kit_check_long(hi[0] - lo[0] + 1, 12 / all, "my elements");
    NGA_Access(g_a[i], lo, hi, (void *)&mine, ld);
    for (int at = 0; at <= hi[0] - lo[0]; at++)
      mine[at] = 1;
    NGA_Release(g_a[i], lo, hi);
    GA_Sync();
    kit_check(GA_Ddot(g_a[i], g_a[i]) == 12, "%g of 12 elements are stored",
              GA_Ddot(g_a[i], g_a[i]));
    GA_Destroy(g_a[i]);
  }
}

/* Native arrays under GA handles: in the world, in a group, and some that GA does not support. */
static void adopted(void)
{
  const int own = GA_Pgroup_split_irreg(-1, me % 2);
  const int of_group = NGA_Create_config(C_LONG, 1, (int[]){7}, (char[]){"own"}, NULL, own);
  cw_array array = native_array(cw_team_world(), CW_DOUBLE, 0, 2), copy = NULL, opaque = NULL;
  double one = 1, three = 3;
  int g_a = 0, again = 0, type = 0, ndim = 0, dims[GA_MAX_DIM];
  kit_about("native arrays");
  kit_check(cw_array_to_ga(array, &g_a) == CW_OK && g_a != 0, "no handle: %s", cw_error_message());
  kit_check(cw_array_to_ga(array, &again) == CW_OK && again == g_a, "a second handle");
  kit_check(cw_array_from_ga(g_a) == array, "the handle is another array's");
  NGA_Inquire(g_a, &type, &ndim, dims);
  kit_check(type == C_DBL && ndim == 2 && dims[0] == 6 && dims[1] == 5 && GA_Get_pgroup(g_a) == -1,
            "type %d, %d dimensions, %d x %d, group %d", type, ndim, dims[0], dims[1],
            GA_Get_pgroup(g_a));
  GA_Fill(g_a, &three);
  const int twin = GA_Duplicate(g_a, (char[]){"twin"});
  GA_Fill(twin, &one);
  kit_check(GA_Ddot(g_a, twin) == 90, "the sum is %g", GA_Ddot(g_a, twin));
  GA_Destroy(twin);
  GA_Destroy(g_a);
  kit_check(cw_array_from_ga(g_a) == NULL, "the handle lives");
  kit_check(cw_array_to_ga(array, &again) == CW_MISUSE, "a handle for an array that is destroyed");

  kit_check(cw_array_duplicate(cw_array_from_ga(of_group), "copy", &copy) == CW_OK &&
                cw_array_to_ga(copy, &g_a) == CW_OK,
            "no handle: %s", cw_error_message());
  kit_check_long(GA_Get_pgroup(g_a), all > 1 ? own : -1, "group of the copy");
  GA_Destroy(g_a);
  copy = native_array(cw_team_world(), CW_DOUBLE, 0, GA_MAX_DIM + 1);
  rejected_handle(&copy, "dimensions");
  opaque = native_array(cw_team_world(), CW_OPAQUE, 24, 2);
  rejected_handle(&opaque, "NGA_Register_type");
  const int code = NGA_Register_type(24);
  opaque = native_array(cw_team_world(), CW_OPAQUE, 24, 2);
  kit_check(cw_array_to_ga(opaque, &g_a) == CW_OK, "no handle: %s", cw_error_message());
  NGA_Inquire(g_a, &type, &ndim, dims);
  kit_check_long(type, code, "type of the array");
  GA_Destroy(g_a);
  NGA_Deregister_type(code);
  GA_Destroy(of_group);
  GA_Pgroup_destroy(own);
  cw_team team = NULL;
  kit_check(cw_team_split(cw_team_world(), me % 2, 0, &team) == CW_OK, "no team");
  copy = native_array(team, CW_DOUBLE, 0, 2);
  if (all > 1) {
    rejected_handle(&copy, "GA_Pgroup_create");
  } else {
    kit_check(cw_array_destroy(&copy) == CW_OK, "the array cannot be destroyed");
  }
  kit_check(cw_team_free(&team) == CW_OK, "the team cannot be freed");
}

/* Stores the bytes of a number, followed by padding bytes. */
static void pad(long double *to, long double number, int padding)
{
  memset(to, padding, sizeof *to);
  memcpy(to, &number, LDBL_MANT_DIG == 64 ? 10 : sizeof number);
}

/* Comparisons of arrays ignore the padding of long double, and no other bits. */
static void padded(void)
{
  static const int types[2] = {C_LDBL, C_LDCPL};
  kit_about("long double in arrays that are equal");
  for (int parts = 1; parts <= 2; parts++) {
    const int a = create(types[parts - 1], 5), copy = GA_Duplicate(a, (char[]){"copy"});
    long double number[2];
    for (int i = 0; i < 2; i++)
      pad(&number[i], 1.25L, 0x55);
    GA_Fill(a, number);
    pad(&number[parts - 1], 1.25L, 0xaa);
    GA_Fill(copy, number);
    kit_check_long(cw_ga_equal(a, copy), 1, "equal but for padding");
    pad(&number[parts - 1], 1.25L + LDBL_EPSILON, 0x55);
    GA_Fill(copy, number);
    kit_check_long(cw_ga_equal(a, copy), 0, "equal but for the last bit");
    GA_Destroy(copy);
    GA_Destroy(a);
  }
  const int p = create(C_DBL, 5), q = create(C_DBL, 5);
  GA_Fill(q, &(double){-0.0});
  kit_check_long(cw_ga_equal(p, q), 0, "0.0 and -0.0");
  GA_Fill(p, &(double){NAN});
  GA_Fill(q, &(double){NAN});
  kit_check_long(cw_ga_equal(p, q), 1, "twice NaN");
  GA_Destroy(q);
  GA_Destroy(p);
}

/* A grid whose ranks vary fastest in the first dimension, so that the number of a process's block
 * is not its rank. Each process stores its number in its corner and reads that of the next process
 * in the first dimension. */
static void turned(void)
{
  enum { ROWS = 4, COLUMNS = 3, WIDE = COLUMNS + 2 };
  const int grid[2] = {all % 2 == 0 ? 2 : 1, all % 2 == 0 ? all / 2 : all};
  const int64_t extents[2] = {(int64_t)ROWS * grid[0], (int64_t)COLUMNS * grid[1]}, rim[2] = {1, 1};
  const cw_array_options options = {
      .name = "turned",
      .type = CW_LONG,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.grid = grid, .ghosts = rim, .column_major = true}};
  cw_array array = NULL;
  long *mine = NULL, block[ROWS + 2][WIDE], got = -1;
  int g_a = 0, lo[2], hi[2], dims[2] = {0, 0}, ld[1] = {0}, wide[1] = {WIDE};
  kit_about("a column-major grid under a handle");
  kit_check(cw_array_create(cw_team_world(), &options, &array) == CW_OK &&
                cw_array_to_ga(array, &g_a) == CW_OK,
            "no handle: %s", cw_error_message());
  GA_Zero(g_a);
  NGA_Distribution(g_a, me, lo, hi);
  NGA_Access_ghosts(g_a, dims, (void *)&mine, ld);
  kit_check(dims[0] == ROWS + 2 && dims[1] == WIDE && ld[0] == WIDE, "%d x %d cells", dims[0],
            dims[1]);
  mine[ld[0] + 1] = 1 + me;
  NGA_Release_update_ghosts(g_a);
  GA_Sync();
  NGA_Get(g_a, lo, lo, &got, wide);
  kit_check_long(got, 1 + me, "my corner");
  GA_Update_ghosts(g_a);
  const int next[2] = {(lo[0] + ROWS) % (int)extents[0], lo[1]};
  for (int d = 0; d < 2; d++) {
    lo[d] -= 1;
    hi[d] += 1;
  }
  NGA_Get_ghost_block(g_a, lo, hi, block, wide);
  kit_check_long(block[1][1], 1 + me, "my corner");
  kit_check_long(block[ROWS + 1][1], 1 + NGA_Locate(g_a, (int *)next), "the corner below");
  GA_Sync();
  GA_Destroy(g_a);
}

/* Of two arrays in the same memory either may be destroyed first. */
static void parent_ends_first(void)
{
  int large[1] = {100 * kit_processes()}, small[1] = {10 * kit_processes()}, threes = 3;
  const int parent = NGA_Create(C_DBL, 1, large, (char[]){"parent"}, NULL);
  const int array = GA_Create_handle();
  const size_t taken = GA_Inquire_memory();
  GA_Set_data(array, 1, small, C_INT);
  kit_check_long(GA_Overlay(array, parent), 1, "GA_Overlay");
  kit_check_long((long)GA_Inquire_memory(), (long)taken, "memory of an array in another's");
  GA_Destroy(parent);
  GA_Fill(array, &threes);
  kit_check_long(GA_Idot(array, array), 9L * small[0], "an array whose parent has gone");
  GA_Destroy(array);
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "cwga.arrays");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  numbers();
  handles();
  masks();
  assembled();
  parent_ends_first();
  limits();
  restricted_to_none();
  steps();
  mirrored();
  adopted();
  anew();
  padded();
  turned();
  GA_Terminate();
  return kit_finish();
}

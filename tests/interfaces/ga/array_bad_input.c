/* Every bad argument of GA's calls on arrays, while GA runs and while it does not; see bad_input.c.
 * */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <cwga.h>
#include <ga.h>

#include <limits.h>

static struct bad_axis negatives, not_positive, processes, groups, handles, types, dimensions,
    outside, addresses, below, above, huge, directions, invalid_numbers;
static int bare, destroyed_array, spare, matrix, integers, opaque, vector, zero_array, zeroes,
    counter, counts, integer_line, cyclic, rimmed, assembled;
static int shape[2] = {10, 10}, zeros[2], ones[2] = {1, 1}, map[3] = {0, 5, 0}, blocks[2] = {2, 1};
static int lo[2] = {1, 2}, hi[2] = {3, 4}, less[2] = {0, 4}, far[2] = {3, 10}, ld[1] = {10};
static int place[1], flat[4] = {0, 0, 1, 1}, *rows[2] = {flat, flat + 2};
static int shape_out[2], lo_out[2], hi_out[2], found[64], number;
static int64_t lo64[2] = {1, 2}, hi64[2] = {3, 4}, ones64[2] = {1, 1}, ld64[1] = {10};
static int64_t flat64[4] = {0, 0, 1, 1}, *rows64[2] = {flat64, flat64 + 2};
static int64_t lo64_out[2], hi64_out[2], found64[64];
static double buffer[400], one = 1;
static long words[8];
static void *pointer, *memory; /* memory: address of an array's memory */
static ga_nbhdl_t handle;
static char text[8] = "!", least[8] = "min", property[16] = "read_only";

#define N ((int)bad)

static bool destroyed(int array)
{
  const bool there = array != 0;
  if (there)
    GA_Destroy(array);
  return there;
}

static int handle_of(const int64_t *block)
{
  const int array = GA_Create_handle();
  GA_Set_data(array, 2, shape, C_DBL);
  if (block != NULL)
    GA_Set_block_cyclic_proc_grid64(array, ones64, (int64_t[2]){block[0], block[1]});
  return array;
}

/* Makes a handle of an unallocated array whose grid is for another number of processes. */
static int on_grid(int rows_of_it, int columns)
{
  return handle_of((int64_t[2]){rows_of_it, columns});
}

/* Makes a handle of an unallocated array: block-cyclic arrays cannot have ghost cells. */
static int round_robin_with_ghosts(void)
{
  const int array = handle_of(NULL);
  GA_Set_ghosts(array, ones);
  GA_Set_block_cyclic(array, ones);
  return array;
}

static int restricted_to(int process)
{
  const int array = handle_of(NULL);
  GA_Set_restricted(array, &process, 1);
  return array;
}

/* Returns the address of this process's block of an array. */
static void *block_of(int array)
{
  double *block = NULL;
  NGA_Distribution(array, GA_Nodeid(), lo_out, hi_out);
  NGA_Access(array, lo_out, hi_out, &block, found);
  NGA_Release(array, lo_out, hi_out);
  return block;
}

#define BAD_TABLE "interfaces/ga/array_bad_input.def"
#define BAD_PREFIX running
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/ga/operands_bad_input.def"
#define BAD_PREFIX together
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/ga/array_not_running.def"
#define BAD_PREFIX idle
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/ga/native_bad_input.def"
#define BAD_PREFIX native
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/ga/native_not_running.def"
#define BAD_PREFIX native_idle
#include "kit/bad_table.inc"

#define TRY_NATIVE(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_RETURNS, when)
#define TRY(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_ENDS, when)

static void begin(void)
{
  bad_add_negatives(&negatives);
  not_positive = outside = negatives;
  bad_add(&not_positive, "0", 0);
  dimensions = not_positive;
  bad_add(&dimensions, "GA_MAX_DIM + 1", GA_MAX_DIM + 1);
  bad_add(&dimensions, "INT_MAX", INT_MAX);
  bad_add(&outside, "INT_MAX", INT_MAX);
  bad_add(&types, "before the first", MT_FIRST - 1);
  bad_add(&types, "behind the last", MT_LAST + 1);
  bad_add(&groups, "-2", -2);
  bad_add(&groups, "INT_MAX", INT_MAX);
  bad_add(&handles, "0", 0);
  bad_add(&handles, "INT_MIN", INT_MIN);
  bad_add(&handles, "INT_MAX", INT_MAX);
  bad_add(&handles, "a handle that is not used", -900);
  bad_add(&addresses, "8", 8);
  bad_add_address(&addresses, "private memory", words);
  bad_add(&below, "-1", -1);
  bad_add(&below, "INT64_MIN", INT64_MIN);
  bad_add(&above, "11", 11);
  bad_add(&above, "2^32 + 3", ((intptr_t)1 << 32) + 3);
  bad_add(&above, "INT64_MAX", INT64_MAX);
  bad_add(&huge, "2^62", (intptr_t)1 << 62);
  bad_add(&huge, "INT64_MAX - 1", INT64_MAX - 1);
  bad_add(&huge, "INT64_MAX", INT64_MAX);
  bad_add(&directions, "0", 0);
  bad_add(&directions, "-2", -2);
  bad_add(&directions, "INT_MIN", INT_MIN);
  bad_add(&invalid_numbers, "-1", -1);
  bad_add(&invalid_numbers, "1", 1);
  bad_add(&invalid_numbers, "INT64_MAX", INT64_MAX);
  bad_add(&invalid_numbers, "an address", (intptr_t)words);
}

static int create(int type, int ndim)
{
  const int array = NGA_Create(type, ndim, shape, property, NULL);
  GA_Zero(array);
  return array;
}

static void create_all(void)
{
  matrix = create(C_DBL, 2);
  GA_Fill(matrix, &one);
  vector = create(C_DBL, 1);
  GA_Fill(vector, &one);
  zero_array = create(C_DBL, 1);
  zeroes = create(C_DBL, 2);
  counts = create(C_INT, 1);
  counter = NGA_Create(C_INT, 1, ones, property, NULL);
  cyclic = GA_Create_handle();
  GA_Set_data(cyclic, 2, shape, C_DBL);
  GA_Set_block_cyclic(cyclic, blocks);
  GA_Allocate(cyclic);
  rimmed = NGA_Create_ghosts(C_DBL, 2, shape, ones, property, NULL);
  integers = create(C_INT, 2);
  integer_line = create(C_INT, 1);
  memory = GA_Getmem(C_DBL, 400, -1);
  assembled = GA_Assemble_duplicate(matrix, property, memory);
  for (int i = 0; i < 64; i++)
    found[i] = 1;
}

static void live(const char *when)
{
  GA_Initialize();
  processes.count = 0;
  bad_add_numbers(&processes, GA_Nnodes());
  create_all();
  spare = handle_of(NULL);
  bare = GA_Create_handle();
  TRY(running_rows, when);
  opaque = NGA_Create(NGA_Register_type(16), 2, shape, property, NULL);
  destroyed_array = create(C_DBL, 1);
  GA_Destroy(destroyed_array);
  (void)create(C_DBL, 1); /* does not get its handle */
  TRY(together_rows, when);
  TRY_NATIVE(native_rows, when);
  if (bad_failures() > 0)
    bad_judge();
  GA_Terminate();
}

int main(int argc, char **argv)
{
  int level = 0;
  begin();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "cwga.array_bad_input");
  TRY(idle_rows, "before GA_Initialize");
  TRY_NATIVE(native_idle_rows, "before GA_Initialize");
  live("first life");
  TRY(idle_rows, "after GA_Terminate");
  TRY_NATIVE(native_idle_rows, "after GA_Terminate");
  bad_judge();
  return kit_finish();
}

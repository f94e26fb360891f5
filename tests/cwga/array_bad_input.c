/* Every bad argument of GA's calls on arrays, while GA runs and when it does not; see bad_input.c.
 */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>

#include <limits.h>
#include <string.h>

static struct bad_axis negatives, not_positive, processes, groups, handles, types, outside,
    addresses;
static int bare, matrix, vector, nought, zeroes, counter, counts, cyclic, rimmed;
static int shape[2] = {10, 10}, zeros[2], ones[2] = {1, 1}, map[3] = {0, 5, 0}, blocks[2] = {2, 1};
static int lo[2] = {1, 2}, hi[2] = {3, 4}, less[2] = {0, 4}, far[2] = {3, 10}, ld[1] = {10};
static int place[1], flat[4] = {0, 0, 1, 1}, *rows[2] = {flat, flat + 2};
static int shape_out[2], lo_out[2], hi_out[2], found[64], number;
static double buffer[400], one = 1;
static long words[8];
static void *pointer;
static ga_nbhdl_t handle;
static char text[8] = "!", least[8] = "min", property[16] = "read_only";

#define N ((int)bad)

static void *at(intptr_t bad)
{
  void *address = NULL;
  memcpy(&address, &bad, sizeof address);
  return address;
}

#define BAD_TABLE "cwga/array_bad_input.def"
#define BAD_PREFIX running
#include "kit/bad_table.inc"

#define BAD_TABLE "cwga/array_not_running.def"
#define BAD_PREFIX idle
#include "kit/bad_table.inc"

#define TRY(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_ENDS, when)

static void begin(void)
{
  bad_add(&negatives, "-1", -1);
  bad_add(&negatives, "INT_MIN", INT_MIN);
  not_positive = outside = negatives;
  bad_add(&not_positive, "0", 0);
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
}

static int create(int type, int ndim)
{
  const int array = NGA_Create(type, ndim, shape, property, NULL);
  GA_Zero(array);
  return array;
}

static void live(const char *when)
{
  GA_Initialize();
  processes.count = 0;
  bad_add_numbers(&processes, GA_Nnodes());
  matrix = create(C_DBL, 2);
  GA_Fill(matrix, &one);
  vector = create(C_DBL, 1);
  GA_Fill(vector, &one);
  nought = create(C_DBL, 1);
  zeroes = create(C_DBL, 2);
  counts = create(C_INT, 1);
  counter = NGA_Create(C_INT, 1, ones, property, NULL);
  cyclic = GA_Create_handle();
  GA_Set_data(cyclic, 2, shape, C_DBL);
  GA_Set_block_cyclic(cyclic, blocks);
  GA_Allocate(cyclic);
  rimmed = NGA_Create_ghosts(C_DBL, 2, shape, ones, property, NULL);
  bare = GA_Create_handle();
  TRY(running_rows, when);
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
  live("first life");
  TRY(idle_rows, "after GA_Terminate");
  bad_judge();
  return kit_finish();
}

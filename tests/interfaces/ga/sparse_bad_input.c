/* Every bad argument of the calls on sparse arrays, while GA runs and while it does not; see
 * bad_input.c. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>

#include <limits.h>

static struct bad_axis not_positive, types, without_arithmetic, huge, handles, rows, columns,
    processes;
static int open, sparse, gone, large, integers, five, seven, whole, matrix, number, *pointer;
static int64_t wide, *pointer64;
static double one = 1, *values;

#define N ((int)bad)

#define BAD_TABLE "interfaces/ga/sparse_bad_input.def"
#define BAD_PREFIX running
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/ga/sparse_not_running.def"
#define BAD_PREFIX idle
#include "kit/bad_table.inc"

#define TRY(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_ENDS, when)

static void begin(void)
{
  bad_add(&not_positive, "-1", -1);
  bad_add(&not_positive, "0", 0);
  bad_add(&not_positive, "INT_MIN", INT_MIN);
  bad_add(&types, "before the first", MT_FIRST - 1);
  bad_add(&types, "behind the last", MT_LAST + 1);
  bad_add(&without_arithmetic, "C_CHAR", C_CHAR);
  bad_add(&without_arithmetic, "C_LDBL", C_LDBL);
  bad_add(&huge, "INT64_MIN", INT64_MIN);
  bad_add(&huge, "-2^32", -((intptr_t)1 << 32));
  bad_add(&handles, "0", 0);
  bad_add(&handles, "1", 1);
  bad_add(&handles, "INT_MIN", INT_MIN);
  bad_add(&handles, "INT_MAX", INT_MAX);
  bad_add(&handles, "a handle that is not used", -700);
  bad_add_numbers(&rows, 5);
  bad_add_numbers(&columns, 7);
}

static int create(int type, int ndim, int extent)
{
  return NGA_Create(type, ndim, (int[]){extent, extent}, (char[]){"array"}, NULL);
}

static void create_all(void)
{
  open = NGA_Sprs_array_create(5, 7, C_DBL);
  sparse = NGA_Sprs_array_create(5, 7, C_DBL);
  gone = NGA_Sprs_array_create(5, 7, C_DBL);
  integers = NGA_Sprs_array_create(7, 5, C_INT);
  large = NGA_Sprs_array_create64((int64_t)1 << 40, 3, C_DBL);
  NGA_Sprs_array_add_element(sparse, 1, 1, &one);
  NGA_Sprs_array_assemble(sparse);
  NGA_Sprs_array_assemble(integers);
  NGA_Sprs_array_destroy(gone);
  five = create(C_DBL, 1, 5);
  seven = create(C_DBL, 1, 7);
  whole = create(C_INT, 1, 7);
  matrix = create(C_DBL, 2, 6);
  bad_add(&handles, "an array that was destroyed", gone);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "cwga.sparse_bad_input");
  begin();
  TRY(idle_rows, "before GA_Initialize");
  GA_Initialize();
  bad_add_numbers(&processes, GA_Nnodes());
  create_all();
  TRY(running_rows, "while GA runs");
  bad_judge();
  GA_Terminate();
  TRY(idle_rows, "after GA_Terminate");
  bad_judge();
  return kit_finish();
}

/* Every bad argument of the calls on sparse arrays, while GA runs and while it does not; see
 * bad_input.c. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>

#include <limits.h>

static struct bad_axis not_positive, types, without_arithmetic, huge, handles, rows, columns,
    processes;
static int open, sparse, destroyed, large, integers, five, seven, whole, matrix, number, *pointer;
static int64_t wide, *pointer64;
static double one = 1, *values;

#define N ((int)bad)

static void add_values(void)
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
  bad_add_numbers(&rows, 5);
  bad_add_numbers(&columns, 7);
}

static int create(int type, int ndim, int extent)
{
  return NGA_Create(type, ndim, (int[]){extent, extent}, (char[]){"array"}, NULL);
}

static void begin_axes(void)
{
  handles.count = processes.count = 0;
  bad_add(&handles, "0", 0);
  bad_add(&handles, "1", 1);
  bad_add(&handles, "INT_MIN", INT_MIN);
  bad_add(&handles, "INT_MAX", INT_MAX);
  bad_add(&handles, "a handle that is not used", -700);
  bad_add(&handles, "an array that was destroyed", destroyed);
  bad_add_numbers(&processes, kit_processes());
}

static void make_objects(void)
{
  GA_Initialize();
  open = NGA_Sprs_array_create(5, 7, C_DBL);
  sparse = NGA_Sprs_array_create(5, 7, C_DBL);
  destroyed = NGA_Sprs_array_create(5, 7, C_DBL);
  integers = NGA_Sprs_array_create(7, 5, C_INT);
  large = NGA_Sprs_array_create64((int64_t)1 << 40, 3, C_DBL);
  NGA_Sprs_array_add_element(sparse, 1, 1, &one);
  NGA_Sprs_array_assemble(sparse);
  NGA_Sprs_array_assemble(integers);
  NGA_Sprs_array_destroy(destroyed);
  five = create(C_DBL, 1, 5);
  seven = create(C_DBL, 1, 7);
  whole = create(C_INT, 1, 7);
  matrix = create(C_DBL, 2, 6);
}

static const struct bad_program program = {.name = "cwga.sparse_bad_input",
                                           .manner = BAD_ENDS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = GA_Terminate};

#define BAD_RUNNING "interfaces/ga/sparse_bad_input.def"
#define BAD_IDLE "interfaces/ga/sparse_not_running.def"
#include "kit/bad_program.inc"

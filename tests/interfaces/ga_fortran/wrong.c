/* Every Fortran name with arguments that it must reject: the job ends with a message that has the
 * name, the argument as Fortran counts, and the error. wrong.awk makes the table and the
 * declarations. Each argument is an address, as from Fortran. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <wrong_declared.h>

static struct bad_axis handles;
static Integer matrix, cube, typed_i, typed_d, typed_s, typed_c, typed_z, world, doubles;
static Integer ones[64], twos[64];
static char letters[4] = "n", upper[4] = "U";

/* A call that is not rejected may write to its arguments. */
static void renew(void)
{
  world = -1;
  doubles = MT_F_DBL;
  for (int i = 0; i < 64; i++) {
    ones[i] = 1;
    twos[i] = 2;
  }
}

static Integer *bad_handle(intptr_t bad)
{
  static Integer handle;
  handle = (Integer)bad;
  return &handle;
}

/* Returns the addresses of a number in one dimension and of 1 in the others. A row uses up to four.
 * */
static Integer *with(int dimension, Integer number)
{
  static Integer several[4][3];
  static unsigned next;
  Integer *const numbers = several[next++ % 4];
  for (int d = 0; d < 3; d++)
    numbers[d] = d == dimension - 1 ? number : 1;
  return numbers;
}

static Integer *number(Integer value)
{
  return with(1, value);
}

#define BAD_TABLE <wrong.def>
#define BAD_PREFIX running
#include "kit/bad_table.inc"

static Integer create(int type, int dimensions)
{
  int shape[3] = {8, 8, 8};
  char name[8] = "array";
  return NGA_Create(type, dimensions, shape, name, NULL);
}

int main(int argc, char **argv)
{
  bad_add(&handles, "0", 0);
  bad_add(&handles, "a handle that is not used", -900);
  MPI_Init(&argc, &argv);
  kit_start(&argc, &argv, "ga_fortran.wrong");
  GA_Initialize();
  matrix = create(C_DBL, 2);
  cube = create(C_DBL, 3);
  typed_i = create(MT_F_INT, 2);
  typed_d = create(MT_F_DBL, 2);
  typed_s = create(MT_F_REAL, 2);
  typed_c = create(MT_F_SCPL, 2);
  typed_z = create(MT_F_DCPL, 2);
  GA_Create_mutexes(2);
  bad_try(running_rows, BAD_COUNT(running_rows), BAD_ENDS, "while GA runs");
  bad_judge();
  GA_Terminate();
  return kit_finish();
}

/* Every name of Fortran that takes an array, with a handle that none has, at each moment: the job
 * ends with a sentence that has the name and the argument. handles.awk makes the table and the
 * declarations; each argument is an address, as from Fortran. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <handles_declared.h>

static struct bad_axis handles;
static Integer matrix, ones[64];
static char letters[4] = "n", upper[4] = "U";

static Integer *bad_handle(intptr_t bad)
{
  static Integer handle;
  handle = (Integer)bad;
  return &handle;
}

#define BAD_TABLE <handles.def>
#define BAD_PREFIX running
#include "kit/bad_table.inc"

int main(int argc, char **argv)
{
  int shape[2] = {8, 8};
  char name[8] = "matrix";
  for (int i = 0; i < 64; i++)
    ones[i] = 1;
  bad_add(&handles, "0", 0);
  bad_add(&handles, "a handle that is not used", -900);
  MPI_Init(&argc, &argv);
  kit_start(&argc, &argv, "ga_fortran.handles");
  GA_Initialize();
  matrix = NGA_Create(C_DBL, 2, shape, name, NULL);
  bad_try(running_rows, BAD_COUNT(running_rows), BAD_ENDS, "while GA runs");
  bad_judge();
  GA_Terminate();
  return kit_finish();
}

/* Every bad argument of the calls of SF and DRA, and each call while GA does not run. Each ends the
 * job with a message that names the call and the argument; here cw_abort returns. The tables are
 * the .def files. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <dra.h>
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <sf.h>

#include <limits.h>
#include <string.h>

static struct bad_axis negatives, files, arrays, handles, types, dimensions, modes, wide, requests;
static int file, disk, open, readable, array, whole, other, request, type;
static char name[] = "pario_bad", empty[] = "", nowhere[] = "/dev/null/array", endless[1101],
            text[300];
static char path[] = "pario_bad_open", label[] = "numbers";
static dra_size_t dims[] = {4, 6}, large[] = {4, 6}, first[] = {0, 0}, last[] = {3, 5};
static int zeros[] = {0, 0}, ones[] = {1, 1}, ends[] = {3, 5}, sides[] = {0, 0};

/* Starts one write more than may be in progress. */
static int six_writes(void)
{
  int code = 0;
  for (int i = 0; i < 6; i++)
    code = NDRA_Write(array, open, &request);
  return code;
}

#define N ((int)bad)

static void add_values(void)
{
  memset(endless, 'x', sizeof endless - 1);
  bad_add_negatives(&negatives);
  files = arrays = handles = requests = negatives;
  bad_add(&files, "a handle that is not used", -2950);
  bad_add(&files, "INT_MAX", INT_MAX);
  bad_add(&arrays, "a handle that is not used", -4000);
  bad_add(&arrays, "INT_MAX", INT_MAX);
  bad_add(&handles, "0", 0);
  bad_add(&requests, "a nonexistent one", 4);
  bad_add(&requests, "INT_MAX", INT_MAX);
  bad_add(&types, "0", 0);
  bad_add(&types, "C_CHAR", C_CHAR);
  bad_add(&types, "C_LONGLONG", C_LONGLONG);
  dimensions = negatives;
  bad_add(&dimensions, "0", 0);
  bad_add(&dimensions, "GA_MAX_DIM + 1", GA_MAX_DIM + 1);
  bad_add(&modes, "0", 0);
  bad_add(&modes, "-4", -4);
  bad_add(&wide, "-1", -1);
  bad_add(&wide, "2^60", (intptr_t)1 << 60);
  bad_add(&wide, "INT64_MAX", INT64_MAX);
  bad_add(&wide, "INT64_MIN", INT64_MIN);
}

static void make_objects(void)
{
  int extents[] = {4, 6}, turned[] = {6, 4};
  GA_Initialize();
  kit_check(DRA_Init(5, 1, 1, 1) == 0, "DRA_Init");
  array = NGA_Create(C_DBL, 2, extents, label, NULL);
  whole = NGA_Create(C_INT, 2, extents, label, NULL);
  other = NGA_Create(C_DBL, 2, turned, label, NULL);
  kit_check(NDRA_Create(C_DBL, 2, dims, label, path, DRA_RW, dims, &open) == 0, "an array on disk");
  kit_check(DRA_Open(path, DRA_R, &readable) == 0, "the same, to read");
}

static void end_objects(void)
{
  kit_check(DRA_Close(readable) == 0, "closing");
  kit_check(DRA_Delete(open) == 0, "deleting");
  GA_Terminate();
}

static const struct bad_program program = {.name = "pario.bad_input",
                                           .manner = BAD_ENDS,
                                           .add = add_values,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "interfaces/pario/bad_input.def"
#define BAD_IDLE "interfaces/pario/not_running.def"
#include "kit/bad_program.inc"

/* Collective calls of SF and DRA whose members pass different arguments, with CW_CHECK=1:
 * compared.def. Each ends the job with a message that names the argument; here cw_abort returns. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <dra.h>
#include <ga.h>
#include <macdecls.h>
#include <sf.h>

static int odd, array, turned, disk, second, file, other_file, request;
static char name[] = "pario_compared", path[] = "pario_compared_1",
            other_path[] = "pario_compared_2";
static dra_size_t dims[] = {4, 4}, first[] = {0, 0}, last[] = {1, 1}, moved[] = {1, 0},
                  beyond[] = {2, 1};
static int lo[] = {0, 0}, hi[] = {1, 1}, lower[] = {1, 0}, higher[] = {2, 1};

#define EITHER(usual, other) (odd ? (other) : (usual))

/* Creates an array with a default that only this process has. */
static int create_by_default(int files)
{
  int made = 0;
  DRA_Set_default_config(files, 0);
  const int code = NDRA_Create(C_DBL, 2, dims, name, name, DRA_RW, dims, &made);
  DRA_Set_default_config(0, 0);
  return code;
}

#define BAD_TABLE "interfaces/pario/compared.def"
#define BAD_PREFIX compared
#include "kit/bad_table.inc"

static void make(void)
{
  int extents[] = {4, 4};
  odd = GA_Nodeid() == GA_Nnodes() - 1;
  array = NGA_Create(C_DBL, 2, extents, (char[]){"a"}, NULL);
  turned = NGA_Create(C_DBL, 2, extents, (char[]){"b"}, NULL);
  kit_check(SF_Create(name, 1, 1, 1, &file) == 0 && SF_Create(name, 1, 1, 1, &other_file) == 0,
            "shared files");
  kit_check(DRA_Init(5, 1, 1, 1) == 0, "DRA_Init");
  kit_check(NDRA_Create(C_DBL, 2, dims, name, path, DRA_RW, dims, &disk) == 0 &&
                NDRA_Create(C_DBL, 2, dims, name, other_path, DRA_RW, dims, &second) == 0,
            "arrays on disk");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "pario.compared");
  GA_Initialize();
  make();
  bad_try(compared_rows, BAD_COUNT(compared_rows), BAD_ENDS, "with CW_CHECK");
  bad_judge();
  kit_check(SF_Destroy(file) == 0 && SF_Destroy(other_file) == 0, "destroying files");
  kit_check(DRA_Delete(disk) == 0 && DRA_Delete(second) == 0, "deleting arrays");
  GA_Destroy(array);
  GA_Destroy(turned);
  GA_Terminate();
  return kit_finish();
}

/* GA's collective calls whose members pass different arguments, with CW_CHECK=1: compared.def. Each
 * ends the job with a message that names the argument; here cw_abort returns. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <float.h>
#include <string.h>

static int odd, a, b, c, line, ghosts, wide, pairs;
static int dims[2] = {6, 6}, other_dims[2] = {6, 5}, lo[2] = {0, 0}, hi[2] = {3, 3},
           less[2] = {2, 3}, square[2] = {2, 2}, chunk[2] = {1, 6}, first[2];
static long double padded[2], differing[2];
static double three = 3, four = 4.5, x[2];
static char plus[2] = "+", most[4] = "max", least[4] = "min", only[] = "read_only",
            cache[] = "read_cache";

#define EITHER(usual, other) (odd ? (other) : (usual))

#define BAD_TABLE "interfaces/ga/compared.def"
#define BAD_PREFIX compared
#include "kit/bad_table.inc"

/* long double: the padding differs in the last process, but not the value. */
static void filled(void)
{
  memset(padded, odd ? 0x55 : 0xaa, sizeof padded);
  memset(differing, 0, sizeof differing);
  for (int i = 0; i < 2; i++) {
    const long double number = 1.25L, other = odd ? 3.5L : number;
    memcpy(&padded[i], &number, LDBL_MANT_DIG == 64 ? 10 : sizeof number);
    memcpy(&differing[i], i == 0 ? &number : &other, sizeof other);
  }
  GA_Fill(wide, padded);
  GA_Fill(pairs, padded);
  const int copy = GA_Duplicate(pairs, (char[]){"copy"});
  NGA_Fill_patch(copy, lo, lo, padded);
  GA_Destroy(copy);
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "cwga.compared");
  GA_Initialize();
  odd = GA_Nodeid() == GA_Nnodes() - 1;
  a = NGA_Create(C_DBL, 2, dims, (char[]){"a"}, NULL);
  b = NGA_Create(C_DBL, 2, dims, (char[]){"b"}, NULL);
  c = NGA_Create(C_DBL, 2, dims, (char[]){"c"}, NULL);
  line = NGA_Create(C_DBL, 1, dims, (char[]){"line"}, NULL);
  ghosts = NGA_Create_ghosts(C_DBL, 2, dims, (int[]){1, 1}, (char[]){"ghosts"}, NULL);
  wide = NGA_Create(C_LDBL, 1, dims, (char[]){"wide"}, NULL);
  pairs = NGA_Create(C_LDCPL, 1, dims, (char[]){"pairs"}, NULL);
  filled();
  bad_try(compared_rows, BAD_COUNT(compared_rows), BAD_ENDS, "with CW_CHECK");
  bad_judge();
  GA_Zero(a);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
  GA_Destroy(line);
  GA_Destroy(ghosts);
  GA_Destroy(wide);
  GA_Destroy(pairs);
  GA_Terminate();
  return kit_finish();
}

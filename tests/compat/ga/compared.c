/* GA's collective calls whose members give different things, with CW_CHECK=1: compared.def. Each
 * ends the job with a sentence that names the argument; here the end of the job comes back. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

static int odd, a, b, c, line, ghosts;
static int dims[2] = {6, 6}, other_dims[2] = {6, 5}, lo[2] = {0, 0}, hi[2] = {3, 3},
           less[2] = {2, 3}, square[2] = {2, 2}, chunk[2] = {1, 6}, first[2];
static double three = 3, four = 4.5, x[2];
static char plus[2] = "+", most[4] = "max", least[4] = "min", only[] = "read_only",
            cache[] = "read_cache";

#define EITHER(usual, other) (odd ? (other) : (usual))

#define BAD_TABLE "compat/ga/compared.def"
#define BAD_PREFIX compared
#include "kit/bad_table.inc"

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
  bad_try(compared_rows, BAD_COUNT(compared_rows), BAD_ENDS, "with CW_CHECK");
  bad_judge();
  GA_Zero(a);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
  GA_Destroy(line);
  GA_Destroy(ghosts);
  GA_Terminate();
  return kit_finish();
}

/* The sum of a field with ghost cells, as its dot product with an array of ones. The field has
 * SIDE * SIDE cells, and each is 1: the sum is 170 * 170 = 28900 on any number of processes.
 *
 * Debian 12's Global Arrays (5.8.2) gives 28236 on two processes, and no error. The number fits
 * this: each block has 170 rows of 85 cells. The other array has no ghosts, so GA fetches the part
 * that it needs. It stores the part in rows of 87 numbers, as the field's block with its ghosts has
 * them. Then it multiplies as many numbers as a block has cells, 170 * 85 = 14450, ghosts and gaps
 * included. These end after 166 rows and 8 cells of the next one: 2 * (166 * 85 + 8) = 28236. The
 * ghosts are 0 here. The contents of the gaps in GA's buffer depend on the ARMCI library; with
 * ours they are 0.
 */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <stdio.h>

enum { SIDE = 170, WIDTH = 1, STACK = 100000 };

int main(int argc, char **argv)
{
  static char field_name[] = "field", weights_name[] = "weights";
  int side[] = {SIDE, SIDE}, width[] = {WIDTH, WIDTH}, any[] = {-1, -1};
  double one = 1;

  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, STACK, STACK);
  int field = NGA_Create_ghosts(C_DBL, 2, side, width, field_name, any);
  int weights = NGA_Create(C_DBL, 2, side, weights_name, any);

  GA_Zero(field);
  GA_Update_ghosts(field); /* beyond the edges the field is 0 */
  GA_Fill(field, &one);
  GA_Fill(weights, &one);
  double sum = GA_Ddot(field, weights);
  if (GA_Nodeid() == 0)
    printf("sum: %.17g\n", sum);

  GA_Destroy(field);
  GA_Destroy(weights);
  GA_Terminate();
  return MPI_Finalize();
}

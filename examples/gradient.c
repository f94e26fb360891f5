/* Conjugate gradients with a sparse array of GA. It computes the temperature of a square plate that
 * is heated everywhere and has cold edges. Each process adds the equations of some points,
 * whichever process owns their rows. Then the matrix is assembled. Each step needs one product with
 * a vector. */
#include <ga.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { SIDE = 40, POINTS = SIDE * SIDE, MOST_STEPS = 500 };

static void add(int matrix, int point, int neighbour, double value)
{
  NGA_Sprs_array_add_element(matrix, point, neighbour, &value);
}

/* Makes the matrix: each row has four times a point minus its neighbours. */
static int plate(int me, int all)
{
  const int matrix = NGA_Sprs_array_create(POINTS, POINTS, C_DBL);
  for (int point = me; point < POINTS; point += all) {
    const int row = point / SIDE, column = point % SIDE;
    add(matrix, point, point, 4);
    if (row > 0)
      add(matrix, point, point - SIDE, -1);
    if (row < SIDE - 1)
      add(matrix, point, point + SIDE, -1);
    if (column > 0)
      add(matrix, point, point - 1, -1);
    if (column < SIDE - 1)
      add(matrix, point, point + 1, -1);
  }
  NGA_Sprs_array_assemble(matrix);
  return matrix;
}

static char name[] = "vector";

static int vector(double value)
{
  int extent = POINTS;
  const int made = NGA_Create(C_DBL, 1, &extent, name, NULL);
  GA_Fill(made, &value);
  return made;
}

/* Computes a = alpha a + beta b. */
static void combine(double alpha, int a, double beta, int b)
{
  GA_Add(&alpha, a, &beta, b, a);
}

/* Solves matrix x = b, beginning with x = 0. Returns the number of steps. */
static int solve(int matrix, int b, int x)
{
  const int rest = GA_Duplicate(b, name), way = GA_Duplicate(b, name),
            product = GA_Duplicate(b, name);
  int steps = 0;
  GA_Copy(b, rest);
  GA_Copy(b, way);
  double square = GA_Ddot(rest, rest);
  for (; steps < MOST_STEPS && sqrt(square) > 1e-10; steps++) {
    NGA_Sprs_array_matvec_multiply(matrix, way, product);
    const double length = square / GA_Ddot(way, product), before = square;
    combine(1, x, length, way);
    combine(1, rest, -length, product);
    square = GA_Ddot(rest, rest);
    combine(square / before, way, 1, rest);
  }
  GA_Destroy(rest);
  GA_Destroy(way);
  GA_Destroy(product);
  return steps;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  GA_Initialize();
  const int me = GA_Nodeid(), matrix = plate(me, GA_Nnodes());
  const int heat = vector(1), x = vector(0), check = vector(0);
  const int steps = solve(matrix, heat, x);
  double norm = 0, middle = 0;
  int place = POINTS / 2 + SIDE / 2;
  NGA_Sprs_array_matvec_multiply(matrix, x, check);
  combine(1, check, -1, heat);
  GA_Norm_infinity(check, &norm);
  NGA_Get(x, &place, &place, &middle, NULL);
  if (me == 0)
    printf("%d steps; the solution in the middle is %.4f; the greatest error is %s\n", steps,
           middle, norm < 1e-9 ? "less than 1e-9" : "TOO LARGE");
  NGA_Sprs_array_destroy(matrix);
  GA_Terminate();
  MPI_Finalize();
  return norm < 1e-9 ? 0 : 1;
}

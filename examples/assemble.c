/* Irregular tasks fill a distributed matrix by one-sided calls; then one call solves the equations.
 * Springs join the points of a chain at random. Each spring adds a 2 x 2 matrix to the stiffness
 * matrix, wherever its elements are. A force pulls at the last point, and the program computes how
 * far it moves. */
#include <causeway.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 120, SPRINGS = 400 };

/* Returns spring n, which is the same on every process. The first springs join neighbours, the
 * others join any two points. */
static void spring(int n, int *a, int *b, double *stiffness)
{
  const unsigned random = 2654435761U * (unsigned)(n + 1);
  *a = n < POINTS - 1 ? n : (int)(random % POINTS);
  *b = n < POINTS - 1 ? n + 1 : (int)(random / POINTS % POINTS);
  *stiffness = 1 + n % 7;
}

/* Adds the four elements of a spring: two on the diagonal and two beside it. */
static void add_spring(cw_matrix matrix, int n)
{
  int a = 0, b = 0;
  double stiffness = 0;
  spring(n, &a, &b, &stiffness);
  double beside = -stiffness;
  const cw_local_matrix plus = {.data = &stiffness, .height = 1, .width = 1};
  const cw_local_matrix minus = {.data = &beside, .height = 1, .width = 1};
  if (a == b)
    return;
  CW_MUST(cw_matrix_accumulate(matrix, NULL, &plus, a, a));
  CW_MUST(cw_matrix_accumulate(matrix, NULL, &plus, b, b));
  CW_MUST(cw_matrix_accumulate(matrix, NULL, &minus, a, b));
  CW_MUST(cw_matrix_accumulate(matrix, NULL, &minus, b, a));
}

/* Returns the absolute difference between the outer force at a point and the forces of its
 * springs. */
static double residual(int point, const double *moved)
{
  double force = point == POINTS - 1 ? 1 : 0;
  for (int n = 0; n < SPRINGS; n++) {
    int a = 0, b = 0;
    double stiffness = 0;
    spring(n, &a, &b, &stiffness);
    if (point == a)
      force -= stiffness * (moved[a] - moved[b]);
    if (point == b)
      force -= stiffness * (moved[b] - moved[a]);
  }
  return fabs(point == 0 ? force - moved[0] : force);
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), all = cw_processes();

  /* Blocks of 16 x 16, distributed round robin over the processes along the columns. */
  const int64_t extents[] = {POINTS, POINTS}, block[] = {16, 16}, length[] = {POINTS, 1};
  const int grid[] = {1, all};
  const cw_array_options cyclic = {
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = block}};
  const cw_array_options column = {.type = CW_DOUBLE, .dimensions = 2, .extents = length};
  cw_array stiffness = NULL, force = NULL;
  cw_matrix matrix = NULL, vector = NULL;
  const double zero = 0;
  CW_MUST(cw_array_create(cw_team_world(), &cyclic, &stiffness));
  CW_MUST(cw_array_create(cw_team_world(), &column, &force));
  CW_MUST(cw_array_fill(stiffness, NULL, NULL, &zero));
  CW_MUST(cw_array_fill(force, NULL, NULL, &zero));

  CW_MUST(cw_matrix_attach(stiffness, CW_ROW_MAJOR, &matrix));
  CW_MUST(cw_matrix_attach(force, CW_ROW_MAJOR, &vector));
  for (int n = me; n < SPRINGS; n += all)
    add_spring(matrix, n);
  double one = 1;
  const cw_local_matrix single = {.data = &one, .height = 1, .width = 1};
  if (me == 0) {
    CW_MUST(
        cw_matrix_accumulate(matrix, NULL, &single, 0, 0)); /* joins the first point to a wall */
    CW_MUST(cw_matrix_put(vector, &single, POINTS - 1, 0));
  }
  CW_MUST(cw_matrix_detach(
      &matrix)); /* collective; the matrix now has the contributions of all processes */

  CW_MUST(cw_array_solve_positive(stiffness, force, NULL));

  double moved[POINTS], worst = 0;
  const cw_local_matrix solution = {.data = moved, .height = POINTS, .width = 1};
  CW_MUST(cw_matrix_get(vector, &solution, 0, 0));
  for (int point = 0; point < POINTS; point++)
    worst = fmax(worst, residual(point, moved));
  if (me == 0)
    printf("the last point moves by %.6f; forces are balanced to 1e-10: %s\n", moved[POINTS - 1],
           worst < 1e-10 ? "yes" : "no");
  CW_MUST(cw_matrix_detach(&vector));
  CW_MUST(cw_array_destroy(&force));
  CW_MUST(cw_array_destroy(&stiffness));
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return worst < 1e-10 ? 0 : 1;
}

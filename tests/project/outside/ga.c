/* A distributed matrix times twice the unit matrix, through the interface of Global Arrays. */
#include <causeway.h>
#include <cwga.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>

enum { N = 20 };

static int create(char *name)
{
  int dims[2] = {N, N};
  return NGA_Create(C_DBL, 2, dims, name, NULL);
}

/* Saves and loads by native calls; the copy then becomes a GA array. */
static int through_file(int g_a)
{
  const char *const name = "product";
  cw_array array = cw_array_from_ga(g_a);
  int copy = 0;
  if (cw_arrays_save("outside-ga.h5", 1, &array, &name) != CW_OK ||
      cw_array_create_from_file(cw_team_world(), "outside-ga.h5", name, NULL, &array) != CW_OK ||
      cw_array_to_ga(array, &copy) != CW_OK)
    GA_Error("a file", 1);
  if (GA_Nodeid() == 0)
    remove("outside-ga.h5");
  return copy;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1000, 1000);
  char names[3] = "abc";
  int a = create(&names[0]), b = create(&names[1]), c = create(&names[2]);
  int lo[2] = {0, 0}, hi[2] = {N - 1, N - 1}, ld = N, right = 1;
  double rows[N][N], unit[N][N], got[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      rows[i][j] = N * i + j;
      unit[i][j] = i == j;
    }
  if (GA_Nodeid() == 0) {
    NGA_Put(a, lo, hi, rows, &ld);
    NGA_Put(b, lo, hi, unit, &ld);
  }
  GA_Sync();
  GA_Dgemm('n', 'n', N, N, N, 2.0, a, b, 0.0, c);
  const int copy = through_file(c);
  NGA_Get(copy, lo, hi, got, &ld);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      right = right && got[i][j] == 2 * rows[i][j];
  GA_Igop(&right, 1, (char[]){"min"});
  if (GA_Nodeid() == 0)
    puts(right ? "right" : "wrong");
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
  GA_Destroy(copy);
  GA_Terminate();
  MPI_Finalize();
  return !right;
}

/* Compares the product of a sparse GA array and a vector with a plain loop over the same rows. The
 * matrices are a grid with five elements in a row, and one whose elements are at random columns.
 * Not part of `make bench`. */
#include <ga.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 20, ROUNDS = 7 };

/* This process's rows as compressed rows with all columns, and a whole vector. */
struct rows {
  int count, *idx, *jdx;
  double *values, *x, *y;
};

static void loop(const struct rows *rows)
{
  for (int r = 0; r < rows->count; r++) {
    double sum = 0;
    for (int k = rows->idx[r]; k < rows->idx[r + 1]; k++)
      sum += rows->values[k] * rows->x[rows->jdx[k]];
    rows->y[r] = sum;
  }
}

static void *allocate(size_t count, size_t size)
{
  void *memory = calloc(count + 1, size);
  if (memory == NULL)
    GA_Error((char[]){"no memory"}, 1);
  return memory;
}

/* Returns the column of element k of a row, or -1 if there is none. */
static int column_of(int side, int row, int k, int anywhere)
{
  const int steps[] = {-side, -1, 0, 1, side}, n = side * side;
  const int column =
      anywhere ? (int)((unsigned)(row * 5 + k) * 2654435761u % (unsigned)n) : row + steps[k];
  return column >= 0 && column < n ? column : -1;
}

static int build(int side, int anywhere, struct rows *rows)
{
  int lo = 0, hi = 0, count = 0;
  const int n = side * side, matrix = NGA_Sprs_array_create(n, n, C_DBL);
  NGA_Sprs_array_row_distribution(matrix, GA_Nodeid(), &lo, &hi);
  rows->count = hi - lo + 1;
  rows->idx = allocate((size_t)rows->count + 1, sizeof(int));
  rows->jdx = allocate((size_t)rows->count * 5, sizeof(int));
  rows->values = allocate((size_t)rows->count * 5, sizeof(double));
  rows->x = allocate((size_t)n, sizeof(double));
  rows->y = allocate((size_t)rows->count, sizeof(double));
  for (int row = lo; row <= hi; row++) {
    for (int k = 0; k < 5; k++) {
      const int column = column_of(side, row, k, anywhere);
      double value = k + 1;
      if (column < 0)
        continue;
      NGA_Sprs_array_add_element(matrix, row, column, &value);
      rows->jdx[count] = column;
      rows->values[count++] = value;
    }
    rows->idx[row - lo + 1] = count;
  }
  return matrix;
}

static char name[] = "vector";

static double best(double least, double seconds)
{
  return seconds < least ? seconds : least;
}

static void measure(int side, int anywhere)
{
  struct rows rows = {0};
  int n = side * side;
  double one = 1, ours = 1e9, plain = 1e9;
  const int matrix = build(side, anywhere, &rows);
  const double begin = MPI_Wtime();
  NGA_Sprs_array_assemble(matrix);
  const double assembled = MPI_Wtime() - begin;
  const int x = NGA_Create(C_DBL, 1, &n, name, NULL), y = GA_Duplicate(x, name);
  GA_Fill(x, &one);
  for (int i = 0; i < n; i++)
    rows.x[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    GA_Sync();
    double start = MPI_Wtime();
    for (int i = 0; i < TIMES; i++)
      NGA_Sprs_array_matvec_multiply(matrix, x, y);
    ours = best(ours, (MPI_Wtime() - start) / TIMES);
    GA_Sync();
    start = MPI_Wtime();
    for (int i = 0; i < TIMES; i++)
      loop(&rows);
    plain = best(plain, (MPI_Wtime() - start) / TIMES);
  }
  GA_Dgop(&ours, 1, (char[]){"max"});
  GA_Dgop(&plain, 1, (char[]){"max"});
  if (GA_Nodeid() == 0)
    printf(
        "%9d rows, %s, %d processes: assembled in %.1f ms; product %.3f ms, loop %.3f ms: %.2f of "
        "its speed\n",
        n, anywhere ? "anywhere" : "grid    ", GA_Nnodes(), 1e3 * assembled, 1e3 * ours,
        1e3 * plain, plain / ours);
  NGA_Sprs_array_destroy(matrix);
  GA_Destroy(x);
  GA_Destroy(y);
  free(rows.idx);
  free(rows.jdx);
  free(rows.values);
  free(rows.x);
  free(rows.y);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  GA_Initialize();
  for (int side = 100; side <= 1000; side *= 10)
    for (int anywhere = 0; anywhere < 2; anywhere++)
      measure(side, anywhere);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

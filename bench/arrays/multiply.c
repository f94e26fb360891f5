/* Products of distributed matrices, in one run and in turns: BLAS on local matrices (the limit),
 * cw_array_multiply, GA_Dgemm, PDGEMM. Prints a table of GFLOP/s of all processes together, the
 * best of some runs. Usage: causeway-multiply-<armci> [n ...]
 *
 * On MPICH 4.0.2 Debian's ARMCI needs ARMCI_USE_WIN_ALLOCATE=0: else products are "DIFFERENT". */
#include "multiply.h"

#include <cblas.h>
#include <float.h>
#include <ga.h>
#include <macdecls.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *me, const int *first, const int *count);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *ir,
               const int *ic, const int *context, const int *ld, int *info);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *da,
             const double *b, const int *ib, const int *jb, const int *db, const double *beta,
             double *c, const int *ic, const int *jc, const int *dc);

static int processes, me, extent;

static void nothing(void) {}

static double *matrix(size_t elements)
{
  double *made = malloc((elements + 1) * sizeof *made);
  if (made == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return made;
}

/* --- Limit: each process multiplies its share of a product, in its own memory ----------------- */

static double *limit_a, *limit_b, *limit_c;
static int limit_rows;

static void limit_begin(int n)
{
  const size_t all = (size_t)n * (size_t)n;
  limit_rows = n / processes;
  limit_a = matrix(all / (size_t)processes);
  limit_b = matrix(all);
  limit_c = matrix(all / (size_t)processes);
  for (size_t i = 0; i < all; i++)
    limit_b[i] = multiply_element((long)i, 0);
  for (size_t i = 0; i < (size_t)limit_rows * (size_t)n; i++)
    limit_a[i] = multiply_element(0, (long)i);
}

static void limit_run(bool ta, bool tb)
{
  cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
              limit_rows, extent, extent, 1, limit_a, ta ? limit_rows : extent, limit_b, extent, 0,
              limit_c, extent);
}

static double no_check(void)
{
  return DBL_MAX;
}

static void limit_end(void)
{
  free(limit_a);
  free(limit_b);
  free(limit_c);
}

static const struct multiply_side limit = {"limit",  nothing,   limit_begin, limit_run,
                                           no_check, limit_end, nothing};

/* --- Global Arrays ---------------------------------------------------------------------------- */

static int ga[3];

static void ga_start(void)
{
  /* Two Causeway runtimes share this process: the second needs another address for its zone. */
  setenv("CW_ZONE_ADDRESS", "0x300000000000", 1);
  GA_Initialize();
  MA_init(C_DBL, 8000000, 8000000);
}

static void ga_begin(int n)
{
  int extents[2] = {n, n}, lo[2], hi[2], ld[1];
  char name[] = "matrix";
  for (int i = 0; i < 3; i++) {
    double *part;
    ga[i] = NGA_Create(C_DBL, 2, extents, name, NULL);
    NGA_Distribution(ga[i], GA_Nodeid(), lo, hi);
    NGA_Access(ga[i], lo, hi, (void *)&part, ld);
    for (int row = lo[0]; row <= hi[0]; row++)
      for (int column = lo[1]; column <= hi[1]; column++)
        part[(long)(row - lo[0]) * ld[0] + column - lo[1]] = multiply_element(row, column);
    NGA_Release_update(ga[i], lo, hi);
  }
  GA_Sync();
}

static void ga_run(bool ta, bool tb)
{
  GA_Dgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', extent, extent, extent, 1, ga[0], ga[1], 0, ga[2]);
}

static double ga_check(void)
{
  double value = 0;
  int at[2] = {5, 7}, ld[1] = {1};
  NGA_Get(ga[2], at, at, &value, ld);
  return value;
}

static void ga_end(void)
{
  for (int i = 0; i < 3; i++)
    GA_Destroy(ga[i]);
}

static const struct multiply_side arrays = {"GA_Dgemm", ga_start, ga_begin,    ga_run,
                                            ga_check,   ga_end,   GA_Terminate};

/* --- ScaLAPACK: column-major; its product of the row-major matrices costs the same ------------ */

static int context, desc[9];
static double *pd[3];

static void pd_begin(int n)
{
  int dims[2] = {0, 0}, grid[2], at[2], first = 0, info = 0, block = 128;
  MPI_Dims_create(processes, 2, dims);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", dims[1], dims[0]);
  Cblacs_gridinfo(context, &grid[0], &grid[1], &at[0], &at[1]);
  const int rows = numroc_(&n, &block, &at[0], &first, &grid[0]);
  const int columns = numroc_(&n, &block, &at[1], &first, &grid[1]);
  const int ld = rows > 0 ? rows : 1;
  descinit_(desc, &n, &n, &block, &block, &first, &first, &context, &ld, &info);
  for (int i = 0; i < 3; i++) {
    pd[i] = matrix((size_t)ld * (size_t)columns);
    for (long j = 0; j < (long)ld * columns; j++)
      pd[i][j] = multiply_element(j, 0);
  }
}

static void pd_run(bool ta, bool tb)
{
  const int one = 1;
  const double alpha = 1, beta = 0;
  pdgemm_(ta ? "T" : "N", tb ? "T" : "N", &extent, &extent, &extent, &alpha, pd[0], &one, &one,
          desc, pd[1], &one, &one, desc, &beta, pd[2], &one, &one, desc);
}

static void pd_end(void)
{
  for (int i = 0; i < 3; i++)
    free(pd[i]);
  Cblacs_gridexit(context);
}

static const struct multiply_side scalapack = {"PDGEMM", nothing, pd_begin, pd_run,
                                               no_check, pd_end,  nothing};

/* --- The table -------------------------------------------------------------------------------- */

static const struct multiply_side *const sides[] = {&limit, &multiply_ours, &arrays, &scalapack};
enum { SIDES = sizeof sides / sizeof sides[0] };

static double time_one(const struct multiply_side *side, bool ta, bool tb)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  side->run(ta, tb);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - begin;
}

static void measure(int n, bool ta, bool tb, int runs)
{
  double best[SIDES], values[SIDES];
  for (int run = 0; run < runs; run++)
    for (int i = 0; i < SIDES; i++) {
      const double time = time_one(sides[i], ta, tb);
      if (run == 0 || time < best[i])
        best[i] = time;
      values[i] = sides[i]->check();
    }
  if (me != 0)
    return;
  printf("| %d | %s%s |", n, ta ? "T" : "N", tb ? "T" : "N");
  for (int i = 0; i < SIDES; i++)
    printf(" %.1f | %.2f |", 2e-9 * n * n * n / best[i], best[0] / best[i]);
  printf("\n");
  if (values[1] < values[2] || values[1] > values[2])
    printf("The products of n = %d differ.\n", n);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const char *usual[] = {"512", "1024", "2048", "4096"};
  const char **sizes = argc > 1 ? (const char **)&argv[1] : usual;
  const int count = argc > 1 ? argc - 1 : 4;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < SIDES; i++)
    sides[i]->start();
  if (me == 0) {
    printf("GFLOP/s of %d processes, and relative to the limit\n\n| n | op |", processes);
    for (int i = 0; i < SIDES; i++)
      printf(" %s | of limit |", sides[i]->name);
    printf("\n|--:|---|");
    for (int i = 0; i < SIDES; i++)
      printf("--:|--:|");
    printf("\n");
  }
  for (int i = 0; i < count; i++) {
    extent = atoi(sizes[i]);
    for (int side = 0; side < SIDES; side++)
      sides[side]->begin(extent);
    for (int op = 0; op < 4; op++)
      measure(extent, op & 2, op & 1, extent > 2048 ? 2 : 7);
    for (int side = 0; side < SIDES; side++)
      sides[side]->end();
  }
  for (int side = 0; side < SIDES; side++)
    sides[side]->stop();
  return MPI_Finalize();
}

/* Compares the solvers of linear.h, on matrices of three distributions, with ScaLAPACK on a matrix
 * in its own distribution. All take turns; the tests check results, this program does not.
 *
 *   solvers [ROUNDS [N...]]   on 2 or more processes */
#include "../program.h"
#include "../samples.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *place, const int *first, const int *places);
void pdgesv_(const int *n, const int *count, double *a, const int *ia, const int *ja,
             const int *desca, int *pivots, double *b, const int *ib, const int *jb,
             const int *descb, int *info);
void pdposv_(const char *uplo, const int *n, const int *count, double *a, const int *ia,
             const int *ja, const int *desca, double *b, const int *ib, const int *jb,
             const int *descb, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              double *tau, double *work, const int *lwork, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja,
              const int *desca, const double *tau, double *work, const int *lwork, int *info);
void pdsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *ia,
              const int *ja, const int *desca, double *w, double *z, const int *iz, const int *jz,
              const int *descz, double *work, const int *lwork, int *iwork, const int *liwork,
              int *info);
void pdgesvd_(const char *ju, const char *jvt, const int *m, const int *n, double *a, const int *ia,
              const int *ja, const int *desca, double *s, double *u, const int *iu, const int *ju1,
              const int *descu, double *vt, const int *ivt, const int *jvt1, const int *descvt,
              double *work, const int *lwork, int *info);

enum { BLOCK = 64, COUNT = 16, SIDES = 4, MOST_ROUNDS = 99 };
enum solver { BY_LU, BY_CHOLESKY, BY_QR, BY_EIGEN, BY_SVD, SOLVERS };
static const char *const solver_names[SOLVERS] = {"cw_array_solve", "cw_array_solve_positive",
                                                  "cw_array_qr", "cw_array_eigen", "cw_array_svd"};
static const int one = 1;
static int n;

static void *allocate(size_t count, size_t size)
{
  void *made = calloc(count + 1, size);
  if (made == NULL)
    cw_abort("solvers: no memory", 1);
  return made;
}

/* Returns an element of a symmetric positive definite matrix without a regular pattern. */
static double value(int64_t i, int64_t j)
{
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  uint64_t mixed = low * 7919 + high * 104729 + 1;
  mixed = (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return (double)(mixed >> 11) * 0x1p-53 - 0.5 + (i == j ? n : 0);
}

/* --- ScaLAPACK alone -------------------------------------------------------------------------- */

struct plain {
  int context, rows, columns, desc[9], desc_b[9];
  double *a, *b, *u, *v, *w, *work;
  int *pivots, *integers, work_count, integer_count;
};

static int work_size(double answer, const struct plain *p)
{
  return (int)answer + p->rows * (p->columns + BLOCK) + 8 * n +
         1000; /* ScaLAPACK's answer to the workspace query is too small */
}

/* Calls the routine twice: to query the size of its workspace, and to compute. */
static int plain_run(enum solver solver, struct plain *p)
{
  const int count = COUNT;
  int info = 0;
  switch (solver) {
  case BY_LU:
    pdgesv_(&n, &count, p->a, &one, &one, p->desc, p->pivots, p->b, &one, &one, p->desc_b, &info);
    break;
  case BY_CHOLESKY:
    pdposv_("L", &n, &count, p->a, &one, &one, p->desc, p->b, &one, &one, p->desc_b, &info);
    break;
  case BY_QR:
    pdgeqrf_(&n, &n, p->a, &one, &one, p->desc, p->w, p->work, &p->work_count, &info);
    pdorgqr_(&n, &n, &n, p->a, &one, &one, p->desc, p->w, p->work, &p->work_count, &info);
    break;
  case BY_EIGEN:
    pdsyevd_("V", "L", &n, p->a, &one, &one, p->desc, p->w, p->u, &one, &one, p->desc, p->work,
             &p->work_count, p->integers, &p->integer_count, &info);
    break;
  default:
    pdgesvd_("V", "V", &n, &n, p->a, &one, &one, p->desc, p->w, p->u, &one, &one, p->desc, p->v,
             &one, &one, p->desc, p->work, &p->work_count, &info);
  }
  return info;
}

static void plain_begin(struct plain *p)
{
  const int block = BLOCK, zero = 0, count = COUNT;
  int places[2] = {1, 1}, place[2];
  while ((places[0] + 1) * (places[0] + 1) <= cw_processes())
    places[0]++;
  places[1] = cw_processes() / places[0];
  if (places[0] * places[1] != cw_processes())
    cw_abort("solvers: this number of processes makes no grid", 1);
  p->context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&p->context, "Row", places[0], places[1]);
  Cblacs_gridinfo(p->context, &places[0], &places[1], &place[0], &place[1]);
  p->rows = numroc_(&n, &block, &place[0], &zero, &places[0]);
  p->columns = numroc_(&n, &block, &place[1], &zero, &places[1]);
  const size_t size = (size_t)p->rows * (size_t)p->columns;
  const int desc[9] = {1, p->context, n, n, BLOCK, BLOCK, 0, 0, p->rows > 0 ? p->rows : 1};
  memcpy(p->desc, desc, sizeof desc);
  memcpy(p->desc_b, desc, sizeof desc);
  p->desc_b[3] = count;
  p->a = allocate(size, sizeof *p->a);
  p->u = allocate(size, sizeof *p->u);
  p->v = allocate(size, sizeof *p->v);
  p->b = allocate((size_t)p->rows * COUNT, sizeof *p->b);
  p->w = allocate((size_t)n, sizeof *p->w);
  p->pivots = allocate((size_t)p->rows + BLOCK, sizeof *p->pivots);
}

static void plain_fill(struct plain *p)
{
  int places[2], place[2];
  Cblacs_gridinfo(p->context, &places[0], &places[1], &place[0], &place[1]);
  for (int j = 0; j < p->columns; j++)
    for (int i = 0; i < p->rows; i++)
      p->a[(size_t)j * (size_t)p->rows + (size_t)i] =
          value((i / BLOCK * places[0] + place[0]) * BLOCK + i % BLOCK,
                (j / BLOCK * places[1] + place[1]) * BLOCK + j % BLOCK);
  for (int i = 0; i < p->rows * COUNT; i++)
    p->b[i] = 1;
}

static void plain_solve(enum solver solver, struct plain *p)
{
  double answer[3] = {0, 0, 0};
  int integers[2] = {0, 0};
  p->work = answer;
  p->integers = integers;
  p->work_count = p->integer_count = -1;
  if (solver >= BY_QR && plain_run(solver, p) != 0)
    cw_abort("solvers: ScaLAPACK does not say what it wants", 1);
  p->work_count = work_size(answer[0], p);
  p->integer_count = integers[0] + 8 * n;
  p->work = allocate((size_t)p->work_count, sizeof *p->work);
  p->integers = allocate((size_t)p->integer_count, sizeof *p->integers);
  if (plain_run(solver, p) != 0)
    cw_abort("solvers: ScaLAPACK finds no solution", 1);
  free(p->work);
  free(p->integers);
}

static void plain_end(struct plain *p)
{
  double *const all[] = {p->a, p->b, p->u, p->v, p->w};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  free(p->pivots);
  Cblacs_gridexit(p->context);
}

/* --- Ours ------------------------------------------------------------------------------------- */

struct ours {
  cw_array a, b, u, v;
  double *w;
};

/* Makes a matrix. `block` is the block size; if 0, each process has one block. */
static cw_array make(int64_t columns, int64_t block)
{
  const int64_t extents[2] = {n, columns}, blocks[2] = {block, block};
  const cw_array_options options = {.type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.layout = block > 0 ? CW_CYCLIC : CW_BLOCKS,
                                                     .block = block > 0 ? blocks : NULL}};
  cw_array array = NULL;
  must(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

static void ours_begin(struct ours *o, int64_t block)
{
  o->a = make(n, block);
  o->u = make(n, block);
  o->v = make(n, block);
  o->b = make(COUNT, block);
  o->w = allocate((size_t)n, sizeof *o->w);
}

static void ours_fill(const struct ours *o)
{
  const double ones = 1;
  double *row = allocate((size_t)n, sizeof *row);
  for (int64_t i = cw_process(); i < n; i += cw_processes()) {
    const int64_t lo[2] = {i, 0}, hi[2] = {i, n - 1};
    for (int64_t j = 0; j < n; j++)
      row[j] = value(i, j);
    must(cw_array_put(o->a, lo, hi, row, NULL));
  }
  free(row);
  must(cw_array_fill(o->b, NULL, NULL, &ones));
}

static void ours_solve(enum solver solver, const struct ours *o)
{
  switch (solver) {
  case BY_LU:
    must(cw_array_solve(CW_NOT_TRANSPOSED, o->a, o->b, NULL));
    break;
  case BY_CHOLESKY:
    must(cw_array_solve_positive(o->a, o->b, NULL));
    break;
  case BY_QR:
    must(cw_array_qr(o->a, o->u, o->v));
    break;
  case BY_EIGEN:
    must(cw_array_eigen(o->a, NULL, o->u, o->w));
    break;
  default:
    must(cw_array_svd(o->a, o->u, o->w, o->v));
  }
}

static void ours_end(struct ours *o)
{
  must(cw_array_destroy(&o->a));
  must(cw_array_destroy(&o->b));
  must(cw_array_destroy(&o->u));
  must(cw_array_destroy(&o->v));
  free(o->w);
}

/* --- Turns ------------------------------------------------------------------------------------ */

static void measure(enum solver solver, int rounds)
{
  static const int64_t blocks[SIDES] = {0, 0, BLOCK, 1}; /* [0]: ScaLAPACK alone */
  double samples[SIDES][MOST_ROUNDS];
  struct plain plain = {.context = 0};
  struct ours ours[SIDES];
  plain_begin(&plain);
  for (int side = 1; side < SIDES; side++)
    ours_begin(&ours[side], blocks[side]);
  for (int round = 0; round < rounds; round++)
    for (int side = 0; side < SIDES; side++) {
      side == 0 ? plain_fill(&plain) : ours_fill(&ours[side]);
      must(cw_barrier(cw_team_world()));
      const double start = seconds(CLOCK_MONOTONIC);
      side == 0 ? plain_solve(solver, &plain) : ours_solve(solver, &ours[side]);
      must(cw_barrier(cw_team_world()));
      samples[side][round] = seconds(CLOCK_MONOTONIC) - start;
    }
  const double alone = median_of(samples[0], (size_t)rounds);
  if (cw_process() == 0)
    printf("| %s | %d | %.1f | %.2f | %.2f | %.2f |\n", solver_names[solver], n, 1e3 * alone,
           alone / median_of(samples[1], (size_t)rounds),
           alone / median_of(samples[2], (size_t)rounds),
           alone / median_of(samples[3], (size_t)rounds));
  plain_end(&plain);
  for (int side = 1; side < SIDES; side++)
    ours_end(&ours[side]);
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"600", "1500"};
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (rounds < 1 || rounds > MOST_ROUNDS)
    cw_abort("solvers: 1 to 99 rounds", 1);
  if (cw_process() == 0)
    printf("| call | rows | ScaLAPACK, ms | blocks | blocks of 64 | cyclic "
           "|\n|---|--:|--:|--:|--:|--:|\n");
  for (int i = 0; i < (argc > 2 ? argc - 2 : 2); i++) {
    n = atoi(argc > 2 ? argv[2 + i] : usual[i]);
    if (n < 1)
      cw_abort("solvers: rows are a number from 1 on", 1);
    for (int solver = 0; solver < SOLVERS; solver++)
      measure((enum solver)solver, rounds);
  }
  must(cw_finalize());
  return MPI_Finalize();
}

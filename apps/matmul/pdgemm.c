/* The product by PDGEMM of ScaLAPACK, on the local parts of distributed arrays. */
#include "pdgemm.h"

#include <mpi.h>
#include <stdlib.h>

/* No header declares these functions. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int system);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int columns);
void Cblacs_gridexit(int context);
int numroc_(const int *extent, const int *block, const int *place, const int *first,
            const int *places);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
               const int *row, const int *column, const int *context, const int *ld, int *info);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *da,
             const double *b, const int *ib, const int *jb, const int *db, const double *beta,
             double *c, const int *ic, const int *jc, const int *dc);

enum { BLOCK = 64 };

/* Makes the grid of processes. ScaLAPACK's matrices are column-major, so it sees ours as their
 * transposes. The rows of our grid are therefore the columns of its grid. */
static void make_grid(const int grid[2], struct pdgemm *pdgemm)
{
  int *map = malloc((size_t)cw_processes() * sizeof *map), place[2];
  if (map == NULL)
    cw_abort("matmul: no memory for a grid of processes", 1);
  for (int rank = 0; rank < cw_processes(); rank++) {
    CW_MUST(cw_array_coordinates(pdgemm->product.c, rank, place));
    map[place[1] + place[0] * grid[1]] = rank;
  }
  pdgemm->system = pdgemm->context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridmap(&pdgemm->context, map, grid[1], grid[1], grid[0]);
  free(map);
}

static void open_part(const struct pdgemm *pdgemm, cw_array array, struct pdgemm_part *part)
{
  const int block = BLOCK, zero = 0;
  int info = 0;
  cw_array_description description;
  part->array = array;
  CW_MUST(cw_array_describe(array, &description));
  CW_MUST(cw_array_access_local(array, cw_process(), &part->view));
  const int rows = (int)description.extents[1], columns = (int)description.extents[0];
  int places[2], place[2];
  Cblacs_gridinfo(pdgemm->context, &places[0], &places[1], &place[0], &place[1]);
  const int mine = numroc_(&rows, &block, &place[0], &zero, &places[0]), ld = mine > 0 ? mine : 1;
  descinit_(part->descriptor, &rows, &columns, &block, &block, &zero, &zero, &pdgemm->context, &ld,
            &info);
  if (info != 0)
    cw_abort("matmul: ScaLAPACK does not take this matrix (descinit)", 1);
}

void pdgemm_create(const struct sides *sides, bool ta, bool tb, struct pdgemm *pdgemm)
{
  int grid[2] = {0, 0};
  MPI_Dims_create(cw_processes(), 2, grid);
  const struct distribution distribution = {.layout = CW_CYCLIC, .block = BLOCK, .grid = grid};
  product_create(sides, ta, tb, &distribution, &pdgemm->product);
  make_grid(grid, pdgemm);
  open_part(pdgemm, pdgemm->product.a, &pdgemm->a);
  open_part(pdgemm, pdgemm->product.b, &pdgemm->b);
  open_part(pdgemm, pdgemm->product.c, &pdgemm->c);
}

void pdgemm_destroy(struct pdgemm *pdgemm)
{
  CW_MUST(cw_array_release(pdgemm->a.array, &pdgemm->a.view));
  CW_MUST(cw_array_release(pdgemm->b.array, &pdgemm->b.view));
  CW_MUST(cw_array_release(pdgemm->c.array, &pdgemm->c.view));
  Cblacs_gridexit(pdgemm->context);
  Cfree_blacs_system_handle(pdgemm->system);
  product_destroy(&pdgemm->product);
}

/* Computes the transpose of C as op(B) transposed times op(A) transposed. */
void pdgemm_multiply(struct pdgemm *pdgemm)
{
  const struct product *product = &pdgemm->product;
  const int m = (int)product->sides.m, n = (int)product->sides.n, k = (int)product->sides.k;
  const int first = 1;
  const double one = 1, zero = 0;
  pdgemm_(product->tb ? "T" : "N", product->ta ? "T" : "N", &n, &m, &k, &one,
          pdgemm->b.view.address, &first, &first, pdgemm->b.descriptor, pdgemm->a.view.address,
          &first, &first, pdgemm->a.descriptor, &zero, pdgemm->c.view.address, &first, &first,
          pdgemm->c.descriptor);
}

/* The singular value decomposition: LAPACK's divide and conquer, or ScaLAPACK's QR iteration. */
#include "array/array_arguments.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"
#include "solvers/solver.h"

#include <causeway/linear.h>

#include <limits.h>

/* Data of a call. */
struct decomposition {
  const struct cwi_lapack *lapack;
  cw_array a, u, vh;
  void *s;
  int64_t extents[2], least;
  bool vectors;
  struct cwi_grid grid;
  struct cwi_grid_part parts[3]; /* of a, u, vh */
};

/* MOST_PARTS: limit of the elements of a part, because ScaLAPACK needs memory for more matrices of
 * the same size. MOST_ALONE: limit of the lesser extent, because LAPACK computes 4 times its square
 * in int and does not detect an overflow. */
enum { MOST_PARTS = INT_MAX / 4, MOST_ALONE = 23000 };

/* Allocates the parts and loads them. For vectors that are not wanted, allocates a part of one
 * element. Local. Errors: CW_OUTSIDE. */
static cw_error svd_load(struct decomposition *d)
{
  const int64_t rows = d->extents[0], columns = d->extents[1], k = d->least;
  const int64_t shapes[3][2] = {{rows, columns},
                                {d->vectors ? rows : 1, d->vectors ? k : 1},
                                {d->vectors ? k : 1, d->vectors ? columns : 1}};
  d->lapack = cwi_lapack_of(d->a->type);
  if (d->grid.alone && k > MOST_ALONE)
    return cwi_outside("array '%s' has %lld x %lld elements; LAPACK on one process counts up to %d "
                       "rows or columns: use more processes",
                       d->a->name, (long long)rows, (long long)columns, MOST_ALONE);
  for (int i = 0; i < 3; i++)
    CWI_TRY(cwi_grid_part_make(&d->grid, shapes[i][0], shapes[i][1], d->a->element, MOST_PARTS,
                               &d->parts[i]));
  return cwi_grid_part_load(&d->parts[0], d->a, NULL);
}

static int step_svd(void *call, struct cwi_workspace *space)
{
  struct decomposition *d = call;
  return d->lapack->svd(d->vectors, &d->parts[0], &d->parts[1], d->s, &d->parts[2], space);
}

static cw_error svd_store(const struct decomposition *d)
{
  CWI_TRY(d->u != NULL ? cwi_grid_part_store(&d->parts[1], d->u, NULL) : CW_OK);
  return d->vh != NULL ? cwi_grid_part_store(&d->parts[2], d->vh, NULL) : CW_OK;
}

static cw_error svd_on_grid(void *call)
{
  struct decomposition *d = call;
  cw_team team = d->grid.team;
  int info = 0;
  CWI_TRY(cwi_matrix_synchronize(team, svd_load(d)));
  CWI_TRY(cwi_check_finite(&d->parts[0], d->a, false));
  CWI_TRY(cwi_solver_step(&d->parts[0], d->a->type, step_svd, d, &info));
  if (info > 0)
    return cwi_outside("the singular values of array '%s' do not converge (LAPACK's info is %d)",
                       d->a->name, info);
  CWI_TRY(cwi_broadcast(team, d->grid.root, d->s, (size_t)d->least * d->lapack->real));
  return cwi_matrix_synchronize(team, svd_store(d));
}

static cw_error svd_check(struct decomposition *d)
{
  CWI_TRY(cwi_check_matrix("a", d->a, d->extents));
  d->least = cwi_lesser(d->extents[0], d->extents[1]);
  if (d->u != NULL)
    CWI_TRY(cwi_check_shape("u", d->u, d->a, d->extents[0], d->least));
  if (d->vh != NULL)
    CWI_TRY(cwi_check_shape("vh", d->vh, d->a, d->least, d->extents[1]));
  if (d->u != NULL && d->u == d->vh)
    return cwi_misuse("u and vh are both array '%s'; they must be different arrays", d->u->name);
  return d->s != NULL ? CW_OK : cwi_misuse("s is NULL; it receives the singular values");
}

static cw_error svd_run(struct decomposition *d, cw_error checked)
{
  const cw_error error = cwi_grid_run(d->a, checked, d->least, &d->grid, svd_on_grid, d);
  for (int i = 0; i < 3; i++)
    cwi_grid_part_free(&d->parts[i]);
  return error;
}

cw_error cw_array_svd(cw_array a, cw_array u, void *s, cw_array vh)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct decomposition d = {.a = a, .u = u, .vh = vh, .s = s, .vectors = u != NULL || vh != NULL};
  CWI_TRY(cwi_in_call("cw_array_svd", cwi_check_array("a", a)));
  const cw_error checked = svd_check(&d);
  const struct cwi_argument agreed[] = {cwi_agreed_array("a", a), cwi_agreed_array("u", u),
                                        cwi_agreed_array("vh", vh), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_svd", a->team, checked == CW_OK ? agreed : NULL,
                          svd_run(&d, checked));
}

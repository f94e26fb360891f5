/* Eigenvalues and eigenvectors of symmetric and Hermitian matrices: ScaLAPACK's divide and conquer,
 * or LAPACK's if the matrix is small. */
#include "array/array_arguments.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"
#include "solvers/solver.h"

#include <causeway/linear.h>

#include <limits.h>
#include <stdlib.h>

/* Data of a call. */
struct spectrum {
  const struct cwi_lapack *lapack;
  cw_array a, s, v;
  void *w;
  int64_t n;
  struct cwi_grid grid;
  struct cwi_grid_part parts[3]; /* of a, s, and the vectors if these are not in the part of a */
  struct cwi_grid_part *vectors;
};

/* MOST_ELEMENTS: limit of the elements of a part, because ScaLAPACK needs memory for two more
 * matrices of the same size. */
enum { MOST_ELEMENTS = INT_MAX / 4, MOST_ALONE = 30000 };

/* Allocates the parts and loads them. Local. Errors: CW_OUTSIDE. */
static cw_error eigen_load(struct spectrum *e)
{
  const size_t element = e->a->element;
  if (e->grid.alone && e->n > MOST_ALONE)
    return cwi_outside(
        "array '%s' has %lld rows; LAPACK on one process counts up to %d: use more processes",
        e->a->name, (long long)e->n, MOST_ALONE);
  e->vectors = &e->parts[e->grid.alone ? 0 : 2];
  for (int i = 0; i < 3; i++)
    if (i == 0 || (i == 1 && e->s != NULL) || &e->parts[i] == e->vectors)
      CWI_TRY(cwi_grid_part_make(&e->grid, e->n, e->n, element, MOST_ELEMENTS, &e->parts[i]));
  CWI_TRY(cwi_grid_part_load(&e->parts[0], e->a, NULL));
  return e->s != NULL ? cwi_grid_part_load(&e->parts[1], e->s, NULL) : CW_OK;
}

static int eigen_step(void *call, struct cwi_workspace *space)
{
  struct spectrum *e = call;
  return e->lapack->eigen(&e->parts[0], e->vectors, e->w, space);
}

static void scale_values(const struct spectrum *e, double scale)
{
  for (int64_t i = 0; i < e->n; i++)
    if (cwi_type_is_single(e->a->type))
      ((float *)e->w)[i] *= (float)scale;
    else
      ((double *)e->w)[i] *= scale;
}

/* Reduces the general problem to the standard one. Collective. *scale: factor of the
 * eigenvalues. */
static cw_error eigen_reduce(struct spectrum *e, double *scale)
{
  const bool member = e->grid.row >= 0;
  int info = member ? e->lapack->cholesky(&e->parts[1]) : 0;
  CWI_TRY(cwi_solver_info(&e->grid, &info));
  CWI_TRY(cwi_report_pivot(info, "positive definite", e->s, NULL));
  info = member ? e->lapack->reduce(&e->parts[0], &e->parts[1], scale) : 0;
  return cwi_solver_info(&e->grid, &info);
}

static cw_error eigen_compute(struct spectrum *e)
{
  const bool member = e->grid.row >= 0;
  double scale = 1;
  if (e->s != NULL)
    CWI_TRY(eigen_reduce(e, &scale));
  int info = 0;
  CWI_TRY(cwi_solver_step(&e->parts[0], e->a->type, eigen_step, e, &info));
  if (info > 0)
    return cwi_outside("the eigenvalues of array '%s' do not converge (LAPACK's info is %d)",
                       e->a->name, info);
  if (member && e->s != NULL && e->v != NULL)
    e->lapack->triangular('L', 'C', 'N', &e->parts[1], e->vectors);
  if (member)
    scale_values(e, scale);
  return CW_OK;
}

static cw_error run_on_grid(void *call)
{
  struct spectrum *e = call;
  cw_team team = e->a->team;
  e->lapack = cwi_lapack_of(e->a->type);
  CWI_TRY(cwi_matrix_synchronize(team, eigen_load(e)));
  CWI_TRY(cwi_check_finite(&e->parts[0], e->a, true));
  if (e->s != NULL)
    CWI_TRY(cwi_check_finite(&e->parts[1], e->s, true));
  CWI_TRY(eigen_compute(e));
  CWI_TRY(cwi_broadcast(team, e->grid.root, e->w, (size_t)e->n * e->lapack->real));
  return cwi_matrix_synchronize(team,
                                e->v != NULL ? cwi_grid_part_store(e->vectors, e->v, NULL) : CW_OK);
}

static cw_error eigen_run(struct spectrum *e, cw_error checked)
{
  const cw_error error = cwi_grid_run(e->a, checked, e->n, &e->grid, run_on_grid, e);
  for (int i = 0; i < 3; i++)
    cwi_grid_part_free(&e->parts[i]);
  return error;
}

static cw_error eigen_check(struct spectrum *e)
{
  CWI_TRY(cwi_check_square("a", e->a, &e->n));
  if (e->s != NULL)
    CWI_TRY(cwi_check_shape("s", e->s, e->a, e->n, e->n));
  if (e->s == e->a)
    return cwi_misuse("a and s are both array '%s'; they must be different arrays", e->a->name);
  if (e->v != NULL)
    CWI_TRY(cwi_check_shape("v", e->v, e->a, e->n, e->n));
  return e->w != NULL ? CW_OK : cwi_misuse("w is NULL; it receives the eigenvalues");
}

cw_error cw_array_eigen(cw_array a, cw_array s, cw_array v, void *w)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct spectrum e = {.a = a, .s = s, .v = v, .w = w};
  CWI_TRY(cwi_in_call("cw_array_eigen", cwi_check_array("a", a)));
  const cw_error checked = eigen_check(&e);
  const struct cwi_argument agreed[] = {cwi_agreed_array("a", a), cwi_agreed_array("s", s),
                                        cwi_agreed_array("v", v), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_eigen", a->team, checked == CW_OK ? agreed : NULL,
                          eigen_run(&e, checked));
}

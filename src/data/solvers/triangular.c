/* Equations with triangular matrices, and with the factors of LU. */
#include "array/array_arguments.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"
#include "solvers/solver.h"

#include <causeway/linear.h>

#include <limits.h>
#include <stdlib.h>

/* Data of a call: equations with one triangle, or with both triangles of LU one after the other. */
struct substitution {
  const char *call, *name; /* name of the matrix's argument */
  const struct cwi_lapack *lapack;
  cw_triangle triangle; /* unless LU */
  cw_transposition op;
  cw_array t, b;
  const int64_t *order; /* LU only */
  bool lu;
  int64_t n;
  struct cwi_grid grid;
  struct cwi_grid_part parts[2];
  int info;
};

/* Returns the order of the rows of b for loading (`load`) or storing, or NULL if it does not
 * change. LU has exchanged rows of the matrix. So b is loaded in that order. If the matrix is
 * transposed, the solution is stored in that order instead. */
static const int64_t *order_of(const struct substitution *s, bool load)
{
  return s->lu && load == (s->op == CW_NOT_TRANSPOSED) ? s->order : NULL;
}

/* Allocates the parts and loads them. Local. Errors: CW_OUTSIDE. */
static cw_error substitution_load(struct substitution *s)
{
  const size_t element = s->t->element;
  s->lapack = cwi_lapack_of(s->t->type);
  CWI_TRY(cwi_grid_part_make(&s->grid, s->n, s->n, element, INT_MAX, &s->parts[0]));
  CWI_TRY(cwi_grid_part_make(&s->grid, s->n, cwi_columns_of(s->b), element, INT_MAX, &s->parts[1]));
  CWI_TRY(cwi_grid_part_load(&s->parts[0], s->t, NULL));
  return cwi_grid_part_load(&s->parts[1], s->b, order_of(s, true));
}

static void substitute(struct substitution *s, cw_triangle triangle)
{
  const bool upper = triangle == CW_UPPER_TRIANGLE || triangle == CW_UNIT_UPPER_TRIANGLE;
  const bool unit = triangle == CW_UNIT_LOWER_TRIANGLE || triangle == CW_UNIT_UPPER_TRIANGLE;
  s->lapack->triangular(upper ? 'U' : 'L', cwi_op_letters[s->op], unit ? 'U' : 'N', &s->parts[0],
                        &s->parts[1]);
}

static void substitute_all(struct substitution *s)
{
  const bool plain = s->op == CW_NOT_TRANSPOSED;
  if (!s->lu) {
    substitute(s, s->triangle);
    return;
  }
  substitute(s, plain ? CW_UNIT_LOWER_TRIANGLE : CW_UPPER_TRIANGLE);
  substitute(s, plain ? CW_UPPER_TRIANGLE : CW_UNIT_LOWER_TRIANGLE);
}

static cw_error substitute_on_grid(void *call)
{
  struct substitution *s = call;
  cw_team team = s->grid.team;
  const bool has_diagonal =
      s->lu || s->triangle == CW_LOWER_TRIANGLE || s->triangle == CW_UPPER_TRIANGLE;
  CWI_TRY(cwi_matrix_synchronize(team, substitution_load(s)));
  s->info = has_diagonal ? cwi_grid_part_bad_pivot(&s->parts[0], s->t->type, NULL) : INT_MAX;
  CWI_TRY(cwi_least_step(team, &s->info));
  if (s->info != 0)
    return CW_OK;
  if (s->grid.row >= 0)
    substitute_all(s);
  return cwi_matrix_synchronize(team, cwi_grid_part_store(&s->parts[1], s->b, order_of(s, false)));
}

/* Checks that `order` is a permutation of n rows. Errors: CW_MISUSE, CW_OUTSIDE. */
static cw_error check_order(const int64_t *order, int64_t n)
{
  if (order == NULL)
    return cwi_misuse("order is NULL; it must be the order of the rows that cw_array_lu returns");
  bool *seen = calloc((size_t)n, sizeof *seen);
  if (seen == NULL)
    return cwi_outside("no memory to check %lld rows", (long long)n);
  cw_error error = CW_OK;
  for (int64_t i = 0; i < n && error == CW_OK; i++) {
    const int64_t row = order[i];
    if (row < 0 || row >= n || seen[row])
      error = cwi_misuse("order[%lld] is %lld, which is %s; it must be the order of %lld rows that "
                         "cw_array_lu returns",
                         (long long)i, (long long)row,
                         row < 0 || row >= n ? "no row" : "there already", (long long)n);
    else
      seen[row] = true;
  }
  free(seen);
  return error;
}

static cw_error substitution_check(struct substitution *s)
{
  if ((unsigned)s->triangle > CW_UNIT_UPPER_TRIANGLE)
    return cwi_misuse("triangle is %d; it may be CW_LOWER_TRIANGLE (0) to CW_UNIT_UPPER_TRIANGLE "
                      "(3)",
                      (int)s->triangle);
  CWI_TRY(cwi_check_transposition("op", s->op));
  CWI_TRY(cwi_check_square(s->name, s->t, &s->n));
  CWI_TRY(cwi_check_sides("b", s->b, s->name, s->t, s->n));
  return s->lu ? check_order(s->order, s->n) : CW_OK;
}

static cw_error substitution_run(struct substitution *s, cw_error checked)
{
  const cw_error error = cwi_grid_run(s->t, checked, s->n, &s->grid, substitute_on_grid, s);
  cwi_grid_part_free(&s->parts[0]);
  cwi_grid_part_free(&s->parts[1]);
  return error;
}

static cw_error solve_by_triangles(struct substitution *s, int64_t *pivot)
{
  static const char *const triangles[] = {"CW_LOWER_TRIANGLE", "CW_UPPER_TRIANGLE",
                                          "CW_UNIT_LOWER_TRIANGLE", "CW_UNIT_UPPER_TRIANGLE"};
  CWI_TRY(cwi_in_call(s->call, cwi_check_array(s->name, s->t)));
  const cw_error checked = substitution_check(s);
  const struct cwi_argument agreed[] = {
      cwi_argument_choice("triangle", triangles, s->triangle),
      cwi_argument_choice("op", cwi_transposition_names, s->op),
      cwi_agreed_array(s->name, s->t),
      cwi_agreed_array("b", s->b),
      cwi_argument_indices("order", s->order, s->lu ? (size_t)s->n : 0),
      CWI_ARGUMENTS_END,
  };
  CWI_TRY(CWI_COLLECTIVELY(s->call, s->t->team, checked == CW_OK ? agreed : NULL,
                           substitution_run(s, checked)));
  return cwi_in_call(s->call, cwi_report_pivot(s->info, "regular", s->t, pivot));
}

cw_error cw_array_solve_triangular(cw_triangle triangle, cw_transposition op, cw_array t,
                                   cw_array b, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct substitution s = {.call = "cw_array_solve_triangular",
                           .name = "t",
                           .triangle = triangle,
                           .op = op,
                           .t = t,
                           .b = b};
  return solve_by_triangles(&s, pivot);
}

cw_error cw_array_lu_solve(cw_transposition op, cw_array lu, const int64_t *order, cw_array b)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct substitution s = {.call = "cw_array_lu_solve",
                           .name = "lu",
                           .op = op,
                           .t = lu,
                           .b = b,
                           .order = order,
                           .lu = true};
  return solve_by_triangles(&s, NULL);
}

/* Helpers that the tests of solvers share: matrices, and the limits of the solvers. */
#pragma once

#include "linear/matrices.h"
#include "solvers/process_grid.h"

/* Chooses LAPACK for all sizes or for none, and matrices that ScaLAPACK can use without a copy, or
 * others. block: 0 for any. */
void choose(bool alone, int block);
const struct cwi_solver_limits *limits(void);

double precision(cw_type type);

/* Returns a number rounded to a type. */
entry rounded(cw_type type, entry value);

entry *random_matrix(cw_type type, int rows, int columns);

/* Makes a Hermitian matrix, positive definite if `positive`. */
entry *hermitian_matrix(cw_type type, int n, bool positive);

/* array_of makes an array of any distribution, a vector if columns is 0. lower_of fills the part
 * above the diagonal with numbers that must not be read. */
cw_array array_of(cw_type type, int rows, int columns, const entry *values);
cw_array lower_of(cw_type type, int n, const entry *values);

void expect_same(cw_array array, int count, const entry *values, const char *what);

/* Returns element (row, column) of op(a), for a local matrix with `columns` columns. */
entry operated(const entry *a, int columns, cw_transposition op, int row, int column);

/* Returns number i of a solver's real results, which are float or double depending on the type. */
double real_at(cw_type type, const double *values, int i);

/* Returns the greater number; NaN counts as the greatest. */
double greater(double a, double b);

/* What the tests of solvers share: matrices to solve with, and the limits of the solvers. */
#ifndef TESTS_LINEAR_SOLVING_H
#define TESTS_LINEAR_SOLVING_H

#include "linear/matrices.h"
#include "solvers/process_grid.h"

/* All sizes to LAPACK, or none; matrices that ScaLAPACK can take as they are, or none. block: 0:
 * any. */
void choose(bool alone, int block);
const struct cwi_solver_limits *limits(void);

double precision(cw_type type);

/* What a type makes of a number. */
entry rounded(cw_type type, entry value);

entry *random_matrix(cw_type type, int rows, int columns);

/* Positive definite if so wanted. */
entry *hermitian_matrix(cw_type type, int n, bool positive);

/* An array of any distribution; columns 0: a vector. lower_of: with what nobody may read above the
 * diagonal. */
cw_array array_of(cw_type type, int rows, int columns, const entry *values);
cw_array lower_of(cw_type type, int n, const entry *values);

void expect_same(cw_array array, int count, const entry *values, const char *what);

/* Element (row, column) of op(a), of a plain matrix with so many columns. */
entry operated(const entry *a, int columns, cw_transposition op, int row, int column);

/* Number i of those that a solver gives as float or double, as the type is. */
double real_at(cw_type type, const double *values, int i);

/* What is no number is the greatest. */
double greater(double a, double b);

#endif

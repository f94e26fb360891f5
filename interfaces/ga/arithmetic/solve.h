/* Operations on arrays and patches, and a function that Fortran's names share.
 *
 * patch.c       patches and whole arrays: fill, copy, dot products, element by element, steps
 * whole.c       whole arrays alone
 * diagonal.c    diagonals of matrices
 * matrix.c      products of matrices
 * scan.c        vectors: scans, enumeration, pack and unpack
 * solve.c       linear equations, inverses, eigenproblems
 * symmetrize.c  a matrix and its transpose */
#ifndef CWI_GA_ARITHMETIC_SOLVE_H
#define CWI_GA_ARITHMETIC_SOLVE_H

#include "ga/array/patch.h"

/* Eigenvalues and eigenvectors. g_s: NULL for the standard problem. lower: read Fortran's lower
 * triangles; otherwise the upper ones, of real matrices. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_eigen(int g_a, const int *g_s, int g_v, bool lower, void *eval);
#endif

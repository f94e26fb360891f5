/* Operations on arrays and patches. This header has a function that the Fortran calls share.
 *
 * patch.c       patches and whole arrays: fill, copy, dot products, element by element, steps
 * whole.c       operations that only whole arrays have
 * diagonal.c    diagonals of matrices
 * matrix.c      products of matrices
 * scan.c        vectors: scans, enumeration, pack and unpack
 * solve.c       linear equations, inverses, eigenproblems
 * symmetrize.c  the mean of a matrix and its transpose */
#pragma once

#include "ga/array/patch.h"

/* Computes eigenvalues and eigenvectors. g_s is NULL for the standard problem. If `lower` is set or
 * the matrices are complex, reads Fortran's lower triangles, otherwise the upper ones. Errors:
 * CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_eigen(int g_a, const int *g_s, int g_v, bool lower, void *eval);

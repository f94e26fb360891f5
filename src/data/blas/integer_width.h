/* Width of the integers of routines of BLAS, LAPACK and ScaLAPACK. */
#ifndef CWI_BLAS_INTEGER_WIDTH_H
#define CWI_BLAS_INTEGER_WIDTH_H

/* A routine whose integers have 8 bytes. */
struct cwi_wide {
  const char *name; /* NULL if there is none */
  void *routine;
};

/* Searches for one among the routines that `library` (from dlopen) finds in itself and in what it
 * needs. */
struct cwi_wide cwi_wide_inside(void *library);

/* Searches for one that the program has and that `library` does not find, but would call if it
 * searched the program first. */
struct cwi_wide cwi_wide_outside(void *library);
#endif

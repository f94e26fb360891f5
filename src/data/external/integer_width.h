/* Width of the integers of routines of BLAS, LAPACK and ScaLAPACK. */
#ifndef CWI_EXTERNAL_INTEGER_WIDTH_H
#define CWI_EXTERNAL_INTEGER_WIDTH_H

/* A routine whose integers have 8 bytes. */
struct cwi_wide {
  const char *name; /* NULL if there is none */
  void *routine;
};

/* Searches for a routine with integers of 8 bytes in `library` (from dlopen) and the libraries that
 * it needs. */
struct cwi_wide cwi_wide_inside(void *library);

/* Searches for a routine of the program with integers of 8 bytes that `library` would call if the
 * program were searched first. Routines that `library` finds itself are left out. */
struct cwi_wide cwi_wide_outside(void *library);
#endif

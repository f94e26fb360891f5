/* External libraries: BLAS, LAPACK, ScaLAPACK and HDF5. This module opens each when it is first
 * needed and finds the routines that are called. A program that does not need them loads neither
 * them nor the other libraries that they need.
 *
 * Programs may bring routines of the same names whose integers have 8 bytes (-llapack64, MKL's
 * ilp64 libraries, sources compiled with -fdefault-integer-8). If Causeway's calls, and calls
 * that the libraries make to each other, were linked by name, they would reach these routines and
 * compute wrong results. So nothing is linked by name. BLAS and LAPACK are opened so that each
 * searches its own libraries before the program (RTLD_DEEPBIND). ScaLAPACK is opened without
 * RTLD_DEEPBIND, because it must use the program's MPI, predefined handles and malloc(). Then its
 * calls to BLAS, LAPACK and itself are bound again (rebind.c). A library that was loaded together
 * with the program may call the program's routines. If their integers have 8 bytes, that is an
 * error (integer_width.c). HDF5 is opened like ScaLAPACK, because it uses MPI too, and programs may
 * bring another HDF5, such as one without MPI.
 *
 * blas.c           BLAS for the products of matrices: xGEMM, and the number of threads
 * integer_width.c  finds out how wide the integers of routines are, by harmless calls
 * rebind.c         rebinds a library by its relocations
 * routines.c       opens the libraries, and finds their routines */
#pragma once

#include "base/error.h"
#include "base/symbols.h"

enum cwi_external { CWI_BLAS, CWI_LAPACK, CWI_SCALAPACK, CWI_HDF5, CWI_EXTERNALS };

/* Opens a library and the libraries that it needs, and sets the pointers of the list. If the first
 * pointer is already set, the list is unchanged. Local. Several threads may call it at the same
 * time. Errors: CW_OUTSIDE; later calls return the same error. */
CWI_CHECKED cw_error cwi_routines_find(enum cwi_external library, const struct cwi_symbol *list);

/* Returns a routine that not every BLAS has, or NULL. */
void *cwi_routines_optional(enum cwi_external library, const char *name);

/* --- Width of integers: integer_width.c ------------------------------------------------------- */

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

/* --- Bindings of a loaded library's symbols: rebind.c ----------------------------------------- */

/* Binds a library's uses of its own symbols to itself, and its calls of Fortran routines to the
 * libraries with which it was linked, even if the program defines symbols of these names.
 * Everything else stays as the dynamic linker has bound it. `library` is from dlopen. No other
 * thread may call the library at the same time. Returns NULL, or the reason for a failure. */
const char *cwi_rebind(void *library);

/* Returns the address of a function or variable of a library from dlopen, or NULL. A variable is
 * the one that the library uses: a program that was linked with the library may have a copy. */
void *cwi_bound_symbol(void *library, const char *name);

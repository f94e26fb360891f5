/* Binding of a loaded library's calls, after the dynamic linker has bound them. */
#ifndef CWI_BLAS_REBIND_H
#define CWI_BLAS_REBIND_H

/* Lets a library (from dlopen) reach its own symbols, and the Fortran routines that it needs of the
 * libraries that it was linked with, whatever the program defines under these names. Everything
 * else stays as the dynamic linker has bound it. No other thread may call the library meanwhile.
 * Returns NULL, or why it failed. */
const char *cwi_rebind(void *library);
#endif

/* Binding of a loaded library's calls, after the dynamic linker has bound them. */
#ifndef CWI_LINEAR_REBIND_H
#define CWI_LINEAR_REBIND_H

#ifdef __cplusplus
extern "C" {
#endif

/* Lets a library (from dlopen) reach its own symbols, and the Fortran routines that it needs of the
 * libraries that it was linked with, whatever the program defines under these names. Everything
 * else stays as the dynamic linker has bound it. No other thread may call the library meanwhile.
 * Returns NULL, or why it failed. */
const char *cwi_rebind(void *library);

#ifdef __cplusplus
}
#endif
#endif

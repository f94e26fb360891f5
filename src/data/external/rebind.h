/* Bindings of a loaded library's symbols, after the dynamic linker has made them. */
#ifndef CWI_EXTERNAL_REBIND_H
#define CWI_EXTERNAL_REBIND_H

/* Binds a library's uses of its own symbols to itself, and its calls of Fortran routines to the
 * libraries with which it was linked, even if the program defines symbols of these names.
 * Everything else stays as the dynamic linker has bound it. `library` is from dlopen. No other
 * thread may call the library at the same time. Returns NULL, or the reason for a failure. */
const char *cwi_rebind(void *library);

/* Returns the address of a function or variable of a library from dlopen, or NULL. A variable is
 * the one that the library uses: a program that was linked with the library may have a copy. */
void *cwi_symbol_find(void *library, const char *name);
#endif

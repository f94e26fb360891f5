/* Arguments of the command line, and text between C and Fortran. The guard is the one of GA's
 * header, because a program may also include that. */
#ifndef FARG_H_
#define FARG_H_

#include "typesf2c.h"

#ifdef __cplusplus
extern "C" {
#endif

#define F2C_GETARG f2c_getarg_
#define F2C_IARGC f2c_iargc_
#define F2C_GETARG_ARGV_MAX 255
#define F2C_GETARG_ARGLEN_MAX 255

/* Copies argument *index of the program, where 0 is its name, to text of `length` characters,
 * padded with blanks; only blanks if there is no such argument. Local. */
void f2c_getarg_(Integer *index, char *text, int length);

/* Returns the number of arguments, with the program's name. Local. */
Integer f2c_iargc_(void);

/* Copies text to `flength` characters of Fortran, padded with blanks, or as much as fits. Local. */
void ga_c2fstring(char *cstring, char *fstring, int flength);

/* Copies `flength` characters of Fortran, without trailing blanks, to text of at most `clength`
 * bytes with its null character. Local. */
void ga_f2cstring(char *fstring, int flength, char *cstring, int clength);

/* Stores the number and the address of the program's arguments, which are not copied. Local. */
void ga_f2c_get_cmd_args(int *argc, char ***argv);

#ifdef __cplusplus
}
#endif
#endif

/* Arguments of the command line, and conversion of text between C and Fortran. The include guard is
 * the one of GA's header, because a program may also include that. */
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

/* Copies argument *index of the program to `text`, which has `length` characters, and pads it with
 * blanks. Argument 0 is the program's name. If there is no such argument, stores only blanks.
 * Local. */
void f2c_getarg_(Integer *index, char *text, int length);

/* Returns the number of arguments, including the program's name. Local. */
Integer f2c_iargc_(void);

/* Copies a C string to a Fortran text of `flength` characters. The text is truncated, or padded
 * with blanks. Local. */
void ga_c2fstring(char *cstring, char *fstring, int flength);

/* Copies a Fortran text of `flength` characters, without trailing blanks, to a C string. The string
 * has at most `clength` bytes, including its null character. Local. */
void ga_f2cstring(char *fstring, int flength, char *cstring, int clength);

/* Stores the number of the program's arguments and their address. The arguments are not copied.
 * Local. */
void ga_f2c_get_cmd_args(int *argc, char ***argv);

#ifdef __cplusplus
}
#endif
#endif

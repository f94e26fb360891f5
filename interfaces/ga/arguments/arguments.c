/* The calls of farg.h: the command line for Fortran programs, and conversion of text between C and
 * Fortran. */
#include "ga/arguments/fortran_names.h"

#include "farg.h"

static int arguments;
static char **argument;

/* glibc calls constructors with main's arguments. */
__attribute__((constructor)) static void arguments_store(int count, char **values)
{
  arguments = count;
  argument = values;
}

Integer f2c_iargc_(void)
{
  return arguments;
}

void f2c_getarg_(Integer *index, char *text, int length)
{
  const bool known = *index >= 0 && *index < arguments;
  if (length > 0)
    cwi_fortran_give(known ? argument[*index] : NULL, text, (size_t)length);
}

void ga_f2c_get_cmd_args(int *argc, char ***argv)
{
  *argc = arguments;
  *argv = argument;
}

void ga_c2fstring(char *cstring, char *fstring, int flength)
{
  if (flength > 0)
    cwi_fortran_give(cstring, fstring, (size_t)flength);
}

void ga_f2cstring(char *fstring, int flength, char *cstring, int clength)
{
  if (clength > 0)
    cwi_fortran_take(fstring, flength > 0 ? (size_t)flength : 0, cstring, (size_t)clength);
}

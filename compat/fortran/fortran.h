/* What the files with Fortran's names share. A name is in small letters with one _ behind it; every
 * argument is an address; the lengths of CHARACTER arguments follow behind all others, in their
 * order, as gfortran passes them. LOGICAL and INTEGER are `Integer` (typesf2c.h): of 8 bytes, or of
 * 4 in the second library. */
#ifndef CWI_FORTRAN_H
#define CWI_FORTRAN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stands before the body of a function that only Fortran calls: no header declares it. */
#define CWI_FORTRAN(result, name, parameters)                                                      \
  result name parameters;                                                                          \
  result name parameters

/* How long a CHARACTER argument is without the blanks at its end. */
static inline size_t cwi_fortran_length(const char *text, size_t length)
{
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return length;
}

#ifdef __cplusplus
}
#endif
#endif

/* What the files with Fortran's names share. A name is in small letters with one _ behind it; every
 * argument is an address; the lengths of CHARACTER arguments follow behind all others, in their
 * order, as gfortran passes them. LOGICAL and INTEGER are `Integer` (typesf2c.h): of 8 bytes, or of
 * 4 in the second library. */
#ifndef CWI_GA_ARGUMENTS_FORTRAN_NAMES_H
#define CWI_GA_ARGUMENTS_FORTRAN_NAMES_H

#include "ga/arguments/integer_size.h"

#include "typesf2c.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Stands before the body of a function that only Fortran calls: no header declares it. */
#define CWI_FORTRAN(result, name, parameters)                                                      \
  result name parameters;                                                                          \
  result name parameters

static const char *const cwi_integer_check_is_linked __attribute__((used)) =
    &cwi_integer_is_checked;

/* The number as an int; 0, which is no handle, code or number of dimensions, if it does not fit. */
static inline int cwi_fortran_int(long number)
{
  return cwi_integer_fits(number) ? (int)number : 0;
}

/* Give the program a number, which an INTEGER of 4 bytes may not hold. Errors: CW_MISUSE that names
 * it. */
static inline CWI_CHECKED cw_error cwi_fortran_error(const char *what, int64_t number, Integer *to)
{
  *to = (Integer)number;
  if (CWI_LIKELY(*to == number))
    return CW_OK;
  return cwi_misuse("%s is %lld, more than an INTEGER can say", what, (long long)number);
}

/* How long a CHARACTER argument is without the blanks at its end. */
static inline size_t cwi_fortran_length(const char *text, size_t length)
{
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return length;
}

/* The same as text of C, cut to what fits with its end. */
static inline void cwi_fortran_take(const char *text, size_t length, char *to, size_t size)
{
  const size_t whole = cwi_fortran_length(text, length), kept = whole < size ? whole : size - 1;
  memcpy(to, text, kept);
  to[kept] = '\0';
}

/* Fill a CHARACTER argument with text of C: with blanks behind it, or with as much as it holds.
 * NULL: there is none. */
static inline void cwi_fortran_give(const char *text, char *to, size_t length)
{
  const size_t whole = text != NULL ? strlen(text) : 0, kept = whole < length ? whole : length;
  if (kept > 0)
    memcpy(to, text, kept);
  memset(to + kept, ' ', length - kept);
}
#endif

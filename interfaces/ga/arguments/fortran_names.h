/* Functions that the files with Fortran's names share. A name is in small letters with one _ after
 * it. Every argument is an address. The lengths of CHARACTER arguments follow after all others, in
 * their order, as gfortran passes them. LOGICAL and INTEGER are `Integer` (typesf2c.h): of 8 bytes,
 * or of 4 in the second library. */
#ifndef CWI_GA_ARGUMENTS_FORTRAN_NAMES_H
#define CWI_GA_ARGUMENTS_FORTRAN_NAMES_H

#include "ga/arguments/integer_size.h"

#include "typesf2c.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Begins a function that only Fortran calls, and which therefore no header declares. */
#define CWI_FORTRAN(result, name, parameters)                                                      \
  result name parameters;                                                                          \
  result name parameters

static const char *const cwi_integer_check_is_linked __attribute__((used)) =
    &cwi_integer_is_checked;

/* Converts a number to int, or to 0, which is no handle, code or number of dimensions, if it does
 * not fit. */
static inline int cwi_fortran_int(long number)
{
  return cwi_integer_fits(number) ? (int)number : 0;
}

/* Stores a number in an INTEGER, which may have only 4 bytes. Errors: CW_MISUSE, which names it. */
static inline CWI_CHECKED cw_error cwi_fortran_error(const char *what, int64_t number, Integer *to)
{
  *to = (Integer)number;
  if (CWI_LIKELY(*to == number))
    return CW_OK;
  return cwi_misuse("%s is %lld, more than an INTEGER can hold", what, (long long)number);
}

/* Returns the length of a CHARACTER argument without the blanks at its end. */
static inline size_t cwi_fortran_length(const char *text, size_t length)
{
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return length;
}

/* Copies a CHARACTER argument, without these blanks, to text of C, cut to the size. */
static inline void cwi_fortran_take(const char *text, size_t length, char *to, size_t size)
{
  const size_t whole = cwi_fortran_length(text, length), kept = whole < size ? whole : size - 1;
  memcpy(to, text, kept);
  to[kept] = '\0';
}

/* Copies text of C to a CHARACTER argument, cut or padded with blanks to its length. NULL counts as
 * empty. */
static inline void cwi_fortran_give(const char *text, char *to, size_t length)
{
  const size_t whole = text != NULL ? strlen(text) : 0, kept = whole < length ? whole : length;
  if (kept > 0)
    memcpy(to, text, kept);
  memset(to + kept, ' ', length - kept);
}
#endif

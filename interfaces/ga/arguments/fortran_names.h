/* Functions that the files with Fortran's calls share. The name of a Fortran call is in lower case
 * and ends with one _. Every argument is an address. The lengths of CHARACTER arguments follow
 * after all other arguments, as gfortran passes them. LOGICAL and INTEGER are `Integer`
 * (typesf2c.h), which has 8 bytes in libcwga and 4 bytes in libcwga-i4. */
#pragma once

#include "ga/arguments/integer_size.h"

#include "typesf2c.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Begins a function that only Fortran calls. Such a function is not declared in a header. */
#define CWI_FORTRAN(result, name, parameters)                                                      \
  result name parameters;                                                                          \
  result name parameters

static const char *const cwi_integer_check_is_linked __attribute__((used)) =
    &cwi_integer_is_checked;

/* Converts a number to int. If it does not fit, returns 0, which is not valid as a handle, a code
 * or a number of dimensions. */
static inline int cwi_fortran_int(long number)
{
  return cwi_integer_fits(number) ? (int)number : 0;
}

/* Stores a number in an INTEGER, which may have only 4 bytes. Errors: CW_MISUSE if it does not fit;
 * `what` names the number in the message. */
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

/* Copies a CHARACTER argument without the blanks at its end to a C string of at most `size`
 * bytes. */
static inline void cwi_fortran_take(const char *text, size_t length, char *to, size_t size)
{
  const size_t whole = cwi_fortran_length(text, length), kept = whole < size ? whole : size - 1;
  memcpy(to, text, kept);
  to[kept] = '\0';
}

/* Copies a C string to a CHARACTER argument. The text is truncated, or padded with blanks, to the
 * argument's length. NULL counts as empty. */
static inline void cwi_fortran_give(const char *text, char *to, size_t length)
{
  const size_t whole = text != NULL ? strlen(text) : 0, kept = whole < length ? whole : length;
  if (kept > 0)
    memcpy(to, text, kept);
  memset(to + kept, ' ', length - kept);
}

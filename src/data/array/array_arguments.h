/* Arguments of collective calls that must be the same on all members: arrays, their elements and
 * patches. */
#pragma once

#include "array/array.h"
#include "team/collective_arguments.h"

void cwi_write_array(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_element(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_value(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_corner(const struct cwi_argument *argument, struct cwi_words *words);

/* If `own` is true, each process may pass a different value in the following calls of this thread.
 * For bindings whose interface allows that. */
void cwi_values_set_own(bool own);

/* Names an array. NULL is written as "NULL". */
static inline struct cwi_argument cwi_agreed_array(const char *name, cw_array array)
{
  return (struct cwi_argument){name, cwi_write_array, array, 0, NULL, NULL};
}

/* Names a list of arrays. Invalid ones are left out. */
void cwi_write_arrays(const struct cwi_argument *argument, struct cwi_words *words);
static inline struct cwi_argument cwi_agreed_arrays(const char *name, const cw_array *arrays,
                                                    size_t count)
{
  return (struct cwi_argument){name, cwi_write_arrays, arrays, count, NULL, NULL};
}

/* Names an element of the array's type. NULL is written as "NULL". */
static inline struct cwi_argument cwi_agreed_element(const char *name, cw_array array,
                                                     const void *value)
{
  return (struct cwi_argument){name, cwi_write_element, value, 0, NULL, array};
}

/* Like cwi_agreed_element, for a value that each process applies to its own elements. It is not
 * compared after cwi_values_set_own(true). */
static inline struct cwi_argument cwi_agreed_value(const char *name, cw_array array,
                                                   const void *value)
{
  return (struct cwi_argument){name, cwi_write_value, value, 0, NULL, array};
}

/* Names an index in an array, such as lo or hi. NULL is written as "NULL". */
static inline struct cwi_argument cwi_agreed_corner(const char *name, const char *of,
                                                    cw_array array, const int64_t *index)
{
  return (struct cwi_argument){name, cwi_write_corner, index, 0, of, array};
}

/* Lists an operand as 4 arguments. `name` is the name of the operand. */
enum { CWI_AGREED_OPERAND = 4 };
void cwi_agreed_operand(const char *name, const cw_operand *operand, struct cwi_argument *four);

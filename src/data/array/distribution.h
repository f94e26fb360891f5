/* Makes the axes of an array from the program's options. */
#pragma once

#include "array/array.h"
#include "team/collective_arguments.h"

/* Set the dimensions, axes, holders and ranks of an array. For cwi_distribution_make the array's
 * team must be set. Local. After a failure the caller must call cwi_distribution_free. Errors:
 * CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_distribution_make(const cw_array_options *options, cw_array array);
CWI_CHECKED cw_error cwi_distribution_copy(cw_array from, cw_array array);
void cwi_distribution_free(cw_array array);

/* Returns a hash of the distribution. */
uint64_t cwi_distribution_print(cw_array array);

/* Writes each option of a distribution as an argument of its own, so that the message names the
 * option in which two members differ. cwi_agreed_distribution returns one argument that stands for
 * all of them. */
void cwi_write_distribution(const struct cwi_argument *argument, struct cwi_words *words);
static inline struct cwi_argument cwi_agreed_distribution(cw_array array)
{
  return (struct cwi_argument){CWI_ARGUMENTS_SEVERAL, cwi_write_distribution, array, 0, NULL, NULL};
}

/* Single elements: as numbers that do not depend on the type (cwi_value), and as elements of their
 * type (cwi_scalar). */
#pragma once

#include "number/number_kernels.h"

#include <string.h>

/* Value of an element. */
struct cwi_value {
  int64_t whole;  /* value of an integer */
  double real[2]; /* value of another number: its real and imaginary part */
};

/* Reads an element, which needs no alignment. */
struct cwi_value cwi_value_read(cw_type type, const void *element);

/* Stores a value as an element. Integers wrap around. */
void cwi_value_store(cw_type type, const struct cwi_value *value, void *element);

/* Returns a real number as an element. */
static inline union cwi_scalar cwi_scalar_of(cw_type type, double number)
{
  const struct cwi_value value = {(int64_t)number, {number, 0}};
  union cwi_scalar scalar;
  memset(&scalar, 0, sizeof scalar);
  cwi_value_store(type, &value, &scalar);
  return scalar;
}

/* Reads an element. NULL stands for 1. */
static inline void cwi_scalar_read(cw_type type, const void *from, union cwi_scalar *scalar)
{
  *scalar = cwi_scalar_of(type, 1);
  if (from != NULL)
    memcpy(scalar, from, cwi_type_bytes[type]);
}

/* Returns true if a real or complex element is 0. Not for integers. */
static inline bool cwi_scalar_is_zero(cw_type type, const void *element)
{
  const struct cwi_value value = cwi_value_read(type, element);
  return value.real[0] == 0 && value.real[1] == 0;
}

/* Returns true if the number has no imaginary part. */
static inline bool cwi_scalar_is_real(cw_type type, const union cwi_scalar *scalar)
{
  return cwi_value_read(type, scalar).real[1] == 0;
}

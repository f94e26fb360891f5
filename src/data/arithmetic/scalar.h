/* Single elements that programs pass to operations. */
#ifndef CWI_ARITHMETIC_SCALAR_H
#define CWI_ARITHMETIC_SCALAR_H

#include "number/number_kernels.h"

#include <string.h>

/* Reads an element. NULL stands for 1. */
static inline void cwi_scalar_read(cw_type type, const void *from, union cwi_scalar *value)
{
  memset(value, 0, sizeof *value);
  if (from != NULL)
    memcpy(value, from, cwi_type_bytes[type]);
  else if (type == CW_INT)
    value->i = 1;
  else if (type == CW_LONG || type == CW_LONG_LONG)
    value->ll = 1;
  else if (cwi_type_is_single(type))
    value->f[0] = 1;
  else
    value->d[0] = 1;
}

/* Returns true if the value has no imaginary part. */
static inline bool cwi_scalar_is_real(cw_type type, const union cwi_scalar *value)
{
  return type == CW_FLOAT_COMPLEX ? value->f[1] == 0
                                  : type != CW_DOUBLE_COMPLEX || value->d[1] == 0;
}
#endif

/* Numbers: their types, operations on them, and the loops over them.
 *
 * types.def         the table of types
 * number_type.c     types: sizes, names, MPI datatypes
 * scalar.c          single elements
 * operation.c       operations: names, MPI operations
 * kernels_update.c  scaled sums and updates of elements; update_*.inc define them for one type
 * kernels_reduce.c  reductions of the members' numbers */
#pragma once

#include <causeway/transfer.h>

#include <float.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number/types.def"

/* Combinations of the lists of types.def. */
#define CWI_INTEGER_TYPES(TYPE)                                                                    \
  CWI_SIGNED_TYPES(TYPE) CWI_SIGNED_WIDTHS(TYPE) CWI_UNSIGNED_WIDTHS(TYPE)
#define CWI_ARITHMETIC_TYPES(TYPE)                                                                 \
  CWI_SIGNED_TYPES(TYPE) CWI_REAL_TYPES(TYPE) CWI_COMPLEX_TYPES(TYPE)
#define CWI_ALL_TYPES(TYPE) CWI_INTEGER_TYPES(TYPE) CWI_REAL_TYPES(TYPE) CWI_COMPLEX_TYPES(TYPE)

/* Bytes of an element; 0 for a nonexistent type. */
extern const size_t cwi_type_bytes[CWI_TYPES];

/* Returns a name like "CW_INT". A binding replaces it by its own word: see base/reword.h. */
const char *cwi_type_word(cw_type type);

/* Returns the MPI datatype of an existing type. */
MPI_Datatype cwi_mpi_type(cw_type type);

/* Comparisons of a variable `type` with the types of a list. */
#define CWI_IS(name, ...) type == name ||
#define CWI_IS_SINGLE(name, c, ...) (type == name && sizeof(c) == sizeof(float)) ||
#define CWI_IS_WIDE(name, c, bits, ...) (type == name && bits > 64) ||
#define CWI_IS_WIDE_PAIR(name, c, bits, ...) (type == name && 2 * bits > 64) ||
#define CWI_TO_BASE(name, c, bits, base, ...) (name != base && type == name) ? base:

/* Returns true for integers. */
static inline bool cwi_type_is_whole(cw_type type)
{
  return CWI_INTEGER_TYPES(CWI_IS) false;
}

static inline bool cwi_type_is_unsigned(cw_type type)
{
  return CWI_UNSIGNED_WIDTHS(CWI_IS) false;
}

static inline bool cwi_type_is_real(cw_type type)
{
  return CWI_REAL_TYPES(CWI_IS) false;
}

static inline bool cwi_type_is_complex(cw_type type)
{
  return CWI_COMPLEX_TYPES(CWI_IS) false;
}

/* Returns true if the type consists of floats. */
static inline bool cwi_type_is_single(cw_type type)
{
  return CWI_REAL_TYPES(CWI_IS_SINGLE) CWI_COMPLEX_TYPES(CWI_IS_SINGLE) false;
}

/* Returns true if elements have more than 8 bytes: the processor has no atomics for them. */
static inline bool cwi_type_is_wide(cw_type type)
{
  return CWI_INTEGER_TYPES(CWI_IS_WIDE) CWI_REAL_TYPES(CWI_IS_WIDE)
      CWI_COMPLEX_TYPES(CWI_IS_WIDE_PAIR) false;
}

/* Returns the type with the same arithmetic: CW_INT32 and CW_INT64 are treated as CW_INT and
 * CW_LONG. */
static inline cw_type cwi_arithmetic_type(cw_type type)
{
  return CWI_INTEGER_TYPES(CWI_TO_BASE) type;
}

/* Returns the type of the parts of a complex number, or else the type itself. */
static inline cw_type cwi_type_of_parts(cw_type type)
{
  return CWI_COMPLEX_TYPES(CWI_TO_BASE) type;
}

/* Bytes of a long double that hold its value; the rest is padding. */
enum { CWI_LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : (int)sizeof(long double) };

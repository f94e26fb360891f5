/* Numbers: their types, operations on them, and the loops over them.
 *
 * number_type.c     types: sizes, names, MPI datatypes
 * operation.c       operations: names, MPI operations
 * kernels_update.c  scaled sums, updates of elements; update_*.inc: the same for one type
 * kernels_reduce.c  reductions of the members' numbers */
#ifndef CWI_NUMBER_NUMBER_TYPE_H
#define CWI_NUMBER_NUMBER_TYPE_H

#include <causeway/transfer.h>

#include <assert.h>
#include <float.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_TYPES = CW_UINT64 + 1 };

/* Bytes of an element; 0 for a nonexistent type. */
extern const size_t cwi_type_bytes[CWI_TYPES];

/* Returns a name like "CW_INT". A binding replaces it by its own word: see base/reword.h. */
const char *cwi_type_word(cw_type type);

/* Returns the MPI datatype of an existing type. */
MPI_Datatype cwi_mpi_type(cw_type type);

/* Returns the type with the same arithmetic: CW_INT32 and CW_INT64 are treated as CW_INT and
 * CW_LONG. */
static inline cw_type cwi_arithmetic_type(cw_type type)
{
  static_assert(sizeof(int) == sizeof(int32_t) && sizeof(long) == sizeof(int64_t), "LP64");
  return type == CW_INT32 ? CW_INT : type == CW_INT64 ? CW_LONG : type;
}

/* cwi_type_is_whole returns true for integers, cwi_type_is_complex for complex numbers, among the
 * types that have arithmetic. */
static inline bool cwi_type_is_whole(cw_type type)
{
  return type == CW_INT || type == CW_LONG || type == CW_LONG_LONG;
}

static inline bool cwi_type_is_complex(cw_type type)
{
  return type == CW_FLOAT_COMPLEX || type == CW_DOUBLE_COMPLEX;
}

/* Bytes of a long double that hold its value; the rest is padding. */
enum { CWI_LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : (int)sizeof(long double) };

/* Returns true if the type consists of floats. */
static inline bool cwi_type_is_single(cw_type type)
{
  return type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
}
#endif

/* Numbers: their types, operations on them, and the loops over them.
 *
 * number_type.c                types: bytes, names, MPI's names
 * operation.c           operations: names, the types that have them, MPI's names
 * kernels_update.c      sums of scaled numbers, updates of elements; update_*.inc: of a type
 * kernels_reduce.c      reductions of the members' numbers */
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

/* Bytes of an element. 0: there is no such type. */
extern const size_t cwi_type_bytes[CWI_TYPES];

/* "CW_INT". A binding puts its own words in their place: see base/reword.h. */
const char *cwi_type_word(cw_type type);

/* What MPI calls it. The type exists. */
MPI_Datatype cwi_mpi_type(cw_type type);

/* The type whose arithmetic this one has: integers of 32 and 64 bits are int and long by another
 * name. */
static inline cw_type cwi_arithmetic_type(cw_type type)
{
  static_assert(sizeof(int) == sizeof(int32_t) && sizeof(long) == sizeof(int64_t), "LP64");
  return type == CW_INT32 ? CW_INT : type == CW_INT64 ? CW_LONG : type;
}

/* Of types that have arithmetic. */
static inline bool cwi_type_is_whole(cw_type type)
{
  return type == CW_INT || type == CW_LONG || type == CW_LONG_LONG;
}

static inline bool cwi_type_is_complex(cw_type type)
{
  return type == CW_FLOAT_COMPLEX || type == CW_DOUBLE_COMPLEX;
}

/* Bytes of a long double that are its number: what follows them is padding. */
enum { CWI_LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : (int)sizeof(long double) };

/* Made of float. */
static inline bool cwi_type_is_single(cw_type type)
{
  return type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
}
#endif

/* Types of numbers: their sizes, names and MPI datatypes. */
#include "number/number_type.h"

#define INTEGERS_BY_WIDTH                                                                          \
  [CW_INT8] = 1, [CW_UINT8] = 1, [CW_INT16] = 2, [CW_UINT16] = 2, [CW_INT32] = 4, [CW_UINT32] = 4, \
  [CW_INT64] = 8, [CW_UINT64] = 8

const size_t cwi_type_bytes[CWI_TYPES] = {sizeof(int),       sizeof(long),      sizeof(float),
                                          sizeof(double),    2 * sizeof(float), 2 * sizeof(double),
                                          sizeof(long long), INTEGERS_BY_WIDTH};

const char *cwi_type_word(cw_type type)
{
  static const char *const words[CWI_TYPES] = {[CW_INT] = "CW_INT",
                                               [CW_LONG] = "CW_LONG",
                                               [CW_LONG_LONG] = "CW_LONG_LONG",
                                               [CW_FLOAT] = "CW_FLOAT",
                                               [CW_DOUBLE] = "CW_DOUBLE",
                                               [CW_FLOAT_COMPLEX] = "CW_FLOAT_COMPLEX",
                                               [CW_DOUBLE_COMPLEX] = "CW_DOUBLE_COMPLEX",
                                               [CW_INT8] = "CW_INT8",
                                               [CW_UINT8] = "CW_UINT8",
                                               [CW_INT16] = "CW_INT16",
                                               [CW_UINT16] = "CW_UINT16",
                                               [CW_INT32] = "CW_INT32",
                                               [CW_UINT32] = "CW_UINT32",
                                               [CW_INT64] = "CW_INT64",
                                               [CW_UINT64] = "CW_UINT64"};
  const char *word = (unsigned)type < CWI_TYPES ? words[type] : NULL;
  return word != NULL ? word : "CW_OPAQUE";
}

MPI_Datatype cwi_mpi_type(cw_type type)
{
  switch (type) {
  case CW_INT:
  case CW_INT32:
    return MPI_INT;
  case CW_UINT32:
    return MPI_UNSIGNED;
  case CW_LONG:
  case CW_LONG_LONG:
  case CW_INT64:
    return MPI_LONG;
  case CW_UINT64:
    return MPI_UNSIGNED_LONG;
  case CW_INT8:
    return MPI_INT8_T;
  case CW_UINT8:
    return MPI_UINT8_T;
  case CW_INT16:
    return MPI_SHORT;
  case CW_UINT16:
    return MPI_UNSIGNED_SHORT;
  case CW_FLOAT:
    return MPI_FLOAT;
  case CW_FLOAT_COMPLEX:
    return MPI_C_FLOAT_COMPLEX;
  case CW_DOUBLE_COMPLEX:
    return MPI_C_DOUBLE_COMPLEX;
  default:
    return MPI_DOUBLE;
  }
}

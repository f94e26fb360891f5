/* Types of numbers: their sizes, names and MPI datatypes. */
#include "number/number_type.h"

#include <causeway/typed.h>

#include <assert.h>

/* --- The table and the public headers --------------------------------------------------------- */

#define COUNTED(...) +1
static_assert(0 CWI_ARITHMETIC_TYPES(COUNTED) == CW_TYPES &&
                  0 CWI_ALL_TYPES(COUNTED) == CW_TYPES + CWI_TYPES - CW_INT8,
              "number/types.def has all types of causeway/transfer.h");

#define MATCHES(name, c, bits, ...)                                                                \
  static_assert(CW_TYPE_OF((c *)NULL) == name && sizeof(c) * 8 == bits, #name);
#define PAIR_MATCHES(name, c, bits, ...)                                                           \
  static_assert(CW_TYPE_OF((c(*)[2])NULL) == name && sizeof(c) * 8 == bits, #name);
#define SIZE_MATCHES(name, c, bits, ...) static_assert(sizeof(c) * 8 == bits, #name);
CWI_SIGNED_TYPES(MATCHES)
CWI_REAL_TYPES(MATCHES)
CWI_COMPLEX_TYPES(PAIR_MATCHES)
CWI_INTEGER_TYPES(SIZE_MATCHES)

/* --- Tables ----------------------------------------------------------------------------------- */

#define BYTES(name, c, ...) [name] = sizeof(c),
#define PAIR_BYTES(name, c, ...) [name] = 2 * sizeof(c),
const size_t cwi_type_bytes[CWI_TYPES] = {CWI_INTEGER_TYPES(BYTES) CWI_REAL_TYPES(BYTES)
                                              CWI_COMPLEX_TYPES(PAIR_BYTES)};

#define WORD(name, ...) [name] = #name,
const char *cwi_type_word(cw_type type)
{
  static const char *const words[CWI_TYPES] = {CWI_ALL_TYPES(WORD)};
  const char *word = (unsigned)type < CWI_TYPES ? words[type] : NULL;
  return word != NULL ? word : "CW_OPAQUE";
}

#define MPI_TYPE(name, c, bits, base, mpi)                                                         \
  case name:                                                                                       \
    return mpi;
MPI_Datatype cwi_mpi_type(cw_type type)
{
  switch (type) {
    CWI_ALL_TYPES(MPI_TYPE)
  default:
    return MPI_DATATYPE_NULL;
  }
}

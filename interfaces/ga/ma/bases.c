/* MA's types and their base arrays. A C program indexes a block from the array of the block's type,
 * whose first element has index 0. A Fortran program indexes it from the common block of the type,
 * whose first element has index 1. A block begins a whole number of elements away from the array of
 * its type. */
#include "ga/arguments/integer_size.h"
#include "ga/ma/ma.h"

/* All are aligned to cache lines. If the program itself defines such an array, the program's array
 * is used. */
#define BASE __attribute__((aligned(64)))
BASE char ma_cb_char[2];
BASE int ma_cb_int[2];
BASE long ma_cb_long[2];
BASE long long ma_cb_longlong[2];
BASE float ma_cb_float[2];
BASE double ma_cb_dbl[2];
BASE MA_LongDouble ma_cb_ldbl[2];
BASE MA_SingleComplex ma_cb_scpl[2];
BASE MA_DoubleComplex ma_cb_dcpl[2];
BASE MA_LongDoubleComplex ma_cb_ldcpl[2];

/* mafdecls.fh declares these in each file of a Fortran program. They are common symbols here, too:
 * a statically linked program then has each of them once, and a shared library uses those of the
 * program. The symbols of INTEGER and LOGICAL are smaller here than in any program, so that the
 * linker uses the program's size. */
#define COMMON(element, name)                                                                      \
  extern element name[2];                                                                          \
  BASE __attribute__((common)) element name[2];
COMMON(char, mbc_byte_)
COMMON(char, mbc_int_)
COMMON(char, mbc_log_)
COMMON(Real, mbc_real_)
COMMON(DoublePrecision, mbc_dbl_)
COMMON(MA_SingleComplex, mbc_scpl_)
COMMON(MA_DoubleComplex, mbc_dcpl_)

__attribute__((constructor)) static void check_integer(void)
{
  cwi_integer_check_block("mafdecls.fh", mbc_int_);
}

#define TYPE_OF(code, name, bytes, array) [(code)-MT_FIRST] = {name, bytes, (char *)(array)}
#define TYPE(code, name, array) TYPE_OF(code, name, sizeof(array)[0], array)
const struct cwi_ma_type cwi_ma_types[MT_NUMTYPES] = {
    TYPE(MT_C_CHAR, "char", ma_cb_char),
    TYPE(MT_C_INT, "int", ma_cb_int),
    TYPE(MT_C_LONGINT, "long int", ma_cb_long),
    TYPE(MT_C_FLOAT, "float", ma_cb_float),
    TYPE(MT_C_DBL, "double", ma_cb_dbl),
    TYPE(MT_C_LDBL, "long double", ma_cb_ldbl),
    TYPE(MT_C_SCPL, "single precision complex", ma_cb_scpl),
    TYPE(MT_C_DCPL, "double precision complex", ma_cb_dcpl),
    TYPE(MT_C_LDCPL, "long double precision complex", ma_cb_ldcpl),
    TYPE(MT_F_BYTE, "Fortran byte", mbc_byte_),
    TYPE_OF(MT_F_INT, "Fortran integer", sizeof(Integer), mbc_int_),
    TYPE_OF(MT_F_LOG, "Fortran logical", sizeof(Logical), mbc_log_),
    TYPE(MT_F_REAL, "Fortran real", mbc_real_),
    TYPE(MT_F_DBL, "Fortran double precision", mbc_dbl_),
    TYPE(MT_F_SCPL, "Fortran single precision complex", mbc_scpl_),
    TYPE(MT_F_DCPL, "Fortran double precision complex", mbc_dcpl_),
    TYPE(MT_C_LONGLONG, "long long", ma_cb_longlong),
};

/* Computes with integers instead of pointers, because the address may be lower than the base. */
bool cwi_ma_elements_from_base(const struct cwi_ma_type *type, const void *address,
                               MA_AccessIndex *distance)
{
  const intptr_t bytes = (intptr_t)((uintptr_t)address - (uintptr_t)type->base);
  *distance = bytes >> __builtin_ctzl(type->bytes);
  return (bytes & ((intptr_t)type->bytes - 1)) == 0;
}

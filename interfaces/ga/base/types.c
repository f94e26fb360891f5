/* GA's codes of types: those of C, those of Fortran, and those that a program registers. */
#include "ga/base/binding.h"

#include "mpi/mpi_threads.h"
#include "number/number_type.h"

#include <limits.h>

enum { MOST = 256, FIRST_REGISTERED = MT_LAST + 1 };

/* For each GA type code: C's code of the type with the same size, the native type, which is needed
 * for arithmetic, and the size. INTEGER and LOGICAL have the size of `Integer`. */
enum { INTEGER = sizeof(Integer) == sizeof(int) ? C_INT : C_LONG };
#define NATIVE_INTEGER (INTEGER == C_INT ? CW_INT : CW_LONG)
static const struct {
  int code;
  cw_type type;
  size_t bytes;
} known[MT_NUMTYPES] = {
    {C_CHAR, CW_OPAQUE, 1},
    [C_INT - MT_FIRST] = {C_INT, CW_INT, sizeof(int)},
    [C_LONG - MT_FIRST] = {C_LONG, CW_LONG, sizeof(long)},
    [C_FLOAT - MT_FIRST] = {C_FLOAT, CW_FLOAT, sizeof(float)},
    [C_DBL - MT_FIRST] = {C_DBL, CW_DOUBLE, sizeof(double)},
    [C_LDBL - MT_FIRST] = {C_LDBL, CW_OPAQUE, sizeof(long double)},
    [C_SCPL - MT_FIRST] = {C_SCPL, CW_FLOAT_COMPLEX, sizeof(SingleComplex)},
    [C_DCPL - MT_FIRST] = {C_DCPL, CW_DOUBLE_COMPLEX, sizeof(DoubleComplex)},
    [C_LDCPL - MT_FIRST] = {C_LDCPL, CW_OPAQUE, 2 * sizeof(long double)},
    [F_BYTE - MT_FIRST] = {C_CHAR, CW_OPAQUE, 1},
    [F_INT - MT_FIRST] = {INTEGER, NATIVE_INTEGER, sizeof(Integer)},
    [F_LOG - MT_FIRST] = {INTEGER, NATIVE_INTEGER, sizeof(Logical)},
    [F_REAL - MT_FIRST] = {C_FLOAT, CW_FLOAT, sizeof(Real)},
    [F_DBL - MT_FIRST] = {C_DBL, CW_DOUBLE, sizeof(DoublePrecision)},
    [F_SCPL - MT_FIRST] = {C_SCPL, CW_FLOAT_COMPLEX, sizeof(SingleComplex)},
    [F_DCPL - MT_FIRST] = {C_DCPL, CW_DOUBLE_COMPLEX, sizeof(DoubleComplex)},
    [C_LONGLONG - MT_FIRST] = {C_LONGLONG, CW_LONG_LONG, sizeof(long long)},
};

static size_t registered[MOST]; /* bytes of an element; 0 if free; read without a lock */

static size_t bytes_of(int code)
{
  const int slot = code >= FIRST_REGISTERED ? code - FIRST_REGISTERED : MOST;
  return slot < MOST ? __atomic_load_n(&registered[slot], __ATOMIC_RELAXED) : 0;
}

cw_error cwi_ga_type(int *code, cw_type *type, size_t *bytes)
{
  if (*code >= MT_FIRST && *code <= MT_LAST) {
    const int kind = *code - MT_FIRST;
    *code = known[kind].code;
    *type = known[kind].type;
    *bytes = known[kind].bytes;
    return CW_OK;
  }
  *type = CW_OPAQUE;
  *bytes = bytes_of(*code);
  if (*bytes > 0)
    return CW_OK;
  return cwi_misuse("type is %d; it may be C_CHAR (%d) to C_LONGLONG (%d), or a type that "
                    "NGA_Register_type returned",
                    *code, MT_FIRST, MT_LAST);
}

size_t cw_ga_type_bytes(int type)
{
  const bool is_known = type >= MT_FIRST && type <= MT_LAST;
  return is_known ? known[type - MT_FIRST].bytes : bytes_of(type);
}

int cwi_ga_fortran_code(int code)
{
  for (int fortran = MT_F_BYTE; fortran <= MT_F_DCPL; fortran++)
    if (known[fortran - MT_FIRST].code == code)
      return fortran;
  return code;
}

cw_error cwi_ga_code(cw_type type, size_t bytes, int *code)
{
  *code = 0;
  for (int kind = MT_NUMTYPES - 1; kind >= 0; kind--)
    if (known[kind].type == type && known[kind].bytes == bytes)
      *code = known[kind].code;
  for (int slot = 0; slot < MOST && *code == 0 && type == CW_OPAQUE; slot++)
    if (bytes_of(FIRST_REGISTERED + slot) == bytes)
      *code = FIRST_REGISTERED + slot;
  if (*code != 0)
    return CW_OK;
  return cwi_misuse(
      "the elements are %s of %zu bytes, for which GA has no type: call NGA_Register_type first",
      cwi_type_word(type), bytes);
}

static cw_error ga_types_enter(size_t bytes, int *code)
{
  if (bytes == 0 || bytes > INT_MAX)
    return cwi_misuse("bytes is %lld; a type has 1 to %d bytes", (long long)bytes, INT_MAX);
  cwi_threads_lock();
  int slot = 0;
  while (slot < MOST && registered[slot] != 0)
    slot++;
  if (slot < MOST)
    __atomic_store_n(&registered[slot], bytes, __ATOMIC_RELAXED);
  cwi_threads_unlock();
  *code = FIRST_REGISTERED + slot;
  return slot < MOST ? CW_OK : cwi_misuse("%d types are already registered, the maximum", MOST);
}

int NGA_Register_type(size_t bytes)
{
  int code = 0;
  (void)CWI_GA(ga_types_enter(bytes, &code));
  return code;
}

/* Removes a registered type. Returns 0, or -1 if the type is one of GA's own, or -2 if it is not
 * registered. */
int NGA_Deregister_type(int type)
{
  if (type < FIRST_REGISTERED)
    return -1;
  if (bytes_of(type) == 0)
    return -2;
  cwi_threads_lock();
  __atomic_store_n(&registered[type - FIRST_REGISTERED], 0, __ATOMIC_RELAXED);
  cwi_threads_unlock();
  return 0;
}

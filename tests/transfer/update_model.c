/* A plain model of atomic updates, for tests. */
#include "transfer/update_model.h"

#include "kit/kit.h"

#include <string.h>

const cw_type model_types[MODEL_TYPES] = {
    CW_INT,       CW_LONG,  CW_FLOAT, CW_DOUBLE, CW_FLOAT_COMPLEX, CW_DOUBLE_COMPLEX,
    CW_LONG_LONG, CW_INT8,  CW_UINT8, CW_INT16,  CW_UINT16,        CW_INT32,
    CW_UINT32,    CW_INT64, CW_UINT64};

const cw_reduction model_operations[MODEL_OPERATIONS] = {
    CW_SUM,        CW_PRODUCT,     CW_MINIMUM,          CW_MAXIMUM,         CW_LOGICAL_AND,
    CW_LOGICAL_OR, CW_LOGICAL_XOR, CW_BIT_AND,          CW_BIT_OR,          CW_BIT_XOR,
    CW_REPLACE,    CW_NO_OP,       CW_ABSOLUTE_MINIMUM, CW_ABSOLUTE_MAXIMUM};

enum kind { SIGNED, UNSIGNED, REAL, COMPLEX };

static enum kind kind_of(cw_type type)
{
  switch (type) {
  case CW_FLOAT:
  case CW_DOUBLE:
    return REAL;
  case CW_FLOAT_COMPLEX:
  case CW_DOUBLE_COMPLEX:
    return COMPLEX;
  case CW_UINT8:
  case CW_UINT16:
  case CW_UINT32:
  case CW_UINT64:
    return UNSIGNED;
  default:
    return SIGNED;
  }
}

size_t model_bytes(cw_type type)
{
  switch (type) {
  case CW_INT8:
  case CW_UINT8:
    return 1;
  case CW_INT16:
  case CW_UINT16:
    return 2;
  case CW_INT:
  case CW_INT32:
  case CW_UINT32:
  case CW_FLOAT:
    return 4;
  case CW_DOUBLE_COMPLEX:
    return 16;
  default:
    return 8;
  }
}

bool model_allows(cw_reduction operation, cw_type type)
{
  const enum kind kind = kind_of(type);
  switch (operation) {
  case CW_SUM:
  case CW_PRODUCT:
  case CW_REPLACE:
  case CW_NO_OP:
    return true;
  case CW_MINIMUM:
  case CW_MAXIMUM:
    return kind != COMPLEX;
  case CW_ABSOLUTE_MINIMUM:
  case CW_ABSOLUTE_MAXIMUM:
    return false;
  default:
    return kind == SIGNED || kind == UNSIGNED;
  }
}

static uint64_t combine_bits(cw_reduction operation, uint64_t a, uint64_t b)
{
  switch (operation) {
  case CW_SUM:
    return a + b;
  case CW_PRODUCT:
    return a * b;
  case CW_LOGICAL_AND:
    return a && b;
  case CW_LOGICAL_OR:
    return a || b;
  case CW_LOGICAL_XOR:
    return !a != !b;
  case CW_BIT_AND:
    return a & b;
  case CW_BIT_OR:
    return a | b;
  case CW_BIT_XOR:
    return a ^ b;
  default:
    return b;
  }
}

/* The bytes of an integer as a number of 64 bits. */
static int64_t widen(const void *from, size_t bytes, bool is_signed)
{
  uint64_t wide = 0;
  memcpy(&wide, from, bytes); /* little end first, as everywhere here */
  const unsigned shift = 64 - 8 * (unsigned)bytes;
  return is_signed ? (int64_t)(wide << shift) >> shift : (int64_t)wide;
}

static void update_integer(cw_reduction operation, cw_type type, void *to, const void *operand)
{
  const bool is_signed = kind_of(type) == SIGNED;
  const size_t bytes = model_bytes(type);
  const int64_t a = widen(to, bytes, is_signed), b = widen(operand, bytes, is_signed);
  const bool less = is_signed ? b < a : (uint64_t)b < (uint64_t)a;
  uint64_t result = combine_bits(operation, (uint64_t)a, (uint64_t)b);
  if (operation == CW_MINIMUM)
    result = (uint64_t)(less ? b : a);
  if (operation == CW_MAXIMUM)
    result = (uint64_t)(less ? a : b);
  memcpy(to, &result, bytes);
}

static double combine_reals(cw_reduction operation, double a, double b)
{
  switch (operation) {
  case CW_SUM:
    return a + b;
  case CW_PRODUCT:
    return a * b;
  case CW_MINIMUM:
    return b < a ? b : a;
  case CW_MAXIMUM:
    return b < a ? a : b;
  default:
    return b;
  }
}

static void combine_complex(cw_reduction operation, double *a, const double *b)
{
  const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
  a[0] = operation == CW_PRODUCT ? re : combine_reals(operation, a[0], b[0]);
  a[1] = operation == CW_PRODUCT ? im : combine_reals(operation, a[1], b[1]);
}

/* Parts of a real or complex element as doubles. */
static void load(cw_type type, const void *from, double *parts)
{
  const bool narrow = type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
  float few[2];
  if (!narrow) {
    memcpy(parts, from, model_bytes(type));
    return;
  }
  memcpy(few, from, model_bytes(type));
  parts[0] = few[0];
  parts[1] = kind_of(type) == COMPLEX ? few[1] : 0;
}

static void store(cw_type type, void *to, const double *parts)
{
  const float few[2] = {(float)parts[0], (float)parts[1]};
  const bool narrow = type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
  memcpy(to, narrow ? (const void *)few : parts, model_bytes(type));
}

void model_update(cw_reduction operation, cw_type type, void *to, const void *operand)
{
  double a[2] = {0, 0}, b[2] = {0, 0};
  if (operation == CW_NO_OP)
    return;
  if (kind_of(type) == SIGNED || kind_of(type) == UNSIGNED) {
    update_integer(operation, type, to, operand);
    return;
  }
  load(type, to, a);
  load(type, operand, b);
  if (kind_of(type) == COMPLEX)
    combine_complex(operation, a, b);
  else
    a[0] = combine_reals(operation, a[0], b[0]);
  store(type, to, a);
}

void model_two(cw_type type, void *element)
{
  const float single = 2;
  const double real = 2;
  const int narrow = 2;
  const long wide = 2;
  memset(element, 0, model_bytes(type));
  if (type == CW_FLOAT || type == CW_FLOAT_COMPLEX)
    memcpy(element, &single, sizeof single);
  else if (type == CW_DOUBLE || type == CW_DOUBLE_COMPLEX)
    memcpy(element, &real, sizeof real);
  else if (type == CW_INT)
    memcpy(element, &narrow, sizeof narrow);
  else
    memcpy(element, &wide, sizeof wide);
}

void model_random(cw_type type, void *element)
{
  const double parts[2] = {kit_own(19) - 9, kit_own(19) - 9};
  uint64_t bits = 0;
  if (kind_of(type) == REAL || kind_of(type) == COMPLEX) {
    store(type, element, parts);
    return;
  }
  for (int i = 0; i < 4; i++)
    bits = bits << 16 | (uint64_t)kit_own(1 << 16);
  if (kit_own(3) == 0)
    bits = (uint64_t)kit_own(2); /* the values that logical operations distinguish */
  memcpy(element, &bits, model_bytes(type));
}

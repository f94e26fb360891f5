#include "collective/model.h"

#include <stdlib.h>
#include <string.h>

const char *const model_types[CW_TYPES] = {"int",           "long",           "float",    "double",
                                           "float complex", "double complex", "long long"};
const char *const model_reductions[CW_REDUCTIONS] = {
    "sum", "product", "minimum", "maximum", "absolute minimum", "absolute maximum",
    "and", "or",      "bit and", "bit or",  "bit xor"};

/* Real numbers have no imaginary part. */
struct number {
  long re, im;
};

static bool is_integer(cw_type type)
{
  return type == CW_INT || type == CW_LONG || type == CW_LONG_LONG;
}

static bool is_complex(cw_type type)
{
  return type == CW_FLOAT_COMPLEX || type == CW_DOUBLE_COMPLEX;
}

size_t model_element(cw_type type)
{
  static const size_t bytes[CW_TYPES] = {sizeof(int),      sizeof(long),      sizeof(float),
                                         sizeof(double),   2 * sizeof(float), 2 * sizeof(double),
                                         sizeof(long long)};
  return bytes[type];
}

bool model_defined(cw_type type, cw_reduction reduction)
{
  if (is_complex(type))
    return reduction == CW_SUM || reduction == CW_PRODUCT;
  return is_integer(type) || reduction < CW_LOGICAL_AND;
}

static struct number input(cw_type type, int process, int round, size_t i)
{
  static const long numbers[] = {-2, 1, 3, -1, 2, 4, -5};
  const long number = numbers[((size_t)process * 3 + (size_t)round + i) % 7];
  const bool zero = is_integer(type) && (i + (size_t)process) % 5 == 0;
  return (struct number){zero ? 0 : number, is_complex(type) ? 1 + (long)(i % 2) : 0};
}

static void write_number(cw_type type, void *numbers, size_t i, struct number number)
{
  union {
    int i;
    long l;
    long long ll;
    float f[2];
    double d[2];
  } element = {.d = {0}};
  if (type == CW_INT) {
    element.i = (int)number.re;
  } else if (type == CW_LONG) {
    element.l = number.re;
  } else if (type == CW_LONG_LONG) {
    element.ll = number.re;
  } else if (type == CW_FLOAT || type == CW_FLOAT_COMPLEX) {
    element.f[0] = (float)number.re;
    element.f[1] = (float)number.im;
  } else {
    element.d[0] = (double)number.re;
    element.d[1] = (double)number.im;
  }
  memcpy((char *)numbers + i * model_element(type), &element, model_element(type));
}

static long combine(cw_reduction reduction, long a, long b)
{
  switch (reduction) {
  case CW_SUM:
    return a + b;
  case CW_PRODUCT:
    return a * b;
  case CW_MINIMUM:
  case CW_ABSOLUTE_MINIMUM:
    return a < b ? a : b;
  case CW_MAXIMUM:
  case CW_ABSOLUTE_MAXIMUM:
    return a > b ? a : b;
  case CW_LOGICAL_AND:
  case CW_BIT_AND:
    return a & b;
  case CW_BIT_XOR:
    return a ^ b;
  default:
    return a | b;
  }
}

static struct number prepared(cw_reduction reduction, struct number number)
{
  if (reduction == CW_ABSOLUTE_MINIMUM || reduction == CW_ABSOLUTE_MAXIMUM)
    number.re = labs(number.re);
  if (reduction == CW_LOGICAL_AND || reduction == CW_LOGICAL_OR)
    number.re = number.re != 0;
  return number;
}

void model_fill(cw_type type, int process, int round, size_t count, void *numbers)
{
  for (size_t i = 0; i < count; i++)
    write_number(type, numbers, i, input(type, process, round, i));
}

void model_clean(cw_type type, size_t count, void *numbers)
{
  const size_t bytes = count * model_element(type);
  const size_t real = type == CW_FLOAT || type == CW_FLOAT_COMPLEX ? sizeof(float) : sizeof(double);
  static const char minus_zero[2][8] = {{0, 0, 0, (char)0x80}, {0, 0, 0, 0, 0, 0, 0, (char)0x80}};
  for (size_t at = 0; at + real <= bytes && !is_integer(type); at += real)
    if (memcmp((char *)numbers + at, minus_zero[real == sizeof(double)], real) == 0)
      memset((char *)numbers + at, 0, real);
}

void model_reduce(cw_team team, cw_type type, cw_reduction reduction, int round, size_t count,
                  void *numbers)
{
  for (size_t i = 0; i < count; i++) {
    struct number all = prepared(reduction, input(type, cw_team_process(team, 0), round, i));
    for (int rank = 1; rank < cw_team_size(team); rank++) {
      const struct number next =
          prepared(reduction, input(type, cw_team_process(team, rank), round, i));
      const struct number before = all;
      all.re = combine(reduction, before.re, next.re);
      all.im = before.im + next.im;
      if (is_complex(type) && reduction == CW_PRODUCT) {
        all.re = before.re * next.re - before.im * next.im;
        all.im = before.re * next.im + before.im * next.re;
      }
    }
    write_number(type, numbers, i, all);
  }
}

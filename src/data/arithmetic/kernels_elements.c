/* Kernels that move elements of any size: fill, copy, and copy across. */
#include "arithmetic/kernels.h"

#include "arithmetic/elements.h"
#include "base/clones.h"
#include "base/copy.h"
#include "base/rows.h"

#include <string.h>

/* Rows of one element after the other are a loop of their own, which the compiler vectorises. */
#define FILL(name, type)                                                                           \
  CWI_CLONES static void fill_##name(const struct cwi_rows *rows, const void *value)               \
  {                                                                                                \
    type x;                                                                                        \
    memcpy(&x, value, sizeof x);                                                                   \
    for (size_t r = 0; r < rows->rows; r++) {                                                      \
      char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0];                                       \
      const size_t count = rows->count; /* or it would be read again after each store */           \
      if (rows->step[0] == (ptrdiff_t)sizeof x)                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
          ((type *)(void *)to)[i] = x;                                                             \
      else                                                                                         \
        for (size_t i = 0; i < count; i++, to += rows->step[0])                                    \
          *(type *)(void *)to = x;                                                                 \
    }                                                                                              \
  }

FILL(4, any4)
FILL(8, any8)
FILL(16, any16)

/* All bytes of an element are the same. */
static bool is_even(const char *value, size_t element)
{
  return element == 1 || memcmp(value, value + 1, element - 1) == 0;
}

static void fill_with_byte(const struct cwi_rows *rows, int byte, size_t element)
{
  for (size_t r = 0; r < rows->rows; r++)
    memset(rows->at[0] + (ptrdiff_t)r * rows->leap[0], byte, rows->count * element);
}

static void fill_bytes(const struct cwi_rows *rows, const char *value, size_t element)
{
  for (size_t r = 0; r < rows->rows; r++) {
    char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0];
    for (size_t i = 0; i < rows->count; i++, to += rows->step[0])
      memcpy(to, value, element);
  }
}

static void zero_bytes(const struct cwi_rows *rows, size_t element)
{
  for (size_t r = 0; r < rows->rows; r++) {
    char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0];
    for (size_t i = 0; i < rows->count; i++, to += rows->step[0])
      memset(to, 0, element);
  }
}

void cwi_kernel_fill(const struct cwi_rows *rows, struct cwi_working *working)
{
  static const char zero[16];
  const char *value = working->value;
  const bool dense = rows->step[0] == (ptrdiff_t)working->element;
  if (dense && (value == NULL || is_even(value, working->element))) {
    fill_with_byte(rows, value != NULL ? value[0] : 0, working->element);
    return;
  }
  if (value == NULL && working->element > sizeof zero) {
    zero_bytes(rows, working->element);
    return;
  }
  if (value == NULL)
    value = zero;
  switch (working->element) {
  case 4:
    fill_4(rows, value);
    return;
  case 8:
    fill_8(rows, value);
    return;
  case 16:
    fill_16(rows, value);
    return;
  default:
    fill_bytes(rows, value, working->element);
  }
}

/* A row of the target is a column of the source: a square of one line of the cache each way, read
 * and written while it is there. What is left at the edges goes element by element. */
#define ACROSS(name, type)                                                                         \
  static void copy_elements_##name(const struct cwi_rows *rows, size_t r, size_t first,            \
                                   size_t count)                                                   \
  {                                                                                                \
    char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0] + (ptrdiff_t)first * rows->step[0];      \
    const char *from =                                                                             \
        rows->at[1] + (ptrdiff_t)r * rows->leap[1] + (ptrdiff_t)first * rows->step[1];             \
    for (size_t i = 0; i < count; i++, to += rows->step[0], from += rows->step[1])                 \
      *(type *)(void *)to = *(const type *)(const void *)from;                                     \
  }                                                                                                \
                                                                                                   \
  CWI_CLONES static void copy_across_##name(const struct cwi_rows *given)                          \
  {                                                                                                \
    const struct cwi_rows own = *given, *const rows = &own; /* which stores do not change */       \
    enum { SIDE = 64 / sizeof(type) };                                                             \
    const size_t whole_rows = rows->rows - rows->rows % SIDE;                                      \
    const size_t whole = rows->count - rows->count % SIDE;                                         \
    for (size_t r = 0; r < whole_rows; r += SIDE) {                                                \
      for (size_t i = 0; i < whole; i += SIDE) {                                                   \
        char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0] + (ptrdiff_t)(i * sizeof(type));     \
        const char *from =                                                                         \
            rows->at[1] + (ptrdiff_t)(r * sizeof(type)) + (ptrdiff_t)i * rows->step[1];            \
        for (size_t x = 0; x < SIDE; x++)                                                          \
          for (size_t y = 0; y < SIDE; y++)                                                        \
            ((type *)(void *)(to + (ptrdiff_t)y * rows->leap[0]))[x] =                             \
                ((const type *)(const void *)(from + (ptrdiff_t)x * rows->step[1]))[y];            \
      }                                                                                            \
      for (size_t y = 0; y < SIDE; y++)                                                            \
        copy_elements_##name(rows, r + y, whole, rows->count - whole);                             \
    }                                                                                              \
    for (size_t r = whole_rows; r < rows->rows; r++)                                               \
      copy_elements_##name(rows, r, 0, rows->count);                                               \
  }                                                                                                \
                                                                                                   \
  static void copy_##name(const struct cwi_rows *rows)                                             \
  {                                                                                                \
    const ptrdiff_t size = (ptrdiff_t)sizeof(type);                                                \
    if (rows->step[0] == size && rows->leap[1] == size) {                                          \
      copy_across_##name(rows);                                                                    \
      return;                                                                                      \
    }                                                                                              \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      copy_elements_##name(rows, r, 0, rows->count);                                               \
  }

ACROSS(4, any4)
ACROSS(8, any8)
ACROSS(16, any16)

static void copy_bytes(const struct cwi_rows *rows, size_t element)
{
  for (size_t r = 0; r < rows->rows; r++) {
    char *to = rows->at[0] + (ptrdiff_t)r * rows->leap[0];
    const char *from = rows->at[1] + (ptrdiff_t)r * rows->leap[1];
    for (size_t i = 0; i < rows->count; i++, to += rows->step[0], from += rows->step[1])
      memcpy(to, from, element);
  }
}

void cwi_kernel_copy(const struct cwi_rows *rows, struct cwi_working *working)
{
  const ptrdiff_t element = (ptrdiff_t)working->element;
  if (rows->step[0] == element && rows->step[1] == element) {
    cwi_copy_rows(rows->at[0], rows->leap[0], rows->at[1], rows->leap[1],
                  rows->count * working->element, rows->rows);
    return;
  }
  switch (working->element) {
  case 4:
    copy_4(rows);
    return;
  case 8:
    copy_8(rows);
    return;
  case 16:
    copy_16(rows);
    return;
  default:
    copy_bytes(rows, working->element);
  }
}

/* Kernels that move elements of any size: fill, copy, and transposed copy. */
#include "array_kernels/kernels_table.h"

#include "array_kernels/opaque_elements.h"
#include "machine/clones.h"
#include "machine/rows.h"

#include <string.h>

/* Names a function of one element type. */
#define OF(name) CWI_KERNEL_OF(name, ELEMENT)

#define ELEMENT opaque4
#include "array_kernels/kernels_of_element.inc"

#define ELEMENT opaque8
#include "array_kernels/kernels_of_element.inc"

#define ELEMENT opaque16
#include "array_kernels/kernels_of_element.inc"

/* Returns true if all bytes of an element are equal. */
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
    fill_opaque4(rows, value);
    return;
  case 8:
    fill_opaque8(rows, value);
    return;
  case 16:
    fill_opaque16(rows, value);
    return;
  default:
    fill_bytes(rows, value, working->element);
  }
}

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
    copy_opaque4(rows);
    return;
  case 8:
    copy_opaque8(rows);
    return;
  case 16:
    copy_opaque16(rows);
    return;
  default:
    copy_bytes(rows, working->element);
  }
}

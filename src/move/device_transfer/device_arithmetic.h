/* Operations on array data in this process's slices, by the library's own kernels. They are
 * complete on return. */
#pragma once

#include "device/backend.h"
#include "transfer/shape.h"

/* Returns true if the address belongs to a slice of this process. Does not check the slice's size.
 */
bool cwi_device_has(const void *address);

enum cwi_device_work_kind {
  CWI_DEVICE_FILL,    /* to = a */
  CWI_DEVICE_SCALE,   /* to = a to */
  CWI_DEVICE_SCALED,  /* to = a from */
  CWI_DEVICE_ADD,     /* to = to + a from */
  CWI_DEVICE_COMBINE, /* to = a from + b to */
};

/* An operation on all elements of a shape. */
struct cwi_device_work {
  enum cwi_device_work_kind kind;
  cw_type type;      /* an arithmetic type; unused by fill */
  size_t element;    /* for fill only: number of bytes of a: 1, 2, 4, 8 or 16 */
  const void *a, *b; /* a is NULL to fill with zero bytes */
  struct cwi_shape
      shape; /* shape.remote is `to`; shape.local is `from`, which fill and scale do not use. Both
                are in slices on one device. They are either the same elements or do not overlap */
};

/* Does the work. The caller guarantees that the slices are not freed meanwhile. No cwi_device_use
 * is needed, because the work is not a request from another process. Errors: CW_MISUSE (not in this
 * process's slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_work(const struct cwi_device_work *work);

/* Computes the sum of to * from over all elements, without conjugation. Adds it to *whole for
 * integers, and to real[0] and real[1] (the real and the imaginary part) for other types. */
CWI_CHECKED cw_error cwi_device_dot(cw_type type, const struct cwi_shape *shape, uint64_t *whole,
                                    double real[2]);

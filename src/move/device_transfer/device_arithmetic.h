/* Work on slices of mine by the library's own kernels: for arrays. All is done on return. */
#ifndef CWI_DEVICE_TRANSFER_DEVICE_ARITHMETIC_H
#define CWI_DEVICE_TRANSFER_DEVICE_ARITHMETIC_H

#include "device/backend.h"
#include "transfer/shape.h"

/* Does a slice of mine hold the address? */
bool cwi_device_has(const void *address);

enum cwi_device_work_kind {
  CWI_DEVICE_FILL,    /* to = a */
  CWI_DEVICE_SCALE,   /* to = a to */
  CWI_DEVICE_SCALED,  /* to = a from */
  CWI_DEVICE_ADD,     /* to = to + a from */
  CWI_DEVICE_COMBINE, /* to = a from + b to */
};

struct cwi_device_work {
  enum cwi_device_work_kind kind;
  cw_type type;           /* that has arithmetic; not of fill */
  size_t element;         /* fill: bytes of a: 1, 2, 4, 8 or 16 */
  const void *a, *b;      /* a NULL: of fill zero bytes */
  struct cwi_shape shape; /* shape.remote: to; shape.local: from, unless it is fill or scale. Both
                          lie in slices on one device; their elements are the same, or apart */
};

/* Slices are the caller's: no other process asks for this, so that they need no guard against being
 * freed meanwhile. Errors: CW_MISUSE (not in slices of mine), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_work(const struct cwi_device_work *work);

/* Add the sum of to * from, without conjugation: of integers to *whole, else to the two parts. */
CWI_CHECKED cw_error cwi_device_dot(cw_type type, const struct cwi_shape *shape, uint64_t *whole,
                                    double real[2]);
#endif

/* Inner loops: scaled sums and scaled numbers. */
#pragma once

#include "number/number_type.h"

/* Name of a type's kernel, in a file that is included once for each type. */
#define CWI_KERNEL_NAME(name, type) name##_##type
#define CWI_KERNEL_OF(name, type) CWI_KERNEL_NAME(name, type)

/* One element of any type. */
union cwi_scalar {
  int i;
  long l;
  long long ll;
  float f[2];
  double d[2];
  int64_t i64;
  unsigned char bytes[16];
};

/* Type of kernels over rows of `run` bytes of one element type, such as to[i] += scale * from[i].
 * Rows of `to` and `from` overlap completely or not at all. Not atomic: the caller holds the
 * stripe. */
typedef void (*cwi_accumulate_kernel)(char *to, ptrdiff_t to_stride, const char *from,
                                      ptrdiff_t from_stride, size_t run, size_t rows,
                                      const union cwi_scalar *scale);
/* The kernels of to[i] += scale * from[i], by type. Those of [type][false] add from[i] alone and do
 * not read `scale`. */
extern const cwi_accumulate_kernel cwi_accumulate_kernels[CW_TYPES][2];

/* Kernels by type, NULL if the type has no such operation. cwi_scale_kernels set to[i] to scale *
 * from[i]. cwi_absolute_kernels set it to the absolute value of from[i]. cwi_truth_kernels set it
 * to 1 if from[i] is not 0, else to 0. */
extern const cwi_accumulate_kernel cwi_scale_kernels[CW_TYPES], cwi_absolute_kernels[CW_TYPES],
    cwi_truth_kernels[CW_TYPES];

/* Applies a kernel to one row of `bytes` bytes. */
static inline void cwi_combine(cwi_accumulate_kernel kernel, void *to, const void *from,
                               size_t bytes)
{
  kernel((char *)to, 0, (const char *)from, 0, bytes, 1, NULL);
}

/* Copies the scale factor. Returns false if it is 1 or NULL and need not be applied. */
bool cwi_scale_read(cw_type type, const void *scale, union cwi_scalar *value);

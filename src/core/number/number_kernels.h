/* Inner loops: sums of scaled numbers, and numbers that are scaled. */
#ifndef CWI_NUMBER_NUMBER_KERNELS_H
#define CWI_NUMBER_NUMBER_KERNELS_H

#include "number/number_type.h"

/* The name of a type's kernel, in a file that is included for each type. */
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

/* to[i] += scale * from[i] over rows of `run` bytes of the kernel's type. Rows overlap completely
 * or not at all. No atomicity: the caller holds the stripe. */
typedef void (*cwi_accumulate_kernel)(char *to, ptrdiff_t to_stride, const char *from,
                                      ptrdiff_t from_stride, size_t run, size_t rows,
                                      const union cwi_scalar *scale);
/* [type][scaled]: without scaling `scale` is not looked at. */
extern const cwi_accumulate_kernel cwi_accumulate_kernels[CW_TYPES][2];

/* to[i] = scale * from[i], the absolute value of from[i], whether it is not 0; NULL: the type has
 * no such thing. */
extern const cwi_accumulate_kernel cwi_scale_kernels[CW_TYPES], cwi_absolute_kernels[CW_TYPES],
    cwi_truth_kernels[CW_TYPES];

/* By a kernel, whole elements. */
static inline void cwi_combine(cwi_accumulate_kernel kernel, void *to, const void *from,
                               size_t bytes)
{
  kernel((char *)to, 0, (const char *)from, 0, bytes, 1, NULL);
}

/* Copy the scale factor; false when it is 1 and need not be applied. */
bool cwi_scale_read(cw_type type, const void *scale, union cwi_scalar *value);
#endif

/* Inner loops: copy and accumulate planes, pack and unpack. */
#ifndef CWI_TRANSFER_KERNELS_H
#define CWI_TRANSFER_KERNELS_H

#include "transfer/shape.h"

#include <causeway/transfer.h>

#include <assert.h>
#include <float.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows from one place to another; each row as memmove. */
void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows);

/* The local side of a shape <-> a contiguous buffer of shape->bytes bytes. */
void cwi_pack_local(const struct cwi_shape *shape, char *buffer);
void cwi_unpack_local(const struct cwi_shape *shape, const char *buffer);

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

/* to[i] = scale * from[i] over `bytes` bytes. */
typedef void (*cwi_scale_kernel)(char *to, const char *from, size_t bytes,
                                 const union cwi_scalar *scale);
extern const cwi_scale_kernel cwi_scale_kernels[CW_TYPES];

/* Bytes of an element, and of the real number it is made of. 0: there is no such type. */
enum { CWI_TYPES = CW_UINT64 + 1 };
extern const size_t cwi_type_bytes[CWI_TYPES];
extern const size_t cwi_type_atom[CWI_TYPES];
extern const char *const cwi_type_names[CWI_TYPES];

/* The type whose arithmetic this one has: integers of 32 and 64 bits are int and long by another
 * name. */
static inline cw_type cwi_arithmetic_type(cw_type type)
{
  static_assert(sizeof(int) == sizeof(int32_t) && sizeof(long) == sizeof(int64_t), "LP64");
  return type == CW_INT32 ? CW_INT : type == CW_INT64 ? CW_LONG : type;
}

/* A factor that need not be applied. */
static inline bool cwi_is_one(double factor)
{
  return fabs(factor - 1.0) <= DBL_EPSILON;
}

/* Copy the scale factor; false when it is 1 and need not be applied. */
bool cwi_scale_read(cw_type type, const void *scale, union cwi_scalar *value);

#ifdef __cplusplus
}
#endif
#endif

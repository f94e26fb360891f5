/* The library's own kernels: library_kernels.cl for OpenCL, library_kernels.ptx for CUDA,
 * kernels_host.c for the host. This header lists them and prepares their launches for a shape.
 *
 * Kernels receive whole memories and offsets, so that the data needs no alignment. */
#ifndef CWI_DEVICE_LIBRARY_KERNELS_H
#define CWI_DEVICE_LIBRARY_KERNELS_H

#include "device/backend.h"
#include "number/number_kernels.h"

#include <causeway/device.h>

/* Numbers that kernels update or multiply: integers by their width; C32 and C64 are complex. Each
 * entry has the name, the type in library_kernels.cl, its bytes and the alignment that it needs.
 * Kernels of F64 and C64, and products that are summed up as doubles, exist only on devices with
 * double precision. */
#define CWI_UPDATE_KERNELS(KERNEL)                                                                 \
  KERNEL(U8, u8, 1, 1)                                                                             \
  KERNEL(U16, u16, 2, 2)                                                                           \
  KERNEL(U32, u32, 4, 4)                                                                           \
  KERNEL(U64, u64, 8, 8)                                                                           \
  KERNEL(F32, f32, 4, 4)                                                                           \
  KERNEL(F64, f64, 8, 8)                                                                           \
  KERNEL(C32, c32, 8, 4)                                                                           \
  KERNEL(C64, c64, 16, 8)
#define CWI_DOT_KERNELS(KERNEL)                                                                    \
  KERNEL(U32, u32, 4, 4)                                                                           \
  KERNEL(U64, u64, 8, 8)                                                                           \
  KERNEL(F32, f32, 4, 4)                                                                           \
  KERNEL(F64, f64, 8, 8)                                                                           \
  KERNEL(C32, c32, 8, 4)                                                                           \
  KERNEL(C64, c64, 16, 8)

#define CWI_UPDATE_KERNEL(number, ...) CWI_KERNEL_UPDATE_##number,
#define CWI_DOT_KERNEL(number, ...) CWI_KERNEL_DOT_##number,
enum cwi_kernel_number {
  CWI_KERNEL_MOVE,
  CWI_UPDATE_KERNELS(CWI_UPDATE_KERNEL) CWI_DOT_KERNELS(CWI_DOT_KERNEL) CWI_KERNELS
};

/* The program of all kernels, and the names of the kernels. */
extern const cw_kernel_source cwi_kernels_source;
extern const char *const cwi_kernel_names[CWI_KERNELS];

/* --- Arguments of a launch -------------------------------------------------------------------- */

/* One side of a shape; library_kernels.cl declares the same struct. Rows begin at offset + plane +
 * row * stride or, if listed, at offset + table[entry + row]. */
struct cwi_kernel_side {
  int64_t offset, row;
  int64_t planes[CW_MAX_LEVELS - 1]; /* strides of the levels above the rows */
  uint64_t listed, entry;
};

/* The shape that a launch processes; library_kernels.cl declares the same struct. */
struct cwi_kernel_shape {
  uint64_t units, rows, planes; /* units of a row, rows of a plane */
  uint64_t unit;                /* bytes */
  uint64_t spans[2];            /* units and rows that a work item processes at a time */
  uint64_t aligned; /* elements are aligned to their size or, if complex, to half of it */
  uint64_t levels;  /* above the rows */
  uint64_t counts[CW_MAX_LEVELS - 1];
  uint64_t ragged, lengths; /* row i has table[lengths + i] bytes; units: of the longest row */
  struct cwi_kernel_side to, from;
};

/* Operations of updates in addition to the reductions, which keep their own numbers. y is the
 * element in memory. */
enum cwi_kernel_operation {
  CWI_SIGNED_MINIMUM = 32,
  CWI_SIGNED_MAXIMUM = 33,
  CWI_SCALED_SUM = 34, /* y + a x */
  CWI_SCALED = 35,     /* a x */
  CWI_SCALE = 36,      /* a y */
  CWI_FILL = 37,       /* a */
  CWI_COMBINE = 38     /* a x + b y */
};

/* A launch. It points into its own record and so must not be copied. launch.kernel is NULL
 * until the caller has looked up `kernel`. */
struct cwi_kernel_call {
  enum cwi_kernel_number kernel;
  struct cwi_device_launch launch;
  struct cwi_device_argument arguments[7];
  struct cwi_kernel_shape shape;
  union cwi_scalar a, b;
  int32_t operation;
  uint64_t sums; /* words before the sums of a dot product in their memory */
};

/* --- Description of the work ------------------------------------------------------------------ */

/* Position of the rows in a memory. */
struct cwi_kernel_place {
  void *memory;
  size_t offset;
  const ptrdiff_t *strides; /* [levels]; NULL if rows are contiguous or listed */
  bool listed;              /* row i begins at offset + table[entry + i] */
  size_t entry, alignment;  /* a power of 2 that divides all listed offsets */
};

/* Rows of `run` bytes, with `counts` of them in each of `levels` levels. Lists have one level. No
 * count is 0. */
struct cwi_kernel_work {
  size_t run;
  int levels;
  const size_t *counts;
  struct cwi_kernel_place to, from; /* from.memory is NULL for fill and scale */
  void *table;                      /* memory with the lists, as uint64_t; NULL if there are none */
  bool ragged;           /* for lists, on all sides: row i has table[lengths + i] bytes */
  size_t lengths, grain; /* grain: a power of 2 that divides all lengths */
  bool overlaps;         /* rows of `to` overlap: one work item processes all of them in order */
  bool processor;        /* the device has few cores, for which long loops are faster */
};

/* Returns the greatest power of 2, up to 16, that divides all offsets of a list. */
size_t cwi_launch_list_alignment(const uint64_t *offsets, size_t count);

/* Prepares to = from, by bytes. If one side is packed, that packs or unpacks. The sides do not
 * overlap. */
void cwi_launch_move(const struct cwi_kernel_work *work, struct cwi_kernel_call *call);

/* Prepares to = to op from. scale: a factor for CW_SUM, or NULL. The pair of type and reduction is
 * defined (number/atomic_update.h), and the reduction is not CW_NO_OP. */
void cwi_launch_accumulate(const struct cwi_kernel_work *work, cw_type type, cw_reduction reduction,
                           const void *scale, struct cwi_kernel_call *call);

/* Prepare updates of arithmetic types: cwi_launch_fill to = value, which has 1, 2, 4, 8 or 16
 * bytes; cwi_launch_scale to = factor * to; cwi_launch_combine to = a * from + b * to or, if b is
 * NULL, a * from. */
void cwi_launch_fill(const struct cwi_kernel_work *work, size_t bytes, const void *value,
                     struct cwi_kernel_call *call);
void cwi_launch_scale(const struct cwi_kernel_work *work, cw_type type, const void *factor,
                      struct cwi_kernel_call *call);
void cwi_launch_combine(const struct cwi_kernel_work *work, cw_type type, const void *a,
                        const void *b, struct cwi_kernel_call *call);

/* Prepares the sums of to * from, without conjugation. Each work item stores 16 bytes in sums +
 * offset, where offset is a multiple of 8. Returns the number of bytes, at most CWI_DOT_BYTES. The
 * same launch gives the same sums. */
enum { CWI_DOT_ITEMS = 8192, CWI_DOT_BYTES = 16 * CWI_DOT_ITEMS };
size_t cwi_launch_dot(const struct cwi_kernel_work *work, cw_type type, void *sums, size_t offset,
                      struct cwi_kernel_call *call);

/* Adds these sums to an integer, or to a number with a real and an imaginary part. */
void cwi_launch_dot_add(cw_type type, const void *sums, size_t bytes, uint64_t *whole,
                        double real[2]);
#endif

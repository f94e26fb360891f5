/* The library's own kernels: library_kernels.cl for OpenCL, library_kernels.ptx for CUDA,
 * kernels_host.c for the host. This header lists them and prepares their launches for a shape.
 *
 * Kernels receive whole memories and offsets in them, so that the data need not be aligned. */
#pragma once

#include "device/backend.h"
#include "number/number_kernels.h"

#include <causeway/device.h>

/* Types of numbers that kernels update or multiply. Integers are named by their width; C32 and C64
 * are complex. Each entry has the name, the type in library_kernels.cl, its size and its alignment
 * in bytes. Kernels for F64 and C64, and dot products with sums of type double, exist only on
 * devices with double precision. */
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

/* One side of a shape. library_kernels.cl declares the same struct. A row begins at offset + plane
 * + row * stride or, if listed, at offset + table[entry + row]. */
struct cwi_kernel_side {
  int64_t offset, row;
  int64_t planes[CW_MAX_LEVELS - 1]; /* strides of the levels above the rows */
  uint64_t listed, entry;
};

/* The shape that a launch processes. library_kernels.cl declares the same struct. */
struct cwi_kernel_shape {
  uint64_t units, rows, planes; /* numbers of units in a row, of rows in a plane, and of planes */
  uint64_t unit;                /* size of a unit in bytes */
  uint64_t spans[2];            /* numbers of units and rows that a work item processes at a time */
  uint64_t aligned; /* elements are aligned to their size or, if complex, to half of it */
  uint64_t levels;  /* number of levels above the rows */
  uint64_t counts[CW_MAX_LEVELS - 1];
  uint64_t ragged, lengths; /* if ragged, row i has table[lengths + i] bytes, and `units` is that of
                               the longest row */
  struct cwi_kernel_side to, from;
};

/* Operations of updates in addition to the reductions, which keep their own numbers. Here y is the
 * element in memory and x the element that is read. */
enum cwi_kernel_operation {
  CWI_SIGNED_MINIMUM = 32,
  CWI_SIGNED_MAXIMUM = 33,
  CWI_SCALED_SUM = 34, /* y + a x */
  CWI_SCALED = 35,     /* a x */
  CWI_SCALE = 36,      /* a y */
  CWI_FILL = 37,       /* a */
  CWI_COMBINE = 38     /* a x + b y */
};

/* A launch. It contains pointers to itself and so must not be copied. launch.kernel is NULL until
 * the caller has looked up `kernel`. */
struct cwi_kernel_call {
  enum cwi_kernel_number kernel;
  struct cwi_device_launch launch;
  struct cwi_device_argument arguments[7];
  struct cwi_kernel_shape shape;
  union cwi_scalar a, b;
  int32_t operation;
  uint64_t sums; /* offset of the sums of a dot product in their memory, in words of 8 bytes */
};

/* --- Description of the work ------------------------------------------------------------------ */

/* Position of the rows in a memory. `entry` and `alignment` are used only if the rows are listed.
 */
struct cwi_kernel_place {
  void *memory;
  size_t offset;
  const ptrdiff_t *strides; /* [levels]; NULL if rows are contiguous or listed */
  bool listed;              /* row i begins at offset + table[entry + i] */
  size_t entry, alignment;  /* alignment: a power of 2 that divides all listed offsets */
};

/* Rows of `run` bytes in `levels` levels. counts[0] is the number of rows in a plane; counts[i] is
 * the number of times that level i - 1 is repeated. No count is 0. Lists have one level. */
struct cwi_kernel_work {
  size_t run;
  int levels;
  const size_t *counts;
  struct cwi_kernel_place to, from; /* from.memory is NULL for fill and scale */
  void *table;           /* memory with the tables of lists, as uint64_t; NULL if there are none */
  bool ragged;           /* for lists: row i has table[lengths + i] bytes on both sides */
  size_t lengths, grain; /* grain: a power of 2 that divides all lengths */
  bool overlaps;         /* rows of `to` overlap, so one work item processes all rows in order */
  bool processor; /* the device is a processor, where few work items with long loops are faster */
};

/* Returns the greatest power of 2, up to 16, that divides all offsets of a list. */
size_t cwi_launch_list_alignment(const uint64_t *offsets, size_t count);

/* Prepares a copy of bytes, to = from. If one side is contiguous, the copy packs or unpacks data.
 * The sides do not overlap. */
void cwi_launch_move(const struct cwi_kernel_work *work, struct cwi_kernel_call *call);

/* Prepares to = to op from. `scale` is a factor for CW_SUM, or NULL. The reduction must be defined
 * for the type (number/atomic_update.h) and must not be CW_NO_OP. */
void cwi_launch_accumulate(const struct cwi_kernel_work *work, cw_type type, cw_reduction reduction,
                           const void *scale, struct cwi_kernel_call *call);

/* Prepare updates of arithmetic types. cwi_launch_fill prepares to = value; the value has 1, 2, 4,
 * 8 or 16 bytes. cwi_launch_scale prepares to = factor * to. cwi_launch_combine prepares to = a *
 * from + b * to, or to = a * from if b is NULL. */
void cwi_launch_fill(const struct cwi_kernel_work *work, size_t bytes, const void *value,
                     struct cwi_kernel_call *call);
void cwi_launch_scale(const struct cwi_kernel_work *work, cw_type type, const void *factor,
                      struct cwi_kernel_call *call);
void cwi_launch_combine(const struct cwi_kernel_work *work, cw_type type, const void *a,
                        const void *b, struct cwi_kernel_call *call);

/* Prepares the sums of to * from, without conjugation. Each work item stores a partial sum of 16
 * bytes in the memory `sums`, beginning at `offset`, which is a multiple of 8. Returns the number
 * of bytes of all partial sums, at most CWI_DOT_BYTES. Repeated launches give the same sums. */
enum { CWI_DOT_ITEMS = 8192, CWI_DOT_BYTES = 16 * CWI_DOT_ITEMS };
size_t cwi_launch_dot(const struct cwi_kernel_work *work, cw_type type, void *sums, size_t offset,
                      struct cwi_kernel_call *call);

/* Adds these sums to *whole for an integer type, otherwise to real[0] and real[1]. */
void cwi_launch_dot_add(cw_type type, const void *sums, size_t bytes, uint64_t *whole,
                        double real[2]);

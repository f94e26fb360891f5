/* The library's own kernels: library_kernels.cl for OpenCL, library_kernels.ptx for CUDA,
 * kernels_host.c for the host. Here: which there are, and launches of them for a shape.
 *
 * Kernels get whole memories with offsets, so that places in them need no alignment. */
#ifndef CWI_DEVICE_LIBRARY_KERNELS_H
#define CWI_DEVICE_LIBRARY_KERNELS_H

#include "device/backend.h"
#include "number/number_kernels.h"

#include <causeway/device.h>

enum cwi_kernel_number {
  CWI_KERNEL_MOVE,
  CWI_KERNEL_UPDATE_U8, /* integers by their width */
  CWI_KERNEL_UPDATE_U16,
  CWI_KERNEL_UPDATE_U32,
  CWI_KERNEL_UPDATE_U64,
  CWI_KERNEL_UPDATE_F32,
  CWI_KERNEL_UPDATE_C32, /* two f32 */
  CWI_KERNEL_DOT_U32,
  CWI_KERNEL_DOT_U64,
  CWI_KERNEL_UPDATE_F64, /* from here on: not on devices that have no double */
  CWI_KERNEL_UPDATE_C64,
  CWI_KERNEL_DOT_F32,
  CWI_KERNEL_DOT_F64,
  CWI_KERNEL_DOT_C32,
  CWI_KERNEL_DOT_C64,
  CWI_KERNELS
};

/* One program; its kernels' names. */
extern const cw_kernel_source cwi_kernels_source;
extern const char *const cwi_kernel_names[CWI_KERNELS];

/* --- What a launch gets ----------------------------------------------------------------------- */

/* One side of a shape, as library_kernels.cl knows it. Rows begin at offset + plane + row * stride,
 * or at offset + table[entry + row]. */
struct cwi_kernel_side {
  int64_t offset, row;
  int64_t planes[CW_MAX_LEVELS - 1]; /* strides of the levels above the rows */
  uint64_t listed, entry;
};

struct cwi_kernel_shape {
  uint64_t units, rows, planes; /* units of a row, rows of a plane */
  uint64_t unit;                /* bytes */
  uint64_t spans[2];            /* units and rows that an item takes at a time */
  uint64_t aligned;             /* elements are, to their size, or to a complex number's half */
  uint64_t levels;              /* above the rows */
  uint64_t counts[CW_MAX_LEVELS - 1];
  uint64_t ragged,
      lengths; /* row i has table[lengths + i] bytes, and units is that of the longest */
  struct cwi_kernel_side to, from;
};

/* What an update does beside the reductions, which have their own numbers. y: what is there. */
enum cwi_kernel_operation {
  CWI_SIGNED_MINIMUM = 32,
  CWI_SIGNED_MAXIMUM = 33,
  CWI_SCALED_SUM = 34, /* y + a x */
  CWI_SCALED = 35,     /* a x */
  CWI_SCALE = 36,      /* a y */
  CWI_FILL = 37,       /* a */
  CWI_COMBINE = 38     /* a x + b y */
};

/* A launch, which points into its own record: it is not copied, and `kernel` is looked up by who
 * launches (launch.kernel is NULL). */
struct cwi_kernel_call {
  enum cwi_kernel_number kernel;
  struct cwi_device_launch launch;
  struct cwi_device_argument arguments[7];
  struct cwi_kernel_shape shape;
  union cwi_scalar a, b;
  int32_t operation;
  uint64_t sums; /* words before the sums of a dot product */
};

/* --- What work is to be done ------------------------------------------------------------------ */

/* Where rows lie in a memory. */
struct cwi_kernel_place {
  void *memory;
  size_t offset;
  const ptrdiff_t *strides; /* [levels]; NULL: one behind the other, or listed */
  bool listed;              /* row i begins at offset + table[entry + i], which is a multiple of */
  size_t entry, alignment;  /* this power of 2 (cwi_launch_list_alignment) */
};

/* Rows of `run` bytes, in each of `levels` levels so many; lists have one level. None is 0. */
struct cwi_kernel_work {
  size_t run;
  int levels;
  const size_t *counts;
  struct cwi_kernel_place to, from; /* from.memory NULL: there is none, of `fill` and `scale` */
  void *table;                      /* memory that holds the lists, uint64_t; NULL: none */
  bool ragged;           /* of lists, on all sides: row i has table[lengths + i] bytes, */
  size_t lengths, grain; /* multiples of this power of 2; run: of the longest */
  bool overlaps;         /* rows of `to` do: one item does all, one after the other */
  bool processor;        /* the device has few cores, which like long loops */
};

/* The greatest power of 2, up to 16, of which all offsets of a list are multiples. */
size_t cwi_launch_list_alignment(const uint64_t *offsets, size_t count);

/* to = from, bytes. `packed` on one side: the other is packed, or unpacked. They do not overlap. */
void cwi_launch_move(const struct cwi_kernel_work *work, struct cwi_kernel_call *call);

/* to = to op from; scale: of CW_SUM, or NULL. The pair is defined (number/atomic_update.h), and not
 * CW_NO_OP. */
void cwi_launch_accumulate(const struct cwi_kernel_work *work, cw_type type, cw_reduction reduction,
                           const void *scale, struct cwi_kernel_call *call);

/* to = value, of 1, 2, 4, 8 or 16 bytes; to = factor to; to = a from + b to, or, where b is NULL,
 * a from. Of types that have arithmetic. */
void cwi_launch_fill(const struct cwi_kernel_work *work, size_t bytes, const void *value,
                     struct cwi_kernel_call *call);
void cwi_launch_scale(const struct cwi_kernel_work *work, cw_type type, const void *factor,
                      struct cwi_kernel_call *call);
void cwi_launch_combine(const struct cwi_kernel_work *work, cw_type type, const void *a,
                        const void *b, struct cwi_kernel_call *call);

/* The sums of to * from, without conjugation, 16 bytes from each item, to sums + offset: a multiple
 * of 8. Returns how many bytes: at most CWI_DOT_BYTES. The same launch gives the same sums. */
enum { CWI_DOT_ITEMS = 8192, CWI_DOT_BYTES = 16 * CWI_DOT_ITEMS };
size_t cwi_launch_dot(const struct cwi_kernel_work *work, cw_type type, void *sums, size_t offset,
                      struct cwi_kernel_call *call);

/* Add these sums to an integer, or to a number of two parts. */
void cwi_launch_dot_add(cw_type type, const void *sums, size_t bytes, uint64_t *whole,
                        double real[2]);
#endif

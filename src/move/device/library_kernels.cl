/* The library's own kernels, in a subset that OpenCL C and C share. kernels_host.c defines the macros in capitals and
 * includes this text; scripts/ptx.sh compiles it with clang to library_kernels.ptx, for CUDA. library_kernels.h
 * describes shapes and operations.
 *
 * A work item processes a part of the units of a row (dimension 0), of the rows (1) and of the planes (2). It then
 * advances by the number of work items in that dimension, so that any number of work items does all of the work. */

#ifndef WORDS
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;
typedef struct {
  float x, y;
} c32;
#define MEMORY global
#define PLACE(type) type
#define SPAN(part, all) (part)
#define ALIGNED(shape) ((shape)->aligned)
#ifdef __NVPTX__
#define ONE_DIMENSION(d)                                                                                               \
  ((u64)__nvvm_read_ptx_sreg_ctaid_##d() * __nvvm_read_ptx_sreg_ntid_##d() + __nvvm_read_ptx_sreg_tid_##d())
#define ALL_OF_DIMENSION(d) ((u64)__nvvm_read_ptx_sreg_nctaid_##d() * __nvvm_read_ptx_sreg_ntid_##d())
#define ITEM(d) (d == 0 ? ONE_DIMENSION(x) : d == 1 ? ONE_DIMENSION(y) : ONE_DIMENSION(z))
#define ITEMS(d) (d == 0 ? ALL_OF_DIMENSION(x) : d == 1 ? ALL_OF_DIMENSION(y) : ALL_OF_DIMENSION(z))
#define HAS_DOUBLE
#else
#define ITEM(d) get_global_id(d)
#define ITEMS(d) get_global_size(d)
#ifdef cl_khr_fp64
#define HAS_DOUBLE
#endif
#pragma OPENCL FP_CONTRACT OFF
#endif
#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
typedef struct {
  double x, y;
} c64;
#endif
#endif

enum { LEVELS = 7 };

/* struct cwi_kernel_side */
struct side {
  i64 offset;
  i64 row;
  i64 planes[LEVELS];
  u64 listed;
  u64 entry;
};

/* struct cwi_kernel_shape */
struct shape {
  u64 units, rows, planes;
  u64 unit;
  u64 spans[2];
  u64 aligned;
  u64 levels;
  u64 counts[LEVELS];
  u64 ragged, lengths;
  struct side to, from;
};

/* enum cwi_kernel_operation */
enum {
  SUM = 0,
  PRODUCT = 1,
  MINIMUM = 2,
  MAXIMUM = 3,
  LOGICAL_AND = 6,
  LOGICAL_OR = 7,
  BIT_AND = 8,
  BIT_OR = 9,
  BIT_XOR = 10,
  LOGICAL_XOR = 16,
  REPLACE = 17,
  SIGNED_MINIMUM = 32,
  SIGNED_MAXIMUM = 33,
  SCALED_SUM = 34,
  SCALED = 35,
  SCALE = 36,
  FILL = 37,
  COMBINE = 38,
  NOTHING = -1
};

static inline i64 plane_place(const struct shape *shape, const struct side *side, u64 plane)
{
  i64 place = side->offset;
  for (u64 level = 0; level < shape->levels; level++) {
    place += (i64)(plane % shape->counts[level]) * side->planes[level];
    plane /= shape->counts[level];
  }
  return place;
}

static inline i64 row_place(const struct side *side, const MEMORY u64 *table, i64 plane_at, u64 row)
{
  return plane_at + (side->listed ? (i64)table[side->entry + row] : (i64)row * side->row);
}

static inline u64 units_of(const struct shape *shape, const MEMORY u64 *table, u64 row)
{
  return shape->ragged ? table[shape->lengths + row] / shape->unit : shape->units;
}

#define END_OF(first, span, all) ((first) + (span) < (all) ? (first) + (span) : (all))

/* Does `action` for each part of a row: y_at and x_at are the beginnings of the row, and units first to end - 1 are
 * the part. */
#define EACH_PART(shape, table, action)                                                                                \
  do {                                                                                                                 \
    const u64 span1 = SPAN((shape)->spans[1], (shape)->rows);                                                          \
    for (u64 plane = ITEM(2); plane < (shape)->planes; plane += ITEMS(2)) {                                            \
      const i64 y_plane = plane_place(shape, &(shape)->to, plane);                                                     \
      const i64 x_plane = plane_place(shape, &(shape)->from, plane);                                                   \
      for (u64 row0 = ITEM(1) * span1; row0 < (shape)->rows; row0 += ITEMS(1) * span1)                                 \
        for (u64 row = row0; row < END_OF(row0, span1, (shape)->rows); row++) {                                        \
          const i64 y_at = row_place(&(shape)->to, table, y_plane, row);                                               \
          const i64 x_at = row_place(&(shape)->from, table, x_plane, row);                                             \
          const u64 units = units_of(shape, table, row);                                                               \
          const u64 span0 = SPAN((shape)->spans[0], units);                                                            \
          for (u64 first = ITEM(0) * span0; first < units; first += ITEMS(0) * span0) {                                \
            const u64 end = END_OF(first, span0, units);                                                               \
            action;                                                                                                    \
          }                                                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
  } while (0)

/* --- Copies of bytes: pack, unpack, copy ---------------------------------------------------------------------- */

#ifndef MOVE_UNITS
#define MOVE_AS(type)                                                                                                  \
  do {                                                                                                                 \
    MEMORY type *y = (MEMORY type *)(to + y_at);                                                                       \
    const MEMORY type *x = (const MEMORY type *)(from + x_at);                                                         \
    for (u64 i = first; i < end; i++)                                                                                  \
      y[i] = x[i];                                                                                                     \
  } while (0)
#define MOVE_UNITS(unit)                                                                                               \
  switch (unit) {                                                                                                      \
  case 16:                                                                                                             \
    MOVE_AS(uint4);                                                                                                    \
    break;                                                                                                             \
  case 8:                                                                                                              \
    MOVE_AS(u64);                                                                                                      \
    break;                                                                                                             \
  case 4:                                                                                                              \
    MOVE_AS(u32);                                                                                                      \
    break;                                                                                                             \
  case 2:                                                                                                              \
    MOVE_AS(u16);                                                                                                      \
    break;                                                                                                             \
  default:                                                                                                             \
    MOVE_AS(u8);                                                                                                       \
  }
#endif

kernel void cw_move(MEMORY u8 *to, const MEMORY u8 *from, const MEMORY u64 *table, const struct shape given)
{
  const struct shape *shape = &given;
  EACH_PART(shape, table, MOVE_UNITS(shape->unit));
}

/* --- Numbers: y = f(y, x) ------------------------------------------------------------------------------------- */

#define WHOLE(type, with_sign)                                                                                         \
  static inline type apply_##type(int operation, type y, type x, type a, type b)                                       \
  {                                                                                                                    \
    switch (operation) {                                                                                               \
    case SUM:                                                                                                          \
      return (type)(1U * y + x);                                                                                       \
    case SCALED_SUM:                                                                                                   \
      return (type)(y + 1U * a * x);                                                                                   \
    case SCALED:                                                                                                       \
      return (type)(1U * a * x);                                                                                       \
    case SCALE:                                                                                                        \
      return (type)(1U * a * y);                                                                                       \
    case FILL:                                                                                                         \
      return a;                                                                                                        \
    case COMBINE:                                                                                                      \
      return (type)(1U * a * x + 1U * b * y);                                                                          \
    case PRODUCT:                                                                                                      \
      return (type)(1U * y * x);                                                                                       \
    case MINIMUM:                                                                                                      \
      return x < y ? x : y;                                                                                            \
    case MAXIMUM:                                                                                                      \
      return x > y ? x : y;                                                                                            \
    case SIGNED_MINIMUM:                                                                                               \
      return (with_sign)x < (with_sign)y ? x : y;                                                                      \
    case SIGNED_MAXIMUM:                                                                                               \
      return (with_sign)x > (with_sign)y ? x : y;                                                                      \
    case LOGICAL_AND:                                                                                                  \
      return y != 0 && x != 0;                                                                                         \
    case LOGICAL_OR:                                                                                                   \
      return y != 0 || x != 0;                                                                                         \
    case LOGICAL_XOR:                                                                                                  \
      return (y != 0) != (x != 0);                                                                                     \
    case BIT_AND:                                                                                                      \
      return y & x;                                                                                                    \
    case BIT_OR:                                                                                                       \
      return y | x;                                                                                                    \
    case BIT_XOR:                                                                                                      \
      return y ^ x;                                                                                                    \
    default:                                                                                                           \
      return x;                                                                                                        \
    }                                                                                                                  \
  }

#define REAL(type)                                                                                                     \
  static inline type apply_##type(int operation, type y, type x, type a, type b)                                       \
  {                                                                                                                    \
    switch (operation) {                                                                                               \
    case SUM:                                                                                                          \
      return y + x;                                                                                                    \
    case SCALED_SUM:                                                                                                   \
      return y + a * x;                                                                                                \
    case SCALED:                                                                                                       \
      return a * x;                                                                                                    \
    case SCALE:                                                                                                        \
      return a * y;                                                                                                    \
    case FILL:                                                                                                         \
      return a;                                                                                                        \
    case COMBINE:                                                                                                      \
      return a * x + b * y;                                                                                            \
    case PRODUCT:                                                                                                      \
      return y * x;                                                                                                    \
    case MINIMUM:                                                                                                      \
      return x < y ? x : y;                                                                                            \
    case MAXIMUM:                                                                                                      \
      return x > y ? x : y;                                                                                            \
    default:                                                                                                           \
      return x;                                                                                                        \
    }                                                                                                                  \
  }

#define COMPLEX(type)                                                                                                  \
  static inline type sum_##type(type y, type x)                                                                        \
  {                                                                                                                    \
    const type made = {y.x + x.x, y.y + x.y};                                                                          \
    return made;                                                                                                       \
  }                                                                                                                    \
  static inline type times_##type(type y, type x)                                                                      \
  {                                                                                                                    \
    const type made = {y.x * x.x - y.y * x.y, y.x * x.y + y.y * x.x};                                                  \
    return made;                                                                                                       \
  }                                                                                                                    \
  static inline type apply_##type(int operation, type y, type x, type a, type b)                                       \
  {                                                                                                                    \
    switch (operation) {                                                                                               \
    case SUM:                                                                                                          \
      return sum_##type(y, x);                                                                                         \
    case SCALED_SUM:                                                                                                   \
      return sum_##type(y, times_##type(a, x));                                                                        \
    case SCALED:                                                                                                       \
      return times_##type(a, x);                                                                                       \
    case SCALE:                                                                                                        \
      return times_##type(a, y);                                                                                       \
    case FILL:                                                                                                         \
      return a;                                                                                                        \
    case COMBINE:                                                                                                      \
      return sum_##type(times_##type(a, x), times_##type(b, y));                                                       \
    case PRODUCT:                                                                                                      \
      return times_##type(y, x);                                                                                       \
    default:                                                                                                           \
      return x;                                                                                                        \
    }                                                                                                                  \
  }

/* Loads and stores elements that are not aligned, byte by byte. */
#ifndef UNALIGNED
#define UNALIGNED(type)                                                                                                \
  static inline type load_##type(const MEMORY u8 *from)                                                                \
  {                                                                                                                    \
    type number;                                                                                                       \
    for (u32 i = 0; i < sizeof(type); i++)                                                                             \
      ((u8 *)&number)[i] = from[i];                                                                                    \
    return number;                                                                                                     \
  }                                                                                                                    \
  static inline void store_##type(MEMORY u8 *to, type number)                                                          \
  {                                                                                                                    \
    for (u32 i = 0; i < sizeof(type); i++)                                                                             \
      to[i] = ((const u8 *)&number)[i];                                                                                \
  }
#endif

#define UPDATE_WITH(type, which)                                                                                       \
  do {                                                                                                                 \
    MEMORY PLACE(type) *y = (MEMORY PLACE(type) *)(to + y_at);                                                         \
    const MEMORY PLACE(type) *x = (const MEMORY PLACE(type) *)(from + x_at);                                           \
    for (u64 i = first; i < end; i++)                                                                                  \
      y[i] = apply_##type(which, y[i], x[i], a, b);                                                                    \
  } while (0)

#define UPDATE_UNALIGNED(type)                                                                                         \
  for (u64 i = first; i < end; i++)                                                                                    \
  store_##type(to + y_at + i * sizeof(type), apply_##type(operation, load_##type(to + y_at + i * sizeof(type)),        \
                                                          load_##type(from + x_at + i * sizeof(type)), a, b))

#define UPDATE(type)                                                                                                   \
  UNALIGNED(type)                                                                                                      \
  kernel void cw_update_##type(MEMORY u8 *to, const MEMORY u8 *from, const MEMORY u64 *table,                          \
                               const struct shape given, const int operation, const type a, const type b)              \
  {                                                                                                                    \
    const struct shape *shape = &given;                                                                                \
    EACH_OPERATION(type);                                                                                              \
  }

/* Separate loops for the operations that compilers vectorize then. Accelerators gain nothing by it, because their work
 * items have few units. */
#ifdef __NVPTX__
#define EACH_OPERATION(type)                                                                                           \
  EACH_PART(shape, table, if (ALIGNED(shape)) UPDATE_WITH(type, operation); else UPDATE_UNALIGNED(type))
#else
#define OWN_LOOP(type, which)                                                                                          \
  case which:                                                                                                          \
    EACH_PART(shape, table, UPDATE_WITH(type, which));                                                                 \
    break;
#ifndef MORE_LOOPS
#define MORE_LOOPS(type)
#endif
#define EACH_OPERATION(type)                                                                                           \
  switch (ALIGNED(shape) ? operation : NOTHING) {                                                                      \
    OWN_LOOP(type, SUM)                                                                                                \
    OWN_LOOP(type, SCALED_SUM)                                                                                         \
    MORE_LOOPS(type)                                                                                                   \
  case NOTHING:                                                                                                        \
    EACH_PART(shape, table, UPDATE_UNALIGNED(type));                                                                   \
    break;                                                                                                             \
  default:                                                                                                             \
    EACH_PART(shape, table, UPDATE_WITH(type, operation));                                                             \
  }
#endif

WHOLE(u8, i8)
WHOLE(u16, i16)
WHOLE(u32, i32)
WHOLE(u64, i64)
REAL(f32)
COMPLEX(c32)
UPDATE(u8)
UPDATE(u16)
UPDATE(u32)
UPDATE(u64)
UPDATE(f32)
UPDATE(c32)
#ifdef HAS_DOUBLE
REAL(f64)
COMPLEX(c64)
UPDATE(f64)
UPDATE(c64)
#endif

/* --- Dot products: a sum of each work item; the host adds them ------------------------------------------------ */

/* Each work item stores two words: an integer, or a real and an imaginary part as doubles. */
#define LOAD(type, place) (ALIGNED(shape) ? *(const MEMORY PLACE(type) *)(place) : load_##type(place))
#define DOT(type, word, multiply)                                                                                      \
  kernel void cw_dot_##type(const MEMORY u8 *to, const MEMORY u8 *from, const MEMORY u64 *table,                       \
                            const struct shape given, MEMORY word *sums, const u64 sums_at)                            \
  {                                                                                                                    \
    const struct shape *shape = &given;                                                                                \
    word sum[2] = {0, 0};                                                                                              \
    EACH_PART(                                                                                                         \
        shape, table, for (u64 i = first; i < end; i++) {                                                              \
          const type y = LOAD(type, to + y_at + i * sizeof(type));                                                     \
          const type x = LOAD(type, from + x_at + i * sizeof(type));                                                   \
          multiply;                                                                                                    \
        });                                                                                                            \
    const u64 item = ITEM(0) + ITEMS(0) * (ITEM(1) + ITEMS(1) * ITEM(2));                                              \
    sums[sums_at + 2 * item] = sum[0];                                                                                 \
    sums[sums_at + 2 * item + 1] = sum[1];                                                                             \
  }
#define MULTIPLY_WHOLE sum[0] += (u64)y * x
#define MULTIPLY_REAL sum[0] += (f64)y * (f64)x
#define MULTIPLY_COMPLEX                                                                                               \
  sum[0] += (f64)y.x * (f64)x.x - (f64)y.y * (f64)x.y;                                                                 \
  sum[1] += (f64)y.x * (f64)x.y + (f64)y.y * (f64)x.x

DOT(u32, u64, MULTIPLY_WHOLE)
DOT(u64, u64, MULTIPLY_WHOLE)
#ifdef HAS_DOUBLE
DOT(f32, f64, MULTIPLY_REAL)
DOT(f64, f64, MULTIPLY_REAL)
DOT(c32, f64, MULTIPLY_COMPLEX)
DOT(c64, f64, MULTIPLY_COMPLEX)
#endif

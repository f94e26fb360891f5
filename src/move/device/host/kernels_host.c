/* The kernels of library_kernels.cl in C. One work item does all of the work. This file defines the
 * macros that library_kernels.cl uses. */
#include "device/host/kernels_host.h"
#include "device/library_kernels.h"
#include "machine/clones.h"
#include "machine/copy.h"

#include <assert.h>
#include <string.h>

/* Elements in memory need no alignment. */
#define ANY __attribute__((aligned(1), may_alias))
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;
typedef u8 any_u8;
typedef u16 ANY any_u16;
typedef u32 ANY any_u32;
typedef u64 ANY any_u64;
typedef f32 ANY any_f32;
typedef f64 ANY any_f64;
typedef struct __attribute__((packed, may_alias)) {
  float x, y;
} c32;
typedef struct __attribute__((packed, may_alias)) {
  double x, y;
} c64;
typedef c32 any_c32;
typedef c64 any_c64;

#define WORDS
#define HAS_DOUBLE
#define kernel CWI_CLONES static
#define MEMORY
#define PLACE(type) any_##type
#define ITEM(d) ((u64)0)
#define ITEMS(d) ((u64)1)
#define SPAN(part, all) (all)
#define ALIGNED(shape) 1
#define UNALIGNED(type)                                                                            \
  static inline type load_##type(const u8 *from)                                                   \
  {                                                                                                \
    type number;                                                                                   \
    memcpy(&number, from, sizeof number);                                                          \
    return number;                                                                                 \
  }                                                                                                \
  static inline void store_##type(u8 *to, type number)                                             \
  {                                                                                                \
    memcpy(to, &number, sizeof number);                                                            \
  }
#define MORE_LOOPS(type)                                                                           \
  OWN_LOOP(type, SCALED)                                                                           \
  OWN_LOOP(type, SCALE)                                                                            \
  OWN_LOOP(type, FILL)                                                                             \
  OWN_LOOP(type, COMBINE)

/* Copies a row. Rows of 4, 8 or 16 bytes need no function call. */
static inline void move_row(u8 *to, const u8 *from, size_t bytes)
{
  switch (bytes) {
  case 4:
    memcpy(to, from, 4);
    return;
  case 8:
    memcpy(to, from, 8);
    return;
  case 16:
    memcpy(to, from, 16);
    return;
  default:
    cwi_copy(to, from, bytes);
  }
}
#define MOVE_UNITS(unit) move_row(to + y_at + first * (unit), from + x_at, (end - first) * (unit))

#include "device/library_kernels.cl"

static_assert(sizeof(struct shape) == sizeof(struct cwi_kernel_shape) &&
                  offsetof(struct shape, counts) == offsetof(struct cwi_kernel_shape, counts) &&
                  offsetof(struct shape, lengths) == offsetof(struct cwi_kernel_shape, lengths) &&
                  offsetof(struct shape, from) == offsetof(struct cwi_kernel_shape, from) &&
                  (int)COMBINE == (int)CWI_COMBINE && (int)LEVELS == CW_MAX_LEVELS - 1 &&
                  (int)LOGICAL_XOR == CW_LOGICAL_XOR,
              "library_kernels.cl and library_kernels.h agree");

static void host_move(void *const *arguments, const size_t global[3])
{
  (void)global;
  cw_move(arguments[0], arguments[1], arguments[2], *(const struct shape *)arguments[3]);
}

#define HOST_UPDATE(number, type, ...)                                                             \
  static void host_update_##type(void *const *arguments, const size_t global[3])                   \
  {                                                                                                \
    (void)global;                                                                                  \
    cw_update_##type(arguments[0], arguments[1], arguments[2],                                     \
                     *(const struct shape *)arguments[3], *(const int *)arguments[4],              \
                     *(const type *)arguments[5], *(const type *)arguments[6]);                    \
  }
CWI_UPDATE_KERNELS(HOST_UPDATE)

/* The sums of work items that did nothing must be 0. */
#define HOST_DOT(number, type, ...)                                                                \
  static void host_dot_##type(void *const *arguments, const size_t global[3])                      \
  {                                                                                                \
    const u64 at = *(const u64 *)arguments[5];                                                     \
    memset((u64 *)arguments[4] + at, 0, 2 * sizeof(u64) * global[0] * global[1] * global[2]);      \
    cw_dot_##type(arguments[0], arguments[1], arguments[2], *(const struct shape *)arguments[3],   \
                  arguments[4], at);                                                               \
  }
CWI_DOT_KERNELS(HOST_DOT)

#define UPDATE_ENTRY(number, type, ...) {"cw_update_" #type, host_update_##type},
#define DOT_ENTRY(number, type, ...) {"cw_dot_" #type, host_dot_##type},
const cw_host_function cwi_kernels_host[] = {{"cw_move", host_move},
                                             CWI_UPDATE_KERNELS(UPDATE_ENTRY)
                                                 CWI_DOT_KERNELS(DOT_ENTRY){NULL, NULL}};

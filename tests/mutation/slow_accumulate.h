/* Included before src/move/route/direct/direct_route.c: an accumulate that pauses between load and
 * store, so that a process that does not hold the stripe's lock causes a lost update.
 * CW_MUTANT_UNLOCKED removes the locks. */
#include "number/number_kernels.h"
#include "wait/lock.h"

#include <string.h>
#include <unistd.h>

static inline void slow_kernel(cwi_accumulate_kernel apply, char *to, ptrdiff_t to_stride,
                               const char *from, ptrdiff_t from_stride, size_t run, size_t rows,
                               const union cwi_scalar *scale)
{
  char sum[1 << 17]; /* bytes of a stripe */
  static unsigned calls;
  for (size_t row = 0; row < rows; row++, to += to_stride, from += from_stride) {
    memcpy(sum, to, run);
    if (++calls % 16 == 0)
      usleep(50);
    apply(sum, 0, from, 0, run, 1, scale);
    memcpy(to, sum, run);
  }
}

#define kernel(to, to_stride, from, from_stride, run, rows, scale)                                 \
  slow_kernel(kernel, to, to_stride, from, from_stride, run, rows, scale)
#ifdef CW_MUTANT_UNLOCKED
#define cwi_lock(word) ((void)(word))
#define cwi_unlock(word) ((void)(word))
#endif

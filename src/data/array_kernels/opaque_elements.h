/* Elements of 4, 8 and 16 bytes that are only moved, whatever their type. */
#pragma once

#include <stdint.h>

typedef uint32_t opaque4 __attribute__((may_alias));
typedef uint64_t opaque8 __attribute__((may_alias));
typedef struct opaque16 {
  uint64_t low, high;
} __attribute__((may_alias)) opaque16;

/* Elements that are only moved, whatever they are: of 4, 8 and 16 bytes. */
#ifndef CWI_ARITHMETIC_ELEMENTS_H
#define CWI_ARITHMETIC_ELEMENTS_H

#include <stdint.h>

typedef uint32_t any4 __attribute__((may_alias));
typedef uint64_t any8 __attribute__((may_alias));
typedef struct any16 {
  uint64_t low, high;
} __attribute__((may_alias)) any16;

#endif

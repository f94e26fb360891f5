/* Values of single elements of any type. */
#include "number/scalar.h"

/* Cases of switches over the types. `n` has the numbers of the element. */
#define READ(name, c, parts, copy)                                                                 \
  case name: {                                                                                     \
    c n[parts];                                                                                    \
    memcpy(n, element, sizeof n);                                                                  \
    copy;                                                                                          \
    break;                                                                                         \
  }
#define READ_WHOLE(name, c, ...) READ(name, c, 1, value.whole = (int64_t)n[0])
#define READ_REAL(name, c, ...) READ(name, c, 1, value.real[0] = (double)n[0])
#define READ_COMPLEX(name, c, ...)                                                                 \
  READ(name, c, 2, value.real[0] = (double)n[0]; value.real[1] = (double)n[1])

struct cwi_value cwi_value_read(cw_type type, const void *element)
{
  struct cwi_value value = {0, {0, 0}};
  switch (type) {
    CWI_INTEGER_TYPES(READ_WHOLE)
    CWI_REAL_TYPES(READ_REAL)
    CWI_COMPLEX_TYPES(READ_COMPLEX)
  default:
    break;
  }
  return value;
}

#define STORE(name, c, ...)                                                                        \
  case name: {                                                                                     \
    const c n[] = {__VA_ARGS__};                                                                   \
    memcpy(element, n, sizeof n);                                                                  \
    break;                                                                                         \
  }
#define STORE_WHOLE(name, c, ...) STORE(name, c, (c)value->whole)
#define STORE_REAL(name, c, ...) STORE(name, c, (c)value->real[0])
#define STORE_COMPLEX(name, c, ...) STORE(name, c, (c)value->real[0], (c)value->real[1])

void cwi_value_store(cw_type type, const struct cwi_value *value, void *element)
{
  switch (type) {
    CWI_INTEGER_TYPES(STORE_WHOLE)
    CWI_REAL_TYPES(STORE_REAL)
    CWI_COMPLEX_TYPES(STORE_COMPLEX)
  default:
    break;
  }
}

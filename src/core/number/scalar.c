/* Values of single elements of any type. */
#include "number/scalar.h"

/* Cases of switches over the types: copy the numbers of an element to or from `values`. */
#define READ(name, c, parts, values)                                                               \
  case name: {                                                                                     \
    c numbers[parts];                                                                              \
    memcpy(numbers, element, sizeof numbers);                                                      \
    for (int k = 0; k < (parts); k++)                                                              \
      (values)[k] = (__typeof__((values)[0]))numbers[k];                                           \
    break;                                                                                         \
  }
#define READ_WHOLE(name, c, ...) READ(name, c, 1, &value.whole)
#define READ_REAL(name, c, ...) READ(name, c, 1, value.real)
#define READ_COMPLEX(name, c, ...) READ(name, c, 2, value.real)

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

#define STORE(name, c, parts, values)                                                              \
  case name: {                                                                                     \
    c numbers[parts];                                                                              \
    for (int k = 0; k < (parts); k++)                                                              \
      numbers[k] = (c)(values)[k];                                                                 \
    memcpy(element, numbers, sizeof numbers);                                                      \
    break;                                                                                         \
  }
#define STORE_WHOLE(name, c, ...) STORE(name, c, 1, &value->whole)
#define STORE_REAL(name, c, ...) STORE(name, c, 1, value->real)
#define STORE_COMPLEX(name, c, ...) STORE(name, c, 2, value->real)

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

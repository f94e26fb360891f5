#include <causeway.h>

struct made {
  int children;
};
static size_t count;

#include "block"

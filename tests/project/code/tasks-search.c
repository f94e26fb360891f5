#include <causeway.h>

struct node {
  int depth;
};
enum { DEEPEST = 10 };

#include "block"

#include <causeway.h>

void memory(void *buffer, size_t bytes, double data, int owner);

void memory(void *buffer, size_t bytes, double data, int owner)
{
  cw_view view = NULL;
  void *there = NULL;
#include "block"
}

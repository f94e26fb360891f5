/* Stands in for source_libdw.c if elfutils' libdw was missing when Causeway was built. Call sites
 * are then shown as addresses. */
#include "output/source.h"

bool cwi_source_begin(void)
{
  return false;
}

bool cwi_source_find(const char *module, uint64_t offset, bool is_call,
                     struct cwi_source_place *source)
{
  (void)module, (void)offset, (void)is_call, (void)source;
  return false;
}

bool cwi_source_symbol(const char *module, uint64_t offset, char *symbol, size_t size)
{
  (void)module, (void)offset, (void)symbol, (void)size;
  return false;
}

void cwi_source_end(void) {}

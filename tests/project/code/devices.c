enum { PROCESSES = 4 };

#include <causeway.h>

void devices(void *buffer, size_t bytes, int me, int p);

void devices(void *buffer, size_t bytes, int me, int p)
{
#include "block"
}

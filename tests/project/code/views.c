#include <causeway.h>

void views(cw_region region, double data, int64_t one, void *there, void *flag, int process);

void views(cw_region region, double data, int64_t one, void *there, void *flag, int process)
{
#include "block"
}

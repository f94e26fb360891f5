#include <causeway.h>

void lent(void *context, void *device_id, cw_device device);

void lent(void *context, void *device_id, cw_device device)
{
#include "block"
}

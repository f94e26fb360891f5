#include <causeway.h>

void listen(void *context);

static void begin(const cw_profile_call *call, void *context)
{
  (void)call, (void)context;
}

static void end(const cw_profile_call *call, void *context)
{
  (void)call, (void)context;
}

void listen(void *context)
{
#include "block"
}

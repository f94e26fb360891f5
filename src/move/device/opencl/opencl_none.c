/* Replaces the OpenCL back end if the library is built without OpenCL's headers. This back end has
 * no devices and reports the reason. */
#include "device/backend.h"

#include <stdio.h>

static int none_count(char *why, size_t size)
{
  snprintf(why, size, "%s",
           "this library was built without OpenCL's headers (CL/cl.h; Debian: opencl-c-headers)");
  return 0;
}

/* The other functions are never called, because there are no devices. */
const struct cwi_backend cwi_backend_opencl = {
    .kind = CW_DEVICE_OPENCL, .name = "opencl", .count = none_count};

/* Stands in for the OpenCL back end where the library is built without OpenCL's headers: it has no
 * device, and says why. */
#include "device/backend.h"

#include <stdio.h>

static int none_count(char *why, size_t size)
{
  snprintf(why, size, "%s",
           "this library was built without OpenCL's headers (CL/cl.h; Debian: opencl-c-headers)");
  return 0;
}

/* Whoever has counted calls nothing else. */
const struct cwi_backend cwi_backend_opencl = {
    .kind = CW_DEVICE_OPENCL, .name = "opencl", .count = none_count};

/* Where OpenCL cannot be used, the back end counts no devices, reports a reason with all the given
 * words, and remains in this state. */
#include "device/backend.h"
#include "kit/kit.h"

#include <string.h>

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "opencl_absent");
  char why[512] = "";
  for (int attempt = 0; attempt < 2; attempt++) {
    kit_check_long(cwi_backend_opencl.count(why, sizeof why), 0, "devices");
    for (int i = 1; i < argc; i++)
      kit_check(strstr(why, argv[i]) != NULL, "'%s' is not in: %s", argv[i], why);
  }
  void *device = NULL;
  cw_device_facts facts;
  kit_check(cwi_backend_opencl.open(1, &device, &facts) == CW_OUTSIDE, "there is a device");
  kit_check(strstr(cw_error_message(), argc > 1 ? argv[1] : "") != NULL, "not said: %s",
            cw_error_message());
  return kit_finish();
}

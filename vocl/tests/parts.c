/* Many parts of a proxy's device: all exist, or none does, and the program receives the reason.
 * Usage: vocl_parts libcw-vocl.so VENDOR: the vendor of fake.c. */
#include "test_proxy.h"
#include "vocl.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256, PARTS = 200 };

int main(int argc, char **argv)
{
  static cl_device_id parts[MOST];
  static char name[4096];
  const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
                                     twos[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_uint count = 0;
  if (argc != 3)
    return KIT_FAIL;
  const char *library = argv[1];
  setenv("CW_VOCL_VENDORS", argv[2], 1);
  vocl_double_start();
  kit_start(&argc, &argv, "vocl_parts");
  vocl_open(library);
  check_code(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), CL_SUCCESS,
             "clGetDeviceIDs");
  check_code(cl->clCreateSubDevices(device, ones, MOST, parts, &count), CL_SUCCESS, "many parts");
  kit_check(count == PARTS, "there are %u", count);
  for (cl_uint i = 0; i < count; i++) {
    check_code(cl->clGetDeviceInfo(parts[i], CL_DEVICE_NAME, sizeof name, name, NULL), CL_SUCCESS,
               "a part's name");
    kit_check(strcmp(name, "fake") == 0, "part %u is called %s", i, name);
    check_code(cl->clReleaseDevice(parts[i]), CL_SUCCESS, "clReleaseDevice");
  }
  check_code(cl->clCreateSubDevices(device, twos, MOST, parts, &count), CL_OUT_OF_HOST_MEMORY,
             "parts that the vendor does not make");
  return kit_finish();
}

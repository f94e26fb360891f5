/* Opening the library, as MPICH's MPI_Init may do: it opens no vendor's library and starts no
 * thread until the program queries devices, and it never opens itself as a vendor's. Usage:
 * vocl_loads LIBRARY devices|none VENDORS. */
#include "vocl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if a file whose name contains `name` is mapped. */
static bool is_mapped(const char *name)
{
  char line[4096];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    found = found || strstr(line, name) != NULL;
  if (maps != NULL)
    fclose(maps);
  return found;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return KIT_FAIL;
  const char *library = argv[1], *vendors = argv[3];
  const bool devices = strcmp(argv[2], "devices") == 0;
  kit_start(&argc, &argv, "vocl_loads");
  setenv("CW_VOCL_VENDORS", vendors, 1);
  char name[64] = "";
  cl_uint count = 0;
  const long threads = kit_threads();
  vocl_open(library);
  check_code(cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), CL_SUCCESS,
             "its name");
  kit_check(strcmp(name, "Causeway Virtual OpenCL") == 0, "the platform is called %s", name);
  kit_check(is_mapped("libcw-vocl"), "the library is not mapped");
  kit_check(dlsym(dlopen(library, RTLD_NOW | RTLD_NOLOAD), "vocl_library_version") != NULL,
            "it has no mark");
  kit_check(!is_mapped("libpocl"),
            "a vendor's library was opened before the program queried devices");
  kit_check(kit_threads() == threads, "threads were started");
  const cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
  check_code(code, devices ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
  kit_check((count > 0) == devices, "there are %u devices", count);
  kit_check(is_mapped("libpocl") == devices, "the vendor's library");
  /* A second query opens nothing again. */
  cl_uint again = 0;
  cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &again);
  kit_check(again == count, "then there are %u", again);
  return kit_finish();
}

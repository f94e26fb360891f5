/* Creates a context of a device type while the proxy of the second device has no space for a
 * session: CW_VOCL_SESSIONS is 1, and another program has the session. The test starts that other
 * program, which is this one without `alone`; it then starts this one with `alone`. Usage:
 * vocl_crowded LIBRARY [alone] */
#include "vocl.h"

#include <stdio.h>
#include <stdlib.h>

static cl_uint devices_of(cl_context of)
{
  return VOCL_GET(cl_uint, clGetContextInfo, of, CL_CONTEXT_NUM_DEVICES);
}

static cl_context make(void)
{
  cl_int code = CL_SUCCESS;
  cl_context made = cl->clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContextFromType");
  return made;
}

int main(int argc, char **argv)
{
  char line[4096];
  kit_start(&argc, &argv, "vocl_crowded");
  vocl_open(argv[1]);
  cl_context made = make();
  if (argc > 2) {
    kit_check(devices_of(made) == 1, "without room there are %u devices", devices_of(made));
  } else {
    kit_check(devices_of(made) == 2, "with room there are %u devices", devices_of(made));
    snprintf(line, sizeof line, "'%s' '%s' alone", argv[0], argv[1]);
    kit_check(system(line) == 0, "%s", line); /* NOLINT(cert-env33-c): it is ours */
  }
  cl->clReleaseContext(made);
  return kit_finish();
}

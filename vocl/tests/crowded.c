/* A context of a type, where there is room for no session of this program's with the proxy that has
 * the second device: another program has it (CW_VOCL_SESSIONS is 1). That other program is this one
 * as it is started, `alone` is the one that it starts. Usage: vocl_crowded LIBRARY [alone] */
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

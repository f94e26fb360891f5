/* The table of our calls, which every handle points to, and what the library exports for loaders.
 */
#include "client/entries.h"
#include "client/kinds.h"

static const cl_icd_dispatch table = {
#define SERVED(name) .name = cwi_##name,
    CWI_ENTRIES(SERVED)
#undef SERVED
#define CREATOR(name, parameters, type) .name = cwi_##name,
        CWI_REFUSED_CREATORS(CREATOR)
#undef CREATOR
/* A caller clears away what it has passed, so one function of one parameter serves many. */
#define REFUSED(name, of) .name = (cl_api_##name)(void (*)(void))cwi_refused_##of,
            CWI_REFUSED(REFUSED)
#undef REFUSED
#define POINTER(name) .name = (cl_api_##name)(void (*)(void))cwi_refused_pointer,
                CWI_REFUSED_POINTERS(POINTER)
#undef POINTER
};

/* Without a constructor: whoever finds the library calls one of these first. */
static void begin(void)
{
  cwi_handle_table = &table;
  cwi_kinds_prepare_fork();
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  begin();
  return cwi_clGetExtensionFunctionAddress(name);
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  begin();
  return cwi_platforms(most, platforms, count);
}

/* Tells our library from vendors'. */
const char cwi_vocl_is_here[] = "Causeway Virtual OpenCL " CW_VERSION;

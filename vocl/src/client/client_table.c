/* The table of calls, which every handle points to, and the symbols that the library exports for
 * loaders. */
#include "client/client_entries.h"
#include "client/client_objects.h"

static const cl_icd_dispatch table = {
#define SERVED(name) .name = vocl_##name,
    VOCL_ENTRIES(SERVED)
#undef SERVED
#define CREATOR(name, parameters, type) .name = vocl_##name,
        VOCL_UNSUPPORTED_CREATORS(CREATOR)
#undef CREATOR
/* A function with one parameter serves calls with more, because the caller removes its
 * arguments. */
#define UNSUPPORTED(name, of) .name = (VOCL_CALL(name))(void (*)(void))vocl_unsupported_##of,
            VOCL_UNSUPPORTED(UNSUPPORTED)
#undef UNSUPPORTED
#define POINTER(name) .name = (VOCL_CALL(name))(void (*)(void))vocl_unsupported_pointer,
                VOCL_UNSUPPORTED_POINTERS(POINTER)
#undef POINTER
};

/* Initialises the library. It needs no constructor, because a loader calls one of these
 * functions first. */
static void begin(void)
{
  vocl_handle_table = &table;
  vocl_kinds_prepare_fork();
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  begin();
  return vocl_clGetExtensionFunctionAddress(name);
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  begin();
  return vocl_platforms(most, platforms, count);
}

/* Distinguishes our library from those of vendors. */
const char vocl_library_version[] = "Causeway Virtual OpenCL " CW_VERSION;

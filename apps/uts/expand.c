/* The source text of the kernel for each kind of device. For the host it is compiled as C. */
#include "expand.h"

#include "uts/expand_text.h"

#define WORDS
#define MEMORY
#define kernel static
#define ITEM ((u64)0)
#define ITEMS ((u64)1)
typedef uint32_t u32;
typedef uint64_t u64;
#include "expand.cl"

static void expand_all(void *const *arguments, const size_t global[3])
{
  (void)global;
  uts_expand(arguments[0], arguments[1], arguments[2], *(const u32 *)arguments[3],
             *(const u32 *)arguments[4]);
}

const cw_host_function expand_functions[] = {{"uts_expand", expand_all}, {NULL, NULL}};

const cw_kernel_source expand_source = {
    .opencl = uts_expand_opencl, .ptx = uts_expand_ptx, .functions = expand_functions};

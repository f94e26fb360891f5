/* What buffers and images share. */
#ifndef CWI_CLIENT_MEMORY_H
#define CWI_CLIENT_MEMORY_H

#include "client/kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make memory of a context. parent: the buffer that it is a part of, or NULL. */
cl_int cwi_memory_make(struct cwi_cl_context *context, struct cwi_cl_memory *parent,
                       const struct cwi_making *making, struct cwi_cl_memory **memory);

/* Lists of properties of memory: OpenCL 3.0 has none, so they end at once. Keep it for the query.
 */
cl_int cwi_memory_properties(const cl_mem_properties *properties);
cl_int cwi_memory_remember(struct cwi_cl_memory *memory, const cl_mem_properties *properties);

#ifdef __cplusplus
}
#endif
#endif

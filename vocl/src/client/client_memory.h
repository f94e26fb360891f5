/* What buffers and images share. */
#ifndef VOCL_CLIENT_CLIENT_MEMORY_H
#define VOCL_CLIENT_CLIENT_MEMORY_H

#include "client/client_objects.h"

/* Make memory of a context. parent: the buffer that it is a part of, or NULL. */
cl_int vocl_memory_handle_make(struct vocl_cl_context *context, struct vocl_cl_memory *parent,
                               const struct vocl_making *making, struct vocl_cl_memory **memory);

/* Lists of properties of memory: OpenCL 3.0 has none, so they end at once. Keep it for the query.
 */
cl_int vocl_memory_check_properties(const cl_mem_properties *properties);
cl_int vocl_memory_set_properties(struct vocl_cl_memory *memory,
                                  const cl_mem_properties *properties);
#endif

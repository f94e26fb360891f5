/* Common parts of buffers and images. */
#pragma once

#include "client/client_objects.h"

/* Makes memory of a context. `parent` is the buffer of a sub-buffer, the memory from which an image
 * is made, or NULL. */
cl_int vocl_memory_handle_make(struct vocl_cl_context *context, struct vocl_cl_memory *parent,
                               const struct vocl_making *making, struct vocl_cl_memory **memory);

/* Check and keep lists of memory properties. OpenCL 3.0 defines no property, so a valid list is
 * empty; it is kept for queries. vocl_memory_set_properties releases the memory on an error. */
cl_int vocl_memory_check_properties(const cl_mem_properties *properties);
cl_int vocl_memory_set_properties(struct vocl_cl_memory *memory,
                                  const cl_mem_properties *properties);

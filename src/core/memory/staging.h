/* Temporary buffers for data in transit. They lie in the zone if it has space, because agents can
 * read and fill them there. */
#pragma once

#include <stddef.h>

/* Returns a buffer that is aligned at least like malloc's, or NULL if there is no memory. */
void *cwi_staging_take(size_t bytes);

/* Frees a buffer. NULL is ignored. */
void cwi_staging_give(void *memory);

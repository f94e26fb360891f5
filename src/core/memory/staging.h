/* Memory for data on its way, in the zone if it has room: an agent reads and fills it there. */
#ifndef CWI_MEMORY_STAGING_H
#define CWI_MEMORY_STAGING_H

#include <stddef.h>

/* Aligned as malloc does, at least. NULL: there is no memory at all. */
void *cwi_staging_take(size_t bytes);

/* NULL does nothing. */
void cwi_staging_give(void *memory);
#endif

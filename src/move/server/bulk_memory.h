/* Memory of the server for the data of long transfers on its way. malloc gives long pieces back to
 * the system, so that each new one costs faults: those of fragments (route/remote/bulk.c) are kept.
 */
#ifndef CWI_SERVER_BULK_MEMORY_H
#define CWI_SERVER_BULK_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for what a long transfer needs, to be freed by free(). Without memory the job ends. */
void *cwi_bulk_memory_must(size_t bytes);

/* Memory for its data, at a multiple of 16. The same. */
void *cwi_bulk_memory_take(size_t bytes);

/* NULL does nothing. */
void cwi_bulk_memory_give(void *data);

/* Nothing is on its way any more. */
void cwi_bulk_memory_stop(void);

#ifdef __cplusplus
}
#endif
#endif

/* Memory of the server for the data of long transfers on its way. malloc gives long pieces back to
 * the system, so that each new one costs faults: those of fragments (route/server/bulk_transfer.c)
 * are kept.
 */
#ifndef CWI_EXECUTION_BULK_BUFFER_H
#define CWI_EXECUTION_BULK_BUFFER_H

#include <stddef.h>

/* Memory for what a long transfer needs, to be freed by free(). Without memory the job ends. */
void *cwi_bulk_buffer_must(size_t bytes);

/* Memory for its data, at a multiple of 16. The same. */
void *cwi_bulk_buffer_take(size_t bytes);

/* NULL does nothing. */
void cwi_bulk_buffer_give(void *data);

/* Nothing is on its way any more. */
void cwi_bulk_buffer_stop(void);
#endif

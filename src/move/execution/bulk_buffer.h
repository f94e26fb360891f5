/* Memory of the server for the data of bulk transfers in progress. malloc gives long pieces back to
 * the system, so that each new one costs page faults: pieces of the size of fragments
 * (route/server/bulk_transfer.c) are kept. */
#ifndef CWI_EXECUTION_BULK_BUFFER_H
#define CWI_EXECUTION_BULK_BUFFER_H

#include <stddef.h>

/* Allocates a record of a bulk transfer, to be freed by free(). Ends the job if there is no memory.
 */
void *cwi_bulk_buffer_must(size_t bytes);

/* Allocates memory for the data of a bulk transfer, at a multiple of 16. Ends the job if there is
 * no memory. */
void *cwi_bulk_buffer_take(size_t bytes);

/* Gives such memory back. NULL does nothing. */
void cwi_bulk_buffer_give(void *data);

/* Frees the kept pieces, after the last transfer. */
void cwi_bulk_buffer_stop(void);
#endif

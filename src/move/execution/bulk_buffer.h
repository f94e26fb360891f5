/* Memory of the server for the data of bulk transfers in progress. free() returns long pieces to
 * the system, so that each new piece costs page faults. To avoid that, pieces for one fragment of a
 * bulk transfer (route/server/bulk_transfer.c) are kept for reuse. */
#pragma once

#include <stddef.h>

/* Allocates a record of a bulk transfer, which the caller frees by free(). Ends the job if there is
 * no memory. */
void *cwi_bulk_buffer_must(size_t bytes);

/* Allocates memory for the data of a bulk transfer, aligned to 16 bytes. Ends the job if there is
 * no memory. */
void *cwi_bulk_buffer_take(size_t bytes);

/* Releases memory from cwi_bulk_buffer_take. NULL is ignored. */
void cwi_bulk_buffer_give(void *data);

/* Frees the kept pieces. Called after the last transfer. */
void cwi_bulk_buffer_stop(void);

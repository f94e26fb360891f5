/* Bulk updates whose data is on its way to my node, and notifications that wait behind them. */
#ifndef CWI_EXECUTION_INBOUND_BULK_H
#define CWI_EXECUTION_INBOUND_BULK_H

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* One bulk update; the first member of its record. */
struct cwi_inbound_bulk {
  struct cwi_inbound_bulk *next, *previous;
  uint64_t number; /* numbered in the order in which they begin */
  int origin;      /* origin id (execution/reply.h) */
};

typedef void (*cwi_inbound_bulk_notify)(int origin, const struct cwi_request *request);

/* Begin and end a bulk update. When it has arrived, or failed, `notify` runs the notifications that
 * wait for no other one. */
void cwi_inbound_bulk_begin(struct cwi_inbound_bulk *inbound_bulk, int origin);
void cwi_inbound_bulk_end(struct cwi_inbound_bulk *inbound_bulk, cwi_inbound_bulk_notify notify);

/* Makes a notification wait for all bulk updates of its origin that are on their way. Returns false
 * if there are none. */
bool cwi_inbound_bulk_defer(int origin, const struct cwi_request *request);
#endif

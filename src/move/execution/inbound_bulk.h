/* Updates whose data is on its way to a node, and notifications that wait behind them. */
#ifndef CWI_EXECUTION_INBOUND_BULK_H
#define CWI_EXECUTION_INBOUND_BULK_H

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* One update. */
struct cwi_inbound_bulk {
  struct cwi_inbound_bulk *next, *previous;
  uint64_t number; /* in the order in which they begin */
  int origin;      /* a party */
};

typedef void (*cwi_inbound_bulk_notify)(int origin, const struct cwi_request *request);

/* An update begins to land. When it is there, or was refused, the notifications that wait for no
 * other one are carried out. */
void cwi_inbound_bulk_begin(struct cwi_inbound_bulk *inbound_bulk, int origin);
void cwi_inbound_bulk_end(struct cwi_inbound_bulk *inbound_bulk, cwi_inbound_bulk_notify notify);

/* A notification waits for all updates of its origin that are inbound_bulk; false: none is. */
bool cwi_inbound_bulk_defer(int origin, const struct cwi_request *request);
#endif

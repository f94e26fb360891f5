/* Bulk updates whose data is in flight to my node, and notifications that wait for that data. */
#pragma once

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* A bulk update. It is the first member of a larger record of the caller. */
struct cwi_inbound_bulk {
  struct cwi_inbound_bulk *next, *previous;
  uint64_t number; /* bulk updates are numbered in the order in which they begin */
  int origin;      /* origin id (execution/reply.h) */
};

typedef void (*cwi_inbound_bulk_notify)(int origin, const struct cwi_request *request);

/* Begin and end a bulk update. cwi_inbound_bulk_end is called when the data has arrived or the
 * update has failed. It calls `notify` for the notifications that do not wait for other bulk
 * updates. */
void cwi_inbound_bulk_begin(struct cwi_inbound_bulk *inbound_bulk, int origin);
void cwi_inbound_bulk_end(struct cwi_inbound_bulk *inbound_bulk, cwi_inbound_bulk_notify notify);

/* Makes a notification wait for all bulk updates of its origin that are in flight. Returns false if
 * there are none. */
bool cwi_inbound_bulk_defer(int origin, const struct cwi_request *request);

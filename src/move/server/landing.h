/* Updates whose data is on its way to a node, and notifications that wait behind them. */
#ifndef CWI_SERVER_LANDING_H
#define CWI_SERVER_LANDING_H

#include "link/wire.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One update. */
struct cwi_landing {
  struct cwi_landing *next, *previous;
  uint64_t number; /* in the order in which they begin */
  int origin;      /* a party */
};

typedef void (*cwi_landing_notify)(int origin, const struct cwi_request *request);

/* An update begins to land. When it is there, or was refused, the notifications that wait for no
 * other one are carried out. */
void cwi_landing_begin(struct cwi_landing *landing, int origin);
void cwi_landing_end(struct cwi_landing *landing, cwi_landing_notify notify);

/* A notification waits for all updates of its origin that are landing; false: none is. */
bool cwi_landing_keep(int origin, const struct cwi_request *request);

#ifdef __cplusplus
}
#endif
#endif

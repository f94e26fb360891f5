/* The route to memory that a handle of a process of my node names. */
#ifndef CWI_ROUTE_FOREIGN_FOREIGN_H
#define CWI_ROUTE_FOREIGN_FOREIGN_H

#include "route/foreign/memory.h"
#include "route/route.h"

#ifdef __cplusplus
extern "C" {
#endif

/* transfer->place.memory is what `cwi_memory_resolve` gave. Everything is complete on return. */
extern const struct cwi_route cwi_route_foreign;

#ifdef __cplusplus
}
#endif
#endif

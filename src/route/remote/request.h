/* Requests to a server, as an origin fills them. */
#ifndef CWI_ROUTE_REMOTE_REQUEST_H
#define CWI_ROUTE_REMOTE_REQUEST_H

#include "link/wire.h"
#include "route/remote/outbox.h"
#include "transfer/cut.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Single runs up to this go as entries of a list, which the next one may extend. */
enum { CWI_LIST_RUN = 512 };

/* A put, get or accumulate of a piece of a process's memory. */
struct cwi_request cwi_request_for(enum cwi_wire_operation operation, int process,
                                   const struct cwi_plane *piece);

/* Any other operation on some bytes of it. */
struct cwi_request cwi_request_at(enum cwi_wire_operation operation, int process,
                                  const void *remote, size_t bytes);

/* Can the packet's last request take this piece as one more entry of its list? */
bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request);

#ifdef __cplusplus
}
#endif
#endif

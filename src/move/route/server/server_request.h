/* Requests to a server, as an origin fills them. */
#pragma once

#include "link/wire_format.h"
#include "route/server/outbox.h"
#include "transfer/shape_fragment.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stddef.h>

/* Upper bound on the bytes of a single run that is sent as the entry of a list. Later runs may be
 * added to the list. */
enum { CWI_LIST_RUN = 512 };

/* Returns the request for a fragment of a transfer's shape. */
struct cwi_request cwi_request_for(const struct cwi_transfer *transfer,
                                   const struct cwi_plane *fragment);

/* Returns the number that stands for an address of the process in a request. `memory` is the record
 * of a handle, or NULL. */
uint64_t cwi_request_offset(int process, const struct cwi_memory_handle *memory,
                            const void *remote);

/* Sets the address of a request, in memory that a handle names or, if `memory` is NULL, in a slice.
 */
void cwi_request_name(struct cwi_request *request, const struct cwi_memory_handle *memory,
                      const void *remote);

/* Returns a request for an operation other than a transfer, on `bytes` bytes of the process. */
struct cwi_request cwi_request_at(enum cwi_wire_operation operation, int process,
                                  const void *remote, size_t bytes);

/* Returns true if the packet's last request can take this fragment as one more entry of its list.
 */
bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request);

/* Requests to a server, as an origin fills them. */
#include "route/remote/request.h"

#include "memory/chunk.h"

struct cwi_request cwi_request_for(enum cwi_wire_operation operation, int process,
                                   const struct cwi_plane *piece)
{
  const bool single = piece->rows == 1 && piece->run <= CWI_LIST_RUN;
  return (struct cwi_request){.operation = (uint8_t)operation,
                              .flags = single ? CWI_WIRE_LIST : 0,
                              .process = process,
                              .offset = cwi_offset_of(piece->remote),
                              .run = piece->run,
                              .rows = piece->rows,
                              .stride = piece->remote_stride};
}

/* `value` and `expected` are the scale factor's bits, too. */
bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request)
{
  const struct cwi_request *last = packet->request;
  return last != NULL && packet->parcel->node == node && last->operation == request->operation &&
         (last->flags & CWI_WIRE_LIST) != 0 && last->flags == request->flags &&
         last->type == request->type && last->process == request->process &&
         last->run == request->run && last->value == request->value &&
         last->expected == request->expected;
}

struct cwi_request cwi_request_at(enum cwi_wire_operation operation, int process,
                                  const void *remote, size_t bytes)
{
  return (struct cwi_request){.operation = (uint8_t)operation,
                              .process = process,
                              .offset = cwi_offset_of(remote),
                              .run = bytes,
                              .rows = 1};
}

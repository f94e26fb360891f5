/* Requests to a server, as an origin fills them. */
#include "route/server/server_request.h"

#include "memory/device_address.h"
#include "region/chunk.h"
#include "route/memory_handle/memory_handle.h"

#include <string.h>

static const enum cwi_wire_operation operations[] = {
    [CW_PUT] = CWI_WIRE_PUT, [CW_GET] = CWI_WIRE_GET, [CW_ACCUMULATE] = CWI_WIRE_ACCUMULATE};

/* Returns the offset in the zone. For device memory it is the address, which is the same in all
 * processes and higher than any offset in a zone. */
static uint64_t wire_offset(int process, const void *remote)
{
  return CWI_UNLIKELY(cwi_is_device_address(remote)) ? (uintptr_t)remote
                                                     : cwi_offset_in(process, remote);
}

uint64_t cwi_request_offset(int process, const struct cwi_memory_handle *memory, const void *remote)
{
  return memory != NULL && !memory->in_zone ? (uintptr_t)remote : wire_offset(process, remote);
}

void cwi_request_name(struct cwi_request *request, const struct cwi_memory_handle *memory,
                      const void *remote)
{
  request->offset = cwi_request_offset(request->process, memory, remote);
  if (CWI_LIKELY(memory == NULL))
    return;
  request->flags |= CWI_WIRE_MEMORY_HANDLE;
  request->slot = memory->slot;
  request->serial = memory->serial;
}

struct cwi_request cwi_request_for(const struct cwi_transfer *transfer,
                                   const struct cwi_plane *fragment)
{
  const bool single = fragment->rows == 1 && fragment->run <= CWI_LIST_RUN;
  struct cwi_request request = {.operation = (uint8_t)operations[transfer->operation],
                                .flags = single ? CWI_WIRE_LIST : 0,
                                .process = transfer->process,
                                .run = fragment->run,
                                .rows = fragment->rows,
                                .stride = fragment->remote_stride};
  cwi_request_name(&request, transfer->place.memory, fragment->remote);
  if (transfer->operation != CW_ACCUMULATE)
    return request;
  request.type = (uint8_t)transfer->type;
  request.reduction = (uint8_t)transfer->reduction;
  request.flags |= transfer->lock_free ? CWI_WIRE_LOCK_FREE : 0;
  if (transfer->scaled) {
    request.flags |= CWI_WIRE_SCALED;
    request.scale = transfer->scale;
  }
  return request;
}

/* All entries of a list must be of one kind: a server moves memory in the zone itself, and leaves
 * device memory to an agent. */
static bool lies_on_device(const struct cwi_request *request)
{
  return cwi_is_device_address((const char *)(uintptr_t)request->offset); /* NOLINT */
}

bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request)
{
  const struct cwi_request *last = packet->request;
  return last != NULL && packet->batch->node == node && last->operation == request->operation &&
         (last->flags & CWI_WIRE_LIST) != 0 && last->flags == request->flags &&
         last->type == request->type && last->reduction == request->reduction &&
         last->process == request->process && last->run == request->run &&
         memcmp(last->scale.bytes, request->scale.bytes, sizeof last->scale) == 0 &&
         last->slot == request->slot && last->serial == request->serial &&
         lies_on_device(last) == lies_on_device(request);
}

struct cwi_request cwi_request_at(enum cwi_wire_operation operation, int process,
                                  const void *remote, size_t bytes)
{
  return (struct cwi_request){.operation = (uint8_t)operation,
                              .process = process,
                              .offset = wire_offset(process, remote),
                              .run = bytes,
                              .rows = 1};
}

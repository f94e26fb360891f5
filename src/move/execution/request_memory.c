/* Lookup of the memory of requests, and data movement. */
#include "execution/request_memory.h"

#include "device_transfer/device_agent.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "region/chunk.h"
#include "region/region.h"
#include "route/memory_handle/private_memory.h"
#include "route/route.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* --- Finding ---------------------------------------------------------------------------------- */

cw_error cwi_request_find(const struct cwi_request *request, struct cwi_request_place *place)
{
  place->named = NULL;
  if (CWI_LIKELY((request->flags & CWI_WIRE_MEMORY_HANDLE) == 0))
    return CW_OK;
  CWI_TRY(cwi_memory_handle_find(request->process, request->slot, request->serial, &place->memory));
  place->memory.careful = true;
  place->named = &place->memory;
  return CW_OK;
}

char *cwi_request_address(const struct cwi_request_place *place, uint64_t offset)
{
  const bool is_address = cwi_is_device_address((const char *)(uintptr_t)offset); /* NOLINT */
  if (is_address || (place->named != NULL && !place->named->in_zone))
    return (char *)(uintptr_t)offset; /* NOLINT(performance-no-int-to-ptr) */
  return cwi_address_at(offset);
}

static cw_error check_bytes(const struct cwi_request *request,
                            const struct cwi_request_place *place, const char *begin, size_t bytes)
{
  if (place->named != NULL)
    return cwi_memory_handle_holds(place->named, begin, bytes);
  if (CWI_UNLIKELY(cwi_is_device_address(begin)))
    return CW_OK; /* the agent checks */
  return cwi_zone_holds(request->process, begin, bytes)
             ? CW_OK
             : cwi_address_misuse(request->process, begin, bytes);
}

cw_error cwi_request_check_rows(const struct cwi_request *request, struct cwi_request_place *place)
{
  ptrdiff_t reach = 0;
  size_t bytes = 0;
  place->named = NULL;
  if (request->run == 0 || request->rows == 0 ||
      __builtin_mul_overflow(request->stride, request->rows - 1, &reach) ||
      __builtin_add_overflow(request->run, reach < 0 ? 0 - (size_t)reach : (size_t)reach, &bytes))
    return cwi_misuse("a request names %llu rows of %llu bytes", (unsigned long long)request->rows,
                      (unsigned long long)request->run);
  CWI_TRY(cwi_request_find(request, place));
  const char *begin =
      cwi_request_address(place, request->offset + (uint64_t)(reach < 0 ? reach : 0));
  return check_bytes(request, place, begin, bytes);
}

cw_error cwi_request_check_run(const struct cwi_request *request,
                               const struct cwi_request_place *place, uint64_t offset)
{
  return check_bytes(request, place, cwi_request_address(place, offset), request->run);
}

/* --- Moving ----------------------------------------------------------------------------------- */

static struct cwi_transfer transfer_of(const struct cwi_request *request,
                                       const struct cwi_request_place *place, char *data)
{
  static const cw_operation operations[] = {
      [CWI_WIRE_PUT] = CW_PUT, [CWI_WIRE_GET] = CW_GET, [CWI_WIRE_ACCUMULATE] = CW_ACCUMULATE};
  struct cwi_transfer transfer = {.operation = operations[request->operation],
                                  .type = (cw_type)request->type,
                                  .reduction = (cw_reduction)request->reduction,
                                  .lock_free = (request->flags & CWI_WIRE_LOCK_FREE) != 0,
                                  .scaled = (request->flags & CWI_WIRE_SCALED) != 0,
                                  .process = request->process,
                                  .place = {.memory = place->named},
                                  .scale = request->scale};
  transfer.shape.local = data;
  transfer.shape.remote = cwi_request_address(place, request->offset);
  transfer.shape.run = request->run;
  transfer.shape.bytes = request->run * request->rows;
  transfer.shape.levels = 1;
  transfer.shape.counts[0] = request->rows;
  transfer.shape.local_strides[0] = (ptrdiff_t)request->run;
  transfer.shape.remote_strides[0] = request->stride;
  return transfer;
}

static cw_error start_at_once(const struct cwi_transfer *transfer)
{
  const struct cwi_route *route =
      transfer->place.memory != NULL ? &cwi_route_memory_handle : &cwi_route_direct;
  CWI_ASSERT(!cwi_is_device_address(transfer->shape.remote));
  return route->start(transfer, true, NULL);
}

/* Starts a transfer. Uses an agent if agent_operation is not NULL and the memory needs one. */
static cw_error execute_start(const struct cwi_transfer *transfer,
                              struct cwi_agent_operation **agent_operation)
{
  if (agent_operation == NULL)
    return start_at_once(transfer);
  *agent_operation = NULL;
  if (transfer->place.memory != NULL)
    return cwi_memory_handle_start_later(transfer, agent_operation);
  return cwi_is_device_address(transfer->shape.remote)
             ? cwi_device_agent_transfer_start(transfer, agent_operation)
             : start_at_once(transfer);
}

cw_error cwi_move_rows(const struct cwi_request *request, char *data,
                       struct cwi_agent_operation **agent_operation)
{
  struct cwi_request_place place;
  CWI_TRY(cwi_request_check_rows(request, &place));
  const struct cwi_transfer transfer = transfer_of(request, &place, data);
  return execute_start(&transfer, agent_operation);
}

static uint64_t first_offset(const struct cwi_request *request)
{
  uint64_t offset = request->offset;
  if ((request->flags & CWI_WIRE_LIST) != 0 && request->rows > 0)
    memcpy(&offset, request + 1, sizeof offset);
  return offset;
}

bool cwi_request_needs_agent(const struct cwi_request *request)
{
  if (CWI_UNLIKELY((request->flags & CWI_WIRE_MEMORY_HANDLE) != 0))
    return cwi_private_memory_needs_agent(request->process);
  return cwi_is_device_address((const char *)(uintptr_t)first_offset(request)); /* NOLINT */
}

/* An iterator over a list. Each entry has an offset, and for an update also its data. A get packs
 * the runs contiguously. */
struct entries {
  const struct cwi_request *request;
  const struct cwi_request_place *place;
  const char *next;
  char *to; /* destination of a get; NULL for an update, whose data is in the message */
};

static cw_error next_entry(struct entries *entries, void **local, void **remote)
{
  const struct cwi_request *request = entries->request;
  uint64_t offset = 0;
  memcpy(&offset, entries->next, sizeof offset);
  CWI_TRY(cwi_request_check_run(request, entries->place, offset));
  *remote = cwi_request_address(entries->place, offset);
  *local = entries->to != NULL ? entries->to : (char *)(uintptr_t)(entries->next + 8);
  if (entries->to != NULL)
    entries->to += request->run;
  entries->next += 8 + (request->operation == CWI_WIRE_GET ? 0 : cwi_round_up(request->run, 8));
  return CW_OK;
}

/* The addresses of a list that an agent moves: local ones, then remote ones. */
struct addresses {
  cw_vector vector;
  void *at[];
};

/* Moves a list by one agent operation. *kept receives the addresses, which the caller frees when
 * the operation has ended. */
static cw_error request_list(struct entries *entries, struct cwi_transfer *transfer,
                             struct cwi_agent_operation **agent_operation, void **kept)
{
  const size_t count = entries->request->rows;
  struct addresses *addresses = malloc(sizeof *addresses + 2 * count * sizeof addresses->at[0]);
  cw_error error = addresses != NULL ? CW_OK : cwi_outside("no memory for a list");
  for (size_t i = 0; i < count && error == CW_OK; i++)
    error = next_entry(entries, &addresses->at[i], &addresses->at[count + i]);
  if (error == CW_OK) {
    addresses->vector =
        (cw_vector){addresses->at, addresses->at + count, count, transfer->shape.run};
    transfer->shape.vectors = &addresses->vector;
    transfer->shape.vector_count = 1;
    transfer->shape.bytes = count * transfer->shape.run;
    transfer->shape.remote = addresses->at[count];
    error = execute_start(transfer, agent_operation);
  }
  if (*agent_operation != NULL)
    *kept = addresses;
  else
    free(addresses);
  return error;
}

/* Returns the error for the next entry, whose memory is not in a region. */
static cw_error reject_entry(struct entries *entries)
{
  void *local = NULL, *remote = NULL;
  CWI_TRY(next_entry(entries, &local, &remote));
  return cwi_is_device_address(remote)
             ? cwi_misuse("a list names host memory and device memory (%p)", remote)
             : cwi_misuse("a list names memory that was allocated after the list was sent (%p)",
                          remote);
}

/* Performs an update of region memory. The entries before the first invalid one are moved together;
 * the invalid one is rejected. */
static cw_error update_list(struct entries *entries, const struct cwi_transfer *transfer)
{
  const struct cwi_request *request = entries->request;
  const size_t distance = 8 + cwi_round_up(request->run, 8);
  const char *first = entries->next;
  size_t sound = 0;
  for (uint64_t offset = 0; sound < request->rows; sound++, entries->next += distance) {
    memcpy(&offset, entries->next, sizeof offset);
    if (CWI_UNLIKELY(!cwi_zone_holds(request->process, cwi_address_at(offset), request->run)))
      break;
  }
  cwi_direct_entries(transfer, first, distance, sound);
  return sound == request->rows ? CW_OK : reject_entry(entries);
}

cw_error cwi_move_list(const struct cwi_request *request, const char *data, char *to,
                       struct cwi_agent_operation **agent_operation, void **addresses)
{
  struct cwi_request_place place;
  CWI_TRY(cwi_request_find(request, &place));
  struct entries entries = {request, &place, data, to};
  struct cwi_transfer transfer = transfer_of(request, &place, to);
  transfer.shape.levels = 0;
  transfer.shape.bytes = request->run;
  const bool is_device =
      cwi_is_device_address((const char *)(uintptr_t)first_offset(request)); /* NOLINT */
  const bool adds = request->operation == CWI_WIRE_ACCUMULATE;
  if (CWI_UNLIKELY(agent_operation != NULL && request->rows > 0 &&
                   cwi_request_needs_agent(request) && (is_device || !adds)))
    return request_list(&entries, &transfer, agent_operation, addresses);
  if (CWI_LIKELY(place.named == NULL && !is_device && request->operation != CWI_WIRE_GET))
    return update_list(&entries, &transfer);
  for (uint64_t i = 0; i < request->rows; i++) {
    void *local = NULL, *remote = NULL;
    CWI_TRY(next_entry(&entries, &local, &remote));
    transfer.shape.local = local;
    transfer.shape.remote = remote;
    if (CWI_UNLIKELY(cwi_is_device_address(remote)))
      return cwi_misuse("a list names host memory and device memory (%p)", remote);
    CWI_TRY(start_at_once(&transfer));
  }
  return CW_OK;
}

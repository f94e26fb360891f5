/* Executing requests on the memory of my node. Every address is looked up in the zone first: what
 * lies in no slice of the process is refused, and told to the origin. */
#include "server/execute.h"
#include "base/settings.h"
#include "base/ticket.h"
#include "link/tags.h"
#include "memory/chunk.h"
#include "memory/elsewhere.h"
#include "memory/region.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "route/device/device.h"
#include "route/memory_handle/memory_handle.h"
#include "route/route.h"
#include "server/async.h"
#include "server/grant.h"
#include "server/reply.h"
#include "server/request_buffer.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* --- Looking up ------------------------------------------------------------------------------- */

/* Where the memory of a request is. */
struct request_place {
  struct cwi_memory_handle memory;
  const struct cwi_memory_handle *named; /* that; or NULL: regions */
};

static cw_error find_place(const struct cwi_request *request, struct request_place *place)
{
  place->named = NULL;
  if (CWI_LIKELY((request->flags & CWI_WIRE_MEMORY_HANDLE) == 0))
    return CW_OK;
  CWI_TRY(cwi_memory_handle_find(request->process, request->slot, request->serial, &place->memory));
  place->memory.careful = true;
  place->named = &place->memory;
  return CW_OK;
}

static char *address_at(const struct request_place *place, uint64_t offset)
{
  const bool is_address = cwi_is_elsewhere((const char *)(uintptr_t)offset); /* NOLINT */
  if (is_address || (place->named != NULL && !place->named->in_zone))
    return (char *)(uintptr_t)offset; /* NOLINT(performance-no-int-to-ptr) */
  return cwi_address_at(offset);
}

static cw_error check_bytes(const struct cwi_request *request, const struct request_place *place,
                            const char *begin, size_t bytes)
{
  if (place->named != NULL)
    return cwi_memory_handle_holds(place->named, begin, bytes);
  if (CWI_UNLIKELY(cwi_is_elsewhere(begin)))
    return CW_OK; /* the route looks */
  return cwi_zone_holds(request->process, begin, bytes)
             ? CW_OK
             : cwi_address_misuse(request->process, begin, bytes);
}

static cw_error check_rows(const struct cwi_request *request, struct request_place *place)
{
  ptrdiff_t reach = 0;
  size_t bytes = 0;
  place->named = NULL;
  if (request->run == 0 || request->rows == 0 ||
      __builtin_mul_overflow(request->stride, request->rows - 1, &reach) ||
      __builtin_add_overflow(request->run, reach < 0 ? 0 - (size_t)reach : (size_t)reach, &bytes))
    return cwi_misuse("a request asks for %llu rows of %llu bytes",
                      (unsigned long long)request->rows, (unsigned long long)request->run);
  CWI_TRY(find_place(request, place));
  const char *begin = address_at(place, request->offset + (uint64_t)(reach < 0 ? reach : 0));
  return check_bytes(request, place, begin, bytes);
}

static cw_error check_run(const struct cwi_request *request, const struct request_place *place,
                          uint64_t offset)
{
  return check_bytes(request, place, address_at(place, offset), request->run);
}

/* Of a word, or a lock: in a region. */
static cw_error check_alone(const struct cwi_request *request)
{
  const struct request_place place = {.named = NULL};
  if (cwi_is_elsewhere(address_at(&place, request->offset)))
    return cwi_address_misuse(request->process, address_at(&place, request->offset), request->run);
  return check_run(request, &place, request->offset);
}

/* --- Put, get, accumulate --------------------------------------------------------------------- */

/* What the requests of a parcel share. */
struct execution {
  int origin;              /* a party */
  struct cwi_reply *reply; /* gets are packed here until the last of them */
  size_t bytes;
  struct cwi_reply *why; /* they are refused; NULL: they are not */
};

/* Of an accumulate. */
static cw_error execute_check_type(const struct cwi_request *request)
{
  if (request->operation != CWI_WIRE_ACCUMULATE)
    return CW_OK;
  CWI_TRY(cwi_update_check(request->reduction, (cw_type)request->type));
  if ((request->flags & (CWI_WIRE_LOCK_FREE | CWI_WIRE_LIST)) == CWI_WIRE_LOCK_FREE)
    CWI_TRY(cwi_update_aligned("offset", (uintptr_t)request->offset, (cw_type)request->type));
  return request->reduction != CWI_COMPARE_SWAP && request->run % cwi_type_bytes[request->type] == 0
             ? CW_OK
             : cwi_misuse("an accumulate of type %d has rows of %llu bytes", request->type,
                          (unsigned long long)request->run);
}

static struct cwi_transfer transfer_of(const struct cwi_request *request,
                                       const struct request_place *place, char *data)
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
  transfer.shape.remote = address_at(place, request->offset);
  transfer.shape.run = request->run;
  transfer.shape.bytes = request->run * request->rows;
  transfer.shape.levels = 1;
  transfer.shape.counts[0] = request->rows;
  transfer.shape.local_strides[0] = (ptrdiff_t)request->run;
  transfer.shape.remote_strides[0] = request->stride;
  return transfer;
}

static const struct cwi_route *route_to(const struct cwi_transfer *transfer)
{
  if (transfer->place.memory != NULL)
    return &cwi_route_memory_handle;
  return cwi_is_elsewhere(transfer->shape.remote) ? &cwi_route_device : &cwi_route_direct;
}

static cw_error execute_start(const struct cwi_transfer *transfer)
{
  return route_to(transfer)->start(transfer, true, NULL);
}

static cw_error execute_move_rows(const struct cwi_request *request, char *data)
{
  struct request_place place;
  CWI_TRY(check_rows(request, &place));
  const struct cwi_transfer transfer = transfer_of(request, &place, data);
  return execute_start(&transfer);
}

/* Each entry: its offset and, of an update, its data. A get packs the runs one after the other. */
static cw_error move_list(const struct cwi_request *request, const char *entries, char *to)
{
  const size_t data_bytes = request->operation == CWI_WIRE_GET ? 0 : cwi_round_up(request->run, 8);
  struct request_place place;
  CWI_TRY(find_place(request, &place));
  struct cwi_transfer transfer = transfer_of(request, &place, to);
  transfer.shape.levels = 0;
  transfer.shape.bytes = request->run;
  for (uint64_t i = 0; i < request->rows; i++) {
    uint64_t offset = 0;
    memcpy(&offset, entries, sizeof offset);
    CWI_TRY(check_run(request, &place, offset));
    transfer.shape.remote = address_at(&place, offset);
    /* an update reads its data from the message */
    transfer.shape.local = to != NULL ? to + i * request->run : (char *)(uintptr_t)(entries + 8);
    CWI_TRY(execute_start(&transfer));
    entries += 8 + data_bytes;
  }
  return CW_OK;
}

static void drop_data(void *context, const MPI_Status *status)
{
  (void)status;
  free(context);
}

/* --- Bulk data -------------------------------------------------------------------------------- */

static size_t bulk_bytes(const struct cwi_request *request)
{
  return request->run * request->rows;
}

/* MPI may take its data from there, or bring it. */
static bool is_in_place(const struct cwi_request *request)
{
  const char *address = (const char *)(uintptr_t)request->offset; /* NOLINT */
  return (request->flags & CWI_WIRE_MEMORY_HANDLE) == 0 && !cwi_is_elsewhere(address) &&
         (request->rows == 1 || request->stride == (int64_t)request->run);
}

static void *execute_take_memory(size_t bytes)
{
  void *memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL)
    cwi_abort("the server has no memory for a long transfer", 1);
  return memory;
}

static void receive_data(const struct execution *execution, const struct cwi_request *request,
                         void *to, cwi_async_end end, void *context)
{
  MPI_Request receive = MPI_REQUEST_NULL;
  cwi_server_must(
      CWI_MPI(MPI_Irecv(to, (int)bulk_bytes(request), MPI_BYTE, cwi_party_rank(execution->origin),
                        (int)request->tag + 1, cwi_world.all_comm, &receive)));
  cwi_async_add(receive, end, context);
}

/* An update whose data is on its way. */
struct landing {
  int origin;
  struct cwi_request request;
  char *data; /* NULL: it goes to its place at once */
};

/* Fewer bytes: MPI has refused the data where it came from, and its sender says so. */
static cw_error place(const struct landing *landing, const MPI_Status *status)
{
  int bytes = 0;
  cwi_server_must(CWI_MPI(MPI_Get_count(status, MPI_BYTE, &bytes)));
  const bool whole = (size_t)bytes == bulk_bytes(&landing->request);
  return whole && landing->data != NULL ? execute_move_rows(&landing->request, landing->data)
                                        : CW_OK;
}

static void landed(void *context, const MPI_Status *status)
{
  struct landing *landing = context;
  const cw_error error = place(landing, status);
  if (error != CW_OK)
    cwi_refuse(landing->origin, error);
  cwi_answer(landing->origin, landing->request.tag, error != CW_OK);
  free(landing->data);
  free(landing);
}

/* The data of a refused update is on its way already: it must go somewhere. */
static void refuse_bulk(const struct execution *execution, const struct cwi_request *request,
                        cw_error error)
{
  void *nowhere = execute_take_memory(bulk_bytes(request));
  cwi_refuse(execution->origin, error);
  receive_data(execution, request, nowhere, drop_data, nowhere);
  cwi_answer(execution->origin, request->tag, 1);
}

static cw_error check_update(const struct cwi_request *request)
{
  struct request_place place;
  CWI_TRY(execute_check_type(request));
  return check_rows(request, &place);
}

static void receive_bulk(const struct execution *execution, const struct cwi_request *request)
{
  const bool in_place = request->operation == CWI_WIRE_PUT && is_in_place(request);
  const cw_error error = check_update(request);
  if (error != CW_OK) {
    refuse_bulk(execution, request, error);
    return;
  }
  struct landing *landing = execute_take_memory(sizeof *landing);
  *landing = (struct landing){execution->origin, *request,
                              in_place ? NULL : execute_take_memory(bulk_bytes(request))};
  receive_data(execution, request, in_place ? cwi_address_at(request->offset) : landing->data,
               landed, landing);
}

/* A put or an accumulate. */
static void execute_update(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  if ((request->flags & CWI_WIRE_BULK) != 0) {
    receive_bulk(execution, request);
    return;
  }
  cw_error error = execute_check_type(request);
  if (error == CW_OK)
    error = (request->flags & CWI_WIRE_LIST) != 0 ? move_list(request, data, NULL)
                                                  : execute_move_rows(request, data);
  if (error != CW_OK)
    cwi_refuse(execution->origin, error);
}

static void send_bulk(const struct execution *execution, const struct cwi_request *request)
{
  MPI_Request send = MPI_REQUEST_NULL;
  char *packed = NULL;
  struct request_place place;
  cw_error error = check_rows(request, &place);
  if (error == CW_OK && !is_in_place(request)) {
    packed = execute_take_memory(bulk_bytes(request));
    error = execute_move_rows(request, packed);
  }
  if (error != CW_OK) {
    free(packed);
    cwi_get_refused(execution->origin, request->tag, cwi_get_refuse(NULL, error));
    return;
  }
  cwi_server_must(CWI_MPI(MPI_Isend(
      packed != NULL ? packed : cwi_address_at(request->offset), (int)bulk_bytes(request), MPI_BYTE,
      cwi_party_rank(execution->origin), (int)request->tag, cwi_world.all_comm, &send)));
  cwi_async_add(send, drop_data, packed);
}

/* --- Gets ------------------------------------------------------------------------------------- */

static cw_error execute_pack(struct execution *execution, const struct cwi_request *request,
                             const char *entries)
{
  const size_t bytes = request->run * request->rows;
  if (execution->reply == NULL) {
    execution->reply = cwi_reply_take(request->reply_bytes > cwi_reply_capacity(false));
    execution->bytes = 0;
  }
  const size_t capacity = cwi_reply_capacity(execution->reply->is_long);
  if (bytes > capacity - execution->bytes)
    return cwi_misuse("a get asks for more than the %zu bytes of its reply", capacity);
  char *to = execution->reply->data + execution->bytes;
  execution->bytes += bytes;
  return (request->flags & CWI_WIRE_LIST) != 0 ? move_list(request, entries, to)
                                               : execute_move_rows(request, to);
}

static void execute_get(struct execution *execution, const struct cwi_request *request, char *data)
{
  if ((request->flags & CWI_WIRE_BULK) != 0) {
    send_bulk(execution, request);
    return;
  }
  const cw_error error = execute_pack(execution, request, data);
  if (error != CW_OK)
    execution->why = cwi_get_refuse(execution->why, error);
  if ((request->flags & CWI_WIRE_LAST) == 0)
    return;
  if (execution->why != NULL) {
    cwi_reply_give(execution->reply);
    cwi_get_refused(execution->origin, request->tag, execution->why);
  } else {
    cwi_reply_send(execution->origin, request->tag, execution->reply, execution->bytes);
  }
  execution->reply = execution->why = NULL;
}

/* --- The others ------------------------------------------------------------------------------- */

static cw_error execute_locate(int process, const void *address, size_t bytes,
                               struct cwi_remote *place)
{
  if (place->memory != NULL)
    return cwi_memory_handle_holds(place->memory, address, bytes);
  return cwi_zone_holds(process, address, bytes) ? CW_OK
                                                 : cwi_address_misuse(process, address, bytes);
}

/* before: receives `run` bytes; or NULL. */
static cw_error update_elements(const struct cwi_request *request, char *data, void *before)
{
  struct request_place place;
  CWI_TRY(find_place(request, &place));
  struct cwi_update update = {.operation = request->reduction,
                              .type = (cw_type)request->type,
                              .locked = (request->flags & CWI_WIRE_LOCK_FREE) == 0,
                              .process = request->process,
                              .remote = address_at(&place, request->offset),
                              .place = {.memory = place.named},
                              .local = data,
                              .before = before};
  CWI_TRY(cwi_update_check(update.operation, update.type));
  const size_t element = cwi_type_bytes[update.type];
  update.count = request->run / element;
  if (request->run % element != 0 || update.count == 0 ||
      (update.operation == CWI_COMPARE_SWAP && update.count != 1))
    return cwi_misuse("an update of type %d is for %llu bytes", request->type,
                      (unsigned long long)request->run);
  if (update.count == 1 && update.operation != CW_NO_OP)
    memcpy(update.operand.bytes, data, element);
  if (update.operation == CWI_COMPARE_SWAP)
    memcpy(update.expected.bytes, data + cwi_round_up(element, 8), element);
  CWI_TRY(cwi_update_look(&update, execute_locate));
  if (place.named != NULL)
    return cwi_route_memory_handle.update(&update, true, NULL);
  cwi_direct_update(&update);
  return CW_OK;
}

/* Behind the head of the answer goes what was there. */
static void update_and_fetch(struct execution *execution, const struct cwi_request *request,
                             char *data)
{
  const struct cwi_answer head = cwi_answer_head(execution->origin, 0);
  const size_t bytes = CWI_ANSWER_SHORT + request->run;
  struct cwi_reply *reply = cwi_reply_take(bytes > cwi_reply_capacity(false));
  const cw_error error = bytes <= cwi_reply_capacity(reply->is_long)
                             ? update_elements(request, data, reply->data + CWI_ANSWER_SHORT)
                             : cwi_misuse("an update asks for more than a reply of %zu bytes",
                                          cwi_reply_capacity(true));
  if (error != CW_OK) {
    cwi_reply_give(reply);
    cwi_answer_refused(execution->origin, request->tag, error);
    return;
  }
  memcpy(reply->data, &head, CWI_ANSWER_SHORT);
  cwi_reply_send(execution->origin, request->tag, reply, bytes);
}

static cw_error add_word(const struct cwi_request *request)
{
  struct cwi_update add = {.operation = CW_SUM,
                           .type = CW_INT64,
                           .process = request->process,
                           .remote = cwi_address_at(request->offset),
                           .count = 1,
                           .operand = {.i64 = request->value}};
  CWI_TRY(cwi_update_look(&add, execute_locate));
  cwi_direct_update(&add);
  return CW_OK;
}

static void execute_notify(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  (void)data;
  const cw_error error = add_word(request);
  if (error != CW_OK)
    cwi_refuse(execution->origin, error);
}

static struct cwi_ticket_lock *lock_of(const struct cwi_request *request)
{
  return (struct cwi_ticket_lock *)(void *)cwi_address_at(request->offset);
}

static cw_error check_lock(const struct cwi_request *request)
{
  CWI_TRY(check_alone(request));
  return request->run == sizeof(struct cwi_ticket_lock) && request->offset % 8 == 0
             ? CW_OK
             : cwi_misuse("a mutex of %llu bytes at offset %llu", (unsigned long long)request->run,
                          (unsigned long long)request->offset);
}

static void execute_lock(struct execution *execution, const struct cwi_request *request, char *data)
{
  (void)data;
  const cw_error error = check_lock(request);
  if (error != CW_OK)
    cwi_answer_refused(execution->origin, request->tag, error);
  else
    cwi_grant_wait(lock_of(request), execution->origin, request->tag);
}

static void try_lock(struct execution *execution, const struct cwi_request *request, char *data)
{
  (void)data;
  const cw_error error = check_lock(request);
  if (error != CW_OK)
    cwi_answer_refused(execution->origin, request->tag, error);
  else
    cwi_answer(execution->origin, request->tag, cwi_ticket_try(lock_of(request)));
}

static void execute_unlock(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  (void)data;
  const cw_error error = check_lock(request);
  if (error != CW_OK)
    cwi_refuse(execution->origin, error);
  else
    cwi_ticket_release(lock_of(request));
}

static void query(struct execution *execution, const struct cwi_request *request, char *data)
{
  (void)data;
  const struct request_place place = {.named = NULL};
  const char *address = address_at(&place, request->offset);
  const bool holds = cwi_is_elsewhere(address)
                         ? cwi_device_look(request->process, address, request->run) == CW_OK
                         : cwi_zone_holds(request->process, address, request->run);
  cwi_answer(execution->origin, request->tag, holds);
}

static void execute_fence(struct execution *execution, const struct cwi_request *request,
                          char *data)
{
  struct cwi_answer answer = cwi_answer_head(execution->origin, 0);
  (void)data;
  cwi_refusals_tell(execution->origin, &answer);
  cwi_answer_send(execution->origin, request->tag, &answer);
}

typedef void (*handler)(struct execution *execution, const struct cwi_request *request, char *data);

static const handler handlers[CWI_WIRE_OPERATIONS] = {
    [CWI_WIRE_PUT] = execute_update,
    [CWI_WIRE_GET] = execute_get,
    [CWI_WIRE_ACCUMULATE] = execute_update,
    [CWI_WIRE_UPDATE] = update_and_fetch,
    [CWI_WIRE_NOTIFY] = execute_notify,
    [CWI_WIRE_LOCK] = execute_lock,
    [CWI_WIRE_TRYLOCK] = try_lock,
    [CWI_WIRE_UNLOCK] = execute_unlock,
    [CWI_WIRE_QUERY] = query,
    [CWI_WIRE_FENCE] = execute_fence,
};

static bool is_reply_tag(uint32_t tag)
{
  return tag >= CWI_TAG_FIRST && tag < CWI_TAG_FIRST + 2 * CWI_TAGS && tag % 2 == 0;
}

/* Sizes are compared before they are multiplied. */
static bool is_transfer_sound(const struct cwi_request *request, size_t left)
{
  static const size_t MOST = (size_t)INT32_MAX;
  if (request->run > MOST || request->rows > MOST)
    return false;
  if ((request->flags & CWI_WIRE_BULK) != 0 && request->operation != CWI_WIRE_UPDATE)
    return (request->flags & CWI_WIRE_LIST) == 0 && is_reply_tag(request->tag) &&
           bulk_bytes(request) <= MOST;
  return cwi_wire_data_bytes(request) <= left - sizeof *request;
}

/* Is the request known, for my node, and its data in the parcel? */
static bool is_sound(const struct cwi_request *request, size_t left)
{
  if (left < sizeof *request || request->operation >= CWI_WIRE_OPERATIONS ||
      (request->tag != 0 && !is_reply_tag(request->tag)) ||
      (request->operation == CWI_WIRE_UPDATE && request->tag == 0))
    return false;
  if (request->operation != CWI_WIRE_FENCE &&
      !(cwi_is_process(request->process) && cwi_same_node(request->process)))
    return false;
  return request->operation > CWI_WIRE_UPDATE || is_transfer_sound(request, left);
}

/* An origin that waits for an answer gets one, if the request says where. */
static void refuse_unsound(int origin, const struct cwi_request *request, size_t left)
{
  const cw_error error = cwi_misuse("a message holds a request that does not make sense");
  const bool asks = left >= sizeof *request && is_reply_tag(request->tag);
  if (asks && request->operation == CWI_WIRE_GET)
    cwi_get_refused(origin, request->tag, cwi_get_refuse(NULL, error));
  else if (asks && request->operation > CWI_WIRE_GET)
    cwi_answer_refused(origin, request->tag, error);
  else
    cwi_refuse(origin, error);
}

void cwi_execute_parcel(const struct cwi_parcel *parcel, size_t bytes)
{
  struct execution execution = {.origin = cwi_party(parcel->origin, cwi_parcel_origin(parcel))};
  char *at = (char *)(uintptr_t)(parcel + 1), *end = (char *)(uintptr_t)parcel + bytes;
  while (at < end) {
    const struct cwi_request *request = (const struct cwi_request *)(void *)at;
    if (!is_sound(request, (size_t)(end - at))) {
      refuse_unsound(execution.origin, request, (size_t)(end - at));
      break;
    }
    char *data = at + sizeof *request;
    at = data + cwi_wire_data_bytes(request);
    handlers[request->operation](&execution, request, data);
  }
  /* Gets that their origin could not ask for to the end: it knows. */
  if (execution.reply != NULL)
    cwi_reply_give(execution.reply);
  if (execution.why != NULL)
    cwi_reply_give(execution.why);
}

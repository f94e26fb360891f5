/* Execution of requests on the memory of my node. Every address is first looked up in the zone. A
 * request for bytes outside the slices of its target is rejected, and the error is returned to the
 * origin.
 *
 * An agent operation takes time. The origin's further requests wait until it has ended, so that
 * they stay in order. Requests of other origins continue. */
#include "execution/execution.h"
#include "base/settings.h"
#include "device_transfer/device_agent.h"
#include "execution/async_operations.h"
#include "execution/bulk_buffer.h"
#include "execution/deferred_work.h"
#include "execution/inbound_bulk.h"
#include "execution/mutex_grant.h"
#include "execution/reply.h"
#include "execution/request_memory.h"
#include "link/reply_tags.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/agent.h"
#include "region/chunk.h"
#include "region/region.h"
#include "route/memory_handle/memory_handle.h"
#include "route/route.h"
#include "team/world.h"
#include "wait/ticket_lock.h"

#include <stdlib.h>
#include <string.h>

/* --- Checks ----------------------------------------------------------------------------------- */

/* Checks the address of a mutex, which must be in host memory of a region. */
static cw_error check_alone(const struct cwi_request *request)
{
  const struct cwi_request_place place = {.named = NULL};
  if (cwi_is_device_address(cwi_request_address(&place, request->offset)))
    return cwi_address_misuse(request->process, cwi_request_address(&place, request->offset),
                              request->run);
  return cwi_request_check_run(request, &place, request->offset);
}

/* --- Put, get, accumulate --------------------------------------------------------------------- */

struct execution;

/* Function that continues a request when its bytes have been moved or an error has occurred. */
typedef void (*execute_after)(struct execution *execution, const struct cwi_request *request,
                              cw_error error);

/* State of the execution of a batch. */
struct execution {
  int origin;              /* origin id (execution/reply.h) */
  struct cwi_reply *reply; /* data of the gets that share a reply, which is sent at the last of
                              them; NULL if there is none */
  size_t bytes;
  struct cwi_reply *why; /* errors of these gets; NULL if no get was rejected */
  char *at, *end;        /* part of the batch that has not been executed */
  char *own; /* copy that contains the rest of the batch; NULL if the rest is in the message */

  /* These are set while an agent moves the bytes of a request. */
  struct cwi_agent_operation *agent_operation; /* NULL if no agent is active */
  const struct cwi_request *request;
  execute_after after;
  void *addresses; /* addresses of a list, to be freed after the operation; or NULL */
};

/* Continues the request at once if no agent operation is active. Otherwise records `after`, which
 * continues the request when the agent operation has ended. */
static void execute_then(struct execution *execution, const struct cwi_request *request,
                         cw_error error, execute_after after)
{
  if (CWI_LIKELY(execution->agent_operation == NULL)) {
    after(execution, request, error);
    return;
  }
  execution->request = request;
  execution->after = after;
}

/* Checks the type and the size of the rows of an accumulate. */
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

/* Moves the bytes of a request. An agent may do this only if the batch has been copied to `own`,
 * because the buffer of a message is reused too early. */
static cw_error execute_move(struct execution *execution, const struct cwi_request *request,
                             char *data, char *to)
{
  struct cwi_agent_operation **agent_operation =
      execution->own != NULL ? &execution->agent_operation : NULL;
  return (request->flags & CWI_WIRE_LIST) != 0
             ? cwi_move_list(request, data, to, agent_operation, &execution->addresses)
             : cwi_move_rows(request, to != NULL ? to : data, agent_operation);
}

/* Releases memory from take_bulk. */
static void give_bulk(void *data)
{
  if (!cwi_agent_buffer_give(data))
    cwi_bulk_buffer_give(data);
}

static void drop_data(void *context, const MPI_Status *status)
{
  (void)status;
  give_bulk(context);
}

/* --- Notifications ---------------------------------------------------------------------------- */

/* Checks that the memory is in the handle that `place` names, or in a slice of my node. */
static cw_error execute_locate(int process, const void *address, size_t bytes,
                               struct cwi_location *place)
{
  if (place->memory != NULL)
    return cwi_memory_handle_holds(place->memory, address, bytes);
  return cwi_zone_holds(process, address, bytes) ? CW_OK
                                                 : cwi_address_misuse(process, address, bytes);
}

static cw_error add_word(const struct cwi_request *request)
{
  struct cwi_update add = {.operation = CW_SUM,
                           .type = CW_INT64,
                           .process = request->process,
                           .remote = cwi_address_at(request->offset),
                           .count = 1,
                           .operand = {.i64 = request->value}};
  CWI_TRY(cwi_update_locate(&add, execute_locate));
  cwi_direct_update(&add);
  return CW_OK;
}

static void execute_answered(int origin, const struct cwi_request *request)
{
  const cw_error error = add_word(request);
  if (error != CW_OK)
    cwi_deferred_error_record(origin, error);
}

/* --- Bulk data -------------------------------------------------------------------------------- */

static size_t bulk_bytes(const struct cwi_request *request)
{
  return request->run * request->rows;
}

/* Returns true if MPI may send the data directly from the target's memory or receive it there. This
 * requires contiguous host memory of a region. */
static bool is_in_place(const struct cwi_request *request)
{
  const char *address = (const char *)(uintptr_t)request->offset; /* NOLINT */
  return (request->flags & CWI_WIRE_MEMORY_HANDLE) == 0 && !cwi_is_device_address(address) &&
         (request->rows == 1 || request->stride == (int64_t)request->run);
}

/* Allocates memory for the data. If an agent will move the data, the memory comes from the agent's
 * buffers if possible, which saves a copy. */
static void *take_bulk(const struct cwi_request *request)
{
  const bool uses_agent_buffer =
      cwi_request_needs_agent(request) && bulk_bytes(request) <= CWI_AGENT_BUFFER_LONG;
  void *memory = uses_agent_buffer ? cwi_agent_buffer_take(request->process) : NULL;
  return memory != NULL ? memory : cwi_bulk_buffer_take(bulk_bytes(request));
}

static void receive_data(const struct execution *execution, const struct cwi_request *request,
                         void *to, cwi_async_end end, void *context)
{
  MPI_Request receive = MPI_REQUEST_NULL;
  cwi_server_must(CWI_MPI(MPI_Irecv(to, (int)bulk_bytes(request), MPI_BYTE,
                                    cwi_origin_id_rank(execution->origin), (int)request->tag + 1,
                                    cwi_world.all_comm, &receive)));
  cwi_async_add(receive, end, context);
}

/* A bulk update whose data is in flight. */
struct inbound_bulk {
  struct cwi_inbound_bulk under_way;
  struct cwi_request request;
  char *data; /* memory for the data; NULL if MPI receives it in place */
};

/* Moves the data to the target's memory. If fewer bytes arrived, the send failed at the origin, and
 * the origin reports that error itself. */
static cw_error place(const struct inbound_bulk *inbound_bulk, const MPI_Status *status,
                      struct cwi_agent_operation **agent_operation)
{
  int bytes = 0;
  cwi_server_must(CWI_MPI(MPI_Get_count(status, MPI_BYTE, &bytes)));
  const bool whole = (size_t)bytes == bulk_bytes(&inbound_bulk->request);
  return whole && inbound_bulk->data != NULL
             ? cwi_move_rows(&inbound_bulk->request, inbound_bulk->data, agent_operation)
             : CW_OK;
}

/* Ends a bulk update: executes the notifications that waited for it, and answers the origin. */
static void land(void *context, cw_error error)
{
  struct inbound_bulk *inbound_bulk = context;
  if (error != CW_OK)
    cwi_deferred_error_record(inbound_bulk->under_way.origin, error);
  cwi_inbound_bulk_end(&inbound_bulk->under_way, execute_answered);
  cwi_answer(inbound_bulk->under_way.origin, inbound_bulk->request.tag, error != CW_OK);
  give_bulk(inbound_bulk->data);
  free(inbound_bulk);
}

static void arrived_bulk(void *context, const MPI_Status *status)
{
  struct cwi_agent_operation *agent_operation = NULL;
  const cw_error error = place(context, status, &agent_operation);
  if (agent_operation != NULL)
    cwi_agent_operations_add(agent_operation, land, context);
  else
    land(context, error);
}

/* Rejects a bulk update. The origin sends the data in any case, so it must be received. */
static void reject_bulk(const struct execution *execution, const struct cwi_request *request,
                        cw_error error)
{
  void *nowhere = cwi_bulk_buffer_take(bulk_bytes(request));
  cwi_deferred_error_record(execution->origin, error);
  receive_data(execution, request, nowhere, drop_data, nowhere);
  cwi_answer(execution->origin, request->tag, 1);
}

static cw_error check_update(const struct cwi_request *request)
{
  struct cwi_request_place place;
  CWI_TRY(execute_check_type(request));
  return cwi_request_check_rows(request, &place);
}

/* Starts a bulk update: posts the receive of its data, in place if possible. */
static void receive_bulk(const struct execution *execution, const struct cwi_request *request)
{
  const bool in_place = request->operation == CWI_WIRE_PUT && is_in_place(request);
  const cw_error error = check_update(request);
  if (error != CW_OK) {
    reject_bulk(execution, request, error);
    return;
  }
  struct inbound_bulk *inbound_bulk = cwi_bulk_buffer_must(sizeof *inbound_bulk);
  inbound_bulk->request = *request;
  inbound_bulk->data = in_place ? NULL : take_bulk(request);
  cwi_inbound_bulk_begin(&inbound_bulk->under_way, execution->origin);
  receive_data(execution, request, in_place ? cwi_address_at(request->offset) : inbound_bulk->data,
               arrived_bulk, inbound_bulk);
}

static void update_after(struct execution *execution, const struct cwi_request *request,
                         cw_error error)
{
  (void)request;
  if (error != CW_OK)
    cwi_deferred_error_record(execution->origin, error);
}

/* Executes a put or an accumulate. */
static void execute_update(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  if ((request->flags & CWI_WIRE_BULK) != 0) {
    receive_bulk(execution, request);
    return;
  }
  cw_error error = execute_check_type(request);
  if (error == CW_OK)
    error = execute_move(execution, request, data, NULL);
  execute_then(execution, request, error, update_after);
}

/* A bulk get. As for all bulk transfers, operations that must not overtake it wait at the origin.
 * So the origin's other requests need not wait here. */
struct leaving {
  int origin;
  struct cwi_request request;
  char *packed; /* packed data; NULL if MPI sends the data from the target's memory */
};

static void send_bulk(const struct leaving *leaving, cw_error error)
{
  const struct cwi_request *request = &leaving->request;
  MPI_Request send = MPI_REQUEST_NULL;
  if (error != CW_OK) {
    give_bulk(leaving->packed);
    cwi_get_error_send(leaving->origin, request->tag, cwi_get_error_add(NULL, error));
    return;
  }
  cwi_server_must(
      CWI_MPI(MPI_Isend(leaving->packed != NULL ? leaving->packed : cwi_address_at(request->offset),
                        (int)bulk_bytes(request), MPI_BYTE, cwi_origin_id_rank(leaving->origin),
                        (int)request->tag, cwi_world.all_comm, &send)));
  cwi_async_add(send, drop_data, leaving->packed);
}

static void bulk_received(void *context, cw_error error)
{
  send_bulk(context, error);
  free(context);
}

/* Executes a bulk get. Contiguous host memory of a region is sent in place. Other data is packed
 * first, perhaps by an agent. */
static void get_bulk(const struct execution *execution, const struct cwi_request *request)
{
  struct cwi_request_place place;
  struct cwi_agent_operation *agent_operation = NULL;
  struct leaving leaving = {execution->origin, *request, NULL};
  cw_error error = cwi_request_check_rows(request, &place);
  if (error == CW_OK && !is_in_place(request)) {
    leaving.packed = take_bulk(request);
    error = cwi_move_rows(request, leaving.packed, &agent_operation);
  }
  if (agent_operation == NULL) {
    send_bulk(&leaving, error);
    return;
  }
  struct leaving *deferred = cwi_bulk_buffer_must(sizeof *deferred);
  *deferred = leaving;
  cwi_agent_operations_add(agent_operation, bulk_received, deferred);
}

/* --- Gets ------------------------------------------------------------------------------------- */

/* Packs the data of a get into the reply that is being filled. */
static cw_error execute_pack(struct execution *execution, const struct cwi_request *request,
                             char *entries)
{
  const size_t bytes = request->run * request->rows;
  if (execution->reply == NULL) {
    execution->reply = cwi_reply_take(request->reply_bytes > cwi_reply_capacity(false));
    execution->bytes = 0;
  }
  const size_t capacity = cwi_reply_capacity(execution->reply->is_long);
  if (bytes > capacity - execution->bytes)
    return cwi_misuse("a get requests more than the %zu bytes of its reply", capacity);
  char *to = execution->reply->data + execution->bytes;
  execution->bytes += bytes;
  return execute_move(execution, request, entries, to);
}

/* Ends a get. The last get of a reply sends the reply, or the error. */
static void get_after(struct execution *execution, const struct cwi_request *request,
                      cw_error error)
{
  if (error != CW_OK)
    execution->why = cwi_get_error_add(execution->why, error);
  if ((request->flags & CWI_WIRE_LAST) == 0)
    return;
  if (execution->why != NULL) {
    cwi_reply_give(execution->reply);
    cwi_get_error_send(execution->origin, request->tag, execution->why);
  } else {
    cwi_reply_send(execution->origin, request->tag, execution->reply, execution->bytes);
  }
  execution->reply = execution->why = NULL;
}

static void execute_get(struct execution *execution, const struct cwi_request *request, char *data)
{
  if ((request->flags & CWI_WIRE_BULK) != 0)
    get_bulk(execution, request);
  else
    execute_then(execution, request, execute_pack(execution, request, data), get_after);
}

/* --- Other operations ------------------------------------------------------------------------- */

/* Checks and runs a fetching update. `before` receives request->run bytes, the old contents. */
static cw_error update_elements(const struct cwi_request *request, char *data, void *before)
{
  struct cwi_request_place place;
  CWI_TRY(cwi_request_find(request, &place));
  struct cwi_update update = {.operation = request->reduction,
                              .type = (cw_type)request->type,
                              .locked = (request->flags & CWI_WIRE_LOCK_FREE) == 0,
                              .process = request->process,
                              .remote = cwi_request_address(&place, request->offset),
                              .place = {.memory = place.named},
                              .local = data,
                              .before = before};
  CWI_TRY(cwi_update_check(update.operation, update.type));
  const size_t element = cwi_type_bytes[update.type];
  update.count = request->run / element;
  if (request->run % element != 0 || update.count == 0 ||
      (update.operation == CWI_COMPARE_SWAP && update.count != 1))
    return cwi_misuse("an update of type %d has %llu bytes, which is not a multiple of its size",
                      request->type, (unsigned long long)request->run);
  if (update.count == 1 && update.operation != CW_NO_OP)
    memcpy(update.operand.bytes, data, element);
  if (update.operation == CWI_COMPARE_SWAP)
    memcpy(update.expected.bytes, data + cwi_round_up(element, 8), element);
  CWI_TRY(cwi_update_locate(&update, execute_locate));
  if (place.named != NULL)
    return cwi_route_memory_handle.update(&update, true, NULL);
  cwi_direct_update(&update);
  return CW_OK;
}

/* Executes a fetching update. The old contents follow the head of the answer. */
static void update_and_fetch(struct execution *execution, const struct cwi_request *request,
                             char *data)
{
  const struct cwi_answer head = cwi_answer_head(execution->origin, 0);
  const size_t bytes = CWI_ANSWER_SHORT + request->run;
  struct cwi_reply *reply = cwi_reply_take(bytes > cwi_reply_capacity(false));
  const cw_error error = bytes <= cwi_reply_capacity(reply->is_long)
                             ? update_elements(request, data, reply->data + CWI_ANSWER_SHORT)
                             : cwi_misuse("an update requests more than a reply of %zu bytes",
                                          cwi_reply_capacity(true));
  if (error != CW_OK) {
    cwi_reply_give(reply);
    cwi_answer_error(execution->origin, request->tag, error);
    return;
  }
  memcpy(reply->data, &head, CWI_ANSWER_SHORT);
  cwi_reply_send(execution->origin, request->tag, reply, bytes);
}

/* Executes a notification, or defers it if it has to wait for bulk updates. */
static void execute_notify(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  (void)data;
  if ((request->flags & CWI_WIRE_BEHIND) == 0 ||
      !cwi_inbound_bulk_defer(execution->origin, request))
    execute_answered(execution->origin, request);
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
    cwi_answer_error(execution->origin, request->tag, error);
  else
    cwi_mutex_grant_wait(lock_of(request), execution->origin, request->tag);
}

static void try_lock(struct execution *execution, const struct cwi_request *request, char *data)
{
  (void)data;
  const cw_error error = check_lock(request);
  if (error != CW_OK)
    cwi_answer_error(execution->origin, request->tag, error);
  else
    cwi_answer(execution->origin, request->tag, cwi_ticket_try(lock_of(request)));
}

static void execute_unlock(struct execution *execution, const struct cwi_request *request,
                           char *data)
{
  (void)data;
  const cw_error error = check_lock(request);
  if (error != CW_OK)
    cwi_deferred_error_record(execution->origin, error);
  else
    cwi_ticket_release(lock_of(request));
}

static void query_after(struct execution *execution, const struct cwi_request *request,
                        cw_error error)
{
  cwi_answer(execution->origin, request->tag, error == CW_OK);
}

static void query(struct execution *execution, const struct cwi_request *request, char *data)
{
  (void)data;
  const struct cwi_request_place place = {.named = NULL};
  const char *address = cwi_request_address(&place, request->offset);
  const cw_error error = cwi_is_device_address(address)
                             ? cwi_device_agent_check_start(request->process, address, request->run,
                                                            &execution->agent_operation)
                             : cwi_request_check_run(request, &place, request->offset);
  execute_then(execution, request, error, query_after);
}

static void execute_fence(struct execution *execution, const struct cwi_request *request,
                          char *data)
{
  struct cwi_answer answer = cwi_answer_head(execution->origin, 0);
  (void)data;
  cwi_deferred_errors_answer(execution->origin, &answer);
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

/* Returns true if a transfer's sizes are valid and its data is in the batch. The sizes are checked
 * before they are multiplied, so that the product cannot overflow. */
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

/* Returns true if the request has a known operation, is for my node, and has its data in the batch.
 */
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

/* Rejects a malformed request. If the origin waits for an answer and the tag is valid, the answer
 * has the error; otherwise a fence returns it. */
static void reject_malformed(int origin, const struct cwi_request *request, size_t left)
{
  const cw_error error = cwi_misuse("a message holds a request that does not make sense");
  const bool wants_answer = left >= sizeof *request && is_reply_tag(request->tag);
  if (wants_answer && request->operation == CWI_WIRE_GET)
    cwi_get_error_send(origin, request->tag, cwi_get_error_add(NULL, error));
  else if (wants_answer && request->operation > CWI_WIRE_GET)
    cwi_answer_error(origin, request->tag, error);
  else
    cwi_deferred_error_record(origin, error);
}

/* Frees what is left at the end of a batch. */
static void execution_end(struct execution *execution)
{
  /* This reply is for gets whose last one is missing: the origin failed to send it, and has
   * reported that error itself. */
  if (execution->reply != NULL)
    cwi_reply_give(execution->reply);
  if (execution->why != NULL)
    cwi_reply_give(execution->why);
  execution->reply = execution->why = NULL;
  free(execution->own);
  execution->own = NULL;
}

/* Copies the rest of the batch, which is needed after the message's buffer has been released. */
static void execution_keep(struct execution *execution)
{
  const size_t left = (size_t)(execution->end - execution->at);
  execution->own = cwi_deferred_queue_copy(execution->at, left);
  execution->at = execution->own;
  execution->end = execution->own + left;
}

/* Executes the next request. If it is malformed, the rest of the batch is dropped. */
static void execute_next(struct execution *execution)
{
  const struct cwi_request *request = (const struct cwi_request *)(void *)execution->at;
  const size_t left = (size_t)(execution->end - execution->at);
  if (!is_sound(request, left)) {
    reject_malformed(execution->origin, request, left);
    execution->at = execution->end;
    return;
  }
  if (CWI_UNLIKELY(execution->own == NULL && cwi_request_needs_agent(request))) {
    execution_keep(execution);
    request = (const struct cwi_request *)(void *)execution->at;
  }
  char *data = execution->at + sizeof *request;
  execution->at = data + cwi_wire_data_bytes(request);
  handlers[request->operation](execution, request, data);
}

/* Executes requests until one needs an agent, or to the end of the batch. */
static void execute_on(struct execution *execution)
{
  while (execution->agent_operation == NULL && execution->at < execution->end)
    execute_next(execution);
  if (execution->agent_operation == NULL)
    execution_end(execution);
}

static struct execution execution_of(int origin, char *data, size_t bytes)
{
  return (struct execution){
      .origin = origin, .at = data + sizeof(struct cwi_request_batch), .end = data + bytes};
}

/* Executes the batches that have arrived from the origin meanwhile. */
static void execute_queue(struct execution *execution)
{
  struct cwi_deferred_batch next;
  while (execution->agent_operation == NULL && cwi_deferred_queue_next(execution->origin, &next)) {
    *execution = execution_of(execution->origin, next.data, next.bytes);
    execution->own = next.buffer == NULL ? next.data : NULL;
    execute_on(execution);
    if (next.buffer != NULL)
      cwi_request_buffer_release(next.buffer);
  }
}

/* Continues after an agent operation has ended. Executes the rest of the batch, then the origin's
 * queue. */
static void execute_resume(void *context, cw_error error)
{
  struct execution *execution = context;
  execution->agent_operation = NULL;
  free(execution->addresses);
  execution->addresses = NULL;
  execution->after(execution, execution->request, error);
  execute_on(execution);
  execute_queue(execution);
  if (execution->agent_operation != NULL)
    cwi_agent_operations_add(execution->agent_operation, execute_resume, execution);
  else
    free(execution);
}

void cwi_execute_batch(struct cwi_request_buffer *buffer, const struct cwi_request_batch *batch)
{
  const int origin = cwi_origin_id(batch->origin, cwi_request_batch_origin(batch));
  if (CWI_UNLIKELY(cwi_deferred_queue_join(origin, buffer, batch)))
    return;
  struct execution execution = execution_of(origin, (char *)(uintptr_t)batch, batch->bytes);
  execute_on(&execution);
  if (CWI_LIKELY(execution.agent_operation == NULL))
    return;
  struct execution *deferred = cwi_bulk_buffer_must(sizeof *deferred);
  *deferred = execution;
  cwi_deferred_queue_open(origin);
  cwi_agent_operations_add(deferred->agent_operation, execute_resume, deferred);
}

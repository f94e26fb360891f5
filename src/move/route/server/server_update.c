/* Fetching updates. Each fragment fits in a packet, and is a query whose answer holds the old
 * contents. Several fragments are in flight at a time. */
#include "route/server/server_route.h"

#include "base/settings.h"
#include "route/server/outbox.h"
#include "route/server/pending_request.h"
#include "route/server/server_request.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* Upper bound on outstanding answers. */
enum { MOST_EXCHANGES = 16 };

struct fetch_update {
  struct cwi_pending_request pending_request;
  char *before; /* receives the old contents; or NULL */
  size_t bytes;
  struct cwi_answer *longer; /* buffer of CW_SERVER_BUFFER bytes, allocated when first needed */
  uint64_t updates;          /* updates of the node before the query */
};

static cw_error fetch_update_arrived(struct cwi_pending_request *pending_request)
{
  const struct fetch_update *fetching = (const struct fetch_update *)pending_request;
  const struct cwi_answer *answer = cwi_server_query_answer(&pending_request->query);
  if (answer->rejected == 0 && fetching->before != NULL)
    memcpy(fetching->before, answer->message, fetching->bytes);
  cwi_updates_answered(pending_request->query.node, fetching->updates, answer->error_batch);
  return CW_OK;
}

static void server_update_strip(struct cwi_pending_request *pending_request)
{
  free(((struct fetch_update *)pending_request)->longer);
}

static struct cwi_pending_requests server_update_requests[CWI_ORIGINS];
static const struct cwi_pending_request_kind fetch_update_kind = {.lists = server_update_requests,
                                                                  .bytes =
                                                                      sizeof(struct fetch_update),
                                                                  .most = MOST_EXCHANGES,
                                                                  .arrived = fetch_update_arrived,
                                                                  .strip = server_update_strip};

void cwi_server_updates_stop(void)
{
  cwi_pending_requests_stop(&fetch_update_kind);
}

/* Returns a record for `bytes` bytes, or NULL if there is no memory. The answer holds the old
 * contents, which may need a longer buffer than other answers. */
static struct fetch_update *fetch_update_take(int node, size_t bytes)
{
  struct fetch_update *fetching = cwi_pending_request_take(&fetch_update_kind, node);
  if (fetching == NULL)
    return NULL;
  struct cwi_server_query *query = &fetching->pending_request.query;
  fetching->bytes = bytes;
  if (CWI_ANSWER_SHORT + bytes <= sizeof query->answer)
    return fetching;
  query->capacity = (size_t)cwi_settings.server_buffer;
  if (fetching->longer == NULL)
    fetching->longer = malloc(query->capacity);
  query->longer = fetching->longer;
  if (query->longer != NULL)
    return fetching;
  cwi_pending_request_release(&fetching->pending_request);
  return NULL;
}

/* --- Sending ---------------------------------------------------------------------------------- */

/* Returns the request for `bytes` bytes at offset `done` of the update. */
static struct cwi_request request_for(const struct cwi_update *update, size_t done, size_t bytes)
{
  struct cwi_request request =
      cwi_request_at(CWI_WIRE_UPDATE, update->process, (const char *)update->remote + done, bytes);
  request.type = (uint8_t)update->type;
  request.reduction = (uint8_t)update->operation;
  request.flags = update->locked ? 0 : CWI_WIRE_LOCK_FREE;
  cwi_request_name(&request, update->place.memory, (const char *)update->remote + done);
  return request;
}

static cw_error server_update_request(struct fetch_update *fetching,
                                      const struct cwi_update *update, size_t done)
{
  const int node = cwi_world.node_of[update->process];
  const char *operands = cwi_update_operands(update);
  const bool swaps = update->operation == CWI_COMPARE_SWAP;
  const struct cwi_operands carried = {update->operation != CW_NO_OP ? operands + done : NULL,
                                       swaps ? update->expected.bytes : NULL};
  struct cwi_request request = request_for(update, done, fetching->bytes);
  return cwi_server_query_send(&fetching->pending_request.query, node, &request, carried);
}

/* Starts one fragment. After an error its record has been released. */
static cw_error fetch_update_start(const struct cwi_update *update, size_t done, size_t bytes,
                                   struct cwi_waiters *waiters)
{
  const int node = cwi_world.node_of[update->process];
  CWI_TRY(cwi_pending_requests_make_space(&fetch_update_kind));
  struct fetch_update *fetching = fetch_update_take(node, bytes);
  if (fetching == NULL)
    return cwi_outside("no memory for an update of %zu bytes", bytes);
  fetching->before = update->before != NULL ? (char *)update->before + done : NULL;
  fetching->updates = cwi_updates_count(node);
  const cw_error error = server_update_request(fetching, update, done);
  if (error != CW_OK) {
    cwi_pending_request_release(&fetching->pending_request);
    return error;
  }
  cwi_pending_request_begin(&fetching->pending_request);
  return cwi_waiters_add(waiters, &fetching->pending_request, update->process);
}

/* Returns the number of bytes, in whole elements, that fit in a packet and in a reply. */
static size_t most_bytes(const struct cwi_update *update)
{
  const size_t head = sizeof(struct cwi_request_batch) + sizeof(struct cwi_request) + 32;
  const size_t capacity = (size_t)cwi_settings.server_buffer - head;
  return capacity / cwi_type_bytes[update->type] * cwi_type_bytes[update->type];
}

static cw_error start_fragments(const struct cwi_update *update, struct cwi_waiters *waiters)
{
  const size_t all = cwi_update_bytes(update), most = most_bytes(update);
  for (size_t done = 0; done < all; done += most)
    CWI_TRY(fetch_update_start(update, done, all - done < most ? all - done : most, waiters));
  return CW_OK;
}

cw_error cwi_server_update_run(const struct cwi_update *update, bool blocking, cw_handle *handle)
{
  struct cwi_waiters waiters = {NULL, NULL};
  cw_error error = start_fragments(update, &waiters);
  if (!blocking) /* a fence has to cover the update, because the answer to a fragment shows only
                    that this fragment is complete */
    cwi_updates_add(cwi_world.node_of[update->process]);
  if (error == CW_OK && !blocking)
    error = cwi_outbox_send(cwi_world.node_of[update->process]);
  return cwi_waiters_leave(&waiters, error, blocking, handle);
}

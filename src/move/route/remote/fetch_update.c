/* Fetching updates: a fragment fits in a packet, and is a question whose answer holds what was
 * there. Several fragments are under way at a time. */
#include "route/remote/fetch_update.h"

#include "base/settings.h"
#include "route/remote/errand.h"
#include "route/remote/outbox.h"
#include "route/remote/request.h"
#include "route/remote/updates.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* Answers that may be outstanding. */
enum { MOST_EXCHANGES = 16 };

struct fetch_update {
  struct cwi_errand errand;
  char *before; /* receives the old contents; or NULL */
  size_t bytes;
  struct cwi_answer *longer; /* CW_SERVER_BUFFER bytes, once they have been needed */
  uint64_t updates;          /* of the node, when it was asked */
};

static cw_error fetch_update_arrived(struct cwi_errand *errand)
{
  const struct fetch_update *fetching = (const struct fetch_update *)errand;
  const struct cwi_answer *answer = cwi_question_answer(&errand->question);
  if (answer->refused == 0 && fetching->before != NULL)
    memcpy(fetching->before, answer->sentence, fetching->bytes);
  cwi_updates_answered(errand->question.node, fetching->updates, answer->batch);
  return CW_OK;
}

static void fetch_update_strip(struct cwi_errand *errand)
{
  free(((struct fetch_update *)errand)->longer);
}

static struct cwi_errands fetch_update_books[CWI_ORIGINS];
static const struct cwi_errand_kind fetch_update_kind = {.books = fetch_update_books,
                                                         .bytes = sizeof(struct fetch_update),
                                                         .most = MOST_EXCHANGES,
                                                         .arrived = fetch_update_arrived,
                                                         .strip = fetch_update_strip};

void cwi_fetch_updates_stop(void)
{
  cwi_errands_stop(&fetch_update_kind);
}

/* The answer holds what was there: that may need more room than answers have. */
static struct fetch_update *fetch_update_take(int node, size_t bytes)
{
  struct fetch_update *fetching = cwi_errand_take(&fetch_update_kind, node);
  if (fetching == NULL)
    return NULL;
  struct cwi_question *question = &fetching->errand.question;
  fetching->bytes = bytes;
  if (CWI_ANSWER_SHORT + bytes <= sizeof question->answer)
    return fetching;
  question->room = (size_t)cwi_settings.server_buffer;
  if (fetching->longer == NULL)
    fetching->longer = malloc(question->room);
  question->longer = fetching->longer;
  if (question->longer != NULL)
    return fetching;
  cwi_errand_release(&fetching->errand);
  return NULL;
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* What is to be done with `bytes` bytes, `done` bytes behind the first. */
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

static cw_error fetch_update_ask(struct fetch_update *fetching, const struct cwi_update *update,
                                 size_t done)
{
  const int node = cwi_world.node_of[update->process];
  const char *operands = cwi_update_operands(update);
  const bool swaps = update->operation == CWI_COMPARE_SWAP;
  const struct cwi_operands carried = {update->operation != CW_NO_OP ? operands + done : NULL,
                                       swaps ? update->expected.bytes : NULL};
  struct cwi_request request = request_for(update, done, fetching->bytes);
  return cwi_question_send(&fetching->errand.question, node, &request, carried);
}

/* If it cannot be asked for, nothing of it is left. */
static cw_error fetch_update_start(const struct cwi_update *update, size_t done, size_t bytes,
                                   struct cwi_waiters *waiters)
{
  const int node = cwi_world.node_of[update->process];
  CWI_TRY(cwi_errands_make_room(&fetch_update_kind));
  struct fetch_update *fetching = fetch_update_take(node, bytes);
  if (fetching == NULL)
    return cwi_outside("no memory for an update of %zu bytes", bytes);
  fetching->before = update->before != NULL ? (char *)update->before + done : NULL;
  fetching->updates = cwi_updates_count(node);
  const cw_error error = fetch_update_ask(fetching, update, done);
  if (error != CW_OK) {
    cwi_errand_release(&fetching->errand);
    return error;
  }
  cwi_errand_begin(&fetching->errand);
  return cwi_waiters_add(waiters, &fetching->errand, update->process);
}

/* What fits in a packet and in a reply. */
static size_t most_bytes(const struct cwi_update *update)
{
  const size_t head = sizeof(struct cwi_parcel) + sizeof(struct cwi_request) + 32;
  const size_t room = (size_t)cwi_settings.server_buffer - head;
  return room / cwi_type_bytes[update->type] * cwi_type_bytes[update->type];
}

static cw_error start_fragments(const struct cwi_update *update, struct cwi_waiters *waiters)
{
  const size_t all = cwi_update_bytes(update), most = most_bytes(update);
  for (size_t done = 0; done < all; done += most)
    CWI_TRY(fetch_update_start(update, done, all - done < most ? all - done : most, waiters));
  return CW_OK;
}

cw_error cwi_fetch_update_run(const struct cwi_update *update, bool blocking, cw_handle *handle)
{
  struct cwi_waiters waiters = {NULL, NULL};
  cw_error error = start_fragments(update, &waiters);
  if (!blocking) /* a fence has to look there; none of these answers tells that all are complete */
    cwi_updates_add(cwi_world.node_of[update->process]);
  if (error == CW_OK && !blocking)
    error = cwi_outbox_send(cwi_world.node_of[update->process]);
  return cwi_waiters_leave(&waiters, error, blocking, handle);
}

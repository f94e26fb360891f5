/* Fetching updates: a piece fits in a packet, and is a question whose answer holds what was there.
 * Several pieces are under way at a time. */
#include "route/remote/exchange.h"

#include "base/settings.h"
#include "base/spare.h"
#include "link/await.h"
#include "link/tags.h"
#include "mpi/origin.h"
#include "route/remote/ask.h"
#include "route/remote/outbox.h"
#include "route/remote/request.h"
#include "route/remote/updates.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* Answers that may be outstanding. */
enum { MOST_EXCHANGES = 16 };

struct exchange {
  struct cwi_pending pending;
  struct cwi_question question;
  struct exchange *next;      /* those that have not been answered, oldest first */
  struct exchange *following; /* in the same call */
  char *before;               /* receives the old contents; or NULL */
  size_t bytes;
  struct cwi_answer *longer; /* CW_SERVER_BUFFER bytes, once they have been needed */
  uint32_t updates;          /* of the node, when it was asked */
  bool done;
  int references; /* the list's, its owner's, and those of threads that wait */
};

/* Of each origin; its lock guards this. A thread lets go of it while it waits. */
static struct book {
  struct exchange *oldest CWI_OF_ORIGIN;
  int outstanding;
  struct cwi_spare *spare; /* with their buffers */
} books[CWI_ORIGINS];

static struct book *book(void)
{
  return &books[cwi_origin];
}

/* --- Records ---------------------------------------------------------------------------------- */

static struct exchange *take_exchange(size_t bytes)
{
  const size_t room = (size_t)cwi_settings.server_buffer;
  struct exchange *exchange = cwi_spare_take(&book()->spare, sizeof *exchange);
  if (exchange == NULL)
    return NULL;
  struct cwi_answer *longer = exchange->longer;
  const bool is_long = CWI_ANSWER_SHORT + bytes > sizeof exchange->question.answer;
  if (is_long && longer == NULL) {
    longer = malloc(room);
    if (longer == NULL) {
      cwi_spare_give(&book()->spare, exchange);
      return NULL;
    }
  }
  *exchange = (struct exchange){.bytes = bytes, .longer = longer, .references = 1};
  exchange->question.longer = is_long ? longer : NULL;
  exchange->question.room = room;
  return exchange;
}

static void release_exchange(struct exchange *exchange)
{
  if (--exchange->references == 0)
    cwi_spare_give(&book()->spare, exchange);
}

void cwi_exchanges_stop(void)
{
  struct exchange *exchange = NULL;
  while ((exchange = cwi_spare_find(&book()->spare)) != NULL) {
    free(exchange->longer);
    free(exchange);
  }
}

static void list(struct exchange *exchange)
{
  struct exchange **link = &book()->oldest;
  while (*link != NULL)
    link = &(*link)->next;
  *link = exchange;
  book()->outstanding++;
  exchange->references++;
}

static void unlist(const struct exchange *exchange)
{
  struct exchange **link = &book()->oldest;
  while (*link != exchange)
    link = &(*link)->next;
  *link = exchange->next;
  book()->outstanding--;
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* Several threads may have waited: the first does the rest. */
static void answered(struct exchange *exchange)
{
  const struct cwi_answer *answer = cwi_question_answer(&exchange->question);
  if (exchange->done)
    return;
  exchange->done = true;
  if (answer->refused == 0 && exchange->before != NULL)
    memcpy(exchange->before, answer->sentence, exchange->bytes);
  cwi_updates_answered(exchange->question.node, exchange->updates, answer->batch);
  cwi_tag_give(exchange->question.tag);
  unlist(exchange);
  release_exchange(exchange);
}

/* Look for the answer of one that is listed, or wait; other threads go on meanwhile. */
static cw_error finish(struct exchange *exchange, bool wait)
{
  struct cwi_arrival *reply = &exchange->question.reply;
  cw_error error = CW_OK;
  bool here = true;
  if (exchange->done)
    return CW_OK;
  exchange->references++;
  error =
      wait ? cwi_await_unlocked(reply, exchange->question.node) : cwi_arrival_look(reply, &here);
  if (error == CW_OK && here)
    answered(exchange);
  release_exchange(exchange);
  return error;
}

static cw_error outcome(const struct exchange *exchange)
{
  return exchange->done ? cwi_question_judge(&exchange->question) : CW_OK;
}

static cw_error complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct exchange *exchange = (struct exchange *)pending;
  CWI_TRY(finish(exchange, wait));
  *done = exchange->done;
  return outcome(exchange);
}

static void release(struct cwi_pending *pending)
{
  release_exchange((struct exchange *)pending);
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

static cw_error ask(struct exchange *exchange, const struct cwi_update *update, size_t done)
{
  const int node = cwi_world.node_of[update->process];
  const char *operands = cwi_update_operands(update);
  const bool swaps = update->operation == CWI_COMPARE_SWAP;
  const struct cwi_operands carried = {update->operation != CW_NO_OP ? operands + done : NULL,
                                       swaps ? update->expected.bytes : NULL};
  struct cwi_request request = request_for(update, done, exchange->bytes);
  return cwi_question_send(&exchange->question, node, &request, carried);
}

/* If it cannot be asked for, nothing of it is left. */
static cw_error start(const struct cwi_update *update, size_t done, size_t bytes,
                      struct exchange **started)
{
  while (book()->outstanding >= MOST_EXCHANGES)
    CWI_TRY(finish(book()->oldest, true));
  struct exchange *exchange = take_exchange(bytes);
  if (exchange == NULL)
    return cwi_outside("no memory for an update of %zu bytes", bytes);
  exchange->pending =
      (struct cwi_pending){.process = update->process, .complete = complete, .release = release};
  exchange->before = update->before != NULL ? (char *)update->before + done : NULL;
  exchange->updates = cwi_updates_count(cwi_world.node_of[update->process]);
  const cw_error error = ask(exchange, update, done);
  if (error != CW_OK) {
    release_exchange(exchange);
    return error;
  }
  list(exchange);
  *started = exchange;
  return CW_OK;
}

/* What fits in a packet and in a reply. */
static size_t most_bytes(const struct cwi_update *update)
{
  const size_t head = sizeof(struct cwi_parcel) + sizeof(struct cwi_request) + 32;
  const size_t room = (size_t)cwi_settings.server_buffer - head;
  return room / cwi_type_bytes[update->type] * cwi_type_bytes[update->type];
}

static cw_error start_pieces(const struct cwi_update *update, struct exchange **first)
{
  const size_t all = cwi_update_bytes(update), most = most_bytes(update);
  struct exchange **link = first;
  for (size_t done = 0; done < all;) {
    const size_t bytes = all - done < most ? all - done : most;
    CWI_TRY(start(update, done, bytes, link));
    CWI_ASSERT(*link != NULL);
    link = &(*link)->following;
    done += bytes;
  }
  return CW_OK;
}

/* All that were asked for are waited for: the answers go to the program's memory. The first error
 * counts. */
static cw_error wait_all(struct exchange *exchange, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  while (exchange != NULL) {
    struct exchange *following = exchange->following;
    const cw_error finished = finish(exchange, true);
    cwi_first_note(&first, finished != CW_OK ? finished : outcome(exchange));
    release_exchange(exchange);
    exchange = following;
  }
  return cwi_first_return(&first);
}

/* Those that cannot be attached are waited for. */
static cw_error attach_all(struct exchange *exchange, cw_handle *handle)
{
  while (exchange != NULL) {
    struct exchange *following = exchange->following;
    const cw_error error = cwi_handle_attach(handle, &exchange->pending);
    if (error != CW_OK)
      return wait_all(exchange, error);
    exchange = following;
  }
  return CW_OK;
}

cw_error cwi_exchange_run(const struct cwi_update *update, bool blocking, cw_handle *handle)
{
  struct exchange *first = NULL;
  cw_error error = start_pieces(update, &first);
  if (!blocking) /* a fence has to look there; none of these answers tells that all are complete */
    cwi_updates_add(cwi_world.node_of[update->process]);
  if (error == CW_OK && !blocking)
    error = cwi_outbox_send(cwi_world.node_of[update->process]);
  return blocking || error != CW_OK ? wait_all(first, error) : attach_all(first, handle);
}

/* Answers and data for origins, and the errors of rejected requests. */
#include "execution/reply.h"

#include "base/free_list.h"
#include "base/settings.h"
#include "execution/async_operations.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Errors ----------------------------------------------------------------------------------- */

/* The last batch of errors of an origin (link/wire_format.h). */
struct deferred_error {
  int origin;
  uint32_t error_batch; /* number of the batch */
  bool reported;        /* a fence has reported the batch, so the next error begins another batch */
  uint32_t count;
  char message[sizeof((struct cwi_answer *)NULL)->message]; /* message of the first error */
  struct deferred_error *next;
};

static struct deferred_error *deferred_errors;

static struct deferred_error *find_deferred_error(int origin)
{
  struct deferred_error *deferred_error = deferred_errors;
  while (deferred_error != NULL && deferred_error->origin != origin)
    deferred_error = deferred_error->next;
  return deferred_error;
}

/* Creates the record for an origin that has none. */
static struct deferred_error *make_deferred_error(int origin)
{
  struct deferred_error *deferred_error = calloc(1, sizeof *deferred_error);
  if (deferred_error == NULL)
    cwi_abort("the server has no memory to remember a rejected request", 1);
  *deferred_error =
      (struct deferred_error){.origin = origin, .reported = true, .next = deferred_errors};
  deferred_errors = deferred_error;
  return deferred_error;
}

/* Counts an error. If the error begins a batch, keeps the message that this thread has just
 * recorded. */
void cwi_deferred_error_record(int origin, cw_error error)
{
  struct deferred_error *deferred_error = find_deferred_error(origin);
  CWI_ASSERT(error != CW_OK);
  if (deferred_error == NULL)
    deferred_error = make_deferred_error(origin);
  if (deferred_error->reported) {
    deferred_error->reported = false;
    deferred_error->error_batch++;
    deferred_error->count = 0;
    snprintf(deferred_error->message, sizeof deferred_error->message, "%s", cwi_error_message());
  }
  deferred_error->count++;
}

void cwi_deferred_errors_answer(int origin, struct cwi_answer *answer)
{
  struct deferred_error *deferred_error = find_deferred_error(origin);
  if (CWI_LIKELY(deferred_error == NULL))
    return;
  deferred_error->reported = true;
  answer->rejected = deferred_error->count;
  memcpy(answer->message, deferred_error->message, sizeof answer->message);
}

/* --- Answers and replies ---------------------------------------------------------------------- */

/* Replies that are kept for reuse, because page faults on new memory cost more than the copy into
 * it. */
static struct cwi_free_list *spare[2]; /* short, long */
static int spare_long;
enum { KEPT_LONG = 64 };

size_t cwi_reply_capacity(bool is_long)
{
  return is_long ? (size_t)cwi_settings.server_buffer : sizeof(struct cwi_answer);
}

struct cwi_reply *cwi_reply_take(bool is_long)
{
  struct cwi_reply *reply = cwi_free_list_pop(&spare[is_long]);
  if (reply != NULL) {
    spare_long -= is_long;
    return reply;
  }
  reply = malloc(sizeof *reply + cwi_reply_capacity(is_long));
  if (reply == NULL)
    cwi_abort("the server has no memory for a reply", 1);
  reply->is_long = is_long;
  return reply;
}

void cwi_reply_give(struct cwi_reply *reply)
{
  if (reply->is_long && spare_long >= KEPT_LONG) {
    free(reply);
    return;
  }
  spare_long += reply->is_long;
  cwi_free_list_give(&spare[reply->is_long], reply);
}

static void reply_sent(void *context, const MPI_Status *status)
{
  (void)status;
  cwi_reply_give(context);
}

void cwi_reply_send(int origin, uint32_t tag, struct cwi_reply *reply, size_t bytes)
{
  MPI_Request request = MPI_REQUEST_NULL;
  cwi_server_must(CWI_MPI(MPI_Isend(reply->data, (int)bytes, MPI_BYTE, cwi_origin_id_rank(origin),
                                    (int)tag, cwi_world.all_comm, &request)));
  cwi_async_start(request, reply_sent, reply);
}

void cwi_answer_send(int origin, uint32_t tag, const struct cwi_answer *answer)
{
  struct cwi_reply *reply = cwi_reply_take(false);
  const size_t bytes = answer->rejected != 0 ? sizeof *answer : CWI_ANSWER_SHORT;
  memcpy(reply->data, answer, bytes);
  cwi_reply_send(origin, tag, reply, bytes);
}

struct cwi_answer cwi_answer_head(int origin, int64_t value)
{
  const struct deferred_error *deferred_error = find_deferred_error(origin);
  return (struct cwi_answer){
      .value = value, .error_batch = deferred_error != NULL ? deferred_error->error_batch : 0};
}

void cwi_answer(int origin, uint32_t tag, int64_t value)
{
  const struct cwi_answer answer = cwi_answer_head(origin, value);
  cwi_answer_send(origin, tag, &answer);
}

/* Puts the message that this thread has just recorded into an answer. */
static struct cwi_answer deferred_error_now(struct cwi_answer answer, cw_error error)
{
  answer.rejected = 1;
  CWI_ASSERT(error != CW_OK);
  snprintf(answer.message, sizeof answer.message, "%s", cwi_error_message());
  return answer;
}

void cwi_answer_error(int origin, uint32_t tag, cw_error error)
{
  const struct cwi_answer answer = deferred_error_now(cwi_answer_head(origin, 0), error);
  cwi_answer_send(origin, tag, &answer);
}

struct cwi_reply *cwi_get_error_add(struct cwi_reply *why, cw_error error)
{
  const struct cwi_answer answer = deferred_error_now((struct cwi_answer){.value = 0}, error);
  if (why != NULL) {
    ((struct cwi_answer *)(void *)why->data)->rejected++;
    return why;
  }
  why = cwi_reply_take(false);
  memcpy(why->data, &answer, sizeof answer);
  return why;
}

void cwi_get_error_send(int origin, uint32_t tag, struct cwi_reply *why)
{
  cwi_reply_send(origin, tag, cwi_reply_take(false), 0);
  cwi_reply_send(origin, tag, why, sizeof(struct cwi_answer));
}

void cwi_replies_stop(void)
{
  for (int kind = 0; kind < 2; kind++)
    cwi_free_list_free(&spare[kind]);
  spare_long = 0;
  while (deferred_errors != NULL) {
    struct deferred_error *deferred_error = deferred_errors;
    deferred_errors = deferred_error->next;
    free(deferred_error);
  }
}

/* Answers and data for origins, and what was refused to whom. */
#include "server/reply.h"

#include "base/settings.h"
#include "base/spare.h"
#include "mpi/call.h"
#include "server/async.h"
#include "server/request_buffer.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Refusals --------------------------------------------------------------------------------- */

/* The last batch of what was refused to an origin (link/wire.h). */
struct refusal {
  int origin;
  uint32_t batch; /* its number */
  bool told;      /* to a fence: what is refused from now on is another batch */
  uint32_t count;
  char sentence[sizeof((struct cwi_answer *)NULL)->sentence]; /* of the first */
  struct refusal *next;
};

static struct refusal *refusals;

static struct refusal *find_refusal(int origin)
{
  struct refusal *refusal = refusals;
  while (refusal != NULL && refusal->origin != origin)
    refusal = refusal->next;
  return refusal;
}

/* Of an origin to which nothing was refused before. */
static struct refusal *make_refusal(int origin)
{
  struct refusal *refusal = calloc(1, sizeof *refusal);
  if (refusal == NULL)
    cwi_abort("the server has no memory to remember a refused request", 1);
  *refusal = (struct refusal){.origin = origin, .told = true, .next = refusals};
  refusals = refusal;
  return refusal;
}

/* Remember the sentence that this thread has just recorded. */
void cwi_refuse(int origin, cw_error error)
{
  struct refusal *refusal = find_refusal(origin);
  CWI_ASSERT(error != CW_OK);
  if (refusal == NULL)
    refusal = make_refusal(origin);
  if (refusal->told) {
    refusal->told = false;
    refusal->batch++;
    refusal->count = 0;
    snprintf(refusal->sentence, sizeof refusal->sentence, "%s", cwi_sentence());
  }
  refusal->count++;
}

void cwi_refusals_tell(int origin, struct cwi_answer *answer)
{
  struct refusal *refusal = find_refusal(origin);
  if (CWI_LIKELY(refusal == NULL))
    return;
  refusal->told = true;
  answer->refused = refusal->count;
  memcpy(answer->sentence, refusal->sentence, sizeof answer->sentence);
}

/* --- Answers and replies ---------------------------------------------------------------------- */

/* Memory fresh from the system costs more than the copy into it: both kinds are kept. */
static struct cwi_spare *spare[2]; /* short, long */
static int spare_long;
enum { KEPT_LONG = 64 };

size_t cwi_reply_capacity(bool is_long)
{
  return is_long ? (size_t)cwi_settings.server_buffer : sizeof(struct cwi_answer);
}

struct cwi_reply *cwi_reply_take(bool is_long)
{
  struct cwi_reply *reply = cwi_spare_find(&spare[is_long]);
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
  cwi_spare_give(&spare[reply->is_long], reply);
}

static void reply_sent(void *context, const MPI_Status *status)
{
  (void)status;
  cwi_reply_give(context);
}

void cwi_reply_send(int origin, uint32_t tag, struct cwi_reply *reply, size_t bytes)
{
  MPI_Request request = MPI_REQUEST_NULL;
  cwi_server_must(CWI_MPI(MPI_Isend(reply->data, (int)bytes, MPI_BYTE, cwi_party_rank(origin),
                                    (int)tag, cwi_world.all_comm, &request)));
  cwi_async_start(request, reply_sent, reply);
}

void cwi_answer_send(int origin, uint32_t tag, const struct cwi_answer *answer)
{
  struct cwi_reply *reply = cwi_reply_take(false);
  const size_t bytes = answer->refused != 0 ? sizeof *answer : CWI_ANSWER_SHORT;
  memcpy(reply->data, answer, bytes);
  cwi_reply_send(origin, tag, reply, bytes);
}

struct cwi_answer cwi_answer_head(int origin, int64_t value)
{
  const struct refusal *refusal = find_refusal(origin);
  return (struct cwi_answer){.value = value, .batch = refusal != NULL ? refusal->batch : 0};
}

void cwi_answer(int origin, uint32_t tag, int64_t value)
{
  const struct cwi_answer answer = cwi_answer_head(origin, value);
  cwi_answer_send(origin, tag, &answer);
}

/* With the sentence that this thread has just recorded. */
static struct cwi_answer refusal_now(struct cwi_answer answer, cw_error error)
{
  answer.refused = 1;
  CWI_ASSERT(error != CW_OK);
  snprintf(answer.sentence, sizeof answer.sentence, "%s", cwi_sentence());
  return answer;
}

void cwi_answer_refused(int origin, uint32_t tag, cw_error error)
{
  const struct cwi_answer answer = refusal_now(cwi_answer_head(origin, 0), error);
  cwi_answer_send(origin, tag, &answer);
}

struct cwi_reply *cwi_get_refuse(struct cwi_reply *why, cw_error error)
{
  const struct cwi_answer answer = refusal_now((struct cwi_answer){.value = 0}, error);
  if (why != NULL) {
    ((struct cwi_answer *)(void *)why->data)->refused++;
    return why;
  }
  why = cwi_reply_take(false);
  memcpy(why->data, &answer, sizeof answer);
  return why;
}

void cwi_get_refused(int origin, uint32_t tag, struct cwi_reply *why)
{
  cwi_reply_send(origin, tag, cwi_reply_take(false), 0);
  cwi_reply_send(origin, tag, why, sizeof(struct cwi_answer));
}

void cwi_replies_stop(void)
{
  for (int kind = 0; kind < 2; kind++)
    cwi_spare_free(&spare[kind]);
  spare_long = 0;
  while (refusals != NULL) {
    struct refusal *refusal = refusals;
    refusals = refusal->next;
    free(refusal);
  }
}

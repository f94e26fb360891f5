/* Messages from the server to origins: answers, data of gets, errors. */
#ifndef CWI_EXECUTION_REPLY_H
#define CWI_EXECUTION_REPLY_H

#include "base/error.h"
#include "base/free_list.h"
#include "link/wire_format.h"
#include "team/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Servers identify an origin by one number, the origin id: its process plus, for each origin before
 * it in that process, the number of all processes. Errors go to the origin whose request was
 * rejected. */
static inline int cwi_origin_id(int process, uint32_t origin)
{
  return process + (int)origin * cwi_world.processes;
}

/* Returns the MPI rank of an origin's process. */
static inline int cwi_origin_id_rank(int origin_id)
{
  return cwi_world.rank_of[origin_id % cwi_world.processes];
}

/* A message to an origin. */
struct cwi_reply {
  struct cwi_free_list spare;
  uint64_t is_long; /* 0 or 1; also aligns `data` to 16 */
  char data[];
};

/* cwi_reply_capacity returns the bytes of a short or long reply. cwi_reply_take ends the job if
 * there is no memory. */
size_t cwi_reply_capacity(bool is_long);
struct cwi_reply *cwi_reply_take(bool is_long);

/* Send a reply, which is given back when it has left; give one back unsent. */
void cwi_reply_send(int origin, uint32_t tag, struct cwi_reply *reply, size_t bytes);
void cwi_reply_give(struct cwi_reply *reply);

/* Returns the head of an answer to an origin, with the number of its last error batch. */
struct cwi_answer cwi_answer_head(int origin, int64_t value);

/* Send an answer; answer a rejected request with the message that this thread has just recorded. */
void cwi_answer(int origin, uint32_t tag, int64_t value);
void cwi_answer_error(int origin, uint32_t tag, cw_error error);

/* cwi_get_error_add keeps that message for a get, or counts one more error of the same reply. `why`
 * is the result of the last call, or NULL. cwi_get_error_send then answers with no data, followed
 * by `why` (link/wire_format.h). */
struct cwi_reply *cwi_get_error_add(struct cwi_reply *why, cw_error error);
void cwi_get_error_send(int origin, uint32_t tag, struct cwi_reply *why);

/* cwi_deferred_error_record keeps that message for an origin that waits for no answer.
 * cwi_deferred_errors_answer puts the origin's last batch of errors into the answer to a fence,
 * even if an earlier answer had it. */
void cwi_deferred_error_record(int origin, cw_error error);
void cwi_deferred_errors_answer(int origin, struct cwi_answer *answer);

/* Sends `answer` unchanged. */
void cwi_answer_send(int origin, uint32_t tag, const struct cwi_answer *answer);

/* Frees spare replies and the records of errors. */
void cwi_replies_stop(void);
#endif

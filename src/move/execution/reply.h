/* Messages from the server to origins: answers, data of gets, errors. */
#pragma once

#include "base/error.h"
#include "base/free_list.h"
#include "link/wire_format.h"
#include "team/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Servers identify an origin by one number, the origin id: process + origin * number of processes,
 * where `origin` is the number of the origin in its process. An error is returned to the origin
 * whose request was rejected. */
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

/* cwi_reply_capacity returns the size of a short or long reply in bytes. cwi_reply_take allocates a
 * reply, and ends the job if there is no memory. */
size_t cwi_reply_capacity(bool is_long);
struct cwi_reply *cwi_reply_take(bool is_long);

/* cwi_reply_send sends a reply, and releases it when MPI has sent it. cwi_reply_give releases a
 * reply without sending it. */
void cwi_reply_send(int origin, uint32_t tag, struct cwi_reply *reply, size_t bytes);
void cwi_reply_give(struct cwi_reply *reply);

/* Returns the head of an answer to an origin. It has the number of the origin's last error batch.
 */
struct cwi_answer cwi_answer_head(int origin, int64_t value);

/* cwi_answer sends an answer. cwi_answer_error answers a rejected request with the error message
 * that this thread has just recorded. */
void cwi_answer(int origin, uint32_t tag, int64_t value);
void cwi_answer_error(int origin, uint32_t tag, cw_error error);

/* cwi_get_error_add is called for each get of a reply that is rejected. `why` is the result of the
 * previous call for the same reply, or NULL for the first one. The first call keeps the error
 * message that this thread has just recorded; later calls only count errors. cwi_get_error_send
 * sends a reply without data, followed by `why` (link/wire_format.h). */
struct cwi_reply *cwi_get_error_add(struct cwi_reply *why, cw_error error);
void cwi_get_error_send(int origin, uint32_t tag, struct cwi_reply *why);

/* cwi_deferred_error_record keeps the error message that this thread has just recorded, for an
 * origin that waits for no answer. cwi_deferred_errors_answer puts the origin's last batch of
 * errors into the answer to a fence, even if an earlier answer contained it. */
void cwi_deferred_error_record(int origin, cw_error error);
void cwi_deferred_errors_answer(int origin, struct cwi_answer *answer);

/* Sends `answer` unchanged. */
void cwi_answer_send(int origin, uint32_t tag, const struct cwi_answer *answer);

/* Frees spare replies and the records of errors. */
void cwi_replies_stop(void);

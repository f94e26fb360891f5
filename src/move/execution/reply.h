/* What the server sends to origins: answers, data of gets, and what it had to refuse. */
#ifndef CWI_EXECUTION_REPLY_H
#define CWI_EXECUTION_REPLY_H

#include "base/error.h"
#include "base/free_list.h"
#include "link/wire_format.h"
#include "team/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Servers name an origin by one number: its process plus, for each origin before it there, all
 * processes. What is refused is told to the origin that asked for it. */
static inline int cwi_origin_id(int process, uint32_t origin)
{
  return process + (int)origin * cwi_world.processes;
}

static inline int cwi_origin_id_rank(int origin_id)
{
  return cwi_world.rank_of[origin_id % cwi_world.processes];
}

/* Data on its way to an origin. */
struct cwi_reply {
  struct cwi_free_list spare;
  uint64_t is_long; /* 0 or 1; what follows lies at a multiple of 16 */
  char data[];
};

/* Bytes of a short and of a long one. */
size_t cwi_reply_capacity(bool is_long);
struct cwi_reply *cwi_reply_take(bool is_long);

/* Send a reply, which then is to be taken again; give one back unsent. */
void cwi_reply_send(int origin, uint32_t tag, struct cwi_reply *reply, size_t bytes);
void cwi_reply_give(struct cwi_reply *reply);

/* The head of an answer to an origin. */
struct cwi_answer cwi_answer_head(int origin, int64_t value);

/* Send an answer; to a refused request, with the sentence that this thread has just recorded. */
void cwi_answer(int origin, uint32_t tag, int64_t value);
void cwi_answer_error(int origin, uint32_t tag, cw_error error);

/* Keep that sentence for a get, of whose reply it is a part; one more part of the same reply is
 * refused. Then answer by no data at all, and behind that by why (link/wire_format.h). */
struct cwi_reply *cwi_get_error_add(struct cwi_reply *why, cw_error error);
void cwi_get_error_send(int origin, uint32_t tag, struct cwi_reply *why);

/* Remember that sentence, for an origin that waits for no answer; put the origin's last batch of
 * what was refused into the answer to a fence, though others may have been told of it. */
void cwi_deferred_error_record(int origin, cw_error error);
void cwi_deferred_errors_answer(int origin, struct cwi_answer *answer);

/* Send `answer` as it is. */
void cwi_answer_send(int origin, uint32_t tag, const struct cwi_answer *answer);

void cwi_replies_stop(void);
#endif

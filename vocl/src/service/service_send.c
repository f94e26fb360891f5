/* Messages of the service to its program: replies, data that was read, completed commands. */
#include "service/service_session.h"

#include "base/log.h"

#include <string.h>

/* Upper bound on one sleep, in nanoseconds. After it, the wait checks whether the session has
 * ended. */
static const long POLL_NANOSECONDS = 200000000;

bool vocl_service_protocol_error(const struct vocl_service *session, const char *what)
{
  cwi_log(CWI_LOG_WARNING, "session %u ends: its program sent a malformed message: %s", session->id,
          what);
  return false;
}

bool vocl_service_is_closed(struct vocl_service *session)
{
  if (vocl_channel_is_closed(&session->channel))
    session->is_over = true;
  return session->is_over;
}

/* Waits, without the session's lock, until the program rings the bell. */
static void wait_for_program(struct vocl_service *session, uint32_t bell)
{
  vocl_service_hand_over_queues(session);
  pthread_mutex_unlock(&session->lock);
  vocl_channel_sleep(&session->channel, bell, POLL_NANOSECONDS);
  pthread_mutex_lock(&session->lock);
}

void *vocl_service_message_begin(struct vocl_service *session, enum vocl_msg_type what,
                                 size_t bytes, uint64_t ticket)
{
  struct vocl_msg_header *msg = NULL;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (vocl_service_is_closed(session))
      return NULL;
    msg = vocl_channel_begin(&session->channel, bytes);
    if (msg != NULL)
      break;
    vocl_channel_publish(&session->channel);
    vocl_channel_sleep(&session->channel, bell, POLL_NANOSECONDS);
  }
  memset(msg, 0, bytes);
  *msg =
      (struct vocl_msg_header){.bytes = (uint32_t)bytes, .what = (uint16_t)what, .ticket = ticket};
  return msg;
}

void vocl_service_message_end(struct vocl_service *session)
{
  vocl_channel_end_message(&session->channel);
}

bool vocl_service_space_reserve(struct vocl_service *session, size_t size,
                                struct vocl_service_space *space)
{
  *space = (struct vocl_service_space){.size = size};
  space->bytes = vocl_channel_reserve(&session->channel, size, &space->position);
  if (space->bytes != NULL)
    space->number = session->reserved_pieces++;
  return space->bytes != NULL;
}

void vocl_service_space_cancel(struct vocl_service *session, const struct vocl_service_space *space)
{
  vocl_channel_unreserve(&session->channel, space->position);
  session->reserved_pieces--;
}

void vocl_service_space_send(struct vocl_service *session, const struct vocl_service_space *space,
                             const struct vocl_msg_data *result, bool is_filled)
{
  const uint64_t end = vocl_channel_piece_end(space->position, space->size);
  while (session->named != space->number) {
    vocl_service_hand_over_queues(session);
    pthread_cond_wait(&session->changed, &session->lock);
  }
  vocl_channel_fill(&session->channel, end);
  struct vocl_msg_data *msg =
      vocl_service_message_begin(session, VOCL_MSG_RESULT, sizeof *msg, result->header.ticket);
  if (msg != NULL) {
    msg->number = result->number;
    msg->last = result->last;
    msg->offset = result->offset;
    msg->position = is_filled ? space->position : end;
    msg->bytes = is_filled ? space->size : 0;
    vocl_service_count(&session->counts->bytes_out, msg->bytes);
    vocl_service_message_end(session);
  }
  session->named++;
  pthread_cond_broadcast(&session->changed);
}

void vocl_service_send_result(struct vocl_service *session, const char *bytes, size_t size,
                              const struct vocl_msg_data *result)
{
  struct vocl_service_space space;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (vocl_service_is_closed(session))
      return;
    if (vocl_service_space_reserve(session, size, &space))
      break;
    vocl_channel_publish(&session->channel);
    wait_for_program(session, bell);
  }
  memcpy(space.bytes, bytes, size);
  vocl_service_space_send(session, &space, result, true);
}

static void send_dones(struct vocl_service *session)
{
  const size_t bytes = session->done_count * sizeof *session->done;
  if (session->done_count == 0)
    return;
  struct vocl_msg_done *msg =
      vocl_service_message_begin(session, VOCL_MSG_DONE, sizeof *msg + bytes, 0);
  if (msg != NULL) {
    msg->count = session->done_count;
    memcpy(msg->done, session->done, bytes);
    vocl_service_message_end(session);
  }
  session->done_count = 0;
}

void vocl_service_reply(struct vocl_service *session, uint64_t ticket, cl_int code)
{
  vocl_service_reply_bytes(session, &(struct vocl_msg_reply){.header.ticket = ticket, .code = code},
                           NULL);
}

void vocl_service_reply_bytes(struct vocl_service *session, const struct vocl_msg_reply *answer,
                              const void *value)
{
  enum { INLINE_MOST = 16 << 10 };
  const uint64_t ticket = answer->header.ticket;
  const size_t bytes = answer->bytes;
  const size_t within = bytes <= INLINE_MOST ? bytes : 0;
  if (ticket == 0)
    return;
  send_dones(session);
  for (size_t from = 0; within < bytes && from < bytes; from += VOCL_PIECE_MAX) {
    const size_t left = bytes - from;
    const size_t size = left < VOCL_PIECE_MAX ? left : VOCL_PIECE_MAX;
    vocl_service_send_result(
        session, (const char *)value + from, size,
        &(struct vocl_msg_data){.header.ticket = ticket, .last = size == left, .offset = from});
  }
  struct vocl_msg_reply *msg =
      vocl_service_message_begin(session, VOCL_MSG_REPLY, sizeof *msg + within, ticket);
  if (msg == NULL)
    return;
  msg->code = answer->code;
  msg->count = answer->count;
  msg->needed = answer->needed;
  msg->bytes = bytes;
  if (within > 0)
    memcpy(msg->value, value, within);
  vocl_service_message_end(session);
}

void vocl_service_send_done(struct vocl_service *session,
                            const struct vocl_service_command *command)
{
  struct vocl_completion *done = &session->done[session->done_count++];
  *done = (struct vocl_completion){.event = command->object.number, .status = command->status};
  memcpy(done->times, command->times, sizeof done->times);
  if (session->done_count == VOCL_SERVICE_DONE_BATCH)
    send_dones(session);
}

void vocl_service_publish(struct vocl_service *session)
{
  send_dones(session);
  vocl_channel_publish(&session->channel);
}

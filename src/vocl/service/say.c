/* What the service says to its program: messages, answers, what was read, what is done. */
#include "service/session.h"

#include "base/log.h"

#include <string.h>

/* So long a wait looks again by itself, for an end that has died without a word. */
static const long LOOK_NANOSECONDS = 200000000;

bool cwi_service_wild(const struct cwi_service *session, const char *what)
{
  cwi_log(CWI_LOG_WARNING, "session %u ends: its program said what cannot be: %s", session->id,
          what);
  return false;
}

bool cwi_service_is_over(struct cwi_service *session)
{
  if (cwi_channel_is_over(&session->channel))
    session->is_over = true;
  return session->is_over;
}

/* Until the other end does something, without the lock. */
static void wait_for_program(struct cwi_service *session, uint32_t bell)
{
  cwi_service_leave_work(session);
  pthread_mutex_unlock(&session->lock);
  cwi_channel_sleep(&session->channel, bell, LOOK_NANOSECONDS);
  pthread_mutex_lock(&session->lock);
}

void *cwi_service_say(struct cwi_service *session, enum cwi_says what, size_t bytes,
                      uint64_t ticket)
{
  struct cwi_said *said = NULL;
  for (;;) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    if (cwi_service_is_over(session))
      return NULL;
    said = cwi_channel_begin(&session->channel, bytes);
    if (said != NULL)
      break;
    cwi_channel_publish(&session->channel);
    cwi_channel_sleep(&session->channel, bell, LOOK_NANOSECONDS);
  }
  memset(said, 0, bytes);
  *said = (struct cwi_said){.bytes = (uint32_t)bytes, .what = (uint16_t)what, .ticket = ticket};
  return said;
}

void cwi_service_said(struct cwi_service *session)
{
  cwi_channel_end_message(&session->channel);
}

bool cwi_service_room_take(struct cwi_service *session, size_t size, struct cwi_service_room *room)
{
  *room = (struct cwi_service_room){.size = size};
  room->bytes = cwi_channel_reserve(&session->channel, size, &room->position);
  if (room->bytes != NULL)
    room->turn = session->turns++;
  return room->bytes != NULL;
}

void cwi_service_room_give_up(struct cwi_service *session, const struct cwi_service_room *room)
{
  cwi_channel_give_up(&session->channel, room->position);
  session->turns--;
}

void cwi_service_room_name(struct cwi_service *session, const struct cwi_service_room *room,
                           const struct cwi_say_data *result, bool is_filled)
{
  const uint64_t end = cwi_channel_piece_end(room->position, room->size);
  while (session->named != room->turn) {
    cwi_service_leave_work(session);
    pthread_cond_wait(&session->turn, &session->lock);
  }
  cwi_channel_fill(&session->channel, end);
  struct cwi_say_data *said =
      cwi_service_say(session, CWI_SAYS_RESULT, sizeof *said, result->said.ticket);
  if (said != NULL) {
    said->number = result->number;
    said->last = result->last;
    said->offset = result->offset;
    said->position = is_filled ? room->position : end;
    said->bytes = is_filled ? room->size : 0;
    cwi_service_count(&session->counts->bytes_out, said->bytes);
    cwi_service_said(session);
  }
  session->named++;
  pthread_cond_broadcast(&session->turn);
}

void cwi_service_result(struct cwi_service *session, const char *bytes, size_t size,
                        const struct cwi_say_data *result)
{
  struct cwi_service_room room;
  for (;;) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    if (cwi_service_is_over(session))
      return;
    if (cwi_service_room_take(session, size, &room))
      break;
    cwi_channel_publish(&session->channel);
    wait_for_program(session, bell);
  }
  memcpy(room.bytes, bytes, size);
  cwi_service_room_name(session, &room, result, true);
}

static void say_dones(struct cwi_service *session)
{
  const size_t bytes = session->done_count * sizeof *session->done;
  if (session->done_count == 0)
    return;
  struct cwi_say_done *said = cwi_service_say(session, CWI_SAYS_DONE, sizeof *said + bytes, 0);
  if (said != NULL) {
    said->count = session->done_count;
    memcpy(said->done, session->done, bytes);
    cwi_service_said(session);
  }
  session->done_count = 0;
}

void cwi_service_answer(struct cwi_service *session, uint64_t ticket, cl_int code)
{
  cwi_service_answer_bytes(session, &(struct cwi_say_answer){.said.ticket = ticket, .code = code},
                           NULL);
}

void cwi_service_answer_bytes(struct cwi_service *session, const struct cwi_say_answer *answer,
                              const void *value)
{
  enum { INLINE_MOST = 16 << 10 };
  const uint64_t ticket = answer->said.ticket;
  const size_t bytes = answer->bytes;
  const size_t within = bytes <= INLINE_MOST ? bytes : 0;
  if (ticket == 0)
    return;
  say_dones(session);
  for (size_t from = 0; within < bytes && from < bytes; from += CWI_PIECE_MOST) {
    const size_t left = bytes - from;
    const size_t size = left < CWI_PIECE_MOST ? left : CWI_PIECE_MOST;
    cwi_service_result(
        session, (const char *)value + from, size,
        &(struct cwi_say_data){.said.ticket = ticket, .last = size == left, .offset = from});
  }
  struct cwi_say_answer *said =
      cwi_service_say(session, CWI_SAYS_ANSWER, sizeof *said + within, ticket);
  if (said == NULL)
    return;
  said->code = answer->code;
  said->count = answer->count;
  said->needed = answer->needed;
  said->bytes = bytes;
  if (within > 0)
    memcpy(said->value, value, within);
  cwi_service_said(session);
}

void cwi_service_done(struct cwi_service *session, const struct cwi_service_command *command)
{
  struct cwi_done *done = &session->done[session->done_count++];
  *done = (struct cwi_done){.event = command->object.number, .status = command->status};
  memcpy(done->times, command->times, sizeof done->times);
  if (session->done_count == CWI_SERVICE_DONES)
    say_dones(session);
}

void cwi_service_publish(struct cwi_service *session)
{
  say_dones(session);
  cwi_channel_publish(&session->channel);
}

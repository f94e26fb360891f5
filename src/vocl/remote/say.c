/* What a program says to its proxy: messages, data by pieces, questions. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

/* Fewer drops wait for others. */
enum { FEW_DROPS = 32 };

struct message_room {
  struct cwi_session *session;
  size_t bytes;
  void *message;
  uint64_t position;
};

static bool room_has_come(const void *what)
{
  struct message_room *room = (struct message_room *)(uintptr_t)what;
  room->message = cwi_channel_begin(&room->session->channel, room->bytes);
  return room->message != NULL;
}

void *cwi_say_begin(struct cwi_session *session, enum cwi_says what, size_t bytes, uint64_t ticket)
{
  struct message_room room = {.session = session, .bytes = bytes};
  if (session->is_over)
    return NULL;
  if (!room_has_come(&room) && !cwi_session_wait(session, room_has_come, &room))
    return NULL;
  if (session->is_over) /* while there was room */
    return NULL;
  cwi_say_head(room.message, what, bytes, ticket);
  return room.message;
}

void cwi_say_end(struct cwi_session *session)
{
  cwi_channel_end_message(&session->channel);
}

bool cwi_say_numbers(struct cwi_session *session, enum cwi_says what, uint64_t ticket,
                     const uint32_t *numbers, uint32_t count)
{
  struct cwi_say_numbers *message =
      cwi_say_begin(session, what, sizeof *message + count * sizeof *numbers, ticket);
  if (message == NULL)
    return false;
  cwi_say_write_numbers(message, numbers, count);
  cwi_say_end(session);
  return true;
}

void cwi_say_drops(struct cwi_session *session)
{
  if (session->drop_count >= FEW_DROPS)
    cwi_say_drops_now(session);
}

/* --- data --- */

struct data_piece {
  struct cwi_session *session;
  size_t bytes;
  struct cwi_say_data *message;
  char *place;
  uint64_t position;
};

/* Room for the message first: a piece that was taken must be named, in its turn. */
static bool piece_has_come(const void *what)
{
  struct data_piece *piece = (struct data_piece *)(uintptr_t)what;
  struct cwi_channel *channel = &piece->session->channel;
  piece->message = cwi_channel_begin(channel, sizeof *piece->message);
  piece->place =
      piece->message != NULL ? cwi_channel_piece(channel, piece->bytes, &piece->position) : NULL;
  return piece->place != NULL;
}

static bool say_piece(struct cwi_session *session, uint32_t number, const struct cwi_layout *layout,
                      size_t from, size_t bytes)
{
  struct data_piece piece = {.session = session, .bytes = bytes};
  if (session->is_over ||
      (!piece_has_come(&piece) && !cwi_session_wait(session, piece_has_come, &piece)) ||
      session->is_over) /* while there was room */
    return false;
  cwi_layout_pack(layout, from, piece.place, bytes);
  cwi_say_head(&piece.message->said, CWI_SAYS_DATA, sizeof *piece.message, 0);
  piece.message->number = number;
  piece.message->last = from + bytes == layout->bytes;
  piece.message->offset = from;
  piece.message->position = piece.position;
  piece.message->bytes = bytes;
  cwi_say_end(session);
  return true;
}

bool cwi_say_data(struct cwi_session *session, uint32_t number, const struct cwi_layout *layout)
{
  for (size_t from = 0; from < layout->bytes;) {
    const size_t left = layout->bytes - from;
    const size_t bytes = left < CWI_PIECE_MOST ? left : CWI_PIECE_MOST;
    if (!say_piece(session, number, layout, from, bytes))
      return false;
    from += bytes;
    if (from < layout->bytes)
      cwi_say_publish(session);
  }
  return true;
}

/* --- questions --- */

uint64_t cwi_far_question_begin(struct cwi_session *session, struct cwi_far_question *question,
                                void *value, size_t size)
{
  *question = (struct cwi_far_question){
      .next = session->questions, .ticket = ++session->ticket, .size = size, .value = value};
  if (session->is_over) {
    question->is_answered = true;
    question->code = CL_DEVICE_NOT_AVAILABLE;
  } else {
    session->questions = question;
  }
  return question->ticket;
}

static bool is_answered(const void *what)
{
  return ((const struct cwi_far_question *)what)->is_answered;
}

void cwi_far_question_withdraw(struct cwi_session *session, const struct cwi_far_question *question)
{
  struct cwi_far_question **each = &session->questions;
  while (*each != NULL && *each != question)
    each = &(*each)->next;
  if (*each != NULL)
    *each = question->next;
}

cl_int cwi_far_question_wait(struct cwi_session *session, struct cwi_far_question *question)
{
  cwi_session_wait(session, is_answered, question);
  if (question->is_answered)
    return question->code;
  cwi_far_question_withdraw(session, question);
  return CL_DEVICE_NOT_AVAILABLE;
}

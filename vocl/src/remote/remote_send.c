/* Messages of a program to its proxy: messages in general, data in pieces, requests with a
 * reply. */
#include "remote/remote_session.h"

#include <stdlib.h>
#include <string.h>

/* Minimum number of pending drops for which a message is sent. */
enum { FEW_DROPS = 32 };

struct message_space {
  struct vocl_session *session;
  size_t bytes;
  void *message;
  uint64_t position;
};

static bool space_is_available(const void *what)
{
  struct message_space *space = (struct message_space *)(uintptr_t)what;
  space->message = vocl_channel_begin(&space->session->channel, space->bytes);
  return space->message != NULL;
}

void *vocl_message_begin(struct vocl_session *session, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket)
{
  struct message_space space = {.session = session, .bytes = bytes};
  if (session->is_over)
    return NULL;
  if (!space_is_available(&space) && !vocl_session_wait(session, space_is_available, &space))
    return NULL;
  if (session->is_over) /* the session ended during the wait for space */
    return NULL;
  vocl_msg_header_set(space.message, what, bytes, ticket);
  return space.message;
}

void vocl_message_end(struct vocl_session *session)
{
  vocl_channel_end_message(&session->channel);
}

bool vocl_msg_numbers(struct vocl_session *session, enum vocl_msg_type what, uint64_t ticket,
                      const uint32_t *numbers, uint32_t count)
{
  struct vocl_msg_numbers *message =
      vocl_message_begin(session, what, sizeof *message + count * sizeof *numbers, ticket);
  if (message == NULL)
    return false;
  vocl_msg_numbers_set(message, numbers, count);
  vocl_message_end(session);
  return true;
}

void vocl_session_send_drops(struct vocl_session *session)
{
  if (session->drop_count >= FEW_DROPS)
    vocl_session_try_send_drops(session);
}

/* --- data --- */

struct data_piece {
  struct vocl_session *session;
  size_t bytes;
  struct vocl_msg_data *message;
  char *place;
  uint64_t position;
};

/* Obtains space for the message first, because a piece must not remain in the data ring without a
 * message that names it. */
static bool piece_is_available(const void *what)
{
  struct data_piece *piece = (struct data_piece *)(uintptr_t)what;
  struct vocl_channel *channel = &piece->session->channel;
  piece->message = vocl_channel_begin(channel, sizeof *piece->message);
  piece->place =
      piece->message != NULL ? vocl_channel_piece(channel, piece->bytes, &piece->position) : NULL;
  return piece->place != NULL;
}

static bool send_piece(struct vocl_session *session, uint32_t number,
                       const struct vocl_host_layout *layout, size_t from, size_t bytes)
{
  struct data_piece piece = {.session = session, .bytes = bytes};
  if (session->is_over ||
      (!piece_is_available(&piece) && !vocl_session_wait(session, piece_is_available, &piece)) ||
      session->is_over) /* the session ended during the wait for space */
    return false;
  vocl_host_layout_pack(layout, from, piece.place, bytes);
  vocl_msg_header_set(&piece.message->header, VOCL_MSG_DATA, sizeof *piece.message, 0);
  piece.message->number = number;
  piece.message->last = from + bytes == layout->bytes;
  piece.message->offset = from;
  piece.message->position = piece.position;
  piece.message->bytes = bytes;
  vocl_message_end(session);
  return true;
}

bool vocl_msg_data(struct vocl_session *session, uint32_t number,
                   const struct vocl_host_layout *layout)
{
  for (size_t from = 0; from < layout->bytes;) {
    const size_t left = layout->bytes - from;
    const size_t bytes = left < VOCL_PIECE_MAX ? left : VOCL_PIECE_MAX;
    if (!send_piece(session, number, layout, from, bytes))
      return false;
    from += bytes;
    if (from < layout->bytes)
      vocl_session_publish(session);
  }
  return true;
}

/* --- requests --- */

uint64_t vocl_request_begin(struct vocl_session *session, struct vocl_request *query, void *value,
                            size_t size)
{
  *query = (struct vocl_request){
      .next = session->queries, .ticket = ++session->ticket, .size = size, .value = value};
  if (session->is_over) {
    query->is_replied = true;
    query->code = CL_DEVICE_NOT_AVAILABLE;
  } else {
    session->queries = query;
  }
  return query->ticket;
}

static bool is_replied(const void *what)
{
  return ((const struct vocl_request *)what)->is_replied;
}

void vocl_request_cancel(struct vocl_session *session, const struct vocl_request *query)
{
  struct vocl_request **each = &session->queries;
  while (*each != NULL && *each != query)
    each = &(*each)->next;
  if (*each != NULL)
    *each = query->next;
}

cl_int vocl_request_wait(struct vocl_session *session, struct vocl_request *query)
{
  vocl_session_wait(session, is_replied, query);
  if (query->is_replied)
    return query->code;
  vocl_request_cancel(session, query);
  return CL_DEVICE_NOT_AVAILABLE;
}

/* Functions that send without waiting for space: publication, and messages with the numbers of
 * dropped objects. */
#include "remote/remote_session.h"

#include <string.h>

/* Maximum number of drops in one message. */
enum { MOST_DROPS = 128 };

void vocl_msg_header_set(struct vocl_msg_header *msg, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket)
{
  memset(msg, 0, bytes);
  *msg =
      (struct vocl_msg_header){.bytes = (uint32_t)bytes, .what = (uint16_t)what, .ticket = ticket};
}

void vocl_session_publish(struct vocl_session *session)
{
  session->unpublished = 0;
  vocl_channel_publish(&session->channel);
}

void vocl_listener_wake(struct vocl_session *session)
{
  if (session->listener_is_idle && session->waiters == 0)
    cwi_signal_advance(&session->wanted);
}

void vocl_session_publish_if_due(struct vocl_session *session)
{
  const size_t unpublished = vocl_channel_unpublished(&session->channel);
  if (unpublished == 0 ||
      (unpublished < VOCL_PUBLISH_BYTES && session->sent > session->unpublished))
    return;
  vocl_session_publish(session);
  vocl_listener_wake(session);
}

void vocl_msg_numbers_set(struct vocl_msg_numbers *message, const uint32_t *numbers, uint32_t count)
{
  message->count = count;
  memcpy(message->numbers, numbers, count * sizeof *numbers);
}

/* Removes the drops that were written to a message. Their numbers become free, except those of
 * objects that stay until the proxy reports their deletion. */
static void drops_were_sent(struct vocl_session *session, uint32_t count)
{
  session->drop_count -= count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = session->drops[session->drop_count + i];
    if (vocl_stub_at(session, number) == NULL)
      session->idle[session->idle_count++] = number;
  }
}

void vocl_session_try_send_drops(struct vocl_session *session)
{
  while (session->drop_count > 0 && !session->is_over) {
    const uint32_t count = session->drop_count < MOST_DROPS ? session->drop_count : MOST_DROPS;
    const size_t bytes = sizeof(struct vocl_msg_numbers) + count * sizeof *session->drops;
    struct vocl_msg_numbers *message = vocl_channel_begin(&session->channel, bytes);
    if (message == NULL)
      return;
    vocl_msg_header_set(&message->header, VOCL_MSG_DROP, bytes, 0);
    vocl_msg_numbers_set(message, &session->drops[session->drop_count - count], count);
    vocl_channel_end_message(&session->channel);
    drops_were_sent(session, count);
  }
}

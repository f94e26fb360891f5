/* What goes without waiting: publishing, and the numbers of what nobody needs. */
#include "remote/session.h"

#include <string.h>

/* Drops that go in one message. */
enum { MOST_DROPS = 128 };

void cwi_say_head(struct cwi_said *said, enum cwi_says what, size_t bytes, uint64_t ticket)
{
  memset(said, 0, bytes);
  *said = (struct cwi_said){.bytes = (uint32_t)bytes, .what = (uint16_t)what, .ticket = ticket};
}

void cwi_say_publish(struct cwi_session *session)
{
  session->unpublished = 0;
  cwi_channel_publish(&session->channel);
}

void cwi_listener_want(struct cwi_session *session)
{
  if (session->listener_is_idle && session->waiters == 0)
    cwi_signal_advance(&session->wanted);
}

void cwi_say_commonly(struct cwi_session *session)
{
  const size_t unpublished = cwi_channel_unpublished(&session->channel);
  if (unpublished == 0 || (unpublished < CWI_PUBLISH_BYTES && session->sent > session->unpublished))
    return;
  cwi_say_publish(session);
  cwi_listener_want(session);
}

void cwi_say_write_numbers(struct cwi_say_numbers *message, const uint32_t *numbers, uint32_t count)
{
  message->count = count;
  memcpy(message->numbers, numbers, count * sizeof *numbers);
}

/* The message has the numbers: now others may have them, but for those that stay until the proxy
 * has said that they are gone. */
static void drops_are_said(struct cwi_session *session, uint32_t count)
{
  session->drop_count -= count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = session->drops[session->drop_count + i];
    if (session->objects[number] == NULL)
      session->idle[session->idle_count++] = number;
  }
}

void cwi_say_drops_now(struct cwi_session *session)
{
  while (session->drop_count > 0 && !session->is_over) {
    const uint32_t count = session->drop_count < MOST_DROPS ? session->drop_count : MOST_DROPS;
    const size_t bytes = sizeof(struct cwi_say_numbers) + count * sizeof *session->drops;
    struct cwi_say_numbers *message = cwi_channel_begin(&session->channel, bytes);
    if (message == NULL)
      return;
    cwi_say_head(&message->said, CWI_SAYS_DROP, bytes, 0);
    cwi_say_write_numbers(message, &session->drops[session->drop_count - count], count);
    cwi_channel_end_message(&session->channel);
    drops_are_said(session, count);
  }
}

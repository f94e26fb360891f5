/* The proxy wants something of the program that no message of the program asked for: that it moves
 * what it has on a device to another one. The session's thread says it, and hears what came of it.
 */
#include "service/session.h"

#include <string.h>

/* Who takes the turn sees what was written before. */
static void wish_turn(struct cwi_service_wish *wish, enum cwi_wish_state state)
{
  __atomic_store_n(&wish->state, state, __ATOMIC_RELEASE);
}

void cwi_service_make_wish(struct cwi_channel_memory *memory, struct cwi_service_wish *wish)
{
  wish_turn(wish, CWI_WISH_MADE);
  cwi_channel_ring_bell(memory, CWI_BELOW);
}

void cwi_service_wish_tell(struct cwi_service *session)
{
  struct cwi_service_wish *wish = session->wish;
  if (wish == NULL || !cwi_wish_is(wish, CWI_WISH_MADE))
    return;
  struct cwi_say_move *said = cwi_service_say(session, CWI_SAYS_MOVE, sizeof *said, 1);
  if (said == NULL)
    return;
  said->device = wish->device;
  memcpy(said->target, wish->target, sizeof said->target);
  wish_turn(wish, CWI_WISH_SAID);
  cwi_service_said(session);
}

bool cwi_service_moved(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_say_moved *said = message;
  struct cwi_service_wish *wish = session->wish;
  if (wish == NULL || !cwi_wish_is(wish, CWI_WISH_SAID) || said->text_bytes > bytes - sizeof *said)
    return cwi_service_wild(session, "a move that nobody asked for");
  const size_t length =
      said->text_bytes < sizeof wish->text ? said->text_bytes : sizeof wish->text - 1;
  wish->code = said->code;
  wish->bytes = said->bytes;
  wish->nanoseconds = said->nanoseconds;
  memcpy(wish->text, said->text, length);
  wish->text[length] = '\0';
  for (char *each = wish->text; *each != '\0'; each++) /* it is shown on terminals */
    if ((unsigned char)*each < ' ' || *each == 0x7f)
      *each = '?';
  wish_turn(wish, CWI_WISH_ANSWERED);
  wish->told();
  return true;
}

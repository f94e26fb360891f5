/* Requests of the proxy that the program move what it has on a device to another one. The
 * session's thread sends the request and receives the reply. */
#include "service/service_session.h"

#include <string.h>

/* Sets the state. The side that reads it then sees all earlier writes. */
static void request_set_state(struct vocl_move_request *request, enum vocl_move_state state)
{
  __atomic_store_n(&request->state, state, __ATOMIC_RELEASE);
}

void vocl_service_request_move(struct vocl_channel_memory *memory,
                               struct vocl_move_request *request)
{
  request_set_state(request, VOCL_MOVE_REQUESTED);
  vocl_channel_ring_bell(memory, VOCL_PROXY_SIDE);
}

void vocl_service_send_move(struct vocl_service *session)
{
  struct vocl_move_request *request = session->request;
  if (request == NULL || !vocl_move_state_is(request, VOCL_MOVE_REQUESTED))
    return;
  struct vocl_msg_move *msg = vocl_service_message_begin(session, VOCL_MSG_MOVE, sizeof *msg, 1);
  if (msg == NULL)
    return;
  msg->device = request->device;
  memcpy(msg->target, request->target, sizeof msg->target);
  request_set_state(request, VOCL_MOVE_SENT);
  vocl_service_message_end(session);
}

bool vocl_on_move_reply(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_move_reply *msg = message;
  struct vocl_move_request *request = session->request;
  if (request == NULL || !vocl_move_state_is(request, VOCL_MOVE_SENT) ||
      msg->text_bytes > bytes - sizeof *msg)
    return vocl_service_protocol_error(session, "the reply to a move that was not requested");
  const size_t length =
      msg->text_bytes < sizeof request->text ? msg->text_bytes : sizeof request->text - 1;
  request->code = msg->code;
  request->bytes = msg->bytes;
  request->nanoseconds = msg->nanoseconds;
  memcpy(request->text, msg->text, length);
  request->text[length] = '\0';
  for (char *each = request->text; *each != '\0'; each++) /* the text is shown on terminals */
    if ((unsigned char)*each < ' ' || *each == 0x7f)
      *each = '?';
  request_set_state(request, VOCL_MOVE_REPLIED);
  request->on_reply();
  return true;
}

/* Forwards move requests to programs, and the results to the requesters. */
#include "proxy/move_requests.h"

#include "base/clock.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool vocl_move_devices_read(struct vocl_move_devices *move, const char *text)
{
  char more = '\0';
  return sscanf(text, "%5u.%5u %5u.%5u%c", &move->device[0], &move->device[1], &move->target[0],
                &move->target[1], &more) == 4;
}

static void moving_answer(const struct vocl_control_move *moving, int code,
                          const struct vocl_control_move_reply *moved,
                          vocl_move_reply_function *reply)
{
  struct vocl_control_message message = {
      .kind = VOCL_CONTROL_MOVE_REPLY, .number = moving->request, .code = code};
  message.of.moved = *moved;
  if ((int)moving->requester == cw_process())
    reply(moving->request, code, moved);
  else
    vocl_control_send((int)moving->requester, &message);
}

static void moving_reject(const struct vocl_control_move *moving, int code, const char *reason,
                          vocl_move_reply_function *reply)
{
  struct vocl_control_move_reply moved = {.bytes = 0};
  snprintf(moved.text, sizeof moved.text, "%s", reason);
  moving_answer(moving, code, &moved, reply);
}

/* Sends the request to the program. Rejects it if the program has ended, if the session has no
 * device of that proxy, or if the previous request has no reply yet. */
static void query_program(struct vocl_proxy_session *session,
                          const struct vocl_control_move *moving, vocl_move_reply_function *reply)
{
  struct vocl_move_request *request = &session->request;
  if (!session->is_served) {
    moving_reject(moving, ESRCH, "the program has ended", reply);
  } else if (moving->device[0] != (uint32_t)session->to) {
    moving_reject(moving, ENODEV, "the session has no device of that proxy", reply);
  } else if (!vocl_move_state_is(request, VOCL_MOVE_NONE)) {
    moving_reject(moving, EBUSY, "the program is moving a device already", reply);
  } else {
    session->moving = *moving;
    session->moving_since = cwi_now();
    session->moving_is_late = false;
    request->device = moving->device[1];
    memcpy(request->target, moving->target, sizeof request->target);
    request->on_reply = vocl_watch_wake;
    vocl_service_request_move(session->memory, request);
  }
}

static void receive_query(const struct vocl_control_message *message,
                          vocl_move_reply_function *reply)
{
  const struct vocl_control_move *moving = &message->of.moving;
  struct vocl_proxy_session *session = vocl_proxy_session_find(message->number);
  if (session == NULL)
    moving_reject(moving, ESRCH, "there is no such session", reply);
  else if (session->to == cw_process())
    query_program(session, moving, reply);
  else
    vocl_control_send(session->to, message);
}

void vocl_proxy_move_request(uint32_t session, const struct vocl_move_devices *move,
                             uint32_t request, vocl_move_reply_function *reply)
{
  struct vocl_control_message message = {.kind = VOCL_CONTROL_MOVE, .number = session};
  struct vocl_control_move *moving = &message.of.moving;
  const int client_proxy = vocl_proxy_session_client_proxy(session);
  moving->requester = (uint32_t)cw_process();
  moving->request = request;
  memcpy(moving->device, move->device, sizeof moving->device);
  memcpy(moving->target, move->target, sizeof moving->target);
  if (client_proxy == cw_process())
    receive_query(&message, reply);
  else
    vocl_control_send(client_proxy, &message);
}

void vocl_proxy_move_receive(const struct vocl_control_message *message,
                             vocl_move_reply_function *reply)
{
  if (message->kind == VOCL_CONTROL_MOVE)
    receive_query(message, reply);
  else
    reply(message->number, message->code, &message->of.moved);
}

/* Returns the timeout in seconds: the time that the program may wait for its commands, the same
 * time again to build and transfer, and a margin. */
static double move_timeout(void)
{
  enum { LITTLE = 5 };
  return 2 * (double)cwi_settings.vocl_drain + LITTLE;
}

/* Reports a timeout to the requester, so that a stopped program does not block it. The program may
 * still reply, and receives no new request before it does. */
static bool report_late(struct vocl_proxy_session *session, vocl_move_reply_function *reply)
{
  if (session->moving_is_late || cwi_now() - session->moving_since < move_timeout())
    return false;
  session->moving_is_late = true;
  moving_reject(&session->moving, ETIMEDOUT,
                "the program does not answer; it may still move when it continues", reply);
  return true;
}

/* Forwards the reply of the program. Sends an error if the session has ended, or after the
 * timeout. */
static bool send_reply(struct vocl_proxy_session *session, vocl_move_reply_function *reply)
{
  struct vocl_move_request *request = &session->request;
  struct vocl_control_move_reply moved = {.bytes = request->bytes,
                                          .nanoseconds = request->nanoseconds};
  if (vocl_move_state_is(request, VOCL_MOVE_NONE))
    return false;
  if (vocl_move_state_is(request, VOCL_MOVE_REPLIED)) {
    const int code = request->code;
    memcpy(moved.text, request->text, sizeof moved.text);
    request->state = VOCL_MOVE_NONE;
    if (!session->moving_is_late)
      moving_answer(&session->moving, code, &moved, reply);
    return true;
  }
  if (session->is_served)
    return report_late(session, reply);
  request->state = VOCL_MOVE_NONE;
  if (!session->moving_is_late)
    moving_reject(&session->moving, ESRCH, "the program has ended meanwhile", reply);
  return true;
}

bool vocl_proxy_move_poll(vocl_move_reply_function *reply)
{
  bool any = false;
  for (struct vocl_proxy_session *session = vocl_proxy_sessions_first(); session != NULL;
       session = session->next)
    any = (session->to == cw_process() && send_reply(session, reply)) || any;
  return any;
}

/* Passes on who wants what moved, and what came of it. */
#include "proxy/moving.h"

#include "base/clock.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool cwi_move_read(struct cwi_move_wish *move, const char *text)
{
  char more = '\0';
  return sscanf(text, "%5u.%5u %5u.%5u%c", &move->device[0], &move->device[1], &move->target[0],
                &move->target[1], &more) == 4;
}

static void moving_answer(const struct cwi_mail_moving *moving, int code,
                          const struct cwi_mail_moved *moved, cwi_moving_told *told)
{
  struct cwi_mail mail = {.kind = CWI_MAIL_MOVED, .number = moving->request, .code = code};
  mail.of.moved = *moved;
  if ((int)moving->asker == cw_process())
    told(moving->request, code, moved);
  else
    cwi_post_send((int)moving->asker, &mail);
}

static void moving_refuse(const struct cwi_mail_moving *moving, int code, const char *sentence,
                          cwi_moving_told *told)
{
  struct cwi_mail_moved moved = {.bytes = 0};
  snprintf(moved.text, sizeof moved.text, "%s", sentence);
  moving_answer(moving, code, &moved, told);
}

/* The program is asked, unless it has not answered the last time. */
static void ask_program(struct cwi_proxy_session *session, const struct cwi_mail_moving *moving,
                        cwi_moving_told *told)
{
  struct cwi_service_wish *wish = &session->wish;
  if (!session->is_served) {
    moving_refuse(moving, ESRCH, "the program has ended", told);
  } else if (moving->device[0] != (uint32_t)session->to) {
    moving_refuse(moving, ENODEV, "the session has no device of that proxy", told);
  } else if (!cwi_wish_is(wish, CWI_WISH_NONE)) {
    moving_refuse(moving, EBUSY, "the program is moving a device already", told);
  } else {
    session->moving = *moving;
    session->moving_since = cwi_now();
    session->moving_is_late = false;
    wish->device = moving->device[1];
    memcpy(wish->target, moving->target, sizeof wish->target);
    wish->told = cwi_watch_ring;
    cwi_service_make_wish(session->memory, wish);
  }
}

static void hear_question(const struct cwi_mail *mail, cwi_moving_told *told)
{
  const struct cwi_mail_moving *moving = &mail->of.moving;
  struct cwi_proxy_session *session = cwi_session_find(mail->number);
  if (session == NULL)
    moving_refuse(moving, ESRCH, "there is no such session", told);
  else if (session->to == cw_process())
    ask_program(session, moving, told);
  else
    cwi_post_send(session->to, mail);
}

void cwi_moving_ask(uint32_t session, const struct cwi_move_wish *move, uint32_t request,
                    cwi_moving_told *told)
{
  struct cwi_mail mail = {.kind = CWI_MAIL_MOVE, .number = session};
  struct cwi_mail_moving *moving = &mail.of.moving;
  const int door = cwi_session_door(session);
  moving->asker = (uint32_t)cw_process();
  moving->request = request;
  memcpy(moving->device, move->device, sizeof moving->device);
  memcpy(moving->target, move->target, sizeof moving->target);
  if (door == cw_process())
    hear_question(&mail, told);
  else
    cwi_post_send(door, &mail);
}

void cwi_moving_hear(const struct cwi_mail *mail, cwi_moving_told *told)
{
  if (mail->kind == CWI_MAIL_MOVE)
    hear_question(mail, told);
  else
    told(mail->number, mail->code, &mail->of.moved);
}

/* Seconds: what the program waits for, as long again to build and carry, and a little. */
static double most_patience(void)
{
  enum { LITTLE = 5 };
  return 2 * (double)cwi_settings.vocl_drain + LITTLE;
}

/* A program that is stopped holds up nobody. It may still answer, and is not asked again before. */
static bool tell_late(struct cwi_proxy_session *session, cwi_moving_told *told)
{
  if (session->moving_is_late || cwi_now() - session->moving_since < most_patience())
    return false;
  session->moving_is_late = true;
  moving_refuse(&session->moving, ETIMEDOUT,
                "the program does not answer; it may still move when it goes on", told);
  return true;
}

/* What the program has answered; after the session's end, or a long time, that it did not. */
static bool tell_answer(struct cwi_proxy_session *session, cwi_moving_told *told)
{
  struct cwi_service_wish *wish = &session->wish;
  struct cwi_mail_moved moved = {.bytes = wish->bytes, .nanoseconds = wish->nanoseconds};
  if (cwi_wish_is(wish, CWI_WISH_NONE))
    return false;
  if (cwi_wish_is(wish, CWI_WISH_ANSWERED)) {
    const int code = wish->code;
    memcpy(moved.text, wish->text, sizeof moved.text);
    wish->state = CWI_WISH_NONE;
    if (!session->moving_is_late)
      moving_answer(&session->moving, code, &moved, told);
    return true;
  }
  if (session->is_served)
    return tell_late(session, told);
  wish->state = CWI_WISH_NONE;
  if (!session->moving_is_late)
    moving_refuse(&session->moving, ESRCH, "the program has ended meanwhile", told);
  return true;
}

bool cwi_moving_turn(cwi_moving_told *told)
{
  bool any = false;
  for (struct cwi_proxy_session *session = cwi_sessions_first(); session != NULL;
       session = session->next)
    any = (session->to == cw_process() && tell_answer(session, told)) || any;
  return any;
}

/* Visitors of the door: each asks what it likes, one question after the other, until one of them
 * begins a session, which lives as long as the socket. */
#include "proxy/desk.h"

#include "proxy/loads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct visitor {
  struct visitor *next;
  int socket;
  struct cwi_proxy_session *session;
  uint32_t move; /* number of the request that it waits for; 0: none */
  /* A list that it waits for. */
  uint32_t list_number; /* 0: none */
  int unheard;          /* proxies that have not yet told theirs */
  struct cwi_list_making list;
};

static struct {
  int door;
  bool door_is_watched, wants_stop;
  int census; /* descriptor of the sealed memory */
  const struct cwi_service_facts *facts;
  struct visitor *first;
  uint32_t lists, moves;
} desk;

bool cwi_desk_open(int door, const struct cwi_service_facts *facts)
{
  desk.door = door;
  desk.census = -1;
  desk.facts = facts;
  if (door < 0)
    return true;
  desk.census = cwi_door_sealed("causeway-census", facts->census, facts->census_bytes);
  desk.door_is_watched = cwi_watch_add(door, &desk);
  return desk.census >= 0 && desk.door_is_watched;
}

void cwi_desk_close(void)
{
  if (desk.census >= 0)
    close(desk.census);
}

bool cwi_desk_wants_stop(void)
{
  return desk.wants_stop;
}

/* --- Visitors --------------------------------------------------------------------------------- */

/* After a time without descriptors the door waits until one is free. */
static void watch_door_again(void)
{
  if (desk.door >= 0 && !desk.door_is_watched)
    desk.door_is_watched = cwi_watch_add(desk.door, &desk);
}

static void visitor_end(struct visitor *visitor)
{
  struct visitor **place = &desk.first;
  while (*place != visitor)
    place = &(*place)->next;
  *place = visitor->next;
  cwi_watch_remove(visitor->socket);
  close(visitor->socket);
  cwi_list_drop(&visitor->list);
  free(visitor);
  watch_door_again();
}

static void visitor_begin(int socket)
{
  struct visitor *visitor = calloc(1, sizeof *visitor);
  if (visitor == NULL || !cwi_watch_add(socket, visitor)) {
    close(socket);
    free(visitor);
    return;
  }
  visitor->socket = socket;
  visitor->next = desk.first;
  desk.first = visitor;
}

static void let_in(void)
{
  const int visitor = cwi_door_let_in(desk.door);
  if (visitor >= 0) {
    visitor_begin(visitor);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    cwi_watch_remove(desk.door);
    desk.door_is_watched = false;
  }
}

/* Who does not take the answer is sent away. */
static void visitor_answer(struct visitor *visitor, struct cwi_door_answer *answer, int descriptor)
{
  answer->version = CWI_DOOR_VERSION;
  if (cwi_door_answer(visitor->socket, answer, descriptor))
    return;
  if (visitor->session != NULL)
    cwi_session_leave(visitor->session);
  visitor_end(visitor);
}

static void refuse(struct visitor *visitor, int code, const char *sentence)
{
  struct cwi_door_answer answer = {.code = code};
  snprintf(answer.text, sizeof answer.text, "%s", sentence);
  visitor_answer(visitor, &answer, -1);
}

/* --- Sessions --------------------------------------------------------------------------------- */

static void refuse_session(struct visitor *visitor, int code)
{
  char sentence[256];
  if (code == ENOSPC)
    snprintf(sentence, sizeof sentence,
             "the proxy has no room for another session that is passed on (CW_VOCL_SESSIONS)");
  else
    snprintf(sentence, sizeof sentence, "the proxy cannot begin a session: %s", strerror(code));
  refuse(visitor, code, sentence);
}

/* The program keeps the memory; its proxy has it mapped. */
static void give_session(struct visitor *visitor)
{
  struct cwi_proxy_session *session = visitor->session;
  struct cwi_door_answer answer = {.bytes = CWI_CHANNEL_BYTES, .number = session->number};
  const int descriptor = session->descriptor;
  session->descriptor = -1;
  visitor_answer(visitor, &answer, descriptor);
  close(descriptor);
}

static void hear_open(struct visitor *visitor, const struct cwi_door_question *question)
{
  if (question->number >= (uint32_t)cw_processes()) {
    refuse(visitor, ENODEV, "there is no such proxy");
    return;
  }
  const int code = cwi_session_open((int)question->number, question, visitor, &visitor->session);
  if (code != 0)
    refuse_session(visitor, code);
  else if (!visitor->session->is_passed)
    give_session(visitor);
}

static void desk_opened(void *whose, struct cwi_proxy_session *session, int code)
{
  struct visitor *visitor = whose;
  if (code == 0) {
    visitor->session = session;
    give_session(visitor);
    return;
  }
  visitor->session = NULL;
  refuse_session(visitor, code);
}

static void desk_over(void *visitor)
{
  visitor_end(visitor);
}

const struct cwi_session_listener cwi_desk_listener = {desk_opened, desk_over, cwi_loads_end};

/* --- Lists ------------------------------------------------------------------------------------ */

static void add_own_sessions(struct visitor *visitor)
{
  for (const struct cwi_proxy_session *session = cwi_sessions_first(); session != NULL;
       session = session->next) {
    struct cwi_mail_entry entry;
    if (cwi_list_entry(session, &entry))
      cwi_list_session(&visitor->list, session->number, &entry);
  }
}

/* The text goes as memory: it may be longer than an answer. */
static void give_list(struct visitor *visitor)
{
  struct cwi_text list = cwi_listing_end(&visitor->list, desk.facts);
  struct cwi_door_answer answer = {.bytes = list.length};
  const int text =
      list.text != NULL ? cwi_door_sealed("causeway-list", list.text, list.length) : -1;
  free(list.text);
  visitor->list_number = 0;
  if (text < 0) {
    refuse(visitor, ENOMEM, "the proxy has no memory for the list");
    return;
  }
  visitor_answer(visitor, &answer, text);
  close(text);
}

static void hear_list(struct visitor *visitor)
{
  if (visitor->list_number != 0) {
    refuse(visitor, EBUSY, "the last list has not come yet");
    return;
  }
  cwi_listing_begin(&visitor->list);
  add_own_sessions(visitor);
  visitor->list_number = ++desk.lists;
  visitor->unheard = cw_processes() - 1;
  for (int process = 0; process < cw_processes(); process++)
    if (process != cw_process())
      cwi_post_send(process,
                    &(struct cwi_mail){.kind = CWI_MAIL_LIST, .number = visitor->list_number});
  if (visitor->unheard == 0)
    give_list(visitor);
}

/* Another proxy wants to know mine: `slot` says for which of its lists. */
static void tell_sessions(int process, uint32_t list)
{
  for (const struct cwi_proxy_session *session = cwi_sessions_first(); session != NULL;
       session = session->next) {
    struct cwi_mail mail = {.kind = CWI_MAIL_ENTRY, .slot = list, .number = session->number};
    if (cwi_list_entry(session, &mail.of.entry))
      cwi_post_send(process, &mail);
  }
  cwi_post_send(process, &(struct cwi_mail){.kind = CWI_MAIL_LISTED, .slot = list});
}

void cwi_desk_hear(int from, const struct cwi_mail *mail)
{
  struct visitor *visitor = desk.first;
  if (mail->kind == CWI_MAIL_LIST) {
    tell_sessions(from, mail->number);
    return;
  }
  while (visitor != NULL && visitor->list_number != mail->slot)
    visitor = visitor->next;
  if (visitor == NULL)
    return; /* it has left */
  if (mail->kind == CWI_MAIL_ENTRY) {
    cwi_list_session(&visitor->list, mail->number, &mail->of.entry);
  } else if (--visitor->unheard == 0) {
    give_list(visitor);
  }
}

/* --- Moves ------------------------------------------------------------------------------------ */

static void hear_move(struct visitor *visitor, const struct cwi_door_question *question)
{
  struct cwi_move_wish move;
  if (visitor->move != 0) {
    refuse(visitor, EBUSY, "the last move has not come to its end");
  } else if (!cwi_move_read(&move, question->text) || question->number == 0) {
    refuse(visitor, EINVAL, "a session and two devices are needed, as `cw-vocl list` names them");
  } else {
    visitor->move = ++desk.moves;
    cwi_moving_ask(question->number, &move, visitor->move, cwi_desk_moved);
  }
}

void cwi_desk_moved(uint32_t request, int code, const struct cwi_mail_moved *moved)
{
  struct cwi_door_answer answer = {
      .code = code, .bytes = moved->bytes, .nanoseconds = moved->nanoseconds};
  struct visitor *visitor = desk.first;
  while (visitor != NULL && visitor->move != request)
    visitor = visitor->next;
  if (visitor == NULL)
    return; /* it has left */
  visitor->move = 0;
  snprintf(answer.text, sizeof answer.text, "%s", moved->text);
  visitor_answer(visitor, &answer, -1);
}

/* --- Questions -------------------------------------------------------------------------------- */

static void visitor_ask(struct visitor *visitor, const struct cwi_door_question *question)
{
  struct cwi_door_answer answer = {.bytes = desk.facts->census_bytes};
  if (visitor->session != NULL) {
    refuse(visitor, EBUSY, "this socket is a session's");
    return;
  }
  switch (question->wish) {
  case CWI_DOOR_CENSUS:
    answer.number = (uint32_t)cw_process();
    visitor_answer(visitor, &answer, desk.census);
    return;
  case CWI_DOOR_OPEN:
    hear_open(visitor, question);
    return;
  case CWI_DOOR_LIST:
    hear_list(visitor);
    return;
  case CWI_DOOR_MOVE:
    hear_move(visitor, question);
    return;
  case CWI_DOOR_STOP:
    desk.wants_stop = true;
    answer.bytes = 0;
    visitor_answer(visitor, &answer, -1);
    return;
  default:
    refuse(visitor, ENOSYS, "the proxy does not know this wish");
  }
}

/* Who says what cannot be is sent away, too. */
void cwi_desk_look(void *whose)
{
  struct cwi_door_question question;
  struct visitor *visitor = whose;
  if (whose == &desk) {
    let_in();
    return;
  }
  if (cwi_door_hear(visitor->socket, &question)) {
    visitor_ask(visitor, &question);
  } else if (errno != EAGAIN) {
    if (visitor->session != NULL)
      cwi_session_leave(visitor->session);
    visitor_end(visitor);
  }
}

void cwi_desk_shut(void)
{
  if (desk.door >= 0) {
    if (desk.door_is_watched)
      cwi_watch_remove(desk.door);
    close(desk.door);
  }
  desk.door = -1;
  cwi_sessions_end_all(&cwi_desk_listener);
  while (desk.first != NULL)
    visitor_end(desk.first);
}

/* Hears what a proxy says: whoever waits takes it in, and the session's listener while nobody does.
 * Nothing that the proxy says is believed: what cannot be ends the session. */
#include "remote/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "wire/door.h"
#include "wire/look.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The listener lets those that will wait be first, so that one thread wakes and not two: for longer
 * while they do. */
enum { COURTESY_NANOSECONDS = 100000, MOST_COURTESY_NANOSECONDS = 400000 };

struct cwi_call_back {
  struct cwi_call_back *next;
  void (*function)(void *what);
  void *what;
};

bool cwi_call_later(struct cwi_session *session, void (*function)(void *what), void *what)
{
  struct cwi_call_back *call = malloc(sizeof *call);
  if (call == NULL)
    return false;
  *call = (struct cwi_call_back){NULL, function, what};
  if (session->last_call != NULL)
    session->last_call->next = call;
  else
    session->first_call = call;
  session->last_call = call;
  cwi_session_wake(session);
  return true;
}

/* --- what the proxy says --- */

static struct cwi_far_question **question_find(struct cwi_session *session, uint64_t ticket)
{
  struct cwi_far_question **each = &session->questions;
  while (*each != NULL && (*each)->ticket != ticket)
    each = &(*each)->next;
  return *each != NULL ? each : NULL;
}

static bool hear_answer(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_answer answer;
  if (bytes < sizeof answer)
    return false;
  memcpy(&answer, at, sizeof answer);
  struct cwi_far_question **place = question_find(session, answer.said.ticket);
  if (place == NULL)
    return false;
  struct cwi_far_question *question = *place;
  question->code = answer.code;
  question->count = answer.count;
  question->needed = answer.needed;
  if (answer.bytes <= bytes - sizeof answer) {
    question->bytes = answer.bytes;
    if (question->size > 0)
      memcpy(question->value, at + sizeof answer,
             answer.bytes < question->size ? answer.bytes : question->size);
  } else if (question->bytes != answer.bytes) {
    return false;
  }
  question->is_answered = true;
  *place = question->next;
  return true;
}

/* Of a long answer. */
static bool hear_part(struct cwi_session *session, const struct cwi_say_data *data,
                      const char *piece)
{
  struct cwi_far_question **place = question_find(session, data->said.ticket);
  if (place == NULL || data->offset != (*place)->bytes)
    return false;
  struct cwi_far_question *question = *place;
  question->bytes += data->bytes;
  if (data->offset < question->size) {
    const uint64_t room = question->size - data->offset;
    memcpy(question->value + data->offset, piece, data->bytes < room ? data->bytes : room);
  }
  return true;
}

/* Of what a command reads. */
static bool hear_read(struct cwi_session *session, const struct cwi_say_data *data,
                      const char *piece)
{
  struct cwi_far *far = cwi_far_at(session, data->number);
  return far != NULL && far->kind->result != NULL && far->kind->result(far, data, piece);
}

static bool hear_result(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_data data;
  if (bytes < sizeof data)
    return false;
  memcpy(&data, at, sizeof data);
  if (data.bytes > CWI_PIECE_MOST)
    return false;
  const char *piece = cwi_channel_piece_at(&session->channel, data.position, data.bytes);
  if (piece == NULL ||
      !(data.number == 0 ? hear_part(session, &data, piece) : hear_read(session, &data, piece)))
    return false;
  cwi_channel_give_room(&session->channel, cwi_channel_piece_end(data.position, data.bytes));
  return true;
}

static bool hear_done(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_done head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  if (head.count > (bytes - sizeof head) / sizeof(struct cwi_done))
    return false;
  for (uint32_t i = 0; i < head.count; i++) {
    struct cwi_done done;
    memcpy(&done, at + sizeof head + i * sizeof done, sizeof done);
    struct cwi_far *far = cwi_far_at(session, done.event);
    if (far == NULL || far->kind->done == NULL || !far->kind->done(far, &done))
      return false;
  }
  return true;
}

static bool hear_deleted(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_numbers head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  if (head.count > (bytes - sizeof head) / sizeof(uint32_t))
    return false;
  for (uint32_t i = 0; i < head.count; i++) {
    uint32_t number = 0;
    memcpy(&number, at + offsetof(struct cwi_say_numbers, numbers) + i * sizeof number,
           sizeof number);
    struct cwi_far *far = cwi_far_at(session, number);
    if (far == NULL || far->kind->deleted == NULL || !far->kind->deleted(far))
      return false;
  }
  return true;
}

static bool hear_notice(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_notice head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  const size_t left = bytes - sizeof head;
  if (head.text_bytes > left || head.private_bytes > left - head.text_bytes)
    return false;
  struct cwi_far *far = cwi_far_at(session, head.context);
  const char *text = at + sizeof head;
  if (far != NULL && far->kind->notice != NULL) /* else it has gone meanwhile */
    far->kind->notice(far, text, head.text_bytes, head.private_bytes);
  return true;
}

static bool hear_one(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_said said;
  if (bytes < sizeof said)
    return false;
  memcpy(&said, at, sizeof said);
  switch (said.what) {
  case CWI_SAYS_ANSWER:
    return hear_answer(session, at, bytes);
  case CWI_SAYS_DONE:
    return hear_done(session, at, bytes);
  case CWI_SAYS_RESULT:
    return hear_result(session, at, bytes);
  case CWI_SAYS_DELETED:
    return hear_deleted(session, at, bytes);
  case CWI_SAYS_NOTICE:
    return hear_notice(session, at, bytes);
  case CWI_SAYS_MOVE:
    return session->hear_move(session, at, bytes);
  default:
    return false;
  }
}

/* Programs that look at no code are told, too. In a child of fork nobody comes here. */
static void session_lose(struct cwi_session *session, const char *why)
{
  if (!session->is_over)
    cwi_log(CWI_LOG_WARNING,
            "OpenCL: %s; the devices of proxy %u are lost: calls on them return "
            "CL_DEVICE_NOT_AVAILABLE",
            why, session->proxy);
  cwi_session_end(session);
}

bool cwi_session_hear(struct cwi_session *session)
{
  size_t bytes = 0;
  bool any = false;
  if (session->is_over)
    return false;
  for (const char *at; (at = cwi_channel_next(&session->channel, &bytes)) != NULL; any = true) {
    if (!hear_one(session, at, bytes)) {
      session_lose(session, "the proxy says what cannot be");
      return true;
    }
    if (session->is_over)
      return true;
    cwi_channel_take(&session->channel);
  }
  if (cwi_channel_is_over(&session->channel))
    session_lose(session, session->channel.broken ? "the proxy writes what cannot be"
                                                  : "the service has ended this program's session");
  else if (session->sent == session->unpublished && cwi_channel_unpublished(&session->channel) > 0)
    cwi_say_publish(session);
  return any;
}

/* --- waiting --- */

/* Whether the other end has gone is asked now and then. */
static void session_look(struct cwi_session *session)
{
  const double now = cwi_now();
  if (session->is_over || now - session->looked < CWI_LOOK_NANOSECONDS * 0.9e-9)
    return;
  session->looked = now;
  if (!cwi_door_is_left(session->socket))
    return;
  cwi_session_hear(session);
  session_lose(session, "the service has ended, or a proxy of it has died (cw-vocl says why)");
}

/* Until the bell rings, or for a while: looking for a short time first, unless the last news took
 * long to come. */
static void wait_for_news(struct cwi_session *session, uint32_t bell)
{
  static const double LOOK_SECONDS = 100e-6;
  struct cwi_look look = {.was_late = __atomic_load_n(&session->was_late, __ATOMIC_RELAXED)};
  bool has_rung = false;
  cwi_look_begin(&look, LOOK_SECONDS);
  do
    has_rung = cwi_channel_bell(&session->channel) != bell;
  while (!has_rung && cwi_look_turn(&look));
  if (!has_rung)
    cwi_channel_sleep(&session->channel, bell, CWI_LOOK_NANOSECONDS);
  cwi_look_end(&look);
  __atomic_store_n(&session->was_late, look.was_late, __ATOMIC_RELAXED);
}

bool cwi_session_wait(struct cwi_session *session, bool (*come)(const void *what), const void *what)
{
  if (!session->is_over)
    cwi_say_publish(session);
  session->waiters++;
  bool is_there = false;
  for (;;) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    cwi_session_hear(session);
    is_there = come(what);
    if (is_there || session->is_over)
      break;
    cwi_session_unlock(session);
    wait_for_news(session, bell);
    cwi_session_lock(session);
    session_look(session);
  }
  session->waiters--;
  if (session->sent > session->unpublished) /* what others wait for, or callbacks */
    cwi_listener_want(session);
  return is_there;
}

/* --- the listener --- */

void cwi_make_calls(struct cwi_session *session)
{
  while (session->first_call != NULL) {
    struct cwi_call_back *call = session->first_call;
    session->first_call = call->next;
    if (session->first_call == NULL)
      session->last_call = NULL;
    cwi_session_unlock(session);
    call->function(call->what);
    free(call);
    cwi_session_lock(session);
  }
}

static bool is_listener_wanted(const struct cwi_session *session)
{
  return session->sent > session->unpublished && session->waiters == 0;
}

/* Let others hear. They did if something has ended meanwhile. */
static bool listener_is_courteous(struct cwi_session *session, bool is_wanted)
{
  const uint32_t wanted = cwi_signal_value(&session->wanted);
  const uint64_t ended = session->ended;
  const long courtesy = session->courtesy > 0 ? session->courtesy : COURTESY_NANOSECONDS;
  session->listener_is_idle = !is_wanted && session->courtesy == 0;
  const long nap = session->listener_is_idle ? CWI_LOOK_NANOSECONDS : courtesy;
  cwi_session_unlock(session);
  cwi_signal_nap(&session->wanted, wanted, nap);
  cwi_session_lock(session);
  session->listener_is_idle = false;
  const bool others_hear = session->ended != ended;
  session->courtesy = !others_hear                               ? 0
                      : 2 * courtesy < MOST_COURTESY_NANOSECONDS ? 2 * courtesy
                                                                 : MOST_COURTESY_NANOSECONDS;
  return others_hear;
}

/* Pass some time: on the bell if something is under way and nobody else waits for it. */
static void listener_nap(struct cwi_session *session)
{
  static const long look = CWI_LOOK_NANOSECONDS;
  const bool was_wanted = is_listener_wanted(session);
  if (listener_is_courteous(session, was_wanted) || !was_wanted)
    return;
  while (session->first_call == NULL && !session->is_over && is_listener_wanted(session)) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    if (cwi_session_hear(session))
      continue;
    cwi_session_unlock(session);
    cwi_channel_sleep(&session->channel, bell, look);
    cwi_session_lock(session);
    session_look(session);
  }
}

void (*cwi_remote_over_notice)(void);

bool cwi_remote_is_over(const void *object)
{
  const struct cwi_session *session = ((const struct cwi_far *)object)->session;
  return __atomic_load_n(&session->is_over, __ATOMIC_ACQUIRE);
}

/* It ends with the session, when all that was to be told is told. */
static void *listener_run(void *argument)
{
  struct cwi_session *session = argument;
  cwi_session_lock(session);
  while (!session->is_over || session->first_call != NULL) {
    cwi_make_calls(session);
    if (session->is_over)
      continue;
    listener_nap(session);
    session_look(session);
    cwi_session_hear(session);
    if (session->waiters == 0 && !session->is_over) {
      cwi_say_drops_now(session);
      cwi_say_commonly(session);
    }
  }
  session->is_deaf = true;
  cwi_channel_close(&session->channel);
  close(session->socket);
  cwi_session_unlock(session);
  if (cwi_remote_over_notice != NULL)
    cwi_remote_over_notice();
  return NULL;
}

bool cwi_listener_start(struct cwi_session *session)
{
  pthread_t thread;
  if (cwi_thread_start(&thread, listener_run, session) != 0)
    return false;
  pthread_detach(thread);
  return true;
}

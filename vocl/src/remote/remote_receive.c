/* Receives the messages of a proxy. A waiting thread handles them; while no thread waits, the
 * session's listener does. Messages are not trusted: a malformed one ends the session. */
#include "remote/remote_session.h"

#include "base/clock.h"
#include "base/log.h"
#include "wait/thread.h"
#include "wire/adaptive_poll.h"
#include "wire/service_socket.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Time that the listener sleeps before it waits for messages itself. A thread of the program may be
 * about to wait for them, and then only one thread should wake. The time grows while threads of the
 * program handle the messages. */
enum { GRACE_NANOSECONDS = 100000, MOST_GRACE_NANOSECONDS = 400000 };

struct vocl_deferred_call {
  struct vocl_deferred_call *next;
  void (*function)(void *what);
  void *what;
};

bool vocl_session_call_later(struct vocl_session *session, void (*function)(void *what), void *what)
{
  struct vocl_deferred_call *call = malloc(sizeof *call);
  if (call == NULL)
    return false;
  *call = (struct vocl_deferred_call){NULL, function, what};
  if (session->last_call != NULL)
    session->last_call->next = call;
  else
    session->first_call = call;
  session->last_call = call;
  vocl_session_wake(session);
  return true;
}

/* --- messages of the proxy --- */

static struct vocl_request **query_find(struct vocl_session *session, uint64_t ticket)
{
  struct vocl_request **each = &session->queries;
  while (*each != NULL && (*each)->ticket != ticket)
    each = &(*each)->next;
  return *each != NULL ? each : NULL;
}

static bool receive_answer(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_reply answer;
  if (bytes < sizeof answer)
    return false;
  memcpy(&answer, at, sizeof answer);
  struct vocl_request **place = query_find(session, answer.header.ticket);
  if (place == NULL)
    return false;
  struct vocl_request *query = *place;
  query->code = answer.code;
  query->count = answer.count;
  query->needed = answer.needed;
  if (answer.bytes <= bytes - sizeof answer) {
    query->bytes = answer.bytes;
    if (query->size > 0)
      memcpy(query->value, at + sizeof answer,
             answer.bytes < query->size ? answer.bytes : query->size);
  } else if (query->bytes != answer.bytes) {
    return false;
  }
  query->is_replied = true;
  *place = query->next;
  return true;
}

/* Receives a part of a long reply. */
static bool receive_part(struct vocl_session *session, const struct vocl_msg_data *data,
                         const char *piece)
{
  struct vocl_request **place = query_find(session, data->header.ticket);
  if (place == NULL || data->offset != (*place)->bytes)
    return false;
  struct vocl_request *query = *place;
  query->bytes += data->bytes;
  if (data->offset < query->size) {
    const uint64_t space = query->size - data->offset;
    memcpy(query->value + data->offset, piece, data->bytes < space ? data->bytes : space);
  }
  return true;
}

/* Receives data that a command has read. */
static bool receive_read(struct vocl_session *session, const struct vocl_msg_data *data,
                         const char *piece)
{
  struct vocl_stub *stub = vocl_stub_at(session, data->number);
  return stub != NULL && stub->kind->result != NULL && stub->kind->result(stub, data, piece);
}

static bool receive_result(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_data data;
  if (bytes < sizeof data)
    return false;
  memcpy(&data, at, sizeof data);
  if (data.bytes > VOCL_PIECE_MAX)
    return false;
  const char *piece = vocl_channel_piece_at(&session->channel, data.position, data.bytes);
  if (piece == NULL || !(data.number == 0 ? receive_part(session, &data, piece)
                                          : receive_read(session, &data, piece)))
    return false;
  vocl_channel_release_space(&session->channel, vocl_channel_piece_end(data.position, data.bytes));
  return true;
}

static bool receive_done(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_done head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  if (head.count > (bytes - sizeof head) / sizeof(struct vocl_completion))
    return false;
  for (uint32_t i = 0; i < head.count; i++) {
    struct vocl_completion done;
    memcpy(&done, at + sizeof head + i * sizeof done, sizeof done);
    struct vocl_stub *stub = vocl_stub_at(session, done.event);
    if (stub == NULL || stub->kind->done == NULL || !stub->kind->done(stub, &done))
      return false;
  }
  return true;
}

static bool receive_deleted(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_numbers head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  if (head.count > (bytes - sizeof head) / sizeof(uint32_t))
    return false;
  for (uint32_t i = 0; i < head.count; i++) {
    uint32_t number = 0;
    memcpy(&number, at + offsetof(struct vocl_msg_numbers, numbers) + i * sizeof number,
           sizeof number);
    struct vocl_stub *stub = vocl_stub_at(session, number);
    if (stub == NULL || stub->kind->deleted == NULL || !stub->kind->deleted(stub))
      return false;
  }
  return true;
}

static bool receive_notice(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_notice head;
  if (bytes < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  const size_t left = bytes - sizeof head;
  if (head.text_bytes > left || head.private_bytes > left - head.text_bytes)
    return false;
  struct vocl_stub *stub = vocl_stub_at(session, head.context);
  const char *text = at + sizeof head;
  if (stub != NULL &&
      stub->kind->notice != NULL) /* otherwise the context has been released meanwhile */
    stub->kind->notice(stub, text, head.text_bytes, head.private_bytes);
  return true;
}

static bool receive_one(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_header msg;
  if (bytes < sizeof msg)
    return false;
  memcpy(&msg, at, sizeof msg);
  switch (msg.what) {
  case VOCL_MSG_REPLY:
    return receive_answer(session, at, bytes);
  case VOCL_MSG_DONE:
    return receive_done(session, at, bytes);
  case VOCL_MSG_RESULT:
    return receive_result(session, at, bytes);
  case VOCL_MSG_DELETED:
    return receive_deleted(session, at, bytes);
  case VOCL_MSG_NOTICE:
    return receive_notice(session, at, bytes);
  case VOCL_MSG_MOVE:
    return session->receive_move(session, at, bytes);
  default:
    return false;
  }
}

/* Ends the session and logs why, for programs that check no error codes. It does not run in a
 * child of fork. */
static void session_lose(struct vocl_session *session, const char *why)
{
  if (!session->is_over)
    cwi_log(CWI_LOG_WARNING,
            "OpenCL: %s; the devices of proxy %u are lost: calls on them return "
            "CL_DEVICE_NOT_AVAILABLE",
            why, session->proxy);
  vocl_session_lost(session);
}

bool vocl_session_receive(struct vocl_session *session)
{
  size_t bytes = 0;
  bool any = false;
  if (session->is_over)
    return false;
  for (const char *at; (at = vocl_channel_next(&session->channel, &bytes)) != NULL; any = true) {
    if (!receive_one(session, at, bytes)) {
      session_lose(session, "the proxy sent a malformed message");
      return true;
    }
    if (session->is_over)
      return true;
    vocl_channel_take(&session->channel);
  }
  if (vocl_channel_is_closed(&session->channel))
    session_lose(session, session->channel.broken ? "the proxy sent an invalid position"
                                                  : "the service has ended this program's session");
  else if (session->sent == session->unpublished && vocl_channel_unpublished(&session->channel) > 0)
    vocl_session_publish(session);
  return any;
}

/* --- waiting --- */

/* Checks from time to time whether the proxy has closed the connection. */
static void session_check(struct vocl_session *session)
{
  const double now = cwi_now();
  if (session->is_over || now - session->checked < VOCL_POLL_NANOSECONDS * 0.9e-9)
    return;
  session->checked = now;
  if (!vocl_socket_is_closed(session->socket))
    return;
  vocl_session_receive(session);
  session_lose(session,
               "the service has ended, or a proxy of it has died (see the output of cw-vocl)");
}

/* Waits until the bell rings, for at most VOCL_POLL_NANOSECONDS after the polling. Polls for a
 * short time first, unless the previous message took long to arrive. */
static void wait_for_news(struct vocl_session *session, uint32_t bell)
{
  static const double POLL_SECONDS = 100e-6;
  struct vocl_poll poll = {.was_late = __atomic_load_n(&session->was_late, __ATOMIC_RELAXED)};
  bool has_rung = false;
  vocl_poll_begin(&poll, POLL_SECONDS);
  do
    has_rung = vocl_channel_bell(&session->channel) != bell;
  while (!has_rung && vocl_poll_pass(&poll));
  if (!has_rung)
    vocl_channel_sleep(&session->channel, bell, VOCL_POLL_NANOSECONDS);
  vocl_poll_end(&poll);
  __atomic_store_n(&session->was_late, poll.was_late, __ATOMIC_RELAXED);
}

bool vocl_session_wait(struct vocl_session *session, bool (*is_ready)(const void *what),
                       const void *what)
{
  if (!session->is_over)
    vocl_session_publish(session);
  session->waiters++;
  bool is_there = false;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    vocl_session_receive(session);
    is_there = is_ready(what);
    if (is_there || session->is_over)
      break;
    vocl_session_unlock(session);
    wait_for_news(session, bell);
    vocl_session_lock(session);
    session_check(session);
  }
  session->waiters--;
  if (session->sent > session->unpublished) /* the listener then handles the commands still in
                                               progress, and their callbacks */
    vocl_listener_wake(session);
  return is_there;
}

/* --- the listener --- */

void vocl_session_run_calls(struct vocl_session *session)
{
  while (session->first_call != NULL) {
    struct vocl_deferred_call *call = session->first_call;
    session->first_call = call->next;
    if (session->first_call == NULL)
      session->last_call = NULL;
    vocl_session_unlock(session);
    call->function(call->what);
    free(call);
    vocl_session_lock(session);
  }
}

static bool is_listener_wanted(const struct vocl_session *session)
{
  return session->sent > session->unpublished && session->waiters == 0;
}

/* Sleeps while other threads may handle the messages. Returns true if other threads have completed
 * events meanwhile. */
static bool listener_defers(struct vocl_session *session, bool is_wanted)
{
  const uint32_t wanted = cwi_signal_value(&session->wanted);
  const uint64_t ended = session->ended;
  const long grace = session->grace > 0 ? session->grace : GRACE_NANOSECONDS;
  session->listener_is_idle = !is_wanted && session->grace == 0;
  const long sleep = session->listener_is_idle ? VOCL_POLL_NANOSECONDS : grace;
  vocl_session_unlock(session);
  cwi_signal_nap(&session->wanted, wanted, sleep);
  vocl_session_lock(session);
  session->listener_is_idle = false;
  const bool others_receive = session->ended != ended;
  session->grace = !others_receive                      ? 0
                   : 2 * grace < MOST_GRACE_NANOSECONDS ? 2 * grace
                                                        : MOST_GRACE_NANOSECONDS;
  return others_receive;
}

/* Sleeps for a while. If commands are in progress and no other thread waits for them, also handles
 * messages and sleeps on the bell. */
static void listener_sleep(struct vocl_session *session)
{
  static const long poll = VOCL_POLL_NANOSECONDS;
  const bool was_wanted = is_listener_wanted(session);
  if (listener_defers(session, was_wanted) || !was_wanted)
    return;
  while (session->first_call == NULL && !session->is_over && is_listener_wanted(session)) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (vocl_session_receive(session))
      continue;
    vocl_session_unlock(session);
    vocl_channel_sleep(&session->channel, bell, poll);
    vocl_session_lock(session);
    session_check(session);
  }
}

void (*vocl_remote_lost_callback)(void);

bool vocl_remote_is_lost(const void *object)
{
  const struct vocl_session *session = ((const struct vocl_stub *)object)->session;
  return __atomic_load_n(&session->is_over, __ATOMIC_ACQUIRE);
}

/* Runs the listener. It ends with the session, after all deferred calls. */
static void *listener_run(void *argument)
{
  struct vocl_session *session = argument;
  vocl_session_lock(session);
  while (!session->is_over || session->first_call != NULL) {
    vocl_session_run_calls(session);
    if (session->is_over)
      continue;
    listener_sleep(session);
    session_check(session);
    vocl_session_receive(session);
    if (session->waiters == 0 && !session->is_over) {
      vocl_session_try_send_drops(session);
      vocl_session_publish_if_due(session);
    }
  }
  session->has_no_listener = true;
  vocl_channel_close(&session->channel);
  close(session->socket);
  vocl_session_unlock(session);
  if (vocl_remote_lost_callback != NULL)
    vocl_remote_lost_callback();
  return NULL;
}

bool vocl_listener_start(struct vocl_session *session)
{
  pthread_t thread;
  if (cwi_thread_start(&thread, listener_run, session) != 0)
    return false;
  pthread_detach(thread);
  return true;
}

/* Handles requests of a proxy to move what the program has on a device to another one. A
 * separate thread does the move and sends the reply, so that other messages are handled
 * meanwhile. */
#include "remote/remote_session.h"

#include "base/clock.h"
#include "wait/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vocl_device_mover *mover_of_all;

struct wanted_move {
  struct vocl_session *session;
  uint64_t ticket;
  struct vocl_device_name from, to;
};

void vocl_remote_set_mover(vocl_device_mover *mover)
{
  __atomic_store_n(&mover_of_all, mover, __ATOMIC_RELEASE);
}

static void report_moved(const struct wanted_move *wanted, int code,
                         const struct vocl_move_report *report, double seconds)
{
  struct vocl_session *session = wanted->session;
  const size_t length = strlen(report->text);
  vocl_session_lock(session);
  session->is_queried = false;
  struct vocl_msg_move_reply *msg =
      vocl_message_begin(session, VOCL_MSG_MOVE_REPLY, sizeof *msg + length, wanted->ticket);
  if (msg != NULL) {
    msg->code = code;
    msg->text_bytes = (uint32_t)length;
    msg->bytes = report->bytes;
    msg->nanoseconds = (uint64_t)(seconds * 1e9);
    memcpy(msg->text, report->text, length);
    vocl_message_end(session);
    vocl_session_publish(session);
  }
  vocl_session_unlock(session);
}

static int move_is_requested(const struct wanted_move *wanted, struct vocl_move_report *report)
{
  vocl_device_mover *mover = __atomic_load_n(&mover_of_all, __ATOMIC_ACQUIRE);
  if (mover != NULL)
    return mover(wanted->from, wanted->to, report);
  snprintf(report->text, sizeof report->text, "the program has nothing that can be moved");
  return ENOSYS;
}

static void *move_run(void *argument)
{
  struct wanted_move *wanted = argument;
  struct vocl_move_report report = {.bytes = 0};
  const double began = cwi_now();
  const int code = move_is_requested(wanted, &report);
  report_moved(wanted, code, &report, cwi_now() - began);
  free(wanted);
  return NULL;
}

/* Replies that there is no memory or no thread for the move. Sends no reply if the ring is full;
 * the proxy then waits for a while. */
static void move_reject(struct vocl_session *session, uint64_t ticket)
{
  static const char text[] = "the program has no memory for the move";
  const size_t length = sizeof text - 1;
  struct vocl_msg_move_reply *msg = vocl_channel_begin(&session->channel, sizeof *msg + length);
  if (msg == NULL)
    return;
  vocl_msg_header_set(&msg->header, VOCL_MSG_MOVE_REPLY, sizeof *msg + length, ticket);
  msg->code = ENOMEM;
  msg->text_bytes = (uint32_t)length;
  memcpy(msg->text, text, length);
  vocl_message_end(session);
  vocl_session_publish(session);
}

bool vocl_session_receive_move(struct vocl_session *session, const char *at, size_t bytes)
{
  struct vocl_msg_move msg;
  pthread_t thread;
  if (bytes < sizeof msg || session->is_queried)
    return false;
  memcpy(&msg, at, sizeof msg);
  struct wanted_move *wanted = malloc(sizeof *wanted);
  if (wanted != NULL)
    *wanted = (struct wanted_move){
        session, msg.header.ticket, {session->proxy, msg.device}, {msg.target[0], msg.target[1]}};
  session->is_queried = wanted != NULL && cwi_thread_start(&thread, move_run, wanted) == 0;
  if (session->is_queried) {
    pthread_detach(thread);
  } else {
    free(wanted);
    move_reject(session, msg.header.ticket);
  }
  return true;
}

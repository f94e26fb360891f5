/* The thread of a session: reads and handles one message after the other, until the program
 * closes the channel or sends a malformed message. */
#include "handler/handler.h"

#include "base/log.h"
#include "base/settings.h"
#include "wire/adaptive_poll.h"

#include <stdlib.h>
#include <string.h>

/* Limits on the commands that wait for their vendor. Above MANY_WAITING, the next message is
 * read only if a waiting command lacks data that later messages contain. At MOST_WAITING the
 * session ends. */
enum { MANY_WAITING = 4096, MOST_WAITING = 1 << 20 };

static const long SLEEP_NANOSECONDS = 500000000;
static const double POLL_SECONDS = 100e-6;

static const struct {
  vocl_message_handler *handle;
  size_t least; /* minimum size of such a message in bytes */
} handlers[] = {
    [VOCL_MSG_MAKE] = {vocl_on_make, sizeof(struct vocl_msg_make)},
    [VOCL_MSG_MAKE_KERNELS] = {vocl_on_make_kernels, sizeof(struct vocl_msg_numbers)},
    [VOCL_MSG_MAKE_SUB_DEVICES] = {vocl_on_make_sub_devices, sizeof(struct vocl_msg_sub_devices)},
    [VOCL_MSG_DROP] = {vocl_on_drop, sizeof(struct vocl_msg_numbers)},
    [VOCL_MSG_WATCH_DELETED] = {vocl_on_watch_deleted, sizeof(struct vocl_msg_numbers)},
    [VOCL_MSG_BUILD] = {vocl_on_build, sizeof(struct vocl_msg_build)},
    [VOCL_MSG_QUERY] = {vocl_on_query, sizeof(struct vocl_msg_query)},
    [VOCL_MSG_QUERY_FORMATS] = {vocl_on_query_formats, sizeof(struct vocl_msg_query_formats)},
    [VOCL_MSG_ARGUMENT] = {vocl_service_argument, sizeof(struct vocl_msg_argument)},
    [VOCL_MSG_COMMAND] = {vocl_service_command, sizeof(struct vocl_msg_command)},
    [VOCL_MSG_DATA] = {vocl_on_data, sizeof(struct vocl_msg_data)},
    [VOCL_MSG_FLUSH] = {vocl_on_flush, sizeof(struct vocl_msg_numbers)},
    [VOCL_MSG_FINISH] = {vocl_service_finish, sizeof(struct vocl_msg_numbers)},
    [VOCL_MSG_MOVE_REPLY] = {vocl_on_move_reply, sizeof(struct vocl_msg_move_reply)},
};

/* Handles one message. Works on a copy, because the program may change the original in shared
 * memory after it was checked. Returns false if the session must end. */
static bool message_handle(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_header *msg = (const struct vocl_msg_header *)session->message;
  memcpy(session->message, message, bytes);
  vocl_service_count(&session->counts->messages, 1);
  if (msg->what >= sizeof handlers / sizeof *handlers || handlers[msg->what].handle == NULL ||
      bytes < handlers[msg->what].least)
    return vocl_service_protocol_error(session, "an unknown message");
  return handlers[msg->what].handle(session, session->message, bytes);
}

/* Waits while too many commands wait, so that the program cannot send more. Returns false if the
 * session must end. `session->is_full` makes a command that leaves its queue ring the bell of this
 * thread. */
static bool has_space(struct vocl_service *session)
{
  session->is_full = true;
  while (session->waiting >= MANY_WAITING && session->awaiting == 0 &&
         !vocl_service_is_closed(session)) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    vocl_service_issue(session);
    vocl_service_flush_queues(session);
    vocl_service_publish(session);
    vocl_service_hand_over_queues(session);
    pthread_mutex_unlock(&session->lock);
    vocl_channel_sleep(&session->channel, bell, SLEEP_NANOSECONDS);
    pthread_mutex_lock(&session->lock);
  }
  session->is_full = false;
  return session->waiting < MOST_WAITING ||
         vocl_service_protocol_error(session, "more commands than can wait");
}

/* Handles all messages that have arrived and reports completed commands. Returns false if the
 * session is over. */
static bool receive_all(struct vocl_service *session, bool *received, bool *ended)
{
  size_t bytes = 0;
  const void *message = NULL;
  *received = false;
  while ((message = vocl_channel_next(&session->channel, &bytes)) != NULL) {
    *received = true;
    pthread_mutex_lock(&session->lock);
    session->polls = true;
    const bool may_continue = message_handle(session, message, bytes) && has_space(session) &&
                              !vocl_service_is_closed(session);
    if (session->waiting > 0 &&
        vocl_service_poll(session)) /* report completions before the next message is read */
      vocl_service_issue(session);
    pthread_mutex_unlock(&session->lock);
    if (!may_continue)
      return false;
    vocl_channel_take(&session->channel);
  }
  pthread_mutex_lock(&session->lock);
  *ended = vocl_service_poll(session);
  vocl_service_notices_send(session);
  vocl_service_send_move(session);
  vocl_service_issue(session); /* the program may have released space in the data ring */
  vocl_service_flush_queues(session);
  vocl_service_publish(session);
  const bool is_over = vocl_service_is_closed(session);
  pthread_mutex_unlock(&session->lock);
  return !is_over;
}

/* Sleeps until the bell rings; meanwhile the threads of the queues wait for the commands in
 * progress. */
static void session_sleep(struct vocl_service *session, uint32_t bell)
{
  pthread_mutex_lock(&session->lock);
  vocl_service_hand_over_queues(session);
  pthread_mutex_unlock(&session->lock);
  vocl_channel_sleep(&session->channel, bell, SLEEP_NANOSECONDS);
}

static void session_serve(struct vocl_service *session)
{
  struct vocl_poll after_message = {0}, after_end = {0}, *poll = &after_message;
  bool received = false, ended = false;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (!receive_all(session, &received, &ended))
      return;
    if (received || ended) {
      vocl_poll_end(poll);
      poll = received ? &after_message : &after_end;
      vocl_poll_begin(poll, POLL_SECONDS);
    } else if (!vocl_poll_pass(poll)) {
      session_sleep(session, bell);
    }
  }
}

/* Ends the session: rejects the commands that wait, waits for those that vendors have, and drops
 * all objects. */
static void session_end(struct vocl_service *session)
{
  pthread_mutex_lock(&session->lock);
  session->is_over = true;
  vocl_service_hand_over_queues(session);
  vocl_channel_close(&session->channel);
  vocl_service_queues_stop(session);
  pthread_mutex_unlock(&session->lock);
  vocl_service_end_builds(session);
  pthread_mutex_lock(&session->lock);
  vocl_service_drop_all(session);
  pthread_mutex_unlock(&session->lock);
  vocl_service_queues_join(session);
  vocl_service_notices_end(session);
  vocl_service_pieces_free(session);
}

void vocl_service_run(struct vocl_channel_memory *memory, struct vocl_service_counts *counts,
                      struct vocl_move_request *request)
{
  const struct vocl_found_device *devices = NULL;
  struct vocl_service *session = calloc(1, sizeof *session);
  if (session == NULL) {
    cwi_log(CWI_LOG_WARNING, "no memory for a session");
    return;
  }
  vocl_vendor_devices(&devices);
  vocl_channel_open(&session->channel, memory, VOCL_PROXY_SIDE);
  session->counts = counts;
  session->request = request;
  session->ahead = (size_t)cwi_settings.vocl_ahead;
  pthread_mutex_init(&session->lock, NULL);
  pthread_cond_init(&session->build, NULL);
  pthread_cond_init(&session->changed, NULL);
  vocl_service_notices_begin(session);
  session_serve(session);
  session_end(session);
  pthread_cond_destroy(&session->build);
  pthread_cond_destroy(&session->changed);
  pthread_mutex_destroy(&session->lock);
  free(session);
}

#include "raw_session.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_RECORDED = 1 << 24 };
static const long NAP = 100000000;

static void *serve(void *argument)
{
  struct raw_session *session = argument;
  vocl_service_run(session->memory, &session->counts, &session->request);
  return NULL;
}

void raw_session_begin(struct raw_session *session)
{
  char *record = session->record;
  *session = (struct raw_session){.record = record};
  session->memory =
      mmap(NULL, VOCL_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (session->memory == MAP_FAILED)
    abort();
  vocl_channel_open(&session->channel, session->memory, VOCL_PROGRAM_SIDE);
  pthread_create(&session->thread, NULL, serve, session);
}

void raw_session_end(struct raw_session *session)
{
  vocl_channel_close(&session->channel);
  pthread_join(session->thread, NULL);
  kit_check_long((long)session->counts.objects, 0, "objects that are left");
  kit_check_long((long)session->counts.device_bytes, 0, "bytes of devices that are left");
  munmap(session->memory, VOCL_CHANNEL_BYTES);
  for (size_t i = 0; i <= session->ticket; i++)
    free(session->replies[i].value);
}

long raw_session_count(const uint64_t *count)
{
  return (long)__atomic_load_n(count, __ATOMIC_RELAXED);
}

bool raw_session_is_over(const struct raw_session *session)
{
  return vocl_channel_is_closed(&session->channel);
}

static void pass_time(struct raw_session *session, uint32_t bell)
{
  if (!raw_session_receive(session))
    vocl_channel_sleep(&session->channel, bell, NAP);
}

void *raw_message_begin(struct raw_session *session, enum vocl_msg_type what, size_t bytes,
                        bool ticket)
{
  struct vocl_msg_header *msg = NULL;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    msg = vocl_channel_begin(&session->channel, bytes);
    if (msg != NULL || raw_session_is_over(session))
      break;
    pass_time(session, bell);
  }
  if (msg == NULL)
    return NULL;
  memset(msg, 0, bytes);
  *msg = (struct vocl_msg_header){.bytes = (uint32_t)bytes, .what = (uint16_t)what};
  if (ticket)
    msg->ticket = ++session->ticket;
  return msg;
}

void raw_message_end(struct raw_session *session, void *message)
{
  const struct vocl_msg_header *msg = message;
  if (msg == NULL)
    return;
  if (session->record != NULL && session->recorded + msg->bytes + 16 < MOST_RECORDED) {
    memcpy(session->record + session->recorded, msg, msg->bytes);
    session->recorded += (msg->bytes + 15u) & ~15u;
  }
  vocl_channel_end_message(&session->channel);
  vocl_channel_publish(&session->channel);
}

void raw_data_send(struct raw_session *session, uint32_t number, const void *bytes, size_t size,
                   uint64_t offset)
{
  uint64_t position = 0;
  char *piece = NULL;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    piece = vocl_channel_piece(&session->channel, size, &position);
    if (piece != NULL || raw_session_is_over(session))
      break;
    pass_time(session, bell);
  }
  struct vocl_msg_data *data = raw_message_begin(session, VOCL_MSG_DATA, sizeof *data, false);
  if (data == NULL || piece == NULL)
    return;
  memcpy(piece, bytes, size);
  data->number = number;
  data->offset = offset;
  data->position = position;
  data->bytes = size;
  raw_message_end(session, data);
}

void raw_numbers_send(struct raw_session *session, enum vocl_msg_type what, bool ticket,
                      uint32_t count, const uint32_t *numbers)
{
  struct vocl_msg_numbers *msg =
      raw_message_begin(session, what, sizeof *msg + count * sizeof *numbers, ticket);
  if (msg == NULL)
    return;
  msg->count = count;
  memcpy(msg->numbers, numbers, count * sizeof *numbers);
  raw_message_end(session, msg);
}

static void result_receive(struct raw_session *session, const struct vocl_msg_data *msg)
{
  const char *piece = vocl_channel_piece_at(&session->channel, msg->position, msg->bytes);
  if (!kit_check(piece != NULL, "a result's piece"))
    return;
  if (msg->number != 0) {
    if (session->events[msg->number].into != NULL)
      memcpy(session->events[msg->number].into + msg->offset, piece, msg->bytes);
    session->events[msg->number].received += msg->bytes;
  } else {
    char **value = &session->replies[msg->header.ticket].value;
    char *longer = kit_alloc(msg->offset + msg->bytes, 1);
    if (msg->offset > 0)
      memcpy(longer, *value, msg->offset);
    memcpy(longer + msg->offset, piece, msg->bytes);
    free(*value);
    *value = longer;
  }
  vocl_channel_release_space(&session->channel, vocl_channel_piece_end(msg->position, msg->bytes));
}

static void reply_receive(struct raw_session *session, const struct vocl_msg_reply *msg)
{
  const uint64_t ticket = msg->header.ticket;
  if (!kit_check(ticket > 0 && ticket <= session->ticket && !session->replies[ticket].is_reported,
                 "a reply without a request"))
    return;
  session->replies[ticket].is_reported = true;
  session->replies[ticket].code = msg->code;
  session->replies[ticket].count = msg->count;
  session->replies[ticket].needed = msg->needed;
  session->replies[ticket].bytes = msg->bytes;
  if (msg->bytes == 0 || msg->bytes > msg->header.bytes - sizeof *msg)
    return;
  session->replies[ticket].value = malloc(msg->bytes);
  memcpy(session->replies[ticket].value, msg->value, msg->bytes);
}

static void done_receive(struct raw_session *session, const struct vocl_msg_done *msg)
{
  for (uint32_t i = 0; i < msg->count; i++) {
    const struct vocl_completion *done = &msg->done[i];
    kit_check(!session->events[done->event].is_reported, "event %u is done twice", done->event);
    session->events[done->event].is_reported = true;
    session->events[done->event].status = done->status;
    memcpy(session->events[done->event].times, done->times, sizeof done->times);
  }
}

/* Only releases the space of data, for a session of random messages. */
static void message_ignore(struct raw_session *session, const struct vocl_msg_data *msg)
{
  if (msg->header.what != VOCL_MSG_RESULT)
    return;
  vocl_channel_piece_at(&session->channel, msg->position, msg->bytes);
  vocl_channel_release_space(&session->channel, vocl_channel_piece_end(msg->position, msg->bytes));
}

bool raw_session_receive(struct raw_session *session)
{
  size_t bytes = 0;
  bool any = false;
  const struct vocl_msg_header *msg = NULL;
  while ((msg = vocl_channel_next(&session->channel, &bytes)) != NULL) {
    const void *message = msg;
    any = true;
    if (session->ignores_messages)
      message_ignore(session, message);
    else if (msg->what == VOCL_MSG_REPLY)
      reply_receive(session, message);
    else if (msg->what == VOCL_MSG_DONE)
      done_receive(session, message);
    else if (msg->what == VOCL_MSG_RESULT)
      result_receive(session, message);
    else if (msg->what == VOCL_MSG_DELETED)
      session->deleted = ((const struct vocl_msg_numbers *)message)->numbers[0];
    vocl_channel_take(&session->channel);
  }
  return any;
}

void raw_session_drain(struct raw_session *session)
{
  const uint64_t *taken =
      &session->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].taken.bytes;
  while (!raw_session_is_over(session) &&
         __atomic_load_n(taken, __ATOMIC_ACQUIRE) != session->channel.published[VOCL_RING_MESSAGES])
    if (!raw_session_receive(session))
      sched_yield();
}

int32_t raw_session_reply(struct raw_session *session)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (session->replies[session->ticket].is_reported)
      return session->replies[session->ticket].code;
    if (raw_session_is_over(session) && !raw_session_receive(session))
      return CL_DEVICE_NOT_AVAILABLE;
    pass_time(session, bell);
  }
}

int32_t raw_session_status(struct raw_session *session, uint32_t event)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&session->channel);
    if (session->events[event].is_reported)
      return session->events[event].status;
    if (raw_session_is_over(session) && !raw_session_receive(session))
      return CL_DEVICE_NOT_AVAILABLE;
    pass_time(session, bell);
  }
}

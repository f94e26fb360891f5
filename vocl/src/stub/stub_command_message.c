/* Sends commands and their data to the proxy. */
#include "stub/stub_calls.h"

#include <string.h>

/* --- the message --- */

static unsigned sent_triples(const struct vocl_command *c)
{
  return vocl_command_sent_triples(vocl_command_kind_of(c), vocl_command_has(c));
}

static cl_uint waits_of(const struct vocl_command *c, uint32_t *numbers)
{
  cl_uint count = 0;
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct vocl_stub_event *wait = c->waits[i];
    if (vocl_stub_event_is_complete(wait))
      continue;
    if (numbers != NULL)
      numbers[count] = wait->stub.number;
    count++;
  }
  return count;
}

bool vocl_command_has_failed_wait(const struct vocl_command *c)
{
  for (cl_uint i = 0; i < c->wait_count; i++)
    if (((const struct vocl_stub_event *)c->waits[i])->status < 0)
      return true;
  return false;
}

static uint32_t number_of(const void *object)
{
  return object != NULL ? ((const struct vocl_stub *)object)->number : 0;
}

static void command_write(const struct vocl_command *c, const struct vocl_stub_event *event,
                          struct vocl_msg_command *message)
{
  const bool has_data = vocl_command_reads(c) || vocl_command_writes(c);
  char *at = (char *)(message + 1);
  message->sort = c->sort;
  message->queue = number_of(c->queue);
  message->kernel = number_of(c->kernel);
  message->event = event->stub.number;
  message->count = c->count;
  message->has = sent_triples(c);
  for (int i = 0; i < 2; i++) {
    message->memory[i] = number_of(c->memory[i]);
    message->offset[i] = c->offset[i];
    message->row_pitch[i] = has_data && i == 1 ? 0 : c->row_pitch[i];
    message->slice_pitch[i] = has_data && i == 1 ? 0 : c->slice_pitch[i];
  }
  message->size = c->size;
  message->flags = c->flags;
  message->pattern_size = c->pattern_size;
  message->data = has_data ? event->layout.bytes : 0;
  message->object_count = c->object_count;
  for (cl_uint i = 0; i < c->object_count; i++)
    ((uint32_t *)(void *)at)[i] = number_of(c->objects[i]);
  at += vocl_part_padded_bytes(c->object_count * sizeof(uint32_t));
  message->wait_count = waits_of(c, (uint32_t *)(void *)at);
  at += vocl_part_padded_bytes(message->wait_count * sizeof(uint32_t));
  for (unsigned i = 0; i < VOCL_TRIPLES; i++) {
    if ((message->has >> i & 1) == 0)
      continue;
    memcpy(at, c->triples[i], vocl_command_triple_words(c, i) * sizeof(size_t));
    at += 3 * sizeof(uint64_t);
  }
  if (c->pattern_size > 0)
    memcpy(at, c->pattern, c->pattern_size);
}

size_t vocl_command_message_bytes(const struct vocl_command *c)
{
  return sizeof(struct vocl_msg_command) +
         vocl_part_padded_bytes(c->object_count * sizeof(uint32_t)) +
         vocl_part_padded_bytes(c->wait_count * sizeof(uint32_t)) +
         (size_t)__builtin_popcount(sent_triples(c)) * 3 * sizeof(uint64_t) +
         vocl_part_padded_bytes(c->pattern_size);
}

/* --- writes --- */

/* Returns an unfinished read into memory from which the event's command sends data, or NULL. */
static struct vocl_stub_event *read_into(const struct vocl_stub_event *event)
{
  struct vocl_stub_event *each = event->stub.session->reads;
  while (each != NULL && !vocl_host_layouts_overlap(&each->layout, &event->layout))
    each = each->reads_after;
  return each;
}

static bool may_write(const void *what)
{
  const struct vocl_stub_event *event = what;
  return !event->stub.session->is_sending && read_into(event) == NULL;
}

/* Waits for the command's turn to send data. Its data occupies space in the ring until the vendor
 * has read it, and the vendor may first need the data of a command that is earlier in the queue.
 * That earlier command must get space for all of its data. Therefore only one command at a time
 * sends its data, and its turn begins before its message is written. Returns false if the session
 * is over. */
static bool write_begin(struct vocl_stub_event *event)
{
  struct vocl_session *session = event->stub.session;
  session->will_send++;
  const bool may = may_write(event) || vocl_session_wait(session, may_write, event);
  session->will_send--;
  if (may)
    session->is_sending = true;
  return may;
}

static void write_end(struct vocl_session *session)
{
  session->is_sending = false;
  if (session->will_send > 0)
    vocl_session_wake(session);
}

static bool command_send(struct vocl_stub_event *event, const struct vocl_command *c,
                         uint64_t ticket)
{
  struct vocl_session *session = event->stub.session;
  struct vocl_msg_command *message =
      vocl_message_begin(session, VOCL_MSG_COMMAND, vocl_command_message_bytes(c), ticket);
  if (message == NULL)
    return false;
  if (vocl_command_has_failed_wait(c)) {
    vocl_stub_event_complete(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NULL);
    return true;
  }
  command_write(c, event, message);
  vocl_message_end(session);
  vocl_stub_event_submitted(event);
  return !vocl_command_writes(c) || vocl_msg_data(session, event->stub.number, &event->layout);
}

bool vocl_command_send(struct vocl_stub_event *event, const struct vocl_command *c, uint64_t ticket)
{
  if (!vocl_command_writes(c))
    return command_send(event, c, ticket);
  if (!write_begin(event))
    return false;
  const bool was_sent = command_send(event, c, ticket);
  write_end(event->stub.session);
  return was_sent;
}

/* Sends the messages by which a proxy makes objects: fixed fields, strings and data. */
#include "stub/stub_calls.h"

#include <stdlib.h>
#include <string.h>

static size_t string_length(const struct vocl_create_parts *parts, cl_uint i)
{
  return parts->lengths != NULL && parts->lengths[i] != 0 ? parts->lengths[i]
                                                          : strlen(parts->strings[i]);
}

static uint32_t property_words(const cl_context_properties *properties)
{
  uint32_t words = 0;
  while (properties != NULL && properties[words] != 0)
    words += 2;
  return words;
}

/* Returns the concatenated strings, to be freed by the caller, or NULL if there is no memory. */
static char *strings_join(const struct vocl_create_parts *parts, size_t *bytes)
{
  *bytes = 0;
  for (cl_uint i = 0; i < parts->string_count; i++)
    *bytes += string_length(parts, i);
  char *joined = malloc(*bytes + 1);
  char *at = joined;
  for (cl_uint i = 0; joined != NULL && i < parts->string_count; i++) {
    memcpy(at, parts->strings[i], string_length(parts, i));
    at += string_length(parts, i);
  }
  return joined;
}

/* Writes the message's parts except the strings, and returns where the strings belong. */
static char *make_write(struct vocl_msg_make *message, const struct vocl_create_parts *parts)
{
  char *at = (char *)(message + 1);
  message->device_count = parts->device_count;
  message->property_words = property_words(parts->properties);
  message->string_count = parts->string_count;
  for (cl_uint i = 0; i < parts->device_count; i++)
    ((uint32_t *)(void *)at)[i] = parts->devices[i]->stub.number;
  at += vocl_part_padded_bytes(parts->device_count * sizeof(uint32_t));
  for (uint32_t i = 0; i < message->property_words; i++)
    ((uint64_t *)(void *)at)[i] = (uint64_t)parts->properties[i];
  at += message->property_words * sizeof(uint64_t);
  for (cl_uint i = 0; i < parts->string_count; i++)
    ((uint64_t *)(void *)at)[i] = string_length(parts, i);
  return at + parts->string_count * sizeof(uint64_t);
}

static size_t make_bytes(const struct vocl_create_parts *parts)
{
  return sizeof(struct vocl_msg_make) +
         vocl_part_padded_bytes(parts->device_count * sizeof(uint32_t)) +
         (property_words(parts->properties) + parts->string_count) * sizeof(uint64_t);
}

/* Sends the message and then its data. `text` holds the strings, which are sent as data if they
 * are long. */
static bool make_send(struct vocl_stub *stub, const struct vocl_msg_make *fields,
                      const struct vocl_create_parts *parts, struct vocl_host_layout *text,
                      uint64_t ticket)
{
  struct vocl_session *session = stub->session;
  const size_t head = make_bytes(parts);
  const bool is_long = head + text->bytes > VOCL_MESSAGE_MAX / 2;
  const struct vocl_host_layout *data = is_long ? text : parts->layout;
  const size_t bytes = head + (is_long ? 0 : vocl_part_padded_bytes(text->bytes));
  struct vocl_msg_make *message = vocl_message_begin(session, VOCL_MSG_MAKE, bytes, ticket);
  if (message == NULL)
    return false;
  const struct vocl_msg_header msg = message->header;
  *message = *fields;
  message->header = msg;
  message->number = stub->number;
  message->data = data != NULL ? data->bytes : 0;
  char *at = make_write(message, parts);
  if (!is_long)
    memcpy(at, text->base, text->bytes);
  vocl_message_end(session);
  return data == NULL || vocl_msg_data(session, stub->number, data);
}

cl_int vocl_send_create(struct vocl_stub *stub, const struct vocl_msg_make *fields,
                        const struct vocl_create_parts *parts, bool is_certain)
{
  struct vocl_session *session = stub->session;
  struct vocl_request query;
  struct vocl_host_layout text;
  size_t bytes = 0;
  char *joined = strings_join(parts, &bytes);
  if (joined == NULL || make_bytes(parts) > VOCL_MESSAGE_MAX / 2) {
    free(joined);
    return CL_OUT_OF_HOST_MEMORY;
  }
  vocl_host_layout_set(&text, joined, bytes, 1, 1, 0, 0);
  vocl_session_send_drops(session);
  const uint64_t ticket =
      is_certain ? 0 : vocl_request_begin(session, &query, parts->answer, parts->answer_bytes);
  const bool was_sent = make_send(stub, fields, parts, &text, ticket);
  free(joined);
  if (!is_certain)
    return vocl_request_wait(session, &query);
  return was_sent ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
}

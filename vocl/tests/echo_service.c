/* A replacement of the service in a cw-vocl of its own: it sends messages and data back and needs
 * no OpenCL, so that tests of relays test nothing else. */
#include "echo.h"

#include "service/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns space for a message or for data, or NULL if the channel is closed. */
static void *wait_for_space(struct vocl_channel *channel, size_t bytes, uint64_t *position)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(channel);
    void *space = position != NULL ? vocl_channel_piece(channel, bytes, position)
                                   : vocl_channel_begin(channel, bytes);
    if (space != NULL || vocl_channel_is_closed(channel))
      return space;
    vocl_channel_publish(channel);
    vocl_channel_sleep(channel, bell, 100000000);
  }
}

static bool echo_back(struct vocl_channel *channel, const struct echo *received,
                      struct vocl_service_counts *counts)
{
  struct echo reply = *received;
  if (reply.length > 0) {
    const char *from = vocl_channel_piece_at(channel, reply.position, reply.length);
    char *to = from != NULL ? wait_for_space(channel, reply.length, &reply.position) : NULL;
    if (to == NULL)
      return false;
    for (uint64_t i = 0; i < reply.length; i++)
      to[i] = (char)(from[i] ^ ECHO_XOR);
    vocl_channel_release_space(channel,
                               vocl_channel_piece_end(received->position, received->length));
  }
  struct echo *place = wait_for_space(channel, sizeof reply, NULL);
  if (place == NULL)
    return false;
  *place = reply;
  vocl_channel_end_message(channel);
  __atomic_fetch_add(&counts->commands, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_in, reply.length, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_out, reply.length, __ATOMIC_RELAXED);
  return true;
}

/* Replies like a program that moves its device; rejects proxy 9, and never replies about proxy 8.
 */
static void move_reply(struct vocl_move_request *request)
{
  if (!vocl_move_state_is(request, VOCL_MOVE_REQUESTED) || request->target[0] == 8)
    return;
  request->code = request->target[0] == 9 ? ENODEV : 0;
  request->bytes = 12345000;
  request->nanoseconds = 250000000;
  snprintf(request->text, sizeof request->text, "echo %s device %u to %u.%u",
           request->code == 0 ? "moves" : "rejects", request->device, request->target[0],
           request->target[1]);
  __atomic_store_n(&request->state, VOCL_MOVE_REPLIED, __ATOMIC_RELEASE);
  request->on_reply();
}

void vocl_service_request_move(struct vocl_channel_memory *memory,
                               struct vocl_move_request *request)
{
  __atomic_store_n(&request->state, VOCL_MOVE_REQUESTED, __ATOMIC_RELEASE);
  vocl_channel_ring_bell(memory, VOCL_PROXY_SIDE);
}

void vocl_service_run(struct vocl_channel_memory *memory, struct vocl_service_counts *counts,
                      struct vocl_move_request *request)
{
  struct vocl_channel channel;
  bool continues = true;
  vocl_channel_open(&channel, memory, VOCL_PROXY_SIDE);
  while (continues && !vocl_channel_is_closed(&channel)) {
    size_t bytes = 0;
    struct echo received;
    const uint32_t bell = vocl_channel_bell(&channel);
    const void *message = vocl_channel_next(&channel, &bytes);
    move_reply(request);
    if (message == NULL) {
      vocl_channel_publish(&channel);
      vocl_channel_sleep(&channel, bell, 100000000);
      continue;
    }
    memcpy(&received, message, sizeof received);
    vocl_channel_take(&channel);
    continues = received.ends == 0 && echo_back(&channel, &received, counts);
  }
  vocl_channel_close(&channel);
}

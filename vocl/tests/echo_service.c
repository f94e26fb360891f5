/* Stands in for the service in a cw-vocl of its own: it sends back what comes, with its data, and
 * needs no OpenCL. So the tests of passing on ask about nothing else. */
#include "echo.h"

#include "service/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Waits for space in the channel and returns it, or NULL if the channel is over. */
static void *wait_for_room(struct vocl_channel *channel, size_t bytes, uint64_t *position)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(channel);
    void *room = position != NULL ? vocl_channel_piece(channel, bytes, position)
                                  : vocl_channel_begin(channel, bytes);
    if (room != NULL || vocl_channel_is_closed(channel))
      return room;
    vocl_channel_publish(channel);
    vocl_channel_sleep(channel, bell, 100000000);
  }
}

static bool answer(struct vocl_channel *channel, const struct echo *said,
                   struct vocl_service_counts *counts)
{
  struct echo told = *said;
  if (told.length > 0) {
    const char *from = vocl_channel_piece_at(channel, told.position, told.length);
    char *to = from != NULL ? wait_for_room(channel, told.length, &told.position) : NULL;
    if (to == NULL)
      return false;
    for (uint64_t i = 0; i < told.length; i++)
      to[i] = (char)(from[i] ^ ECHO_TURN);
    vocl_channel_release_space(channel, vocl_channel_piece_end(said->position, said->length));
  }
  struct echo *place = wait_for_room(channel, sizeof told, NULL);
  if (place == NULL)
    return false;
  *place = told;
  vocl_channel_end_message(channel);
  __atomic_fetch_add(&counts->commands, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_in, told.length, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_out, told.length, __ATOMIC_RELAXED);
  return true;
}

/* Answers move requests like a program that moves; it rejects proxy 9, and never answers for
 * proxy 8. */
static void hear_wish(struct vocl_move_request *wish)
{
  if (!vocl_move_state_is(wish, VOCL_MOVE_REQUESTED) || wish->target[0] == 8)
    return;
  wish->code = wish->target[0] == 9 ? ENODEV : 0;
  wish->bytes = 12345000;
  wish->nanoseconds = 250000000;
  snprintf(wish->text, sizeof wish->text, "echo %s device %u to %u.%u",
           wish->code == 0 ? "moves" : "refuses", wish->device, wish->target[0], wish->target[1]);
  __atomic_store_n(&wish->state, VOCL_MOVE_REPLIED, __ATOMIC_RELEASE);
  wish->on_reply();
}

void vocl_service_request_move(struct vocl_channel_memory *memory, struct vocl_move_request *wish)
{
  __atomic_store_n(&wish->state, VOCL_MOVE_REQUESTED, __ATOMIC_RELEASE);
  vocl_channel_ring_bell(memory, VOCL_PROXY_SIDE);
}

void vocl_service_run(struct vocl_channel_memory *memory, struct vocl_service_counts *counts,
                      struct vocl_move_request *wish)
{
  struct vocl_channel channel;
  bool goes_on = true;
  vocl_channel_open(&channel, memory, VOCL_PROXY_SIDE);
  while (goes_on && !vocl_channel_is_closed(&channel)) {
    size_t bytes = 0;
    struct echo said;
    const uint32_t bell = vocl_channel_bell(&channel);
    const void *message = vocl_channel_next(&channel, &bytes);
    hear_wish(wish);
    if (message == NULL) {
      vocl_channel_publish(&channel);
      vocl_channel_sleep(&channel, bell, 100000000);
      continue;
    }
    memcpy(&said, message, sizeof said);
    vocl_channel_take(&channel);
    goes_on = said.ends == 0 && answer(&channel, &said, counts);
  }
  vocl_channel_close(&channel);
}

/* Stands in for the service in a cw-vocl of its own: it sends back what comes, with its data, and
 * needs no OpenCL. So the tests of passing on ask about nothing else. */
#include "echo.h"

#include "service/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* NULL: the channel is over. */
static void *wait_for_room(struct cwi_channel *channel, size_t bytes, uint64_t *position)
{
  for (;;) {
    const uint32_t bell = cwi_channel_bell(channel);
    void *room = position != NULL ? cwi_channel_piece(channel, bytes, position)
                                  : cwi_channel_begin(channel, bytes);
    if (room != NULL || cwi_channel_is_over(channel))
      return room;
    cwi_channel_publish(channel);
    cwi_channel_sleep(channel, bell, 100000000);
  }
}

static bool answer(struct cwi_channel *channel, const struct echo *said,
                   struct cwi_service_counts *counts)
{
  struct echo told = *said;
  if (told.length > 0) {
    const char *from = cwi_channel_piece_at(channel, told.position, told.length);
    char *to = from != NULL ? wait_for_room(channel, told.length, &told.position) : NULL;
    if (to == NULL)
      return false;
    for (uint64_t i = 0; i < told.length; i++)
      to[i] = (char)(from[i] ^ ECHO_TURN);
    cwi_channel_give_room(channel, cwi_channel_piece_end(said->position, said->length));
  }
  struct echo *place = wait_for_room(channel, sizeof told, NULL);
  if (place == NULL)
    return false;
  *place = told;
  cwi_channel_end_message(channel);
  __atomic_fetch_add(&counts->commands, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_in, told.length, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->bytes_out, told.length, __ATOMIC_RELAXED);
  return true;
}

/* As a program that moves what it is asked for; it refuses proxy 9, and never answers about 8. */
static void hear_wish(struct cwi_service_wish *wish)
{
  if (!cwi_wish_is(wish, CWI_WISH_MADE) || wish->target[0] == 8)
    return;
  wish->code = wish->target[0] == 9 ? ENODEV : 0;
  wish->bytes = 12345000;
  wish->nanoseconds = 250000000;
  snprintf(wish->text, sizeof wish->text, "echo %s device %u to %u.%u",
           wish->code == 0 ? "moves" : "refuses", wish->device, wish->target[0], wish->target[1]);
  __atomic_store_n(&wish->state, CWI_WISH_ANSWERED, __ATOMIC_RELEASE);
  wish->told();
}

void cwi_service_make_wish(struct cwi_channel_memory *memory, struct cwi_service_wish *wish)
{
  __atomic_store_n(&wish->state, CWI_WISH_MADE, __ATOMIC_RELEASE);
  cwi_channel_ring_bell(memory, CWI_BELOW);
}

void cwi_service_run(struct cwi_channel_memory *memory, struct cwi_service_counts *counts,
                     struct cwi_service_wish *wish)
{
  struct cwi_channel channel;
  bool goes_on = true;
  cwi_channel_open(&channel, memory, CWI_BELOW);
  while (goes_on && !cwi_channel_is_over(&channel)) {
    size_t bytes = 0;
    struct echo said;
    const uint32_t bell = cwi_channel_bell(&channel);
    const void *message = cwi_channel_next(&channel, &bytes);
    hear_wish(wish);
    if (message == NULL) {
      cwi_channel_publish(&channel);
      cwi_channel_sleep(&channel, bell, 100000000);
      continue;
    }
    memcpy(&said, message, sizeof said);
    cwi_channel_take(&channel);
    goes_on = said.ends == 0 && answer(&channel, &said, counts);
  }
  cwi_channel_close(&channel);
}

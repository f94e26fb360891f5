/* A channel: two rings of messages and two of data, in memory shared by a program and a proxy. A
 * proxy that relays a session uses the same rings. Nothing that the other end writes is trusted.
 * Its positions may only grow. A reader's position may not pass the writer's, and a writer's may
 * not be more than the size of the ring ahead of the reader's. A message or piece must lie within
 * the written bytes. */
#include "wire/channel.h"

#include "base/size.h"

#include <string.h>

static const uint64_t sizes[] = {
    [VOCL_RING_MESSAGES] = VOCL_MESSAGE_RING_BYTES, [VOCL_RING_DATA] = VOCL_DATA_RING_BYTES};
static const uint64_t alignments[] = {
    [VOCL_RING_MESSAGES] = VOCL_MESSAGE_ALIGNMENT, [VOCL_RING_DATA] = VOCL_DATA_ALIGNMENT};

/* Upper bound on a sleep in nanoseconds, just below one second. */
enum { LONGEST_SLEEP = 999999999 };

static enum vocl_channel_end other(const struct vocl_channel *channel)
{
  return channel->end == VOCL_PROGRAM_SIDE ? VOCL_PROXY_SIDE : VOCL_PROGRAM_SIDE;
}

static struct vocl_channel_ring_state *ring_of(const struct vocl_channel *channel,
                                               enum vocl_channel_end writer,
                                               enum vocl_channel_ring ring)
{
  return &channel->memory->rings[writer][ring];
}

static char *place_of(const struct vocl_channel *channel, enum vocl_channel_end writer,
                      enum vocl_channel_ring ring, uint64_t position)
{
  return vocl_channel_ring_memory(channel->memory, writer, ring) + (position & (sizes[ring] - 1));
}

char *vocl_channel_ring_memory(struct vocl_channel_memory *memory, enum vocl_channel_end writer,
                               enum vocl_channel_ring ring)
{
  const size_t before = ring == VOCL_RING_MESSAGES ? 0 : 2 * (size_t)VOCL_MESSAGE_RING_BYTES;
  return (char *)memory + VOCL_CHANNEL_HEADER + before + (size_t)writer * sizes[ring];
}

void vocl_channel_open(struct vocl_channel *channel, struct vocl_channel_memory *memory,
                       enum vocl_channel_end end)
{
  *channel = (struct vocl_channel){.memory = memory, .end = end};
}

void vocl_channel_ring_bell(struct vocl_channel_memory *memory, enum vocl_channel_end end)
{
  cwi_signal_advance(&memory->ends[end].news);
}

void vocl_channel_close(struct vocl_channel *channel)
{
  __atomic_store_n(&channel->memory->ends[channel->end].closed, 1, __ATOMIC_RELEASE);
  vocl_channel_ring_bell(channel->memory, other(channel));
}

bool vocl_channel_is_closed(const struct vocl_channel *channel)
{
  return __atomic_load_n(&channel->broken, __ATOMIC_RELAXED) ||
         __atomic_load_n(&channel->memory->ends[other(channel)].closed, __ATOMIC_ACQUIRE) != 0;
}

/* Marks the channel as broken and wakes the sleeping threads of this end. */
static void channel_break(struct vocl_channel *channel)
{
  __atomic_store_n(&channel->broken, true, __ATOMIC_RELAXED);
  vocl_channel_ring_bell(channel->memory, channel->end);
}

/* Reads a position that the other end has written into *last. Returns false and breaks the
 * channel if the position is not aligned, or does not lie between the previous value of *last
 * and `most`. */
static bool channel_follow(struct vocl_channel *channel, const struct vocl_ring_position *position,
                           enum vocl_channel_ring ring, uint64_t most, uint64_t *last)
{
  const uint64_t now = __atomic_load_n(&position->bytes, __ATOMIC_SEQ_CST);
  if (now - *last > most - *last || now % alignments[ring] != 0) {
    channel_break(channel);
    return false;
  }
  *last = now;
  return true;
}

/* Returns the bit of a ring in wants_space. */
static uint32_t space_bit(enum vocl_channel_ring ring)
{
  return 1u << ring;
}

/* Withdraws this end's request for space in the ring. Another thread of this end may still need
 * space; the bell wakes it, and it requests space again. */
static void space_is_found(struct vocl_channel *channel, enum vocl_channel_ring ring)
{
  uint32_t *const wants = &channel->memory->ends[channel->end].wants_space;
  if ((__atomic_load_n(wants, __ATOMIC_RELAXED) & space_bit(ring)) == 0)
    return;
  __atomic_fetch_and(wants, ~space_bit(ring), __ATOMIC_SEQ_CST);
  vocl_channel_ring_bell(channel->memory, channel->end);
}

/* Returns true if the bytes before `end` are free; otherwise requests space from the other end.
 * The other end releases space before it checks for requests, and this end requests space before
 * it checks again. At least one of them therefore notices the other. */
static bool has_space(struct vocl_channel *channel, enum vocl_channel_ring ring, uint64_t end)
{
  uint64_t *const given = &channel->given[ring];
  if (end - *given <= sizes[ring])
    return true;
  const struct vocl_ring_position *taken = &ring_of(channel, channel->end, ring)->taken;
  for (int attempt = 0; attempt < 2; attempt++) {
    if (!channel_follow(channel, taken, ring, channel->published[ring], given))
      return false;
    if (end - *given <= sizes[ring]) {
      space_is_found(channel, ring);
      return true;
    }
    __atomic_fetch_or(&channel->memory->ends[channel->end].wants_space, space_bit(ring),
                      __ATOMIC_SEQ_CST);
  }
  return false;
}

/* Returns the position at which the next `bytes` contiguous bytes of the ring begin. */
static uint64_t unbroken(const struct vocl_channel *channel, enum vocl_channel_ring ring,
                         size_t bytes)
{
  const uint64_t position = channel->written[ring];
  const uint64_t left = sizes[ring] - (position & (sizes[ring] - 1));
  return bytes <= left ? position : position + left;
}

/* Returns space for a message. If the message does not fit before the end of the ring, a filler (a
 * message of length 0) makes the reader continue at the beginning of the ring. */
void *vocl_channel_begin(struct vocl_channel *channel, size_t bytes)
{
  if (bytes < VOCL_MESSAGE_ALIGNMENT || bytes > VOCL_MESSAGE_MAX || vocl_channel_is_closed(channel))
    return NULL;
  const uint64_t position = unbroken(channel, VOCL_RING_MESSAGES, bytes);
  if (!has_space(channel, VOCL_RING_MESSAGES,
                 cwi_round_up(position + bytes, VOCL_MESSAGE_ALIGNMENT)))
    return NULL;
  if (position != channel->written[VOCL_RING_MESSAGES])
    memset(
        place_of(channel, channel->end, VOCL_RING_MESSAGES, channel->written[VOCL_RING_MESSAGES]),
        0, VOCL_MESSAGE_ALIGNMENT);
  channel->begun = position;
  channel->begun_bytes = (uint32_t)bytes;
  return place_of(channel, channel->end, VOCL_RING_MESSAGES, position);
}

void vocl_channel_end_message(struct vocl_channel *channel)
{
  memcpy(place_of(channel, channel->end, VOCL_RING_MESSAGES, channel->begun), &channel->begun_bytes,
         sizeof channel->begun_bytes);
  channel->written[VOCL_RING_MESSAGES] =
      cwi_round_up(channel->begun + channel->begun_bytes, VOCL_MESSAGE_ALIGNMENT);
}

size_t vocl_channel_unpublished(const struct vocl_channel *channel)
{
  return channel->written[VOCL_RING_MESSAGES] - channel->published[VOCL_RING_MESSAGES];
}

/* Publishes data before messages, so that an end that sees a message also sees the piece that it
 * names. */
void vocl_channel_publish(struct vocl_channel *channel)
{
  const uint64_t ends[] = {[VOCL_RING_MESSAGES] = channel->written[VOCL_RING_MESSAGES],
                           [VOCL_RING_DATA] = channel->filled};
  bool news = false;
  for (int ring = VOCL_RING_DATA; ring >= VOCL_RING_MESSAGES; ring--) {
    if (channel->published[ring] == ends[ring])
      continue;
    channel->published[ring] = ends[ring];
    __atomic_store_n(&ring_of(channel, channel->end, (enum vocl_channel_ring)ring)->written.bytes,
                     ends[ring], __ATOMIC_RELEASE);
    news = true;
  }
  if (news)
    vocl_channel_ring_bell(channel->memory, other(channel));
}

/* Allows the other end to reuse everything before the position. */
static void give(struct vocl_channel *channel, enum vocl_channel_ring ring, uint64_t position)
{
  __atomic_store_n(&ring_of(channel, other(channel), ring)->taken.bytes, position,
                   __ATOMIC_SEQ_CST);
  if ((__atomic_load_n(&channel->memory->ends[other(channel)].wants_space, __ATOMIC_SEQ_CST) &
       space_bit(ring)) != 0)
    vocl_channel_ring_bell(channel->memory, other(channel));
}

/* Releases the space of all messages that were taken since the last release. */
static void show_taken(struct vocl_channel *channel)
{
  if (channel->shown == channel->taken)
    return;
  channel->shown = channel->taken;
  give(channel, VOCL_RING_MESSAGES, channel->taken);
}

/* Returns true if the other end has published a message after the last one that was taken. */
static bool has_more(struct vocl_channel *channel)
{
  if (channel->seen[VOCL_RING_MESSAGES] != channel->taken)
    return true;
  return channel_follow(channel, &ring_of(channel, other(channel), VOCL_RING_MESSAGES)->written,
                        VOCL_RING_MESSAGES, channel->shown + VOCL_MESSAGE_RING_BYTES,
                        &channel->seen[VOCL_RING_MESSAGES]) &&
         channel->seen[VOCL_RING_MESSAGES] != channel->taken;
}

static uint32_t length_at(const struct vocl_channel *channel, uint64_t position)
{
  return __atomic_load_n((const uint32_t *)(const void *)place_of(channel, other(channel),
                                                                  VOCL_RING_MESSAGES, position),
                         __ATOMIC_RELAXED);
}

const void *vocl_channel_next(struct vocl_channel *channel, size_t *bytes)
{
  channel->next_bytes = 0;
  if (__atomic_load_n(&channel->broken, __ATOMIC_RELAXED))
    return NULL;
  if (!has_more(channel)) {
    show_taken(channel);
    return NULL;
  }
  uint32_t length = length_at(channel, channel->taken);
  uint64_t left = VOCL_MESSAGE_RING_BYTES - (channel->taken & (VOCL_MESSAGE_RING_BYTES - 1));
  if (length == 0 && left < channel->seen[VOCL_RING_MESSAGES] - channel->taken) {
    channel->taken += left;
    left = VOCL_MESSAGE_RING_BYTES;
    length = length_at(channel, channel->taken);
  }
  if (length < VOCL_MESSAGE_ALIGNMENT || length > VOCL_MESSAGE_MAX || length > left ||
      length > channel->seen[VOCL_RING_MESSAGES] - channel->taken) {
    channel_break(channel);
    return NULL;
  }
  channel->next_bytes = length;
  *bytes = length;
  return place_of(channel, other(channel), VOCL_RING_MESSAGES, channel->taken);
}

void vocl_channel_take(struct vocl_channel *channel)
{
  channel->taken = cwi_round_up(channel->taken + channel->next_bytes, VOCL_MESSAGE_ALIGNMENT);
  channel->next_bytes = 0;
  if (channel->taken - channel->shown >= VOCL_MESSAGE_RING_BYTES / 4)
    show_taken(channel);
}

/* Returns true if the data ring is empty and its rest should be skipped. A piece of the maximum
 * length skips nothing, because such pieces come in sequences, which should use the whole ring. The
 * position of the other end is not checked here: if it is wrong, only data for that end is
 * overwritten. */
static bool may_skip(const struct vocl_channel *channel, size_t bytes)
{
  const uint64_t written = channel->written[VOCL_RING_DATA];
  const struct vocl_ring_position *taken = &ring_of(channel, channel->end, VOCL_RING_DATA)->taken;
  return bytes < VOCL_PIECE_MAX && (written & (VOCL_DATA_RING_BYTES - 1)) >= VOCL_DATA_WRAP_BYTES &&
         channel->published[VOCL_RING_DATA] == written &&
         __atomic_load_n(&taken->bytes, __ATOMIC_ACQUIRE) == written;
}

/* Skips to the beginning of the ring. The next piece fits there, because it is shorter than the
 * used part of the ring. */
static void skip_rest(struct vocl_channel *channel)
{
  struct vocl_ring_skip *skipped = &ring_of(channel, channel->end, VOCL_RING_DATA)->skipped;
  const uint64_t from = channel->written[VOCL_RING_DATA];
  const uint64_t to = cwi_round_up(from, VOCL_DATA_RING_BYTES);
  __atomic_store_n(&skipped->from, from, __ATOMIC_RELAXED);
  __atomic_store_n(&skipped->to, to, __ATOMIC_RELAXED);
  channel->written[VOCL_RING_DATA] = to;
}

uint64_t vocl_channel_after_skip(const struct vocl_ring_skip *skipped, uint64_t position,
                                 uint64_t written)
{
  const uint64_t to = __atomic_load_n(&skipped->to, __ATOMIC_RELAXED);
  if (__atomic_load_n(&skipped->from, __ATOMIC_RELAXED) != position ||
      to % VOCL_DATA_ALIGNMENT != 0 || to - position > written - position)
    return position;
  return to;
}

char *vocl_channel_reserve(struct vocl_channel *channel, size_t bytes, uint64_t *position)
{
  if (bytes > VOCL_PIECE_MAX || vocl_channel_is_closed(channel))
    return NULL;
  if (may_skip(channel, bytes))
    skip_rest(channel);
  *position = unbroken(channel, VOCL_RING_DATA, bytes);
  const uint64_t end = vocl_channel_piece_end(*position, bytes);
  if (!has_space(channel, VOCL_RING_DATA, end))
    return NULL;
  channel->written[VOCL_RING_DATA] = end;
  return place_of(channel, channel->end, VOCL_RING_DATA, *position);
}

void vocl_channel_fill(struct vocl_channel *channel, uint64_t end)
{
  channel->filled = end;
}

void vocl_channel_unreserve(struct vocl_channel *channel, uint64_t position)
{
  channel->written[VOCL_RING_DATA] = position;
}

char *vocl_channel_piece(struct vocl_channel *channel, size_t bytes, uint64_t *position)
{
  char *piece = vocl_channel_reserve(channel, bytes, position);
  if (piece != NULL)
    vocl_channel_fill(channel, channel->written[VOCL_RING_DATA]);
  return piece;
}

char *vocl_channel_piece_at(struct vocl_channel *channel, uint64_t position, size_t bytes)
{
  uint64_t *const seen = &channel->seen[VOCL_RING_DATA];
  if (!channel_follow(channel, &ring_of(channel, other(channel), VOCL_RING_DATA)->written,
                      VOCL_RING_DATA, channel->named + VOCL_DATA_RING_BYTES, seen))
    return NULL;
  const uint64_t left = VOCL_DATA_RING_BYTES - (position & (VOCL_DATA_RING_BYTES - 1));
  if (position % VOCL_DATA_ALIGNMENT != 0 || bytes > VOCL_PIECE_MAX || bytes > left ||
      position < channel->named || position > *seen || bytes > *seen - position) {
    channel_break(channel);
    return NULL;
  }
  channel->named = vocl_channel_piece_end(position, bytes);
  return place_of(channel, other(channel), VOCL_RING_DATA, position);
}

uint64_t vocl_channel_piece_end(uint64_t position, size_t bytes)
{
  return cwi_round_up(position + bytes, VOCL_DATA_ALIGNMENT);
}

void vocl_channel_release_space(struct vocl_channel *channel, uint64_t position)
{
  give(channel, VOCL_RING_DATA, position);
}

uint32_t vocl_channel_bell(const struct vocl_channel *channel)
{
  return cwi_signal_value(&channel->memory->ends[channel->end].news);
}

void vocl_channel_sleep(struct vocl_channel *channel, uint32_t bell, long nanoseconds)
{
  cwi_signal_nap(&channel->memory->ends[channel->end].news, bell,
                 nanoseconds < LONGEST_SLEEP ? nanoseconds : LONGEST_SLEEP);
}

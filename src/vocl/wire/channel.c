/* Two rings of messages and two of data, in memory that a program and a proxy see, or a proxy that
 * passes on. Nothing that the other end writes is believed: its positions only grow, never pass
 * what they follow, and a length stays within what was written. */
#include "wire/channel.h"

#include "base/size.h"

#include <string.h>

static const uint64_t sizes[] = {[CWI_MESSAGES] = CWI_MESSAGE_RING, [CWI_DATA] = CWI_DATA_RING};
static const uint64_t alignments[] = {
    [CWI_MESSAGES] = CWI_MESSAGE_ALIGNMENT, [CWI_DATA] = CWI_DATA_ALIGNMENT};

/* Naps are at most this long: nanoseconds of one second have nine digits. */
enum { LONGEST_NAP = 999999999 };

static enum cwi_channel_end other(const struct cwi_channel *channel)
{
  return channel->end == CWI_ABOVE ? CWI_BELOW : CWI_ABOVE;
}

static struct cwi_channel_ring_state *
ring_of(const struct cwi_channel *channel, enum cwi_channel_end writer, enum cwi_channel_ring ring)
{
  return &channel->memory->rings[writer][ring];
}

static char *place_of(const struct cwi_channel *channel, enum cwi_channel_end writer,
                      enum cwi_channel_ring ring, uint64_t position)
{
  return cwi_channel_ring_memory(channel->memory, writer, ring) + (position & (sizes[ring] - 1));
}

char *cwi_channel_ring_memory(struct cwi_channel_memory *memory, enum cwi_channel_end writer,
                              enum cwi_channel_ring ring)
{
  const size_t before = ring == CWI_MESSAGES ? 0 : 2 * (size_t)CWI_MESSAGE_RING;
  return (char *)memory + CWI_CHANNEL_HEADER + before + (size_t)writer * sizes[ring];
}

void cwi_channel_open(struct cwi_channel *channel, struct cwi_channel_memory *memory,
                      enum cwi_channel_end end)
{
  *channel = (struct cwi_channel){.memory = memory, .end = end};
}

void cwi_channel_ring_bell(struct cwi_channel_memory *memory, enum cwi_channel_end end)
{
  cwi_signal_advance(&memory->ends[end].news);
}

void cwi_channel_close(struct cwi_channel *channel)
{
  __atomic_store_n(&channel->memory->ends[channel->end].closed, 1, __ATOMIC_RELEASE);
  cwi_channel_ring_bell(channel->memory, other(channel));
}

bool cwi_channel_is_over(const struct cwi_channel *channel)
{
  return __atomic_load_n(&channel->broken, __ATOMIC_RELAXED) ||
         __atomic_load_n(&channel->memory->ends[other(channel)].closed, __ATOMIC_ACQUIRE) != 0;
}

/* Threads of this end that sleep look again. */
static void channel_break(struct cwi_channel *channel)
{
  __atomic_store_n(&channel->broken, true, __ATOMIC_RELAXED);
  cwi_channel_ring_bell(channel->memory, channel->end);
}

/* A position of the other end's: *last becomes it, if it lies between that and `most`. */
static bool channel_follow(struct cwi_channel *channel, const struct cwi_position *position,
                           enum cwi_channel_ring ring, uint64_t most, uint64_t *last)
{
  const uint64_t now = __atomic_load_n(&position->bytes, __ATOMIC_SEQ_CST);
  if (now - *last > most - *last || now % alignments[ring] != 0) {
    channel_break(channel);
    return false;
  }
  *last = now;
  return true;
}

/* Of the rings that an end waits for. */
static uint32_t wish_of(enum cwi_channel_ring ring)
{
  return 1u << ring;
}

/* There is room in the ring. Another thread of this end may want more there: it says so again. */
static void room_is_found(struct cwi_channel *channel, enum cwi_channel_ring ring)
{
  uint32_t *const wants = &channel->memory->ends[channel->end].wants_room;
  if ((__atomic_load_n(wants, __ATOMIC_RELAXED) & wish_of(ring)) == 0)
    return;
  __atomic_fetch_and(wants, ~wish_of(ring), __ATOMIC_SEQ_CST);
  cwi_channel_ring_bell(channel->memory, channel->end);
}

/* Are the bytes before `end` free? If not, the other end is told that room is wanted. It gives room
 * before it looks whether any is wanted, and this end says so before it looks again for room: one
 * of the two sees the other. */
static bool has_room(struct cwi_channel *channel, enum cwi_channel_ring ring, uint64_t end)
{
  uint64_t *const given = &channel->given[ring];
  if (end - *given <= sizes[ring])
    return true;
  const struct cwi_position *taken = &ring_of(channel, channel->end, ring)->taken;
  for (int look = 0; look < 2; look++) {
    if (!channel_follow(channel, taken, ring, channel->published[ring], given))
      return false;
    if (end - *given <= sizes[ring]) {
      room_is_found(channel, ring);
      return true;
    }
    __atomic_fetch_or(&channel->memory->ends[channel->end].wants_room, wish_of(ring),
                      __ATOMIC_SEQ_CST);
  }
  return false;
}

/* Where the next so many bytes lie without a break. */
static uint64_t unbroken(const struct cwi_channel *channel, enum cwi_channel_ring ring,
                         size_t bytes)
{
  const uint64_t position = channel->written[ring];
  const uint64_t left = sizes[ring] - (position & (sizes[ring] - 1));
  return bytes <= left ? position : position + left;
}

/* A filler, a length of 0, leads from the last message of a round to the first of the next. */
void *cwi_channel_begin(struct cwi_channel *channel, size_t bytes)
{
  if (bytes < CWI_MESSAGE_ALIGNMENT || bytes > CWI_MESSAGE_MOST || cwi_channel_is_over(channel))
    return NULL;
  const uint64_t position = unbroken(channel, CWI_MESSAGES, bytes);
  if (!has_room(channel, CWI_MESSAGES, cwi_round_up(position + bytes, CWI_MESSAGE_ALIGNMENT)))
    return NULL;
  if (position != channel->written[CWI_MESSAGES])
    memset(place_of(channel, channel->end, CWI_MESSAGES, channel->written[CWI_MESSAGES]), 0,
           CWI_MESSAGE_ALIGNMENT);
  channel->begun = position;
  channel->begun_bytes = (uint32_t)bytes;
  return place_of(channel, channel->end, CWI_MESSAGES, position);
}

void cwi_channel_end_message(struct cwi_channel *channel)
{
  memcpy(place_of(channel, channel->end, CWI_MESSAGES, channel->begun), &channel->begun_bytes,
         sizeof channel->begun_bytes);
  channel->written[CWI_MESSAGES] =
      cwi_round_up(channel->begun + channel->begun_bytes, CWI_MESSAGE_ALIGNMENT);
}

size_t cwi_channel_unpublished(const struct cwi_channel *channel)
{
  return channel->written[CWI_MESSAGES] - channel->published[CWI_MESSAGES];
}

/* Data first: who sees a message sees the piece that it names. */
void cwi_channel_publish(struct cwi_channel *channel)
{
  const uint64_t ends[] = {
      [CWI_MESSAGES] = channel->written[CWI_MESSAGES], [CWI_DATA] = channel->filled};
  bool news = false;
  for (int ring = CWI_DATA; ring >= CWI_MESSAGES; ring--) {
    if (channel->published[ring] == ends[ring])
      continue;
    channel->published[ring] = ends[ring];
    __atomic_store_n(&ring_of(channel, channel->end, (enum cwi_channel_ring)ring)->written.bytes,
                     ends[ring], __ATOMIC_RELEASE);
    news = true;
  }
  if (news)
    cwi_channel_ring_bell(channel->memory, other(channel));
}

/* The other end may write again what lies before the position. */
static void give(struct cwi_channel *channel, enum cwi_channel_ring ring, uint64_t position)
{
  __atomic_store_n(&ring_of(channel, other(channel), ring)->taken.bytes, position,
                   __ATOMIC_SEQ_CST);
  if ((__atomic_load_n(&channel->memory->ends[other(channel)].wants_room, __ATOMIC_SEQ_CST) &
       wish_of(ring)) != 0)
    cwi_channel_ring_bell(channel->memory, other(channel));
}

/* Messages that were taken are given back together. */
static void show_taken(struct cwi_channel *channel)
{
  if (channel->shown == channel->taken)
    return;
  channel->shown = channel->taken;
  give(channel, CWI_MESSAGES, channel->taken);
}

/* Is anything written behind `taken`? */
static bool has_more(struct cwi_channel *channel)
{
  if (channel->seen[CWI_MESSAGES] != channel->taken)
    return true;
  return channel_follow(channel, &ring_of(channel, other(channel), CWI_MESSAGES)->written,
                        CWI_MESSAGES, channel->shown + CWI_MESSAGE_RING,
                        &channel->seen[CWI_MESSAGES]) &&
         channel->seen[CWI_MESSAGES] != channel->taken;
}

static uint32_t length_at(const struct cwi_channel *channel, uint64_t position)
{
  return __atomic_load_n(
      (const uint32_t *)(const void *)place_of(channel, other(channel), CWI_MESSAGES, position),
      __ATOMIC_RELAXED);
}

const void *cwi_channel_next(struct cwi_channel *channel, size_t *bytes)
{
  channel->next_bytes = 0;
  if (__atomic_load_n(&channel->broken, __ATOMIC_RELAXED))
    return NULL;
  if (!has_more(channel)) {
    show_taken(channel);
    return NULL;
  }
  uint32_t length = length_at(channel, channel->taken);
  uint64_t left = CWI_MESSAGE_RING - (channel->taken & (CWI_MESSAGE_RING - 1));
  if (length == 0 && left < channel->seen[CWI_MESSAGES] - channel->taken) {
    channel->taken += left;
    left = CWI_MESSAGE_RING;
    length = length_at(channel, channel->taken);
  }
  if (length < CWI_MESSAGE_ALIGNMENT || length > CWI_MESSAGE_MOST || length > left ||
      length > channel->seen[CWI_MESSAGES] - channel->taken) {
    channel_break(channel);
    return NULL;
  }
  channel->next_bytes = length;
  *bytes = length;
  return place_of(channel, other(channel), CWI_MESSAGES, channel->taken);
}

void cwi_channel_take(struct cwi_channel *channel)
{
  channel->taken = cwi_round_up(channel->taken + channel->next_bytes, CWI_MESSAGE_ALIGNMENT);
  channel->next_bytes = 0;
  if (channel->taken - channel->shown >= CWI_MESSAGE_RING / 4)
    show_taken(channel);
}

/* The longest pieces come one after the other: they shall have the whole ring. What the other end
 * says here is believed: if it lies, it overwrites what was written for itself. */
static bool may_skip(const struct cwi_channel *channel, size_t bytes)
{
  const uint64_t written = channel->written[CWI_DATA];
  const struct cwi_position *taken = &ring_of(channel, channel->end, CWI_DATA)->taken;
  return bytes < CWI_PIECE_MOST && (written & (CWI_DATA_RING - 1)) >= CWI_DATA_LAP &&
         channel->published[CWI_DATA] == written &&
         __atomic_load_n(&taken->bytes, __ATOMIC_ACQUIRE) == written;
}

/* To the beginning of the ring. There is room for a piece: it is shorter than what was used. */
static void skip_rest(struct cwi_channel *channel)
{
  struct cwi_skipped *skipped = &ring_of(channel, channel->end, CWI_DATA)->skipped;
  const uint64_t from = channel->written[CWI_DATA];
  const uint64_t to = cwi_round_up(from, CWI_DATA_RING);
  __atomic_store_n(&skipped->from, from, __ATOMIC_RELAXED);
  __atomic_store_n(&skipped->to, to, __ATOMIC_RELAXED);
  channel->written[CWI_DATA] = to;
}

uint64_t cwi_channel_behind(const struct cwi_skipped *skipped, uint64_t position, uint64_t written)
{
  const uint64_t to = __atomic_load_n(&skipped->to, __ATOMIC_RELAXED);
  if (__atomic_load_n(&skipped->from, __ATOMIC_RELAXED) != position ||
      to % CWI_DATA_ALIGNMENT != 0 || to - position > written - position)
    return position;
  return to;
}

char *cwi_channel_reserve(struct cwi_channel *channel, size_t bytes, uint64_t *position)
{
  if (bytes > CWI_PIECE_MOST || cwi_channel_is_over(channel))
    return NULL;
  if (may_skip(channel, bytes))
    skip_rest(channel);
  *position = unbroken(channel, CWI_DATA, bytes);
  const uint64_t end = cwi_channel_piece_end(*position, bytes);
  if (!has_room(channel, CWI_DATA, end))
    return NULL;
  channel->written[CWI_DATA] = end;
  return place_of(channel, channel->end, CWI_DATA, *position);
}

void cwi_channel_fill(struct cwi_channel *channel, uint64_t end)
{
  channel->filled = end;
}

void cwi_channel_give_up(struct cwi_channel *channel, uint64_t position)
{
  channel->written[CWI_DATA] = position;
}

char *cwi_channel_piece(struct cwi_channel *channel, size_t bytes, uint64_t *position)
{
  char *piece = cwi_channel_reserve(channel, bytes, position);
  if (piece != NULL)
    cwi_channel_fill(channel, channel->written[CWI_DATA]);
  return piece;
}

char *cwi_channel_piece_at(struct cwi_channel *channel, uint64_t position, size_t bytes)
{
  uint64_t *const seen = &channel->seen[CWI_DATA];
  if (!channel_follow(channel, &ring_of(channel, other(channel), CWI_DATA)->written, CWI_DATA,
                      channel->named + CWI_DATA_RING, seen))
    return NULL;
  const uint64_t left = CWI_DATA_RING - (position & (CWI_DATA_RING - 1));
  if (position % CWI_DATA_ALIGNMENT != 0 || bytes > CWI_PIECE_MOST || bytes > left ||
      position < channel->named || position > *seen || bytes > *seen - position) {
    channel_break(channel);
    return NULL;
  }
  channel->named = cwi_channel_piece_end(position, bytes);
  return place_of(channel, other(channel), CWI_DATA, position);
}

uint64_t cwi_channel_piece_end(uint64_t position, size_t bytes)
{
  return cwi_round_up(position + bytes, CWI_DATA_ALIGNMENT);
}

void cwi_channel_give_room(struct cwi_channel *channel, uint64_t position)
{
  give(channel, CWI_DATA, position);
}

uint32_t cwi_channel_bell(const struct cwi_channel *channel)
{
  return cwi_signal_value(&channel->memory->ends[channel->end].news);
}

void cwi_channel_sleep(struct cwi_channel *channel, uint32_t bell, long nanoseconds)
{
  cwi_signal_nap(&channel->memory->ends[channel->end].news, bell,
                 nanoseconds < LONGEST_NAP ? nanoseconds : LONGEST_NAP);
}

/* Copies the rings of one end of a channel to the other proxy, and back. Messages are sent at
 * once. Long data is sent in pieces. All relays together have at most two pieces in flight, so
 * that short messages do not wait long. A message is published only when the data that it names
 * has arrived. */
#include "relay/relay.h"

#include <string.h>

/* Maximum size of data that is sent at once; size of a piece of longer data; maximum number of
 * pieces in flight. */
enum { SHORT_DATA = 1 << 16, PIECE = 1 << 20, MOST_UNDER_WAY = 2 };

static const uint64_t ring_sizes[] = {
    [VOCL_RING_MESSAGES] = VOCL_MESSAGE_RING_BYTES, [VOCL_RING_DATA] = VOCL_DATA_RING_BYTES};
static const uint64_t alignments[] = {
    [VOCL_RING_MESSAGES] = VOCL_MESSAGE_ALIGNMENT, [VOCL_RING_DATA] = VOCL_DATA_ALIGNMENT};

static unsigned under_way; /* pieces of all relays in flight */

/* The relay that waits to send its positions. Its notification would wait for all pieces in flight
 * and block this thread. The relay therefore waits until no piece is in flight, and until then no
 * relay starts a new piece. The wait is short, because the main loop keeps polling while pieces are
 * in flight. */
static const struct vocl_relay *drainer;

static void stop_draining(const struct vocl_relay *relay)
{
  if (drainer == relay)
    drainer = NULL;
}

void vocl_relay_begin(struct vocl_relay *relay, struct vocl_channel_memory *memory,
                      enum vocl_channel_end here, int other, unsigned slot, unsigned other_slot)
{
  *relay =
      (struct vocl_relay){.memory = memory,
                          .here = here,
                          .there = here == VOCL_PROGRAM_SIDE ? VOCL_PROXY_SIDE : VOCL_PROGRAM_SIDE,
                          .other = other,
                          .slot = slot,
                          .other_slot = other_slot};
}

/* Reads and returns a position that my end has written. The position may only grow, from `last` up
 * to `most`. If it is invalid, sets is_malformed and returns `last`. */
static uint64_t relay_follow(struct vocl_relay *relay, const struct vocl_ring_position *position,
                             enum vocl_channel_ring ring, uint64_t last, uint64_t most)
{
  const uint64_t now = __atomic_load_n(&position->bytes, __ATOMIC_ACQUIRE);
  if (now - last <= most - last && now % alignments[ring] == 0)
    return now;
  relay->is_malformed = true;
  return last;
}

/* --- Data that my end has written
 * ------------------------------------------------------------------ */

/* Returns the number of bytes from one position to another, or to the end of the ring if that is
 * nearer. */
static size_t run_between(enum vocl_channel_ring ring, uint64_t from, uint64_t to)
{
  const uint64_t left = ring_sizes[ring] - (from & (ring_sizes[ring] - 1));
  return to - from < left ? to - from : left;
}

/* Records how much of the data ring of `writer`, from its beginning, has been used.
 * vocl_relay_clear needs this. */
static void note_use(struct vocl_relay *relay, enum vocl_channel_end writer, uint64_t from,
                     uint64_t to)
{
  const uint64_t begin = from & (VOCL_DATA_RING_BYTES - 1);
  const uint64_t end =
      to - from < VOCL_DATA_RING_BYTES - begin ? begin + (to - from) : VOCL_DATA_RING_BYTES;
  if (relay->used[writer] < end)
    relay->used[writer] = (uint32_t)end;
}

static char *ring_place(struct vocl_channel_memory *memory, enum vocl_channel_end writer,
                        enum vocl_channel_ring ring, uint64_t position)
{
  return vocl_channel_ring_memory(memory, writer, ring) + (position & (ring_sizes[ring] - 1));
}

static char *remote_place(const struct vocl_relay *relay, enum vocl_channel_ring ring)
{
  void *slot = vocl_control_slot(relay->other, relay->other_slot);
  return ring_place(slot, relay->here, ring, relay->put[ring]);
}

static const char *local_place(const struct vocl_relay *relay, enum vocl_channel_ring ring)
{
  return ring_place(relay->memory, relay->here, ring, relay->put[ring]);
}

/* Records how far my end has written. Reads the position of messages before the position of data,
 * so that all data that the messages name lies before the recorded position of data. */
static void take_sample(struct vocl_relay *relay)
{
  const struct vocl_channel_ring_state *rings = relay->memory->rings[relay->here];
  struct vocl_relay_sample sample;
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++)
    sample.position[ring] = relay_follow(relay, &rings[ring].written, (enum vocl_channel_ring)ring,
                                         relay->seen[ring], relay->given[ring] + ring_sizes[ring]);
  if (relay->is_malformed || sample.position[VOCL_RING_MESSAGES] == relay->seen[VOCL_RING_MESSAGES])
    return;
  memcpy(relay->seen, sample.position, sizeof relay->seen);
  if (relay->sample_count == VOCL_RELAY_SAMPLES)
    relay->sample_count--;
  relay->samples[relay->sample_count++] = sample;
}

static void skip_what_is_empty(struct vocl_relay *relay)
{
  const struct vocl_ring_skip *skipped = &relay->memory->rings[relay->here][VOCL_RING_DATA].skipped;
  const uint64_t from = relay->put[VOCL_RING_DATA];
  const uint64_t to = vocl_channel_after_skip(skipped, from, relay->seen[VOCL_RING_DATA]);
  if (to == from)
    return;
  relay->skipped = (struct vocl_ring_skip){from, to};
  relay->put[VOCL_RING_DATA] = to;
}

/* Returns the size of the next piece of data to send. */
static size_t next_data(const struct vocl_relay *relay)
{
  const size_t bytes =
      run_between(VOCL_RING_DATA, relay->put[VOCL_RING_DATA], relay->seen[VOCL_RING_DATA]);
  return bytes < PIECE ? bytes : PIECE;
}

static bool may_put(const struct vocl_relay *relay, size_t bytes)
{
  return bytes <= SHORT_DATA ||
         (drainer == NULL && under_way < MOST_UNDER_WAY && relay->piece_count < VOCL_RELAY_PIECES);
}

/* Puts the next data. Short data arrives before the next message of the control channel; long
 * data has a handle. */
static void put_data(struct vocl_relay *relay, size_t bytes)
{
  struct vocl_relay_piece *piece = &relay->pieces[relay->piece_count];
  const uint64_t position = relay->put[VOCL_RING_DATA];
  char *to = remote_place(relay, VOCL_RING_DATA);
  const char *from = local_place(relay, VOCL_RING_DATA);
  relay->put[VOCL_RING_DATA] += bytes;
  note_use(relay, relay->here, position, relay->put[VOCL_RING_DATA]);
  if (bytes <= SHORT_DATA) {
    CW_MUST(cw_put(from, to, bytes, relay->other));
    return;
  }
  *piece = (struct vocl_relay_piece){.position = position};
  vocl_control_put(relay->other, from, to, bytes, &piece->handle);
  relay->piece_count++;
  under_way++;
}

static bool forward_data(struct vocl_relay *relay)
{
  size_t bytes = 0;
  bool moved = false;
  skip_what_is_empty(relay);
  while ((bytes = next_data(relay)) > 0 && may_put(relay, bytes)) {
    put_data(relay, bytes);
    moved = true;
  }
  return moved;
}

/* Removes the pieces that have completed, in order. Returns true if there were any. */
static bool end_pieces(struct vocl_relay *relay)
{
  unsigned ended = 0;
  bool complete = true;
  while (ended < relay->piece_count && complete) {
    CW_MUST(cw_test(&relay->pieces[ended].handle, &complete));
    if (complete)
      ended++;
  }
  relay->piece_count -= ended;
  memmove(relay->pieces, relay->pieces + ended, relay->piece_count * sizeof *relay->pieces);
  under_way -= ended;
  return ended > 0;
}

/* Puts the messages whose data has arrived. */
static bool forward_messages(struct vocl_relay *relay)
{
  const uint64_t there =
      relay->piece_count > 0 ? relay->pieces[0].position : relay->put[VOCL_RING_DATA];
  unsigned carried = 0;
  while (carried < relay->sample_count && relay->samples[carried].position[VOCL_RING_DATA] <= there)
    memcpy(relay->ready, relay->samples[carried++].position, sizeof relay->ready);
  relay->sample_count -= carried;
  memmove(relay->samples, relay->samples + carried, relay->sample_count * sizeof *relay->samples);
  while (relay->put[VOCL_RING_MESSAGES] != relay->ready[VOCL_RING_MESSAGES]) {
    const size_t bytes = run_between(VOCL_RING_MESSAGES, relay->put[VOCL_RING_MESSAGES],
                                     relay->ready[VOCL_RING_MESSAGES]);
    CW_MUST(cw_put(local_place(relay, VOCL_RING_MESSAGES), remote_place(relay, VOCL_RING_MESSAGES),
                   bytes, relay->other));
    relay->put[VOCL_RING_MESSAGES] += bytes;
  }
  return carried > 0;
}

/* --- Positions for the other proxy
 * ----------------------------------------------------------------- */

/* Reads the positions up to which my end has taken bytes. They may not exceed the positions that it
 * was shown. */
static void check_taken(struct vocl_relay *relay, uint64_t taken[2])
{
  const struct vocl_channel_ring_state *rings = relay->memory->rings[relay->there];
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++)
    taken[ring] = relay_follow(relay, &rings[ring].taken, (enum vocl_channel_ring)ring,
                               relay->sent.taken[ring], relay->received.written[ring]);
}

/* Returns true if the positions should be sent. Released space alone is worth a message only if
 * it is large or the other end waits for it. */
static bool is_worth_reporting(const struct vocl_relay *relay,
                               const struct vocl_control_positions *now)
{
  const struct vocl_control_positions *sent = &relay->sent;
  if (memcmp(now->written, sent->written, sizeof now->written) != 0 ||
      (now->wants_space & ~sent->wants_space) != 0)
    return true;
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++) {
    const uint64_t given = now->taken[ring] - sent->taken[ring];
    if (given >= ring_sizes[ring] / 8 ||
        (given > 0 && (relay->received.wants_space >> ring & 1) != 0))
      return true;
  }
  return false;
}

static bool send_positions(struct vocl_relay *relay)
{
  struct vocl_control_message message = {.kind = VOCL_CONTROL_POSITIONS, .slot = relay->other_slot};
  struct vocl_control_positions *now = &message.of.positions;
  now->skipped = relay->skipped;
  memcpy(now->written, relay->ready, sizeof now->written);
  check_taken(relay, now->taken);
  now->wants_space =
      __atomic_load_n(&relay->memory->ends[relay->here].wants_space, __ATOMIC_ACQUIRE);
  if (relay->is_malformed || !is_worth_reporting(relay, now) ||
      !vocl_control_can_send(relay->other)) {
    stop_draining(relay);
    return false;
  }
  if (under_way > 0) {
    drainer = drainer != NULL ? drainer : relay;
    return false;
  }
  stop_draining(relay);
  relay->sent = *now;
  vocl_control_send(relay->other, &message);
  return true;
}

bool vocl_relay_forward(struct vocl_relay *relay)
{
  bool moved = end_pieces(relay);
  take_sample(relay);
  moved = forward_data(relay) || moved;
  moved = forward_messages(relay) || moved;
  return send_positions(relay) || moved;
}

bool vocl_relay_is_busy(const struct vocl_relay *relay)
{
  return relay->piece_count > 0 || relay->sample_count > 0;
}

/* Waits for the relay's own pieces in flight. If this relay is the drainer, other relays can start
 * pieces again. */
static void relay_commit(struct vocl_relay *relay)
{
  for (unsigned i = 0; i < relay->piece_count; i++)
    CW_MUST(cw_wait(&relay->pieces[i].handle));
  under_way -= relay->piece_count;
  relay->piece_count = 0;
  stop_draining(relay);
}

void vocl_relay_close(struct vocl_relay *relay, uint32_t session)
{
  struct vocl_control_message message = {
      .kind = VOCL_CONTROL_CLOSE, .slot = relay->other_slot, .number = session};
  relay_commit(relay);
  memcpy(message.of.positions.written, relay->put, sizeof relay->put);
  message.of.positions.skipped = relay->skipped;
  vocl_control_send(relay->other, &message);
}

/* --- Data from the other proxy
 * --------------------------------------------------------------------- */

/* Returns the position at which the new data begins. */
static uint64_t receive_data_position(struct vocl_relay *relay,
                                      const struct vocl_control_positions *positions)
{
  const uint64_t to = positions->written[VOCL_RING_DATA];
  const uint64_t from =
      vocl_channel_after_skip(&positions->skipped, relay->received.written[VOCL_RING_DATA], to);
  note_use(relay, relay->there, from, to);
  return from;
}

/* Copies new data from the slot to the channel, unless the slot is the channel's memory. */
static void land(struct vocl_relay *relay, enum vocl_channel_ring ring, uint64_t from, uint64_t to)
{
  void *slot = vocl_control_slot(cw_process(), relay->slot);
  while (slot != relay->memory && from != to) {
    const size_t bytes = run_between(ring, from, to);
    memcpy(ring_place(relay->memory, relay->there, ring, from),
           ring_place(slot, relay->there, ring, from), bytes);
    from += bytes;
  }
}

/* Publishes data before messages, like vocl_channel_publish. Also stores how far the other end has
 * taken our bytes and whether it wants space, and rings the bell of my end. */
void vocl_relay_receive(struct vocl_relay *relay, const struct vocl_control_positions *positions)
{
  struct vocl_channel_memory *memory = relay->memory;
  const uint64_t begins[] = {[VOCL_RING_MESSAGES] = relay->received.written[VOCL_RING_MESSAGES],
                             [VOCL_RING_DATA] = receive_data_position(relay, positions)};
  for (int ring = VOCL_RING_DATA; ring >= VOCL_RING_MESSAGES; ring--) {
    land(relay, (enum vocl_channel_ring)ring, begins[ring], positions->written[ring]);
    __atomic_store_n(&memory->rings[relay->there][ring].written.bytes, positions->written[ring],
                     __ATOMIC_RELEASE);
    __atomic_store_n(&memory->rings[relay->here][ring].taken.bytes, positions->taken[ring],
                     __ATOMIC_SEQ_CST);
  }
  memcpy(relay->given, positions->taken, sizeof relay->given);
  relay->received = *positions;
  __atomic_store_n(&memory->ends[relay->there].wants_space, positions->wants_space,
                   __ATOMIC_SEQ_CST);
  vocl_channel_ring_bell(memory, relay->here);
}

struct vocl_watch_bell vocl_relay_bell(const struct vocl_relay *relay)
{
  struct cwi_signal *signal = &relay->memory->ends[relay->there].news;
  return (struct vocl_watch_bell){signal, cwi_signal_value(signal)};
}

void vocl_relay_receive_close(struct vocl_relay *relay, const struct vocl_control_positions *last)
{
  struct vocl_channel stand_in;
  relay_commit(relay);
  (void)receive_data_position(relay, last);
  memcpy(relay->received.written, last->written, sizeof last->written);
  vocl_channel_open(&stand_in, relay->memory, relay->there);
  vocl_channel_close(&stand_in);
}

static void clear_rings(struct vocl_channel_memory *memory, enum vocl_channel_end writer,
                        uint64_t messages, uint32_t data)
{
  memset(vocl_channel_ring_memory(memory, writer, VOCL_RING_MESSAGES), 0,
         messages < VOCL_MESSAGE_RING_BYTES ? messages : VOCL_MESSAGE_RING_BYTES);
  memset(vocl_channel_ring_memory(memory, writer, VOCL_RING_DATA), 0, data);
}

/* Clears the slot. My end may have written more than was put, so the size is computed from the
 * position that it has written. */
void vocl_relay_clear(struct vocl_relay *relay)
{
  struct vocl_channel_memory *slot = (void *)vocl_control_slot(cw_process(), relay->slot);
  const struct vocl_channel_ring_state *mine = slot->rings[relay->here];
  clear_rings(slot, relay->there, relay->received.written[VOCL_RING_MESSAGES],
              relay->used[relay->there]);
  if (slot == relay->memory) {
    note_use(relay, relay->here, relay->put[VOCL_RING_DATA], mine[VOCL_RING_DATA].written.bytes);
    clear_rings(slot, relay->here, mine[VOCL_RING_MESSAGES].written.bytes,
                relay->used[relay->here]);
  }
  memset(slot, 0, VOCL_CHANNEL_HEADER);
}

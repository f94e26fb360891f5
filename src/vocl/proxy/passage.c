/* Copying one end's rings to the other proxy, and back. Messages go at once, long data in pieces of
 * which only two are under way for all passages together, so that what is short waits for little;
 * what names data is shown when that data is there. */
#include "proxy/passage.h"

#include <string.h>

/* Data that goes together with its message; a piece of longer data; pieces under way. */
enum { SHORT_DATA = 1 << 16, PIECE = 1 << 20, MOST_UNDER_WAY = 2 };

static const uint64_t ring_sizes[] = {
    [CWI_MESSAGES] = CWI_MESSAGE_RING, [CWI_DATA] = CWI_DATA_RING};
static const uint64_t alignments[] = {
    [CWI_MESSAGES] = CWI_MESSAGE_ALIGNMENT, [CWI_DATA] = CWI_DATA_ALIGNMENT};

static unsigned under_way; /* pieces of all passages */

/* It has something to tell. A notification waits for all pieces that are under way, and so would
 * this thread: it is told when none is any more, and until then no more begin. Turns go on as long
 * as pieces are under way, so that it is told. */
static const struct cwi_passage *drainer;

static void stop_draining(const struct cwi_passage *passage)
{
  if (drainer == passage)
    drainer = NULL;
}

void cwi_passage_begin(struct cwi_passage *passage, struct cwi_channel_memory *memory,
                       enum cwi_channel_end here, int other, unsigned slot, unsigned other_slot)
{
  *passage = (struct cwi_passage){.memory = memory,
                                  .here = here,
                                  .there = here == CWI_ABOVE ? CWI_BELOW : CWI_ABOVE,
                                  .other = other,
                                  .slot = slot,
                                  .other_slot = other_slot};
}

/* A position that my end has written: it only grows, and not beyond `most`. */
static uint64_t passage_follow(struct cwi_passage *passage, const struct cwi_position *position,
                               enum cwi_channel_ring ring, uint64_t last, uint64_t most)
{
  const uint64_t now = __atomic_load_n(&position->bytes, __ATOMIC_ACQUIRE);
  if (now - last <= most - last && now % alignments[ring] == 0)
    return now;
  passage->is_wild = true;
  return last;
}

/* --- What my end has written ------------------------------------------------------------------ */

/* Bytes from a position to another one, or to the end of the ring. */
static size_t run_between(enum cwi_channel_ring ring, uint64_t from, uint64_t to)
{
  const uint64_t left = ring_sizes[ring] - (from & (ring_sizes[ring] - 1));
  return to - from < left ? to - from : left;
}

/* Data of `writer` lies between two positions: how much of the ring, from its beginning, is used.
 */
static void note_use(struct cwi_passage *passage, enum cwi_channel_end writer, uint64_t from,
                     uint64_t to)
{
  const uint64_t begin = from & (CWI_DATA_RING - 1);
  const uint64_t end = to - from < CWI_DATA_RING - begin ? begin + (to - from) : CWI_DATA_RING;
  if (passage->used[writer] < end)
    passage->used[writer] = (uint32_t)end;
}

static char *ring_place(struct cwi_channel_memory *memory, enum cwi_channel_end writer,
                        enum cwi_channel_ring ring, uint64_t position)
{
  return cwi_channel_ring_memory(memory, writer, ring) + (position & (ring_sizes[ring] - 1));
}

static char *far_place(const struct cwi_passage *passage, enum cwi_channel_ring ring)
{
  void *slot = cwi_post_slot(passage->other, passage->other_slot);
  return ring_place(slot, passage->here, ring, passage->put[ring]);
}

static const char *near_place(const struct cwi_passage *passage, enum cwi_channel_ring ring)
{
  return ring_place(passage->memory, passage->here, ring, passage->put[ring]);
}

/* Messages are looked at before data: the data that they name has been written by then. */
static void take_sample(struct cwi_passage *passage)
{
  const struct cwi_channel_ring_state *rings = passage->memory->rings[passage->here];
  struct cwi_passage_sample sample;
  for (int ring = CWI_MESSAGES; ring <= CWI_DATA; ring++)
    sample.position[ring] =
        passage_follow(passage, &rings[ring].written, (enum cwi_channel_ring)ring,
                       passage->seen[ring], passage->given[ring] + ring_sizes[ring]);
  if (passage->is_wild || sample.position[CWI_MESSAGES] == passage->seen[CWI_MESSAGES])
    return;
  memcpy(passage->seen, sample.position, sizeof passage->seen);
  if (passage->sample_count == CWI_PASSAGE_SAMPLES)
    passage->sample_count--;
  passage->samples[passage->sample_count++] = sample;
}

static void skip_what_is_empty(struct cwi_passage *passage)
{
  const struct cwi_skipped *skipped = &passage->memory->rings[passage->here][CWI_DATA].skipped;
  const uint64_t from = passage->put[CWI_DATA];
  const uint64_t to = cwi_channel_behind(skipped, from, passage->seen[CWI_DATA]);
  if (to == from)
    return;
  passage->skipped = (struct cwi_skipped){from, to};
  passage->put[CWI_DATA] = to;
}

/* Bytes of data that go next. */
static size_t next_data(const struct cwi_passage *passage)
{
  const size_t bytes = run_between(CWI_DATA, passage->put[CWI_DATA], passage->seen[CWI_DATA]);
  return bytes < PIECE ? bytes : PIECE;
}

static bool may_put(const struct cwi_passage *passage, size_t bytes)
{
  return bytes <= SHORT_DATA || (drainer == NULL && under_way < MOST_UNDER_WAY &&
                                 passage->piece_count < CWI_PASSAGE_PIECES);
}

/* What is short is there before the next mail; what is long is waited for. */
static void put_data(struct cwi_passage *passage, size_t bytes)
{
  struct cwi_passage_piece *piece = &passage->pieces[passage->piece_count];
  const uint64_t position = passage->put[CWI_DATA];
  char *to = far_place(passage, CWI_DATA);
  const char *from = near_place(passage, CWI_DATA);
  passage->put[CWI_DATA] += bytes;
  note_use(passage, passage->here, position, passage->put[CWI_DATA]);
  if (bytes <= SHORT_DATA) {
    CW_MUST(cw_put(from, to, bytes, passage->other));
    return;
  }
  *piece = (struct cwi_passage_piece){.position = position};
  cwi_post_put(passage->other, from, to, bytes, &piece->handle);
  passage->piece_count++;
  under_way++;
}

static bool carry_data(struct cwi_passage *passage)
{
  size_t bytes = 0;
  bool moved = false;
  skip_what_is_empty(passage);
  while ((bytes = next_data(passage)) > 0 && may_put(passage, bytes)) {
    put_data(passage, bytes);
    moved = true;
  }
  return moved;
}

/* Those of the pieces that have arrived, in order. */
static bool end_pieces(struct cwi_passage *passage)
{
  unsigned ended = 0;
  bool complete = true;
  while (ended < passage->piece_count && complete) {
    CW_MUST(cw_test(&passage->pieces[ended].handle, &complete));
    if (complete)
      ended++;
  }
  passage->piece_count -= ended;
  memmove(passage->pieces, passage->pieces + ended, passage->piece_count * sizeof *passage->pieces);
  under_way -= ended;
  return ended > 0;
}

/* Samples whose data is there. */
static bool carry_messages(struct cwi_passage *passage)
{
  const uint64_t there =
      passage->piece_count > 0 ? passage->pieces[0].position : passage->put[CWI_DATA];
  unsigned carried = 0;
  while (carried < passage->sample_count && passage->samples[carried].position[CWI_DATA] <= there)
    memcpy(passage->ready, passage->samples[carried++].position, sizeof passage->ready);
  passage->sample_count -= carried;
  memmove(passage->samples, passage->samples + carried,
          passage->sample_count * sizeof *passage->samples);
  while (passage->put[CWI_MESSAGES] != passage->ready[CWI_MESSAGES]) {
    const size_t bytes =
        run_between(CWI_MESSAGES, passage->put[CWI_MESSAGES], passage->ready[CWI_MESSAGES]);
    CW_MUST(cw_put(near_place(passage, CWI_MESSAGES), far_place(passage, CWI_MESSAGES), bytes,
                   passage->other));
    passage->put[CWI_MESSAGES] += bytes;
  }
  return carried > 0;
}

/* --- Telling the other proxy ------------------------------------------------------------------ */

/* What my end has taken, which stays below what it was shown. */
static void look_at_taken(struct cwi_passage *passage, uint64_t taken[2])
{
  const struct cwi_channel_ring_state *rings = passage->memory->rings[passage->there];
  for (int ring = CWI_MESSAGES; ring <= CWI_DATA; ring++)
    taken[ring] = passage_follow(passage, &rings[ring].taken, (enum cwi_channel_ring)ring,
                                 passage->told.taken[ring], passage->heard.written[ring]);
}

/* Room alone is worth a mail where much of it was given, or somebody waits for it. */
static bool is_worth_telling(const struct cwi_passage *passage,
                             const struct cwi_mail_positions *now)
{
  const struct cwi_mail_positions *told = &passage->told;
  if (memcmp(now->written, told->written, sizeof now->written) != 0 ||
      (now->wants_room & ~told->wants_room) != 0)
    return true;
  for (int ring = CWI_MESSAGES; ring <= CWI_DATA; ring++) {
    const uint64_t given = now->taken[ring] - told->taken[ring];
    if (given >= ring_sizes[ring] / 8 ||
        (given > 0 && (passage->heard.wants_room >> ring & 1) != 0))
      return true;
  }
  return false;
}

static bool tell(struct cwi_passage *passage)
{
  struct cwi_mail mail = {.kind = CWI_MAIL_POSITIONS, .slot = passage->other_slot};
  struct cwi_mail_positions *now = &mail.of.positions;
  now->skipped = passage->skipped;
  memcpy(now->written, passage->ready, sizeof now->written);
  look_at_taken(passage, now->taken);
  now->wants_room =
      __atomic_load_n(&passage->memory->ends[passage->here].wants_room, __ATOMIC_ACQUIRE);
  if (passage->is_wild || !is_worth_telling(passage, now) || !cwi_post_has_room(passage->other)) {
    stop_draining(passage);
    return false;
  }
  if (under_way > 0) {
    drainer = drainer != NULL ? drainer : passage;
    return false;
  }
  stop_draining(passage);
  passage->told = *now;
  cwi_post_send(passage->other, &mail);
  return true;
}

bool cwi_passage_carry(struct cwi_passage *passage)
{
  bool moved = end_pieces(passage);
  take_sample(passage);
  moved = carry_data(passage) || moved;
  moved = carry_messages(passage) || moved;
  return tell(passage) || moved;
}

bool cwi_passage_is_busy(const struct cwi_passage *passage)
{
  return passage->piece_count > 0 || passage->sample_count > 0;
}

/* It is carried no more: nobody waits for its pieces, or for what it would tell. */
static void passage_settle(struct cwi_passage *passage)
{
  for (unsigned i = 0; i < passage->piece_count; i++)
    CW_MUST(cw_wait(&passage->pieces[i].handle));
  under_way -= passage->piece_count;
  passage->piece_count = 0;
  stop_draining(passage);
}

void cwi_passage_end(struct cwi_passage *passage, uint32_t session)
{
  struct cwi_mail mail = {.kind = CWI_MAIL_GONE, .slot = passage->other_slot, .number = session};
  passage_settle(passage);
  memcpy(mail.of.positions.written, passage->put, sizeof passage->put);
  mail.of.positions.skipped = passage->skipped;
  cwi_post_send(passage->other, &mail);
}

/* --- What comes from the other proxy ---------------------------------------------------------- */

/* Where the data that has come begins. */
static uint64_t hear_of_data(struct cwi_passage *passage,
                             const struct cwi_mail_positions *positions)
{
  const uint64_t to = positions->written[CWI_DATA];
  const uint64_t from =
      cwi_channel_behind(&positions->skipped, passage->heard.written[CWI_DATA], to);
  note_use(passage, passage->there, from, to);
  return from;
}

/* From the slot in which it has landed to the channel, if that is another place. */
static void land(struct cwi_passage *passage, enum cwi_channel_ring ring, uint64_t from,
                 uint64_t to)
{
  void *slot = cwi_post_slot(cw_process(), passage->slot);
  while (slot != passage->memory && from != to) {
    const size_t bytes = run_between(ring, from, to);
    memcpy(ring_place(passage->memory, passage->there, ring, from),
           ring_place(slot, passage->there, ring, from), bytes);
    from += bytes;
  }
}

/* In the order in which a channel's end publishes: data, messages; and room. */
void cwi_passage_hear(struct cwi_passage *passage, const struct cwi_mail_positions *positions)
{
  struct cwi_channel_memory *memory = passage->memory;
  const uint64_t begins[] = {[CWI_MESSAGES] = passage->heard.written[CWI_MESSAGES],
                             [CWI_DATA] = hear_of_data(passage, positions)};
  for (int ring = CWI_DATA; ring >= CWI_MESSAGES; ring--) {
    land(passage, (enum cwi_channel_ring)ring, begins[ring], positions->written[ring]);
    __atomic_store_n(&memory->rings[passage->there][ring].written.bytes, positions->written[ring],
                     __ATOMIC_RELEASE);
    __atomic_store_n(&memory->rings[passage->here][ring].taken.bytes, positions->taken[ring],
                     __ATOMIC_SEQ_CST);
  }
  memcpy(passage->given, positions->taken, sizeof passage->given);
  passage->heard = *positions;
  __atomic_store_n(&memory->ends[passage->there].wants_room, positions->wants_room,
                   __ATOMIC_SEQ_CST);
  cwi_channel_ring_bell(memory, passage->here);
}

struct cwi_watch_bell cwi_passage_bell(const struct cwi_passage *passage)
{
  struct cwi_signal *signal = &passage->memory->ends[passage->there].news;
  return (struct cwi_watch_bell){signal, cwi_signal_value(signal)};
}

void cwi_passage_hear_end(struct cwi_passage *passage, const struct cwi_mail_positions *last)
{
  struct cwi_channel stand_in;
  passage_settle(passage);
  (void)hear_of_data(passage, last);
  memcpy(passage->heard.written, last->written, sizeof last->written);
  cwi_channel_open(&stand_in, passage->memory, passage->there);
  cwi_channel_close(&stand_in);
}

static void clear_rings(struct cwi_channel_memory *memory, enum cwi_channel_end writer,
                        uint64_t messages, uint32_t data)
{
  memset(cwi_channel_ring_memory(memory, writer, CWI_MESSAGES), 0,
         messages < CWI_MESSAGE_RING ? messages : CWI_MESSAGE_RING);
  memset(cwi_channel_ring_memory(memory, writer, CWI_DATA), 0, data);
}

/* My end may have written more than was put. */
void cwi_passage_clear(struct cwi_passage *passage)
{
  struct cwi_channel_memory *slot = (void *)cwi_post_slot(cw_process(), passage->slot);
  const struct cwi_channel_ring_state *mine = slot->rings[passage->here];
  clear_rings(slot, passage->there, passage->heard.written[CWI_MESSAGES],
              passage->used[passage->there]);
  if (slot == passage->memory) {
    note_use(passage, passage->here, passage->put[CWI_DATA], mine[CWI_DATA].written.bytes);
    clear_rings(slot, passage->here, mine[CWI_MESSAGES].written.bytes,
                passage->used[passage->here]);
  }
  memset(slot, 0, CWI_CHANNEL_HEADER);
}

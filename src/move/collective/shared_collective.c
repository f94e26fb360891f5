/* Collectives within a node. Each member writes a piece to its bounce buffer, all members meet, and
 * then each reads the bounce buffers of others. There are two sets of bounce buffers, used
 * alternately. Before a member writes to a set again, it passes the meeting of the other set. All
 * members enter that meeting only after they have read the first set, so nothing is overwritten too
 * early (see team/team_memory.h). If members do not meet in the same step of the same call, all of
 * them get an error and leave the call. */
#include "collective/shared_collective.h"

#include "collective/in_place_reduction.h"
#include "machine/copy.h"
#include "number/atomic_update.h"
#include "number/random.h"
#include "region/team_memory_allocation.h"
#include "sync/home_access.h"
#include "team/agreement.h"
#include "team/world.h"
#include "wait/failures.h"

#include <causeway/transfer.h>

#include <stdlib.h>

/* The bounce buffers for a message: those of team/team_memory.h, or wide ones if the message is
 * longer than CWI_BOUNCE. */
struct bounces {
  cw_team team;
  bool wide, apart; /* apart: the members are on several nodes (sync/home_access.h) */
  size_t bytes;     /* size of each bounce buffer */
};

static cw_error bounces_for(cw_team team, size_t bytes, struct bounces *bounces)
{
  bool wide = false;
  if (CWI_UNLIKELY(team->home != 0)) {
    *bounces = (struct bounces){team, false, true, CWI_HOME_BUFFER};
    return CW_OK;
  }
  if (bytes > CWI_BOUNCE)
    CWI_TRY(cwi_team_widen(team, &wide));
  *bounces = (struct bounces){team, wide, false, wide ? cwi_team_wide_bytes(team) : CWI_BOUNCE};
  return CW_OK;
}

/* Returns a number that identifies a step of a call. The members compare it when they meet to share
 * a piece. `left` is the number of bytes of the message that have not been shared. For `kind`, see
 * kind_of. */
static inline uint64_t step_of(int root, unsigned kind, size_t left)
{
  return (uint64_t)left ^ (uint64_t)(unsigned)(root + 1) << 36 ^ (uint64_t)kind << 56;
}

static inline unsigned kind_of(const struct cwi_reduction *reduction)
{
  return (unsigned)reduction->type << 4 ^ (unsigned)reduction->update;
}

/* Returns the bounce buffer of a member at meeting number `number`. */
static inline char *bounce_of(const struct bounces *bounces, unsigned number, int rank)
{
  cw_team team = bounces->team;
  if (CWI_UNLIKELY(bounces->apart))
    return cwi_home_buffer(team, number, rank);
  if (!bounces->wide)
    return cwi_team_memory_bounce(team->memory, team->size, number, rank);
  return team->wide +
         ((size_t)(number % 2) * (size_t)team->size + (size_t)rank) * cwi_team_wide_bytes(team);
}

static inline char *my_bounce(const struct bounces *bounces)
{
  return bounce_of(bounces, bounces->team->meetings + 1, bounces->team->rank);
}

/* Reads a part of a member's bounce buffer on another node. The pointer is valid until the next
 * call. */
static __attribute__((noinline)) const char *bounce_apart(const struct bounces *bounces, int rank,
                                                          size_t offset, size_t bytes)
{
  cw_team team = bounces->team;
  const char *there = cwi_home_buffer(team, team->meetings, rank) + offset;
  if (cwi_same_node(team->process[rank]))
    return there;
  if (team->home_piece == NULL)
    team->home_piece = calloc(1, CWI_HOME_BUFFER);
  if (team->home_piece == NULL)
    cwi_abort("no memory for a member's piece of a collective call", 1);
  const cw_error error = CW_MAY_FAIL(cw_get(team->home_piece, there, bytes, team->process[rank]));
  team->piece_is_lost = team->piece_is_lost || error != CW_OK;
  return team->home_piece;
}

/* Returns CW_FAILED if a piece of the present call could not be read. */
static cw_error lost_piece(cw_team team)
{
  return team->piece_is_lost ? cwi_failure(CW_FAILED, "the node of a member is lost") : CW_OK;
}

cw_error cwi_shared_finish_apart(cw_team team, cw_error error)
{
  const cw_error lost = lost_piece(team);
  team->piece_is_lost = false;
  CWI_TRY(error);
  return cwi_team_agree(team, lost);
}

/* Returns `bytes` bytes at an offset of a member's bounce buffer, which all members have shared. */
static inline const char *bounce(const struct bounces *bounces, int rank, size_t offset,
                                 size_t bytes)
{
  if (CWI_UNLIKELY(bounces->apart))
    return bounce_apart(bounces, rank, offset, bytes);
  return bounce_of(bounces, bounces->team->meetings, rank) + offset;
}

static inline size_t piece(const struct bounces *bounces, size_t left)
{
  return left < bounces->bytes ? left : bounces->bytes;
}

static inline bool gets(cw_team team, int root)
{
  return root < 0 || root == team->rank;
}

cw_error cwi_shared_nothing(cw_team team, int root, const struct cwi_reduction *reduction)
{
  return cwi_team_share(team, step_of(root, reduction != NULL ? kind_of(reduction) : 0, 0));
}

cw_error cwi_shared_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  struct bounces bounces;
  char *at = buffer;
  CWI_TRY(bounces_for(team, bytes, &bounces));
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&bounces, bytes);
    if (team->rank == root)
      cwi_copy(my_bounce(&bounces), at, part);
    CWI_TRY(cwi_team_share(team, step_of(root, 0, bytes)));
    if (team->rank != root)
      cwi_copy(at, bounce(&bounces, root, 0, part), part);
  }
  return CW_OK;
}

cw_error cwi_shared_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  struct bounces bounces;
  CWI_TRY(bounces_for(team, bytes, &bounces));
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece(&bounces, bytes - done);
    cwi_copy(my_bounce(&bounces), (const char *)mine + done, part);
    CWI_TRY(cwi_team_share(team, step_of(root, 0, bytes - done)));
    for (int rank = 0; rank < team->size && gets(team, root); rank++)
      cwi_copy((char *)all + (size_t)rank * bytes + done, bounce(&bounces, rank, 0, part), part);
  }
  return CW_OK;
}

/* Reduces a piece. Each member that gets the result combines all bounce buffers in the order of
 * ranks. */
static cw_error reduce_whole(const struct bounces *bounces, int root,
                             const struct cwi_reduction *reduction, char *at, size_t part,
                             uint64_t step)
{
  cw_team team = bounces->team;
  cwi_copy(my_bounce(bounces), at, part);
  CWI_TRY(cwi_team_share(team, step));
  if (!gets(team, root))
    return CW_OK;
  if (team->rank == 1) { /* this member's own numbers are already in place */
    cwi_combine(cwi_update_kernel_after(reduction->update, reduction->type), at,
                bounce(bounces, 0, 0, part), part);
  } else {
    if (team->rank > 1)
      cwi_copy(at, bounce(bounces, 0, 0, part), part);
    cwi_combine(reduction->combine, at, bounce(bounces, 1, 0, part), part);
  }
  for (int rank = 2; rank < team->size; rank++)
    cwi_combine(reduction->combine, at, bounce(bounces, rank, 0, part), part);
  return CW_OK;
}

/* Reduces a piece. Each member combines its slice of all bounce buffers in the order of ranks. Then
 * the members that get the result copy all slices. */
static cw_error reduce_slices(const struct bounces *bounces, int root,
                              const struct cwi_reduction *reduction, char *at, size_t part,
                              uint64_t step)
{
  cw_team team = bounces->team;
  const size_t slice = cwi_reduction_slice(team, part);
  const size_t begin = (size_t)team->rank * slice;
  cwi_copy(my_bounce(bounces), at, part);
  CWI_TRY(cwi_team_share(team, step));
  if (begin < part) {
    const size_t bytes = part - begin < slice ? part - begin : slice;
    char *result = my_bounce(bounces);
    cwi_copy(result, bounce(bounces, 0, begin, bytes), bytes);
    for (int rank = 1; rank < team->size; rank++)
      cwi_combine(reduction->combine, result, bounce(bounces, rank, begin, bytes), bytes);
  }
  CWI_TRY(cwi_team_share(team, ~step));
  size_t done = 0;
  for (int rank = 0; done < part && gets(team, root); rank++, done += slice) {
    const size_t bytes = part - done < slice ? part - done : slice;
    cwi_copy(at + done, bounce(bounces, rank, 0, bytes), bytes);
  }
  return CW_OK;
}

cw_error cwi_shared_reduce(cw_team team, int root, const struct cwi_reduction *reduction,
                           void *numbers, size_t count)
{
  size_t bytes = count * reduction->element;
  const unsigned kind = kind_of(reduction);
  struct bounces bounces;
  bool done = false;
  if (CWI_LIKELY(team->home == 0))
    CWI_TRY(cwi_in_place_reduce(team, root, reduction, step_of(root, kind, bytes), numbers, bytes,
                                &done));
  if (done)
    return CW_OK;
  CWI_TRY(bounces_for(team, bytes, &bounces));
  const bool slices = team->size > 2 && bytes > CWI_BOUNCE;
  char *at = numbers;
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&bounces, bytes);
    CWI_TRY((slices ? reduce_slices : reduce_whole)(&bounces, root, reduction, at, part,
                                                    step_of(root, kind, bytes)));
  }
  return CW_OK;
}

/* Returns the number of bytes of each member's piece that are moved at a time. It is so small that
 * these parts of all members' pieces fit into one bounce buffer. */
static inline size_t piece_of_all(const struct bounces *bounces, size_t left)
{
  const size_t most = bounces->bytes / (size_t)bounces->team->size;
  return left < most ? left : most;
}

cw_error cwi_shared_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  struct bounces bounces;
  CWI_TRY(bounces_for(team, bytes * (size_t)team->size, &bounces));
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece_of_all(&bounces, bytes - done);
    for (int rank = 0; rank < team->size && team->rank == root; rank++)
      cwi_copy(my_bounce(&bounces) + (size_t)rank * part,
               (const char *)all + (size_t)rank * bytes + done, part);
    CWI_TRY(cwi_team_share(team, step_of(root, 0, bytes - done)));
    cwi_copy((char *)mine + done, bounce(&bounces, root, (size_t)team->rank * part, part), part);
  }
  return CW_OK;
}

cw_error cwi_shared_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  struct bounces bounces;
  CWI_TRY(bounces_for(team, bytes * (size_t)team->size, &bounces));
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece_of_all(&bounces, bytes - done);
    for (int rank = 0; rank < team->size; rank++)
      cwi_copy(my_bounce(&bounces) + (size_t)rank * part,
               (const char *)mine + (size_t)rank * bytes + done, part);
    CWI_TRY(cwi_team_share(team, step_of(-1, 0, bytes - done)));
    for (int rank = 0; rank < team->size; rank++)
      cwi_copy((char *)all + (size_t)rank * bytes + done,
               bounce(&bounces, rank, (size_t)team->rank * part, part), part);
  }
  return CW_OK;
}

cw_error cwi_shared_scan(cw_team team, const struct cwi_reduction *reduction, bool exclusive,
                         void *numbers, size_t count)
{
  size_t bytes = count * reduction->element;
  struct bounces bounces;
  CWI_TRY(bounces_for(team, bytes, &bounces));
  const int end = team->rank + (exclusive ? 0 : 1);
  char *at = numbers;
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&bounces, bytes);
    cwi_copy(my_bounce(&bounces), at, part);
    CWI_TRY(cwi_team_share(team, step_of(exclusive, kind_of(reduction), bytes)));
    if (team->rank > 0)
      cwi_copy(at, bounce(&bounces, 0, 0, part), part);
    for (int rank = 1; rank < end; rank++)
      cwi_combine(reduction->combine, at, bounce(&bounces, rank, 0, part), part);
  }
  return CW_OK;
}

/* --- Pieces of different lengths -------------------------------------------------------------- */

/* Position of the piece for one member in the stream of its sender. */
struct sheet_slot {
  uint64_t begin, bytes;
};

/* The table at the beginning of each bounce buffer. The pieces that a member sends form one stream,
 * one piece after the other. Each of its bounce buffers holds this table and then a part of the
 * stream. Readers need the table because they do not know the lengths of the other members' pieces.
 */
struct sheet {
  uint64_t bytes;         /* length of the whole stream */
  uint64_t balance;       /* see balance_of */
  struct sheet_slot to[]; /* [team size] the piece for each member */
};

static inline size_t sheet_bytes(cw_team team)
{
  return sizeof(struct sheet) + (size_t)team->size * sizeof(struct sheet_slot);
}

/* Returns an odd pseudo-random number for a pair of members. */
static uint64_t weight(int from, int to)
{
  return cwi_random_bits(0, (uint64_t)(uint32_t)from << 32 | (uint32_t)to) | 1;
}

/* Returns a checksum of the lengths. It is the sum of the lengths that this process sends minus the
 * sum of those that it expects; each length is multiplied by the weight of its pair of members. If
 * all lengths match, the sum of all members' checksums is 0. If not, it is almost never 0. So each
 * member can check all lengths with one word from each of the others. */
static uint64_t balance_of(const struct cwi_runs *runs)
{
  const int me = runs->team->rank;
  uint64_t balance = 0;
  for (int rank = 0; rank < runs->team->size; rank++)
    if (rank != me)
      balance += runs->out[rank].bytes * weight(me, rank) - runs->in[rank].bytes * weight(rank, me);
  return balance;
}

/* Fills in the table. If successive members get the same piece, it is in the stream once. The piece
 * for this process is not in the stream. */
static void sheet_fill(struct sheet *sheet, const struct cwi_runs *runs)
{
  struct cwi_run last = {NULL, 0};
  uint64_t begin = 0;
  sheet->bytes = 0;
  for (int rank = 0; rank < runs->team->size; rank++) {
    const struct cwi_run run = runs->out[rank];
    sheet->to[rank].bytes = rank != runs->team->rank ? run.bytes : 0;
    if (sheet->to[rank].bytes > 0 && (run.at != last.at || run.bytes != last.bytes)) {
      begin = sheet->bytes;
      sheet->bytes += run.bytes;
      last = run;
    }
    sheet->to[rank].begin = begin;
  }
}

/* A part of all streams: `capacity` bytes of each stream, beginning at byte `done`. `capacity` is
 * the number of bytes that a bounce buffer can hold. */
struct stretch {
  size_t done, capacity;
};

/* The bytes of a piece that are in a stretch: their offset in the piece, their offset in the bounce
 * buffer's data, and their number. */
struct overlap {
  size_t in_piece, in_bounce, bytes;
};

static inline struct overlap overlap_of(const struct stretch *stretch,
                                        const struct sheet_slot *slot)
{
  const size_t bounce_end = stretch->done + stretch->capacity, slot_end = slot->begin + slot->bytes;
  const size_t first = slot->begin > stretch->done ? slot->begin : stretch->done;
  const size_t end = slot_end < bounce_end ? slot_end : bounce_end;
  return (struct overlap){first - slot->begin, first - stretch->done,
                          end > first ? end - first : 0};
}

/* Writes this member's part of a stretch, according to its table. */
static void write_data(char *data, const struct sheet *sheet, const struct cwi_runs *runs,
                       const struct stretch *stretch)
{
  size_t written = 0; /* end of the last piece that was written */
  for (int rank = 0; rank < runs->team->size; rank++) {
    const struct sheet_slot *slot = &sheet->to[rank];
    if (slot->bytes == 0 || slot->begin < written)
      continue;
    const struct overlap part = overlap_of(stretch, slot);
    if (part.bytes > 0)
      cwi_copy(data + part.in_bounce, runs->out[rank].at + part.in_piece, part.bytes);
    written = slot->begin + slot->bytes;
  }
}

/* Writes the table and this member's part of a stretch to its bounce buffer. */
static void write_stretch(const struct bounces *bounces, const struct cwi_runs *runs,
                          uint64_t balance, const struct stretch *stretch)
{
  struct sheet *sheet = (struct sheet *)(void *)my_bounce(bounces);
  sheet_fill(sheet, runs);
  sheet->balance = balance;
  write_data((char *)sheet + sheet_bytes(runs->team), sheet, runs, stretch);
}

static inline const struct sheet *sheet_of(const struct bounces *bounces, int rank)
{
  return (const struct sheet *)(const void *)bounce(bounces, rank, 0, bounces->bytes);
}

/* Copies the pieces for this member from the bounce buffers of all members. */
static void read_stretch(const struct bounces *bounces, const struct cwi_runs *runs,
                         const struct stretch *stretch)
{
  const int me = runs->team->rank;
  for (int rank = 0; rank < runs->team->size; rank++) {
    const struct sheet *sheet = sheet_of(bounces, rank);
    const struct overlap part = overlap_of(stretch, &sheet->to[me]);
    if (part.bytes > 0)
      cwi_copy(runs->in[rank].at + part.in_piece,
               (const char *)sheet + sheet_bytes(runs->team) + part.in_bounce, part.bytes);
  }
}

/* Returns an error because lengths do not match; no data is moved. All members have found that the
 * checksum is wrong. A member that expects a different length names it in its error. */
static cw_error report_difference(const struct bounces *bounces, const struct cwi_runs *runs)
{
  cw_team team = runs->team;
  cw_error error = CW_OK;
  for (int rank = 0; rank < team->size && error == CW_OK; rank++)
    if (rank != team->rank)
      error = cwi_runs_check(runs, rank, sheet_of(bounces, rank)->to[team->rank].bytes);
  CWI_TRY(cwi_team_agree(team, error));
  return cwi_misuse("members send lengths that differ from those that the others expect");
}

/* Checks the lengths and stores the length of the longest stream in *longest. */
static cw_error read_sheets(const struct bounces *bounces, const struct cwi_runs *runs,
                            size_t *longest)
{
  uint64_t balance = 0;
  *longest = 0;
  for (int rank = 0; rank < runs->team->size; rank++) {
    const struct sheet *sheet = sheet_of(bounces, rank);
    balance += sheet->balance;
    *longest = sheet->bytes > *longest ? sheet->bytes : *longest;
  }
  return CWI_LIKELY(balance == 0) ? CW_OK : report_difference(bounces, runs);
}

/* Returns true if at least half of a bounce buffer is left for data. */
bool cwi_shared_can_exchange(cw_team team)
{
  return team->memory != NULL && sheet_bytes(team) <= CWI_BOUNCE / 2;
}

/* Streams of more than MOST_STRETCHES stretches are sent by messages, if these may be used. All
 * members have to meet once for each stretch, but only the receiver waits for a message. So
 * messages are faster if there are more processes than cores. */
enum { MOST_STRETCHES = 4 };

/* Exchanges the pieces. The first stretch uses the small bounce buffers, which every team has. Its
 * tables show how long the streams are. The other stretches use bounce buffers of a suitable size.
 */
cw_error cwi_shared_exchange(const struct cwi_runs *runs)
{
  cw_team team = runs->team;
  const struct cwi_run in = runs->in[team->rank], out = runs->out[team->rank];
  const uint64_t balance = balance_of(runs);
  struct bounces bounces;
  size_t longest = 1;
  CWI_TRY(bounces_for(team, CWI_BOUNCE, &bounces));
  for (struct stretch stretch = {0, 0}; stretch.done < longest; stretch.done += stretch.capacity) {
    stretch.capacity = bounces.bytes - sheet_bytes(team);
    write_stretch(&bounces, runs, balance, &stretch);
    CWI_TRY(cwi_team_share(team, stretch.done));
    if (stretch.done == 0)
      CWI_TRY(read_sheets(&bounces, runs, &longest));
    if (longest > MOST_STRETCHES * cwi_team_wide_bytes(team) && !cwi_survives())
      return cwi_runs_exchange(runs);
    read_stretch(&bounces, runs, &stretch);
    if (stretch.done == 0 && longest > stretch.capacity)
      CWI_TRY(bounces_for(team, longest, &bounces));
  }
  if (in.bytes > 0)
    cwi_copy(in.at, out.at, in.bytes);
  return CW_OK;
}

/* --- Pieces of different lengths, without messages -------------------------------------------- */

/* Exchanges the tables, compares the lengths, and stores the length of the longest stream in
 * *longest. from[rank] receives the place of the piece for this member in the stream of `rank`. */
static cw_error exchange_sheets(const struct cwi_runs *runs, struct sheet *sheet,
                                struct sheet_slot *from, size_t *longest)
{
  cw_team team = runs->team;
  struct cwi_entry few[CWI_TEAM_SMALL], mine = {0};
  struct cwi_entry *all = cwi_team_entries(team, few);
  sheet_fill(sheet, runs);
  mine.bytes = sheet->bytes;
  CWI_TRY(cwi_shared_alltoall(team, sheet->to, sizeof *from, from));
  cw_error error = lost_piece(team);
  for (int rank = 0; rank < team->size && error == CW_OK; rank++)
    if (rank != team->rank)
      error = cwi_runs_check(runs, rank, from[rank].bytes);
  CWI_TRY(cwi_team_agree_on(team, error, &mine, NULL, all));
  for (int rank = 0; rank < team->size; rank++)
    *longest = all[rank].bytes > *longest ? all[rank].bytes : *longest;
  return CW_OK;
}

/* Exchanges the streams, a bounce buffer after the other. */
static cw_error exchange_streams(const struct cwi_runs *runs, const struct sheet *sheet,
                                 const struct sheet_slot *from, size_t longest)
{
  cw_team team = runs->team;
  struct bounces bounces;
  CWI_TRY(bounces_for(team, longest, &bounces));
  for (struct stretch stretch = {0, bounces.bytes}; stretch.done < longest;
       stretch.done += stretch.capacity) {
    write_data(my_bounce(&bounces), sheet, runs, &stretch);
    CWI_TRY(cwi_team_share(team, stretch.done));
    for (int rank = 0; rank < team->size; rank++) {
      const struct overlap part = overlap_of(&stretch, &from[rank]);
      if (part.bytes > 0)
        cwi_copy(runs->in[rank].at + part.in_piece,
                 bounce(&bounces, rank, part.in_bounce, part.bytes), part.bytes);
    }
  }
  return CW_OK;
}

cw_error cwi_shared_exchange_any(const struct cwi_runs *runs)
{
  cw_team team = runs->team;
  const struct cwi_run in = runs->in[team->rank], out = runs->out[team->rank];
  size_t longest = 0;
  struct sheet *sheet = malloc(sheet_bytes(team));
  struct sheet_slot *from = malloc((size_t)team->size * sizeof *from);
  if (sheet == NULL || from == NULL)
    cwi_abort("no memory for the pieces of a team", 1);
  cw_error error = exchange_sheets(runs, sheet, from, &longest);
  if (error == CW_OK)
    error = exchange_streams(runs, sheet, from, longest);
  if (error == CW_OK && in.bytes > 0)
    cwi_copy(in.at, out.at, in.bytes);
  free(sheet);
  free(from);
  return cwi_shared_finish_apart(team, error);
}

/* The methods: how a shape that is not contiguous becomes MPI operations. */
#include "base/interval.h"
#include "base/settings.h"
#include "machine/rows.h"
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "route/rma/pack_buffer.h"
#include "route/rma/rma.h"
#include "team/world.h"

/* Upper bound on the segments in one datatype. MPICH sends the description of a datatype in the
 * header of a message, which UCX limits to 4 KB on InfiniBand (mpich#7886). */
enum { SEGMENTS = 256 };

static const size_t MOST_TYPED_BYTES = (size_t)1 << 30; /* MPI counts are int */
static const size_t BUNDLE_BYTES = (size_t)32 << 10;
static const size_t SIEVE_BYTES = (size_t)512 << 10;
static const size_t SIEVE_RUN = 4096;

static size_t magnitude(ptrdiff_t stride)
{
  return stride < 0 ? (size_t)-stride : (size_t)stride;
}

/* --- Planes, cut into pieces ------------------------------------------------------------------ */

struct method_pieces {
  struct cwi_planes planes;
  struct cwi_plane rest; /* part of the current plane that is left */
  char *packed;
  size_t most; /* upper bound on the bytes of a piece with several rows */
  bool gaps;   /* count the gaps between remote rows, too */
};

static struct method_pieces method_pieces_of(const struct cwi_issue *issue, size_t most, bool gaps)
{
  return (struct method_pieces){
      .planes = cwi_planes(issue->shape), .packed = issue->packed, .most = most, .gaps = gaps};
}

/* Takes the next piece: as many whole rows of a plane as pieces->most allows, but at least one.
 * Returns false if no row is left. */
static bool next_piece(struct method_pieces *pieces, struct cwi_plane *piece)
{
  struct cwi_plane *rest = &pieces->rest;
  if (rest->rows == 0 && !cwi_planes_next(&pieces->planes, rest))
    return false;
  const size_t row = pieces->gaps && magnitude(rest->remote_stride) > rest->run
                         ? magnitude(rest->remote_stride)
                         : rest->run;
  const size_t fit = pieces->most / row > 0 ? pieces->most / row : 1;
  *piece = *rest;
  piece->rows = fit < rest->rows ? fit : rest->rows;
  rest->rows -= piece->rows;
  rest->local += (ptrdiff_t)piece->rows * rest->local_stride;
  rest->remote += (ptrdiff_t)piece->rows * rest->remote_stride;
  if (pieces->packed != NULL) {
    piece->local = pieces->packed;
    piece->local_stride = (ptrdiff_t)piece->run;
    pieces->packed += piece->run * piece->rows;
  }
  return true;
}

/* --- Row by row ------------------------------------------------------------------------------- */

static cw_error method_flush(const struct cwi_issue *issue)
{
  return CWI_MPI(MPI_Win_flush(issue->target->rank, issue->target->exposure->window));
}

/* Moves rows, and flushes after every `per_flush` rows unless `per_flush` is 0. *moved counts the
 * rows. */
static cw_error method_move_rows(const struct cwi_issue *issue, const struct cwi_plane *plane,
                                 size_t per_flush, size_t *moved)
{
  char *local = plane->local, *remote = plane->remote;
  for (size_t row = 0; row < plane->rows; row++) {
    CWI_TRY(cwi_move(issue, local, remote, plane->run));
    if (per_flush > 0 && ++*moved % per_flush == 0)
      CWI_TRY(method_flush(issue));
    local += plane->local_stride;
    remote += plane->remote_stride;
  }
  return CW_OK;
}

static cw_error move_all_rows(const struct cwi_issue *issue, size_t per_flush)
{
  struct method_pieces all = method_pieces_of(issue, SIZE_MAX, false);
  struct cwi_plane plane;
  size_t moved = 0;
  while (next_piece(&all, &plane))
    CWI_TRY(method_move_rows(issue, &plane, per_flush, &moved));
  return CW_OK;
}

static cw_error move_conservative(const struct cwi_issue *issue)
{
  return move_all_rows(issue, 1);
}

static cw_error move_batched(const struct cwi_issue *issue)
{
  return move_all_rows(issue, (size_t)cwi_settings.rma_batch);
}

/* --- Derived datatypes ------------------------------------------------------------------------ */

/* Makes a strided datatype of nested vectors. A subarray would be right only if the strides are
 * positive and multiples of each other. */
static cw_error strided_type(const struct cwi_issue *issue, const ptrdiff_t *strides, int levels,
                             const size_t *counts, size_t run, MPI_Datatype *type)
{
  CWI_TRY(CWI_MPI(MPI_Type_create_hvector((int)counts[0], (int)(run / issue->atom),
                                          (MPI_Aint)strides[0], issue->element, type)));
  for (int level = 1; level < levels; level++) {
    MPI_Datatype inner = *type;
    CWI_TRY(CWI_MPI(
        MPI_Type_create_hvector((int)counts[level], 1, (MPI_Aint)strides[level], inner, type)));
    CWI_TRY(CWI_MPI(MPI_Type_free(&inner)));
  }
  return CWI_MPI(MPI_Type_commit(type));
}

/* Makes a datatype of segments of equal length, as displacements from `base`. */
static cw_error segments_type(const struct cwi_issue *issue, void *const *segments, size_t count,
                              size_t run, const char *base, MPI_Datatype *type)
{
  MPI_Aint displacements[SEGMENTS];
  for (size_t i = 0; i < count; i++)
    displacements[i] = (MPI_Aint)((const char *)segments[i] - base);
  CWI_TRY(CWI_MPI(MPI_Type_create_hindexed_block((int)count, (int)(run / issue->atom),
                                                 displacements, issue->element, type)));
  return CWI_MPI(MPI_Type_commit(type));
}

static struct cwi_typed plain(const struct cwi_issue *issue, char *address, size_t bytes)
{
  return (struct cwi_typed){address, (int)(bytes / issue->atom), issue->element};
}

/* Moves between `here` and the target's memory, and frees `type`, which was made for this. */
static cw_error move_and_free(const struct cwi_issue *issue, struct cwi_typed here, char *remote,
                              MPI_Datatype type)
{
  CWI_TRY(cwi_move_typed(issue, here, (struct cwi_typed){remote, 1, type}));
  return CWI_MPI(MPI_Type_free(&type));
}

static cw_error move_typed_strided(const struct cwi_issue *issue)
{
  const struct cwi_shape *shape = issue->shape;
  MPI_Datatype remote = MPI_DATATYPE_NULL, local = MPI_DATATYPE_NULL;
  CWI_TRY(strided_type(issue, shape->remote_strides, shape->levels, shape->counts, shape->run,
                       &remote));
  if (issue->packed != NULL)
    return move_and_free(issue, plain(issue, issue->packed, shape->bytes), shape->remote, remote);
  CWI_TRY(
      strided_type(issue, shape->local_strides, shape->levels, shape->counts, shape->run, &local));
  CWI_TRY(move_and_free(issue, (struct cwi_typed){shape->local, 1, local}, shape->remote, remote));
  return CWI_MPI(MPI_Type_free(&local));
}

/* Moves up to SEGMENTS segments of a vector. Advances *packed if the local side is packed. */
static cw_error move_typed_segments(const struct cwi_issue *issue, const cw_vector *part,
                                    char **packed)
{
  MPI_Datatype remote = MPI_DATATYPE_NULL, local = MPI_DATATYPE_NULL;
  char *base = issue->target->base;
  CWI_TRY(segments_type(issue, part->remote, part->count, part->bytes, base, &remote));
  if (*packed != NULL) {
    char *from = *packed;
    *packed += part->count * part->bytes;
    return move_and_free(issue, plain(issue, from, part->count * part->bytes), base, remote);
  }
  CWI_TRY(segments_type(issue, part->local, part->count, part->bytes, part->local[0], &local));
  CWI_TRY(move_and_free(issue, (struct cwi_typed){part->local[0], 1, local}, base, remote));
  return CWI_MPI(MPI_Type_free(&local));
}

/* Returns true if segments overlap, which MPI forbids inside the datatype that is written to.
 * Segments of equal length overlap only if their addresses, divided by the length, differ by at
 * most 1. A table of these quotients is faster than sorting, which would cost as much as the
 * transfer. */
static bool segments_overlap(void *const *segments, size_t count, size_t bytes)
{
  enum { SLOTS = 4 * SEGMENTS };
  uint16_t table[SLOTS] = {0}; /* segment + 1 */
  for (size_t i = 0; i < count; i++) {
    const uintptr_t begin = (uintptr_t)segments[i], place = begin / bytes;
    for (uintptr_t near = place - 1; near != place + 2; near++)
      for (size_t slot = near % SLOTS; table[slot] != 0; slot = (slot + 1) % SLOTS) {
        const uintptr_t other = (uintptr_t)segments[table[slot] - 1];
        if (begin < other + bytes && other < begin + bytes)
          return true;
      }
    size_t slot = place % SLOTS;
    while (table[slot] != 0)
      slot = (slot + 1) % SLOTS;
    table[slot] = (uint16_t)(i + 1);
  }
  return false;
}

static cw_error move_segments_singly(const struct cwi_issue *issue, const cw_vector *part,
                                     char **packed)
{
  for (size_t i = 0; i < part->count; i++) {
    CWI_TRY(
        cwi_move(issue, *packed != NULL ? *packed : part->local[i], part->remote[i], part->bytes));
    if (*packed != NULL)
      *packed += part->bytes;
  }
  return CW_OK;
}

static cw_error move_typed_vectors(const struct cwi_issue *issue, bool check)
{
  char *packed = issue->packed;
  for (size_t v = 0; v < issue->shape->vector_count; v++) {
    const cw_vector *vector = &issue->shape->vectors[v];
    for (size_t done = 0; done < vector->count && vector->bytes > 0; done += SEGMENTS) {
      const size_t left = vector->count - done;
      const cw_vector part = {vector->local + done, vector->remote + done,
                              left < SEGMENTS ? left : SEGMENTS, vector->bytes};
      if (check && segments_overlap(part.remote, part.count, part.bytes))
        CWI_TRY(move_segments_singly(issue, &part, &packed));
      else
        CWI_TRY(move_typed_segments(issue, &part, &packed));
    }
  }
  return CW_OK;
}

static cw_error move_typed(const struct cwi_issue *issue)
{
  return issue->shape->vectors != NULL ? move_typed_vectors(issue, false)
                                       : move_typed_strided(issue);
}

/* --- Many small rows in one operation --------------------------------------------------------- */

static cw_error move_bundle(const struct cwi_issue *issue, const struct cwi_plane *piece)
{
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (piece->rows == 1)
    return cwi_move(issue, piece->local, piece->remote, piece->run);
  CWI_TRY(strided_type(issue, &piece->remote_stride, 1, &piece->rows, piece->run, &type));
  return move_and_free(issue, plain(issue, piece->local, piece->run * piece->rows), piece->remote,
                       type);
}

/* Moves several rows by one operation. The local side is packed, so only the target needs a derived
 * datatype, which is small. */
static cw_error move_bundled(const struct cwi_issue *issue)
{
  if (issue->shape->vectors != NULL)
    return move_typed_vectors(issue, issue->operation != CW_GET);
  struct method_pieces all = method_pieces_of(issue, BUNDLE_BYTES, false);
  struct cwi_plane piece;
  while (next_piece(&all, &piece))
    CWI_TRY(move_bundle(issue, &piece));
  return CW_OK;
}

/* --- Get rows with the gaps between them, and drop the gaps ----------------------------------- */

static const char *lowest(const struct cwi_plane *piece)
{
  return piece->remote_stride < 0
             ? piece->remote + piece->remote_stride * (ptrdiff_t)(piece->rows - 1)
             : piece->remote;
}

static size_t reach(const struct cwi_plane *piece)
{
  return magnitude(piece->remote_stride) * (piece->rows - 1) + piece->run;
}

/* Gets pieces with their gaps, as many as the buffer holds, waits for their data, and copies the
 * rows out. Repeats this until all pieces are done. */
static cw_error sieve_through(const struct cwi_issue *issue, char *buffer)
{
  struct method_pieces pieces_to_get = method_pieces_of(issue, SIEVE_BYTES, true),
                       got = pieces_to_get;
  struct cwi_plane piece;
  bool more = next_piece(&pieces_to_get, &piece);
  while (more) {
    size_t used = 0, count = 0;
    for (; more && used + reach(&piece) <= SIEVE_BYTES; more = next_piece(&pieces_to_get, &piece)) {
      CWI_TRY(cwi_move(issue, buffer + used, lowest(&piece), reach(&piece)));
      used += reach(&piece);
      count++;
    }
    CWI_TRY(cwi_target_arrive(issue->target));
    struct cwi_plane done;
    for (used = 0; count > 0 && next_piece(&got, &done); count--) {
      cwi_copy_rows(done.local, done.local_stride, buffer + used + (done.remote - lowest(&done)),
                    done.remote_stride, done.run, done.rows);
      used += reach(&done);
    }
  }
  return CW_OK;
}

static cw_error move_sieved(const struct cwi_issue *issue)
{
  char *buffer = cwi_buffer_take(SIEVE_BYTES);
  if (buffer == NULL) {
    CWI_TRY(move_batched(issue));
    return cwi_target_arrive(issue->target);
  }
  struct cwi_issue bytes = *issue; /* rows may consist of words, but the gaps need not */
  bytes.atom = 1;
  bytes.element = MPI_BYTE;
  const cw_error error = sieve_through(&bytes, buffer);
  if (error != CW_OK)
    return cwi_target_abandon(issue->target, buffer, error);
  cwi_buffer_give(buffer);
  return CW_OK;
}

/* --- The choice ------------------------------------------------------------------------------- */

static const struct cwi_method methods[] = {
    [CWI_CONSERVATIVE] = {.name = "conservative", .move = move_conservative},
    [CWI_BATCHED] = {.name = "batched", .move = move_batched},
    [CWI_DATATYPE] = {.name = "direct", .move = move_typed},
    [CWI_METHOD_AUTO] = {.name = "auto", .move = move_typed},
};

/* Methods that replace `batched` where they are faster with this MPI. */
static const struct cwi_method bundled = {.name = "bundled", .packs = true, .move = move_bundled};
static const struct cwi_method sieved = {.name = "sieved", .complete = true, .move = move_sieved};

/* Lists the rows of the side that is written to, the local one if `local`. A datatype must not
 * contain a byte of that side twice. */
static void list_rows(const struct cwi_shape *shape, bool local, struct cwi_interval *intervals)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    uintptr_t begin = (uintptr_t)(local ? plane.local : plane.remote);
    for (size_t row = 0; row < plane.rows; row++) {
      *intervals++ = (struct cwi_interval){begin, begin + plane.run};
      begin += (uintptr_t)(local ? plane.local_stride : plane.remote_stride);
    }
  }
}

static size_t count_rows(const struct cwi_shape *shape)
{
  if (shape->vectors == NULL)
    return shape->bytes / shape->run;
  size_t rows = 0;
  for (size_t v = 0; v < shape->vector_count; v++)
    rows += shape->vectors[v].bytes > 0 ? shape->vectors[v].count : 0;
  return rows;
}

static cw_error check_overlap(cw_operation operation, const struct cwi_shape *shape, bool *overlap)
{
  const size_t rows = count_rows(shape);
  struct cwi_interval *intervals = cwi_buffer_take(rows * sizeof *intervals);
  if (intervals == NULL)
    return cwi_outside("no memory to check %zu segments for overlap", rows);
  list_rows(shape, operation == CW_GET, intervals);
  *overlap = cwi_intervals_overlap(intervals, rows);
  cwi_buffer_give(intervals);
  return CW_OK;
}

static size_t longest_run(const struct cwi_shape *shape)
{
  if (shape->vectors == NULL)
    return shape->run;
  size_t longest = 0;
  for (size_t v = 0; v < shape->vector_count; v++)
    longest = shape->vectors[v].bytes > longest ? shape->vectors[v].bytes : longest;
  return longest;
}

/* Returns the fastest of `batched`, `bundled` and `sieved` for the shape, by thresholds of this
 * MPI. A batch size in the settings always selects `batched`. */
static const struct cwi_method *best_batched(cw_operation operation, const struct cwi_shape *shape,
                                             int process)
{
  const struct cwi_mpi_traits *traits = cwi_mpi_traits();
  const size_t run = longest_run(shape);
  const size_t stride = shape->vectors == NULL ? magnitude(shape->remote_strides[0]) : 0;
  if (cwi_settings.rma_batch > 0)
    return &methods[CWI_BATCHED];
  if (operation == CW_GET && stride > 0 && run <= SIEVE_RUN &&
      stride <= 2 * run + traits->sieve_gap)
    return &sieved;
  const bool apart = shape->vectors != NULL || stride >= run;
  const size_t near = operation == CW_ACCUMULATE ? traits->bundle_sum : traits->bundle_run;
  /* Over a network each operation is a message, so longer rows are bundled, too. */
  const size_t most = cwi_same_machine(process) ? near : traits->bundle_remote;
  return run <= most && apart ? &bundled : &methods[CWI_BATCHED];
}

/* Returns true if a stride is -1, which Open MPI's datatypes get wrong. */
static bool has_broken_stride(const struct cwi_shape *shape)
{
  bool found = false;
  for (int level = 0; shape->vectors == NULL && level < shape->levels; level++)
    found = found || shape->local_strides[level] == -1 || shape->remote_strides[level] == -1;
  return found && cwi_workaround_applies(CWI_OPENMPI_STRIDE);
}

cw_error cwi_method_choose(const struct cwi_transfer *transfer, const struct cwi_method **method)
{
  const struct cwi_shape *shape = &transfer->shape;
  const cw_operation operation = transfer->operation;
  const long wanted = cwi_settings.rma_method;
  bool overlap = false;
  *method = NULL;
  if (shape->vectors == NULL && shape->levels == 0)
    return CW_OK;
  if (wanted == CWI_METHOD_AUTO || (wanted == CWI_BATCHED && cwi_settings.rma_check))
    CWI_TRY(check_overlap(operation, shape, &overlap));
  if (overlap)
    *method = &methods[CWI_CONSERVATIVE];
  else if (wanted == CWI_BATCHED)
    *method = best_batched(operation, shape, transfer->process);
  else if (shape->bytes > MOST_TYPED_BYTES && wanted != CWI_CONSERVATIVE)
    *method = &methods[CWI_BATCHED];
  else
    *method = &methods[wanted];
  /* On dynamic windows Open MPI 4 rejects datatypes with gaps (MPI_ERR_RMA_RANGE). */
  const bool plain = transfer->place.memory != NULL || has_broken_stride(shape);
  if (*method != &methods[CWI_CONSERVATIVE] && plain)
    *method = &methods[CWI_BATCHED];
  return CW_OK;
}

/* Scans, pack and unpack of arrays of one dimension. Each member has an equal part of the indices.
 * It first inspects its part, then receives the results of the parts before, and then processes its
 * part. */
#include "arithmetic/collective_call.h"
#include "array_kernels/kernels_flags.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

#include <stdlib.h>
#include <string.h>

enum scan_kind { SCAN_COPY, SCAN_ADD, PACK, UNPACK };

/* Elements of a part that are processed at a time. */
struct chunk {
  int64_t lo, count;
};

/* Buffers for one chunk of each array. */
struct buffers {
  unsigned char *flags;
  char *mask, *from, *to;
};

struct scan_job {
  enum scan_kind kind;
  bool zeros; /* copy: elements before the first flag become 0; otherwise they stay unchanged */
  cw_array from, to, mask;
  cw_team team;   /* team of all three arrays; NULL if they have no common team */
  int64_t lo, hi; /* my part */
  int64_t most;   /* number of elements of a chunk */
  struct chunk chunk;
  struct buffers buffers;
  struct cwi_running running; /* sum at the beginning of my part, later at the current element */
  char *value;                /* copy: the element that is copied at the current position */
  int64_t last;               /* index of `value` in `from`; -1 if there is no value yet */
  uint64_t flagged, before;   /* number of flags in all parts, and in the parts before mine */
  int merged;                 /* number of members whose share was merged */
};

/* --- Chunks ----------------------------------------------------------------------------------- */

static cw_error scan_move(cw_array array, cw_operation operation, int64_t lo, int64_t count,
                          char *buffer)
{
  const int64_t hi = lo + count - 1;
  const cw_patch patch = {.operation = operation, .lo = &lo, .hi = &hi, .buffer = buffer};
  return cwi_array_transfer(array, &patch);
}

/* Returns the address of elements that this process can load and that are contiguous, otherwise
 * NULL. */
static char *elements_in_place(cw_array array, int64_t lo, int64_t count)
{
  const int64_t hi = lo + count - 1;
  cw_array_view view;
  if (!cwi_patch_in_place(array, &lo, &hi, &view) || view.strides[0] != (ptrdiff_t)array->element)
    return NULL;
  return view.address;
}

/* Returns elements to read: in place, or copied to a buffer. */
static cw_error bring(cw_array array, int64_t lo, int64_t count, char *buffer, char **at)
{
  *at = elements_in_place(array, lo, count);
  if (*at != NULL)
    return CW_OK;
  *at = buffer;
  return scan_move(array, CW_GET, lo, count, buffer);
}

/* Rounds up, so that elements of any type may follow. */
static size_t aligned(size_t bytes)
{
  return (bytes + 15) / 16 * 16;
}

static cw_error begin_chunks(struct scan_job *job)
{
  enum { BUFFER = 64 * 1024 };
  const size_t element = job->from->element, wide = job->mask->element;
  struct buffers *buffers = &job->buffers;
  size_t most = element < BUFFER ? BUFFER / element : 1;
  if (job->hi - job->lo + 1 < (int64_t)most)
    most = job->hi >= job->lo ? (size_t)(job->hi - job->lo + 1) : 1;
  job->most = (int64_t)most;
  const size_t elements = aligned(most * element), masks = aligned(most * wide);
  buffers->from = malloc(2 * elements + aligned(element) + masks + most);
  if (buffers->from == NULL)
    return cwi_outside("no memory for buffers of %zu elements", most);
  buffers->to = buffers->from + elements;
  job->value = buffers->to + elements;
  buffers->mask = job->value + aligned(element);
  buffers->flags = (unsigned char *)buffers->mask + masks;
  memset(job->value, 0, element);
  job->chunk.lo = job->lo;
  job->chunk.count = 0;
  return CW_OK;
}

static cw_error read_flags(struct scan_job *job)
{
  const struct chunk *chunk = &job->chunk;
  char *mask = NULL;
  CWI_TRY(bring(job->mask, chunk->lo, chunk->count, job->buffers.mask, &mask));
  cwi_kernels[job->mask->type]->flags(mask, job->buffers.flags, (size_t)chunk->count);
  return CW_OK;
}

/* Steps to the next chunk of my part, and reads its flags. */
static cw_error next_chunk(struct scan_job *job, bool *more)
{
  struct chunk *chunk = &job->chunk;
  chunk->lo += chunk->count;
  chunk->count = job->hi - chunk->lo + 1 < job->most ? job->hi - chunk->lo + 1 : job->most;
  *more = chunk->count > 0;
  return *more ? read_flags(job) : CW_OK;
}

/* Return the position of the first and the last flag in the chunk, which must have a flag. */
static int64_t first_flag(const struct scan_job *job)
{
  const unsigned char *flags = job->buffers.flags;
  return (const unsigned char *)memchr(flags, 1, (size_t)job->chunk.count) - flags;
}

static int64_t last_flag(const struct scan_job *job)
{
  int64_t last = job->chunk.count - 1;
  while (job->buffers.flags[last] == 0)
    last--;
  return last;
}

/* - Phase 1: inspect my part - */

/* Counts the flags, for pack and unpack. */
static cw_error count_flags(struct scan_job *job)
{
  bool more = true;
  while (more) {
    CWI_TRY(next_chunk(job, &more));
    if (more)
      job->flagged += cwi_flags_count(job->buffers.flags, (size_t)job->chunk.count);
  }
  return CW_OK;
}

/* Finds the last flag of my part, for scans: the next parts do not depend on elements before it.
 * Searches backwards in growing chunks, because the last flag is usually near the end. */
static cw_error find_last_flag(struct scan_job *job)
{
  struct chunk *chunk = &job->chunk;
  int64_t end = job->hi + 1, most = job->most < 64 ? job->most : 64;
  while (job->flagged == 0 && end > job->lo) {
    chunk->count = end - job->lo < most ? end - job->lo : most;
    chunk->lo = end - chunk->count;
    CWI_TRY(read_flags(job));
    job->flagged = cwi_flags_count(job->buffers.flags, (size_t)chunk->count);
    if (job->flagged > 0)
      job->last = chunk->lo + last_flag(job);
    end = chunk->lo;
    most = 2 * most < job->most ? 2 * most : job->most;
  }
  return CW_OK;
}

/* Sums up from the last flag to the end of my part, or over all of it if it has no flag. */
static cw_error sum_behind_last(struct scan_job *job)
{
  const struct chunk *chunk = &job->chunk;
  bool more = true;
  job->chunk.lo = job->flagged > 0 ? job->last : job->lo;
  job->chunk.count = 0;
  while (more) {
    char *from = NULL;
    CWI_TRY(next_chunk(job, &more));
    if (!more)
      return CW_OK;
    CWI_TRY(bring(job->from, chunk->lo, chunk->count, job->buffers.from, &from));
    cwi_kernels[job->from->type]->running(from, job->buffers.flags, job->buffers.to,
                                          (size_t)chunk->count, &job->running);
  }
  return CW_OK;
}

/* Returns true if the flags can be counted while packing: I am the only member, and the packed
 * array has space even if all flags are set. */
static bool counts_later(const struct scan_job *job)
{
  cw_array packed = job->kind == PACK ? job->to : job->from;
  return job->team->size == 1 && job->hi - job->lo < packed->axes[0].extent;
}

static cw_error inspect_part(struct scan_job *job)
{
  if (job->kind >= PACK)
    return counts_later(job) ? CW_OK : count_flags(job);
  /* No part needs the result of the last one. */
  if (job->team->rank + 1 == job->team->size)
    return CW_OK;
  CWI_TRY(find_last_flag(job));
  return job->kind == SCAN_ADD ? sum_behind_last(job) : CW_OK;
}

static cw_error scan_inspect(void *given, struct cwi_contribution *mine)
{
  struct scan_job *job = given;
  CWI_TRY(begin_chunks(job));
  const cw_error error = inspect_part(job);
  if (job->kind == SCAN_ADD)
    memcpy(mine->words, &job->running.sum, sizeof job->running.sum);
  else
    mine->words[0] = (uint64_t)job->last;
  mine->words[2] = job->flagged;
  job->flagged = 0;
  job->last = -1;
  memset(&job->running.sum, 0, sizeof job->running.sum);
  job->running.begun = false;
  return error;
}

/* Merges the result of one part. The total number of flags needs all parts, everything else only
 * the parts before mine. */
static void scan_exchange(void *given, const struct cwi_contribution *share)
{
  struct scan_job *job = given;
  const bool before = job->merged++ < job->from->team->rank;
  job->flagged += share->words[2];
  if (!before)
    return;
  job->before += share->words[2];
  if (job->kind != SCAN_ADD) {
    job->last = share->words[2] != 0 ? (int64_t)share->words[0] : job->last;
    return;
  }
  const unsigned char flag = share->words[2] != 0;
  union cwi_scalar sum, unused;
  memcpy(&sum, share->words, sizeof sum);
  cwi_kernels[job->from->type]->running(&sum, &flag, &unused, 1, &job->running);
}

/* - Phase 2: process my part - */

static cw_error scan_chunk(struct scan_job *job)
{
  const struct chunk *chunk = &job->chunk;
  const unsigned char *flags = job->buffers.flags;
  const bool begun = job->kind == SCAN_ADD ? job->running.begun : job->zeros || job->last >= 0;
  if (!begun && cwi_flags_count(flags, (size_t)chunk->count) == 0)
    return CW_OK;
  const int64_t first = begun ? 0 : first_flag(job), lo = chunk->lo + first;
  const int64_t count = chunk->count - first;
  char *from = NULL, *to = elements_in_place(job->to, lo, count);
  const bool put = to == NULL;
  to = put ? job->buffers.to : to;
  CWI_TRY(bring(job->from, lo, count, job->buffers.from, &from));
  if (job->kind == SCAN_ADD)
    cwi_kernels[job->from->type]->running(from, flags + first, to, (size_t)count, &job->running);
  else
    cwi_flags_hold(from, flags + first, to, (size_t)count, job->from->element, job->value);
  job->last = lo; /* marks that there is a value */
  return put ? scan_move(job->to, CW_PUT, lo, count, to) : CW_OK;
}

/* Packs a chunk. Writes no element after the packed ones, because they belong to the next part. */
static cw_error pack_chunk(struct scan_job *job)
{
  const struct chunk *chunk = &job->chunk;
  const unsigned char *flags = job->buffers.flags;
  const size_t wanted = cwi_flags_count(flags, (size_t)chunk->count);
  if (wanted == 0)
    return CW_OK;
  const int64_t lo = (int64_t)job->before;
  char *from = NULL, *to = elements_in_place(job->to, lo, (int64_t)wanted);
  const bool put = to == NULL;
  to = put ? job->buffers.to : to;
  CWI_TRY(bring(job->from, chunk->lo, chunk->count, job->buffers.from, &from));
  cwi_flags_pack(from, flags, to, wanted, job->from->element);
  job->before += wanted;
  return put ? scan_move(job->to, CW_PUT, lo, (int64_t)wanted, to) : CW_OK;
}

/* Unpacks a chunk. Elements without flags may be put back unchanged, because only this member
 * writes its part. */
static cw_error unpack_chunk(struct scan_job *job)
{
  const struct chunk *chunk = &job->chunk;
  const unsigned char *flags = job->buffers.flags;
  const size_t wanted = cwi_flags_count(flags, (size_t)chunk->count);
  char *from = NULL, *to = NULL;
  if (wanted == 0)
    return CW_OK;
  CWI_TRY(bring(job->from, (int64_t)job->before, (int64_t)wanted, job->buffers.from, &from));
  CWI_TRY(bring(job->to, chunk->lo, chunk->count, job->buffers.to, &to));
  cwi_flags_unpack(from, flags, to, wanted, job->from->element);
  job->before += wanted;
  return to == job->buffers.to ? scan_move(job->to, CW_PUT, chunk->lo, chunk->count, to) : CW_OK;
}

/* Fetches the value with which a copy begins. It is an element of another member's part, so if from
 * and to are the same array, all members read it before any member writes. */
static cw_error fetch_value(void *given, struct cwi_contribution *mine)
{
  struct scan_job *job = given;
  (void)mine;
  return job->last >= 0 ? scan_move(job->from, CW_GET, job->last, 1, job->value) : CW_OK;
}

static cw_error act(void *given, struct cwi_contribution *mine)
{
  static cw_error (*const acts[])(struct scan_job *) = {scan_chunk, scan_chunk, pack_chunk,
                                                        unpack_chunk};
  struct scan_job *job = given;
  bool more = true;
  if (job->kind == SCAN_COPY && job->to != job->from)
    CWI_TRY(fetch_value(job, mine));
  job->chunk.lo = job->lo;
  job->chunk.count = 0;
  while (more) {
    CWI_TRY(next_chunk(job, &more));
    if (more)
      CWI_TRY(acts[job->kind](job));
  }
  if (job->team->size == 1)
    job->flagged = job->before;
  return CW_OK;
}

/* --- The calls -------------------------------------------------------------------------------- */

static cw_error check_line(const char *name, cw_array array, int64_t lo, int64_t hi)
{
  struct cwi_box box;
  if (array->dimensions != 1)
    return cwi_misuse("%s, array '%s', has %d dimensions; it must have one", name, array->name,
                      array->dimensions);
  return cwi_box_make(name, array, &lo, &hi, &box);
}

/* Checks the arguments. A packed array is used from index 0, and only its number of dimensions is
 * checked. */
static cw_error scan_check(const struct scan_job *job, const struct cwi_box *boxes, int64_t lo,
                           int64_t hi)
{
  CWI_TRY(check_line("mask", job->mask, lo, hi));
  CWI_TRY(job->kind == UNPACK ? check_line("from", job->from, 0, -1)
                              : check_line("from", job->from, lo, hi));
  CWI_TRY(job->kind == PACK ? check_line("to", job->to, 0, -1) : check_line("to", job->to, lo, hi));
  CWI_TRY(cwi_check_numbers(&boxes[2]));
  if (job->kind >= PACK && (job->to == job->from || job->to == job->mask))
    return cwi_misuse("to and %s are the same array, '%s'; they must be different arrays",
                      job->to == job->from ? "from" : "mask", job->to->name);
  if (job->kind == SCAN_ADD)
    CWI_TRY(cwi_check_numbers(&boxes[0]));
  return cwi_check_companions(&boxes[1], &boxes[0]);
}

/* Checks the arguments. The job has no team if an array is not valid or the arrays are not on the
 * same processes. */
static cw_error scan_prepare(struct scan_job *job, int64_t lo, int64_t hi, const int64_t *count)
{
  struct cwi_box boxes[3];
  CWI_TRY(cwi_box_make("from", job->from, NULL, NULL, &boxes[0]));
  CWI_TRY(cwi_box_make("to", job->to, NULL, NULL, &boxes[1]));
  CWI_TRY(cwi_box_make("mask", job->mask, NULL, NULL, &boxes[2]));
  CWI_TRY(cwi_check_processes(&boxes[1], &boxes[0]));
  CWI_TRY(cwi_check_processes(&boxes[1], &boxes[2]));
  job->team = job->from->team;
  if (job->kind >= PACK && count == NULL)
    return cwi_misuse("count is NULL; it receives a number of elements");
  return scan_check(job, boxes, lo, hi);
}

/* Checks that the packed array has space for all elements. All members get the same result. */
static cw_error check_space(const struct scan_job *job)
{
  cw_array packed = job->kind == PACK ? job->to : job->from;
  if (job->kind < PACK || job->flagged <= (uint64_t)packed->axes[0].extent)
    return CW_OK;
  return cwi_misuse("mask has %llu elements that are not 0; %s, array '%s', has only %lld elements",
                    (unsigned long long)job->flagged, job->kind == PACK ? "to" : "from",
                    packed->name, (long long)packed->axes[0].extent);
}

static cw_error run_steps(const char *call, cw_error checked, struct scan_job *job,
                          const struct cwi_argument *agreed)
{
  const struct cwi_collective_call first = {.call = call,
                                            .team = job->team,
                                            .checked = checked,
                                            .agreed = agreed,
                                            .work = scan_inspect,
                                            .merge = scan_exchange};
  const struct cwi_collective_call between = {
      .call = call, .team = job->team, .synchronized = true, .work = fetch_value};
  const struct cwi_collective_call second = {
      .call = call, .team = job->team, .synchronized = true, .work = act};
  CWI_TRY(cwi_collective_run(&first, job));
  CWI_TRY(cwi_in_call(call, check_space(job)));
  if (job->kind == SCAN_COPY && job->to == job->from)
    CWI_TRY(cwi_collective_run(&between, job));
  return cwi_collective_run(&second, job);
}

/* Computes my part of the indices. */
static void scan_take_part(struct scan_job *job, int64_t lo, int64_t hi)
{
  const int64_t count = hi - lo + 1, rank = job->team->rank, size = job->team->size;
  const int64_t each = count / size, longer = count % size;
  job->lo = lo + rank * each + (rank < longer ? rank : longer);
  job->hi = job->lo + each + (rank < longer) - 1;
}

static cw_error scan_run(const char *call, struct scan_job *job, int64_t lo, int64_t hi,
                         int64_t *count)
{
  const cw_error checked = scan_prepare(job, lo, hi, count);
  if (checked == CW_OK)
    scan_take_part(job, lo, hi);
  job->last = -1;
  const struct cwi_argument agreed[] = {
      cwi_agreed_array("from", job->from),
      cwi_agreed_array("to", job->to),
      cwi_agreed_array("mask", job->mask),
      cwi_argument_indices("lo", &lo, 1),
      cwi_argument_indices("hi", &hi, 1),
      cwi_argument_truth("exclusive", job->running.exclusive),
      CWI_ARGUMENTS_END,
  };
  const cw_error error = run_steps(call, checked, job, agreed);
  free(job->buffers.from);
  if (error == CW_OK && count != NULL)
    *count = (int64_t)job->flagged;
  return error;
}

cw_error cw_array_scan_copy(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct scan_job job = {.kind = SCAN_COPY, .from = from, .to = to, .mask = mask};
  return scan_run("cw_array_scan_copy", &job, lo, hi, NULL);
}

cw_error cwi_scan_copy_zeros(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi)
{
  struct scan_job job = {.kind = SCAN_COPY, .zeros = true, .from = from, .to = to, .mask = mask};
  return scan_run("cw_array_scan_copy", &job, lo, hi, NULL);
}

cw_error cw_array_scan_add(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi,
                           bool exclusive)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct scan_job job = {.kind = SCAN_ADD, .from = from, .to = to, .mask = mask};
  job.running.exclusive = exclusive;
  return scan_run("cw_array_scan_add", &job, lo, hi, NULL);
}

cw_error cw_array_pack(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi,
                       int64_t *count)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct scan_job job = {.kind = PACK, .from = from, .to = to, .mask = mask};
  return scan_run("cw_array_pack", &job, lo, hi, count);
}

cw_error cw_array_unpack(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi,
                         int64_t *count)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  struct scan_job job = {.kind = UNPACK, .from = from, .to = to, .mask = mask};
  return scan_run("cw_array_unpack", &job, lo, hi, count);
}

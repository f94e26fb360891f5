/* The public transfers of patches: checks, then one strided transfer for each portion. */
#include "array_access/portion.h"
#include "base/size.h"
#include "profile/profile.h"

#include <causeway/array.h>

#include <string.h>

static cw_error check_field(cw_array array, const cw_patch *patch)
{
  const size_t element = array->element;
  if (patch->field_bytes == 0)
    return CW_OK;
  if (patch->operation == CW_ACCUMULATE)
    return cwi_misuse("field_bytes is %zu; fields are put and got, and not accumulated",
                      patch->field_bytes);
  if (patch->field_bytes > element || patch->field_offset > element - patch->field_bytes)
    return cwi_misuse(
        "field_offset is %zu and field_bytes is %zu; elements of array '%s' have %zu bytes",
        patch->field_offset, patch->field_bytes, array->name, element);
  return CW_OK;
}

static cw_error check_operation(cw_array array, const cw_patch *patch)
{
  if (patch->operation != CW_ACCUMULATE)
    return (unsigned)patch->operation <= CW_GET
               ? CW_OK
               : cwi_misuse(
                     "operation is %d; it may be CW_PUT (0), CW_GET (1) or CW_ACCUMULATE (2)",
                     (int)patch->operation);
  if (array->type != CW_OPAQUE)
    return CW_OK;
  return cwi_misuse("the elements of array '%s' are CW_OPAQUE: they cannot be added to",
                    array->name);
}

/* Sets the ranges of a patch. The ranges of a periodic patch may be outside of the array;
 * move_periodic divides them. */
static cw_error set_ranges(cw_array array, const cw_patch *patch, struct cwi_range *ranges)
{
  if (patch->lo == NULL || patch->hi == NULL)
    return cwi_misuse("%s is NULL", patch->lo == NULL ? "lo" : "hi");
  if (!patch->periodic)
    CWI_TRY(cwi_check_patch(array, patch->lo, patch->hi));
  else if (patch->skip != NULL)
    return cwi_misuse("skip is given; a periodic patch has none");
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t lo = patch->lo[d], hi = patch->hi[d];
    const int64_t skip = patch->skip != NULL ? patch->skip[d] : 1;
    if (skip < 1)
      return cwi_misuse("skip[%d] is %lld; it may be 1 or more", d, (long long)skip);
    if (lo < -INT64_MAX / 4 || hi > INT64_MAX / 4 || hi < lo - 1)
      return cwi_misuse("hi[%d] is %lld and lo[%d] is %lld; hi may be lo - 1 or more", d,
                        (long long)hi, d, (long long)lo);
    ranges[d] = (struct cwi_range){lo, hi < lo ? 0 : (hi - lo) / skip + 1, skip};
    if (ranges[d].count == 1) /* avoids an overflow: a step that is never taken may be too large */
      ranges[d].step = 1;
  }
  return CW_OK;
}

/* Sets the strides that the program gave for the buffer. The program makes sure that elements do
 * not overlap. */
static cw_error set_given_strides(cw_array array, const cw_patch *patch,
                                  struct cwi_selection *selection)
{
  size_t end = selection->field_bytes;
  if (patch->ld != NULL)
    return cwi_misuse("ld and strides are both given; give only one of them");
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t stride = patch->strides[d], steps = selection->ranges[d].count - 1;
    size_t bytes = 0, last = 0;
    if (stride < 1)
      return cwi_misuse("strides[%d] is %lld; it may be 1 or more", d, (long long)stride);
    const bool fits = cwi_multiply((size_t)stride, selection->field_bytes, &bytes) &&
                      cwi_multiply(bytes, steps > 0 ? (size_t)steps : 0, &last) &&
                      last <= ((size_t)INT64_MAX / 2) - end;
    if (!fits && steps > 0)
      return cwi_misuse("strides make a buffer of more than 2^62 bytes");
    selection->strides[d] = fits ? (ptrdiff_t)bytes : 0;
    end += fits ? last : 0;
  }
  return CW_OK;
}

/* Sets the strides of the buffer from leading dimensions. A leading dimension is used only if some
 * dimension before it has more than one element. */
static cw_error set_strides(cw_array array, const cw_patch *patch, struct cwi_selection *selection)
{
  const int n = array->dimensions;
  bool used = false;
  if (patch->strides != NULL)
    return set_given_strides(array, patch, selection);
  for (int d = 0; d < n - 1 && patch->ld != NULL; d++) {
    const int64_t least = selection->ranges[d + 1].count;
    used = used || selection->ranges[d].count > 1;
    if (used && (patch->ld[d] < least || patch->ld[d] > INT64_MAX / 4))
      return cwi_misuse("ld[%d] is %lld; the patch has %lld elements in dimension %d", d,
                        (long long)patch->ld[d], (long long)least, d + 1);
  }
  size_t stride = selection->field_bytes;
  bool fits = true;
  for (int d = n - 1; d >= 0; d--) {
    selection->strides[d] = (ptrdiff_t)stride;
    if (!fits && selection->ranges[d].count > 1)
      return cwi_misuse("ld makes a buffer of more than 2^62 bytes");
    const int64_t length = patch->ld != NULL && d > 0 ? patch->ld[d - 1] : 1;
    const size_t factor = (size_t)(patch->ld != NULL ? length : selection->ranges[d].count);
    fits = fits && cwi_multiply(stride, factor, &stride) && stride <= (size_t)INT64_MAX / 2;
  }
  return CW_OK;
}

cw_error cwi_patch_select(cw_array array, const cw_patch *patch, struct cwi_selection *selection,
                          bool *empty)
{
  CWI_TRY(cwi_check_array("array", array));
  if (patch == NULL)
    return cwi_misuse("patch is NULL");
  CWI_TRY(check_operation(array, patch));
  CWI_TRY(check_field(array, patch));
  selection->array = array;
  selection->field_offset = patch->field_bytes > 0 ? patch->field_offset : 0;
  selection->field_bytes = patch->field_bytes > 0 ? patch->field_bytes : array->element;
  CWI_TRY(set_ranges(array, patch, selection->ranges));
  selection->plain = array->plain && selection->field_bytes == array->element;
  for (int d = 0; d < array->dimensions; d++) {
    *empty = *empty || selection->ranges[d].count == 0;
    selection->plain = selection->plain && selection->ranges[d].step == 1;
  }
  CWI_TRY(set_strides(array, patch, selection));
  if (!*empty && patch->buffer == NULL)
    return cwi_misuse("buffer is NULL");
  return CW_OK;
}

/* A call in progress. */
struct move {
  cw_array array;
  const cw_patch *patch;
  bool blocking;
  cw_handle *handle; /* NULL for an implicit handle */
  bool started;      /* a transfer has been started with the handle */
  bool together;     /* aggregation was enabled on the handle for this call */
};

/* Enables aggregation for a call of several portions, so that portions for the same node are sent
 * together. */
static cw_error begin_collective(struct move *move)
{
  if (move->started || move->handle == NULL || cwi_handle_aggregates(move->handle))
    return CW_OK;
  move->together = true;
  return cw_handle_set_aggregate(move->handle, true);
}

static cw_error end_collective(struct move *move)
{
  if (!move->together)
    return CW_OK;
  CWI_TRY(cw_handle_set_aggregate(move->handle, false));
  return move->blocking ? CW_OK : cwi_routes_push(); /* the wait of a blocking call sends them */
}

/* Moves a portion. last: no other portion follows. A blocking call of a single portion becomes one
 * blocking transfer. */
static cw_error move_portion(struct move *move, const struct cwi_portion *portion, char *buffer,
                             bool last)
{
  cw_array array = move->array;
  /* Each field is set explicitly: clearing the fields that are left out would take long. */
  const cw_transfer transfer = {
      .operation = move->patch->operation,
      .type = array->type,
      .scale = move->patch->scale,
      .process = cwi_rank_process(array, cwi_holder_rank(array, portion->holder)),
      .local = buffer + portion->local,
      .remote = cwi_holder_base(array, portion->holder) + portion->remote,
      .bytes = portion->run,
      .levels = portion->levels,
      .counts = portion->counts,
      .local_strides = portion->local_strides,
      .remote_strides = portion->remote_strides,
      .vectors = NULL,
      .vector_count = 0,
      .reduction = CW_SUM,
      .local_device = move->patch->local_device,
      .lock_free = false,
  };
  if (last && move->blocking && !move->started)
    return cwi_start_transfer(&transfer, true, NULL);
  if (!last)
    CWI_TRY(begin_collective(move));
  move->started = true;
  return cwi_start_transfer(&transfer, false, move->handle);
}

static cw_error move_portions(struct move *move, const struct cwi_selection *selection,
                              char *buffer, bool last)
{
  struct cwi_portions portions;
  struct cwi_portion portion;
  cwi_portions_begin(&portions, selection);
  while (!portions.done) {
    cwi_portions_take(&portions, &portion);
    CWI_TRY(move_portion(move, &portion, buffer, last && portions.done));
  }
  return CW_OK;
}

/* Returns the number of the copy of the array that an index of a periodic patch is in. Copy 0 is
 * the array itself, and other copies continue it in both directions. */
static int64_t copy_of(int64_t index, int64_t extent)
{
  return index >= 0 ? index / extent : -1 - (-1 - index) / extent;
}

/* Moves a periodic patch. The part of the patch in each copy of the array is a patch of its own.
 * `whole` has the ranges of the program, which may be outside of the array. */
static cw_error move_periodic(struct move *move, const struct cwi_selection *whole, char *buffer)
{
  cw_array array = whole->array;
  struct cwi_selection part = *whole;
  int64_t first[CW_MAX_DIMENSIONS], last[CW_MAX_DIMENSIONS], copy[CW_MAX_DIMENSIONS];
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_range *range = &whole->ranges[d];
    first[d] = copy[d] = copy_of(range->first, array->axes[d].extent);
    last[d] = copy_of(range->first + range->count - 1, array->axes[d].extent);
  }
  do {
    char *at = buffer;
    for (int d = 0; d < array->dimensions; d++) {
      const struct cwi_range *range = &whole->ranges[d];
      const int64_t begin = copy[d] * array->axes[d].extent, end = begin + array->axes[d].extent;
      const int64_t from = range->first > begin ? range->first : begin;
      const int64_t past = range->first + range->count;
      part.ranges[d] = (struct cwi_range){from - begin, (past < end ? past : end) - from, 1};
      at += (from - range->first) * whole->strides[d];
    }
    CWI_TRY(move_portions(move, &part, at, false));
  } while (cwi_index_next(array->dimensions, first, last, copy));
  return CW_OK;
}

/* Selects a patch of the most frequent kind: a patch of whole elements of a plain array that is
 * neither empty nor periodic; the buffer is contiguous or has leading dimensions. Returns false for
 * all other patches: cwi_patch_select selects those, and reports errors. */
static bool select_simple(cw_array array, const cw_patch *patch, struct cwi_selection *selection)
{
  if (!cwi_is_array(array) || patch == NULL || patch->lo == NULL || patch->hi == NULL ||
      patch->buffer == NULL || patch->skip != NULL || patch->strides != NULL || patch->periodic ||
      patch->field_bytes != 0 ||
      (unsigned)patch->operation > (array->type == CW_OPAQUE ? CW_GET : CW_ACCUMULATE) ||
      !array->plain)
    return false;
  size_t stride = array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const int64_t lo = patch->lo[d], hi = patch->hi[d];
    if (lo < 0 || hi < lo || hi >= array->axes[d].extent)
      return false;
    const int64_t count = hi - lo + 1;
    const int64_t length = patch->ld != NULL && d > 0 ? patch->ld[d - 1] : count;
    selection->ranges[d] = (struct cwi_range){lo, count, 1};
    selection->strides[d] = (ptrdiff_t)stride;
    if (length < count || !cwi_multiply(stride, (size_t)length, &stride) || stride >> 62 != 0)
      return false;
  }
  selection->array = array;
  selection->field_offset = 0;
  selection->field_bytes = array->element;
  selection->plain = true;
  return true;
}

static cw_error move_patch(struct move *move)
{
  const cw_patch *patch = move->patch;
  struct cwi_selection selection CWI_SET_LATER;
  bool empty = false;
  if (!select_simple(move->array, patch, &selection))
    CWI_TRY(cwi_patch_select(move->array, patch, &selection, &empty));
  if (empty)
    return CW_OK;
  return patch->periodic ? move_periodic(move, &selection, patch->buffer)
                         : move_portions(move, &selection, patch->buffer, true);
}

/* Completes the transfers that have been started, even if some portions have failed. */
static cw_error end(struct move *move, cw_error error)
{
  struct cwi_first_error first;
  if (!move->started)
    return error;
  cwi_first_begin(&first, error);
  cwi_first_note(&first, end_collective(move));
  if (move->blocking)
    cwi_first_note(&first, cw_wait(move->handle));
  return cwi_first_return(&first);
}

cw_error cwi_array_transfer(cw_array array, const cw_patch *patch)
{
  CWI_PROFILED(CW_CALL_PATCH);
  cw_handle handle = {0};
  struct move move = {.array = array, .patch = patch, .blocking = true, .handle = &handle};
  return end(&move, move_patch(&move));
}

cw_error cw_array_transfer(cw_array array, const cw_patch *patch)
{
  return cwi_in_call("cw_array_transfer", cwi_array_transfer(array, patch));
}

cw_error cwi_array_start(cw_array array, const cw_patch *patch, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_PATCH);
  struct move move = {.array = array, .patch = patch, .handle = handle};
  CWI_TRY(cwi_handle_check(handle));
  return end(&move, move_patch(&move));
}

cw_error cw_array_start(cw_array array, const cw_patch *patch, cw_handle *handle)
{
  return cwi_in_call("cw_array_start", cwi_array_start(array, patch, handle));
}

/* Returns true and the location of a patch if it is contiguous both in the array and in the buffer:
 * it is in one block of a plain array, and only its last dimension has more than one element. Many
 * patches are of this kind, and they need no walk over the distribution. */
static inline bool find_run(cw_array array, const int64_t *lo, const int64_t *hi,
                            const void *buffer, char **remote, size_t *bytes, int *process)
{
  int holder = 0;
  size_t offset = 0;
  if (lo == NULL || hi == NULL || buffer == NULL || !cwi_is_array(array) || !array->plain)
    return false;
  const int last = array->dimensions - 1;
  for (int d = 0; d < last; d++)
    if (hi[d] != lo[d])
      return false;
  if (!cwi_plain_find(array, lo, hi, &holder, &offset))
    return false;
  *remote = cwi_holder_base(array, holder) + offset;
  *bytes = (size_t)(hi[last] - lo[last] + 1) * array->element;
  *process = cwi_rank_process(array, cwi_holder_rank(array, holder));
  return true;
}

cw_error cw_array_put(cw_array array, const int64_t *lo, const int64_t *hi, const void *buffer,
                      const int64_t *ld)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(cwi_uncounted() && find_run(array, lo, hi, buffer, &remote, &bytes, &process)))
    return cwi_in_call("cw_array_put", cw_put(buffer, remote, bytes, process));
  const cw_patch patch = {
      .operation = CW_PUT, .lo = lo, .hi = hi, .buffer = (void *)(uintptr_t)buffer, .ld = ld};
  return cwi_in_call("cw_array_put", cwi_array_transfer(array, &patch));
}

cw_error cw_array_get(cw_array array, const int64_t *lo, const int64_t *hi, void *buffer,
                      const int64_t *ld)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(cwi_uncounted() && find_run(array, lo, hi, buffer, &remote, &bytes, &process)))
    return cwi_in_call("cw_array_get", cw_get(buffer, remote, bytes, process));
  const cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .buffer = buffer, .ld = ld};
  return cwi_in_call("cw_array_get", cwi_array_transfer(array, &patch));
}

cw_error cw_array_accumulate(cw_array array, const int64_t *lo, const int64_t *hi,
                             const void *buffer, const int64_t *ld, const void *scale)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(cwi_uncounted() && find_run(array, lo, hi, buffer, &remote, &bytes, &process)) &&
      array->type != CW_OPAQUE)
    return cwi_in_call("cw_array_accumulate",
                       cw_accumulate(array->type, scale, buffer, remote, bytes, process));
  const cw_patch patch = {.operation = CW_ACCUMULATE,
                          .lo = lo,
                          .hi = hi,
                          .buffer = (void *)(uintptr_t)buffer,
                          .ld = ld,
                          .scale = scale};
  return cwi_in_call("cw_array_accumulate", cwi_array_transfer(array, &patch));
}

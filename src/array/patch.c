/* The public transfers of patches: check, then one strided transfer for each portion. */
#include "array/array.h"
#include "array/portion.h"
#include "base/size.h"

#include <causeway/array.h>

#include <string.h>

static cw_error check_field(cw_array array, const cw_patch *patch)
{
  const size_t element = array->element;
  if (patch->field_bytes == 0)
    return CW_OK;
  if (array->type != CW_OPAQUE)
    return cwi_misuse("field_bytes is %zu; array '%s' has no elements of CW_OPAQUE",
                      patch->field_bytes, array->name);
  if (patch->field_bytes > element || patch->field_offset > element - patch->field_bytes)
    return cwi_misuse("field_offset is %zu and field_bytes is %zu; elements of array '%s' have %zu",
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

/* Ranges of a patch. Periodic ones may be outside; they are cut later. */
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
    if (hi < lo - 1 || lo < -INT64_MAX / 4 || hi > INT64_MAX / 4)
      return cwi_misuse("hi[%d] is %lld and lo[%d] is %lld; hi may be lo - 1 or more", d,
                        (long long)hi, d, (long long)lo);
    ranges[d] = (struct cwi_range){lo, hi < lo ? 0 : (hi - lo) / skip + 1, skip};
    if (ranges[d].count == 1) /* a step past the end of all numbers is never taken */
      ranges[d].step = 1;
  }
  return CW_OK;
}

/* Strides of the local buffer. A leading dimension counts only where some dimension before it has
 * more than one element. */
static cw_error set_strides(cw_array array, const cw_patch *patch, struct cwi_selection *selection)
{
  const int n = array->dimensions;
  bool used = false;
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

static cw_error select_patch(cw_array array, const cw_patch *patch, struct cwi_selection *selection,
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
  *empty = false;
  for (int d = 0; d < array->dimensions; d++)
    *empty = *empty || selection->ranges[d].count == 0;
  CWI_TRY(set_strides(array, patch, selection));
  if (!*empty && patch->buffer == NULL)
    return cwi_misuse("buffer is NULL");
  return CW_OK;
}

/* What the portions of one call share. */
struct move {
  const cw_patch *patch;
  cw_handle *handle; /* NULL: implicit */
};

static cw_error move_portion(const struct move *move, cw_array array,
                             const struct cwi_portion *portion, char *buffer, bool blocking)
{
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
  };
  return cwi_start_transfer(&transfer, blocking, move->handle);
}

/* A patch that lies in one block of a plain array is one portion, without a walk. */
static bool only_portion(const struct cwi_selection *selection, struct cwi_portion *portion)
{
  cw_array array = selection->array;
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS] = {0};
  if (!array->plain || selection->field_bytes != array->element)
    return false;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_range *range = &selection->ranges[d];
    if (range->step != 1)
      return false;
    lo[d] = range->first;
    hi[d] = range->first + range->count - 1;
  }
  if (!cwi_plain_find(array, lo, hi, &portion->holder, &portion->remote))
    return false;
  ptrdiff_t stride = (ptrdiff_t)array->element;
  portion->local = 0;
  portion->run = array->element;
  portion->levels = 0;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    const int64_t block = cwi_axis_block_of(axis, lo[d]);
    cwi_portion_add_level(portion, selection->ranges[d].count, stride, selection->strides[d]);
    stride *= cwi_axis_end(axis, block) - cwi_axis_start(axis, block) + 2 * axis->ghosts;
  }
  return true;
}

/* Portions of a patch: the only one in one blocking call, if that is wanted; else all are started.
 */
static cw_error move_portions(const struct move *move, const struct cwi_selection *selection,
                              char *buffer, bool blocking, bool *started)
{
  struct cwi_portions portions;
  struct cwi_portion here, next;
  if (only_portion(selection, &here)) {
    const bool only = blocking && !*started;
    CWI_TRY(move_portion(move, selection->array, &here, buffer, only));
    *started = *started || !only;
    return CW_OK;
  }
  cwi_portions_begin(&portions, selection);
  bool more = cwi_portions_next(&portions, &here);
  while (more) {
    more = cwi_portions_next(&portions, &next);
    const bool only = blocking && !more && !*started;
    CWI_TRY(move_portion(move, selection->array, &here, buffer, only));
    *started = *started || !only;
    if (more)
      here = next;
  }
  return CW_OK;
}

static int64_t wrapped(int64_t index, int64_t extent)
{
  const int64_t rest = index % extent;
  return rest < 0 ? rest + extent : rest;
}

/* A periodic patch falls apart where it crosses an end of the array: each combination of parts is a
 * patch. whole: ranges as given. */
static cw_error move_periodic(const struct move *move, const struct cwi_selection *whole,
                              char *buffer, bool *started)
{
  cw_array array = whole->array;
  struct cwi_selection part = *whole;
  int64_t from[CW_MAX_DIMENSIONS] = {0};
  for (int d = 0; d >= 0;) {
    size_t offset = 0;
    for (int e = 0; e < array->dimensions; e++) {
      const int64_t extent = array->axes[e].extent;
      struct cwi_range *range = &part.ranges[e];
      range->first = wrapped(whole->ranges[e].first + from[e], extent);
      range->count = whole->ranges[e].count - from[e];
      if (range->count > extent - range->first)
        range->count = extent - range->first;
      offset += (size_t)(from[e] * whole->strides[e]);
    }
    CWI_TRY(move_portions(move, &part, buffer + offset, false, started));
    for (d = array->dimensions - 1; d >= 0; d--) {
      from[d] += part.ranges[d].count;
      if (from[d] < whole->ranges[d].count)
        break;
      from[d] = 0;
    }
  }
  return CW_OK;
}

static cw_error move_selection(const struct move *move, const struct cwi_selection *selection,
                               bool blocking, bool *started)
{
  char *buffer = move->patch->buffer;
  return move->patch->periodic ? move_periodic(move, selection, buffer, started)
                               : move_portions(move, selection, buffer, blocking, started);
}

/* Blocking: what has started is waited for, also if some of it was refused. */
static cw_error run(cw_array array, const cw_patch *patch)
{
  struct cwi_selection selection = {0};
  struct cwi_first_error first;
  cw_handle handle = {0};
  const struct move move = {patch, &handle};
  bool empty = true, started = false;
  CWI_TRY(select_patch(array, patch, &selection, &empty));
  if (empty)
    return CW_OK;
  cwi_first_begin(&first, move_selection(&move, &selection, true, &started));
  if (started)
    cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

cw_error cw_array_transfer(cw_array array, const cw_patch *patch)
{
  return cwi_in_call("cw_array_transfer", run(array, patch));
}

static cw_error start(cw_array array, const cw_patch *patch, cw_handle *handle)
{
  struct cwi_selection selection = {0};
  const struct move move = {patch, handle};
  bool empty = true, started = false;
  CWI_TRY(cwi_handle_check(handle));
  CWI_TRY(select_patch(array, patch, &selection, &empty));
  return empty ? CW_OK : move_selection(&move, &selection, false, &started);
}

cw_error cw_array_start(cw_array array, const cw_patch *patch, cw_handle *handle)
{
  return cwi_in_call("cw_array_start", start(array, patch, handle));
}

/* Most patches lie in one block of a plain array, and many of them are contiguous, there and in the
 * buffer: all dimensions but the last are one element wide. These need no walk over the
 * distribution. */
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

/* The next most are rows of one block: the last two dimensions of a patch that is one element wide
 * in all others. They need one strided shape and no walk either. */
struct rows {
  cw_transfer transfer;
  size_t count;
  ptrdiff_t local, remote;
};

static bool find_rows(cw_array array, const cw_patch *patch, struct rows *rows)
{
  const int64_t *lo = patch->lo, *hi = patch->hi;
  int holder = 0;
  size_t offset = 0;
  if (lo == NULL || hi == NULL || patch->buffer == NULL || !cwi_is_array(array) || !array->plain ||
      array->dimensions < 2)
    return false;
  const int last = array->dimensions - 1;
  for (int d = 0; d < last - 1; d++)
    if (hi[d] != lo[d])
      return false;
  if (!cwi_plain_find(array, lo, hi, &holder, &offset) ||
      (patch->operation == CW_ACCUMULATE && array->type == CW_OPAQUE))
    return false;
  const struct cwi_axis *axis = &array->axes[last];
  const int64_t block = cwi_axis_block_of(axis, lo[last]), columns = hi[last] - lo[last] + 1;
  const int64_t ld = patch->ld != NULL ? patch->ld[last - 1] : columns;
  if (ld < columns || ld >> 31 != 0) /* longer rows may not fit: the long way looks */
    return false;
  const int64_t width = cwi_axis_end(axis, block) - cwi_axis_start(axis, block) + 2 * axis->ghosts;
  rows->count = (size_t)(hi[last - 1] - lo[last - 1] + 1);
  rows->local = (ptrdiff_t)ld * (ptrdiff_t)array->element;
  rows->remote = (ptrdiff_t)width * (ptrdiff_t)array->element;
  rows->transfer = (cw_transfer){.operation = patch->operation,
                                 .type = array->type,
                                 .scale = patch->scale,
                                 .process = cwi_rank_process(array, cwi_holder_rank(array, holder)),
                                 .local = patch->buffer,
                                 .remote = cwi_holder_base(array, holder) + offset,
                                 .bytes = (size_t)columns * array->element,
                                 .levels = 1,
                                 .counts = &rows->count,
                                 .local_strides = &rows->local,
                                 .remote_strides = &rows->remote};
  return true;
}

/* A patch without gaps, not periodic, of whole elements. */
static cw_error run_simple(cw_array array, const cw_patch *patch)
{
  struct rows rows;
  if (find_rows(array, patch, &rows))
    return cwi_start_transfer(&rows.transfer, true, NULL);
  return run(array, patch);
}

cw_error cw_array_put(cw_array array, const int64_t *lo, const int64_t *hi, const void *buffer,
                      const int64_t *ld)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(find_run(array, lo, hi, buffer, &remote, &bytes, &process)))
    return cwi_in_call("cw_array_put", cw_put(buffer, remote, bytes, process));
  const cw_patch patch = {
      .operation = CW_PUT, .lo = lo, .hi = hi, .buffer = (void *)(uintptr_t)buffer, .ld = ld};
  return cwi_in_call("cw_array_put", run_simple(array, &patch));
}

cw_error cw_array_get(cw_array array, const int64_t *lo, const int64_t *hi, void *buffer,
                      const int64_t *ld)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(find_run(array, lo, hi, buffer, &remote, &bytes, &process)))
    return cwi_in_call("cw_array_get", cw_get(buffer, remote, bytes, process));
  const cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .buffer = buffer, .ld = ld};
  return cwi_in_call("cw_array_get", run_simple(array, &patch));
}

cw_error cw_array_accumulate(cw_array array, const int64_t *lo, const int64_t *hi,
                             const void *buffer, const int64_t *ld, const void *scale)
{
  char *remote = NULL;
  size_t bytes = 0;
  int process = 0;
  if (CWI_LIKELY(find_run(array, lo, hi, buffer, &remote, &bytes, &process)) &&
      array->type != CW_OPAQUE)
    return cwi_in_call("cw_array_accumulate",
                       cw_accumulate(array->type, scale, buffer, remote, bytes, process));
  const cw_patch patch = {.operation = CW_ACCUMULATE,
                          .lo = lo,
                          .hi = hi,
                          .buffer = (void *)(uintptr_t)buffer,
                          .ld = ld,
                          .scale = scale};
  return cwi_in_call("cw_array_accumulate", run_simple(array, &patch));
}

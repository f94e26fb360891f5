/* Runs operations on the elements that a process has of a target: locates each operand, and runs
 * the kernel. Used by all whole-array operations. */
#include "arithmetic/operate.h"

#include "arithmetic/operand_fetch.h"

#include <stdlib.h>

/* WORTH_LOADING: a source in several places is fetched if a place has fewer elements than this on
 * average, because fetching then takes fewer steps. AT_ONCE: number of parts in flight. */
enum { WORTH_LOADING = 64, AT_ONCE = 2 };

struct operate_run {
  struct cwi_operation *operation;
  bool like[CWI_CHANNELS - 1];   /* the source has the distribution of the target */
  bool alike[CWI_CHANNELS - 1];  /* `like`, and the kernel can use this holder's part of the source
                                    at the target's offset */
  bool on_device;                /* the target's part of the current holder is on my device */
  bool placed[CWI_CHANNELS - 1]; /* the source elements of the current space are in one place, and
                                    the channel is set */
  bool fetched[CWI_CHANNELS - 1];
  char *buffers;
  char *result_buffer;   /* buffer for results that are put, because this process cannot store to
                            their place */
  bool target_in_flight; /* `target_handle` may have transfers in flight */
  cw_handle target_handle;
};

/* Returns true if the source corresponds to the target element by element at the same holders and
 * the same offsets. Most operands of most programs are like this. */
static bool lies_alike(const struct cwi_box *target, const struct cwi_source *source)
{
  cw_array to = target->array, from = source->box.array;
  if (source->reshaped || from->team != to->team ||
      (from != to && !cwi_same_distribution(from, to)))
    return false;
  for (int d = 0; d < to->dimensions; d++)
    if (source->box.lo[d] != target->lo[d] || from->axes[d].ghosts != to->axes[d].ghosts ||
        (source->along[d] != d && target->extents[d] != 1))
      return false;
  return true;
}

bool cwi_all_loadable(cw_array array)
{
  cw_team team = array->team;
  return !array->on_devices &&
         (team->size == 1 ||
          (team->shared && cwi_rank_loadable(array, (team->rank + 1) % team->size)));
}

/* If one block has all source elements of a space and this process can load it, sets the channel to
 * it and returns true. This is faster than a walk, and usual for sources that are not alike. */
static bool place_source(const struct cwi_source *source, struct cwi_space *space, int channel)
{
  cw_array array = source->box.array;
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  cw_array_view view;
  if (source->reshaped)
    return false;
  cwi_source_ranges(source, space, ranges);
  for (int e = 0; e < array->dimensions; e++) {
    if (ranges[e].step != 1)
      return false;
    lo[e] = ranges[e].first;
    hi[e] = ranges[e].first + ranges[e].count - 1;
  }
  if (!cwi_patch_in_place(array, lo, hi, &view))
    return false;
  space->at[channel] = view.address;
  cwi_source_follow(source, space, channel, view.strides);
  return true;
}

static bool needs_fetching(const struct cwi_source *source, const struct cwi_space *space)
{
  cw_array array = source->box.array;
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  struct cwi_walk walk;
  struct cwi_place place;
  int64_t elements = 1, places = 1;
  if (source->reshaped)
    return true;
  cwi_source_ranges(source, space, ranges);
  cwi_walk_begin(&walk, array, ranges, CWI_WALK_SECTIONS, -1);
  for (int e = 0; e < array->dimensions; e++) {
    elements *= ranges[e].count;
    places *= cwi_walk_along(&walk, e);
  }
  if (places == 1) {
    if (!cwi_walk_next(&walk))
      return true;
    cwi_walk_place(&walk, &place);
    return !cwi_rank_loadable(array, cwi_holder_rank(array, place.holder));
  }
  return !cwi_all_loadable(array) || elements < WORTH_LOADING * places;
}

/* Copies only the used dimensions and channels, because a space is large. */
static void copy_space(const struct cwi_space *from, int channels, struct cwi_space *to)
{
  to->dimensions = from->dimensions;
  to->index = from->index;
  for (int k = 0; k < channels; k++)
    to->at[k] = from->at[k];
  for (int d = 0; d < from->dimensions; d++) {
    to->ranges[d] = from->ranges[d];
    to->index_strides[d] = from->index_strides[d];
    for (int k = 0; k < channels; k++)
      to->strides[k][d] = from->strides[k][d];
  }
}

/* Runs the kernel on a space in which each channel is in one place. */
static cw_error run_kernel(struct operate_run *run, const struct cwi_space *space)
{
  struct cwi_operation *operation = run->operation;
  if (run->on_device)
    return cwi_run_on_device(operation, space);
  cwi_loop(space, 1 + operation->sources, operation->kernel, &operation->working);
  return CW_OK;
}

/* Divides the space at the boundaries of the sources from `channel` on, one source after the other,
 * and runs the kernel on each part. */
static cw_error run_partitioned(struct operate_run *run, int channel, const struct cwi_space *space)
{
  struct cwi_operation *operation = run->operation;
  struct cwi_range ranges[CW_MAX_DIMENSIONS], part[CW_MAX_DIMENSIONS];
  struct cwi_walk walk;
  struct cwi_section section;
  while (channel <= operation->sources &&
         (run->fetched[channel - 1] || run->alike[channel - 1] || run->placed[channel - 1]))
    channel++;
  if (channel > operation->sources)
    return run_kernel(run, space);
  const struct cwi_source *source = &operation->source[channel - 1];
  cwi_source_ranges(source, space, ranges);
  cwi_walk_begin(&walk, source->box.array, ranges, CWI_WALK_SECTIONS, -1);
  while (cwi_walk_next_section(&walk, &section)) {
    struct cwi_space here;
    copy_space(space, 1 + operation->sources, &here);
    for (int d = 0; d < space->dimensions; d++)
      part[d] = (struct cwi_range){0, space->ranges[d].count, 1};
    for (int e = 0; e < source->box.array->dimensions; e++)
      if (source->along[e] >= 0)
        part[source->along[e]] = cwi_walk_positions(&walk, e);
    cwi_space_narrow(&here, 1 + operation->sources, part);
    here.at[channel] = section.address;
    cwi_source_follow(source, &here, channel, section.strides);
    CWI_TRY(run_partitioned(run, channel + 1, &here));
  }
  return CW_OK;
}

/* Steps to the next part of a space, in parts of `counts` positions. Returns false at the end. */
static bool next_part(const struct cwi_space *space, const int64_t *counts, struct cwi_range *part)
{
  for (int d = space->dimensions - 1; d >= 0; d--) {
    const int64_t left = space->ranges[d].count - (part[d].first += counts[d]);
    part[d].count = left < counts[d] ? left : counts[d];
    if (left > 0)
      return true;
    part[d] = (struct cwi_range){0, counts[d], 1};
  }
  return false;
}

/* Starts to fetch the source elements of a part of a space. */
static cw_error start_part(struct operate_run *run, const struct cwi_space *space,
                           const struct cwi_range *ranges, int slot, struct cwi_space *part,
                           cw_handle *handle)
{
  struct cwi_operation *operation = run->operation;
  const size_t bytes = cwi_fetch_bytes(operation);
  char *buffer = run->buffers + (size_t)(slot * operation->sources) * bytes;
  copy_space(space, 1 + operation->sources, part);
  cwi_space_narrow(part, 1 + operation->sources, ranges);
  for (int s = 0; s < operation->sources; s++)
    if (run->fetched[s])
      CWI_TRY(cwi_fetch_start(operation, s + 1, part, buffer + (size_t)s * bytes, handle));
  return CW_OK;
}

/* Fetches the space part by part. The next part is in flight while the kernel works on this one. */
static cw_error fetch_and_run(struct operate_run *run, const struct cwi_space *space)
{
  struct cwi_space parts[AT_ONCE];
  cw_handle handles[AT_ONCE] = {{0}};
  int64_t counts[CW_MAX_DIMENSIONS];
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  struct cwi_first_error first;
  cwi_fetch_partition(run->operation, run->fetched, space, counts);
  for (int d = 0; d < space->dimensions; d++)
    ranges[d] = (struct cwi_range){0, counts[d], 1};
  cwi_first_begin(&first, start_part(run, space, ranges, 0, &parts[0], &handles[0]));
  bool more = true;
  for (int slot = 0; more; slot = 1 - slot) {
    more = first.error == CW_OK && next_part(space, counts, ranges);
    if (more)
      cwi_first_note(
          &first, start_part(run, space, ranges, 1 - slot, &parts[1 - slot], &handles[1 - slot]));
    cwi_first_note(&first, cw_wait(&handles[slot]));
    if (first.error == CW_OK)
      cwi_first_note(&first, run_partitioned(run, 1, &parts[slot]));
  }
  return cwi_first_return(&first);
}

static cw_error run_space(struct operate_run *run, struct cwi_space *space)
{
  struct cwi_operation *operation = run->operation;
  bool any = false, target_handle = false;
  if (operation->sources == 0)
    return run_kernel(run, space);
  for (int s = 0; s < operation->sources; s++) {
    const struct cwi_source *source = &operation->source[s];
    run->placed[s] = !run->alike[s] && !run->on_device && place_source(source, space, s + 1);
    run->fetched[s] =
        !run->alike[s] && !run->placed[s] && (run->on_device || needs_fetching(source, space));
    any = any || run->fetched[s];
  }
  if (!any)
    return run_partitioned(run, 1, space);
  run->target_in_flight = true;
  CWI_TRY(cwi_fetch_into_target(operation, space, &run->target_handle, &target_handle));
  if (target_handle)
    return CW_OK;
  if (run->buffers == NULL)
    run->buffers = malloc((size_t)(AT_ONCE * operation->sources) * cwi_fetch_bytes(operation));
  if (run->buffers == NULL)
    return cwi_outside("no memory for buffers of %zu bytes",
                       (size_t)(AT_ONCE * operation->sources) * cwi_fetch_bytes(operation));
  return fetch_and_run(run, space);
}

/* Makes a space of a section of the target; positions count from the beginning of the patch.
 * Dimensions and channels that are not used stay uninitialised. */
static void begin_space(const struct operate_run *run, const struct cwi_section *section,
                        struct cwi_space *space)
{
  const struct cwi_operation *operation = run->operation;
  const struct cwi_box *target = &operation->target;
  const char *base = cwi_holder_base(target->array, section->holder);
  int64_t volume = operation->indexed ? 1 : 0;
  space->dimensions = target->array->dimensions;
  space->index = 0;
  for (int k = 0; k <= operation->sources; k++) {
    const bool alike = k == 0 || run->alike[k - 1];
    space->at[k] = section->address;
    if (k > 0 && alike)
      space->at[k] = cwi_holder_base(operation->source[k - 1].box.array, section->holder) +
                     (section->address - base);
    for (int d = 0; d < space->dimensions; d++)
      space->strides[k][d] = alike ? section->strides[d] : 0;
  }
  for (int d = space->dimensions - 1; d >= 0; d--) {
    space->ranges[d] = section->ranges[d];
    space->ranges[d].first -= target->lo[d];
    space->index_strides[d] = 0;
    if (volume == 0)
      continue;
    space->index +=
        (operation->in_patch ? space->ranges[d].first : section->ranges[d].first) * volume;
    space->index_strides[d] = section->ranges[d].step * volume;
    volume *= operation->in_patch ? target->extents[d] : target->array->axes[d].extent;
  }
}

/* Puts a part of the target from a contiguous buffer. */
static cw_error put_part(const struct cwi_box *target, const struct cwi_space *part, char *buffer)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], skip[CW_MAX_DIMENSIONS];
  for (int d = 0; d < part->dimensions; d++) {
    const struct cwi_range *range = &part->ranges[d];
    lo[d] = target->lo[d] + range->first;
    hi[d] = lo[d] + (range->count - 1) * range->step;
    skip[d] = range->step;
  }
  const cw_patch patch = {.operation = CW_PUT, .lo = lo, .hi = hi, .skip = skip, .buffer = buffer};
  return cwi_array_transfer(target->array, &patch);
}

/* Handles a space of the target that this process cannot store to: computes it part by part in a
 * buffer, and puts it. */
static cw_error run_remotely(struct operate_run *run, const struct cwi_space *space)
{
  struct cwi_operation *operation = run->operation;
  const bool none[CWI_CHANNELS - 1] = {false};
  int64_t counts[CW_MAX_DIMENSIONS];
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  if (run->result_buffer == NULL)
    run->result_buffer = malloc(cwi_fetch_bytes(operation));
  if (run->result_buffer == NULL)
    return cwi_outside("no memory for a buffer of %zu bytes", cwi_fetch_bytes(operation));
  cwi_fetch_partition(operation, none, space, counts);
  for (int d = 0; d < space->dimensions; d++)
    ranges[d] = (struct cwi_range){0, counts[d], 1};
  do {
    struct cwi_space part;
    ptrdiff_t stride = (ptrdiff_t)operation->target.array->element;
    copy_space(space, 1 + operation->sources, &part);
    cwi_space_narrow(&part, 1 + operation->sources, ranges);
    part.at[0] = run->result_buffer;
    for (int d = part.dimensions - 1; d >= 0; d--) {
      part.strides[0][d] = stride;
      stride *= part.ranges[d].count;
    }
    CWI_TRY(run_space(run, &part));
    CWI_TRY(cw_wait(&run->target_handle));
    CWI_TRY(put_part(&operation->target, &part, run->result_buffer));
  } while (next_part(space, counts, ranges));
  return CW_OK;
}

/* Determines where the holder's parts of the target and of its sources are. */
static void find_parts(struct operate_run *run, int rank)
{
  const struct cwi_operation *operation = run->operation;
  cw_array to = operation->target.array;
  run->on_device = to->device != NULL && rank == to->team->rank && cwi_has_device_kernel(operation);
  for (int s = 0; s < operation->sources; s++) {
    cw_array from = operation->source[s].box.array;
    run->alike[s] = run->like[s] &&
                    (run->on_device ? from->device == to->device : !cwi_rank_on_device(from, rank));
  }
}

/* Runs the kernel directly on a section and returns true, if the operation needs only the section's
 * elements and these are evenly spaced. Otherwise returns false. Making a space would take longer
 * than filling a small array. */
static bool take_line(const struct operate_run *run, const struct cwi_section *section)
{
  struct cwi_operation *operation = run->operation;
  struct cwi_rows line = {.rows = 1};
  int64_t count = 1;
  if (operation->sources > 0 || operation->choose != NULL || operation->indexed || run->on_device)
    return false;
  for (int d = operation->target.array->dimensions - 1; d >= 0; d--) {
    const int64_t along = section->ranges[d].count;
    if (along == 1)
      continue;
    if (count == 1)
      line.step[0] = section->strides[d];
    else if (section->strides[d] != line.step[0] * count)
      return false;
    count *= along;
  }
  line.count = (size_t)count;
  line.at[0] = section->address;
  operation->kernel(&line, &operation->working);
  return true;
}

/* Processes all elements that a holder has of the target. */
static cw_error run_holder(struct operate_run *run, int holder)
{
  struct cwi_operation *operation = run->operation;
  const struct cwi_box *target = &operation->target;
  const int rank = cwi_holder_rank(target->array, holder);
  find_parts(run, rank);
  const bool near = run->on_device || cwi_rank_loadable(target->array, rank);
  struct cwi_walk walk;
  struct cwi_section section;
  struct cwi_space space;
  cwi_box_walk(target, holder, &walk);
  while (cwi_walk_next_section(&walk, &section)) {
    if (near && take_line(run, &section))
      continue;
    if (operation->choose == NULL)
      begin_space(run, &section, &space);
    else if (!operation->choose(&section, &space))
      continue;
    CWI_TRY(near ? run_space(run, &space) : run_remotely(run, &space));
  }
  return CW_OK;
}

/* Processes the holders of this process's share if only some of the target's processes call. The
 * callers divide the parts of the other processes among themselves. */
static cw_error run_shares(struct operate_run *run, cw_team callers)
{
  cw_array array = run->operation->target.array;
  for (int holder = 0; holder < array->holders; holder++) {
    const int process = cwi_rank_process(array, cwi_holder_rank(array, holder));
    const int rank = cwi_team_rank_of(callers, process);
    if ((rank >= 0 ? rank : holder % callers->size) == callers->rank)
      CWI_TRY(run_holder(run, holder));
  }
  return CW_OK;
}

cw_error cwi_operate(struct cwi_operation *operation)
{
  cw_array array = operation->target.array;
  cw_team callers = operation->copies ? cwi_operation_team(operation) : array->team;
  const int holder = cwi_rank_holder(array, array->team->rank);
  struct operate_run run = {.operation = operation};
  struct cwi_first_error first;
  for (int s = 0; s < operation->sources; s++)
    run.like[s] =
        operation->choose == NULL && lies_alike(&operation->target, &operation->source[s]);
  cwi_first_begin(&first, CW_OK);
  if (callers->size < array->team->size)
    cwi_first_note(&first, run_shares(&run, callers));
  else if (holder >= 0)
    cwi_first_note(&first, run_holder(&run, holder));
  if (run.target_in_flight)
    cwi_first_note(&first, cw_wait(&run.target_handle));
  free(run.buffers);
  free(run.result_buffer);
  return cwi_first_return(&first);
}

/* Lists of single elements: read, write, add, and atomic increment. */
#include "array/array.h"
#include "base/memory_order.h"
#include "base/operation_counts.h"
#include "base/size.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "profile/profile.h"
#include "team/collective_arguments.h"

#include <causeway/array.h>
#include <causeway/atomic.h>

#include <stdlib.h>
#include <string.h>

/* Location of an element. */
struct element {
  int process;
  char *address;
};

static void find_element(cw_array array, const int64_t *index, struct element *element)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  struct cwi_place place = {0};
  if (array->plain) {
    const bool found = cwi_plain_find(array, index, NULL, &place.holder, &place.offset);
    CWI_ASSERT(found);
  } else {
    cwi_block_of(array, index, block);
    cwi_element_place(array, block, index, &place);
  }
  element->address = cwi_holder_base(array, place.holder) + place.offset;
  element->process = cwi_rank_process(array, cwi_holder_rank(array, place.holder));
}

/* A list of elements to move. */
struct element_list {
  cw_array array;
  cw_operation operation;
  const void *scale;
  size_t count;
  const int64_t *indices;
  char *values;
};

/* Returns true if all indices are in the array. There is no branch per index, because usually all
 * indices are in the array. */
static bool all_inside(const struct element_list *list)
{
  const size_t n = (size_t)list->array->dimensions;
  uint64_t bad = 0;
  for (size_t d = 0; d < n; d++) {
    const uint64_t extent = (uint64_t)list->array->axes[d].extent;
    for (size_t i = 0; i < list->count; i++)
      bad |= (uint64_t)list->indices[i * n + d] >= extent;
  }
  return bad == 0;
}

static cw_error elements_outside(const struct element_list *list)
{
  const size_t n = (size_t)list->array->dimensions;
  size_t at = 0;
  while ((uint64_t)list->indices[at] < (uint64_t)list->array->axes[at % n].extent)
    at++;
  return cwi_misuse("index %d of element %zu is %lld; for array '%s' it may be 0 to %lld",
                    (int)(at % n), at / n, (long long)list->indices[at], list->array->name,
                    (long long)list->array->axes[at % n].extent - 1);
}

static cw_error elements_check(const struct element_list *list)
{
  CWI_TRY(cwi_check_array("array", list->array));
  if (list->count == 0)
    return CW_OK;
  if (list->indices == NULL || list->values == NULL)
    return cwi_misuse("%s is NULL", list->indices == NULL ? "indices" : "values");
  if (!cwi_is_possible(list->count, (size_t)list->array->dimensions * sizeof(int64_t)) ||
      !cwi_is_possible(list->count, list->array->element))
    return cwi_misuse("count is %zu; memory cannot hold that many elements", list->count);
  if (list->operation == CW_ACCUMULATE && list->array->type == CW_OPAQUE)
    return cwi_misuse("the elements of array '%s' are CW_OPAQUE: they cannot be added to",
                      list->array->name);
  CWI_TRY(cwi_check_host_buffer("values", list->values));
  return CWI_LIKELY(all_inside(list)) ? CW_OK : elements_outside(list);
}

/* Elements that this process cannot load, sorted by process, with one vector transfer for each
 * process. */
struct remote_elements {
  size_t count;
  int *process;   /* [list count], in the order of the list */
  void **remote;  /* in the same order */
  void **local;   /* in the same order */
  size_t *starts; /* [processes + 2] first of each process's elements in `sorted` */
  void **sorted;  /* [2 * list count] remote, then local, sorted by process */
};

static void free_remote(struct remote_elements *remote_elements)
{
  free(remote_elements->process);
  free((void *)remote_elements->remote);
  free((void *)remote_elements->local);
  free(remote_elements->starts);
  free((void *)remote_elements->sorted);
  *remote_elements = (struct remote_elements){0};
}

static cw_error make_remote(size_t count, struct remote_elements *remote_elements)
{
  *remote_elements = (struct remote_elements){
      .process = malloc(count * sizeof *remote_elements->process),
      .remote = malloc(count * sizeof *remote_elements->remote),
      .local = malloc(count * sizeof *remote_elements->local),
      .starts = calloc((size_t)cwi_world.processes + 2, sizeof *remote_elements->starts),
      .sorted = malloc(2 * count * sizeof *remote_elements->sorted)};
  if (remote_elements->process != NULL && remote_elements->remote != NULL &&
      remote_elements->local != NULL && remote_elements->starts != NULL &&
      remote_elements->sorted != NULL)
    return CW_OK;
  free_remote(remote_elements);
  return cwi_outside("no memory for a list of %zu elements", count);
}

static cw_error start_vector(const struct element_list *list, int process, void *const *remote,
                             void *const *local, size_t count, cw_handle *handle)
{
  const cw_vector vector = {
      .local = local, .remote = remote, .count = count, .bytes = list->array->element};
  cw_transfer transfer = cw_vectors(list->operation, &vector, 1, process);
  transfer.type = list->array->type;
  transfer.scale = list->scale;
  return cwi_start_transfer(&transfer, false, handle);
}

/* Sorts the elements by process, keeping the order of the list, and starts the transfers. */
static cw_error move_remote(const struct element_list *list,
                            struct remote_elements *remote_elements)
{
  void **remote = remote_elements->sorted,
       **local = remote_elements->sorted + remote_elements->count;
  struct cwi_first_error first;
  cw_handle handle = {0};
  for (size_t i = 0; i < remote_elements->count; i++)
    remote_elements->starts[remote_elements->process[i] + 2]++;
  for (int process = 0; process < cwi_world.processes; process++)
    remote_elements->starts[process + 2] += remote_elements->starts[process + 1];
  for (size_t i = 0; i < remote_elements->count; i++) {
    const size_t place = remote_elements->starts[remote_elements->process[i] + 1]++;
    remote[place] = remote_elements->remote[i];
    local[place] = remote_elements->local[i];
  }
  cwi_first_begin(&first, cw_handle_set_aggregate(&handle, true));
  for (int process = 0; process < cwi_world.processes && first.error == CW_OK; process++) {
    const size_t begin = remote_elements->starts[process],
                 count = remote_elements->starts[process + 1] - begin;
    if (count > 0)
      cwi_first_note(&first,
                     start_vector(list, process, remote + begin, local + begin, count, &handle));
  }
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

/* Elements that this process can load are handled in groups of this size. All elements of a group
 * are located and prefetched before any is moved, because they are far apart in memory. */
enum { TOGETHER = 64 };

static inline void copy_element(void *to, const void *from, size_t bytes)
{
  if (bytes == 8)
    cwi_move_word(to, from);
  else
    memcpy(to, from, bytes);
}

/* Moves an element by the public calls. Used if CW_STATS counts operations, if another route has
 * operations outstanding, and for an accumulate to a region that others may update by MPI. */
static cw_error move_singly(const struct element_list *list, const struct element *element,
                            char *value)
{
  const size_t bytes = list->array->element;
  if (list->operation == CW_PUT)
    return cw_put(value, element->address, bytes, element->process);
  if (list->operation == CW_GET)
    return cw_get(value, element->address, bytes, element->process);
  return cw_accumulate(list->array->type, list->scale, value, element->address, bytes,
                       element->process);
}

/* Returns true if loads and stores can move all elements. watched: operations are counted or
 * checked, so the slow path is taken. */
static inline bool all_plain(const struct element_list *list, const struct element *elements,
                             size_t count, bool watched)
{
  bool plain = !watched && (list->operation != CW_ACCUMULATE || cwi_ready.atomics);
  for (size_t i = 0; i < count; i++)
    plain = plain && cwi_is_ready(elements[i].process);
  return plain;
}

/* Counts each element for the profile and returns true. Returns false, and counts nothing, if loads
 * and stores cannot move all elements, or if anything besides the profile observes operations. */
static __attribute__((noinline, cold)) bool
count_plain(const struct element_list *list, const struct element *elements, size_t count)
{
  if (!all_plain(list, elements, count, !cwi_only_profiled()))
    return false;
  for (size_t i = 0; i < count; i++)
    cwi_profile_note((enum cwi_counted)list->operation,
                     elements[i].process == cwi_world.process ? CWI_OWN : CWI_PEER,
                     elements[i].process, elements[i].address, list->array->element);
  return true;
}

/* Prefetches all elements: waiting for memory takes longer than the operation. */
static void prefetch(const struct element_list *list, const struct element *elements, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (list->operation == CW_GET)
      __builtin_prefetch(elements[i].address, 0);
    else
      __builtin_prefetch(elements[i].address, 1);
  if (list->operation == CW_ACCUMULATE)
    for (size_t i = 0; i < count; i++)
      __builtin_prefetch(cwi_zone_stripe(elements[i].address), 1);
}

static void move_plain(const struct element_list *list, const struct element *elements,
                       size_t count, char *values)
{
  const size_t bytes = list->array->element;
  if (list->operation == CW_PUT)
    for (size_t i = 0; i < count; i++)
      copy_element(elements[i].address, values + i * bytes, bytes);
  else if (list->operation == CW_GET)
    for (size_t i = 0; i < count; i++)
      copy_element(values + i * bytes, elements[i].address, bytes);
  else
    for (size_t i = 0; i < count; i++)
      cwi_direct_accumulate(list->array->type, list->scale, values + i * bytes, elements[i].address,
                            bytes);
}

static cw_error move_near(const struct element_list *list, const struct element *elements,
                          size_t count, char *values)
{
  if (CWI_UNLIKELY(!all_plain(list, elements, count, !cwi_uncounted())) &&
      !count_plain(list, elements, count)) {
    for (size_t i = 0; i < count; i++)
      CWI_TRY(move_singly(list, &elements[i], values + i * list->array->element));
    return CW_OK;
  }
  prefetch(list, elements, count);
  cwi_release();
  move_plain(list, elements, count, values);
  cwi_acquire();
  cwi_route_progress_sometimes();
  return CW_OK;
}

/* Locates elements of a plain array, one dimension after the other, so that the data of an axis is
 * loaded once. */
static void find_plain(cw_array array, size_t count, const int64_t *indices,
                       struct element *elements)
{
  const size_t n = (size_t)array->dimensions;
  int64_t holder[TOGETHER] = {0}, offset[TOGETHER] = {0};
  for (size_t d = 0; d < n; d++) {
    const struct cwi_axis axis = array->axes[d];
    if (axis.blocks == 1) {
      for (size_t i = 0; i < count; i++)
        offset[i] = offset[i] * (axis.extent + 2 * axis.ghosts) + indices[i * n + d] + axis.ghosts;
      continue;
    }
    for (size_t i = 0; i < count; i++)
      cwi_plain_step(&axis, indices[i * n + d], &holder[i], &offset[i]);
  }
  for (size_t i = 0; i < count; i++) {
    const int rank = cwi_holder_rank(array, (int)holder[i]);
    elements[i].process = cwi_rank_process(array, rank);
    elements[i].address = array->region->slices[rank].address + (size_t)offset[i] * array->element;
  }
}

static cw_error move_all_near(const struct element_list *list)
{
  const size_t n = (size_t)list->array->dimensions;
  struct element elements[TOGETHER];
  for (size_t done = 0; done < list->count; done += TOGETHER) {
    const size_t count = list->count - done < TOGETHER ? list->count - done : TOGETHER;
    const int64_t *indices = list->indices + done * n;
    if (list->array->plain)
      find_plain(list->array, count, indices, elements);
    else
      for (size_t i = 0; i < count; i++)
        find_element(list->array, indices + i * n, &elements[i]);
    CWI_TRY(move_near(list, elements, count, list->values + done * list->array->element));
  }
  return CW_OK;
}

/* Moves a list that has remote elements. These are collected and moved together. */
static cw_error move_mixed(const struct element_list *list)
{
  const size_t n = (size_t)list->array->dimensions, bytes = list->array->element;
  struct remote_elements remote_elements = {0};
  cw_error error = CW_OK;
  CWI_TRY(make_remote(list->count, &remote_elements));
  for (size_t i = 0; i < list->count && error == CW_OK; i++) {
    struct element element;
    find_element(list->array, list->indices + i * n, &element);
    if (cwi_route_direct_reaches(element.process) && !cwi_is_device_address(element.address)) {
      error = move_near(list, &element, 1, list->values + i * bytes);
    } else {
      CWI_ASSERT(remote_elements.process != NULL);
      remote_elements.process[remote_elements.count] = element.process;
      remote_elements.remote[remote_elements.count] = element.address;
      remote_elements.local[remote_elements.count++] = list->values + i * bytes;
    }
  }
  if (error == CW_OK && remote_elements.count > 0)
    error = move_remote(list, &remote_elements);
  free_remote(&remote_elements);
  return error;
}

static cw_error elements_move(const struct element_list *list)
{
  CWI_TRY(elements_check(list));
  if (list->count == 0)
    return CW_OK;
  const bool all_near =
      list->array->team->shared && !list->array->on_devices && cwi_rank_loadable(list->array, 0);
  return all_near ? move_all_near(list) : move_mixed(list);
}

cw_error cw_array_gather(cw_array array, size_t count, const int64_t *indices, void *values)
{
  CWI_PROFILED(CW_CALL_ELEMENTS);
  const struct element_list list = {array, CW_GET, NULL, count, indices, values};
  return cwi_in_call("cw_array_gather", elements_move(&list));
}

cw_error cw_array_scatter(cw_array array, size_t count, const int64_t *indices, const void *values)
{
  CWI_PROFILED(CW_CALL_ELEMENTS);
  const struct element_list list = {array, CW_PUT, NULL, count, indices, (void *)(uintptr_t)values};
  return cwi_in_call("cw_array_scatter", elements_move(&list));
}

cw_error cw_array_scatter_accumulate(cw_array array, size_t count, const int64_t *indices,
                                     const void *values, const void *scale)
{
  CWI_PROFILED(CW_CALL_ELEMENTS);
  const struct element_list list = {array, CW_ACCUMULATE, scale,
                                    count, indices,       (void *)(uintptr_t)values};
  return cwi_in_call("cw_array_scatter_accumulate", elements_move(&list));
}

cw_error cwi_check_atomic(cw_array array, const char *address, int process)
{
  if (CWI_LIKELY(!cwi_is_device_address(address)))
    return CW_OK;
  return cwi_misuse("the element of array '%s' lies on a device of process %d: old values are "
                    "returned only for arrays on the host; cw_array_accumulate adds on both",
                    array->name, process);
}

static cw_error read_increment(cw_array array, const int64_t *index, int64_t increment,
                               int64_t *before)
{
  struct element element;
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_index(array, index));
  if (!cwi_type_is_whole(array->type))
    return cwi_misuse("the type of array '%s' is %s; it may be CW_INT, CW_LONG or CW_LONG_LONG",
                      array->name, cwi_type_word(array->type));
  find_element(array, index, &element);
  CWI_TRY(cwi_check_atomic(array, element.address, element.process));
  int64_t old = 0;
  if (array->element == sizeof(int32_t)) {
    int32_t old_int = 0;
    CWI_TRY(cw_fetch_add_int32((int32_t *)(void *)element.address, (int32_t)increment,
                               element.process, &old_int));
    old = old_int;
  } else {
    CWI_TRY(
        cw_fetch_add_int64((int64_t *)(void *)element.address, increment, element.process, &old));
  }
  if (before != NULL)
    *before = old;
  return CW_OK;
}

cw_error cw_array_read_increment(cw_array array, const int64_t *index, int64_t increment,
                                 int64_t *before)
{
  return cwi_in_call("cw_array_read_increment", read_increment(array, index, increment, before));
}

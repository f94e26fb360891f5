/* Segments of lists, for the kernels. */
#include "device_transfer/segment_list.h"

#include "machine/copy.h"

#include <stdlib.h>
#include <string.h>

/* --- Selecting segments ----------------------------------------------------------------------- */

struct segment {
  char *local, *remote;
  size_t bytes;
};

/* Skips empty vectors and stores the segment at the position. Returns false at the end of the list.
 */
static inline bool segment_at(struct cwi_segments *at, struct segment *segment)
{
  while (at->vector < at->end && (at->segment == at->vector->count || at->vector->bytes == 0)) {
    at->vector++;
    at->segment = 0;
  }
  if (at->vector == at->end)
    return false;
  segment->local = at->vector->local[at->segment];
  segment->remote = at->vector->remote[at->segment];
  segment->bytes = at->vector->bytes;
  return true;
}

/* Finds the slice of a segment. First tries *slice, which is that of the previous segment, because
 * most segments are in the same slice. */
static cw_error find(const char *name, const char *address, size_t bytes,
                     const struct cwi_device_slice **slice)
{
  const struct cwi_device_slice *last = *slice;
  const size_t offset = last != NULL ? (uintptr_t)address - (uintptr_t)last->address : 0;
  const bool holds = last != NULL && offset < last->bytes && bytes <= last->bytes - offset;
  return holds ? CW_OK : cwi_device_slice_find(name, address, bytes, slice);
}

cw_error cwi_device_list_check(const struct cwi_shape *shape, size_t vector, size_t segment)
{
  const struct cwi_device_slice *slice = NULL;
  for (size_t v = 0; v < shape->vector_count; v++) {
    const cw_vector *list = &shape->vectors[v];
    for (size_t i = 0; i < list->count && list->bytes > 0; i++) {
      const cw_error error = find("remote", list->remote[i], list->bytes, &slice);
      if (error != CW_OK)
        return cwi_error_append(error, "segment %zu of vector %zu", i + (v == 0 ? segment : 0),
                                v + vector);
    }
  }
  return CW_OK;
}

static void add_segment(struct cwi_device_list *list, const struct segment *segment)
{
  const bool first = list->segments == 0;
  list->local = first ? segment->local : list->local;
  list->together = first || (list->together && segment->local == list->local + list->bytes);
  list->ragged = !first && (list->ragged || segment->bytes != list->run);
  list->run = segment->bytes > list->run ? segment->bytes : list->run;
  list->grain |= segment->bytes;
  list->bytes += segment->bytes;
  list->segments++;
}

cw_error cwi_device_list_next(struct cwi_segments *at, bool on_device, struct cwi_device_list *list)
{
  struct segment segment;
  *list = (struct cwi_device_list){.first = *at, .remote = at->imported};
  for (; segment_at(at, &segment); at->segment++) {
    const struct cwi_device_slice *remote = list->remote, *mine = list->mine;
    CWI_TRY(find("remote", segment.remote, segment.bytes, &remote));
    if (on_device)
      CWI_TRY(find("local", segment.local, segment.bytes, &mine));
    if (list->segments > 0 && (remote != list->remote || mine != list->mine))
      break;
    list->remote = remote;
    list->mine = mine;
    add_segment(list, &segment);
  }
  list->grain &= -list->grain;
  return CW_OK;
}

/* --- Packing ---------------------------------------------------------------------------------- */

/* Copies a segment. A segment of 8 bytes needs no function call. */
static void copy_segment(char *to, const char *from, size_t bytes)
{
  if (bytes == 8)
    memcpy(to, from, 8);
  else
    cwi_copy(to, from, bytes);
}

void cwi_device_list_pack(const struct cwi_device_list *list, char *packed)
{
  struct cwi_segments at = list->first;
  struct segment segment;
  for (size_t i = 0; i < list->segments && segment_at(&at, &segment); i++, at.segment++) {
    copy_segment(packed, segment.local, segment.bytes);
    packed += segment.bytes;
  }
}

void cwi_device_list_unpack(const struct cwi_device_list *list, const char *packed)
{
  struct cwi_segments at = list->first;
  struct segment segment;
  for (size_t i = 0; i < list->segments && segment_at(&at, &segment); i++, at.segment++) {
    copy_segment(segment.local, packed, segment.bytes);
    packed += segment.bytes;
  }
}

/* --- The table -------------------------------------------------------------------------------- */

/* Returns true if the table has local offsets. The table begins with the remote offsets. Local
 * offsets follow unless the local sides are packed and of equal length. The lengths follow if they
 * differ. */
static bool lists_local(const struct cwi_device_list *list)
{
  return list->ragged || list->mine != NULL;
}

size_t cwi_device_list_table(const struct cwi_device_list *list, uint64_t *table)
{
  const size_t n = list->segments;
  struct cwi_segments at = list->first;
  struct segment segment;
  uint64_t packed = 0;
  for (size_t i = 0; i < n && segment_at(&at, &segment); i++, at.segment++) {
    table[i] = (uintptr_t)segment.remote - (uintptr_t)list->remote->address;
    if (lists_local(list))
      table[n + i] =
          list->mine != NULL ? (uintptr_t)segment.local - (uintptr_t)list->mine->address : packed;
    if (list->ragged)
      table[2 * n + i] = segment.bytes;
    packed += segment.bytes;
  }
  return n * sizeof *table * (1 + (size_t)lists_local(list) + (size_t)list->ragged);
}

static void place_listed(const struct cwi_device_list *list, const uint64_t *table, size_t entry,
                         struct cwi_kernel_place *place)
{
  place->listed = true;
  place->entry = entry;
  place->alignment = cwi_launch_list_alignment(table + entry, list->segments);
}

void cwi_device_list_work(const struct cwi_device_list *list, const uint64_t *table,
                          struct cwi_kernel_place *remote, struct cwi_kernel_place *local,
                          struct cwi_kernel_work *work)
{
  *work = (struct cwi_kernel_work){.run = list->run,
                                   .levels = 1,
                                   .counts = &list->segments,
                                   .ragged = list->ragged,
                                   .lengths = 2 * list->segments,
                                   .grain = list->grain};
  place_listed(list, table, 0, remote);
  if (lists_local(list))
    place_listed(list, table, list->segments, local);
}

/* --- Overlaps --------------------------------------------------------------------------------- */

struct listed_run {
  uint64_t begin, end;
};

static int compare_listed_runs(const void *a, const void *b)
{
  const struct listed_run *one = a, *other = b;
  return one->begin < other->begin ? -1 : one->begin > other->begin;
}

static bool listed_runs_overlap(const struct listed_run *runs, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (runs[i].begin < runs[i - 1].end)
      return true;
  return false;
}

/* Returns true if the segments are in ascending order and do not overlap, as in most lists. */
static bool rises(const struct cwi_device_list *list, const uint64_t *table)
{
  const uint64_t *lengths = list->ragged ? table + 2 * list->segments : NULL;
  for (size_t i = 1; i < list->segments; i++)
    if (table[i] < table[i - 1] + (lengths != NULL ? lengths[i - 1] : list->run))
      return false;
  return true;
}

/* Sorts the segments to find overlaps. If the device is a processor, does not sort and returns
 * true, because one work item then adds short segments just as fast. */
bool cwi_device_list_overlaps(const struct cwi_device_list *list, const uint64_t *table)
{
  const size_t n = list->segments;
  const uint64_t *lengths = list->ragged ? table + 2 * n : NULL;
  if (rises(list, table))
    return false;
  struct listed_run *runs = list->remote->device->facts.processor ? NULL : malloc(n * sizeof *runs);
  if (runs == NULL)
    return true;
  for (size_t i = 0; i < n; i++)
    runs[i] = (struct listed_run){table[i], table[i] + (lengths != NULL ? lengths[i] : list->run)};
  qsort(runs, n, sizeof *runs, compare_listed_runs);
  const bool overlaps = listed_runs_overlap(runs, n);
  free(runs);
  return overlaps;
}

/* Turns strided and vector shapes into planes of rows. */
#include "transfer/shape.h"

#include "base/size.h"
#include "machine/copy.h"
#include "machine/rows.h"

#include <string.h>

/* Checks the lengths of the lists. This comes first because all other functions read the lists. */
static cw_error check_counts(const cw_transfer *transfer)
{
  if (!cwi_is_possible(transfer->vector_count, sizeof(cw_vector)))
    return cwi_misuse("vector_count is %zu; memory cannot hold that many vectors",
                      transfer->vector_count);
  for (size_t v = 0; v < transfer->vector_count; v++)
    if (transfer->vectors[v].bytes > 0 &&
        !cwi_is_possible(transfer->vectors[v].count, sizeof(void *)))
      return cwi_misuse(
          "the count of vector %zu is %zu; memory cannot hold that many segments of %zu bytes", v,
          transfer->vectors[v].count, transfer->vectors[v].bytes);
  return CW_OK;
}

static bool total_of_vectors(const cw_transfer *transfer, size_t *bytes)
{
  *bytes = 0;
  for (size_t v = 0; v < transfer->vector_count; v++) {
    size_t product = 0;
    if (!cwi_multiply(transfer->vectors[v].count, transfer->vectors[v].bytes, &product) ||
        !cwi_add(*bytes, product, bytes))
      return false;
  }
  return true;
}

static bool total_of_strided(const cw_transfer *transfer, size_t *bytes)
{
  *bytes = transfer->bytes;
  for (int level = 0; *bytes != 0 && level < transfer->levels; level++)
    if (transfer->counts[level] == 0)
      *bytes = 0;
  for (int level = 0; *bytes != 0 && level < transfer->levels; level++)
    if (!cwi_multiply(*bytes, transfer->counts[level], bytes))
      return false;
  return true;
}

/* Returns true if a level of this stride continues where `count` blocks at distance `below` end. */
static bool continues(ptrdiff_t below, size_t count, ptrdiff_t stride)
{
  ptrdiff_t end = 0;
  return !__builtin_mul_overflow(below, count, &end) && stride == end;
}

/* Adds a level to the shape, or joins it with the level below if the blocks are adjacent on both
 * sides. */
static void add_level(struct cwi_shape *shape, size_t count, ptrdiff_t local, ptrdiff_t remote)
{
  const int last = shape->levels - 1;
  if (count == 1)
    return;
  if (last < 0 && local == (ptrdiff_t)shape->run && remote == local) {
    shape->run *= count;
    return;
  }
  if (last >= 0 && continues(shape->local_strides[last], shape->counts[last], local) &&
      continues(shape->remote_strides[last], shape->counts[last], remote)) {
    shape->counts[last] *= count;
    return;
  }
  shape->counts[shape->levels] = count;
  shape->local_strides[shape->levels] = local;
  shape->remote_strides[shape->levels] = remote;
  shape->levels++;
}

static cw_error check_levels(const cw_transfer *transfer)
{
  if (transfer->levels < 0 || transfer->levels > CW_MAX_LEVELS)
    return cwi_misuse("levels is %d; it may be 0 to %d", transfer->levels, CW_MAX_LEVELS);
  const char *lacking = transfer->counts == NULL           ? "counts"
                        : transfer->local_strides == NULL  ? "local_strides"
                        : transfer->remote_strides == NULL ? "remote_strides"
                                                           : NULL;
  if (transfer->levels > 0 && lacking != NULL)
    return cwi_misuse("levels is %d, but %s is NULL", transfer->levels, lacking);
  return CW_OK;
}

/* Returns true if the strides reach further than memory does. Addresses would then wrap around, and
 * a check of the first and last byte would not notice. */
static bool reaches_too_far(const struct cwi_shape *shape, const ptrdiff_t *strides)
{
  ptrdiff_t reach = 0;
  size_t all = shape->run;
  for (int level = 0; level < shape->levels; level++)
    if (__builtin_mul_overflow(strides[level], shape->counts[level] - 1, &reach) ||
        !cwi_add(all, reach < 0 ? -(size_t)reach : (size_t)reach, &all))
      return true;
  return all > PTRDIFF_MAX;
}

cw_error cwi_shape_from(const cw_transfer *transfer, struct cwi_shape *shape)
{
  shape->vectors = transfer->vectors;
  shape->vector_count = transfer->vector_count;
  shape->levels = 0;
  if (transfer->vectors != NULL) {
    CWI_TRY(check_counts(transfer));
    if (!total_of_vectors(transfer, &shape->bytes))
      return cwi_misuse("the segments of %zu vectors have more than 2^64 bytes",
                        transfer->vector_count);
    return CW_OK;
  }
  if (CWI_UNLIKELY(transfer->vector_count > 0))
    return cwi_misuse("vectors is NULL, but vector_count is %zu", transfer->vector_count);
  CWI_TRY(check_levels(transfer));
  if (!total_of_strided(transfer, &shape->bytes))
    return cwi_misuse("the %d counts multiply to more than 2^64 bytes", transfer->levels);
  shape->local = transfer->local;
  shape->remote = transfer->remote;
  shape->run = transfer->bytes;
  for (int level = 0; level < transfer->levels && shape->bytes > 0; level++)
    add_level(shape, transfer->counts[level], transfer->local_strides[level],
              transfer->remote_strides[level]);
  if (CWI_UNLIKELY(shape->run > CWI_MOST_BYTES))
    return cwi_misuse("bytes is %zu; memory cannot hold that many bytes", shape->run);
  if (shape->bytes > 0 && (reaches_too_far(shape, shape->local_strides) ||
                           reaches_too_far(shape, shape->remote_strides)))
    return cwi_misuse("the strides reach beyond the address range");
  return CW_OK;
}

static void extend(struct cwi_extent *extent, ptrdiff_t stride, size_t count)
{
  const ptrdiff_t reach = stride * (ptrdiff_t)(count - 1);
  if (reach > 0)
    extent->end += (uintptr_t)reach;
  else
    extent->begin += (uintptr_t)reach;
}

struct cwi_extent cwi_rows_extent(const char *first, ptrdiff_t stride,
                                  const struct cwi_plane *plane)
{
  struct cwi_extent extent = {(uintptr_t)first, (uintptr_t)first + plane->run};
  extend(&extent, stride, plane->rows);
  return extent;
}

struct cwi_extent cwi_shape_remote_extent(const struct cwi_shape *shape)
{
  struct cwi_extent extent = {(uintptr_t)shape->remote, (uintptr_t)shape->remote + shape->run};
  for (int level = 0; level < shape->levels; level++)
    extend(&extent, shape->remote_strides[level], shape->counts[level]);
  return extent;
}

struct cwi_extent cwi_shape_local_extent(const struct cwi_shape *shape)
{
  struct cwi_extent extent = {(uintptr_t)shape->local, (uintptr_t)shape->local + shape->run};
  for (int level = 0; level < shape->levels; level++)
    extend(&extent, shape->local_strides[level], shape->counts[level]);
  return extent;
}

static bool next_segment(struct cwi_planes *planes, struct cwi_plane *plane)
{
  const struct cwi_shape *shape = planes->shape;
  size_t *vector = &planes->index[0], *segment = &planes->index[1];
  while (*vector < shape->vector_count &&
         (*segment == shape->vectors[*vector].count || shape->vectors[*vector].bytes == 0)) {
    ++*vector;
    *segment = 0;
  }
  if (*vector == shape->vector_count)
    return false;
  const cw_vector *list = &shape->vectors[*vector];
  *plane = (struct cwi_plane){.local = list->local[*segment],
                              .remote = list->remote[*segment],
                              .run = list->bytes,
                              .rows = 1};
  ++*segment;
  return true;
}

/* Advances the levels above the rows like the digits of a counter. */
static void shape_advance(struct cwi_planes *planes)
{
  const struct cwi_shape *shape = planes->shape;
  int level = 1;
  while (level < shape->levels && ++planes->index[level] == shape->counts[level])
    planes->index[level++] = 0;
  planes->done = level >= shape->levels;
}

bool cwi_planes_next(struct cwi_planes *planes, struct cwi_plane *plane)
{
  const struct cwi_shape *shape = planes->shape;
  if (planes->done)
    return false;
  if (shape->vectors != NULL)
    return next_segment(planes, plane);
  *plane = (struct cwi_plane){.local = shape->local,
                              .remote = shape->remote,
                              .run = shape->run,
                              .rows = shape->levels > 0 ? shape->counts[0] : 1,
                              .local_stride = shape->levels > 0 ? shape->local_strides[0] : 0,
                              .remote_stride = shape->levels > 0 ? shape->remote_strides[0] : 0};
  for (int level = 1; level < shape->levels; level++) {
    plane->local += shape->local_strides[level] * (ptrdiff_t)planes->index[level];
    plane->remote += shape->remote_strides[level] * (ptrdiff_t)planes->index[level];
  }
  shape_advance(planes);
  return true;
}

/* Copies one plane. Lists have many segments that are often short: the common cases come first. */
static void copy_plane(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                       const struct cwi_plane *plane)
{
  if (plane->rows == 1 && plane->run == 8)
    memcpy(to, from, 8);
  else if (plane->rows == 1)
    cwi_copy(to, from, plane->run);
  else
    cwi_copy_rows(to, to_stride, from, from_stride, plane->run, plane->rows);
}

void cwi_pack_local(const struct cwi_shape *shape, char *buffer)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    copy_plane(buffer, (ptrdiff_t)plane.run, plane.local, plane.local_stride, &plane);
    buffer += plane.run * plane.rows;
  }
}

void cwi_unpack_local(const struct cwi_shape *shape, const char *buffer)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    copy_plane(plane.local, plane.local_stride, buffer, (ptrdiff_t)plane.run, &plane);
    buffer += plane.run * plane.rows;
  }
}

struct cwi_shape cwi_shape_of_plane(const struct cwi_plane *plane)
{
  struct cwi_shape shape = {.local = plane->local,
                            .remote = plane->remote,
                            .run = plane->run,
                            .levels = plane->rows > 1,
                            .bytes = plane->run * plane->rows};
  shape.counts[0] = plane->rows;
  shape.local_strides[0] = plane->local_stride;
  shape.remote_strides[0] = plane->remote_stride;
  return shape;
}

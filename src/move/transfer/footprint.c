/* Footprints. Rows are compared by their address modulo the distance between them. */
#include "transfer/footprint.h"

static void include(struct cwi_footprint *footprint, uintptr_t begin, uintptr_t end)
{
  footprint->begin = begin < footprint->begin ? begin : footprint->begin;
  footprint->end = end > footprint->end ? end : footprint->end;
}

static struct cwi_footprint of_vectors(const struct cwi_shape *shape)
{
  struct cwi_footprint footprint = {.begin = UINTPTR_MAX};
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; i < shape->vectors[v].count && shape->vectors[v].bytes > 0; i++) {
      const uintptr_t begin = (uintptr_t)shape->vectors[v].remote[i];
      include(&footprint, begin, begin + shape->vectors[v].bytes);
    }
  return footprint;
}

static size_t magnitude(ptrdiff_t stride)
{
  return stride < 0 ? 0 - (size_t)stride : (size_t)stride;
}

/* Stride and run can describe the rows only if the strides of all higher levels are multiples of
 * the rows' stride. Otherwise the footprint is the whole extent. */
struct cwi_footprint cwi_footprint_of(const struct cwi_shape *shape)
{
  if (shape->vectors != NULL)
    return of_vectors(shape);
  const struct cwi_extent extent = cwi_shape_remote_extent(shape);
  struct cwi_footprint footprint = {.begin = extent.begin, .end = extent.end};
  const size_t stride = shape->levels > 0 ? magnitude(shape->remote_strides[0]) : 0;
  if (stride <= shape->run)
    return footprint;
  for (int level = 1; level < shape->levels; level++)
    if (magnitude(shape->remote_strides[level]) % stride != 0)
      return footprint;
  footprint.stride = stride;
  footprint.run = shape->run;
  return footprint;
}

struct cwi_footprint cwi_footprint_of_plane(const struct cwi_plane *plane)
{
  const struct cwi_shape shape = {.remote = plane->remote,
                                  .run = plane->run,
                                  .levels = plane->rows > 1,
                                  .counts = {plane->rows},
                                  .remote_strides = {plane->remote_stride}};
  return cwi_footprint_of(&shape);
}

bool cwi_footprints_overlap(const struct cwi_footprint *a, const struct cwi_footprint *b)
{
  if (a->begin >= b->end || b->begin >= a->end)
    return false;
  const size_t stride = a->stride != 0 ? a->stride : b->stride;
  if (stride == 0 || (b->stride != 0 && b->stride != stride))
    return true;
  const size_t a_run = a->stride != 0 ? a->run : a->end - a->begin;
  const size_t b_run = b->stride != 0 ? b->run : b->end - b->begin;
  const size_t distance = b->begin >= a->begin ? (b->begin - a->begin) % stride
                                               : (stride - (a->begin - b->begin) % stride) % stride;
  return distance < a_run || stride - distance < b_run;
}

void cwi_footprint_widen(struct cwi_footprint *footprint, const struct cwi_footprint *other)
{
  include(footprint, other->begin, other->end);
  footprint->stride = 0;
}

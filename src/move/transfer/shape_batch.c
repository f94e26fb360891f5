/* Splits shapes into batches. */
#include "transfer/shape_batch.h"

#include "base/size.h"

void cwi_batches_begin(struct cwi_batches *batches, const struct cwi_shape *shape, size_t capacity,
                       size_t atom)
{
  CWI_ASSERT(capacity >= CWI_BATCH_LONG);
  *batches = (struct cwi_batches){
      .shape = shape, .atom = atom, .capacity = capacity, .done = shape->bytes == 0};
  if (!batches->done && shape->vectors == NULL && shape->run > capacity) {
    batches->fragments = cwi_fragments(shape, atom);
    batches->done = true;
  }
}

/* --- Lists ------------------------------------------------------------------------------------ */

static bool is_empty(const cw_vector *vector)
{
  return vector->count == 0 || vector->bytes == 0;
}

/* Advances to the next segment that has bytes. */
static void skip_empty(struct cwi_batches *batches)
{
  const struct cwi_shape *shape = batches->shape;
  size_t *vector = &batches->index[0], *segment = &batches->index[1];
  while (*vector < shape->vector_count &&
         (is_empty(&shape->vectors[*vector]) || *segment == shape->vectors[*vector].count)) {
    ++*vector;
    *segment = 0;
  }
  batches->done = *vector == shape->vector_count;
}

static void begin_segment(struct cwi_batches *batches)
{
  const cw_vector *vector = &batches->shape->vectors[batches->index[0]];
  const size_t segment = batches->index[1]++;
  batches->one = (struct cwi_shape){.local = vector->local[segment],
                                    .remote = vector->remote[segment],
                                    .run = vector->bytes,
                                    .bytes = vector->bytes};
  batches->fragments = cwi_fragments(&batches->one, batches->atom);
}

/* Returns the bytes of capacity that a segment of the vector takes. */
static size_t each_of(const struct cwi_batches *batches, const cw_vector *vector)
{
  return (batches->bare ? 0 : vector->bytes) + CWI_BATCH_SEGMENT;
}

static bool has_own_batch(const struct cwi_batches *batches, const cw_vector *vector)
{
  return !batches->bare && vector->bytes >= CWI_BATCH_LONG;
}

static size_t segments_in(const struct cwi_batches *batches, size_t capacity,
                          const cw_vector *vector)
{
  const size_t each = each_of(batches, vector);
  const size_t most = capacity < CWI_BATCH_VECTOR ? 0 : (capacity - CWI_BATCH_VECTOR) / each;
  return most < vector->count ? most : vector->count;
}

/* Takes as many whole vectors as fit. Vectors without segments take space in the tables, too. */
static void take_vectors(struct cwi_batches *batches, struct cwi_batch *batch)
{
  const struct cwi_shape *shape = batches->shape;
  size_t capacity = batches->capacity - CWI_BATCH_TABLE, taken = batches->index[0];
  batch->shape.vectors = &shape->vectors[taken];
  for (; taken < shape->vector_count; taken++) {
    const cw_vector *vector = &shape->vectors[taken];
    const size_t count = is_empty(vector) ? 0 : vector->count;
    if (capacity < CWI_BATCH_VECTOR || segments_in(batches, capacity, vector) < count ||
        (count > 0 && has_own_batch(batches, vector)))
      break;
    capacity -= CWI_BATCH_VECTOR + count * each_of(batches, vector);
    batch->shape.bytes += count * vector->bytes;
    batch->segments += count;
  }
  batch->shape.vector_count = taken - batches->index[0];
  batches->index[0] = taken;
}

/* Takes segments of a vector that has been started already or does not fit as a whole. */
static void take_segments(struct cwi_batches *batches, struct cwi_batch *batch)
{
  size_t *segment = &batches->index[1];
  cw_vector part = batches->shape->vectors[batches->index[0]];
  part.local += *segment;
  part.remote += *segment;
  part.count -= *segment;
  part.count = segments_in(batches, batches->capacity - CWI_BATCH_TABLE, &part);
  *segment += part.count;
  batch->part = part;
  batch->segments = part.count;
  batch->shape.vectors = &batch->part;
  batch->shape.vector_count = 1;
  batch->shape.bytes = part.count * part.bytes;
}

static void next_of_list(struct cwi_batches *batches, struct cwi_batch *batch)
{
  batch->vector = batches->index[0];
  batch->segment = batches->index[1];
  if (batch->segment == 0)
    take_vectors(batches, batch);
  if (batch->segments == 0)
    take_segments(batches, batch);
}

bool cwi_batch_has_short(const struct cwi_shape *shape, size_t bytes)
{
  for (size_t v = 0; v < shape->vector_count; v++)
    if (!is_empty(&shape->vectors[v]) && shape->vectors[v].bytes < bytes)
      return true;
  return false;
}

/* --- Levels ----------------------------------------------------------------------------------- */

/* Returns the first level that does not fit a batch as a whole, or shape->levels if all fit. *below
 * receives the number of bytes of the levels below it. */
static int outer_level(const struct cwi_batches *batches, size_t *below)
{
  const struct cwi_shape *shape = batches->shape;
  int level = 0;
  *below = shape->run;
  while (level < shape->levels && shape->counts[level] <= batches->capacity / *below)
    *below *= shape->counts[level++];
  return level;
}

static void step(struct cwi_batches *batches, int level, size_t taken)
{
  const struct cwi_shape *shape = batches->shape;
  for (; level < shape->levels; level++, taken = 1) {
    batches->index[level] += taken;
    if (batches->index[level] < shape->counts[level])
      return;
    batches->index[level] = 0;
  }
  batches->done = true;
}

/* Stores the next batch of a strided shape. The batch has blocks of the first level that does not
 * fit as a whole, as many as the capacity allows. */
static void next_of_levels(struct cwi_batches *batches, struct cwi_batch *batch)
{
  const struct cwi_shape *shape = batches->shape;
  size_t below = 0, taken = 1;
  const int outer = outer_level(batches, &below);
  batch->shape = *shape;
  for (int level = outer; level < shape->levels; level++) {
    batch->shape.local += shape->local_strides[level] * (ptrdiff_t)batches->index[level];
    batch->shape.remote += shape->remote_strides[level] * (ptrdiff_t)batches->index[level];
  }
  batch->shape.levels = outer;
  if (outer < shape->levels) {
    const size_t left = shape->counts[outer] - batches->index[outer],
                 most = batches->capacity / below;
    taken = left < most ? left : most;
    batch->shape.levels += taken > 1;
    batch->shape.counts[outer] = taken;
  }
  batch->shape.bytes = below * taken;
  step(batches, outer, taken);
}

/* --- All -------------------------------------------------------------------------------------- */

bool cwi_batches_left(struct cwi_batches *batches)
{
  if (batches->fragments.planes.shape != NULL && cwi_fragments_left(&batches->fragments))
    return true;
  if (!batches->done && batches->shape->vectors != NULL)
    skip_empty(batches);
  return !batches->done;
}

void cwi_batches_next(struct cwi_batches *batches, struct cwi_batch *batch)
{
  const cw_vector *vectors = batches->shape->vectors;
  struct cwi_plane plane;
  *batch = (struct cwi_batch){.segments = 0};
  const bool in_fragments =
      batches->fragments.planes.shape != NULL && cwi_fragments_left(&batches->fragments);
  if (!in_fragments && vectors != NULL && has_own_batch(batches, &vectors[batches->index[0]]))
    begin_segment(batches);
  else if (!in_fragments && vectors != NULL)
    next_of_list(batches, batch);
  else if (!in_fragments)
    next_of_levels(batches, batch);
  if (batch->shape.bytes > 0)
    return;
  CWI_ASSERT(cwi_fragments_left(&batches->fragments));
  cwi_fragments_next(&batches->fragments, batches->capacity, &plane);
  batch->shape = cwi_shape_of_plane(&plane);
}

size_t cwi_batch_bytes(const struct cwi_shape *shape)
{
  size_t bytes = shape->bytes + (shape->vectors != NULL ? CWI_BATCH_TABLE : 0);
  for (size_t v = 0; shape->vectors != NULL && v < shape->vector_count; v++)
    bytes += CWI_BATCH_VECTOR +
             (is_empty(&shape->vectors[v]) ? 0 : CWI_BATCH_SEGMENT * shape->vectors[v].count);
  return bytes;
}

bool cwi_batch_takes_all(const struct cwi_shape *shape, size_t capacity)
{
  for (size_t v = 0; shape->vectors != NULL && v < shape->vector_count; v++)
    if (!is_empty(&shape->vectors[v]) && shape->vectors[v].bytes >= CWI_BATCH_LONG)
      return false;
  return cwi_batch_bytes(shape) <= capacity;
}

/* --- Packed on one side ----------------------------------------------------------------------- */

void cwi_batch_positions(const struct cwi_batch *batch, char *packed, void **positions)
{
  for (size_t v = 0; v < batch->shape.vector_count; v++) {
    const cw_vector *vector = &batch->shape.vectors[v];
    for (size_t i = 0; i < vector->count && vector->bytes > 0; i++, packed += vector->bytes)
      *positions++ = packed;
  }
}

/* Returns the shape between packed data and one side of a strided batch. */
static struct cwi_shape levels_packed(const struct cwi_shape *given, bool remote, char *packed)
{
  struct cwi_shape shape = *given;
  size_t bytes = shape.run;
  shape.local = packed;
  if (!remote)
    shape.remote = given->local;
  for (int level = 0; level < shape.levels; level++) {
    shape.local_strides[level] = (ptrdiff_t)bytes;
    if (!remote)
      shape.remote_strides[level] = given->local_strides[level];
    bytes *= shape.counts[level];
  }
  return shape;
}

struct cwi_shape cwi_batch_packed(const struct cwi_batch *batch, bool remote, char *packed,
                                  void *const *positions, cw_vector *vectors)
{
  if (batch->segments == 0)
    return levels_packed(&batch->shape, remote, packed);
  struct cwi_shape shape = {.vectors = vectors, .bytes = batch->shape.bytes};
  for (size_t v = 0; v < batch->shape.vector_count; v++) {
    const cw_vector *vector = &batch->shape.vectors[v];
    if (is_empty(vector))
      continue;
    vectors[shape.vector_count++] = (cw_vector){positions, remote ? vector->remote : vector->local,
                                                vector->count, vector->bytes};
    positions += vector->count;
  }
  return shape;
}

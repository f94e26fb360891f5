/* Splits a shape into batches; the data of a batch is packed and moved together. A batch has many
 * short rows or segments. A long segment has batches of its own. */
#pragma once

#include "transfer/shape_fragment.h"

/* A segment of CWI_BATCH_LONG bytes or more has batches of its own. A list needs tables beside its
 * data: CWI_BATCH_SEGMENT bytes for each segment, CWI_BATCH_VECTOR bytes for each vector, and
 * CWI_BATCH_TABLE bytes for alignment. */
enum {
  CWI_BATCH_LONG = 1 << 14,
  CWI_BATCH_SEGMENT = 24,
  CWI_BATCH_VECTOR = 64,
  CWI_BATCH_TABLE = 64
};

/* One batch. A batch of a list has whole vectors of the caller, or a part of one vector. */
struct cwi_batch {
  struct cwi_shape shape; /* if it is a list, its vectors are the caller's, or `part` */
  cw_vector part;
  size_t segments;        /* number of segments; 0 if the batch is not a list */
  size_t vector, segment; /* position in the whole list at which the batch begins */
};

/* Position of the iterator over the batches of a shape. */
struct cwi_batches {
  const struct cwi_shape *shape;
  size_t atom, capacity;
  struct cwi_shape one; /* the long segment that is being split into fragments */
  struct cwi_fragments
      fragments; /* fragments of `one`, or of rows that are longer than the capacity */
  size_t index[CW_MAX_LEVELS]; /* like cwi_planes.index, but the first level is included */
  bool done;
  bool bare; /* for lists: the capacity limits only the tables, not the data. The caller sets this
                after cwi_batches_begin. */
};

/* Starts to split `shape`. `capacity` is the upper bound on the bytes of a batch with its tables;
 * it must be at least CWI_BATCH_LONG. `atom` is passed to cwi_fragments. The shape must exist until
 * the last batch has been taken. */
void cwi_batches_begin(struct cwi_batches *batches, const struct cwi_shape *shape, size_t capacity,
                       size_t atom);

/* Returns true if there is another batch. */
bool cwi_batches_left(struct cwi_batches *batches);
/* Stores the next batch in `batch`. Call it only if cwi_batches_left returned true. The batch must
 * not be copied or moved, because its shape may point to its own `part`. */
void cwi_batches_next(struct cwi_batches *batches, struct cwi_batch *batch);

/* Returns the number of bytes of the whole shape with its tables. */
size_t cwi_batch_bytes(const struct cwi_shape *shape);
/* Returns true if the whole shape fits one batch of `capacity` bytes. */
bool cwi_batch_takes_all(const struct cwi_shape *shape, size_t capacity);

/* Returns true if a list has a segment shorter than `bytes`. */
bool cwi_batch_has_short(const struct cwi_shape *shape, size_t bytes);

/* Stores the address of each segment of a list within the packed data in `positions`, which has
 * space for as many addresses as the batch has segments. */
void cwi_batch_positions(const struct cwi_batch *batch, char *packed, void **positions);

/* Returns a shape whose local side is the packed data. Its remote side is the remote side of the
 * batch or, if `remote` is false, the local side of the batch. For a list, the caller has filled
 * `positions` by cwi_batch_positions, and this function fills `vectors`, which has space for as
 * many vectors as the batch has. */
struct cwi_shape cwi_batch_packed(const struct cwi_batch *batch, bool remote, char *packed,
                                  void *const *positions, cw_vector *vectors);

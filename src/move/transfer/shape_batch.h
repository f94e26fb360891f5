/* Cutting a shape into batches: what goes together, packed, in one move. Many short rows or
 * segments are in one; a long segment is one of its own. */
#ifndef CWI_TRANSFER_SHAPE_BATCH_H
#define CWI_TRANSFER_SHAPE_BATCH_H

#include "transfer/shape_fragment.h"

/* LONG: bytes of a segment that goes alone. A list needs tables beside its data: SEGMENT and VECTOR
 * bytes for each of these, and TABLE for what aligns them. */
enum {
  CWI_BATCH_LONG = 1 << 14,
  CWI_BATCH_SEGMENT = 24,
  CWI_BATCH_VECTOR = 64,
  CWI_BATCH_TABLE = 64
};

struct cwi_batch {
  struct cwi_shape shape; /* of a list: its vectors are the caller's, or `part` */
  cw_vector part;
  size_t segments;        /* 0: it is no list */
  size_t vector, segment; /* of the whole list: where it begins */
};

struct cwi_batches {
  const struct cwi_shape *shape;
  size_t atom, capacity;
  struct cwi_shape one;           /* what is cut: rows that are longer than the capacity */
  struct cwi_fragments fragments; /* of that */
  size_t index[CW_MAX_LEVELS];    /* as that of cwi_planes, but from the first level on */
  bool done;
  bool bare; /* set it once begun: of a list, the tables alone: no data takes capacity */
};

/* capacity: bytes of a batch with its tables; CWI_BATCH_LONG or more. atom: as cwi_fragments. The
 * shape stays while there are batches. */
void cwi_batches_begin(struct cwi_batches *batches, const struct cwi_shape *shape, size_t capacity,
                       size_t atom);

/* Is anything left? The next batch, only then; it is neither copied nor moved. */
bool cwi_batches_left(struct cwi_batches *batches);
void cwi_batches_next(struct cwi_batches *batches, struct cwi_batch *batch);

/* Bytes of the whole shape with its tables. Do they go in one batch of so much capacity? */
size_t cwi_batch_bytes(const struct cwi_shape *shape);
bool cwi_batch_takes_all(const struct cwi_shape *shape, size_t capacity);

/* Has a list segments shorter than that? */
bool cwi_batch_has_short(const struct cwi_shape *shape, size_t bytes);

/* Where each segment of a list is, packed: positions, as many as segments. */
void cwi_batch_positions(const struct cwi_batch *batch, char *packed, void **positions);

/* Between packed data, which becomes the local side, and the remote side of a batch, or its local
 * one. Of a list: positions: as above; vectors: capacity for as many as it has. */
struct cwi_shape cwi_batch_packed(const struct cwi_batch *batch, bool remote, char *packed,
                                  void *const *positions, cw_vector *vectors);
#endif

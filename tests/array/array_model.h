/* Random distributed arrays and their serial model, for the tests of src/data/array.
 *
 * A model holds whole numbers, the same in every process, and is changed by the same operations as
 * the array. Values are small: all types hold them and all sums exactly. */
#ifndef ARRAY_MODEL_H
#define ARRAY_MODEL_H

#include "kit/native.h"

typedef struct array_model {
  cw_array array;
  cw_type type;
  size_t element; /* bytes */
  int n;
  int64_t extents[CW_MAX_DIMENSIONS];
  size_t count;
  int64_t *real, *imaginary; /* [count], row-major */
} array_model;

/* Draw and create an array of `n` dimensions with random type, layout and holders; at most `most`
 * elements. ghosts: some around the blocks (layout CW_BLOCKS). Collective. */
void model_create(array_model *model, int n, size_t most, bool ghosts);
void model_destroy(array_model *model);

/* Store and load a number as an element of the type. Of CW_OPAQUE every byte tells the number. */
void model_store(const array_model *model, void *element, int64_t real, int64_t imaginary);
bool model_equal(const array_model *model, const void *element, int64_t real, int64_t imaginary);

size_t model_index(const array_model *model, const int64_t *index);

/* Step to the next index of a box, row-major; false: there was none. */
bool model_next(int n, const int64_t *lo, const int64_t *hi, int64_t *index);

/* A random patch, drawn by all alike. part, parts: only within this part of the longest dimension.
 * False: that part is empty. */
bool model_patch(const array_model *model, int part, int parts, int64_t *lo, int64_t *hi);

/* Compare the whole array with the model, by get and by load of what this process has. Collective.
 */
void model_verify(const array_model *model);

/* What process `process` writes to its element number `i` in round `round`: 1 to 9. */
int64_t model_payload(int process, size_t i, int round);

#endif

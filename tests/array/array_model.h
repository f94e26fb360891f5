/* Random distributed arrays and their serial model, for the tests of src/data/array.
 *
 * A model holds integers, the same in every process, and is changed by the same operations as the
 * array. Values are small, so that all types hold them and all sums exactly. */
#pragma once

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

/* Draws and creates an array of `n` dimensions with random type, layout and holders, and at most
 * `most` elements. If `ghosts`, blocks may have ghost cells (layout CW_BLOCKS). Collective. */
void model_create(array_model *model, int n, size_t most, bool ghosts);
void model_destroy(array_model *model);

/* model_store stores a number as an element of the type, and model_equal returns true if an element
 * has that number. For CW_OPAQUE every byte encodes the number. */
void model_store(const array_model *model, void *element, int64_t real, int64_t imaginary);
bool model_equal(const array_model *model, const void *element, int64_t real, int64_t imaginary);

size_t model_index(const array_model *model, const int64_t *index);

/* Steps to the next index of a box in row-major order. Returns false after the last one. */
bool model_next(int n, const int64_t *lo, const int64_t *hi, int64_t *index);

/* Draws a random patch, the same on all processes, within part `part` of `parts` of the longest
 * dimension. Returns false if that part is empty. */
bool model_patch(const array_model *model, int part, int parts, int64_t *lo, int64_t *hi);

/* Compares the whole array with the model, by gets and by loads of this process's part. Collective.
 * */
void model_verify(const array_model *model);

/* Returns the value, 1 to 9, that process `process` writes to its element number `i` in round
 * `round`. */
int64_t model_payload(int process, size_t i, int round);

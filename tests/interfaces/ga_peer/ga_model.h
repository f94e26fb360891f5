/* Serial models of global arrays.
 *
 * A model holds the whole array as complex numbers in every process, and is changed by the same
 * operations as the global array, one process's operations after another's. All values are whole
 * numbers, small enough that every element type holds them and all sums exactly: a comparison
 * allows no error.
 */
#pragma once

#include <complex.h>

#include "ga_kit.h"

typedef double complex model_number;

/* An element type of GA. Values are stored times `scale`, so that wide types use their width. */
typedef struct model_type {
  const char *name;
  int code;
  size_t size;
  double scale;
  bool adds; /* GA accumulates this type */
  bool is_complex;
} model_type;

extern const model_type model_types[];
enum {
  MODEL_INT,
  MODEL_LONG,
  MODEL_FLOAT,
  MODEL_DOUBLE,
  MODEL_SCPL,
  MODEL_DCPL,
  MODEL_LONGLONG,
  MODEL_TYPES
};

/* Returns the same type without the scale. */
model_type model_unscaled(const model_type *type);

void model_store(const model_type *type, void *array, size_t index, model_number value);
model_number model_load(const model_type *type, const void *array, size_t index);

/* Returns the value that process `process` writes to the index-th element of its round-th transfer.
 */
model_number model_payload(int process, size_t index, int round);

/* Returns the scale factor of the accumulates of a round: a whole number from 1 to 3, complex if
 * the type is. */
model_number model_alpha(const model_type *type, int round);

typedef struct model {
  const model_type *type;
  int ndim, dims[GA_MAX_DIM];
  size_t count;
  model_number *at; /* row-major */
} model;

void model_init(model *m, const model_type *type, int ndim, const int dims[]);
void model_free(model *m);
size_t model_index(const model *m, const int sub[]);

/* Creates a global array like the model, with GA's default distribution. */
int model_create(const model *m);

/* Collective on the array's group: every member puts its payload into its neighbour's block. */
void model_fill(model *m, int array, int round);

/* Collective on the array's group: puts the model's values into the array, every member those of
 * its neighbour's block. */
void model_write(const model *m, int array);

/* Collective on the array's group: synchronises, then every member compares the whole array, by
 * get, and its own block, by local access. */
void model_verify(const model *m, int array);

/* Compares element `index` with a value that came out of the array. */
bool model_check(const model *m, size_t index, model_number got, const char *how);

/* A patch of an array, and a local buffer for it. Along dimension d the patch has the elements
 * lo[d], lo[d]+skip[d] .. hi[d], modulo the array's extent (for the periodic calls). Each row of
 * the buffer may have padding at its end, which no transfer may touch. */
typedef struct patch {
  const model *of;
  int lo[GA_MAX_DIM], hi[GA_MAX_DIM], skip[GA_MAX_DIM];
  int extent[GA_MAX_DIM]; /* elements in the patch */
  int ld[GA_MAX_DIM];     /* as GA wants it: ld[d] is the buffer's extent in dimension d+1 */
  size_t count, bytes;
  unsigned char *buffer;
} patch;

/* skip may be NULL. pad is the number of padding elements of each dimension but the first. */
void patch_init(patch *p, const model *of, const int lo[], const int hi[], const int skip[],
                int pad);
/* Makes a patch of the whole array. */
void patch_init_whole(patch *p, const model *of, int pad);
void patch_free(patch *p);

/* Returns the position of the n-th element of the patch, in elements. */
typedef struct patch_spot {
  size_t in_buffer, in_model;
} patch_spot;
patch_spot patch_find(const patch *p, size_t n);

/* Fills the buffer with the payload of a process. */
void patch_payload(patch *p, int process, int round);

/* Apply a put and an accumulate of the buffer to the model. */
void patch_put(const patch *p, model *m);
void patch_acc(const patch *p, model *m, model_number alpha);

/* Checks after a get that the buffer agrees with the model and that the padding is unchanged. */
void patch_check(const patch *p, const char *how);

/* Draws a random patch from the common sequence, and the padding: `slab` of `slabs` limits it to
 * one part of the array along its longest dimension, so that patches of different slabs never
 * overlap. Returns false if that slab is empty. */
bool patch_draw(patch *p, const model *of, int slab, int slabs);

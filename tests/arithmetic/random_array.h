/* Random arrays with a serial model, for the tests of src/data/arithmetic. The model is a plain
 * array of numbers, the same in every process, on which naive loops do what the library does.
 *
 * All numbers are small integers, so that every type holds every result exactly, in any order of
 * additions. */
#pragma once

#include "kit/devices.h"
#include "kit/distribution.h"

#include <complex.h>

typedef double complex number;

struct random_array {
  cw_array array;
  cw_type type;
  size_t element; /* bytes */
  int n;
  int64_t extents[CW_MAX_DIMENSIONS];
  size_t count;
  number *values; /* [count], row-major */
};

/* Creates an array of random distribution, filled with random numbers, some of them 0 if `zeros`.
 * Collective. */
void array_make(struct random_array *made, cw_type type, int n, const int64_t *extents, bool zeros);
void array_end(struct random_array *made);

/* Creates another array with the distribution of `from`. Collective. */
void array_make_alike(struct random_array *made, const struct random_array *from, bool zeros);

/* Compares all elements with the model on all processes. Collective. */
void array_check(const struct random_array *made, const char *what);

/* Store a number as an element of the type, and load it. */
void number_store(cw_type type, number value, void *element);
number number_load(cw_type type, const void *element);
bool type_is_complex(cw_type type);
bool type_is_whole(cw_type type);

cw_type draw_type(void);
number draw_number(cw_type type, bool zero);

/* An operand: a patch of an array. */
struct part {
  struct random_array *of;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  bool transposed, whole; /* whole: call without lo and hi */
};

/* Makes an array with a patch of a logical shape. */
enum shape_kind { AS_IT_IS, ACROSS, RESHAPED };
void part_make(struct part *part, struct random_array *of, cw_type type, int n,
               const int64_t *shape, enum shape_kind kind, bool zeros);
cw_operand part_operand(const struct part *part);

/* Returns the number of the patch at a logical, row-major position. */
number *part_at(const struct part *part, size_t position);

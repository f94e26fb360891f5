/* Matrices of all types and distributions for the tests of src/data/linear, with local reference
 * matrices. */
#pragma once

#include "kit/native.h"

#include <complex.h>

/* Local matrices are row-major and of this type for every type of array. */
typedef double _Complex entry;

enum { TYPES = 4, DISTRIBUTIONS = 9 };
extern const cw_type types[TYPES];
bool is_complex(cw_type type);
bool is_single(cw_type type);

/* Makes an array with distribution number `distribution`; some are random, the same on all
 * processes. */
cw_array make_array(cw_type type, int dimensions, const int64_t *extents, int distribution);
cw_array make_matrix(cw_type type, int64_t rows, int64_t columns, int distribution);

/* write_array and read_array transfer all elements of an array in row-major order. Each process
 * writes its share; each reads everything. Collective. */
void write_array(cw_array array, const entry *values);
void read_array(cw_array array, entry *values);

/* Stores a value as an element of a type, for scalars. */
void to_element(cw_type type, entry value, void *element);
entry from_element(cw_type type, const void *element);

entry *make_numbers(int64_t count);

/* Draw, alike on all processes, an integer from -3 to 3, with such an imaginary part if the type
 * has one, so that sums are exact; and a real between -1 and 1. */
entry some_integer(cw_type type);
entry some_real(cw_type type);

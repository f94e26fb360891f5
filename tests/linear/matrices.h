/* Matrices of all types and distributions for the tests of src/data/linear, beside plain local
 * ones. */
#ifndef TESTS_LINEAR_MATRICES_H
#define TESTS_LINEAR_MATRICES_H

#include "kit/native.h"

#include <complex.h>

/* Local matrices are row-major, of this type whatever the array's. */
typedef double _Complex entry;

enum { TYPES = 4, DISTRIBUTIONS = 9 };
extern const cw_type types[TYPES];
bool is_complex(cw_type type);
bool is_single(cw_type type);

/* An array with the distribution of this number; some are drawn at random, alike on all. */
cw_array make_array(cw_type type, int dimensions, const int64_t *extents, int distribution);
cw_array make_matrix(cw_type type, int64_t rows, int64_t columns, int distribution);

/* All elements of an array, row-major: each process writes its share; each reads all. Collective.
 */
void write_array(cw_array array, const entry *values);
void read_array(cw_array array, entry *values);

/* One element of a type, for scalars. */
void to_element(cw_type type, entry value, void *element);
entry from_element(cw_type type, const void *element);

entry *make_numbers(int64_t count);

/* A whole number from -3 to 3, with such an imaginary part where the type has one: sums are exact.
 * A real between -1 and 1. Both alike on all processes. */
entry some_integer(cw_type type);
entry some_real(cw_type type);

#endif

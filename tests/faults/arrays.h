/* Arrays of all distributions and their expected contents, for runs in which one call fails. */
#pragma once

#include <causeway/array.h>

#include <stdint.h>

enum { EDGE = 36, KINDS = 6 };

extern const cw_distribution kinds[KINDS];
extern double model[EDGE][EDGE];

cw_array make(int dimensions, const int64_t *extents, int kind, cw_type type, const char *name);
cw_array make_matrix(int kind, const char *name); /* EDGE x EDGE, double */
void drop(cw_array *array);

/* Sets the array to the contents of the model. Collective. */
void load_model(cw_array array);
void expect_model(cw_array array, double most, const char *what);

void attached(void);

/* Tests matrices and files in builds with BLAS, ScaLAPACK and HDF5; does nothing in others. */
void matrices(void);
void files(void);

#include <causeway.h>

static cw_array a, c;
static int64_t a_lo[2], a_hi[2], c_lo[2], c_hi[2];
static int rows, columns, terms;
cw_error multiply(double *c, const double *a);

#include "block"

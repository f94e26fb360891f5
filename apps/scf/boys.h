/* The Boys function F_m(T) = integral of t^2m exp(-T t^2) over t from 0 to 1. */
#pragma once

enum { BOYS_ORDER_MAX = 20 }; /* enough for four h functions */

/** Prepares the table. Call it once before boys_values. */
void boys_initialise(void);

/** Computes values[m] = F_m(t) for m = 0 to order, with an error of about 1e-15. */
void boys_values(double t, int order, double *values);

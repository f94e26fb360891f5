/* Expected results of reductions: a serial model in long integers. Inputs are small, so that sums
 * and products of floating-point numbers are exact. */
#pragma once

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>

extern const char *const model_types[CW_TYPES];
extern const char *const model_reductions[CW_REDUCTIONS];

size_t model_element(cw_type type);

/* Returns true if the reduction is defined for the type. */
bool model_defined(cw_type type, cw_reduction reduction);

/* Fills `numbers` with the contribution of a process in round `round`. */
void model_fill(cw_type type, int process, int round, size_t count, void *numbers);

/* Removes the sign of zeros, because that of a product's zero depends on the order of its factors.
 * */
void model_clean(cw_type type, size_t count, void *numbers);

/* Calculates the result that the members of the team should get. */
void model_reduce(cw_team team, cw_type type, cw_reduction reduction, int round, size_t count,
                  void *numbers);

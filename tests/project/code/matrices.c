#include <causeway.h>

void matrices(cw_array array, cw_array right_hand_sides, double *numbers, int64_t i, int64_t j);

void matrices(cw_array array, cw_array right_hand_sides, double *numbers, int64_t i, int64_t j)
{
#include "block"
}

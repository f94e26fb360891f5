/* clang-format off */
/* run: expect: cw_array_fill: value has to be the same on all members: process 0 passes 0, process 1 passes 1 */
#include "block"

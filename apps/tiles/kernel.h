/* A kernel that multiplies a few pairs of tiles: C += A0 B0 + A1 B1 + A2 B2, stored by rows.
 *
 * Arguments: C, A0, B0, A1, B1, A2, B2; rows and columns of C; terms of each pair, which may be 0.
 * Groups of KERNEL_SIDE x KERNEL_SIDE work items, whose dimension 0 is along rows. */
#pragma once

#include <causeway.h>

enum { KERNEL_PAIRS = 3, KERNEL_SIDE = 16 };

extern const cw_kernel_source kernel_source;
extern const cw_host_function kernel_functions[];
extern const char kernel_name[];

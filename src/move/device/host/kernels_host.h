/* The kernels of library_kernels.cl in C, for the host back end. */
#pragma once

#include <causeway/device.h>

extern const cw_host_function cwi_kernels_host[];

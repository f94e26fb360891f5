/* The kernels of library_kernels.cl in C, for the host back end. */
#ifndef CWI_DEVICE_HOST_KERNELS_HOST_H
#define CWI_DEVICE_HOST_KERNELS_HOST_H

#include <causeway/device.h>

extern const cw_host_function cwi_kernels_host[];
#endif

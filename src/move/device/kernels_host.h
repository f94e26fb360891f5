/* The kernels of kernels.cl in C, for back end host. */
#ifndef CWI_DEVICE_KERNELS_HOST_H
#define CWI_DEVICE_KERNELS_HOST_H

#include <causeway/device.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const cw_host_function cwi_kernels_host[];

#ifdef __cplusplus
}
#endif
#endif

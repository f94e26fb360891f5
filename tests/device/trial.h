/* Kernels for the tests of back ends, for each kind of device. */
#pragma once

#include <causeway/device.h>

/* The source is trial.cl; its C functions are in trial.c. */
extern const cw_kernel_source trial_source;
extern const cw_host_function trial_functions[];

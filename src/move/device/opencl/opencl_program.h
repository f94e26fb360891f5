/* Programs of the OpenCL back end. Equal sources are compiled once for each device. */
#pragma once

#include "base/error.h"
#include "device/opencl/opencl_library.h"

#include <causeway/device.h>

struct cwi_opencl_program;

/* Stores the program of a source in *program. `programs` is the device's list of programs, which
 * are kept until the device is closed. `name` is the name of the device, for messages. */
CWI_CHECKED cw_error cwi_opencl_build(const char *name, cl_context context, cl_device_id device,
                                      struct cwi_opencl_program **programs,
                                      const cw_kernel_source *source,
                                      struct cwi_opencl_program **program);
/* Releases all programs of a device. */
void cwi_opencl_programs_end(struct cwi_opencl_program **programs);

/* Creates the kernel called `kernel_name`; the caller releases it. Errors: CW_MISUSE if the program
 * has no such kernel; CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_opencl_find(const char *name, const struct cwi_opencl_program *program,
                                     const char *kernel_name, cl_kernel *kernel);

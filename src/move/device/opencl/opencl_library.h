/* The OpenCL library, its devices, and the names of its errors. The library is opened at run time
 * and never linked. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

/* The functions are in a table, so that tests can let a call fail. */
struct cwi_opencl_library {
#define X(name) __typeof__(&(name)) name;
#include "device/opencl/opencl.def"
#undef X
};
extern struct cwi_opencl_library cwi_opencl;

/* A device that can be used. */
struct cwi_opencl_found {
  cl_platform_id platform;
  cl_device_id device;
  bool is_processor; /* the device is the processor, so its memory is host memory */
  char name[128];
};

/* Returns the number of usable devices. Accelerators come first. If there are none, writes the
 * reason to `why`. If some devices cannot be used, writes their names and the reasons to `why`.
 * Otherwise writes "". The first call opens the library. Any thread may call this. */
int cwi_opencl_count(char *why, size_t size);

/* Returns device `number`, counted from 1, or NULL if there is none. */
const struct cwi_opencl_found *cwi_opencl_device(int number);

/* Fills in *found for a device, except for the platform. The device need not be one of those that
 * cwi_opencl_count has found. Returns NULL if the device can be used, otherwise the reason why not,
 * as a part of a message. */
const char *cwi_opencl_describe(cl_device_id device, struct cwi_opencl_found *found);

/* Returns the name of an error code, such as "CL_OUT_OF_RESOURCES". Returns "an error of its own"
 * for codes that the standard does not name. */
const char *cwi_opencl_error_name(cl_int code);

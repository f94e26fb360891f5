/* For tests of virtual OpenCL: opens the library as a loader does. */
#pragma once

#include "kit/kit.h"

#include "executor/opencl.h"

/* The table of the platform's calls, and a device with a context and a queue. */
extern const cl_icd_dispatch *cl;
extern cl_platform_id platform;
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue;

/* Opens the library as a loader does, and sets `platform` and `cl`. */
void vocl_open(const char *library);

/* Starts the kit and opens the library that the first argument names, with the vendors of
 * OCL_ICD_VENDORS, or with a proxy of its own (test_proxy.h) if VOCL_REMOTE is in the environment.
 * Ends the program if it cannot. */
void vocl_start(int *argc, char ***argv, const char *program);

/* Releases context and queue, and ends the kit. Returns the exit status. */
int vocl_finish(void);

/* Checks that a call returned the code. */
bool check_code(cl_int got, cl_int want, const char *what);

/* Print an error and end the program if a condition does not hold. */
void must(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
void must_be(cl_int got, cl_int want, const char *what);

/* Makes the device with that number `device`. Ends the program if there is none. */
void vocl_choose(unsigned long number);

/* Returns a built program. Ends the test if the build fails. */
cl_program vocl_build(const char *text);

/* Returns the number that a clGet...Info query returns in the given type. */
#define VOCL_GET(type, call, handle, what)                                                         \
  ({                                                                                               \
    type vocl_value = 0;                                                                           \
    check_code(cl->call(handle, what, sizeof vocl_value, &vocl_value, NULL), CL_SUCCESS, #what);   \
    vocl_value;                                                                                    \
  })

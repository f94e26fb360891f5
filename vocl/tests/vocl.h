/* For tests of virtual OpenCL: opens the library as a loader does. */
#ifndef TESTS_VOCL_VOCL_H
#define TESTS_VOCL_VOCL_H

#include "kit/kit.h"

#include "executor/opencl.h"

/* The calls of the platform's table, and a device with a context and a queue. */
extern const cl_icd_dispatch *cl;
extern cl_platform_id platform;
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue;

/* Open the library as a loader does; platform and cl are set. */
void vocl_open(const char *library);

/* Start the kit and open the library that the first argument names, over the vendors of
 * OCL_ICD_VENDORS; with VOCL_REMOTE in the environment over a proxy of its own (test_proxy.h). Ends
 * the program if it cannot. */
void vocl_start(int *argc, char ***argv, const char *program);

/* Release context and queue, end the kit; returns the exit status. */
int vocl_finish(void);

/* Checks that a call returned the code. */
bool check_code(cl_int got, cl_int want, const char *what);

/* For programs that stop at the first thing that is not as it should be: they say so, and end. */
void must(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
void must_be(cl_int got, cl_int want, const char *what);

/* The device of that number is `device` from now on. Ends the program if there is none. */
void vocl_choose(unsigned long number);

/* A built program; it ends the test if that fails. */
cl_program vocl_build(const char *text);

/* The number that a clGet...Info gives, through its own type. */
#define VOCL_GET(type, call, handle, what)                                                         \
  ({                                                                                               \
    type vocl_value = 0;                                                                           \
    check_code(cl->call(handle, what, sizeof vocl_value, &vocl_value, NULL), CL_SUCCESS, #what);   \
    vocl_value;                                                                                    \
  })

#endif

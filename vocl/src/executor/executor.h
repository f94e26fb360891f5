/* The executor: executes decoded commands on native OpenCL. The client calls it for this
 * machine's devices, and proxies call it for programs elsewhere, so it knows nothing of the
 * client's handles.
 *
 * An object here is an opaque pointer that a vendor's library returned.
 *
 * command.h          commands of queues, and the table of what each sort of command does
 * native_build.c     builds, compiles and links programs
 * native_describe.c  the facts of a device, queried once
 * native_execute.c   the table of commands; enqueues decoded commands and waits for them
 * native_make.c      makes and releases all sorts of objects
 * native_query.c     answers queries that only the vendor can answer
 * vendors.c          opens the vendors' libraries and finds their devices */
#pragma once

#include "executor/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A property of a device. */
struct vocl_fact {
  cl_device_info what;
  uint32_t size;
  void *value;
};

struct vocl_facts {
  size_t count;
  struct vocl_fact *facts; /* sorted by `what` */
};

struct vocl_found_device {
  void *object;
  unsigned vendor; /* devices of one vendor can share a context */
};

/* Returns the number of devices of all vendors, in the order of vendors and of their platforms.
 * The first call opens the vendors' libraries. */
size_t vocl_vendor_devices(const struct vocl_found_device **devices);

/* Returns the facts of a device, or NULL if there is no memory. The caller frees them with
 * vocl_facts_free. */
struct vocl_facts *vocl_native_describe(void *device);
void vocl_facts_free(struct vocl_facts *facts);

/* Returns the fact, or NULL if the device does not report it. */
const struct vocl_fact *vocl_fact_find(const struct vocl_facts *facts, cl_device_info what);

/* Sorts of objects that are made and released. */
enum vocl_sort {
  VOCL_CONTEXT,
  VOCL_QUEUE,
  VOCL_BUFFER,
  VOCL_SUB_BUFFER,
  VOCL_IMAGE,
  VOCL_SAMPLER,
  VOCL_SOURCE_PROGRAM,
  VOCL_BINARY_PROGRAM,
  VOCL_BUILT_IN_PROGRAM,
  VOCL_KERNEL,
  VOCL_USER_EVENT,
  VOCL_EVENT, /* made by commands */
  VOCL_DEVICE,
  VOCL_SORT_COUNT
};

typedef void(CL_CALLBACK *vocl_context_function)(const char *, const void *, size_t, void *);

/* Description of an object to make. Only the fields that its sort needs are set. */
struct vocl_making {
  enum vocl_sort sort;
  void *parent; /* the context; for a sub-buffer its buffer, for a kernel its program */
  cl_uint device_count;
  void *const *devices;
  const unsigned *vendors;                 /* vendors of the devices; for a context only */
  const cl_context_properties *properties; /* without the platform */
  vocl_context_function notice;
  void *notice_data;
  cl_bitfield flags;
  size_t size;
  size_t offset;
  void *host;
  const cl_image_format *format;
  const cl_image_desc *image; /* .mem_object is an object of the executor */
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  cl_uint count; /* number of strings */
  const void *const *strings;
  const size_t *lengths;
  const char *name; /* name of a kernel, or names of built-in kernels */
  cl_int *statuses;
};

/* Return the number of rows and of slices of a whole image, as a region counts them. */
size_t vocl_image_rows(const cl_image_desc *image);
size_t vocl_image_slices(const cl_image_desc *image);

/* vocl_native_make makes an object, vocl_native_drop releases it. Functions that return a cl_int
 * return CL_SUCCESS or OpenCL's error. */
cl_int vocl_native_make(const struct vocl_making *making, void **object);
void vocl_native_drop(enum vocl_sort sort, void *object);

/* Stores at most `most` objects and sets *count to the number that exist. Either pointer may be
 * NULL. */
cl_int vocl_native_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
/* Clones a kernel with the arguments that are set. Returns CL_INVALID_OPERATION for devices
 * older than OpenCL 2.1. */
cl_int vocl_native_clone_kernel(void *kernel, void **clone);
cl_int vocl_native_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                    cl_uint most, void **devices, cl_uint *count);

/* Registers a callback for the deletion of the memory. Its first argument is unspecified. */
typedef void(CL_CALLBACK *vocl_memory_callback)(cl_mem, void *);
cl_int vocl_native_on_deleted(void *memory, vocl_memory_callback function, void *data);

enum vocl_build_step { VOCL_BUILD, VOCL_COMPILE, VOCL_LINK };

/* Description of a build, which has ended when vocl_native_build returns. `options_there` and
 * `archive` are for a proxy: the options with placeholders for directories, and the files that the
 * program's source may include (wire/message.h). Both are NULL if the source includes no files. */
struct vocl_building {
  enum vocl_build_step step;
  void *program; /* for VOCL_LINK the context; the result is *linked */
  cl_uint device_count;
  void *const *devices;
  const char *options;
  cl_uint program_count; /* number of headers, or of programs to link */
  void *const *programs;
  const char **names; /* names of the headers */
  const char *options_there, *archive;
  void **linked;
};

cl_int vocl_native_build(const struct vocl_building *building);

/* Returns true if the name of an argument's type is that of an image: image2d_t, image1d_array_t,
 * ... A type that the program defines may also begin with "image". */
static inline bool vocl_type_is_image(const char *type)
{
  return strncmp(type, "image", 5) == 0 && type[5] >= '1' && type[5] <= '3' && type[6] == 'd' &&
         strcmp(type + strlen(type) - 2, "_t") == 0;
}

/* The kind of object that a query is about. */
enum vocl_query_about {
  VOCL_ABOUT_MEMORY,
  VOCL_ABOUT_IMAGE,
  VOCL_ABOUT_PROGRAM,
  VOCL_ABOUT_BUILD,
  VOCL_ABOUT_KERNEL,
  VOCL_ABOUT_WORK_GROUP,
  VOCL_ABOUT_ARGUMENT,
  VOCL_ABOUT_EVENT,
  VOCL_ABOUT_PROFILE,
  VOCL_ABOUT_COUNT
};

struct vocl_query {
  enum vocl_query_about about;
  void *object;
  void *device;  /* for VOCL_ABOUT_BUILD and VOCL_ABOUT_WORK_GROUP */
  cl_uint index; /* for VOCL_ABOUT_ARGUMENT */
  cl_uint what;
};

/* Answers a query like OpenCL does; `value` or `size_needed` may be NULL. */
cl_int vocl_native_query(const struct vocl_query *query, size_t size, void *value,
                         size_t *size_needed);
/* Returns a known answer of `bytes` bytes like OpenCL does. */
static inline cl_int vocl_query_return(const void *answer, size_t bytes, size_t size, void *value,
                                       size_t *size_needed)
{
  if (value != NULL) {
    if (size < bytes)
      return CL_INVALID_VALUE;
    if (bytes > 0)
      memcpy(value, answer, bytes);
  }
  if (size_needed != NULL)
    *size_needed = bytes;
  return CL_SUCCESS;
}

/* Stores the address of the field in *answer and its size in *bytes, and evaluates to true. Used in
 * functions with these parameters. */
#define VOCL_KNOWN(field) (*answer = &(field), *bytes = sizeof(field), true)

cl_int vocl_native_query_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                                 cl_uint most, cl_image_format *formats, cl_uint *count);

/* Enqueues the command. May change its fields; a map sets `host`. */
cl_int vocl_native_execute(struct vocl_command *command);

/* Call clSetKernelArg, clFlush, clFinish, clWaitForEvents and clSetUserEventStatus. */
cl_int vocl_native_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int vocl_native_flush(void *queue);
cl_int vocl_native_finish(void *queue);
cl_int vocl_native_wait(cl_uint count, void *const *events);
cl_int vocl_native_set_user_event(void *event, cl_int status);

/* Registers a callback that is made when the event reaches `status`. Its first argument is
 * undefined. */
typedef void(CL_CALLBACK *vocl_event_function)(cl_event, cl_int, void *);
cl_int vocl_native_on_event(void *event, cl_int status, vocl_event_function function, void *data);

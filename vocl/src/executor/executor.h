/* The executor: performs decoded commands on real OpenCL. For this machine's devices the client
 * calls it; it knows nothing of the client's handles, so that it can stand at the other end of a
 * ring as well.
 *
 * "Object": what a vendor's library gave, an opaque pointer to whoever calls.
 *
 * native_build.c     builds, compiles and links programs, for whoever decoded a command to do so
 * native_describe.c  what a device says of itself, once
 * native_execute.c   puts decoded commands into queues, and waits for them
 * native_make.c      makes and releases contexts, queues, memory, samplers, programs, kernels, user
 * native_query.c     answers what only the vendor knows, for queries that are not answered at home
 * vendors.c          opens the vendors' libraries, and finds their devices */
#ifndef VOCL_EXECUTOR_EXECUTOR_H
#define VOCL_EXECUTOR_EXECUTOR_H

#include "executor/opencl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a device says of itself. */
struct vocl_fact {
  cl_device_info what;
  uint32_t size;
  void *value;
};

struct vocl_facts {
  size_t count;
  struct vocl_fact *facts; /* in order of `what` */
};

struct vocl_found_device {
  void *object;
  unsigned vendor; /* devices of one vendor can be in one context */
};

/* The devices of all vendors, in the order of vendors and of their platforms. The first call opens
 * the vendors' libraries. Returns how many there are. */
size_t vocl_vendor_devices(const struct vocl_found_device **devices);

/* NULL: no memory. */
struct vocl_facts *vocl_native_describe(void *device);
void vocl_facts_free(struct vocl_facts *facts);

/* NULL: the device does not say it. */
const struct vocl_fact *vocl_fact_find(const struct vocl_facts *facts, cl_device_info what);

/* Objects that are made and released. */
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
  VOCL_EVENT, /* commands make it */
  VOCL_DEVICE,
  VOCL_SORT_COUNT
};

typedef void(CL_CALLBACK *vocl_context_function)(const char *, const void *, size_t, void *);

/* What is to be made. Only what its sort needs is set. */
struct vocl_making {
  enum vocl_sort sort;
  void *parent; /* the context; of a sub-buffer its buffer, of a kernel its program */
  cl_uint device_count;
  void *const *devices;
  const unsigned *vendors;                 /* of a context's devices */
  const cl_context_properties *properties; /* without the platform */
  vocl_context_function notice;
  void *notice_data;
  cl_bitfield flags;
  size_t size;
  size_t offset;
  void *host;
  const cl_image_format *format;
  const cl_image_desc *image; /* .mem_object: an object of the executor's */
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  cl_uint count; /* of strings */
  const void *const *strings;
  const size_t *lengths;
  const char *name; /* of a kernel, or of several */
  cl_int *statuses;
};

cl_int vocl_native_make(const struct vocl_making *making, void **object);
void vocl_native_drop(enum vocl_sort sort, void *object);

/* At most `most` objects are written; *count tells how many there are. Either may be NULL. */
cl_int vocl_native_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
/* With the arguments that are set. Devices older than OpenCL 2.1 cannot: CL_INVALID_OPERATION. */
cl_int vocl_native_clone_kernel(void *kernel, void **clone);
cl_int vocl_native_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                    cl_uint most, void **devices, cl_uint *count);

/* Call function(whatever, data) when the memory is deleted. */
typedef void(CL_CALLBACK *vocl_memory_callback)(cl_mem, void *);
cl_int vocl_native_on_deleted(void *memory, vocl_memory_callback function, void *data);

enum vocl_build_step { VOCL_BUILD, VOCL_COMPILE, VOCL_LINK };

/* Returns when it is done. options_there, archive: for a proxy, the options with the places of the
 * folders that they name, and the files that the program's text may include (wire/message.h); NULL
 * if it includes none. */
struct vocl_building {
  enum vocl_build_step step;
  void *program; /* VOCL_LINK: the context; the result is *linked */
  cl_uint device_count;
  void *const *devices;
  const char *options;
  cl_uint program_count; /* headers, or what is linked */
  void *const *programs;
  const char **names; /* of headers */
  const char *options_there, *archive;
  void **linked;
};

cl_int vocl_native_build(const struct vocl_building *building);

/* The name of an argument's type is an image's: image2d_t, image1d_array_t, ... A program's own
 * type may begin like one. */
static inline bool vocl_type_is_image(const char *type)
{
  return strncmp(type, "image", 5) == 0 && type[5] >= '1' && type[5] <= '3' && type[6] == 'd' &&
         strcmp(type + strlen(type) - 2, "_t") == 0;
}

/* Whom a question is about. */
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
  void *device;  /* VOCL_ABOUT_BUILD, VOCL_ABOUT_WORK_GROUP */
  cl_uint index; /* VOCL_ABOUT_ARGUMENT */
  cl_uint what;
};

/* The answer as OpenCL gives it: value or size_needed may be NULL. */
cl_int vocl_native_query(const struct vocl_query *query, size_t size, void *value,
                         size_t *size_needed);
/* Where an answer is known: hand out so many bytes as OpenCL does. */
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

/* For functions that find `*answer`, of `*bytes`: it is this. */
#define VOCL_KNOWN(field) (*answer = &(field), *bytes = sizeof(field), true)

cl_int vocl_native_query_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                                 cl_uint most, cl_image_format *formats, cl_uint *count);

/* The commands of queues: buffers, images, both, kernels, none of them. */
enum vocl_command_sort {
  VOCL_COMMAND_READ,
  VOCL_COMMAND_WRITE,
  VOCL_COMMAND_READ_RECT,
  VOCL_COMMAND_WRITE_RECT,
  VOCL_COMMAND_COPY,
  VOCL_COMMAND_COPY_RECT,
  VOCL_COMMAND_FILL,
  VOCL_COMMAND_READ_IMAGE,
  VOCL_COMMAND_WRITE_IMAGE,
  VOCL_COMMAND_COPY_IMAGE,
  VOCL_COMMAND_FILL_IMAGE,
  VOCL_COMMAND_IMAGE_TO_BUFFER,
  VOCL_COMMAND_BUFFER_TO_IMAGE,
  VOCL_COMMAND_MAP,
  VOCL_COMMAND_MAP_IMAGE,
  VOCL_COMMAND_UNMAP,
  VOCL_COMMAND_MIGRATE,
  VOCL_COMMAND_LAUNCH,
  VOCL_COMMAND_TASK,
  VOCL_COMMAND_MARKER,
  VOCL_COMMAND_BARRIER,
  VOCL_COMMAND_COUNT
};

/* A flag of a marker in place of another command: without a list it waits for nothing before it. */
enum { VOCL_WAITS_FOR_LIST = 1 };

/* A command, decoded. Only what its sort needs is set. Side 0 is the source of a copy and the
 * memory of all else, side 1 the target of a copy; a host's pointer has the other side's place. */
struct vocl_command {
  enum vocl_command_sort sort;
  cl_bool blocking;
  void *queue;
  void *memory[2];
  size_t offset[2];        /* of buffers, in bytes */
  const size_t *origin[2]; /* of images and rectangles */
  const size_t *region;
  size_t row_pitch[2];
  size_t slice_pitch[2];
  size_t size;
  void *host;          /* read into, written from, mapped at; the map's result */
  const void *pattern; /* what is filled in */
  size_t pattern_size;
  cl_bitfield flags;
  size_t *pitches[2]; /* results of MAP_IMAGE: rows, slices */
  cl_uint count;      /* of objects of MIGRATE, or dimensions */
  void *const *objects;
  void *kernel;
  const size_t *global_offset, *global_size, *local_size;
  cl_uint wait_count;
  void *const *waits;
  void **event; /* NULL: not wanted */
};

cl_int vocl_native_execute(struct vocl_command *command);

cl_int vocl_native_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int vocl_native_flush(void *queue);
cl_int vocl_native_finish(void *queue);
cl_int vocl_native_wait(cl_uint count, void *const *events);
cl_int vocl_native_set_user_event(void *event, cl_int status);

/* Call function(whatever, status, data) when the event gets there. */
typedef void(CL_CALLBACK *vocl_event_function)(cl_event, cl_int, void *);
cl_int vocl_native_on_event(void *event, cl_int status, vocl_event_function function, void *data);
#endif

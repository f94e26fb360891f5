/* The executor: performs decoded commands on real OpenCL. For this machine's devices the client
 * calls it; it knows nothing of the client's handles, so that it can stand at the other end of a
 * ring as well.
 *
 * vendors.c   opens the vendors' libraries, and finds their devices
 * describe.c  what a device says of itself, once
 * make.c      makes and releases contexts, queues, memory, samplers, programs, kernels, user events
 * build.c     builds, compiles and links programs
 * ask.c       answers what only the vendor knows
 * execute.c   commands in queues, and waiting for them
 *
 * "Object": what a vendor's library gave, an opaque pointer to whoever calls. */
#ifndef CWI_EXECUTOR_EXECUTOR_H
#define CWI_EXECUTOR_EXECUTOR_H

#include "executor/opencl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a device says of itself. */
struct cwi_fact {
  cl_device_info what;
  uint32_t size;
  void *value;
};

struct cwi_facts {
  size_t count;
  struct cwi_fact *facts; /* in order of `what` */
};

struct cwi_found_device {
  void *object;
  unsigned vendor; /* devices of one vendor can be in one context */
};

/* The devices of all vendors, in the order of vendors and of their platforms. The first call opens
 * the vendors' libraries. Returns how many there are. */
size_t cwi_vendor_devices(const struct cwi_found_device **devices);

/* NULL: no memory. */
struct cwi_facts *cwi_native_describe(void *device);
void cwi_facts_free(struct cwi_facts *facts);

/* NULL: the device does not say it. */
const struct cwi_fact *cwi_fact_find(const struct cwi_facts *facts, cl_device_info what);

/* Objects that are made and released. */
enum cwi_sort {
  CWI_CONTEXT,
  CWI_QUEUE,
  CWI_BUFFER,
  CWI_SUB_BUFFER,
  CWI_IMAGE,
  CWI_SAMPLER,
  CWI_SOURCE_PROGRAM,
  CWI_BINARY_PROGRAM,
  CWI_BUILT_IN_PROGRAM,
  CWI_KERNEL,
  CWI_USER_EVENT,
  CWI_EVENT, /* commands make it */
  CWI_DEVICE,
  CWI_SORTS
};

typedef void(CL_CALLBACK *cwi_context_notice)(const char *, const void *, size_t, void *);

/* What is to be made. Only what its sort needs is set. */
struct cwi_making {
  enum cwi_sort sort;
  void *parent; /* the context; of a sub-buffer its buffer, of a kernel its program */
  cl_uint device_count;
  void *const *devices;
  const unsigned *vendors;                 /* of a context's devices */
  const cl_context_properties *properties; /* without the platform */
  cwi_context_notice notice;
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

cl_int cwi_native_make(const struct cwi_making *making, void **object);
void cwi_native_drop(enum cwi_sort sort, void *object);

/* At most `most` objects are written; *count tells how many there are. Either may be NULL. */
cl_int cwi_native_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
/* With the arguments that are set. Devices older than OpenCL 2.1 cannot: CL_INVALID_OPERATION. */
cl_int cwi_native_clone_kernel(void *kernel, void **clone);
cl_int cwi_native_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                   cl_uint most, void **devices, cl_uint *count);

/* Call function(whatever, data) when the memory is deleted. */
typedef void(CL_CALLBACK *cwi_memory_deleted)(cl_mem, void *);
cl_int cwi_native_tell_deleted(void *memory, cwi_memory_deleted function, void *data);

enum cwi_build_step { CWI_BUILD, CWI_COMPILE, CWI_LINK };

/* Returns when it is done. options_there, archive: for a proxy, the options with the places of the
 * folders that they name, and the files that the program's text may include (wire/message.h); NULL
 * if it includes none. */
struct cwi_building {
  enum cwi_build_step step;
  void *program; /* CWI_LINK: the context; the result is *linked */
  cl_uint device_count;
  void *const *devices;
  const char *options;
  cl_uint program_count; /* headers, or what is linked */
  void *const *programs;
  const char **names; /* of headers */
  const char *options_there, *archive;
  void **linked;
};

cl_int cwi_native_build(const struct cwi_building *building);

/* The name of an argument's type is an image's: image2d_t, image1d_array_t, ... A program's own
 * type may begin like one. */
static inline bool cwi_type_is_image(const char *type)
{
  return strncmp(type, "image", 5) == 0 && type[5] >= '1' && type[5] <= '3' && type[6] == 'd' &&
         strcmp(type + strlen(type) - 2, "_t") == 0;
}

/* Whom a question is about. */
enum cwi_about {
  CWI_ABOUT_MEMORY,
  CWI_ABOUT_IMAGE,
  CWI_ABOUT_PROGRAM,
  CWI_ABOUT_BUILD,
  CWI_ABOUT_KERNEL,
  CWI_ABOUT_WORK_GROUP,
  CWI_ABOUT_ARGUMENT,
  CWI_ABOUT_EVENT,
  CWI_ABOUT_PROFILE,
  CWI_ABOUTS
};

struct cwi_native_question {
  enum cwi_about about;
  void *object;
  void *device;  /* CWI_ABOUT_BUILD, CWI_ABOUT_WORK_GROUP */
  cl_uint index; /* CWI_ABOUT_ARGUMENT */
  cl_uint what;
};

/* The answer as OpenCL gives it: value or size_needed may be NULL. */
cl_int cwi_native_ask(const struct cwi_native_question *question, size_t size, void *value,
                      size_t *size_needed);
/* Where an answer is known: hand out so many bytes as OpenCL does. */
static inline cl_int cwi_answer_give(const void *answer, size_t bytes, size_t size, void *value,
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
#define CWI_KNOWN(field) (*answer = &(field), *bytes = sizeof(field), true)

cl_int cwi_native_ask_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                              cl_uint most, cl_image_format *formats, cl_uint *count);

/* The commands of queues: buffers, images, both, kernels, none of them. */
enum cwi_command_sort {
  CWI_COMMAND_READ,
  CWI_COMMAND_WRITE,
  CWI_COMMAND_READ_RECT,
  CWI_COMMAND_WRITE_RECT,
  CWI_COMMAND_COPY,
  CWI_COMMAND_COPY_RECT,
  CWI_COMMAND_FILL,
  CWI_COMMAND_READ_IMAGE,
  CWI_COMMAND_WRITE_IMAGE,
  CWI_COMMAND_COPY_IMAGE,
  CWI_COMMAND_FILL_IMAGE,
  CWI_COMMAND_IMAGE_TO_BUFFER,
  CWI_COMMAND_BUFFER_TO_IMAGE,
  CWI_COMMAND_MAP,
  CWI_COMMAND_MAP_IMAGE,
  CWI_COMMAND_UNMAP,
  CWI_COMMAND_MIGRATE,
  CWI_COMMAND_LAUNCH,
  CWI_COMMAND_TASK,
  CWI_COMMAND_MARKER,
  CWI_COMMAND_BARRIER,
  CWI_COMMAND_SORTS
};

/* A flag of a marker in place of another command: without a list it waits for nothing before it. */
enum { CWI_WAITS_FOR_LIST = 1 };

/* A command, decoded. Only what its sort needs is set. Side 0 is the source of a copy and the
 * memory of all else, side 1 the target of a copy; a host's pointer has the other side's place. */
struct cwi_command {
  enum cwi_command_sort sort;
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

cl_int cwi_native_execute(struct cwi_command *command);

cl_int cwi_native_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int cwi_native_flush(void *queue);
cl_int cwi_native_finish(void *queue);
cl_int cwi_native_wait(cl_uint count, void *const *events);
cl_int cwi_native_set_user_event(void *event, cl_int status);

/* Call function(whatever, status, data) when the event gets there. */
typedef void(CL_CALLBACK *cwi_event_notice)(cl_event, cl_int, void *);
cl_int cwi_native_tell_event(void *event, cl_int status, cwi_event_notice function, void *data);

#ifdef __cplusplus
}
#endif
#endif

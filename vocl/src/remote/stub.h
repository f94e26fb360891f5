/* Stubs. The client side keeps a stub for each object at a proxy. It uses the stubs to answer the
 * program's queries and to find out which calls cannot fail. */
#pragma once

#include "remote/remote.h"

struct vocl_session;
struct vocl_stub;
struct vocl_completion;
struct vocl_msg_data;

/* Functions of one kind of stub; any of them may be NULL. All are called with the session's lock
 * held. */
struct vocl_stub_kind {
  enum vocl_sort sort;
  void (*free)(struct vocl_stub *stub);  /* frees what the stub references, not the stub */
  bool (*leave)(struct vocl_stub *stub); /* called at the last release; returns true if the stub
                                            must stay until the proxy's deletion notice */
  bool (*is_known)(const struct vocl_stub *
                       stub); /* returns true if the proxy has the object; if NULL, it always has */
  void (*over)(struct vocl_stub *stub); /* called when the session is over */
  /* Handlers of messages about the stub. They return false if the message is malformed. */
  bool (*done)(struct vocl_stub *stub, const struct vocl_completion *done);
  bool (*result)(struct vocl_stub *stub, const struct vocl_msg_data *data, const char *piece);
  bool (*deleted)(struct vocl_stub *stub);
  void (*notice)(struct vocl_stub *stub, const char *text, size_t text_bytes, size_t private_bytes);
};

/* Common beginning of all stubs. */
struct vocl_stub {
  const void *tag; /* &vocl_remote_tag */
  const struct vocl_stub_kind *kind;
  uint32_t number; /* number at the proxy; 0 if the proxy does not have it */
  uint32_t refs;   /* one for the program, one for each object that needs it; protected by the
                      session's lock */
  struct vocl_session *session;
  uint64_t generation; /* distinguishes it from other objects that had its number */
};

/* A device of the device list, which has no session, or a sub-device, which belongs to a
 * session. */
struct vocl_stub_device {
  struct vocl_stub stub;
  uint32_t proxy;
  uint32_t
      whole; /* for a sub-device of any depth, the number of the device of the list; otherwise 0 */
  struct vocl_facts *facts;
  /* copied from the facts */
  cl_ulong most_allocated, local_bytes, queue_flags;
  size_t most_items[3], group;
  cl_uint dimensions, address_bits, base_bytes;
};

struct vocl_stub_context {
  struct vocl_stub stub;
  cl_uint device_count;
  struct vocl_stub_device **devices;
  cl_ulong most_allocated; /* a larger buffer may be rejected */
  cl_uint base_bytes;      /* alignment of sub-buffers */
  vocl_context_function notice;
  void *notice_data;
};

struct vocl_stub_queue {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_device *device;
  cl_command_queue_properties flags;
  struct vocl_stub_event *first, *last; /* commands that are not complete, in program order */
  uint64_t entered;                     /* number of commands so far */
  uint64_t copied; /* value of `entered` when a blocking write last returned early */
  cl_int failure;  /* first failure since the last clFinish among events that the program has
                      released */
  struct vocl_stub_queue *next; /* next queue of the session */
};

/* Layout of data in a program's memory: `slices` slices of `rows` rows. It is sent packed. */
struct vocl_host_layout {
  char *base; /* first byte */
  size_t row, rows, slices;
  size_t row_pitch, slice_pitch;
  size_t bytes; /* total size without gaps */
};

/* Buffers, sub-buffers and images. */
struct vocl_stub_memory {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_memory
      *whole; /* for a sub-buffer, its buffer; for an image made from memory, that memory */
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size, offset; /* `offset` is the offset in `whole` */
  cl_image_format format;
  cl_image_desc image;
  size_t element;                        /* bytes of a pixel */
  struct vocl_deleted_callback *deleted; /* deletion callbacks, the last registered one first */
  bool is_left; /* the program has released it and waits for the deletion notice */
  struct vocl_deletion_wait *awaited; /* set while the releasing call waits for the deletion */
};

/* Result of a wait for deletion. The waiting call then makes the callbacks. */
struct vocl_deletion_wait {
  bool is_done;
  struct vocl_deleted_callback *deleted;
};

struct vocl_deleted_callback {
  struct vocl_deleted_callback *next;
  vocl_memory_callback function;
  void *data;
};

struct vocl_stub_sampler {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
};

/* A program: its devices, and the facts of its kernels, which are dropped when it is built
 * again. */
struct vocl_stub_program {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  cl_uint device_count;
  struct vocl_stub_device **devices;
  struct vocl_kernel_facts *kernels;
};

/* Facts of a kernel's parameter. */
struct vocl_argument_facts {
  bool known; /* true if the vendor reports the following facts */
  cl_kernel_arg_address_qualifier address;
  cl_kernel_arg_access_qualifier access;
  cl_kernel_arg_type_qualifier qualifier;
  char *type, *name;
  enum vocl_parameter_kind {
    VOCL_PARAMETER_VALUE,
    VOCL_PARAMETER_LOCAL,
    VOCL_PARAMETER_BUFFER,
    VOCL_PARAMETER_IMAGE,
    VOCL_PARAMETER_SAMPLER
  } kind;
  size_t size; /* size of a value; 0 if it is unknown */
};

/* Facts of a kernel on one device. */
struct vocl_group_facts {
  bool known;
  size_t most, wanted[3], multiple;
  cl_ulong local_bytes, private_bytes;
};

struct vocl_kernel_facts {
  struct vocl_kernel_facts *next;
  uint32_t users; /* references by its program and kernels */
  char *name;
  cl_uint count;
  struct vocl_argument_facts *arguments;
  cl_uint device_count;
  struct vocl_group_facts *groups; /* indexed like the devices of the program */
};

/* An argument as the program has set it. */
struct vocl_set_argument {
  bool is_set;
  uint32_t kind;   /* enum vocl_argument_kind */
  uint32_t object; /* number and generation of its object, which may have been dropped since */
  uint64_t generation;
  uint64_t size;
  unsigned char *value;
};

struct vocl_stub_kernel {
  struct vocl_stub stub;
  struct vocl_stub_program *program;
  struct vocl_kernel_facts *facts;
  struct vocl_set_argument *arguments;
};

/* A callback for an event. */
struct vocl_event_callback {
  struct vocl_event_callback *next;
  cl_int status;
  vocl_event_function function;
  void *data;
};

/* Appends a callback, so that callbacks are made in the order of registration. */
static inline void vocl_event_callback_add(struct vocl_event_callback **list,
                                           struct vocl_event_callback *callback)
{
  while (*list != NULL)
    list = &(*list)->next;
  *list = callback;
}

/* Event of a command. */
struct vocl_stub_event {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_queue *queue; /* NULL if it is complete */
  cl_int status;
  bool is_profiled;
  bool is_sent; /* the proxy has it */
  cl_ulong times[4];
  uint64_t place;                         /* position among the commands of its queue */
  struct vocl_stub_event *before, *after; /* neighbours in its queue */
  struct vocl_event_callback *callback;
  /* data that the command reads or writes */
  bool reads;
  struct vocl_host_layout layout;
  uint64_t received; /* bytes of a read that have arrived */
  struct vocl_stub_event *reads_before,
      *reads_after; /* neighbours in the session's list of unfinished reads */
};

static inline bool vocl_stub_event_is_complete(const struct vocl_stub_event *event)
{
  return event->status <= CL_COMPLETE;
}

/* Returns the bytes of a pixel, or 0 if the format is unknown. */
size_t vocl_pixel_bytes(const cl_image_format *format);

/* Describes a box of the program's memory. A pitch of 0 means no gaps. */
void vocl_host_layout_set(struct vocl_host_layout *layout, void *base, size_t row, size_t rows,
                          size_t slices, size_t row_pitch, size_t slice_pitch);
/* Copies `bytes` packed bytes, beginning with the packed byte `from`, from the memory to a piece
 * or back. */
void vocl_host_layout_pack(const struct vocl_host_layout *layout, size_t from, char *piece,
                           size_t bytes);
void vocl_host_layout_unpack(const struct vocl_host_layout *layout, size_t from, const char *piece,
                             size_t bytes);
/* Returns true if the two boxes may share a byte. */
bool vocl_host_layouts_overlap(const struct vocl_host_layout *one,
                               const struct vocl_host_layout *other);

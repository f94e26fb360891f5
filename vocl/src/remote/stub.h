/* Far objects: what a program has at a proxy, and what is kept of each at home: what answers the
 * program's questions, and what tells certain calls from doubtful ones. */
#ifndef VOCL_REMOTE_STUB_H
#define VOCL_REMOTE_STUB_H

#include "remote/remote.h"

struct vocl_session;
struct vocl_stub;
struct vocl_completion;
struct vocl_msg_data;

/* What is done with objects of a sort; what is NULL is not done. All with the session's lock. */
struct vocl_stub_kind {
  enum vocl_sort sort;
  void (*free)(struct vocl_stub *stub);  /* what it has, not itself */
  bool (*leave)(struct vocl_stub *stub); /* nobody holds it: does it stay until the proxy tells? */
  bool (*is_known)(const struct vocl_stub *stub); /* to the proxy; NULL: it is */
  void (*over)(struct vocl_stub *stub);           /* the session is */
  /* What the proxy says of it; false: it cannot be. */
  bool (*done)(struct vocl_stub *stub, const struct vocl_completion *done);
  bool (*result)(struct vocl_stub *stub, const struct vocl_msg_data *data, const char *piece);
  bool (*deleted)(struct vocl_stub *stub);
  void (*notice)(struct vocl_stub *stub, const char *text, size_t text_bytes, size_t private_bytes);
};

/* What each begins with. */
struct vocl_stub {
  const void *mark; /* &vocl_remote_tag */
  const struct vocl_stub_kind *kind;
  uint32_t number; /* what the proxy calls it; 0: it lives at home alone */
  uint32_t refs;   /* one for the program, others for what needs it; under the session's lock */
  struct vocl_session *session;
};

/* A device that the census has, or a part of one, which belongs to a session. */
struct vocl_stub_device {
  struct vocl_stub stub;
  uint32_t proxy;
  uint32_t whole; /* of a part, at any depth: the number of the device that it is a part of */
  struct vocl_facts *facts;
  /* of the facts */
  cl_ulong most_allocated, local_bytes, queue_flags;
  size_t most_items[3], group;
  cl_uint dimensions, address_bits, base_bytes;
};

struct vocl_stub_context {
  struct vocl_stub stub;
  cl_uint device_count;
  struct vocl_stub_device **devices;
  cl_ulong most_allocated; /* a buffer of more may be refused */
  cl_uint base_bytes;      /* parts of buffers begin at multiples of this */
  vocl_context_function notice;
  void *notice_data;
};

struct vocl_stub_queue {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_device *device;
  cl_command_queue_properties flags;
  struct vocl_stub_event *first, *last; /* not complete, in the program's order */
  uint64_t entered;                     /* commands so far */
  uint64_t copied;              /* of them, up to the last blocking write that was not awaited */
  cl_int failure;               /* the first one since it was finished, of what nobody asks about */
  struct vocl_stub_queue *next; /* of the session's */
};

/* Data as it lies in a program's memory: so many slices of so many rows. It travels packed. */
struct vocl_host_layout {
  char *base; /* the first byte */
  size_t row, rows, slices;
  size_t row_pitch, slice_pitch;
  size_t bytes; /* packed */
};

/* Buffers, sub-buffers and images. */
struct vocl_stub_memory {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_memory *whole; /* of a sub-buffer, or of an image made of a buffer */
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size, offset; /* offset: in `whole` */
  cl_image_format format;
  cl_image_desc image;
  size_t element;                        /* bytes of a pixel */
  struct vocl_deleted_callback *deleted; /* who is told that it is gone, the last one first */
  bool is_left;                          /* the program has it no more, and waits to be told */
  struct vocl_deletion_wait *awaited;    /* it waits in the call that let go */
};

/* Who waits until memory is gone; then he tells those that wanted to be told. */
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

/* A program: its devices, and what its kernels say of themselves until it is built again. */
struct vocl_stub_program {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  cl_uint device_count;
  struct vocl_stub_device **devices;
  struct vocl_kernel_facts *kernels;
};

/* An argument of a kernel's text. */
struct vocl_argument_facts {
  bool known; /* the vendor says what follows */
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
  size_t size; /* of a plain one; 0: not known */
};

/* What a kernel says of itself on a device. */
struct vocl_group_facts {
  bool known;
  size_t most, wanted[3], multiple;
  cl_ulong local_bytes, private_bytes;
};

struct vocl_kernel_facts {
  struct vocl_kernel_facts *next;
  uint32_t users; /* its program, kernels */
  char *name;
  cl_uint count;
  struct vocl_argument_facts *arguments;
  cl_uint device_count;
  struct vocl_group_facts *groups; /* of the program's devices */
};

/* An argument as the program has set it. */
struct vocl_set_argument {
  bool is_set;
  uint32_t kind;   /* enum vocl_argument_kind */
  uint32_t object; /* its number, and when it was made: it may be gone */
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

/* What a program wants to be told of an event. */
struct vocl_event_callback {
  struct vocl_event_callback *next;
  cl_int status;
  vocl_event_function function;
  void *data;
};

/* What was wanted first is told first. */
static inline void vocl_event_callback_add(struct vocl_event_callback **list,
                                           struct vocl_event_callback *callback)
{
  while (*list != NULL)
    list = &(*list)->next;
  *list = callback;
}

/* A command's event. */
struct vocl_stub_event {
  struct vocl_stub stub;
  struct vocl_stub_context *context;
  struct vocl_stub_queue *queue; /* NULL: complete */
  cl_int status;
  bool is_profiled;
  bool is_sent; /* the proxy has it */
  cl_ulong times[4];
  uint64_t place;                         /* among its queue's commands */
  struct vocl_stub_event *before, *after; /* in its queue */
  struct vocl_event_callback *callback;
  /* data that it reads or writes */
  bool reads;
  struct vocl_host_layout layout;
  uint64_t come;                                      /* bytes of what it reads */
  struct vocl_stub_event *reads_before, *reads_after; /* of the session's unfinished reads */
};

static inline bool vocl_stub_event_is_complete(const struct vocl_stub_event *event)
{
  return event->status <= CL_COMPLETE;
}

/* Bytes of a pixel; 0: no format that is known. */
size_t vocl_pixel_bytes(const cl_image_format *format);

/* A box of the program's memory. Pitches of 0: as narrow as may be. */
void vocl_host_layout_set(struct vocl_host_layout *layout, void *base, size_t row, size_t rows,
                          size_t slices, size_t row_pitch, size_t slice_pitch);
/* Move so many bytes, the packed ones from `from` on, between a piece and the memory. */
void vocl_host_layout_pack(const struct vocl_host_layout *layout, size_t from, char *piece,
                           size_t bytes);
void vocl_host_layout_unpack(const struct vocl_host_layout *layout, size_t from, const char *piece,
                             size_t bytes);
/* Do they share a byte, or might they? */
bool vocl_host_layouts_overlap(const struct vocl_host_layout *one,
                               const struct vocl_host_layout *other);
#endif

/* Far objects: what a program has at a proxy, and what is kept of each at home: what answers the
 * program's questions, and what tells certain calls from doubtful ones. */
#ifndef CWI_REMOTE_FAR_H
#define CWI_REMOTE_FAR_H

#include "remote/remote.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_session;
struct cwi_far;
struct cwi_done;
struct cwi_say_data;

/* What is done with objects of a sort; what is NULL is not done. All with the session's lock. */
struct cwi_far_kind {
  enum cwi_sort sort;
  void (*free)(struct cwi_far *far);  /* what it has, not itself */
  bool (*leave)(struct cwi_far *far); /* nobody holds it: does it stay until the proxy tells? */
  bool (*is_known)(const struct cwi_far *far); /* to the proxy; NULL: it is */
  void (*over)(struct cwi_far *far);           /* the session is */
  /* What the proxy says of it; false: it cannot be. */
  bool (*done)(struct cwi_far *far, const struct cwi_done *done);
  bool (*result)(struct cwi_far *far, const struct cwi_say_data *data, const char *piece);
  bool (*deleted)(struct cwi_far *far);
  void (*notice)(struct cwi_far *far, const char *text, size_t text_bytes, size_t private_bytes);
};

/* What each begins with. */
struct cwi_far {
  const void *mark; /* &cwi_remote_mark */
  const struct cwi_far_kind *kind;
  uint32_t number; /* what the proxy calls it; 0: it lives at home alone */
  uint32_t held;   /* one for the program, others for what needs it; under the session's lock */
  struct cwi_session *session;
};

/* A device that the census has, or a part of one, which belongs to a session. */
struct cwi_far_device {
  struct cwi_far far;
  uint32_t proxy;
  uint32_t whole; /* of a part, at any depth: the number of the device that it is a part of */
  struct cwi_facts *facts;
  /* of the facts */
  cl_ulong most_allocated, local_bytes, queue_flags;
  size_t most_items[3], group;
  cl_uint dimensions, address_bits, base_bytes;
};

struct cwi_far_context {
  struct cwi_far far;
  cl_uint device_count;
  struct cwi_far_device **devices;
  cl_ulong most_allocated; /* a buffer of more may be refused */
  cl_uint base_bytes;      /* parts of buffers begin at multiples of this */
  cwi_context_notice notice;
  void *notice_data;
};

struct cwi_far_queue {
  struct cwi_far far;
  struct cwi_far_context *context;
  struct cwi_far_device *device;
  cl_command_queue_properties flags;
  struct cwi_far_event *first, *last; /* not complete, in the program's order */
  uint64_t entered;                   /* commands so far */
  uint64_t copied;            /* of them, up to the last blocking write that was not awaited */
  cl_int failure;             /* the first one since it was finished, of what nobody asks about */
  struct cwi_far_queue *next; /* of the session's */
};

/* Data as it lies in a program's memory: so many slices of so many rows. It travels packed. */
struct cwi_layout {
  char *base; /* the first byte */
  size_t row, rows, slices;
  size_t row_pitch, slice_pitch;
  size_t bytes; /* packed */
};

/* Buffers, sub-buffers and images. */
struct cwi_far_memory {
  struct cwi_far far;
  struct cwi_far_context *context;
  struct cwi_far_memory *whole; /* of a sub-buffer, or of an image made of a buffer */
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size, offset; /* offset: in `whole` */
  cl_image_format format;
  cl_image_desc image;
  size_t element;               /* bytes of a pixel */
  struct cwi_deleted *deleted;  /* who is told that it is gone, the last one first */
  bool is_left;                 /* the program has it no more, and waits to be told */
  struct cwi_deletion *awaited; /* it waits in the call that let go */
};

/* Who waits until memory is gone; then he tells those that wanted to be told. */
struct cwi_deletion {
  bool is_done;
  struct cwi_deleted *deleted;
};

struct cwi_deleted {
  struct cwi_deleted *next;
  cwi_memory_deleted function;
  void *data;
};

struct cwi_far_sampler {
  struct cwi_far far;
  struct cwi_far_context *context;
};

/* A program: its devices, and what its kernels say of themselves until it is built again. */
struct cwi_far_program {
  struct cwi_far far;
  struct cwi_far_context *context;
  cl_uint device_count;
  struct cwi_far_device **devices;
  struct cwi_kernel_facts *kernels;
};

/* An argument of a kernel's text. */
struct cwi_argument_facts {
  bool told; /* the vendor says what follows */
  cl_kernel_arg_address_qualifier address;
  cl_kernel_arg_access_qualifier access;
  cl_kernel_arg_type_qualifier qualifier;
  char *type, *name;
  enum cwi_parameter { CWI_PLAIN, CWI_LOCAL, CWI_BUFFERS, CWI_IMAGES, CWI_SAMPLERS } kind;
  size_t size; /* of a plain one; 0: not known */
};

/* What a kernel says of itself on a device. */
struct cwi_group_facts {
  bool told;
  size_t most, wanted[3], multiple;
  cl_ulong local_bytes, private_bytes;
};

struct cwi_kernel_facts {
  struct cwi_kernel_facts *next;
  uint32_t users; /* its program, kernels */
  char *name;
  cl_uint count;
  struct cwi_argument_facts *arguments;
  cl_uint device_count;
  struct cwi_group_facts *groups; /* of the program's devices */
};

/* An argument as the program has set it. */
struct cwi_set_argument {
  bool is_set;
  uint32_t kind;   /* enum cwi_argument */
  uint32_t object; /* its number, and when it was made: it may be gone */
  uint64_t birth;
  uint64_t size;
  unsigned char *value;
};

struct cwi_far_kernel {
  struct cwi_far far;
  struct cwi_far_program *program;
  struct cwi_kernel_facts *facts;
  struct cwi_set_argument *arguments;
};

/* What a program wants to be told of an event. */
struct cwi_told {
  struct cwi_told *next;
  cl_int status;
  cwi_event_notice function;
  void *data;
};

/* What was wanted first is told first. */
static inline void cwi_told_add(struct cwi_told **list, struct cwi_told *told)
{
  while (*list != NULL)
    list = &(*list)->next;
  *list = told;
}

/* A command's event. */
struct cwi_far_event {
  struct cwi_far far;
  struct cwi_far_context *context;
  struct cwi_far_queue *queue; /* NULL: complete */
  cl_int status;
  bool is_profiled;
  bool is_sent; /* the proxy has it */
  cl_ulong times[4];
  uint64_t place;                       /* among its queue's commands */
  struct cwi_far_event *before, *after; /* in its queue */
  struct cwi_told *told;
  /* data that it reads or writes */
  bool reads;
  struct cwi_layout layout;
  uint64_t come;                                    /* bytes of what it reads */
  struct cwi_far_event *reads_before, *reads_after; /* of the session's unfinished reads */
};

static inline bool cwi_is_complete(const struct cwi_far_event *event)
{
  return event->status <= CL_COMPLETE;
}

/* Bytes of a pixel; 0: no format that is known. */
size_t cwi_pixel_bytes(const cl_image_format *format);

/* A box of the program's memory. Pitches of 0: as narrow as may be. */
void cwi_layout_set(struct cwi_layout *layout, void *base, size_t row, size_t rows, size_t slices,
                    size_t row_pitch, size_t slice_pitch);
/* Move so many bytes, the packed ones from `from` on, between a piece and the memory. */
void cwi_layout_pack(const struct cwi_layout *layout, size_t from, char *piece, size_t bytes);
void cwi_layout_unpack(const struct cwi_layout *layout, size_t from, const char *piece,
                       size_t bytes);
/* Do they share a byte, or might they? */
bool cwi_layouts_touch(const struct cwi_layout *one, const struct cwi_layout *other);

#ifdef __cplusplus
}
#endif
#endif

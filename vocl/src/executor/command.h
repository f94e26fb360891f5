/* Commands of queues: the description of one command, and the table of the sorts of commands in
 * native_execute.c. The table has what each sort uses, transfers and calls. */
#pragma once

#include "executor/opencl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts of commands: on buffers, on images, on either, launches, markers and barriers. */
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

/* Parameters that a command may have. The bits of the triples are also used in the command's
 * message. */
enum vocl_command_has {
  VOCL_HAS_ORIGIN_0 = 1,
  VOCL_HAS_ORIGIN_1 = 2,
  VOCL_HAS_REGION = 4,
  VOCL_HAS_GLOBAL_OFFSET = 8,
  VOCL_HAS_GLOBAL_SIZE = 16,
  VOCL_HAS_LOCAL_SIZE = 32,
  VOCL_HAS_HOST = 64,
  VOCL_HAS_PATTERN = 128,
  VOCL_HAS_KERNEL = 256
};

/* VOCL_WAITS_FOR_LIST is a flag of a marker that replaces another command. Such a marker does not
 * wait for earlier commands if its wait list is empty. */
enum { VOCL_WAITS_FOR_LIST = 1, VOCL_TRIPLES = 6, VOCL_COLOUR_BYTES = 16, VOCL_MOST_PATTERN = 128 };

/* A decoded command. Only the fields that its sort needs are set. Index 0 is the source of a
 * copy, or the memory of any other command. Index 1 is the destination of a copy, or the host's
 * memory. */
struct vocl_command {
  enum vocl_command_sort sort;
  cl_bool blocking;
  void *queue;
  void *memory[2];
  size_t offset[2]; /* for buffers, in bytes */
  union {
    const size_t *triples[VOCL_TRIPLES];
    struct {
      const size_t *origin[2]; /* for images and rectangles */
      const size_t *region;
      const size_t *global_offset, *global_size, *local_size;
    };
  };
  size_t row_pitch[2];
  size_t slice_pitch[2];
  size_t size;
  void *host; /* read destination, write source, or mapped address, which is the result of a map */
  const void *pattern; /* fill pattern */
  size_t pattern_size;
  cl_bitfield flags;
  size_t *pitches[2]; /* results of MAP_IMAGE: row and slice pitch */
  cl_uint count;      /* number of dimensions */
  cl_uint object_count;
  void *const *objects; /* memory objects of MIGRATE */
  void *kernel;
  cl_uint wait_count;
  void *const *waits;
  void **event; /* NULL if no event is wanted */
};

/* Which bytes of a memory object a command uses. */
enum vocl_operand_form {
  VOCL_NO_MEMORY,
  VOCL_RANGE,  /* `size` bytes of a buffer, from `offset` */
  VOCL_BOX,    /* box of a buffer, given by `origin`, `region` and the pitches */
  VOCL_PIXELS, /* box of an image, given by `origin` and `region` */
  VOCL_PACKED, /* bytes of a buffer, from `offset`: the pixels of the other side without gaps */
  VOCL_MAPPED  /* the mapped range */
};

enum vocl_command_role {
  VOCL_ON_DEVICE,   /* uses only memory of the device */
  VOCL_READS_DATA,  /* transfers data from the device to the program's memory */
  VOCL_WRITES_DATA, /* transfers data from the program's memory to the device */
  VOCL_MAPS,        /* maps memory; proxies receive a read */
  VOCL_UNMAPS,      /* unmaps memory; proxies receive a write */
  VOCL_GATHERS      /* waits for its wait list or, if that is empty, for all earlier commands */
};

/* Properties of all commands of one sort. */
struct vocl_command_kind {
  cl_command_type type;
  unsigned has; /* mask of enum vocl_command_has: parameters that it must have */
  struct vocl_operand_kind {
    enum vocl_operand_form form;
    bool is_written;
  } operands[2]; /* operands[i] describes memory[i] of a command. A command may also use its
                    `objects`, and a launch the arguments of its kernel */
  enum vocl_command_role role;
  cl_int (*execute)(const cl_icd_dispatch *calls, struct vocl_command *command);
};
extern const struct vocl_command_kind vocl_command_kinds[VOCL_COMMAND_COUNT];

static inline const struct vocl_command_kind *vocl_command_kind_of(const struct vocl_command *c)
{
  return &vocl_command_kinds[c->sort];
}

/* Return true for commands that transfer data to the program (reads) or from it (writes). */
static inline bool vocl_command_reads(const struct vocl_command *c)
{
  return vocl_command_kind_of(c)->role == VOCL_READS_DATA;
}

static inline bool vocl_command_writes(const struct vocl_command *c)
{
  return vocl_command_kind_of(c)->role == VOCL_WRITES_DATA;
}

/* Returns the mask of the parameters that the command has. */
static inline unsigned vocl_command_has(const struct vocl_command *c)
{
  unsigned has = (c->host != NULL ? VOCL_HAS_HOST : 0) |
                 (c->pattern != NULL ? VOCL_HAS_PATTERN : 0) |
                 (c->kernel != NULL ? VOCL_HAS_KERNEL : 0);
  for (unsigned i = 0; i < VOCL_TRIPLES; i++)
    has |= c->triples[i] != NULL ? 1u << i : 0;
  return has;
}

/* Returns those of the parameters in `has` that are triples in the command's message. Data is
 * sent packed, so its origin in the program's memory is not sent. */
static inline unsigned vocl_command_sent_triples(const struct vocl_command_kind *kind, unsigned has)
{
  const bool has_data = kind->role == VOCL_READS_DATA || kind->role == VOCL_WRITES_DATA;
  return has & ((1u << VOCL_TRIPLES) - 1) & ~(has_data ? (unsigned)VOCL_HAS_ORIGIN_1 : 0);
}

/* Returns the number of values that the i-th triple of the command has. */
static inline size_t vocl_command_triple_words(const struct vocl_command *c, unsigned i)
{
  return i < 3 || c->count > 3 ? 3 : c->count;
}

/* What program and proxy say to each other in a session.
 *
 * The program names the objects: a number for each, which may be used again when the object was
 * dropped. So it need not wait until something is made. Numbers of all sorts are of one series,
 * which begins at VOCL_FIRST_OBJECT_NUMBER: what is smaller is a device of the proxy, by its number
 * in the census. Where something other than a device is meant, 0 is nothing.
 *
 * A message that wants an answer has a ticket, and gets one. Of one without, errors are kept: an
 * object that could not be made is none, and commands that need it fail; a command that fails is
 * done with its code as status. */
#ifndef VOCL_WIRE_MESSAGE_H
#define VOCL_WIRE_MESSAGE_H

#include <stdint.h>

enum { VOCL_FIRST_OBJECT_NUMBER = 64, VOCL_OBJECT_NUMBERS = 1 << 24 };

enum vocl_msg_type {
  /* the program */
  VOCL_MSG_MAKE = 1,         /* struct vocl_msg_make, then strings, numbers */
  VOCL_MSG_MAKE_KERNELS,     /* struct vocl_msg_numbers: program, then numbers of the kernels to be;
                              * answer:     how many there are */
  VOCL_MSG_MAKE_SUB_DEVICES, /* struct vocl_msg_sub_devices; answer: a block of a census */
  VOCL_MSG_DROP,             /* struct vocl_msg_numbers: objects that the program needs no more */
  VOCL_MSG_WATCH_DELETED,    /* struct vocl_msg_numbers: say so when this memory is deleted */
  VOCL_MSG_BUILD,            /* struct vocl_msg_build; an answer, when it is done */
  VOCL_MSG_QUERY,            /* struct vocl_msg_query; an answer */
  VOCL_MSG_QUERY_FORMATS,    /* struct vocl_msg_query_formats; an answer */
  VOCL_MSG_ARGUMENT,         /* struct vocl_msg_argument */
  VOCL_MSG_COMMAND,          /* struct vocl_msg_command */
  VOCL_MSG_DATA,  /* struct vocl_msg_data: more of what a command writes, or an object is made of */
  VOCL_MSG_FLUSH, /* struct vocl_msg_numbers: a queue */
  VOCL_MSG_FINISH,     /* struct vocl_msg_numbers: a queue; an answer, when all of it is done */
  VOCL_MSG_MOVE_REPLY, /* struct vocl_msg_move_reply: what came of VOCL_MSG_MOVE */

  /* the proxy */
  VOCL_MSG_REPLY = 64, /* struct vocl_msg_reply, then bytes */
  VOCL_MSG_DONE,       /* struct vocl_msg_done, one or several */
  VOCL_MSG_RESULT,     /* struct vocl_msg_data: of what a command reads */
  VOCL_MSG_DELETED,    /* struct vocl_msg_numbers: memory */
  VOCL_MSG_NOTICE,     /* struct vocl_msg_notice: what a context tells its program */
  VOCL_MSG_MOVE        /* struct vocl_msg_move: a device is to be moved; the program says MOVED */
};

/* What each begins with. Lengths of what follows are in bytes; each part begins at a multiple of 8.
 */
struct vocl_msg_header {
  uint32_t bytes; /* of the whole message */
  uint16_t what;
  uint16_t flags;
  uint64_t ticket; /* 0: no answer is wanted */
};

/* Fields of struct vocl_making; the answer has the statuses of binaries (int32_t each). Parts:
 * devices (uint32_t), properties (uint64_t), lengths (uint64_t), then the strings. What is longer
 * than a message comes by VOCL_MSG_DATA, with `data` bytes in all: strings and binaries one behind
 * the other, the first contents of memory. */
struct vocl_msg_make {
  struct vocl_msg_header header;
  uint32_t sort, number, parent, device_count, property_words, string_count;
  uint64_t flags, size, offset, data;
  uint32_t normalized, addressing, filter, image_memory;
  uint32_t image_format[2]; /* order, type */
  uint32_t image_type, has_notice;
  uint64_t image[7]; /* width, height, depth, array size, row pitch, slice pitch, of host data */
};

struct vocl_msg_numbers {
  struct vocl_msg_header header;
  uint32_t count;
  uint32_t numbers[];
};

struct vocl_msg_sub_devices {
  struct vocl_msg_header header;
  uint32_t device, most, property_words,
      first; /* numbers of the sub-devices: first, first + 1, ... */
  int64_t properties[];
};

/* Parts: devices, programs (uint32_t), lengths of the names (uint64_t), options and names, without
 * their zeros. Answer: what vocl_native_build returned; count: of a link, whether there is a
 * program (one that failed has a log); of others whether a file that is included by its whole path
 * is another one, or none, at the proxy, so that nothing was built.
 *
 * archive: a program of source, the files that the build may read; 0 if its texts include none. The
 * proxy writes them into a folder of its own. Entries: a path below that folder, a new line, the
 * number of bytes in decimal, a new line, the bytes. A path that ends in '/' is a folder; the first
 * one becomes the working folder of the build. "=" and a path means a file that must be the same at
 * the proxy. In the options, and in options and logs that the proxy answers, VOCL_INCLUDES_FOLDER
 * stands for its folder. */
enum { VOCL_INCLUDES_FOLDER = 1 };

struct vocl_msg_build {
  struct vocl_msg_header header;
  uint32_t step, program, linked, device_count, program_count, names, archive, unused;
  uint64_t option_bytes;
};

/* Answer: as OpenCL gives it, but devices by their numbers (uint32_t), and binaries one behind the
 * other. */
struct vocl_msg_query {
  struct vocl_msg_header header;
  uint32_t about, object, device, index, what, has_device;
  uint64_t size; /* of the answer, at most; UINT64_MAX: how long it is, alone */
};

struct vocl_msg_query_formats {
  struct vocl_msg_header header;
  uint32_t context, type, most, unused;
  uint64_t flags;
};

enum vocl_argument_kind { VOCL_ARGUMENT_VALUE, VOCL_ARGUMENT_LOCAL, VOCL_ARGUMENT_OBJECT };

struct vocl_msg_argument {
  struct vocl_msg_header header;
  uint32_t kernel, index, kind, object; /* object: 0, with VOCL_ARGUMENT_OBJECT, is NULL */
  uint64_t size;
  unsigned char value[];
};

/* Fields of struct vocl_command. Parts: objects (uint32_t), waits (uint32_t: events), then origins
 * 0 and 1, region, global offset, global size, local size as `has` says, three uint64_t each; then
 * the pattern. Reads and writes have no pitches of the host: data travels packed, rows one behind
 * the other. Of a write `data` bytes come by VOCL_MSG_DATA, of a read they go by VOCL_MSG_RESULT.
 * Maps do not travel: they are reads and writes. */
enum vocl_msg_command_has {
  VOCL_HAS_ORIGIN_0 = 1,
  VOCL_HAS_ORIGIN_1 = 2,
  VOCL_HAS_REGION = 4,
  VOCL_HAS_GLOBAL_OFFSET = 8,
  VOCL_HAS_GLOBAL_SIZE = 16,
  VOCL_HAS_LOCAL_SIZE = 32
};

struct vocl_msg_command {
  struct vocl_msg_header header;
  uint32_t sort, queue, memory[2], kernel, event; /* event: its number; all commands have one */
  uint32_t count, object_count, wait_count, has;
  uint64_t offset[2], row_pitch[2], slice_pitch[2], size, flags, pattern_size, data;
};

/* A piece of data, in the data ring of who says it: pieces are said in the order in which they lie
 * there. number: of the command's event, or of the object to be made; 0: of the answer to the
 * message with this ticket, before it. Of a read that has failed no bytes may be said, at the end
 * of the room that was theirs. */
struct vocl_msg_data {
  struct vocl_msg_header header;
  uint32_t number, last;
  uint64_t offset; /* where it belongs in all that travels */
  uint64_t position, bytes;
};

struct vocl_msg_reply {
  struct vocl_msg_header header; /* its ticket: the question's */
  int32_t code;
  uint32_t count;
  uint64_t needed; /* bytes, as OpenCL's size_ret; or a count */
  uint64_t bytes;  /* of the value: those that are not here came by VOCL_MSG_RESULT, all of them */
  unsigned char value[];
};

struct vocl_completion {
  uint32_t event;
  int32_t status;    /* CL_COMPLETE, or why it failed */
  uint64_t times[4]; /* queued, submitted, started, ended; 0: not known */
};

struct vocl_msg_done {
  struct vocl_msg_header header;
  uint32_t count, unused;
  struct vocl_completion done[];
};

struct vocl_msg_notice {
  struct vocl_msg_header header;
  uint32_t context, unused;
  uint64_t text_bytes, private_bytes;
  char text[];
};

/* What the program has on a device of this proxy is to go to another one. Its ticket comes back. */
struct vocl_msg_move {
  struct vocl_msg_header header;
  uint32_t device;    /* by its number in the census */
  uint32_t target[2]; /* proxy, device */
  uint32_t unused;
};

/* What a program says of a move that it was asked for. */
struct vocl_msg_move_reply {
  struct vocl_msg_header header;
  int32_t code;        /* 0: it is there; else a value of errno, and nothing has changed */
  uint32_t text_bytes; /* of a sentence: why it was refused, or what was moved */
  uint64_t bytes;      /* of memory that was moved */
  uint64_t nanoseconds;
  char text[];
};
#endif

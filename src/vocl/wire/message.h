/* What program and proxy say to each other in a session.
 *
 * The program names the objects: a number for each, which may be used again when the object was
 * dropped. So it need not wait until something is made. Numbers of all sorts are of one series,
 * which begins at CWI_FIRST_NUMBER: what is smaller is a device of the proxy, by its number in the
 * census. Where something other than a device is meant, 0 is nothing.
 *
 * A message that wants an answer has a ticket, and gets one. Of one without, errors are kept: an
 * object that could not be made is none, and commands that need it fail; a command that fails is
 * done with its code as status. */
#ifndef CWI_WIRE_MESSAGE_H
#define CWI_WIRE_MESSAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_FIRST_NUMBER = 64, CWI_NUMBERS = 1 << 24 };

enum cwi_says {
  /* the program */
  CWI_SAYS_MAKE = 1,         /* struct cwi_say_make, then strings, numbers */
  CWI_SAYS_MAKE_KERNELS,     /* struct cwi_say_numbers: program, then numbers of the kernels to be;
                              * answer:     how many there are */
  CWI_SAYS_MAKE_SUB_DEVICES, /* struct cwi_say_sub_devices; answer: a block of a census */
  CWI_SAYS_DROP,             /* struct cwi_say_numbers: objects that the program needs no more */
  CWI_SAYS_TELL_DELETED,     /* struct cwi_say_numbers: say so when this memory is deleted */
  CWI_SAYS_BUILD,            /* struct cwi_say_build; an answer, when it is done */
  CWI_SAYS_ASK,              /* struct cwi_say_ask; an answer */
  CWI_SAYS_ASK_FORMATS,      /* struct cwi_say_ask_formats; an answer */
  CWI_SAYS_ARGUMENT,         /* struct cwi_say_argument */
  CWI_SAYS_COMMAND,          /* struct cwi_say_command */
  CWI_SAYS_DATA,   /* struct cwi_say_data: more of what a command writes, or an object is made of */
  CWI_SAYS_FLUSH,  /* struct cwi_say_numbers: a queue */
  CWI_SAYS_FINISH, /* struct cwi_say_numbers: a queue; an answer, when all of it is done */
  CWI_SAYS_MOVED,  /* struct cwi_say_moved: what came of CWI_SAYS_MOVE */

  /* the proxy */
  CWI_SAYS_ANSWER = 64, /* struct cwi_say_answer, then bytes */
  CWI_SAYS_DONE,        /* struct cwi_say_done, one or several */
  CWI_SAYS_RESULT,      /* struct cwi_say_data: of what a command reads */
  CWI_SAYS_DELETED,     /* struct cwi_say_numbers: memory */
  CWI_SAYS_NOTICE,      /* struct cwi_say_notice: what a context tells its program */
  CWI_SAYS_MOVE         /* struct cwi_say_move: a device is to be moved; the program says MOVED */
};

/* What each begins with. Lengths of what follows are in bytes; each part begins at a multiple of 8.
 */
struct cwi_said {
  uint32_t bytes; /* of the whole message */
  uint16_t what;
  uint16_t flags;
  uint64_t ticket; /* 0: no answer is wanted */
};

/* Fields of struct cwi_making; the answer has the statuses of binaries (int32_t each). Parts:
 * devices (uint32_t), properties (uint64_t), lengths (uint64_t), then the strings. What is longer
 * than a message comes by CWI_SAYS_DATA, with `data` bytes in all: strings and binaries one behind
 * the other, the first contents of memory. */
struct cwi_say_make {
  struct cwi_said said;
  uint32_t sort, number, parent, device_count, property_words, string_count;
  uint64_t flags, size, offset, data;
  uint32_t normalized, addressing, filter, image_memory;
  uint32_t image_format[2]; /* order, type */
  uint32_t image_type, has_notice;
  uint64_t image[7]; /* width, height, depth, array size, row pitch, slice pitch, of host data */
};

struct cwi_say_numbers {
  struct cwi_said said;
  uint32_t count;
  uint32_t numbers[];
};

struct cwi_say_sub_devices {
  struct cwi_said said;
  uint32_t device, most, property_words,
      first; /* numbers of the sub-devices: first, first + 1, ... */
  int64_t properties[];
};

/* Parts: devices, programs (uint32_t), lengths of the names (uint64_t), options and names, without
 * their zeros. Answer: what cwi_native_build returned; count: of a link, whether there is a program
 * (one that failed has a log); of others whether a file that is included by its whole path is
 * another one, or none, at the proxy, so that nothing was built.
 *
 * archive: a program of source, the files that the build may read; 0 if its texts include none. The
 * proxy writes them into a folder of its own. Entries: a path below that folder, a new line, the
 * number of bytes in decimal, a new line, the bytes. A path that ends in '/' is a folder; the first
 * one becomes the working folder of the build. "=" and a path means a file that must be the same at
 * the proxy. In the options, and in options and logs that the proxy answers, CWI_INCLUDES_FOLDER
 * stands for its folder. */
enum { CWI_INCLUDES_FOLDER = 1 };

struct cwi_say_build {
  struct cwi_said said;
  uint32_t step, program, linked, device_count, program_count, names, archive, unused;
  uint64_t option_bytes;
};

/* Answer: as OpenCL gives it, but devices by their numbers (uint32_t), and binaries one behind the
 * other. */
struct cwi_say_ask {
  struct cwi_said said;
  uint32_t about, object, device, index, what, has_device;
  uint64_t size; /* of the answer, at most; UINT64_MAX: how long it is, alone */
};

struct cwi_say_ask_formats {
  struct cwi_said said;
  uint32_t context, type, most, unused;
  uint64_t flags;
};

enum cwi_argument { CWI_ARGUMENT_VALUE, CWI_ARGUMENT_LOCAL, CWI_ARGUMENT_OBJECT };

struct cwi_say_argument {
  struct cwi_said said;
  uint32_t kernel, index, kind, object; /* object: 0, with CWI_ARGUMENT_OBJECT, is NULL */
  uint64_t size;
  unsigned char value[];
};

/* Fields of struct cwi_command. Parts: objects (uint32_t), waits (uint32_t: events), then origins 0
 * and 1, region, global offset, global size, local size as `has` says, three uint64_t each; then
 * the pattern. Reads and writes have no pitches of the host: data travels packed, rows one behind
 * the other. Of a write `data` bytes come by CWI_SAYS_DATA, of a read they go by CWI_SAYS_RESULT.
 * Maps do not travel: they are reads and writes. */
enum cwi_say_has {
  CWI_HAS_ORIGIN_0 = 1,
  CWI_HAS_ORIGIN_1 = 2,
  CWI_HAS_REGION = 4,
  CWI_HAS_GLOBAL_OFFSET = 8,
  CWI_HAS_GLOBAL_SIZE = 16,
  CWI_HAS_LOCAL_SIZE = 32
};

struct cwi_say_command {
  struct cwi_said said;
  uint32_t sort, queue, memory[2], kernel, event; /* event: its number; all commands have one */
  uint32_t count, object_count, wait_count, has;
  uint64_t offset[2], row_pitch[2], slice_pitch[2], size, flags, pattern_size, data;
};

/* A piece of data, in the data ring of who says it: pieces are said in the order in which they lie
 * there. number: of the command's event, or of the object to be made; 0: of the answer to the
 * message with this ticket, before it. Of a read that has failed no bytes may be said, at the end
 * of the room that was theirs. */
struct cwi_say_data {
  struct cwi_said said;
  uint32_t number, last;
  uint64_t offset; /* where it belongs in all that travels */
  uint64_t position, bytes;
};

struct cwi_say_answer {
  struct cwi_said said; /* its ticket: the question's */
  int32_t code;
  uint32_t count;
  uint64_t needed; /* bytes, as OpenCL's size_ret; or a count */
  uint64_t bytes;  /* of the value: those that are not here came by CWI_SAYS_RESULT, all of them */
  unsigned char value[];
};

struct cwi_done {
  uint32_t event;
  int32_t status;    /* CL_COMPLETE, or why it failed */
  uint64_t times[4]; /* queued, submitted, started, ended; 0: not known */
};

struct cwi_say_done {
  struct cwi_said said;
  uint32_t count, unused;
  struct cwi_done done[];
};

struct cwi_say_notice {
  struct cwi_said said;
  uint32_t context, unused;
  uint64_t text_bytes, private_bytes;
  char text[];
};

/* What the program has on a device of this proxy is to go to another one. Its ticket comes back. */
struct cwi_say_move {
  struct cwi_said said;
  uint32_t device;    /* by its number in the census */
  uint32_t target[2]; /* proxy, device */
  uint32_t unused;
};

/* What a program says of a move that it was asked for. */
struct cwi_say_moved {
  struct cwi_said said;
  int32_t code;        /* 0: it is there; else a value of errno, and nothing has changed */
  uint32_t text_bytes; /* of a sentence: why it was refused, or what was moved */
  uint64_t bytes;      /* of memory that was moved */
  uint64_t nanoseconds;
  char text[];
};

#ifdef __cplusplus
}
#endif
#endif

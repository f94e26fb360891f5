/* The messages that a program and a proxy exchange in a session.
 *
 * The program chooses the numbers of objects, so it need not wait until an object is made. A number
 * may be reused after its object was dropped. All sorts of objects share one range of numbers,
 * which begins at VOCL_FIRST_OBJECT_NUMBER. A smaller number is the index of a device of the proxy
 * in the device list. In a field that cannot name a device, 0 means no object.
 *
 * A message with a ticket gets a reply. The error of a message without a ticket shows later: an
 * object that could not be made is invalid, and commands that need it fail. A failed command
 * completes with its error code as status. */
#pragma once

#include "executor/command.h"

enum { VOCL_FIRST_OBJECT_NUMBER = 64, VOCL_OBJECT_NUMBERS = 1 << 24 };

enum vocl_msg_type {
  /* from the program */
  VOCL_MSG_MAKE = 1,     /* struct vocl_msg_make, then its parts */
  VOCL_MSG_MAKE_KERNELS, /* struct vocl_msg_numbers: the program, then numbers for its kernels; the
                            reply has the number of kernels */
  VOCL_MSG_MAKE_SUB_DEVICES, /* struct vocl_msg_sub_devices; the reply has a device list */
  VOCL_MSG_DROP,             /* struct vocl_msg_numbers: objects that the program has released */
  VOCL_MSG_WATCH_DELETED,    /* struct vocl_msg_numbers: memory whose deletion must be reported */
  VOCL_MSG_BUILD,            /* struct vocl_msg_build; the reply comes when the build has ended */
  VOCL_MSG_QUERY,            /* struct vocl_msg_query; has a reply */
  VOCL_MSG_QUERY_FORMATS,    /* struct vocl_msg_query_formats; has a reply */
  VOCL_MSG_ARGUMENT,         /* struct vocl_msg_argument */
  VOCL_MSG_COMMAND,          /* struct vocl_msg_command */
  VOCL_MSG_DATA,             /* struct vocl_msg_data: data of a write or of an object */
  VOCL_MSG_FLUSH,            /* struct vocl_msg_numbers: a queue to flush */
  VOCL_MSG_FINISH, /* struct vocl_msg_numbers: a queue; the reply comes when all its commands are
                      done */
  VOCL_MSG_MOVE_REPLY, /* struct vocl_msg_move_reply: result of VOCL_MSG_MOVE */

  /* from the proxy */
  VOCL_MSG_REPLY = 64, /* struct vocl_msg_reply, then the value */
  VOCL_MSG_DONE,       /* struct vocl_msg_done: one or several completed commands */
  VOCL_MSG_RESULT,     /* struct vocl_msg_data: data of a read, or of a long reply */
  VOCL_MSG_DELETED,    /* struct vocl_msg_numbers: memory that was deleted */
  VOCL_MSG_NOTICE,     /* struct vocl_msg_notice: a notice of a context */
  VOCL_MSG_MOVE        /* struct vocl_msg_move: move what is on a device; the program sends
                          VOCL_MSG_MOVE_REPLY */
};

/* Header of all messages. The parts of a message follow its struct. Lengths of parts are in bytes,
 * and each part begins at a multiple of 8. */
struct vocl_msg_header {
  uint32_t bytes; /* length of the whole message */
  uint16_t what;
  uint16_t flags;
  uint64_t ticket; /* 0 if no reply is wanted */
};

/* Makes an object; the fields are those of struct vocl_making. The reply has the statuses of
 * binaries (int32_t each). The parts that follow: devices (uint32_t), properties (uint64_t),
 * lengths (uint64_t), then the strings. Data that does not fit into the message follows in messages
 * VOCL_MSG_DATA, `data` bytes in total. It consists of concatenated strings or binaries, or of the
 * initial contents of memory. */
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
      first; /* the sub-devices get the numbers first, first + 1, ... */
  int64_t properties[];
};

/* Builds a program. The parts that follow: devices, programs (uint32_t), lengths of the names
 * (uint64_t), options and names, without null bytes. The reply has the result of vocl_native_build.
 * After a link, `count` of the reply is not 0 if there is a program; a program that failed to link
 * has a log. After other builds, `count` is not 0 if nothing was built because of an included file:
 * one that is included by its absolute path differs at the proxy, or is missing there.
 *
 * `archive` is a source program that contains the files that the build may read, or 0 if the
 * sources include none. The proxy writes the files to a folder of its own. Each entry is a path
 * below that folder, a newline, the number of bytes in decimal, a newline, and the bytes. A path
 * that ends in '/' is a directory; the first one becomes the working directory of the build. An
 * entry that is "=" and a path names a file that must be the same at the proxy. The character
 * VOCL_INCLUDES_FOLDER stands for the folder in the options, and in the options and logs of
 * replies. */
enum { VOCL_INCLUDES_FOLDER = 1 };

struct vocl_msg_build {
  struct vocl_msg_header header;
  uint32_t step, program, linked, device_count, program_count, names, archive, unused;
  uint64_t option_bytes;
};

/* The value in the reply is as OpenCL returns it, but devices are numbers (uint32_t), and
 * binaries are concatenated. */
struct vocl_msg_query {
  struct vocl_msg_header header;
  uint32_t about, object, device, index, what, has_device;
  uint64_t size; /* maximum size of the value; UINT64_MAX to query only its length */
};

struct vocl_msg_query_formats {
  struct vocl_msg_header header;
  uint32_t context, type, most, unused;
  uint64_t flags;
};

enum vocl_argument_kind { VOCL_ARGUMENT_VALUE, VOCL_ARGUMENT_LOCAL, VOCL_ARGUMENT_OBJECT };

struct vocl_msg_argument {
  struct vocl_msg_header header;
  uint32_t kernel, index, kind,
      object; /* object 0 with VOCL_ARGUMENT_OBJECT means a null pointer */
  uint64_t size;
  unsigned char value[];
};

/* Enqueues a command; the fields are those of struct vocl_command. The parts that follow: objects
 * (uint32_t), wait list (uint32_t: events), then three uint64_t for each triple whose bit of enum
 * vocl_command_has is set in `has`, then the pattern. Reads and writes have no pitches of host
 * memory, because data is sent packed. The `data` bytes of a write follow in VOCL_MSG_DATA; those
 * of a read are sent in VOCL_MSG_RESULT. Mappings are sent as reads and writes. */
struct vocl_msg_command {
  struct vocl_msg_header header;
  uint32_t sort, queue, memory[2], kernel,
      event; /* `event` is the number of the command's event; every command has one */
  uint32_t count, object_count, wait_count, has;
  uint64_t offset[2], row_pitch[2], slice_pitch[2], size, flags, pattern_size, data;
};

/* A piece of data in the data ring of the sender. Messages name pieces in ring order. `number` is
 * the number of the command's event, or of the object that is made. If it is 0, the data is the
 * value of the reply with this ticket, which follows. For a failed read the piece has no bytes and
 * lies at the end of the space that was reserved for it. */
struct vocl_msg_data {
  struct vocl_msg_header header;
  uint32_t number, last;
  uint64_t offset; /* offset in the whole data */
  uint64_t position, bytes;
};

struct vocl_msg_reply {
  struct vocl_msg_header header; /* has the ticket of the request */
  int32_t code;
  uint32_t count;
  uint64_t needed; /* length of the value, like OpenCL's size_ret, or a count */
  uint64_t bytes;  /* length of the value; a long value is not here, but was sent before in
                      VOCL_MSG_RESULT */
  unsigned char value[];
};

struct vocl_completion {
  uint32_t event;
  int32_t status;    /* CL_COMPLETE, or an error code */
  uint64_t times[4]; /* queued, submitted, started, ended; 0 if unknown */
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

/* Requests that the program move what it has on a device of this proxy to another device. The reply
 * has the same ticket. */
struct vocl_msg_move {
  struct vocl_msg_header header;
  uint32_t device;    /* index in the device list */
  uint32_t target[2]; /* proxy and device */
  uint32_t unused;
};

/* Result of a move. */
struct vocl_msg_move_reply {
  struct vocl_msg_header header;
  int32_t
      code; /* 0 if the move has succeeded; otherwise a value of errno, and nothing has changed */
  uint32_t text_bytes; /* length of `text`, a message about why the move failed or what was moved */
  uint64_t bytes;      /* bytes of memory that were moved */
  uint64_t nanoseconds;
  char text[];
};

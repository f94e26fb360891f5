/* Messages that tests send to the service in the session `s`: a function for each. */
#pragma once

#include "raw_session.h"

/* Numbers of objects; events have those from EVENT on. */
enum {
  CONTEXT = 100,
  QUEUE,
  OTHER_QUEUE,
  LOOSE_QUEUE,
  PROGRAM,
  KERNEL,
  BUFFER,
  OTHER_BUFFER,
  PART,
  IMAGE,
  NOTHING,
  SUB_DEVICES = 200,
  EVENT = 300
};

extern struct raw_session *s;
extern uint32_t event; /* number of the next event */

/* Fields of a command with its triples, in the order of vocl_command_has, and one event to wait
 * for, or 0. */
struct command_fields {
  enum vocl_command_sort sort;
  uint32_t queue, memory, other, kernel, wait;
  uint32_t has;
  const uint64_t *triples;
  uint64_t offset, size, data, row_pitch, slice_pitch;
  char *into;
  bool ticket;
};

/* Begins a message that makes an object, with `more` bytes after its fixed fields. */
struct vocl_msg_make *make_begin(enum vocl_sort sort, uint32_t number, uint32_t parent, size_t more,
                                 bool ticket);
void make_context(uint32_t device);
void make_queue(uint32_t number, cl_bitfield flags);
void make_buffer(uint32_t number, uint64_t size, bool ticket);
/* Makes an object of a string, which is sent in the message, or apart from it. */
void make_of_text(enum vocl_sort sort, uint32_t number, uint32_t parent, const char *text,
                  bool apart);
int32_t build(uint32_t program, const char *options);
void argument(uint32_t index, enum vocl_argument_kind kind, uint32_t object, const void *value,
              size_t size, bool ticket);
void argument_int(uint32_t index, int value);
uint32_t send_command(const struct command_fields *what);
void send_data(uint32_t number, const char *bytes, size_t size, size_t piece);
uint32_t write_all(uint32_t buffer, const char *bytes, size_t size, size_t piece);
uint32_t read_all(uint32_t queue, uint32_t buffer, char *into, size_t size, uint32_t wait);
uint32_t launch(bool ticket);
int32_t finish(uint32_t queue);
void drop(uint32_t number);
int32_t send_query(enum vocl_query_about about, uint32_t object, uint32_t what, uint64_t size);
/* Checks that a call returned the code. */
void check_code(int32_t got, int32_t want, const char *what);
/* Returns `size` random bytes, which the caller frees. */
char *random_bytes(size_t size);
/* Begins a session with a context and three queues: two in order and one out of order. */
void begin(void);
/* Builds a program and makes one of its kernels. */
void make_kernel(const char *name);

/* Starts the kit, with the vendors of OCL_ICD_VENDORS. */
void messages_start(int *argc, char ***argv, const char *program);

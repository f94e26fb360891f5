/* Messages of the tests of the service in the session `s`: a function for each. */
#ifndef TESTS_VOCL_SAYINGS_H
#define TESTS_VOCL_SAYINGS_H

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

extern struct speaker *s;
extern uint32_t event; /* the next one's number */

/* A command with its triples, in the order of vocl_command_has, and one event to wait for, or
 * 0. */
struct saying {
  enum vocl_command_sort sort;
  uint32_t queue, memory, other, kernel, wait;
  uint32_t has;
  const uint64_t *triples;
  uint64_t offset, size, data, row_pitch, slice_pitch;
  char *into;
  bool ticket;
};

/* Begins a message that creates an object, with `more` bytes behind it. */
struct vocl_msg_make *make_begin(enum vocl_sort sort, uint32_t number, uint32_t parent, size_t more,
                                 bool ticket);
void make_context(uint32_t device);
void make_queue(uint32_t number, cl_bitfield flags);
void make_buffer(uint32_t number, uint64_t size, bool ticket);
/* One string, in the message or behind it. */
void make_of_text(enum vocl_sort sort, uint32_t number, uint32_t parent, const char *text,
                  bool apart);
int32_t build(uint32_t program, const char *options);
void argument(uint32_t index, enum vocl_argument_kind kind, uint32_t object, const void *value,
              size_t size, bool ticket);
void argument_int(uint32_t index, int value);
uint32_t say(const struct saying *what);
void send_data(uint32_t number, const char *bytes, size_t size, size_t piece);
uint32_t write_all(uint32_t buffer, const char *bytes, size_t size, size_t piece);
uint32_t read_all(uint32_t queue, uint32_t buffer, char *into, size_t size, uint32_t wait);
uint32_t launch(bool ticket);
int32_t finish(uint32_t queue);
void drop(uint32_t number);
int32_t ask(enum vocl_query_about about, uint32_t object, uint32_t what, uint64_t size);
/* Checks that a call gives the code. */
void check_code(int32_t got, int32_t want, const char *what);
/* To be freed. */
char *random_bytes(size_t size);
/* A session with a context and three queues: of a device in order, one more, and one out of order.
 */
void begin(void);
/* A program of our own, built, and one of its kernels. */
void make_kernel(const char *name);

/* Start the kit, over the vendors of OCL_ICD_VENDORS. */
void sayings_start(int *argc, char ***argv, const char *program);

#endif

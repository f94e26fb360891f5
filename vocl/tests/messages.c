#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "kernel void put(global int *a, int i, int value) { if (get_global_id(0) == 0) a[i] = value; "
    "}\n"
    "kernel void await(volatile global int *a) { for (long i = 0; i < 2000000000 && *a == 0; i++); "
    "}\n"
    "kernel void touch(global char *a, char value) { if (get_global_id(0) == 0) a[0] = value; }\n";

struct raw_session *s;
uint32_t event = EVENT;

void messages_start(int *argc, char ***argv, const char *program)
{
  const char *vendors = getenv("OCL_ICD_VENDORS");
  if (vendors != NULL)
    setenv("CW_VOCL_VENDORS", vendors, 0);
  setenv("CW_LOG", "0", 0);
  kit_start(argc, argv, program);
  s = kit_alloc(1, sizeof *s);
}

struct vocl_msg_make *make_begin(enum vocl_sort sort, uint32_t number, uint32_t parent, size_t more,
                                 bool ticket)
{
  struct vocl_msg_make *make = raw_message_begin(s, VOCL_MSG_MAKE, sizeof *make + more, ticket);
  if (make == NULL) {
    fprintf(stderr, "service: the session is over\n");
    exit(KIT_FAIL);
  }
  make->sort = sort;
  make->number = number;
  make->parent = parent;
  return make;
}

void make_context(uint32_t device)
{
  struct vocl_msg_make *make = make_begin(VOCL_CONTEXT, CONTEXT, 0, 8, false);
  make->device_count = 1;
  memcpy(make + 1, &device, sizeof device);
  raw_message_end(s, make);
}

void make_queue(uint32_t number, cl_bitfield flags)
{
  struct vocl_msg_make *make = make_begin(VOCL_QUEUE, number, CONTEXT, 8, false);
  make->device_count = 1; /* device 0 */
  make->flags = flags;
  raw_message_end(s, make);
}

void make_buffer(uint32_t number, uint64_t size, bool ticket)
{
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, number, CONTEXT, 0, ticket);
  make->flags = CL_MEM_READ_WRITE;
  make->size = size;
  raw_message_end(s, make);
}

void make_of_text(enum vocl_sort sort, uint32_t number, uint32_t parent, const char *text,
                  bool apart)
{
  const uint64_t length = strlen(text);
  struct vocl_msg_make *make = make_begin(sort, number, parent, 8 + (apart ? 0 : length), false);
  make->string_count = 1;
  make->data = apart ? length : 0;
  memcpy(make + 1, &length, sizeof length);
  if (!apart)
    memcpy((char *)(make + 1) + 8, text, length);
  raw_message_end(s, make);
  for (uint64_t done = 0, step = 0; apart && done < length; done += step) {
    step = length - done < 40 ? length - done : 40;
    raw_data_send(s, number, text + done, step, done);
  }
}

int32_t build(uint32_t program, const char *options)
{
  const uint64_t length = strlen(options);
  struct vocl_msg_build *msg = raw_message_begin(s, VOCL_MSG_BUILD, sizeof *msg + length, true);
  msg->step = VOCL_BUILD;
  msg->program = program;
  msg->option_bytes = length;
  memcpy(msg + 1, options, length);
  raw_message_end(s, msg);
  return raw_session_reply(s);
}

void argument(uint32_t index, enum vocl_argument_kind kind, uint32_t object, const void *value,
              size_t size, bool ticket)
{
  const size_t bytes = value != NULL ? size : 0;
  struct vocl_msg_argument *msg =
      raw_message_begin(s, VOCL_MSG_ARGUMENT, sizeof *msg + bytes, ticket);
  msg->kernel = KERNEL;
  msg->index = index;
  msg->kind = kind;
  msg->object = object;
  msg->size = size;
  if (bytes > 0)
    memcpy(msg->value, value, bytes);
  raw_message_end(s, msg);
}

void argument_int(uint32_t index, int value)
{
  argument(index, VOCL_ARGUMENT_VALUE, 0, &value, sizeof value, false);
}

uint32_t send_command(const struct command_fields *what)
{
  const size_t triples = (size_t)__builtin_popcount(what->has) * 24;
  const size_t waits = what->wait != 0 ? 8 : 0;
  struct vocl_msg_command *msg =
      raw_message_begin(s, VOCL_MSG_COMMAND, sizeof *msg + waits + triples, what->ticket);
  if (msg == NULL)
    return 0;
  msg->sort = what->sort;
  msg->queue = what->queue != 0 ? what->queue : QUEUE;
  msg->memory[0] = what->memory;
  msg->memory[1] = what->other;
  msg->kernel = what->kernel;
  msg->event = event;
  msg->wait_count = what->wait != 0;
  msg->has = what->has;
  msg->count = 1;
  msg->offset[0] = what->offset;
  msg->size = what->size;
  msg->data = what->data;
  msg->row_pitch[0] = what->row_pitch;
  msg->slice_pitch[0] = what->slice_pitch;
  memcpy(msg + 1, &what->wait, waits != 0 ? sizeof what->wait : 0);
  if (triples > 0)
    memcpy((char *)(msg + 1) + waits, what->triples, triples);
  s->events[event].into = what->into;
  raw_message_end(s, msg);
  return event++;
}

void send_data(uint32_t number, const char *bytes, size_t size, size_t piece)
{
  for (size_t done = 0, step = 0; done < size; done += step) {
    step = size - done < piece ? size - done : piece;
    raw_data_send(s, number, bytes + done, step, done);
  }
}

uint32_t write_all(uint32_t buffer, const char *bytes, size_t size, size_t piece)
{
  const uint32_t number = send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_WRITE, .memory = buffer, .size = size, .data = size});
  send_data(number, bytes, size, piece);
  return number;
}

uint32_t read_all(uint32_t queue, uint32_t buffer, char *into, size_t size, uint32_t wait)
{
  return send_command(&(struct command_fields){.sort = VOCL_COMMAND_READ,
                                               .queue = queue,
                                               .memory = buffer,
                                               .size = size,
                                               .into = into,
                                               .wait = wait});
}

uint32_t launch(bool ticket)
{
  static const uint64_t one[3] = {1, 1, 1};
  return send_command(&(struct command_fields){.sort = VOCL_COMMAND_LAUNCH,
                                               .kernel = KERNEL,
                                               .has = VOCL_HAS_GLOBAL_SIZE,
                                               .triples = one,
                                               .ticket = ticket});
}

int32_t finish(uint32_t queue)
{
  raw_numbers_send(s, VOCL_MSG_FINISH, true, 1, &queue);
  return raw_session_reply(s);
}

void drop(uint32_t number)
{
  raw_numbers_send(s, VOCL_MSG_DROP, false, 1, &number);
}

int32_t send_query(enum vocl_query_about about, uint32_t object, uint32_t what, uint64_t size)
{
  struct vocl_msg_query *msg = raw_message_begin(s, VOCL_MSG_QUERY, sizeof *msg, true);
  msg->about = about;
  msg->object = object;
  msg->what = what;
  msg->size = size;
  raw_message_end(s, msg);
  return raw_session_reply(s);
}

void check_code(int32_t got, int32_t want, const char *what)
{
  kit_check(got == want, "%s gives %d, not %d", what, got, want);
}

char *random_bytes(size_t size)
{
  char *bytes = kit_alloc(size, 1);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char)kit_own(256);
  return bytes;
}

void begin(void)
{
  event = EVENT;
  raw_session_begin(s);
  make_context(0);
  make_queue(QUEUE, CL_QUEUE_PROFILING_ENABLE);
  make_queue(OTHER_QUEUE, 0);
  make_queue(LOOSE_QUEUE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

void make_kernel(const char *name)
{
  drop(PROGRAM);
  make_of_text(VOCL_SOURCE_PROGRAM, PROGRAM, CONTEXT, source, true);
  check_code(build(PROGRAM, "-cl-kernel-arg-info"), CL_SUCCESS, "build");
  make_of_text(VOCL_KERNEL, KERNEL, PROGRAM, name, false);
}

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

struct speaker *s;
uint32_t event = EVENT;

void sayings_start(int *argc, char ***argv, const char *program)
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
  struct vocl_msg_make *make = speaker_say(s, VOCL_MSG_MAKE, sizeof *make + more, ticket);
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
  speaker_said(s, make);
}

void make_queue(uint32_t number, cl_bitfield flags)
{
  struct vocl_msg_make *make = make_begin(VOCL_QUEUE, number, CONTEXT, 8, false);
  make->device_count = 1; /* device 0 */
  make->flags = flags;
  speaker_said(s, make);
}

void make_buffer(uint32_t number, uint64_t size, bool ticket)
{
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, number, CONTEXT, 0, ticket);
  make->flags = CL_MEM_READ_WRITE;
  make->size = size;
  speaker_said(s, make);
}

/* One string, in the message or behind it. */
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
  speaker_said(s, make);
  for (uint64_t done = 0, step = 0; apart && done < length; done += step) {
    step = length - done < 40 ? length - done : 40;
    speaker_data(s, number, text + done, step, done);
  }
}

int32_t build(uint32_t program, const char *options)
{
  const uint64_t length = strlen(options);
  struct vocl_msg_build *said = speaker_say(s, VOCL_MSG_BUILD, sizeof *said + length, true);
  said->step = VOCL_BUILD;
  said->program = program;
  said->option_bytes = length;
  memcpy(said + 1, options, length);
  speaker_said(s, said);
  return speaker_answer(s);
}

void argument(uint32_t index, enum vocl_argument_kind kind, uint32_t object, const void *value,
              size_t size, bool ticket)
{
  const size_t bytes = value != NULL ? size : 0;
  struct vocl_msg_argument *said = speaker_say(s, VOCL_MSG_ARGUMENT, sizeof *said + bytes, ticket);
  said->kernel = KERNEL;
  said->index = index;
  said->kind = kind;
  said->object = object;
  said->size = size;
  if (bytes > 0)
    memcpy(said->value, value, bytes);
  speaker_said(s, said);
}

void argument_int(uint32_t index, int value)
{
  argument(index, VOCL_ARGUMENT_VALUE, 0, &value, sizeof value, false);
}

uint32_t say(const struct saying *what)
{
  const size_t triples = (size_t)__builtin_popcount(what->has) * 24;
  const size_t waits = what->wait != 0 ? 8 : 0;
  struct vocl_msg_command *said =
      speaker_say(s, VOCL_MSG_COMMAND, sizeof *said + waits + triples, what->ticket);
  if (said == NULL)
    return 0;
  said->sort = what->sort;
  said->queue = what->queue != 0 ? what->queue : QUEUE;
  said->memory[0] = what->memory;
  said->memory[1] = what->other;
  said->kernel = what->kernel;
  said->event = event;
  said->wait_count = what->wait != 0;
  said->has = what->has;
  said->count = 1;
  said->offset[0] = what->offset;
  said->size = what->size;
  said->data = what->data;
  said->row_pitch[0] = what->row_pitch;
  said->slice_pitch[0] = what->slice_pitch;
  memcpy(said + 1, &what->wait, waits != 0 ? sizeof what->wait : 0);
  if (triples > 0)
    memcpy((char *)(said + 1) + waits, what->triples, triples);
  s->events[event].into = what->into;
  speaker_said(s, said);
  return event++;
}

void send_data(uint32_t number, const char *bytes, size_t size, size_t piece)
{
  for (size_t done = 0, step = 0; done < size; done += step) {
    step = size - done < piece ? size - done : piece;
    speaker_data(s, number, bytes + done, step, done);
  }
}

uint32_t write_all(uint32_t buffer, const char *bytes, size_t size, size_t piece)
{
  const uint32_t number = say(
      &(struct saying){.sort = VOCL_COMMAND_WRITE, .memory = buffer, .size = size, .data = size});
  send_data(number, bytes, size, piece);
  return number;
}

uint32_t read_all(uint32_t queue, uint32_t buffer, char *into, size_t size, uint32_t wait)
{
  return say(&(struct saying){.sort = VOCL_COMMAND_READ,
                              .queue = queue,
                              .memory = buffer,
                              .size = size,
                              .into = into,
                              .wait = wait});
}

uint32_t launch(bool ticket)
{
  static const uint64_t one[3] = {1, 1, 1};
  return say(&(struct saying){.sort = VOCL_COMMAND_LAUNCH,
                              .kernel = KERNEL,
                              .has = VOCL_HAS_GLOBAL_SIZE,
                              .triples = one,
                              .ticket = ticket});
}

int32_t finish(uint32_t queue)
{
  speaker_numbers(s, VOCL_MSG_FINISH, true, 1, &queue);
  return speaker_answer(s);
}

void drop(uint32_t number)
{
  speaker_numbers(s, VOCL_MSG_DROP, false, 1, &number);
}

int32_t ask(enum vocl_query_about about, uint32_t object, uint32_t what, uint64_t size)
{
  struct vocl_msg_query *said = speaker_say(s, VOCL_MSG_QUERY, sizeof *said, true);
  said->about = about;
  said->object = object;
  said->what = what;
  said->size = size;
  speaker_said(s, said);
  return speaker_answer(s);
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
  speaker_begin(s);
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

/* The service of a proxy, message by message: what it makes, executes, reads, replies and rejects,
 * and that a session frees all its objects. */
#include "messages.h"

#include "wire/device_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG = (5 << 20) + 123, LAUNCHES = 300 };

static void check_lines(void)
{
  char *there = random_bytes(BIG), *back = kit_alloc(BIG, 1);
  make_buffer(BUFFER, BIG, true);
  check_code(raw_session_reply(s), CL_SUCCESS, "make a buffer");
  const uint32_t written = write_all(BUFFER, there, BIG, VOCL_PIECE_MAX);
  const uint32_t read = read_all(0, BUFFER, back, BIG, 0);
  check_code(raw_session_status(s, read), CL_COMPLETE, "a long read");
  check_code(raw_session_status(s, written), CL_COMPLETE, "a long write");
  kit_check_bytes(back, there, BIG, "what was written and read");
  kit_check_long((long)s->events[read].received, BIG, "bytes that came");
  const uint64_t *times = s->events[read].times;
  kit_check(times[0] > 0 && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3],
            "times of a read");
  /* Several queues, one of them out of order. */
  const uint32_t queues[3] = {QUEUE, OTHER_QUEUE, LOOSE_QUEUE};
  for (int i = 0; i < 30; i++) {
    const size_t at = (size_t)kit_own(BIG - 5000), size = 1 + (size_t)kit_own(5000);
    memset(back, 0, size);
    const uint32_t one = send_command(&(struct command_fields){.sort = VOCL_COMMAND_READ,
                                                               .queue = queues[i % 3],
                                                               .memory = BUFFER,
                                                               .offset = at,
                                                               .size = size,
                                                               .into = back});
    check_code(raw_session_status(s, one), CL_COMPLETE, "a short read");
    kit_check_bytes(back, there + at, size, "a short read");
  }
  kit_check(raw_session_count(&s->counts.device_bytes) >= BIG, "the device's bytes are counted");
  free(there);
  free(back);
}

/* Checks that boxes of a buffer arrive at their place, in pieces of any length. */
static void check_rows(void)
{
  char *all = kit_alloc(BIG, 1), *box = random_bytes(70 * 30 * 5), *back = kit_alloc(BIG, 1);
  const uint64_t triples[6] = {13, 4, 2, 70, 30, 5};
  const uint32_t has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION;
  struct command_fields what = {.sort = VOCL_COMMAND_WRITE_RECT,
                                .memory = BUFFER,
                                .has = has,
                                .triples = triples,
                                .row_pitch = 100,
                                .slice_pitch = 4000,
                                .data = 70 * 30 * 5};
  check_code(raw_session_status(s, write_all(BUFFER, all, BIG, VOCL_PIECE_MAX)), CL_COMPLETE,
             "zeros");
  send_data(send_command(&what), box, what.data, 1 + (size_t)kit_own(3000));
  check_code(raw_session_status(s, read_all(0, BUFFER, back, BIG, 0)), CL_COMPLETE, "a read");
  for (size_t z = 0; z < 5; z++)
    for (size_t y = 0; y < 30; y++)
      memcpy(all + 13 + (4 + y) * 100 + (2 + z) * 4000, box + 70 * (y + 30 * z), 70);
  kit_check_bytes(back, all, BIG, "a box was written");
  memset(back, 0, what.data);
  what.sort = VOCL_COMMAND_READ_RECT;
  what.data = 0;
  what.into = back;
  check_code(raw_session_status(s, send_command(&what)), CL_COMPLETE, "read a box");
  kit_check_bytes(back, box, 70 * 30 * 5, "a box was read");
  /* Rows that are longer than a piece. */
  const uint64_t wide[6] = {5, 1, 0, 2500000, 2, 1};
  char *rows = random_bytes(5000000);
  what = (struct command_fields){.sort = VOCL_COMMAND_WRITE_RECT,
                                 .memory = BUFFER,
                                 .has = has,
                                 .triples = wide,
                                 .row_pitch = 2500000 - 800000,
                                 .data = 5000000};
  what.ticket = true;
  send_data(send_command(&what), rows, what.data, VOCL_PIECE_MAX);
  check_code(raw_session_reply(s), CL_INVALID_VALUE, "rows that overlap");
  const uint64_t rather[6] = {5, 0, 0, 2500000, 2, 1};
  what.triples = rather;
  what.row_pitch = 2600000;
  send_data(send_command(&what), rows, what.data, VOCL_PIECE_MAX - 77);
  check_code(raw_session_reply(s), CL_SUCCESS, "long rows");
  what.sort = VOCL_COMMAND_READ_RECT;
  what.data = 0;
  what.into = back;
  check_code(raw_session_status(s, send_command(&what)), CL_COMPLETE, "read long rows");
  kit_check_bytes(back, rows, 5000000, "long rows");
  free(rows);
  free(all);
  free(box);
  free(back);
}

static void check_pixels(void)
{
  enum { WIDTH = 333, HEIGHT = 1111, BYTES = WIDTH * HEIGHT * 4 };
  char *pixels = random_bytes(BYTES), *back = kit_alloc(BYTES, 1);
  struct vocl_msg_make *make = make_begin(VOCL_IMAGE, IMAGE, CONTEXT, 0, true);
  make->flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  make->image_format[0] = CL_RGBA;
  make->image_format[1] = CL_UNSIGNED_INT8;
  make->image_type = CL_MEM_OBJECT_IMAGE2D;
  make->image[0] = WIDTH;
  make->image[1] = HEIGHT;
  make->data = BYTES;
  raw_message_end(s, make);
  send_data(IMAGE, pixels, BYTES, VOCL_PIECE_MAX);
  if (raw_session_reply(s) == CL_INVALID_OPERATION)
    return; /* a device without images */
  check_code(raw_session_reply(s), CL_SUCCESS, "make an image");
  const uint64_t whole[6] = {0, 0, 0, WIDTH, HEIGHT, 1};
  struct command_fields what = {.sort = VOCL_COMMAND_READ_IMAGE,
                                .memory = IMAGE,
                                .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                                .triples = whole,
                                .into = back};
  check_code(raw_session_status(s, send_command(&what)), CL_COMPLETE, "read an image");
  kit_check_bytes(back, pixels, BYTES, "an image's first contents");
  const uint64_t part[6] = {100, 200, 0, 50, 60, 1};
  what = (struct command_fields){.sort = VOCL_COMMAND_WRITE_IMAGE,
                                 .memory = IMAGE,
                                 .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                                 .triples = part,
                                 .data = 50 * 60 * 4};
  send_data(send_command(&what), pixels, what.data, 4 * 17);
  for (size_t y = 0; y < 60; y++)
    memcpy(back + 4 * ((200 + y) * WIDTH + 100), pixels + 4 * 50 * y, 4 * 50);
  char *again = kit_alloc(BYTES, 1);
  what = (struct command_fields){.sort = VOCL_COMMAND_READ_IMAGE,
                                 .memory = IMAGE,
                                 .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                                 .triples = whole,
                                 .into = again};
  check_code(raw_session_status(s, send_command(&what)), CL_COMPLETE, "read it again");
  kit_check_bytes(again, back, BYTES, "an image that was written");
  drop(IMAGE);
  free(pixels);
  free(back);
  free(again);
}

/* Checks that launches that wait for a write use the arguments of the time of their call. */
static void check_launches(void)
{
  int *back = kit_alloc(LAUNCHES, sizeof *back);
  char *zeros = kit_alloc(LAUNCHES, sizeof *back);
  make_kernel("put");
  make_buffer(OTHER_BUFFER, LAUNCHES * sizeof *back, false);
  argument(0, VOCL_ARGUMENT_OBJECT, OTHER_BUFFER, NULL, 0, false);
  const size_t bytes = LAUNCHES * sizeof *back;
  const uint32_t written = send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_WRITE, .memory = OTHER_BUFFER, .size = bytes, .data = bytes});
  for (int i = 0; i < LAUNCHES; i++) {
    argument_int(1, i);
    argument_int(2, 7 * i + 1);
    launch(false);
  }
  /* A waiting command keeps its objects. */
  const uint32_t read = read_all(0, OTHER_BUFFER, (char *)back, bytes, 0);
  drop(OTHER_BUFFER);
  drop(KERNEL);
  send_data(written, zeros, bytes, 100);
  check_code(raw_session_status(s, read), CL_COMPLETE, "the read behind the launches");
  for (int i = 0; i < LAUNCHES; i++)
    kit_check_long(back[i], 7 * i + 1, "what a launch wrote");
  check_code(finish(QUEUE), CL_SUCCESS, "finish");
  for (uint32_t each = written; each <= read; each++)
    kit_check(s->events[each].is_reported, "event %u is reported before the reply to finish", each);
  free(back);
  free(zeros);
}

/* Checks that a command of another queue waits for one whose data has not arrived. */
static void check_waits(void)
{
  char *there = random_bytes(1 << 20), *back = kit_alloc(1 << 20, 1);
  const uint32_t written = send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_WRITE, .memory = BUFFER, .size = 1 << 20, .data = 1 << 20});
  const uint32_t reads[2] = {read_all(OTHER_QUEUE, BUFFER, back, 1 << 20, written),
                             read_all(LOOSE_QUEUE, BUFFER, back, 1 << 20, written)};
  uint32_t queue = LOOSE_QUEUE;
  raw_numbers_send(s, VOCL_MSG_FLUSH, true, 1, &queue);
  check_code(raw_session_reply(s), CL_SUCCESS, "flush");
  kit_check(!s->events[reads[0]].is_reported && !s->events[written].is_reported,
            "the commands wait for the data");
  send_data(written, there, 1 << 20, 100000);
  check_code(raw_session_status(s, reads[0]), CL_COMPLETE, "a read that waits");
  check_code(raw_session_status(s, reads[1]), CL_COMPLETE, "another one");
  kit_check_bytes(back, there, 1 << 20, "what it waited for");
  free(there);
  free(back);
}

/* Checks that in a queue out of order a command that ends early is reported early. The kernel waits
 * until another queue writes what it polls. */
static void check_disorder(void)
{
  static const uint64_t one[3] = {1, 1, 1};
  const int zero = 0, go = 1;
  char back[64];
  make_buffer(OTHER_BUFFER, sizeof go, false);
  check_code(raw_session_status(s, write_all(OTHER_BUFFER, (const char *)&zero, sizeof zero, 4)),
             CL_COMPLETE, "a write");
  make_kernel("await");
  argument(0, VOCL_ARGUMENT_OBJECT, OTHER_BUFFER, NULL, 0, false);
  const uint32_t slow = send_command(&(struct command_fields){.sort = VOCL_COMMAND_LAUNCH,
                                                              .queue = LOOSE_QUEUE,
                                                              .kernel = KERNEL,
                                                              .has = VOCL_HAS_GLOBAL_SIZE,
                                                              .triples = one});
  raw_session_drain(s);
  check_code(raw_session_status(s, read_all(LOOSE_QUEUE, BUFFER, back, sizeof back, 0)),
             CL_COMPLETE, "a read behind the kernel");
  kit_check(!s->events[slow].is_reported, "the kernel has completed too early");
  const uint32_t written = send_command(&(struct command_fields){.sort = VOCL_COMMAND_WRITE,
                                                                 .queue = OTHER_QUEUE,
                                                                 .memory = OTHER_BUFFER,
                                                                 .size = sizeof go,
                                                                 .data = sizeof go});
  send_data(written, (const char *)&go, sizeof go, sizeof go);
  check_code(raw_session_status(s, slow), CL_COMPLETE, "the kernel");
  check_code(finish(LOOSE_QUEUE), CL_SUCCESS, "finish");
  drop(KERNEL);
  drop(OTHER_BUFFER);
}

/* Checks that a short read of a queue out of order completes, although a long one has the space
 * before its data. */
static void check_overtaking(void)
{
  enum { LONG = 4 << 20, SHORT = 64, ROUNDS = 100 };
  char *there = random_bytes(LONG), *back = kit_alloc(LONG, 1), few[SHORT];
  const uint32_t written = write_all(BUFFER, there, LONG, VOCL_PIECE_MAX);
  check_code(raw_session_status(s, written), CL_COMPLETE, "a write");
  for (int i = 0; i < ROUNDS; i++) {
    memset(few, 0, SHORT);
    read_all(LOOSE_QUEUE, BUFFER, back, LONG, 0);
    read_all(LOOSE_QUEUE, BUFFER, few, SHORT, 0);
    check_code(finish(LOOSE_QUEUE), CL_SUCCESS, "finish");
    kit_check_bytes(few, there, SHORT, "a short read behind a long one");
  }
  kit_check_bytes(back, there, LONG, "a long read");
  free(there);
  free(back);
}

/* Checks that while long reads fill the ring and the program takes no data, short reads of another
 * queue wait for space, and later messages are handled. */
static void check_full_ring(void)
{
  enum { SHORT = 64, SHORTS = 20, NAP = 50000 };
  const uint64_t *taken = &s->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].taken.bytes;
  char *there = random_bytes(BIG), *back = kit_alloc(2, BIG), few[SHORTS][SHORT];
  check_code(raw_session_status(s, write_all(BUFFER, there, BIG, VOCL_PIECE_MAX)), CL_COMPLETE,
             "a write");
  const uint32_t first = read_all(0, BUFFER, back, BIG, 0);
  const uint32_t second = read_all(0, BUFFER, back + BIG, BIG, 0);
  usleep(NAP); /* now the ring is full */
  uint32_t shorts[SHORTS];
  for (int i = 0; i < SHORTS; i++) {
    shorts[i] = read_all(i % 2 == 0 ? OTHER_QUEUE : LOOSE_QUEUE, BUFFER, few[i], SHORT, 0);
    while (__atomic_load_n(taken, __ATOMIC_ACQUIRE) != s->channel.published[VOCL_RING_MESSAGES])
      usleep(100); /* otherwise it would be handled with a later message only */
  }
  for (int i = 0; i < SHORTS; i++) {
    check_code(raw_session_status(s, shorts[i]), CL_COMPLETE, "a short read");
    kit_check_bytes(few[i], there, SHORT, "what a short read has read");
  }
  check_code(raw_session_status(s, first), CL_COMPLETE, "a long read");
  check_code(raw_session_status(s, second), CL_COMPLETE, "another one");
  kit_check_bytes(back, there, BIG, "the first long read");
  kit_check_bytes(back + BIG, there, BIG, "the second one");
  free(there);
  free(back);
}

/* Checks that an argument that could not be set does not keep its earlier value. */
static void check_missed_argument(void)
{
  int there = 0;
  make_buffer(OTHER_BUFFER, sizeof there, false);
  make_buffer(NOTHING, 0, false);
  make_kernel("put");
  argument(0, VOCL_ARGUMENT_OBJECT, OTHER_BUFFER, NULL, 0, false);
  argument_int(1, 0);
  argument_int(2, 11);
  check_code(raw_session_status(s, launch(false)), CL_COMPLETE, "a launch");
  argument(0, VOCL_ARGUMENT_OBJECT, NOTHING, NULL, 0, false);
  argument_int(2, 22);
  check_code(raw_session_status(s, launch(false)), CL_INVALID_BUFFER_SIZE,
             "a launch without memory");
  const uint32_t read = read_all(0, OTHER_BUFFER, (char *)&there, sizeof there, 0);
  check_code(raw_session_status(s, read), CL_COMPLETE, "a read");
  kit_check_long(there, 11, "what the first launch wrote");
  argument(0, VOCL_ARGUMENT_OBJECT, OTHER_BUFFER, NULL, 0, false);
  check_code(raw_session_status(s, launch(false)), CL_COMPLETE, "a launch with memory again");
  drop(KERNEL);
  drop(OTHER_BUFFER);
  drop(NOTHING);
}

static void check_rejections(void)
{
  char back[64];
  make_buffer(NOTHING, 0, true);
  check_code(raw_session_reply(s), CL_INVALID_BUFFER_SIZE, "a buffer of nothing");
  make_buffer(NOTHING, 0, false);
  const uint32_t failed = read_all(0, NOTHING, back, 64, 0);
  const uint32_t then = read_all(OTHER_QUEUE, BUFFER, back, 64, failed);
  check_code(raw_session_status(s, failed), CL_INVALID_BUFFER_SIZE,
             "a read of what could not be made");
  check_code(raw_session_status(s, then), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
             "what waits for it");
  drop(NOTHING);
  send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_READ, .memory = BUFFER, .offset = BIG - 10, .size = 11, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_VALUE, "a read beyond the end");
  send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_READ, .memory = QUEUE, .size = 11, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_MEM_OBJECT, "a read of a queue");
  send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_READ, .queue = BUFFER, .size = 1, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_COMMAND_QUEUE, "a read in a buffer");
  send_command(
      &(struct command_fields){.sort = VOCL_COMMAND_MARKER, .wait = BUFFER, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_EVENT_WAIT_LIST, "to wait for a buffer");
  send_command(
      &(struct command_fields){.sort = VOCL_COMMAND_MARKER, .wait = event, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_EVENT_WAIT_LIST, "to wait for itself");
  /* The data of a rejected write is ignored, and the number of its event is free. */
  event = EVENT + 3000;
  const uint32_t rejected = send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_WRITE, .memory = NOTHING, .size = 64, .data = 64, .ticket = true});
  check_code(raw_session_reply(s), CL_INVALID_MEM_OBJECT, "a write to nothing");
  send_data(rejected, back, 64, 10);
  event = rejected;
  check_code(
      raw_session_status(s, send_command(&(struct command_fields){.sort = VOCL_COMMAND_MARKER})),
      CL_COMPLETE, "the number again");
  event = EVENT + 3100;
  make_kernel("put");
  launch(true);
  kit_check(raw_session_reply(s) < 0, "a launch without arguments");
  const uint64_t address = (uint64_t)(uintptr_t)&address;
  argument(0, VOCL_ARGUMENT_VALUE, 0, &address, sizeof address, true);
  check_code(raw_session_reply(s), CL_INVALID_ARG_VALUE, "an address for memory");
  argument(0, VOCL_ARGUMENT_OBJECT, QUEUE, NULL, 0, true);
  check_code(raw_session_reply(s), CL_INVALID_MEM_OBJECT, "a queue for memory");
  argument(9, VOCL_ARGUMENT_OBJECT, BUFFER, NULL, 0, true);
  check_code(raw_session_reply(s), CL_INVALID_ARG_INDEX, "an argument too many");
  check_code(build(KERNEL, ""), CL_INVALID_PROGRAM, "to build a kernel");
  check_code(finish(BUFFER), CL_INVALID_COMMAND_QUEUE, "to finish a buffer");
}

static void check_answers(void)
{
  cl_uint count = 0;
  check_code(send_query(VOCL_ABOUT_KERNEL, KERNEL, CL_KERNEL_NUM_ARGS, sizeof count), CL_SUCCESS,
             "query");
  memcpy(&count, s->replies[s->ticket].value, sizeof count);
  kit_check_long(count, 3, "arguments");
  check_code(send_query(VOCL_ABOUT_KERNEL, KERNEL, CL_KERNEL_NUM_ARGS, 2), CL_INVALID_VALUE,
             "a query with too little space");
  check_code(send_query(VOCL_ABOUT_KERNEL, KERNEL, CL_KERNEL_FUNCTION_NAME, UINT64_MAX), CL_SUCCESS,
             "how long a name is");
  kit_check_long((long)s->replies[s->ticket].needed, 4, "bytes of a name");
  check_code(send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_DEVICES, 64), CL_SUCCESS,
             "devices");
  kit_check_long((long)s->replies[s->ticket].bytes, 4, "bytes of one device");
  check_code(send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARY_SIZES, 8), CL_SUCCESS,
             "sizes");
  uint64_t size = 0;
  memcpy(&size, s->replies[s->ticket].value, sizeof size);
  check_code(send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARIES, 1 << 24), CL_SUCCESS,
             "binary");
  kit_check(s->replies[s->ticket].bytes == size && size > 0, "bytes of a binary");
  /* A program can be created from the binary. */
  struct vocl_msg_make *make = make_begin(VOCL_BINARY_PROGRAM, NOTHING, CONTEXT, 16, true);
  make->device_count = 1;
  make->string_count = 1;
  make->data = size;
  memcpy((char *)(make + 1) + 8, &size, sizeof size);
  const uint64_t queried = s->ticket - 1;
  raw_message_end(s, make);
  send_data(NOTHING, s->replies[queried].value, size, VOCL_PIECE_MAX);
  check_code(raw_session_reply(s), CL_SUCCESS, "a program of a binary");
  kit_check_long((long)s->replies[s->ticket].bytes, sizeof(cl_int), "bytes of its status");
  check_code(build(NOTHING, ""), CL_SUCCESS, "build it");
  drop(NOTHING);
}

/* Checks that the deletion of memory is reported, with and without a reply. */
static void check_end_is_reported(uint32_t number, bool ticket)
{
  raw_numbers_send(s, VOCL_MSG_WATCH_DELETED, ticket, 1, &number);
  if (ticket)
    check_code(raw_session_reply(s), CL_SUCCESS, "a deletion notice");
  drop(number);
  for (int i = 0; i < 200 && s->deleted != number; i++) {
    finish(QUEUE);
    raw_session_receive(s);
  }
  kit_check_long(s->deleted, number, "memory that is gone");
}

static void check_rest(void)
{
  const uint32_t kernels[4] = {PROGRAM, EVENT + 3500, EVENT + 3501, EVENT + 3502};
  raw_numbers_send(s, VOCL_MSG_MAKE_KERNELS, true, 4, kernels);
  check_code(raw_session_reply(s), CL_SUCCESS, "all kernels");
  kit_check_long(s->replies[s->ticket].count, 3, "kernels");
  make_buffer(PART, 1 << 16, false);
  check_end_is_reported(PART, true);
  make_buffer(NOTHING, 0, false); /* the vendor rejects it */
  check_end_is_reported(NOTHING, false);
  struct vocl_msg_sub_devices *msg =
      raw_message_begin(s, VOCL_MSG_MAKE_SUB_DEVICES, sizeof *msg + 16, true);
  msg->most = 64;
  msg->first = SUB_DEVICES;
  msg->property_words = 2;
  msg->properties[0] = CL_DEVICE_PARTITION_EQUALLY;
  msg->properties[1] = 1;
  raw_message_end(s, msg);
  if (raw_session_reply(s) != CL_SUCCESS)
    return; /* a device that has no parts */
  const uint32_t count = s->replies[s->ticket].count;
  struct vocl_device_list_entry counted;
  kit_check_long(
      (long)vocl_device_list_count(s->replies[s->ticket].value, s->replies[s->ticket].bytes), count,
      "the census of the parts");
  kit_check(
      vocl_device_list_read(s->replies[s->ticket].value, s->replies[s->ticket].bytes, 0, &counted),
      "the first part");
  kit_check(vocl_fact_find(counted.facts, CL_DEVICE_NAME) != NULL, "the name of a part");
  vocl_facts_free(counted.facts);
}

/* Checks a read that is larger than the ring, with more commands after it than the service handles
 * before it continues: it continues as its data is taken, and ends with its session. */
static void check_crowd(void)
{
  enum { LONG = 256 << 20, CROWD = 5000, NAP = 100000 };
  for (int taken = 0; taken < 2; taken++) {
    begin();
    make_buffer(BUFFER, LONG, false);
    const uint32_t read = read_all(0, BUFFER, NULL, LONG, 0);
    for (int i = 0; i < CROWD; i++)
      send_command(&(struct command_fields){.sort = VOCL_COMMAND_MARKER});
    usleep(NAP); /* now the ring is full */
    if (taken) {
      check_code(finish(QUEUE), CL_SUCCESS, "finish");
      kit_check_long((long)s->events[read].received, LONG, "bytes that came");
    }
    raw_session_end(s);
  }
}

/* Checks that a session that ends during commands frees everything. */
static void check_sudden_end(void)
{
  begin();
  make_buffer(BUFFER, BIG, false);
  make_kernel("put");
  char *bytes = random_bytes(BIG);
  const uint32_t half = send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_WRITE, .memory = BUFFER, .size = BIG, .data = BIG});
  send_data(half, bytes, BIG / 2, VOCL_PIECE_MAX);
  argument(0, VOCL_ARGUMENT_OBJECT, BUFFER, NULL, 0, false);
  launch(false);
  for (int i = 0; i < 20; i++)
    read_all(LOOSE_QUEUE, BUFFER, NULL, BIG, i % 2 == 0 ? half : 0);
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, NOTHING, CONTEXT, 0, true);
  make->size = make->data = BIG;
  raw_message_end(s, make);
  raw_data_send(s, NOTHING, bytes, 1000, 0);
  free(bytes);
  raw_session_end(s);
}

/* Checks that binaries are not queried during a build, which may change them. */
static void check_binaries_of_a_build(void)
{
  begin();
  make_kernel("put");
  drop(KERNEL);
  struct vocl_msg_build *msg = raw_message_begin(s, VOCL_MSG_BUILD, sizeof *msg, true);
  msg->step = VOCL_BUILD;
  msg->program = PROGRAM;
  raw_message_end(s, msg);
  const uint64_t building = s->ticket;
  const int32_t code = send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARIES, 1 << 20);
  kit_check(code == CL_INVALID_OPERATION || s->replies[building].is_reported,
            "binaries of a program that is being built: %d", code);
  while (!s->replies[building].is_reported && !raw_session_is_over(s))
    if (!raw_session_receive(s))
      usleep(1000);
  check_code(s->replies[building].code, CL_SUCCESS, "build");
  check_code(send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARIES, 1 << 20), CL_SUCCESS,
             "binaries afterwards");
  raw_session_end(s);
}

static int32_t build_with(uint32_t archive)
{
  struct vocl_msg_build *msg = raw_message_begin(s, VOCL_MSG_BUILD, sizeof *msg, true);
  msg->step = VOCL_BUILD;
  msg->program = PROGRAM;
  msg->archive = archive;
  raw_message_end(s, msg);
  return raw_session_reply(s);
}

/* Checks that the files of a build stay in its folder. A malformed archive is rejected, and no file
 * is left. */
static void check_archives(void)
{
  static const struct {
    const char *text;
    int32_t code;
  } archives[] = {{"/a/\n0\n/a/../b/c.h\n2\n//", CL_SUCCESS},
                  {"/a/\n0\n/a/../../vocl_service.h\n2\n//", CL_INVALID_VALUE},
                  {"/a/\n0\nvocl_service.h\n2\n//", CL_INVALID_VALUE},
                  {"/a/\n0\n/b.h\n3\n//", CL_INVALID_VALUE},
                  {"/a/\n0\n/b.h\n-1\n//", CL_INVALID_VALUE},
                  {"/a/\n0\n/b.h", CL_INVALID_VALUE},
                  {"/a/\n0\n=/proc/version\n1\n-", CL_BUILD_PROGRAM_FAILURE},
                  {"\n", CL_INVALID_VALUE},
                  {"", CL_INVALID_VALUE}};
  const char *tmpdir = getenv("TMPDIR");
  char folder[] = "/tmp/vocl-service-XXXXXX";
  kit_check(mkdtemp(folder) != NULL, "no folder");
  setenv("TMPDIR", folder, 1); /* the service has not read it yet */
  begin();
  make_of_text(VOCL_SOURCE_PROGRAM, PROGRAM, CONTEXT, "int f(void) { return 1; }", false);
  for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
    make_of_text(VOCL_SOURCE_PROGRAM, NOTHING, CONTEXT, archives[i].text, false);
    check_code(build_with(NOTHING), archives[i].code, archives[i].text);
    drop(NOTHING);
  }
  kit_check(!raw_session_is_over(s), "the session goes on");
  raw_session_end(s);
  kit_check(access("/tmp/vocl_service.h", F_OK) != 0, "a file outside of the folder");
  kit_check(rmdir(folder) == 0, "something is left in %s", folder);
  if (tmpdir != NULL)
    setenv("TMPDIR", tmpdir, 1);
  else
    unsetenv("TMPDIR");
}

/* PoCL reads beyond them. */
static void check_early_ends(void)
{
  static const char *const options[] = {"-I", "-D", "-w -I ", "-DN=1 -D"};
  begin();
  make_of_text(VOCL_SOURCE_PROGRAM, PROGRAM, CONTEXT, "int f(void) { return 1; }", false);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    check_code(build(PROGRAM, options[i]), CL_INVALID_BUILD_OPTIONS, options[i]);
  kit_check(!raw_session_is_over(s), "the session goes on");
  raw_session_end(s);
}

/* PoCL ends the process that builds one. */
static void check_empty_programs(void)
{
  static const char *const texts[] = {"", " "};
  begin();
  for (int i = 0; i < 2; i++) {
    make_of_text(VOCL_SOURCE_PROGRAM, PROGRAM, CONTEXT, texts[i], false);
    check_code(build(PROGRAM, ""), CL_SUCCESS, "a program without text");
    drop(PROGRAM);
  }
  kit_check(!raw_session_is_over(s), "the session goes on");
  raw_session_end(s);
}

int main(int argc, char **argv)
{
  setenv("POCL_MAX_PTHREAD_COUNT", "2", 1); /* PoCL executes two commands at once */
  messages_start(&argc, &argv, "service");
  check_archives();
  begin();
  check_lines();
  check_rows();
  check_pixels();
  check_launches();
  check_waits();
  check_disorder();
  check_overtaking();
  check_full_ring();
  check_missed_argument();
  check_rejections();
  check_answers();
  check_rest();
  kit_check(!raw_session_is_over(s), "the session goes on");
  raw_session_end(s);
  check_binaries_of_a_build();
  check_early_ends();
  check_empty_programs();
  check_sudden_end();
  check_crowd();
  free(s);
  return kit_finish();
}

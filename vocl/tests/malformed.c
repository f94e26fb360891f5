/* Malformed messages: a recorded session is repeated many times with changed numbers and lengths.
 * The service ends some of these sessions, continues to run, and leaves no object. It rejects
 * descriptions of memory that PoCL would accept, and then write outside of the memory. */
#include "messages.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 500, FEW_ROUNDS = 100 };

/* - Recorded sessions - */

/* Sends the recorded messages; changes one in `wildness`. */
static void replay_some(const char *record, size_t recorded, int wildness)
{
  const int stop = kit_own(8) == 0 ? kit_own(1 + (int)recorded / 100) : -1;
  for (size_t at = 0, count = 0; at < recorded && (int)count != stop; count++) {
    const struct vocl_msg_header *old = (const struct vocl_msg_header *)(const void *)(record + at);
    size_t bytes = old->bytes;
    at += (bytes + 15) & ~(size_t)15;
    if (kit_own(wildness) == 0 && kit_own(4) == 0 && bytes > 20)
      bytes -= (size_t)kit_own((int)bytes - 16);
    const size_t piece =
        old->what == VOCL_MSG_DATA ? ((const struct vocl_msg_data *)(const void *)old)->bytes : 0;
    uint64_t position = 0;
    while (piece > 0 && vocl_channel_piece(&s->channel, piece, &position) == NULL) {
      if (raw_session_is_over(s))
        return;
      raw_session_receive(s);
    }
    struct vocl_msg_header *again = raw_message_begin(s, old->what, bytes, false);
    if (again == NULL)
      return;
    memcpy(again, old, bytes);
    if (piece > 0 && bytes >= sizeof(struct vocl_msg_data))
      ((struct vocl_msg_data *)(void *)again)->position = position;
    if (kit_own(wildness) == 0)
      mutate(again, bytes, CONTEXT, kit_own);
    raw_message_end(s, again);
    raw_session_receive(s);
  }
}

/* Records a short session that has every type of message. */
static void record_session(bool builds)
{
  char bytes[3000] = {0};
  const uint64_t triples[6] = {1, 1, 1, 10, 10, 3};
  begin();
  make_buffer(BUFFER, sizeof bytes, false);
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, OTHER_BUFFER, CONTEXT, 0, true);
  make->flags = CL_MEM_COPY_HOST_PTR;
  make->size = make->data = sizeof bytes;
  raw_message_end(s, make);
  send_data(OTHER_BUFFER, bytes, sizeof bytes, 1000);
  make = make_begin(VOCL_SUB_BUFFER, PART, BUFFER, 0, true);
  make->size = 128;
  raw_message_end(s, make);
  make = make_begin(VOCL_IMAGE, IMAGE, CONTEXT, 0, true);
  make->image_format[0] = CL_RGBA;
  make->image_format[1] = CL_FLOAT;
  make->image_type = CL_MEM_OBJECT_IMAGE2D;
  make->image[0] = make->image[1] = 16;
  raw_message_end(s, make);
  const uint32_t written = write_all(BUFFER, bytes, sizeof bytes, 700);
  read_all(OTHER_QUEUE, BUFFER, NULL, sizeof bytes, written);
  struct command_fields box = {.sort = VOCL_COMMAND_WRITE_RECT,
                               .memory = BUFFER,
                               .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                               .triples = triples,
                               .data = 300};
  send_data(send_command(&box), bytes, 300, 77);
  box.sort = VOCL_COMMAND_READ_RECT;
  box.data = 0;
  send_command(&box);
  box.sort = VOCL_COMMAND_READ_IMAGE;
  box.memory = IMAGE;
  box.triples = (const uint64_t[6]){0, 0, 0, 16, 16, 1};
  send_command(&box);
  send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_COPY, .memory = BUFFER, .other = OTHER_BUFFER, .size = 100});
  send_command(&(struct command_fields){
      .sort = VOCL_COMMAND_BARRIER, .queue = LOOSE_QUEUE, .wait = written});
  uint32_t number = PART;
  raw_numbers_send(s, VOCL_MSG_WATCH_DELETED, true, 1, &number);
  if (builds) {
    make_kernel("touch");
    argument(0, VOCL_ARGUMENT_OBJECT, BUFFER, NULL, 0, true);
    argument(1, VOCL_ARGUMENT_VALUE, 0, bytes, 1, true);
    launch(false);
    send_query(VOCL_ABOUT_KERNEL, KERNEL, CL_KERNEL_FUNCTION_NAME, 100);
    send_query(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARIES, 1 << 20);
    const uint32_t kernels[3] = {PROGRAM, EVENT + 3500, EVENT + 3501};
    raw_numbers_send(s, VOCL_MSG_MAKE_KERNELS, true, 3, kernels);
  }
  struct vocl_msg_query_formats *formats =
      raw_message_begin(s, VOCL_MSG_QUERY_FORMATS, sizeof *formats, true);
  formats->context = CONTEXT;
  formats->type = CL_MEM_OBJECT_IMAGE2D;
  formats->most = 100;
  formats->flags = CL_MEM_READ_WRITE;
  raw_message_end(s, formats);
  drop(BUFFER);
  finish(OTHER_QUEUE);
  finish(QUEUE);
  raw_session_end(s);
}

static void check_wild(bool builds, long rounds)
{
  s->record = kit_alloc(1, 1 << 24);
  record_session(builds);
  char *record = s->record;
  const size_t recorded = s->recorded;
  s->record = NULL;
  long count = 0;
  for (long round = 0; round < rounds; round++) {
    raw_session_begin(s);
    s->ignores_messages = true;
    replay_some(record, recorded, round == 0 ? 1 << 30 : 10 + 10 * kit_own(10));
    if (kit_own(4) > 0)
      raw_session_drain(s);
    count += raw_session_count(&s->counts.messages);
    raw_session_end(s);
  }
  kit_check(count > 10 * rounds, "only %ld messages were received", count);
  free(record);
}

/* - Memory - */

/* The vendor would read beyond the data. */
static void check_little_data(void)
{
  const uint64_t bytes = 8;
  begin();
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, BUFFER, CONTEXT, sizeof bytes, true);
  make->flags = CL_MEM_COPY_HOST_PTR;
  make->size = 1 << 20;
  make->data = bytes;
  make->string_count = 1;
  memcpy(make + 1, &bytes, sizeof bytes);
  raw_message_end(s, make);
  raw_data_send(s, BUFFER, (const char *)&bytes, bytes, 0);
  check_code(raw_session_reply(s), CL_DEVICE_NOT_AVAILABLE, "a buffer of less data than it has");
  raw_session_end(s);
}

/* An image whose description also has the extents that images of its type do not have. Regions are
 * accepted up to the extents that it has. */
static void check_image_type(uint32_t type, const uint64_t extents[3])
{
  enum { SIDE = 5, BYTES = SIDE * SIDE * SIDE * 16 };
  static char back[BYTES];
  struct vocl_msg_make *make = make_begin(VOCL_IMAGE, IMAGE, CONTEXT, 0, true);
  make->image_format[0] = CL_RGBA;
  make->image_format[1] = CL_FLOAT;
  make->image_type = type;
  for (int i = 0; i < 4; i++)
    make->image[i] = SIDE;
  raw_message_end(s, make);
  if (raw_session_reply(s) == CL_INVALID_OPERATION)
    return; /* a device without images */
  uint64_t triples[6] = {0};
  memcpy(triples + 3, extents, 3 * sizeof *extents);
  struct command_fields read = {.sort = VOCL_COMMAND_READ_IMAGE,
                                .memory = IMAGE,
                                .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                                .triples = triples,
                                .into = back};
  check_code(raw_session_status(s, send_command(&read)), CL_COMPLETE, "all pixels");
  for (int i = 0; i < 3; i++) {
    kit_about("image type 0x%x, region %d", (unsigned)type, i);
    triples[3 + i]++;
    read.ticket = true;
    send_command(&read);
    check_code(raw_session_reply(s), CL_INVALID_VALUE, "pixels beyond the image");
    triples[3 + i]--;
  }
  drop(IMAGE);
}

static void check_image_types(void)
{
  begin();
  check_image_type(CL_MEM_OBJECT_IMAGE1D, (const uint64_t[]){5, 1, 1});
  check_image_type(CL_MEM_OBJECT_IMAGE1D_ARRAY, (const uint64_t[]){5, 5, 1});
  check_image_type(CL_MEM_OBJECT_IMAGE2D, (const uint64_t[]){5, 5, 1});
  check_image_type(CL_MEM_OBJECT_IMAGE2D_ARRAY, (const uint64_t[]){5, 5, 5});
  check_image_type(CL_MEM_OBJECT_IMAGE3D, (const uint64_t[]){5, 5, 5});
  raw_session_end(s);
}

/* The rows would overlap; PoCL makes an image that is too small for its pixels. */
static void check_pitch(void)
{
  kit_about("a pitch");
  begin();
  struct vocl_msg_make *make = make_begin(VOCL_IMAGE, IMAGE, CONTEXT, 0, true);
  make->image_format[0] = CL_RGBA;
  make->image_format[1] = CL_FLOAT;
  make->image_type = CL_MEM_OBJECT_IMAGE2D;
  make->image[0] = make->image[1] = 16;
  make->image[4] = 32;
  raw_message_end(s, make);
  const int32_t code = raw_session_reply(s);
  kit_check(code == CL_INVALID_IMAGE_DESCRIPTOR || code == CL_INVALID_OPERATION,
            "an image with a pitch, and without data, gives %d", code);
  raw_session_end(s);
}

/* The end of the part wraps to a place within the buffer. */
static void check_part_that_wraps(void)
{
  kit_about("a part");
  begin();
  make_buffer(BUFFER, 4096, false);
  struct vocl_msg_make *make = make_begin(VOCL_SUB_BUFFER, PART, BUFFER, 0, true);
  make->offset = 1024;
  make->size = UINT64_MAX - 511;
  raw_message_end(s, make);
  check_code(raw_session_reply(s), CL_INVALID_VALUE, "a part that wraps");
  raw_session_end(s);
}

/* The argument is plain, for sessions without programs, or builds. */
int main(int argc, char **argv)
{
  messages_start(&argc, &argv, "wild");
  const bool builds = argc > 1 && strcmp(argv[1], "builds") == 0;
  if (!builds) {
    check_little_data();
    check_image_types();
    check_pitch();
    check_part_that_wraps();
  }
  check_wild(builds, kit_rounds(argc > 2 ? argv[2] : NULL, builds ? FEW_ROUNDS : ROUNDS));
  free(s);
  return kit_finish();
}

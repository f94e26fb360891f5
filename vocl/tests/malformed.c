/* Malformed messages: a recorded session is repeated many times with changed numbers and lengths.
 * The service ends some of these sessions, continues to run, and leaves no object. */
#include "messages.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 500, FEW_ROUNDS = 100 };

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

/* The argument is plain, for sessions without programs, or builds. */
int main(int argc, char **argv)
{
  messages_start(&argc, &argv, "wild");
  const bool builds = argc > 1 && strcmp(argv[1], "builds") == 0;
  check_wild(builds, kit_rounds(argc > 2 ? argv[2] : NULL, builds ? FEW_ROUNDS : ROUNDS));
  free(s);
  return kit_finish();
}

/* Malformed messages: a recorded session is sent many times, with changed numbers and lengths. The
 * service ends some of these sessions, never itself, and leaves nothing behind.
 */
#include "messages.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 500, FEW_ROUNDS = 100 };

/* Say what was recorded, mostly as it was. */
static void say_again(const char *record, size_t recorded, int wildness)
{
  const int stop = kit_own(8) == 0 ? kit_own(1 + (int)recorded / 100) : -1;
  for (size_t at = 0, said = 0; at < recorded && (int)said != stop; said++) {
    const struct vocl_msg_header *old = (const struct vocl_msg_header *)(const void *)(record + at);
    size_t bytes = old->bytes;
    at += (bytes + 15) & ~(size_t)15;
    if (kit_own(wildness) == 0 && kit_own(4) == 0 && bytes > 20)
      bytes -= (size_t)kit_own((int)bytes - 16);
    const size_t piece =
        old->what == VOCL_MSG_DATA ? ((const struct vocl_msg_data *)(const void *)old)->bytes : 0;
    uint64_t position = 0;
    while (piece > 0 && vocl_channel_piece(&s->channel, piece, &position) == NULL) {
      if (speaker_is_over(s))
        return;
      speaker_hear(s);
    }
    struct vocl_msg_header *again = speaker_say(s, old->what, bytes, false);
    if (again == NULL)
      return;
    memcpy(again, old, bytes);
    if (piece > 0 && bytes >= sizeof(struct vocl_msg_data))
      ((struct vocl_msg_data *)(void *)again)->position = position;
    if (kit_own(wildness) == 0)
      mutate(again, bytes, CONTEXT, kit_own);
    speaker_said(s, again);
    speaker_hear(s);
  }
}

/* A session to be repeated: short, with something of everything. */
static void record_session(bool builds)
{
  char bytes[3000] = {0};
  const uint64_t triples[6] = {1, 1, 1, 10, 10, 3};
  begin();
  make_buffer(BUFFER, sizeof bytes, false);
  struct vocl_msg_make *make = make_begin(VOCL_BUFFER, OTHER_BUFFER, CONTEXT, 0, true);
  make->flags = CL_MEM_COPY_HOST_PTR;
  make->size = make->data = sizeof bytes;
  speaker_said(s, make);
  send_data(OTHER_BUFFER, bytes, sizeof bytes, 1000);
  make = make_begin(VOCL_SUB_BUFFER, PART, BUFFER, 0, true);
  make->size = 128;
  speaker_said(s, make);
  make = make_begin(VOCL_IMAGE, IMAGE, CONTEXT, 0, true);
  make->image_format[0] = CL_RGBA;
  make->image_format[1] = CL_FLOAT;
  make->image_type = CL_MEM_OBJECT_IMAGE2D;
  make->image[0] = make->image[1] = 16;
  speaker_said(s, make);
  const uint32_t written = write_all(BUFFER, bytes, sizeof bytes, 700);
  read_all(OTHER_QUEUE, BUFFER, NULL, sizeof bytes, written);
  struct saying box = {.sort = VOCL_COMMAND_WRITE_RECT,
                       .memory = BUFFER,
                       .has = VOCL_HAS_ORIGIN_0 | VOCL_HAS_REGION,
                       .triples = triples,
                       .data = 300};
  send_data(say(&box), bytes, 300, 77);
  box.sort = VOCL_COMMAND_READ_RECT;
  box.data = 0;
  say(&box);
  box.sort = VOCL_COMMAND_READ_IMAGE;
  box.memory = IMAGE;
  box.triples = (const uint64_t[6]){0, 0, 0, 16, 16, 1};
  say(&box);
  say(&(struct saying){
      .sort = VOCL_COMMAND_COPY, .memory = BUFFER, .other = OTHER_BUFFER, .size = 100});
  say(&(struct saying){.sort = VOCL_COMMAND_BARRIER, .queue = LOOSE_QUEUE, .wait = written});
  uint32_t number = PART;
  speaker_numbers(s, VOCL_MSG_WATCH_DELETED, true, 1, &number);
  if (builds) {
    make_kernel("touch");
    argument(0, VOCL_ARGUMENT_OBJECT, BUFFER, NULL, 0, true);
    argument(1, VOCL_ARGUMENT_VALUE, 0, bytes, 1, true);
    launch(false);
    ask(VOCL_ABOUT_KERNEL, KERNEL, CL_KERNEL_FUNCTION_NAME, 100);
    ask(VOCL_ABOUT_PROGRAM, PROGRAM, CL_PROGRAM_BINARIES, 1 << 20);
    const uint32_t kernels[3] = {PROGRAM, EVENT + 3500, EVENT + 3501};
    speaker_numbers(s, VOCL_MSG_MAKE_KERNELS, true, 3, kernels);
  }
  struct vocl_msg_query_formats *formats =
      speaker_say(s, VOCL_MSG_QUERY_FORMATS, sizeof *formats, true);
  formats->context = CONTEXT;
  formats->type = CL_MEM_OBJECT_IMAGE2D;
  formats->most = 100;
  formats->flags = CL_MEM_READ_WRITE;
  speaker_said(s, formats);
  drop(BUFFER);
  finish(OTHER_QUEUE);
  finish(QUEUE);
  speaker_end(s);
}

static void check_wild(bool builds, long rounds)
{
  s->record = kit_alloc(1, 1 << 24);
  record_session(builds);
  char *record = s->record;
  const size_t recorded = s->recorded;
  s->record = NULL;
  long said = 0;
  for (long round = 0; round < rounds; round++) {
    speaker_begin(s);
    s->is_quiet = true;
    say_again(record, recorded, round == 0 ? 1 << 30 : 10 + 10 * kit_own(10));
    if (kit_own(4) > 0)
      speaker_rest(s);
    said += speaker_count(&s->counts.messages);
    speaker_end(s);
  }
  kit_check(said > 10 * rounds, "only %ld messages were heard", said);
  free(record);
}

/* plain: without programs; builds: with them. */
int main(int argc, char **argv)
{
  sayings_start(&argc, &argv, "wild");
  const bool builds = argc > 1 && strcmp(argv[1], "builds") == 0;
  check_wild(builds, kit_rounds(argc > 2 ? argv[2] : NULL, builds ? FEW_ROUNDS : ROUNDS));
  free(s);
  return kit_finish();
}

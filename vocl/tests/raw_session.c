#include "raw_session.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_RECORDED = 1 << 24 };
static const long NAP = 100000000;

static void *serve(void *argument)
{
  struct speaker *speaker = argument;
  vocl_service_run(speaker->memory, &speaker->counts, &speaker->wish);
  return NULL;
}

void speaker_begin(struct speaker *speaker)
{
  char *record = speaker->record;
  *speaker = (struct speaker){.record = record};
  speaker->memory =
      mmap(NULL, VOCL_CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (speaker->memory == MAP_FAILED)
    abort();
  vocl_channel_open(&speaker->channel, speaker->memory, VOCL_PROGRAM_SIDE);
  pthread_create(&speaker->thread, NULL, serve, speaker);
}

void speaker_end(struct speaker *speaker)
{
  vocl_channel_close(&speaker->channel);
  pthread_join(speaker->thread, NULL);
  kit_check_long((long)speaker->counts.objects, 0, "objects that are left");
  kit_check_long((long)speaker->counts.device_bytes, 0, "bytes of devices that are left");
  munmap(speaker->memory, VOCL_CHANNEL_BYTES);
  for (size_t i = 0; i <= speaker->ticket; i++)
    free(speaker->answers[i].value);
}

long speaker_count(const uint64_t *count)
{
  return (long)__atomic_load_n(count, __ATOMIC_RELAXED);
}

bool speaker_is_over(const struct speaker *speaker)
{
  return vocl_channel_is_closed(&speaker->channel);
}

static void pass_time(struct speaker *speaker, uint32_t bell)
{
  if (!speaker_hear(speaker))
    vocl_channel_sleep(&speaker->channel, bell, NAP);
}

void *speaker_say(struct speaker *speaker, enum vocl_msg_type what, size_t bytes, bool ticket)
{
  struct vocl_msg_header *said = NULL;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&speaker->channel);
    said = vocl_channel_begin(&speaker->channel, bytes);
    if (said != NULL || speaker_is_over(speaker))
      break;
    pass_time(speaker, bell);
  }
  if (said == NULL)
    return NULL;
  memset(said, 0, bytes);
  *said = (struct vocl_msg_header){.bytes = (uint32_t)bytes, .what = (uint16_t)what};
  if (ticket)
    said->ticket = ++speaker->ticket;
  return said;
}

void speaker_said(struct speaker *speaker, void *message)
{
  const struct vocl_msg_header *said = message;
  if (said == NULL)
    return;
  if (speaker->record != NULL && speaker->recorded + said->bytes + 16 < MOST_RECORDED) {
    memcpy(speaker->record + speaker->recorded, said, said->bytes);
    speaker->recorded += (said->bytes + 15u) & ~15u;
  }
  vocl_channel_end_message(&speaker->channel);
  vocl_channel_publish(&speaker->channel);
}

void speaker_data(struct speaker *speaker, uint32_t number, const void *bytes, size_t size,
                  uint64_t offset)
{
  uint64_t position = 0;
  char *piece = NULL;
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&speaker->channel);
    piece = vocl_channel_piece(&speaker->channel, size, &position);
    if (piece != NULL || speaker_is_over(speaker))
      break;
    pass_time(speaker, bell);
  }
  struct vocl_msg_data *data = speaker_say(speaker, VOCL_MSG_DATA, sizeof *data, false);
  if (data == NULL || piece == NULL)
    return;
  memcpy(piece, bytes, size);
  data->number = number;
  data->offset = offset;
  data->position = position;
  data->bytes = size;
  speaker_said(speaker, data);
}

void speaker_numbers(struct speaker *speaker, enum vocl_msg_type what, bool ticket, uint32_t count,
                     const uint32_t *numbers)
{
  struct vocl_msg_numbers *said =
      speaker_say(speaker, what, sizeof *said + count * sizeof *numbers, ticket);
  if (said == NULL)
    return;
  said->count = count;
  memcpy(said->numbers, numbers, count * sizeof *numbers);
  speaker_said(speaker, said);
}

static void hear_result(struct speaker *speaker, const struct vocl_msg_data *said)
{
  const char *piece = vocl_channel_piece_at(&speaker->channel, said->position, said->bytes);
  if (!kit_check(piece != NULL, "a result's piece"))
    return;
  if (said->number != 0) {
    if (speaker->events[said->number].into != NULL)
      memcpy(speaker->events[said->number].into + said->offset, piece, said->bytes);
    speaker->events[said->number].come += said->bytes;
  } else {
    char **value = &speaker->answers[said->header.ticket].value;
    char *longer = kit_alloc(said->offset + said->bytes, 1);
    if (said->offset > 0)
      memcpy(longer, *value, said->offset);
    memcpy(longer + said->offset, piece, said->bytes);
    free(*value);
    *value = longer;
  }
  vocl_channel_release_space(&speaker->channel,
                             vocl_channel_piece_end(said->position, said->bytes));
}

static void hear_answer(struct speaker *speaker, const struct vocl_msg_reply *said)
{
  const uint64_t ticket = said->header.ticket;
  if (!kit_check(ticket > 0 && ticket <= speaker->ticket && !speaker->answers[ticket].told,
                 "an answer to nothing"))
    return;
  speaker->answers[ticket].told = true;
  speaker->answers[ticket].code = said->code;
  speaker->answers[ticket].count = said->count;
  speaker->answers[ticket].needed = said->needed;
  speaker->answers[ticket].bytes = said->bytes;
  if (said->bytes == 0 || said->bytes > said->header.bytes - sizeof *said)
    return;
  speaker->answers[ticket].value = malloc(said->bytes);
  memcpy(speaker->answers[ticket].value, said->value, said->bytes);
}

static void hear_done(struct speaker *speaker, const struct vocl_msg_done *said)
{
  for (uint32_t i = 0; i < said->count; i++) {
    const struct vocl_completion *done = &said->done[i];
    kit_check(!speaker->events[done->event].told, "event %u is done twice", done->event);
    speaker->events[done->event].told = true;
    speaker->events[done->event].status = done->status;
    memcpy(speaker->events[done->event].times, done->times, sizeof done->times);
  }
}

/* A session of random messages: only the room is given back. */
static void hear_quietly(struct speaker *speaker, const struct vocl_msg_data *said)
{
  if (said->header.what != VOCL_MSG_RESULT)
    return;
  vocl_channel_piece_at(&speaker->channel, said->position, said->bytes);
  vocl_channel_release_space(&speaker->channel,
                             vocl_channel_piece_end(said->position, said->bytes));
}

bool speaker_hear(struct speaker *speaker)
{
  size_t bytes = 0;
  bool any = false;
  const struct vocl_msg_header *said = NULL;
  while ((said = vocl_channel_next(&speaker->channel, &bytes)) != NULL) {
    const void *message = said;
    any = true;
    if (speaker->is_quiet)
      hear_quietly(speaker, message);
    else if (said->what == VOCL_MSG_REPLY)
      hear_answer(speaker, message);
    else if (said->what == VOCL_MSG_DONE)
      hear_done(speaker, message);
    else if (said->what == VOCL_MSG_RESULT)
      hear_result(speaker, message);
    else if (said->what == VOCL_MSG_DELETED)
      speaker->deleted = ((const struct vocl_msg_numbers *)message)->numbers[0];
    vocl_channel_take(&speaker->channel);
  }
  return any;
}

void speaker_rest(struct speaker *speaker)
{
  const uint64_t *taken =
      &speaker->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].taken.bytes;
  while (!speaker_is_over(speaker) &&
         __atomic_load_n(taken, __ATOMIC_ACQUIRE) != speaker->channel.published[VOCL_RING_MESSAGES])
    if (!speaker_hear(speaker))
      sched_yield();
}

int32_t speaker_answer(struct speaker *speaker)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&speaker->channel);
    if (speaker->answers[speaker->ticket].told)
      return speaker->answers[speaker->ticket].code;
    if (speaker_is_over(speaker) && !speaker_hear(speaker))
      return CL_DEVICE_NOT_AVAILABLE;
    pass_time(speaker, bell);
  }
}

int32_t speaker_event(struct speaker *speaker, uint32_t event)
{
  for (;;) {
    const uint32_t bell = vocl_channel_bell(&speaker->channel);
    if (speaker->events[event].told)
      return speaker->events[event].status;
    if (speaker_is_over(speaker) && !speaker_hear(speaker))
      return CL_DEVICE_NOT_AVAILABLE;
    pass_time(speaker, bell);
  }
}

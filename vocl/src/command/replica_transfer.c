/* Transfers of memory between locations. A range that is valid at one location is read there and
 * written at another one, through memory of this process. The read and the write are deferred
 * commands in the context's own queues for transfers. Long ranges are split into pieces, so that
 * one piece is written while the next one is read.
 *
 * A transfer waits for the commands that write the range at its source, and for all commands that
 * use the range at its target. */
#include "command/command_submit.h"

#include <stdlib.h>

enum { PIECE = 4 << 20 }; /* bytes */

/* --- pieces --- */

/* Returns the size of one row of an image; for a buffer, the unit is a byte. */
static size_t unit_bytes(const struct vocl_replicated_memory *memory)
{
  return vocl_memory_is_image(memory) ? memory->image.image_width * memory->element : 1;
}

/* Returns the end of a piece that begins at `from`. For an image it consists of whole slices, or
 * of rows of one slice. */
static size_t piece_end(const struct vocl_replicated_memory *memory, size_t from, size_t to)
{
  const size_t unit = unit_bytes(memory), fit = unit < PIECE ? PIECE / unit : 1;
  const size_t most = fit < to - from ? fit : to - from;
  if (!vocl_memory_is_image(memory))
    return from + most;
  const size_t rows = vocl_image_rows(&memory->image), rest = rows - from % rows;
  if (rest == rows && most >= rows)
    return from + (most - most % rows);
  return from + (most < rest ? most : rest);
}

/* A piece of an image, as commands describe it. */
struct piece_region {
  size_t origin[3], region[3];
};

static void piece_describe(const struct vocl_transfer *transfer, struct piece_region *piece)
{
  const cl_image_desc *image = &transfer->memory->image;
  const size_t rows = vocl_image_rows(image), count = transfer->to - transfer->from;
  *piece = (struct piece_region){
      {0, transfer->from % rows, transfer->from / rows},
      {image->image_width, count < rows ? count : rows, count < rows ? 1 : count / rows}};
}

/* --- start of transfers --- */

static bool use_touches(const struct vocl_memory_use *use, size_t from, size_t to)
{
  return use->from < to && from < use->to;
}

bool vocl_memory_uses_add_waits(const struct vocl_memory_use *use, uint32_t location, size_t from,
                                size_t to, bool only_writers, struct vocl_wait_list *waits)
{
  for (; use != NULL; use = use->next)
    if (use->event->location == location && use_touches(use, from, to) &&
        (use->writes || !only_writers) && vocl_replicated_event_status(use->event) > CL_COMPLETE &&
        !vocl_wait_list_add(waits, use->event))
      return false;
  return true;
}

/* Defers a command that reads or writes a piece at a location. Returns the command's event, which
 * takes ownership of the events in `waits` and leaves the list empty. Returns NULL if there is no
 * memory; the events are then still the caller's. */
static struct vocl_replicated_event *transfer_add(const struct vocl_transfer *transfer,
                                                  uint32_t location, bool reads,
                                                  struct vocl_wait_list *waits)
{
  struct vocl_replicated_memory *memory = transfer->memory;
  struct piece_region piece;
  struct vocl_command c = {.queue = memory->replicated.context->transfer_queues[location],
                           .memory = {memory},
                           .offset = {transfer->from},
                           .size = transfer->to - transfer->from,
                           .host = transfer->bytes};
  c.sort = reads ? VOCL_COMMAND_READ : VOCL_COMMAND_WRITE;
  if (vocl_memory_is_image(memory)) {
    piece_describe(transfer, &piece);
    c.sort = reads ? VOCL_COMMAND_READ_IMAGE : VOCL_COMMAND_WRITE_IMAGE;
    c.origin[0] = piece.origin;
    c.region = piece.region;
  }
  struct vocl_replicated_event *event = vocl_replicated_event_new(c.queue);
  struct vocl_memory_use *use =
      event != NULL ? vocl_memory_use_new(event, transfer->from, transfer->to, !reads) : NULL;
  struct vocl_deferred_command *deferred =
      use != NULL ? vocl_command_defer(event, &c, waits) : NULL;
  if (deferred == NULL) {
    vocl_memory_uses_free(use);
    vocl_replicated_unref(event); /* no other object refers to it yet */
    return NULL;
  }
  deferred->is_placed = true;
  use->next = memory->contents.transfers;
  memory->contents.transfers = use;
  return event;
}

static bool transfer_read(struct vocl_transfer *transfer, uint32_t source)
{
  const struct vocl_contents *contents = &transfer->memory->contents;
  struct vocl_wait_list waits = {0};
  if (vocl_memory_uses_add_waits(contents->uses, source, transfer->from, transfer->to, true,
                                 &waits) &&
      vocl_memory_uses_add_waits(contents->transfers, source, transfer->from, transfer->to, true,
                                 &waits))
    transfer->read = transfer_add(transfer, source, true, &waits);
  vocl_wait_list_free(&waits);
  return transfer->read != NULL;
}

static bool transfer_write(struct vocl_transfer *transfer)
{
  const struct vocl_contents *contents = &transfer->memory->contents;
  const uint32_t target = transfer->target;
  struct vocl_wait_list waits = {0};
  if (vocl_wait_list_add(&waits, transfer->read) &&
      vocl_memory_uses_add_waits(contents->uses, target, transfer->from, transfer->to, false,
                                 &waits) &&
      vocl_memory_uses_add_waits(contents->transfers, target, transfer->from, transfer->to, false,
                                 &waits))
    transfer->write = transfer_add(transfer, target, false, &waits);
  vocl_wait_list_free(&waits);
  return transfer->write != NULL;
}

size_t vocl_transfer_begin(struct vocl_replicated_memory *memory, size_t from, size_t to,
                           uint32_t source, uint32_t target)
{
  struct vocl_replicated_context *context = memory->replicated.context;
  struct vocl_transfer *transfer = calloc(1, sizeof *transfer);
  if (transfer == NULL)
    return from;
  transfer->memory = memory;
  vocl_replicated_ref(memory);
  transfer->from = from;
  transfer->to = piece_end(memory, from, to);
  transfer->target = target;
  transfer->size = (transfer->to - from) * unit_bytes(memory);
  transfer->bytes = malloc(transfer->size);
  transfer->next = context->transfers;
  context->transfers = transfer;
  return transfer->bytes != NULL && transfer_read(transfer, source) && transfer_write(transfer)
             ? transfer->to
             : from;
}

/* --- end of transfers --- */

static bool transfer_is_over(const struct vocl_transfer *transfer)
{
  return (transfer->read == NULL || vocl_replicated_event_status(transfer->read) <= CL_COMPLETE) &&
         (transfer->write == NULL || vocl_replicated_event_status(transfer->write) <= CL_COMPLETE);
}

cl_int vocl_transfer_status(const struct vocl_transfer *transfer)
{
  const cl_int read =
      transfer->read != NULL ? vocl_replicated_event_status(transfer->read) : CL_OUT_OF_HOST_MEMORY;
  if (read < 0)
    return read;
  return transfer->write != NULL ? vocl_replicated_event_status(transfer->write)
                                 : CL_OUT_OF_HOST_MEMORY;
}

/* Marks the range of a failed transfer as not valid at its target. If there is no memory to
 * split ranges, whole ranges become invalid there. */
static void transfer_undo(const struct vocl_transfer *transfer, struct vocl_memory_use **over)
{
  struct vocl_contents *contents = &transfer->memory->contents;
  vocl_ranges_split(contents, transfer->from);
  vocl_ranges_split(contents, transfer->to);
  for (struct vocl_valid_range *each = contents->segments; each != NULL; each = each->next)
    if (transfer->from < each->to && each->from < transfer->to)
      vocl_range_invalidate(each, transfer->target);
  vocl_ranges_merge(contents, over);
}

struct vocl_transfer *vocl_transfers_collect(struct vocl_replicated_context *context,
                                             struct vocl_memory_use **over)
{
  struct vocl_transfer *done = NULL;
  for (struct vocl_transfer **place = &context->transfers; *place != NULL;) {
    struct vocl_transfer *transfer = *place;
    if (!transfer_is_over(transfer)) {
      place = &transfer->next;
      continue;
    }
    if (vocl_transfer_status(transfer) < 0)
      transfer_undo(transfer, over);
    vocl_memory_uses_prune_transfers(&transfer->memory->contents, over);
    *place = transfer->next;
    transfer->next = done;
    done = transfer;
  }
  return done;
}

void vocl_transfers_free(struct vocl_transfer *transfers, struct vocl_memory_use *over)
{
  vocl_memory_uses_free(over);
  while (transfers != NULL) {
    struct vocl_transfer *next = transfers->next;
    vocl_replicated_unref(transfers->read);
    vocl_replicated_unref(transfers->write);
    vocl_replicated_unref(transfers->memory);
    free(transfers->bytes);
    free(transfers);
    transfers = next;
  }
}

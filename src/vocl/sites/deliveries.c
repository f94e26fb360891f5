/* Deliveries: a part of memory that is valid at one site becomes so at another one. It is read
 * there and written here, through this process's memory: both are commands of ours that wait at
 * home like others. Long parts go by pieces, so that one is written while the next one is read.
 *
 * A delivery waits for what writes the part at its source, and for all that uses it at its target.
 */
#include "sites/site.h"

#include <stdlib.h>

enum { PIECE = 4 << 20 }; /* bytes */

/* --- pieces --- */

/* What one row of an image has; a byte of a buffer. */
static size_t unit_bytes(const struct cwi_sited_memory *memory)
{
  return cwi_memory_is_image(memory) ? memory->image.image_width * memory->element : 1;
}

/* Where a piece ends that begins at `from`. Of an image it has whole slices, or rows of one. */
static size_t piece_end(const struct cwi_sited_memory *memory, size_t from, size_t to)
{
  const size_t unit = unit_bytes(memory), fit = unit < PIECE ? PIECE / unit : 1;
  const size_t most = fit < to - from ? fit : to - from;
  if (!cwi_memory_is_image(memory))
    return from + most;
  const size_t rows = cwi_image_rows(&memory->image), rest = rows - from % rows;
  if (rest == rows && most >= rows)
    return from + (most - most % rows);
  return from + (most < rest ? most : rest);
}

/* As commands name it. */
struct piece_region {
  size_t origin[3], region[3];
};

static void piece_describe(const struct cwi_delivery *delivery, struct piece_region *piece)
{
  const cl_image_desc *image = &delivery->memory->image;
  const size_t rows = cwi_image_rows(image), count = delivery->to - delivery->from;
  *piece = (struct piece_region){
      {0, delivery->from % rows, delivery->from / rows},
      {image->image_width, count < rows ? count : rows, count < rows ? 1 : count / rows}};
}

/* --- deliveries begin --- */

static bool use_touches(const struct cwi_use *use, size_t from, size_t to)
{
  return use->from < to && from < use->to;
}

bool cwi_uses_await(const struct cwi_use *use, uint32_t site, size_t from, size_t to,
                    bool only_writers, struct cwi_waits *waits)
{
  for (; use != NULL; use = use->next)
    if (use->event->site == site && use_touches(use, from, to) && (use->writes || !only_writers) &&
        cwi_event_status(use->event) > CL_COMPLETE && !cwi_waits_add(waits, use->event))
      return false;
  return true;
}

/* Read or write a piece at a site: a command of ours, kept at home with what it waits for. */
static struct cwi_sited_event *delivery_keep(const struct cwi_delivery *delivery, uint32_t site,
                                             bool reads, struct cwi_waits *waits)
{
  struct cwi_sited_memory *memory = delivery->memory;
  struct piece_region piece;
  struct cwi_command c = {.queue = memory->sited.context->couriers[site],
                          .memory = {memory},
                          .offset = {delivery->from},
                          .size = delivery->to - delivery->from,
                          .host = delivery->bytes};
  c.sort = reads ? CWI_COMMAND_READ : CWI_COMMAND_WRITE;
  if (cwi_memory_is_image(memory)) {
    piece_describe(delivery, &piece);
    c.sort = reads ? CWI_COMMAND_READ_IMAGE : CWI_COMMAND_WRITE_IMAGE;
    c.origin[0] = piece.origin;
    c.region = piece.region;
  }
  struct cwi_sited_event *event = cwi_event_new(c.queue);
  struct cwi_use *use =
      event != NULL ? cwi_use_new(event, delivery->from, delivery->to, !reads) : NULL;
  struct cwi_kept *kept = use != NULL ? cwi_command_keep(event, &c, waits) : NULL;
  if (kept == NULL) {
    cwi_uses_free(use);
    cwi_sited_let_go(event); /* it has nothing that others would miss */
    return NULL;
  }
  kept->is_placed = true;
  use->next = memory->contents.deliveries;
  memory->contents.deliveries = use;
  return event;
}

static bool delivery_read(struct cwi_delivery *delivery, uint32_t source)
{
  const struct cwi_contents *contents = &delivery->memory->contents;
  struct cwi_waits waits = {0};
  if (cwi_uses_await(contents->uses, source, delivery->from, delivery->to, true, &waits) &&
      cwi_uses_await(contents->deliveries, source, delivery->from, delivery->to, true, &waits))
    delivery->read = delivery_keep(delivery, source, true, &waits);
  return delivery->read != NULL;
}

static bool delivery_write(struct cwi_delivery *delivery)
{
  const struct cwi_contents *contents = &delivery->memory->contents;
  const uint32_t target = delivery->target;
  struct cwi_waits waits = {0};
  if (cwi_waits_add(&waits, delivery->read) &&
      cwi_uses_await(contents->uses, target, delivery->from, delivery->to, false, &waits) &&
      cwi_uses_await(contents->deliveries, target, delivery->from, delivery->to, false, &waits))
    delivery->write = delivery_keep(delivery, target, false, &waits);
  return delivery->write != NULL;
}

size_t cwi_delivery_begin(struct cwi_sited_memory *memory, size_t from, size_t to, uint32_t source,
                          uint32_t target)
{
  struct cwi_sited_context *context = memory->sited.context;
  struct cwi_delivery *delivery = calloc(1, sizeof *delivery);
  if (delivery == NULL)
    return from;
  delivery->memory = memory;
  cwi_sited_hold(memory);
  delivery->from = from;
  delivery->to = piece_end(memory, from, to);
  delivery->target = target;
  delivery->size = (delivery->to - from) * unit_bytes(memory);
  delivery->bytes = malloc(delivery->size);
  delivery->next = context->deliveries;
  context->deliveries = delivery;
  return delivery->bytes != NULL && delivery_read(delivery, source) && delivery_write(delivery)
             ? delivery->to
             : from;
}

/* --- the end of deliveries --- */

static bool delivery_is_over(const struct cwi_delivery *delivery)
{
  return (delivery->read == NULL || cwi_event_status(delivery->read) <= CL_COMPLETE) &&
         (delivery->write == NULL || cwi_event_status(delivery->write) <= CL_COMPLETE);
}

cl_int cwi_delivery_verdict(const struct cwi_delivery *delivery)
{
  const cl_int read =
      delivery->read != NULL ? cwi_event_status(delivery->read) : CL_OUT_OF_HOST_MEMORY;
  if (read < 0)
    return read;
  return delivery->write != NULL ? cwi_event_status(delivery->write) : CL_OUT_OF_HOST_MEMORY;
}

/* What did not arrive is not valid there. Without memory to cut them, whole parts are not. */
static void delivery_undo(const struct cwi_delivery *delivery, struct cwi_use **over)
{
  struct cwi_contents *contents = &delivery->memory->contents;
  cwi_parts_cut(contents, delivery->from);
  cwi_parts_cut(contents, delivery->to);
  for (struct cwi_valid_part *each = contents->segments; each != NULL; each = each->next)
    if (delivery->from < each->to && each->from < delivery->to)
      cwi_part_miss(each, delivery->target);
  cwi_parts_join(contents, over);
}

struct cwi_delivery *cwi_deliveries_sweep(struct cwi_sited_context *context, struct cwi_use **over)
{
  struct cwi_delivery *done = NULL;
  for (struct cwi_delivery **place = &context->deliveries; *place != NULL;) {
    struct cwi_delivery *delivery = *place;
    if (!delivery_is_over(delivery)) {
      place = &delivery->next;
      continue;
    }
    if (cwi_delivery_verdict(delivery) < 0)
      delivery_undo(delivery, over);
    cwi_uses_forget_deliveries(&delivery->memory->contents, over);
    *place = delivery->next;
    delivery->next = done;
    done = delivery;
  }
  return done;
}

void cwi_deliveries_free(struct cwi_delivery *deliveries, struct cwi_use *over)
{
  cwi_uses_free(over);
  while (deliveries != NULL) {
    struct cwi_delivery *next = deliveries->next;
    cwi_sited_let_go(deliveries->read);
    cwi_sited_let_go(deliveries->write);
    cwi_sited_let_go(deliveries->memory);
    free(deliveries->bytes);
    free(deliveries);
    deliveries = next;
  }
}

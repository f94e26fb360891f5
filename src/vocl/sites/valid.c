/* Where memory is valid, by parts, and how it becomes so elsewhere: a part that a command needs and
 * its site does not have is read at a site that has it, and written at the command's. Both are
 * commands of ours that wait at home like others.
 *
 * A delivery waits for what writes the part at its source, and for all that uses it at its target;
 * a command waits for deliveries of what it uses at its own site. More need not be ordered: what
 * commands of two sites do to the same bytes, a program orders itself, and then the first of them
 * is complete when the second one is placed. */
#include "sites/operands.h"

#include <stdlib.h>

enum { DELIVERY_BYTES = 4 << 20 }; /* of one command, so that reading and writing overlap */

/* --- uses --- */

static bool use_touches(const struct cwi_use *use, size_t from, size_t to)
{
  return use->from < to && from < use->to;
}

static bool use_is_over(const struct cwi_use *use)
{
  return cwi_event_status(use->event) <= CL_COMPLETE;
}

static struct cwi_use *use_new(struct cwi_sited_event *event, size_t from, size_t to, bool writes)
{
  struct cwi_use *use = malloc(sizeof *use);
  if (use == NULL)
    return NULL;
  *use = (struct cwi_use){NULL, event, from, to, writes};
  cwi_sited_hold(event);
  return use;
}

/* Wait for those at the site that touch the part; only for writers, if so asked. */
static bool await_uses(const struct cwi_use *use, uint32_t site, size_t from, size_t to,
                       bool only_writers, struct cwi_waits *waits)
{
  for (; use != NULL; use = use->next)
    if (use->event->site == site && use_touches(use, from, to) && (use->writes || !only_writers) &&
        !use_is_over(use) && !cwi_waits_add(waits, use->event))
      return false;
  return true;
}

/* The oldest that are over go: with each new one at most two, so that there is never much to do.
 * What they hold is let go by the clerk's way of freeing deliveries. */
static void uses_forget(struct cwi_contents *contents, struct cwi_use **over)
{
  for (int i = 0; i < 2 && contents->uses != NULL && use_is_over(contents->uses); i++) {
    struct cwi_use *use = contents->uses;
    contents->uses = use->next;
    if (contents->uses == NULL)
      contents->last_use = NULL;
    use->next = *over;
    *over = use;
  }
}

static bool uses_add(struct cwi_contents *contents, struct cwi_sited_event *event, size_t from,
                     size_t to, bool writes)
{
  struct cwi_use *use = use_new(event, from, to, writes);
  if (use == NULL)
    return false;
  *(contents->last_use != NULL ? &contents->last_use->next : &contents->uses) = use;
  contents->last_use = use;
  return true;
}

/* --- deliveries --- */

static size_t delivery_bytes(const struct cwi_sited_memory *memory, size_t from, size_t to)
{
  const cl_image_desc *image = &memory->image;
  if (!cwi_memory_is_image(memory))
    return to - from;
  return memory->element * image->image_width * cwi_image_rows(image) * cwi_image_slices(image);
}

/* Read or write a part at a site: a command of ours, kept at home with what it waits for. */
static struct cwi_sited_event *delivery_keep(const struct cwi_delivery *delivery, uint32_t site,
                                             bool reads, struct cwi_waits *waits)
{
  struct cwi_sited_memory *memory = delivery->memory;
  const cl_image_desc *image = &memory->image;
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {image->image_width, cwi_image_rows(image), cwi_image_slices(image)};
  struct cwi_command c = {.queue = memory->sited.context->couriers[site],
                          .memory = {memory},
                          .offset = {delivery->from},
                          .size = delivery->to - delivery->from,
                          .host = delivery->bytes};
  c.sort = reads ? CWI_COMMAND_READ : CWI_COMMAND_WRITE;
  if (cwi_memory_is_image(memory)) {
    c.sort = reads ? CWI_COMMAND_READ_IMAGE : CWI_COMMAND_WRITE_IMAGE;
    c.origin[0] = origin;
    c.region = region;
  }
  struct cwi_sited_event *event = cwi_event_new(c.queue);
  struct cwi_use *use = event != NULL ? use_new(event, delivery->from, delivery->to, !reads) : NULL;
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
  if (await_uses(contents->uses, source, delivery->from, delivery->to, true, &waits) &&
      await_uses(contents->deliveries, source, delivery->from, delivery->to, true, &waits))
    delivery->read = delivery_keep(delivery, source, true, &waits);
  return delivery->read != NULL;
}

static bool delivery_write(struct cwi_delivery *delivery, uint32_t target)
{
  const struct cwi_contents *contents = &delivery->memory->contents;
  struct cwi_waits waits = {0};
  if (cwi_waits_add(&waits, delivery->read) &&
      await_uses(contents->uses, target, delivery->from, delivery->to, false, &waits) &&
      await_uses(contents->deliveries, target, delivery->from, delivery->to, false, &waits))
    delivery->write = delivery_keep(delivery, target, false, &waits);
  return delivery->write != NULL;
}

/* One piece. Its command waits for it. */
static bool delivery_piece(struct cwi_sited_memory *memory, size_t from, size_t to, uint32_t source,
                           uint32_t target)
{
  struct cwi_sited_context *context = memory->sited.context;
  struct cwi_delivery *delivery = calloc(1, sizeof *delivery);
  if (delivery == NULL)
    return false;
  delivery->memory = memory;
  cwi_sited_hold(memory);
  delivery->from = from;
  delivery->to = to;
  delivery->target = target;
  delivery->bytes = malloc(delivery_bytes(memory, from, to));
  delivery->next = context->deliveries;
  context->deliveries = delivery;
  return delivery->bytes != NULL && delivery_read(delivery, source) &&
         delivery_write(delivery, target);
}

static bool segment_deliver(struct cwi_sited_memory *memory, struct cwi_valid_part *segment,
                            uint32_t target)
{
  const uint32_t alive =
      segment->valid & ~__atomic_load_n(&memory->sited.context->over, __ATOMIC_ACQUIRE);
  const uint32_t source = (uint32_t)__builtin_ctz(alive != 0 ? alive : segment->valid);
  for (size_t from = segment->from, to = 0; from < segment->to; from = to) {
    to = segment->to - from > DELIVERY_BYTES ? from + DELIVERY_BYTES : segment->to;
    if (!delivery_piece(memory, from, to, source, target))
      return false;
  }
  segment->valid |= 1u << target;
  return true;
}

/* --- operands --- */

static bool operand_bring(const struct cwi_operand *operand, uint32_t site, struct cwi_waits *waits)
{
  struct cwi_contents *contents = &operand->root->contents;
  if (!cwi_parts_cut(contents, operand->from) || !cwi_parts_cut(contents, operand->to))
    return false;
  for (struct cwi_valid_part *each = contents->segments; each != NULL && operand->reads;
       each = each->next)
    if (each->from < operand->to && operand->from < each->to && each->valid != 0 &&
        (each->valid >> site & 1) == 0 && !segment_deliver(operand->root, each, site))
      return false;
  return await_uses(contents->deliveries, site, operand->from, operand->to, !operand->writes,
                    waits);
}

static void operand_own(const struct cwi_operand *operand, uint32_t site)
{
  for (struct cwi_valid_part *each = operand->root->contents.segments; each != NULL;
       each = each->next)
    if (operand->writes && operand->from <= each->from && each->to <= operand->to)
      each->valid = 1u << site;
  cwi_parts_join(&operand->root->contents);
}

bool cwi_command_place(struct cwi_sited_event *event, const struct cwi_command *command,
                       const struct cwi_sited_argument *arguments, struct cwi_waits *waits,
                       struct cwi_use **over)
{
  struct cwi_command_operands operands;
  if (!cwi_operands_begin(&operands, command, arguments))
    return false;
  bool is_placed = true;
  for (size_t i = 0; i < operands.count && is_placed; i++)
    is_placed = operand_bring(&operands.each[i], event->site, waits);
  for (size_t i = 0; i < operands.count && is_placed; i++) {
    const struct cwi_operand *operand = &operands.each[i];
    operand_own(operand, event->site);
    uses_forget(&operand->root->contents, over);
    is_placed =
        uses_add(&operand->root->contents, event, operand->from, operand->to, operand->writes);
  }
  cwi_operands_end(&operands);
  return is_placed;
}

/* --- the end of deliveries --- */

static bool delivery_is_over(const struct cwi_delivery *delivery)
{
  return (delivery->read == NULL || cwi_event_status(delivery->read) <= CL_COMPLETE) &&
         (delivery->write == NULL || cwi_event_status(delivery->write) <= CL_COMPLETE);
}

/* What did not arrive is not valid there. */
static void delivery_undo(const struct cwi_delivery *delivery)
{
  struct cwi_contents *contents = &delivery->memory->contents;
  if (!cwi_parts_cut(contents, delivery->from) || !cwi_parts_cut(contents, delivery->to))
    return;
  for (struct cwi_valid_part *each = contents->segments; each != NULL; each = each->next)
    if (delivery->from <= each->from && each->to <= delivery->to &&
        each->valid != 1u << delivery->target)
      each->valid &= ~(1u << delivery->target);
  cwi_parts_join(contents);
}

static void deliveries_forget(struct cwi_contents *contents, struct cwi_use **over)
{
  for (struct cwi_use **place = &contents->deliveries; *place != NULL;) {
    struct cwi_use *use = *place;
    if (!use_is_over(use)) {
      place = &use->next;
      continue;
    }
    *place = use->next;
    use->next = *over;
    *over = use;
  }
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
    if (delivery->write == NULL || cwi_event_status(delivery->write) < 0)
      delivery_undo(delivery);
    deliveries_forget(&delivery->memory->contents, over);
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

/* Where memory is valid, by parts, and how it becomes so elsewhere: a part that a command needs and
 * its site does not have is read at a site that has it, and written at the command's. Both are
 * commands of ours that wait at home like others.
 *
 * A move waits for what writes the part at its source, and for all that uses it at its target; a
 * command waits for moves of what it uses at its own site. More need not be ordered: what commands
 * of two sites do to the same bytes, a program orders itself, and then the first of them is
 * complete when the second one is placed. */
#include "sites/operands.h"

#include <stdlib.h>

enum { MOVE_BYTES = 4 << 20 }; /* of one command, so that reading and writing overlap */

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
 * What they hold is let go by the clerk's way of freeing moves. */
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

/* --- moves --- */

static size_t move_bytes(const struct cwi_sited_memory *memory, size_t from, size_t to)
{
  const cl_image_desc *image = &memory->image;
  if (!cwi_memory_is_image(memory))
    return to - from;
  return memory->element * image->image_width * cwi_image_rows(image) * cwi_image_slices(image);
}

/* Read or write a part at a site: a command of ours, kept at home with what it waits for. */
static struct cwi_sited_event *move_keep(const struct cwi_move *move, uint32_t site, bool reads,
                                         struct cwi_waits *waits)
{
  struct cwi_sited_memory *memory = move->memory;
  const cl_image_desc *image = &memory->image;
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {image->image_width, cwi_image_rows(image), cwi_image_slices(image)};
  struct cwi_command c = {.queue = memory->sited.context->movers[site],
                          .memory = {memory},
                          .offset = {move->from},
                          .size = move->to - move->from,
                          .host = move->bytes};
  c.sort = reads ? CWI_COMMAND_READ : CWI_COMMAND_WRITE;
  if (cwi_memory_is_image(memory)) {
    c.sort = reads ? CWI_COMMAND_READ_IMAGE : CWI_COMMAND_WRITE_IMAGE;
    c.origin[0] = origin;
    c.region = region;
  }
  struct cwi_sited_event *event = cwi_event_new(c.queue);
  struct cwi_use *use = event != NULL ? use_new(event, move->from, move->to, !reads) : NULL;
  struct cwi_kept *kept = use != NULL ? cwi_command_keep(event, &c, waits) : NULL;
  if (kept == NULL) {
    cwi_uses_free(use);
    cwi_sited_let_go(event); /* it has nothing that others would miss */
    return NULL;
  }
  kept->is_placed = true;
  use->next = memory->contents.moves;
  memory->contents.moves = use;
  return event;
}

static bool move_read(struct cwi_move *move, uint32_t source)
{
  const struct cwi_contents *contents = &move->memory->contents;
  struct cwi_waits waits = {0};
  if (await_uses(contents->uses, source, move->from, move->to, true, &waits) &&
      await_uses(contents->moves, source, move->from, move->to, true, &waits))
    move->read = move_keep(move, source, true, &waits);
  return move->read != NULL;
}

static bool move_write(struct cwi_move *move, uint32_t target)
{
  const struct cwi_contents *contents = &move->memory->contents;
  struct cwi_waits waits = {0};
  if (cwi_waits_add(&waits, move->read) &&
      await_uses(contents->uses, target, move->from, move->to, false, &waits) &&
      await_uses(contents->moves, target, move->from, move->to, false, &waits))
    move->write = move_keep(move, target, false, &waits);
  return move->write != NULL;
}

/* One piece. Its command waits for it. */
static bool move_piece(struct cwi_sited_memory *memory, size_t from, size_t to, uint32_t source,
                       uint32_t target)
{
  struct cwi_sited_context *context = memory->sited.context;
  struct cwi_move *move = calloc(1, sizeof *move);
  if (move == NULL)
    return false;
  move->memory = memory;
  cwi_sited_hold(memory);
  move->from = from;
  move->to = to;
  move->target = target;
  move->bytes = malloc(move_bytes(memory, from, to));
  move->next = context->moves;
  context->moves = move;
  return move->bytes != NULL && move_read(move, source) && move_write(move, target);
}

static bool segment_move(struct cwi_sited_memory *memory, struct cwi_valid_part *segment,
                         uint32_t target)
{
  const uint32_t alive =
      segment->valid & ~__atomic_load_n(&memory->sited.context->over, __ATOMIC_ACQUIRE);
  const uint32_t source = (uint32_t)__builtin_ctz(alive != 0 ? alive : segment->valid);
  for (size_t from = segment->from, to = 0; from < segment->to; from = to) {
    to = segment->to - from > MOVE_BYTES ? from + MOVE_BYTES : segment->to;
    if (!move_piece(memory, from, to, source, target))
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
        (each->valid >> site & 1) == 0 && !segment_move(operand->root, each, site))
      return false;
  return await_uses(contents->moves, site, operand->from, operand->to, !operand->writes, waits);
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

/* --- the end of moves --- */

static bool move_is_over(const struct cwi_move *move)
{
  return (move->read == NULL || cwi_event_status(move->read) <= CL_COMPLETE) &&
         (move->write == NULL || cwi_event_status(move->write) <= CL_COMPLETE);
}

/* What did not arrive is not valid there. */
static void move_undo(const struct cwi_move *move)
{
  struct cwi_contents *contents = &move->memory->contents;
  if (!cwi_parts_cut(contents, move->from) || !cwi_parts_cut(contents, move->to))
    return;
  for (struct cwi_valid_part *each = contents->segments; each != NULL; each = each->next)
    if (move->from <= each->from && each->to <= move->to && each->valid != 1u << move->target)
      each->valid &= ~(1u << move->target);
  cwi_parts_join(contents);
}

static void moves_forget(struct cwi_contents *contents, struct cwi_use **over)
{
  for (struct cwi_use **place = &contents->moves; *place != NULL;) {
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

struct cwi_move *cwi_moves_sweep(struct cwi_sited_context *context, struct cwi_use **over)
{
  struct cwi_move *done = NULL;
  for (struct cwi_move **place = &context->moves; *place != NULL;) {
    struct cwi_move *move = *place;
    if (!move_is_over(move)) {
      place = &move->next;
      continue;
    }
    if (move->write == NULL || cwi_event_status(move->write) < 0)
      move_undo(move);
    moves_forget(&move->memory->contents, over);
    *place = move->next;
    move->next = done;
    done = move;
  }
  return done;
}

void cwi_moves_free(struct cwi_move *moves, struct cwi_use *over)
{
  cwi_uses_free(over);
  while (moves != NULL) {
    struct cwi_move *next = moves->next;
    cwi_sited_let_go(moves->read);
    cwi_sited_let_go(moves->write);
    cwi_sited_let_go(moves->memory);
    free(moves->bytes);
    free(moves);
    moves = next;
  }
}

/* Where memory is valid, by parts (parts.c), and what is brought to the site of a command. A
 * command waits for deliveries of what it uses at its own site. More need not be ordered: what
 * commands of two sites do to the same bytes, a program orders itself, and then the first of them
 * is complete when the second one is placed. */
#include "sites/operands.h"

static bool segment_deliver(struct cwi_sited_memory *memory, struct cwi_valid_part *segment,
                            uint32_t target)
{
  const uint32_t alive = cwi_sites_alive(memory->sited.context, segment->valid);
  const uint32_t source = (uint32_t)__builtin_ctz(alive != 0 ? alive : segment->valid);
  for (size_t from = segment->from, next = 0; from < segment->to; from = next) {
    next = cwi_delivery_begin(memory, from, segment->to, source, target);
    if (next == from)
      return false;
  }
  segment->valid |= 1u << target;
  return true;
}

static bool operand_touches(const struct cwi_operand *operand, const struct cwi_valid_part *part)
{
  return part->from < operand->to && operand->from < part->to;
}

static bool operand_bring(const struct cwi_operand *operand, uint32_t site, struct cwi_waits *waits,
                          struct cwi_use **over)
{
  struct cwi_contents *contents = &operand->root->contents;
  if (!cwi_parts_cut(contents, operand->from) || !cwi_parts_cut(contents, operand->to))
    return false;
  for (struct cwi_valid_part *each = contents->segments; each != NULL; each = each->next) {
    if (!operand_touches(operand, each))
      continue;
    cwi_part_look(each, over);
    if (operand->reads && each->valid != 0 && (each->valid >> site & 1) == 0 &&
        !segment_deliver(operand->root, each, site))
      return false;
  }
  return cwi_uses_await(contents->deliveries, site, operand->from, operand->to, !operand->writes,
                        waits);
}

static bool operand_own(const struct cwi_operand *operand, struct cwi_sited_event *event,
                        struct cwi_use **over)
{
  struct cwi_contents *contents = &operand->root->contents;
  for (struct cwi_valid_part *each = contents->segments; each != NULL; each = each->next)
    if (operand->writes && operand_touches(operand, each) && !cwi_part_write(each, event))
      return false;
  cwi_parts_join(contents, over);
  return true;
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
    is_placed = operand_bring(&operands.each[i], event->site, waits, over);
  for (size_t i = 0; i < operands.count && is_placed; i++) {
    const struct cwi_operand *operand = &operands.each[i];
    is_placed = operand_own(operand, event, over);
    cwi_uses_forget(&operand->root->contents, over);
    is_placed = is_placed && cwi_uses_add(&operand->root->contents, event, operand->from,
                                          operand->to, operand->writes);
  }
  cwi_operands_end(&operands);
  return is_placed;
}

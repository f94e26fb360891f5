/* Makes the operands of a command valid at its location. The unit is a range (valid_ranges.c). A
 * command waits for transfers of its operands at its own location. No other order is needed: if
 * commands at two locations use the same bytes, the program orders them itself, and the first one
 * is complete when the second one is prepared. */
#include "command/command_operands.h"
#include "command/command_submit.h"

static bool range_transfer(struct vocl_replicated_memory *memory, struct vocl_valid_range *segment,
                           uint32_t target)
{
  const uint32_t alive = vocl_locations_alive(memory->replicated.context, segment->valid);
  const uint32_t source = (uint32_t)__builtin_ctz(alive != 0 ? alive : segment->valid);
  for (size_t from = segment->from, next = 0; from < segment->to; from = next) {
    next = vocl_transfer_begin(memory, from, segment->to, source, target);
    if (next == from)
      return false;
  }
  segment->valid |= 1u << target;
  return true;
}

static bool operand_touches(const struct vocl_operand *operand, const struct vocl_valid_range *part)
{
  return part->from < operand->to && operand->from < part->to;
}

static bool operand_fetch(const struct vocl_operand *operand, uint32_t location,
                          struct vocl_wait_list *waits, struct vocl_memory_use **over)
{
  struct vocl_contents *contents = &operand->root->contents;
  if (!vocl_ranges_split(contents, operand->from) || !vocl_ranges_split(contents, operand->to))
    return false;
  for (struct vocl_valid_range *each = contents->segments; each != NULL; each = each->next) {
    if (!operand_touches(operand, each))
      continue;
    vocl_range_update(each, over);
    if (operand->reads && each->valid != 0 && (each->valid >> location & 1) == 0 &&
        !range_transfer(operand->root, each, location))
      return false;
  }
  return vocl_memory_uses_add_waits(contents->transfers, location, operand->from, operand->to,
                                    !operand->writes, waits);
}

static bool operand_own(const struct vocl_operand *operand, struct vocl_replicated_event *event,
                        struct vocl_memory_use **over)
{
  struct vocl_contents *contents = &operand->root->contents;
  for (struct vocl_valid_range *each = contents->segments; each != NULL; each = each->next)
    if (operand->writes && operand_touches(operand, each) && !vocl_range_write(each, event))
      return false;
  vocl_ranges_merge(contents, over);
  return true;
}

bool vocl_command_prepare(struct vocl_replicated_event *event, const struct vocl_command *command,
                          const struct vocl_replicated_argument *arguments,
                          struct vocl_wait_list *waits, struct vocl_memory_use **over)
{
  struct vocl_command_operands operands;
  if (!vocl_operands_begin(&operands, command, arguments))
    return false;
  bool is_placed = true;
  for (size_t i = 0; i < operands.count && is_placed; i++)
    is_placed = operand_fetch(&operands.each[i], event->location, waits, over);
  for (size_t i = 0; i < operands.count && is_placed; i++) {
    const struct vocl_operand *operand = &operands.each[i];
    is_placed = operand_own(operand, event, over);
    vocl_memory_uses_prune(&operand->root->contents, over);
    is_placed = is_placed && vocl_memory_uses_add(&operand->root->contents, event, operand->from,
                                                  operand->to, operand->writes);
  }
  vocl_operands_end(&operands);
  return is_placed;
}

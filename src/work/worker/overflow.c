/* Tasks that do not fit into a worker's queue. Used by the workers of a pool. */
#include "worker/overflow.h"

#include "base/reserve.h"

static char *slot_at(const struct cwi_overflow *overflow, size_t slot_bytes, uint64_t number)
{
  return overflow->slots + number * slot_bytes;
}

bool cwi_overflow_push(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head head,
                       const void *body)
{
  if (!CWI_RESERVE_BYTES(overflow->slots, slot_bytes, overflow->count, overflow->capacity, 64))
    return false;
  cwi_slot_write(slot_at(overflow, slot_bytes, overflow->count), head, body);
  overflow->count++;
  return true;
}

void cwi_overflow_refill(struct cwi_overflow *overflow, struct cwi_queue *queue)
{
  const uint64_t half = ((uint64_t)queue->mask + 1) / 2;
  const uint64_t space = cwi_queue_space(queue, half), wanted = space < half ? space : half;
  const uint64_t count = overflow->count < wanted ? overflow->count : wanted;
  overflow->count -= count;
  for (uint64_t i = 0; i < count; i++) {
    const char *slot = slot_at(overflow, queue->slot_bytes, overflow->count + i);
    cwi_queue_push(queue, cwi_slot_read(slot), slot + sizeof(struct cwi_slot_head));
  }
}

bool cwi_overflow_pop(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head *head,
                      void *body)
{
  if (overflow->count == 0)
    return false;
  const char *slot = slot_at(overflow, slot_bytes, --overflow->count);
  *head = cwi_slot_read(slot);
  cwi_slot_copy(body, slot + sizeof *head, head->bytes);
  return true;
}

void cwi_overflow_free(struct cwi_overflow *overflow)
{
  free(overflow->slots);
  *overflow = (struct cwi_overflow){0};
}

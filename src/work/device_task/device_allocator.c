/* Allocates blocks of a device's memory. Used by the worker of a device. */
#include "device_task/device_allocator.h"

#include "base/reserve.h"
#include "base/size.h"

/* Reserves an entry for the gap that freeing a block may create, so that freeing needs no
 * memory. */
static bool allocator_reserve(struct cwi_device_allocator *allocator)
{
  return CWI_RESERVE(allocator->gaps, allocator->blocks + 1, allocator->capacity, 64);
}

bool cwi_device_allocator_begin(struct cwi_device_allocator *allocator, size_t bytes,
                                size_t alignment)
{
  *allocator =
      (struct cwi_device_allocator){.bytes = bytes & ~(alignment - 1), .alignment = alignment};
  if (!allocator_reserve(allocator))
    return false;
  allocator->count = allocator->bytes > 0;
  allocator->gaps[0] = (struct cwi_gap){0, allocator->bytes};
  return true;
}

void cwi_device_allocator_end(struct cwi_device_allocator *allocator)
{
  free(allocator->gaps);
  *allocator = (struct cwi_device_allocator){0};
}

size_t cwi_device_allocator_size(const struct cwi_device_allocator *allocator, size_t bytes)
{
  return cwi_round_up(bytes > 0 ? bytes : 1, allocator->alignment);
}

static void remove_gap(struct cwi_device_allocator *allocator, size_t i)
{
  allocator->count--;
  memmove(&allocator->gaps[i], &allocator->gaps[i + 1],
          (allocator->count - i) * sizeof allocator->gaps[0]);
}

bool cwi_device_allocator_take(struct cwi_device_allocator *allocator, size_t bytes, size_t *offset)
{
  const size_t needs = cwi_device_allocator_size(allocator, bytes);
  size_t i = 0;
  while (i < allocator->count && allocator->gaps[i].bytes < needs)
    i++;
  if (i == allocator->count || !allocator_reserve(allocator))
    return false;
  *offset = allocator->gaps[i].offset;
  allocator->gaps[i].offset += needs;
  allocator->gaps[i].bytes -= needs;
  if (allocator->gaps[i].bytes == 0)
    remove_gap(allocator, i);
  allocator->blocks++;
  return true;
}

void cwi_device_allocator_give(struct cwi_device_allocator *allocator, size_t offset, size_t bytes)
{
  const size_t needs = cwi_device_allocator_size(allocator, bytes);
  struct cwi_gap *gaps = allocator->gaps;
  size_t i = 0;
  while (i < allocator->count && gaps[i].offset < offset)
    i++;
  const bool before = i > 0 && gaps[i - 1].offset + gaps[i - 1].bytes == offset;
  const bool behind = i < allocator->count && offset + needs == gaps[i].offset;
  allocator->blocks--;
  if (before) {
    gaps[i - 1].bytes += needs + (behind ? gaps[i].bytes : 0);
    if (behind)
      remove_gap(allocator, i);
  } else if (behind) {
    gaps[i] = (struct cwi_gap){offset, gaps[i].bytes + needs};
  } else {
    memmove(&gaps[i + 1], &gaps[i], (allocator->count - i) * sizeof gaps[0]);
    gaps[i] = (struct cwi_gap){offset, needs};
    allocator->count++;
  }
}

/* The division of a device's memory into blocks. For the worker of a device. */
#include "task/space.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

bool cwi_space_begin(struct cwi_device_space *space, size_t bytes, size_t alignment)
{
  enum { FIRST = 64 };
  *space = (struct cwi_device_space){.bytes = bytes & ~(alignment - 1), .alignment = alignment};
  space->gaps = malloc(FIRST * sizeof *space->gaps);
  if (space->gaps == NULL)
    return false;
  space->room = FIRST;
  space->count = space->bytes > 0;
  space->gaps[0] = (struct cwi_gap){0, space->bytes};
  return true;
}

void cwi_space_end(struct cwi_device_space *space)
{
  free(space->gaps);
  *space = (struct cwi_device_space){0};
}

size_t cwi_space_needs(const struct cwi_device_space *space, size_t bytes)
{
  return cwi_round_up(bytes > 0 ? bytes : 1, space->alignment);
}

/* So that giving back never needs memory. */
static bool space_grow(struct cwi_device_space *space)
{
  if (space->blocks + 2 <= space->room)
    return true;
  struct cwi_gap *more = realloc(space->gaps, 2 * space->room * sizeof *more);
  if (more == NULL)
    return false;
  space->gaps = more;
  space->room *= 2;
  return true;
}

static void remove_gap(struct cwi_device_space *space, size_t i)
{
  space->count--;
  memmove(&space->gaps[i], &space->gaps[i + 1], (space->count - i) * sizeof space->gaps[0]);
}

bool cwi_space_take(struct cwi_device_space *space, size_t bytes, size_t *offset)
{
  const size_t needs = cwi_space_needs(space, bytes);
  size_t i = 0;
  while (i < space->count && space->gaps[i].bytes < needs)
    i++;
  if (i == space->count || !space_grow(space))
    return false;
  *offset = space->gaps[i].offset;
  space->gaps[i].offset += needs;
  space->gaps[i].bytes -= needs;
  if (space->gaps[i].bytes == 0)
    remove_gap(space, i);
  space->blocks++;
  return true;
}

void cwi_space_give(struct cwi_device_space *space, size_t offset, size_t bytes)
{
  const size_t needs = cwi_space_needs(space, bytes);
  struct cwi_gap *gaps = space->gaps;
  size_t i = 0;
  while (i < space->count && gaps[i].offset < offset)
    i++;
  const bool before = i > 0 && gaps[i - 1].offset + gaps[i - 1].bytes == offset;
  const bool behind = i < space->count && offset + needs == gaps[i].offset;
  space->blocks--;
  if (before) {
    gaps[i - 1].bytes += needs + (behind ? gaps[i].bytes : 0);
    if (behind)
      remove_gap(space, i);
  } else if (behind) {
    gaps[i] = (struct cwi_gap){offset, gaps[i].bytes + needs};
  } else {
    memmove(&gaps[i + 1], &gaps[i], (space->count - i) * sizeof gaps[0]);
    gaps[i] = (struct cwi_gap){offset, needs};
    space->count++;
  }
}

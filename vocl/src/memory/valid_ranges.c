/* Ranges of buffers, and the locations where each is valid.
 *
 * A command that writes a range makes it invalid at other locations when it is prepared, long
 * before its success is known. If it fails, it counts as having written nothing, and the contents
 * at the other locations are valid. Each range therefore records such commands in order, with the
 * locations where it was valid before. The record of a completed command is removed. If the command
 * has failed, its previous locations pass to the next record, or to the range. */
#include "memory/memory_contents.h"

#include <stdlib.h>

static struct vocl_valid_range *range_new(size_t from, size_t to, uint32_t valid)
{
  struct vocl_valid_range *segment = malloc(sizeof *segment);
  if (segment != NULL)
    *segment = (struct vocl_valid_range){.from = from, .to = to, .valid = valid};
  return segment;
}

bool vocl_contents_begin(struct vocl_contents *contents, size_t extent, uint32_t valid)
{
  contents->segments = range_new(0, extent, valid);
  return contents->segments != NULL;
}

void vocl_contents_end(struct vocl_contents *contents)
{
  while (contents->segments != NULL) {
    struct vocl_valid_range *segment = contents->segments;
    contents->segments = segment->next;
    vocl_memory_uses_free(segment->unsure);
    free(segment);
  }
  vocl_memory_uses_free(contents->uses);
  vocl_memory_uses_free(contents->transfers);
  *contents = (struct vocl_contents){.segments = NULL};
}

/* --- unsure writes --- */

static bool unsure_add(struct vocl_valid_range *part, struct vocl_replicated_event *event,
                       uint32_t location, uint32_t before)
{
  struct vocl_memory_use **end = &part->unsure;
  struct vocl_memory_use *use = vocl_memory_use_new(event, part->from, part->to, true);
  if (use == NULL)
    return false;
  use->location = location;
  use->before = before;
  while (*end != NULL)
    end = &(*end)->next;
  *end = use;
  return true;
}

/* Records a write. The write counts as unsure if it invalidates contents at other locations, or if
 * an earlier write is unsure. */
bool vocl_range_write(struct vocl_valid_range *part, struct vocl_replicated_event *event)
{
  const uint32_t location = 1u << event->location;
  if (((part->valid & ~location) != 0 || part->unsure != NULL) &&
      !unsure_add(part, event, event->location, part->valid))
    return false;
  part->valid = location;
  return true;
}

void vocl_range_invalidate(struct vocl_valid_range *part, uint32_t location)
{
  const uint32_t bit = 1u << location;
  if (part->valid != bit)
    part->valid &= ~bit;
  for (struct vocl_memory_use *use = part->unsure; use != NULL; use = use->next)
    if (use->before != bit)
      use->before &= ~bit;
}

/* Returns the locations that are valid after a failure. The contents that a failed command has
 * left at its own location are not trusted if another location has the previous ones. */
static uint32_t unsure_rest(const struct vocl_memory_use *failed)
{
  const uint32_t others = failed->before & ~(1u << failed->location);
  return failed->event->was_rejected || others == 0 ? failed->before : others;
}

void vocl_range_update(struct vocl_valid_range *part, struct vocl_memory_use **over)
{
  while (part->unsure != NULL) {
    struct vocl_memory_use *first = part->unsure;
    const cl_int status = vocl_replicated_event_status(first->event);
    if (status > CL_COMPLETE)
      return;
    if (status < 0 || first->event->was_rejected)
      *(first->next != NULL ? &first->next->before : &part->valid) = unsure_rest(first);
    part->unsure = first->next;
    vocl_memory_use_retire(first, over);
  }
}

/* --- splitting and merging --- */

static bool unsure_copy(const struct vocl_valid_range *part, struct vocl_valid_range *rest)
{
  for (const struct vocl_memory_use *use = part->unsure; use != NULL; use = use->next)
    if (!unsure_add(rest, use->event, use->location, use->before))
      return false;
  return true;
}

/* Drops the copied list. Its references are never the last ones, because the original list has
 * references to the same events. */
static void unsure_drop(struct vocl_valid_range *rest)
{
  while (rest->unsure != NULL) {
    struct vocl_memory_use *use = rest->unsure;
    rest->unsure = use->next;
    __atomic_fetch_sub(&use->event->replicated.refs, 1, __ATOMIC_RELAXED);
    free(use);
  }
}

bool vocl_ranges_split(struct vocl_contents *contents, size_t at)
{
  struct vocl_valid_range *each = contents->segments;
  while (each != NULL && (each->from >= at || each->to <= at))
    each = each->next;
  if (each == NULL)
    return true;
  struct vocl_valid_range *rest = range_new(at, each->to, each->valid);
  if (rest == NULL)
    return false;
  if (!unsure_copy(each, rest)) {
    unsure_drop(rest);
    free(rest);
    return false;
  }
  rest->next = each->next;
  each->next = rest;
  each->to = at;
  return true;
}

static bool range_is_sure(struct vocl_valid_range *part, struct vocl_memory_use **over)
{
  vocl_range_update(part, over);
  return part->unsure == NULL;
}

void vocl_ranges_merge(struct vocl_contents *contents, struct vocl_memory_use **over)
{
  struct vocl_valid_range *each = contents->segments;
  struct vocl_valid_range *next = each == NULL ? NULL : each->next;
  for (; next != NULL; next = each->next)
    if (!range_is_sure(each, over) || !range_is_sure(next, over) || next->valid != each->valid) {
      each = next;
    } else {
      each->to = next->to;
      each->next = next->next;
      free(next);
    }
}

/* The parts of buffers, and where each is valid.
 *
 * A command that is to write a part makes it invalid at all other sites when it is placed, long
 * before its success is known. Should it fail, it has written nothing, as far as we know, and the
 * others' contents are those that count. So each part remembers such commands, in their order, with
 * the sites where it was valid before. Who is complete is forgotten; who has failed leaves what was
 * before him to the next one, or to the part. */
#include "sites/site.h"

#include <stdlib.h>

static struct cwi_valid_part *segment_new(size_t from, size_t to, uint32_t valid)
{
  struct cwi_valid_part *segment = malloc(sizeof *segment);
  if (segment != NULL)
    *segment = (struct cwi_valid_part){.from = from, .to = to, .valid = valid};
  return segment;
}

bool cwi_contents_begin(struct cwi_contents *contents, size_t extent, uint32_t valid)
{
  contents->segments = segment_new(0, extent, valid);
  return contents->segments != NULL;
}

void cwi_contents_end(struct cwi_contents *contents)
{
  while (contents->segments != NULL) {
    struct cwi_valid_part *segment = contents->segments;
    contents->segments = segment->next;
    cwi_uses_free(segment->unsure);
    free(segment);
  }
  cwi_uses_free(contents->uses);
  cwi_uses_free(contents->deliveries);
  *contents = (struct cwi_contents){.segments = NULL};
}

/* --- what is not sure --- */

static bool unsure_add(struct cwi_valid_part *part, struct cwi_sited_event *event, uint32_t site,
                       uint32_t before)
{
  struct cwi_use **end = &part->unsure;
  struct cwi_use *use = cwi_use_new(event, part->from, part->to, true);
  if (use == NULL)
    return false;
  use->site = site;
  use->before = before;
  while (*end != NULL)
    end = &(*end)->next;
  *end = use;
  return true;
}

/* One that has others' contents to lose, or the chance that they come back. */
bool cwi_part_write(struct cwi_valid_part *part, struct cwi_sited_event *event)
{
  const uint32_t site = 1u << event->site;
  if (((part->valid & ~site) != 0 || part->unsure != NULL) &&
      !unsure_add(part, event, event->site, part->valid))
    return false;
  part->valid = site;
  return true;
}

void cwi_part_miss(struct cwi_valid_part *part, uint32_t site)
{
  const uint32_t bit = 1u << site;
  if (part->valid != bit)
    part->valid &= ~bit;
  for (struct cwi_use *use = part->unsure; use != NULL; use = use->next)
    if (use->before != bit)
      use->before &= ~bit;
}

/* What a command that has failed half-way has left at its own site is not trusted, if another one
 * has the contents. */
static uint32_t unsure_rest(const struct cwi_use *failed)
{
  const uint32_t others = failed->before & ~(1u << failed->site);
  return failed->event->was_refused || others == 0 ? failed->before : others;
}

void cwi_part_look(struct cwi_valid_part *part, struct cwi_use **over)
{
  while (part->unsure != NULL) {
    struct cwi_use *first = part->unsure;
    const cl_int status = cwi_event_status(first->event);
    if (status > CL_COMPLETE)
      return;
    if (status < 0 || first->event->was_refused)
      *(first->next != NULL ? &first->next->before : &part->valid) = unsure_rest(first);
    part->unsure = first->next;
    cwi_use_hand_over(first, over);
  }
}

/* --- cutting and joining --- */

static bool unsure_copy(const struct cwi_valid_part *part, struct cwi_valid_part *rest)
{
  for (const struct cwi_use *use = part->unsure; use != NULL; use = use->next)
    if (!unsure_add(rest, use->event, use->site, use->before))
      return false;
  return true;
}

/* Others know of all that the copy holds. */
static void unsure_drop(struct cwi_valid_part *rest)
{
  while (rest->unsure != NULL) {
    struct cwi_use *use = rest->unsure;
    rest->unsure = use->next;
    __atomic_fetch_sub(&use->event->sited.held, 1, __ATOMIC_RELAXED);
    free(use);
  }
}

bool cwi_parts_cut(struct cwi_contents *contents, size_t at)
{
  struct cwi_valid_part *each = contents->segments;
  while (each != NULL && (each->from >= at || each->to <= at))
    each = each->next;
  if (each == NULL)
    return true;
  struct cwi_valid_part *rest = segment_new(at, each->to, each->valid);
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

static bool part_is_sure(struct cwi_valid_part *part, struct cwi_use **over)
{
  cwi_part_look(part, over);
  return part->unsure == NULL;
}

void cwi_parts_join(struct cwi_contents *contents, struct cwi_use **over)
{
  struct cwi_valid_part *each = contents->segments;
  struct cwi_valid_part *next = each == NULL ? NULL : each->next;
  for (; next != NULL; next = each->next)
    if (!part_is_sure(each, over) || !part_is_sure(next, over) || next->valid != each->valid) {
      each = next;
    } else {
      each->to = next->to;
      each->next = next->next;
      free(next);
    }
}

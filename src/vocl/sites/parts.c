/* The parts of buffers, and where each is valid. */
#include "sites/site.h"

#include <stdlib.h>

static struct cwi_valid_part *segment_new(size_t from, size_t to, uint32_t valid)
{
  struct cwi_valid_part *segment = malloc(sizeof *segment);
  if (segment != NULL)
    *segment = (struct cwi_valid_part){NULL, from, to, valid};
  return segment;
}

bool cwi_contents_begin(struct cwi_sited_memory *memory, uint32_t valid)
{
  const size_t to = cwi_memory_is_image(memory) ? 1 : memory->size;
  memory->contents.segments = segment_new(0, to, valid);
  return memory->contents.segments != NULL;
}

void cwi_uses_free(struct cwi_use *use)
{
  while (use != NULL) {
    struct cwi_use *next = use->next;
    cwi_sited_let_go(use->event);
    free(use);
    use = next;
  }
}

void cwi_contents_end(struct cwi_contents *contents)
{
  while (contents->segments != NULL) {
    struct cwi_valid_part *segment = contents->segments;
    contents->segments = segment->next;
    free(segment);
  }
  cwi_uses_free(contents->uses);
  cwi_uses_free(contents->deliveries);
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
  rest->next = each->next;
  each->next = rest;
  each->to = at;
  return true;
}

void cwi_parts_join(struct cwi_contents *contents)
{
  struct cwi_valid_part *each = contents->segments;
  struct cwi_valid_part *next = each == NULL ? NULL : each->next;
  for (; next != NULL; next = each->next)
    if (next->valid != each->valid) {
      each = next;
    } else {
      each->to = next->to;
      each->next = next->next;
      free(next);
    }
}

/* The ranges of memory that unfinished commands use. */
#include "memory/memory_contents.h"

#include <stdlib.h>

static bool use_is_over(const struct vocl_memory_use *use)
{
  return vocl_replicated_event_status(use->event) <= CL_COMPLETE;
}

struct vocl_memory_use *vocl_memory_use_new(struct vocl_replicated_event *event, size_t from,
                                            size_t to, bool writes)
{
  struct vocl_memory_use *use = malloc(sizeof *use);
  if (use == NULL)
    return NULL;
  *use = (struct vocl_memory_use){.event = event, .from = from, .to = to, .writes = writes};
  vocl_replicated_ref(event);
  return use;
}

void vocl_memory_uses_prune(struct vocl_contents *contents, struct vocl_memory_use **over)
{
  for (int i = 0; i < 2 && contents->uses != NULL && use_is_over(contents->uses); i++) {
    struct vocl_memory_use *use = contents->uses;
    contents->uses = use->next;
    if (contents->uses == NULL)
      contents->last_use = NULL;
    vocl_memory_use_retire(use, over);
  }
}

void vocl_memory_uses_prune_transfers(struct vocl_contents *contents, struct vocl_memory_use **over)
{
  for (struct vocl_memory_use **place = &contents->transfers; *place != NULL;) {
    struct vocl_memory_use *use = *place;
    if (!use_is_over(use)) {
      place = &use->next;
      continue;
    }
    *place = use->next;
    vocl_memory_use_retire(use, over);
  }
}

bool vocl_memory_uses_add(struct vocl_contents *contents, struct vocl_replicated_event *event,
                          size_t from, size_t to, bool writes)
{
  struct vocl_memory_use *use = vocl_memory_use_new(event, from, to, writes);
  if (use == NULL)
    return false;
  *(contents->last_use != NULL ? &contents->last_use->next : &contents->uses) = use;
  contents->last_use = use;
  return true;
}

void vocl_memory_uses_free(struct vocl_memory_use *use)
{
  while (use != NULL) {
    struct vocl_memory_use *next = use->next;
    vocl_replicated_unref(use->event);
    free(use);
    use = next;
  }
}

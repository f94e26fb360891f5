/* Which commands that may not be complete use which parts of memory. */
#include "sites/site.h"

#include <stdlib.h>

static bool use_is_over(const struct cwi_use *use)
{
  return cwi_event_status(use->event) <= CL_COMPLETE;
}

struct cwi_use *cwi_use_new(struct cwi_sited_event *event, size_t from, size_t to, bool writes)
{
  struct cwi_use *use = malloc(sizeof *use);
  if (use == NULL)
    return NULL;
  *use = (struct cwi_use){.event = event, .from = from, .to = to, .writes = writes};
  cwi_sited_hold(event);
  return use;
}

void cwi_uses_forget(struct cwi_contents *contents, struct cwi_use **over)
{
  for (int i = 0; i < 2 && contents->uses != NULL && use_is_over(contents->uses); i++) {
    struct cwi_use *use = contents->uses;
    contents->uses = use->next;
    if (contents->uses == NULL)
      contents->last_use = NULL;
    cwi_use_hand_over(use, over);
  }
}

void cwi_uses_forget_deliveries(struct cwi_contents *contents, struct cwi_use **over)
{
  for (struct cwi_use **place = &contents->deliveries; *place != NULL;) {
    struct cwi_use *use = *place;
    if (!use_is_over(use)) {
      place = &use->next;
      continue;
    }
    *place = use->next;
    cwi_use_hand_over(use, over);
  }
}

bool cwi_uses_add(struct cwi_contents *contents, struct cwi_sited_event *event, size_t from,
                  size_t to, bool writes)
{
  struct cwi_use *use = cwi_use_new(event, from, to, writes);
  if (use == NULL)
    return false;
  *(contents->last_use != NULL ? &contents->last_use->next : &contents->uses) = use;
  contents->last_use = use;
  return true;
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

/* Notifications behind long updates: their origin sends both at once, and waits for no answer in
 * between. */
#include "server/landing.h"

#include "mpi/call.h"

#include <stdlib.h>

static struct cwi_landing *newest;
static uint64_t begun;

/* A notification. */
struct kept {
  struct kept *next;
  struct cwi_request request;
  int origin;
  unsigned behind; /* updates of its origin that began before, and are not there */
  uint64_t number; /* of the last update that began before */
};

/* In the order in which they came. */
static struct kept *first, **last = &first;

void cwi_landing_begin(struct cwi_landing *landing, int origin)
{
  *landing = (struct cwi_landing){.previous = newest, .number = ++begun, .origin = origin};
  if (newest != NULL)
    newest->next = landing;
  newest = landing;
}

static void landing_unlink(const struct cwi_landing *landing)
{
  if (landing->previous != NULL)
    landing->previous->next = landing->next;
  if (landing->next != NULL)
    landing->next->previous = landing->previous;
  else
    newest = landing->previous;
}

static bool waits_for(const struct kept *kept, const struct cwi_landing *landing)
{
  return kept->origin == landing->origin && kept->number >= landing->number;
}

void cwi_landing_end(struct cwi_landing *landing, cwi_landing_notify notify)
{
  landing_unlink(landing);
  for (struct kept **link = &first; *link != NULL;) {
    struct kept *kept = *link;
    if (!waits_for(kept, landing) || --kept->behind > 0) {
      link = &kept->next;
      continue;
    }
    *link = kept->next;
    if (*link == NULL)
      last = link;
    notify(kept->origin, &kept->request);
    free(kept);
  }
}

bool cwi_landing_keep(int origin, const struct cwi_request *request)
{
  unsigned behind = 0;
  for (const struct cwi_landing *one = newest; one != NULL; one = one->previous)
    behind += one->origin == origin;
  if (behind == 0)
    return false;
  struct kept *kept = malloc(sizeof *kept);
  if (kept == NULL)
    cwi_abort("the server has no memory for a notification that waits for data", 1);
  *kept = (struct kept){.request = *request, .origin = origin, .behind = behind, .number = begun};
  *last = kept;
  last = &kept->next;
  return true;
}

/* Notifications that wait for bulk updates. An origin sends a notification right after a bulk
 * update, without waiting for an answer in between. */
#include "execution/inbound_bulk.h"

#include "mpi/mpi_progress.h"

#include <stdlib.h>

static struct cwi_inbound_bulk *newest;
static uint64_t begun;

/* A notification that waits. */
struct kept {
  struct kept *next;
  struct cwi_request request;
  int origin;
  unsigned behind; /* number of earlier updates of its origin that have not arrived */
  uint64_t number; /* number of the last update that began before this notification */
};

/* The waiting notifications, in the order in which they arrived. */
static struct kept *first, **last = &first;

void cwi_inbound_bulk_begin(struct cwi_inbound_bulk *inbound_bulk, int origin)
{
  *inbound_bulk =
      (struct cwi_inbound_bulk){.previous = newest, .number = ++begun, .origin = origin};
  if (newest != NULL)
    newest->next = inbound_bulk;
  newest = inbound_bulk;
}

static void inbound_bulk_unlink(const struct cwi_inbound_bulk *inbound_bulk)
{
  if (inbound_bulk->previous != NULL)
    inbound_bulk->previous->next = inbound_bulk->next;
  if (inbound_bulk->next != NULL)
    inbound_bulk->next->previous = inbound_bulk->previous;
  else
    newest = inbound_bulk->previous;
}

static bool waits_for(const struct kept *kept, const struct cwi_inbound_bulk *inbound_bulk)
{
  return kept->origin == inbound_bulk->origin && kept->number >= inbound_bulk->number;
}

void cwi_inbound_bulk_end(struct cwi_inbound_bulk *inbound_bulk, cwi_inbound_bulk_notify notify)
{
  inbound_bulk_unlink(inbound_bulk);
  for (struct kept **link = &first; *link != NULL;) {
    struct kept *kept = *link;
    if (!waits_for(kept, inbound_bulk) || --kept->behind > 0) {
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

bool cwi_inbound_bulk_defer(int origin, const struct cwi_request *request)
{
  unsigned behind = 0;
  for (const struct cwi_inbound_bulk *one = newest; one != NULL; one = one->previous)
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

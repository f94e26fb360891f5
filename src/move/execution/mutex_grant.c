/* Mutexes of my node that processes of other nodes wait for. The server takes tickets for these
 * processes from the same ticket lock as the node's own processes, so the order is first come,
 * first served. */
#include "execution/mutex_grant.h"
#include "execution/reply.h"
#include "link/link.h"

#include <stdlib.h>

struct grant {
  struct cwi_ticket_lock *lock;
  uint32_t ticket;
  int origin;
  uint32_t tag;
  struct grant *next;
};

static struct grant *grants;

void cwi_mutex_grant_notify(void)
{
  cwi_signal_advance(&cwi_links.board->doorbell);
}

void cwi_mutex_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag)
{
  const uint32_t ticket = cwi_ticket_take(lock);
  if (cwi_ticket_holds(lock, ticket)) {
    cwi_answer(origin, tag, 1);
    return;
  }
  struct grant *grant = malloc(sizeof *grant);
  if (grant == NULL)
    cwi_abort("the server has no memory for processes that wait for a mutex", 1);
  *grant = (struct grant){lock, ticket, origin, tag, grants};
  grants = grant;
}

bool cwi_grants_wait(void)
{
  return grants != NULL;
}

bool cwi_grants_progress(void)
{
  bool busy = false;
  for (struct grant **link = &grants; *link != NULL;) {
    struct grant *grant = *link;
    if (cwi_ticket_holds(grant->lock, grant->ticket)) {
      *link = grant->next;
      cwi_answer(grant->origin, grant->tag, 1);
      free(grant);
      busy = true;
    } else {
      link = &grant->next;
    }
  }
  return busy;
}

#include "server/inbox.h"

#include "base/settings.h"
#include "link/links.h"
#include "link/tags.h"
#include "link/wire.h"
#include "mpi/call.h"
#include "server/async.h"
#include "team/world.h"

#include <stdlib.h>

struct cwi_served cwi_served;

static struct cwi_inbox *spare;
static uint32_t *owed; /* [links] buffers that are free and not given back yet */

struct cwi_inbox *cwi_inbox_take(void)
{
  struct cwi_inbox *inbox = spare;
  if (inbox != NULL) {
    spare = inbox->next;
    return inbox;
  }
  inbox = malloc(sizeof *inbox);
  char *data = malloc((size_t)cwi_settings.server_buffer);
  if (inbox == NULL || data == NULL)
    cwi_abort("the server has no memory for request buffers", 1);
  inbox->data = data;
  cwi_served.buffers++;
  return inbox;
}

void cwi_inbox_free(struct cwi_inbox *inbox)
{
  inbox->next = spare;
  spare = inbox;
}

static void credit_sent(void *context)
{
  free(context);
}

static void give_back(int link)
{
  struct cwi_credit *credit = malloc(sizeof *credit);
  MPI_Request request = MPI_REQUEST_NULL;
  if (credit == NULL)
    cwi_abort("the server has no memory to give credits back", 1);
  *credit = (struct cwi_credit){CWI_WIRE_VERSION, owed[link]};
  owed[link] = 0;
  cwi_server_must(CWI_MPI(MPI_Isend(credit, sizeof *credit, MPI_BYTE,
                                    cwi_world.server_of[cwi_links.neighbours[link]], CWI_TAG_CREDIT,
                                    cwi_world.all_comm, &request)));
  cwi_served.credits++;
  cwi_async_add(request, credit_sent, credit);
}

/* Half of a link's buffers at a time: its other half keeps the sender going. */
void cwi_inbox_release(struct cwi_inbox *inbox)
{
  if (--inbox->parts > 0)
    return;
  const int link = inbox->link;
  cwi_inbox_free(inbox);
  if (++owed[link] >= (uint32_t)cwi_settings.server_credits / 2)
    give_back(link);
}

void cwi_inboxes_start(void)
{
  owed = calloc((size_t)cwi_links.count + 1, sizeof *owed);
  if (owed == NULL)
    cwi_abort("the server has no memory for its links", 1);
  cwi_served = (struct cwi_served){0};
}

void cwi_inboxes_settle(void)
{
  for (int link = 0; link < cwi_links.count; link++)
    if (owed[link] > 0)
      give_back(link);
}

void cwi_inboxes_stop(void)
{
  while (spare != NULL) {
    struct cwi_inbox *inbox = spare;
    spare = inbox->next;
    free(inbox->data);
    free(inbox);
  }
  free(owed);
  owed = NULL;
}

/* Request buffers, and the credits that are returned when the buffers are free. */
#include "execution/request_buffer.h"

#include "base/settings.h"
#include "execution/async_operations.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "link/wire_format.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_served served;

struct cwi_served cwi_served(void)
{
  return served;
}

static struct cwi_request_buffer *spare;

/* Request buffers of a neighbour whose credits have not been returned. */
struct owed {
  uint32_t unreturned; /* buffers in use */
  uint32_t buffers;    /* free buffers whose credits have not been returned */
  bool soon;           /* a sender wants credits back soon; set until no buffer is in use */
  int32_t *process;    /* [credits] senders of the messages that were in the free buffers */
};
static struct owed *owed;  /* [links] */
static int32_t *processes; /* [links][credits] */
static int soon;           /* number of links with credits to return soon */

struct cwi_request_buffer *cwi_request_buffer_take(void)
{
  struct cwi_request_buffer *buffer = spare;
  if (buffer != NULL) {
    spare = buffer->next;
    return buffer;
  }
  buffer = malloc(sizeof *buffer);
  char *data = malloc((size_t)cwi_settings.server_buffer);
  if (buffer == NULL || data == NULL)
    cwi_abort("the server has no memory for request buffers", 1);
  buffer->data = data;
  served.buffers++;
  return buffer;
}

void cwi_request_buffer_free(struct cwi_request_buffer *buffer)
{
  buffer->next = spare;
  spare = buffer;
}

static void credit_sent(void *context, const MPI_Status *status)
{
  (void)status;
  free(context);
}

/* Returns the credits of all free buffers of a link in one message. */
static void buffer_give_back(int link)
{
  struct owed *mine = &owed[link];
  const size_t list = mine->buffers * sizeof mine->process[0];
  struct cwi_credit *credit = malloc(sizeof *credit + list);
  MPI_Request request = MPI_REQUEST_NULL;
  if (credit == NULL)
    cwi_abort("the server has no memory to give credits back", 1);
  *credit = (struct cwi_credit){CWI_WIRE_VERSION, cwi_world.node, mine->buffers};
  memcpy(credit->process, mine->process, list);
  soon -= mine->soon;
  mine->buffers = 0;
  mine->soon = mine->soon && mine->unreturned > 0;
  cwi_server_must(CWI_MPI(MPI_Isend(credit, (int)(sizeof *credit + list), MPI_BYTE,
                                    cwi_world.server_of[cwi_links.neighbours[link]], CWI_TAG_CREDIT,
                                    cwi_world.all_comm, &request)));
  served.credits++;
  cwi_async_start(request, credit_sent, credit);
}

static void request_return(struct owed *mine)
{
  soon += !mine->soon && mine->buffers > 0;
  mine->soon = true;
}

/* Records a message. The message is attributed to its process if that process is on the neighbour's
 * node and sent it with its own origin, number 0. A message that was forwarded, or that came from
 * the origin of a thread, is attributed to no process. */
void cwi_request_buffer_fill(struct cwi_request_buffer *buffer, int link,
                             const struct cwi_request_batch *first)
{
  const bool own = first != NULL && cwi_request_batch_origin(first) == 0 &&
                   cwi_world.node_of[first->origin] == cwi_links.neighbours[link];
  served.messages++;
  buffer->parts = 1;
  buffer->link = link;
  buffer->process = own ? first->origin : -1;
  if (first != NULL && (first->flags & CWI_BATCH_QUESTION) != 0)
    buffer->process = CWI_CREDIT_ANSWER;
  owed[link].unreturned++;
  if (first != NULL && (first->flags & CWI_BATCH_RETURN) != 0)
    request_return(&owed[link]);
}

/* Releases one part. Credits are returned when half of a link's buffers are free; the sender
 * continues meanwhile with the other half. */
void cwi_request_buffer_release(struct cwi_request_buffer *buffer)
{
  if (--buffer->parts > 0)
    return;
  const int link = buffer->link;
  struct owed *mine = &owed[link];
  soon += mine->soon && mine->buffers == 0;
  mine->unreturned--;
  mine->process[mine->buffers++] = buffer->process;
  cwi_request_buffer_free(buffer);
  if (mine->buffers >= (uint32_t)cwi_settings.server_credits / 2)
    buffer_give_back(link);
}

bool cwi_request_buffers_owe(void)
{
  return soon > 0;
}

void cwi_request_buffers_return(void)
{
  for (int link = 0; soon > 0 && link < cwi_links.count; link++)
    if (owed[link].soon && owed[link].buffers > 0)
      buffer_give_back(link);
}

void cwi_request_buffers_start(void)
{
  const size_t links = (size_t)cwi_links.count, credits = (size_t)cwi_settings.server_credits;
  owed = calloc(links + 1, sizeof *owed);
  processes = calloc(links * credits + 1, sizeof *processes);
  if (owed == NULL || processes == NULL)
    cwi_abort("the server has no memory for its links", 1);
  for (size_t link = 0; link < links; link++)
    owed[link].process = processes + link * credits;
  soon = 0;
  served = (struct cwi_served){0};
}

void cwi_request_buffers_settle(void)
{
  for (int link = 0; link < cwi_links.count; link++)
    if (owed[link].buffers > 0)
      buffer_give_back(link);
}

void cwi_request_buffers_stop(void)
{
  while (spare != NULL) {
    struct cwi_request_buffer *buffer = spare;
    spare = buffer->next;
    free(buffer->data);
    free(buffer);
  }
  free(processes);
  free(owed);
  processes = NULL;
  owed = NULL;
}

/* Forwards batches to other nodes. Each link has a FIFO queue, so that the batches of a process to
 * a node stay in order. Forwarding never blocks: a batch waits in the buffer in which it arrived
 * until there is a credit for its next hop. Several batches for one hop are sent in one message. */
#include "server/forward.h"

#include "base/free_list.h"
#include "base/settings.h"
#include "execution/async_operations.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "machine/copy.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdlib.h>

/* A queue entry: a batch that waits, or several that are adjacent in a buffer. */
struct part {
  struct cwi_request_buffer *buffer;
  char *data;
  size_t bytes;
  struct part *next;
};

struct queue {
  struct part *first, *last;
  bool stalls; /* the first entry has found no credit */
};

/* A message made of copies of several queue entries. */
struct staging {
  struct cwi_free_list spare;
  char data[];
};

static struct queue *queues; /* [links] */
static int waiting;          /* entries in all queues */
static struct cwi_free_list *spare_parts, *spare_staging;

void cwi_forward_start(void)
{
  queues = calloc((size_t)cwi_links.count + 1, sizeof *queues);
  if (queues == NULL)
    cwi_abort("the server has no memory for its queues", 1);
}

void cwi_forward_stop(void)
{
  CWI_ASSERT(waiting == 0);
  free(queues);
  queues = NULL;
  cwi_free_list_free(&spare_parts);
  cwi_free_list_free(&spare_staging);
}

static struct part *forward_take_part(void)
{
  struct part *part = cwi_free_list_take(&spare_parts, sizeof *part);
  if (part == NULL)
    cwi_abort("the server has no memory to forward a request", 1);
  return part;
}

static void free_part(struct part *part)
{
  cwi_request_buffer_release(part->buffer);
  cwi_free_list_give(&spare_parts, part);
}

static struct part *remove_first(struct queue *queue)
{
  struct part *part = queue->first;
  queue->first = part->next;
  waiting--;
  return part;
}

void cwi_forward(struct cwi_request_buffer *buffer, struct cwi_request_batch *batch)
{
  struct queue *queue = &queues[cwi_links.towards[batch->node]];
  struct part *last = queue->first != NULL ? queue->last : NULL;
  batch->forwards++;
  batch->flags &= ~(uint32_t)CWI_BATCH_RETURN; /* the flag was addressed to this server */
  /* Adjacent batches share one queue entry. */
  if (last != NULL && last->buffer == buffer && last->data + last->bytes == (char *)batch) {
    last->bytes += batch->bytes;
    return;
  }
  struct part *part = forward_take_part();
  *part = (struct part){.buffer = buffer, .data = (char *)batch, .bytes = batch->bytes};
  buffer->parts++;
  if (last != NULL)
    last->next = part;
  else
    queue->first = part;
  queue->last = part;
  waiting++;
  if ((uint64_t)waiting > cwi_links.board->use.most_waiting)
    cwi_links.board->use.most_waiting = (uint64_t)waiting;
}

static void part_sent(void *context, const MPI_Status *status)
{
  (void)status;
  free_part(context);
}

static void staging_sent(void *context, const MPI_Status *status)
{
  (void)status;
  cwi_free_list_give(&spare_staging, context);
}

static void forward_send_data(int link, void *data, size_t bytes, cwi_async_end end, void *context)
{
  MPI_Request request = MPI_REQUEST_NULL;
  const int server = cwi_world.server_of[cwi_links.neighbours[link]];
  cwi_server_must(CWI_MPI(MPI_Isend(data, (int)bytes, MPI_BYTE, server, CWI_TAG_REQUEST,
                                    cwi_world.all_comm, &request)));
  cwi_async_add(request, end, context);
}

static struct staging *take_staging(void)
{
  return cwi_free_list_take(&spare_staging,
                            sizeof(struct staging) + (size_t)cwi_settings.server_buffer);
}

/* Copies as many queue entries as fit into one message, and sends it. The buffers in which they
 * arrived are free at once. */
static void send_several(int link, struct staging *staging)
{
  struct queue *queue = &queues[link];
  size_t bytes = 0;
  while (queue->first != NULL &&
         bytes + queue->first->bytes <= (size_t)cwi_settings.server_buffer) {
    struct part *part = remove_first(queue);
    cwi_copy(staging->data + bytes, part->data, part->bytes);
    bytes += part->bytes;
    free_part(part);
  }
  forward_send_data(link, staging->data, bytes, staging_sent, staging);
}

/* Sends the first queue entry. If more than one fits into a message and there is memory for the
 * copy, sends several. */
static void send_next(int link)
{
  struct queue *queue = &queues[link];
  const struct part *second = queue->first->next;
  const bool fits =
      second != NULL && queue->first->bytes + second->bytes <= (size_t)cwi_settings.server_buffer;
  struct staging *staging = fits ? take_staging() : NULL;
  if (staging != NULL) {
    send_several(link, staging);
    return;
  }
  struct part *part = remove_first(queue);
  forward_send_data(link, part->data, part->bytes, part_sent, part);
}

bool cwi_forward_progress(void)
{
  bool busy = false;
  for (int link = 0; waiting > 0 && link < cwi_links.count; link++) {
    struct queue *queue = &queues[link];
    while (queue->first != NULL && cwi_credit_take(link, CWI_CREDIT_SERVER)) {
      queue->stalls = false;
      send_next(link);
      busy = true;
    }
    if (queue->first != NULL && !queue->stalls) {
      queue->stalls = true;
      cwi_links.board->use.stalls++;
    }
  }
  return busy;
}

bool cwi_forward_copy(int link, const void *message, size_t bytes)
{
  struct staging *staging = take_staging();
  if (staging == NULL)
    return false;
  memcpy(staging->data, message, bytes);
  forward_send_data(link, staging->data, bytes, staging_sent, staging);
  return true;
}

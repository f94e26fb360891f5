/* Long contiguous puts and gets: the data goes in a message of its own, straight between the
 * origin's buffer and the region. The server executes other requests meanwhile, so that what must
 * follow such a transfer waits for it here. */
#include "route/remote/bulk.h"

#include "base/settings.h"
#include "base/spare.h"
#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "route/remote/ask.h"
#include "route/remote/request.h"
#include "route/remote/updates.h"
#include "team/world.h"

/* MPI counts are int; and each piece is to arrive within CW_SERVER_TIMEOUT. */
static const size_t MOST_BYTES = (size_t)1 << 26;

enum { MOST_BULKS = 16 };

struct bulk {
  struct cwi_pending pending; /* if somebody may wait for local completion */
  struct bulk *next;          /* those whose answer has not come, oldest first */
  unsigned long number;       /* in the order in which they started */
  int process;
  uintptr_t begin, end; /* of the target's memory */
  bool put;
  struct cwi_arrival data;  /* put: my data has left */
  struct cwi_arrival reply; /* put: the answer; get: the data */
  size_t bytes;
  uint32_t tag;
  bool done;
  bool refused;   /* a get */
  int references; /* the list's, the handle's, and those of threads that wait */
  struct cwi_answer answer;
};

/* The bookkeeping lock guards these. Who waits lets go of it. */
static struct bulk *oldest;
static int outstanding;
static unsigned long started;
static struct cwi_spare *spare;

static void release_bulk(struct bulk *bulk)
{
  if (--bulk->references == 0)
    cwi_spare_give(&spare, bulk);
}

void cwi_bulks_stop(void)
{
  cwi_spare_free(&spare);
}

static void unlist(const struct bulk *bulk)
{
  struct bulk **link = &oldest;
  while (*link != bulk)
    link = &(*link)->next;
  *link = bulk->next;
  outstanding--;
}

static void append(struct bulk *bulk)
{
  struct bulk **link = &oldest;
  while (*link != NULL)
    link = &(*link)->next;
  *link = bulk;
  outstanding++;
}

/* The answer, or the data of a get, is here. Several threads may have waited: the first does the
 * rest. */
static cw_error arrived(struct bulk *bulk)
{
  int bytes = 0;
  if (bulk->done)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Get_count(&bulk->reply.status, MPI_BYTE, &bytes)));
  bulk->refused = !bulk->put && (size_t)bytes != bulk->bytes;
  bulk->done = true;
  /* A refused put: the next fence is told. */
  if (bulk->put && bulk->answer.value != 0)
    cwi_updates_add(cwi_world.node_of[bulk->process]);
  cwi_tag_give(bulk->tag);
  unlist(bulk);
  release_bulk(bulk);
  return CW_OK;
}

/* Its owner is told, not who happens to find it. */
static cw_error outcome(const struct bulk *bulk)
{
  if (CWI_LIKELY(!bulk->done || !bulk->refused))
    return CW_OK;
  cwi_threads_unlock();
  const cw_error error = cwi_ask_refusal(cwi_world.node_of[bulk->process]);
  cwi_threads_lock();
  return error;
}

/* Others go on meanwhile, and may find that it has arrived. */
static cw_error wait_for(struct bulk *bulk, struct cwi_arrival *arrival)
{
  struct cwi_await await = cwi_await(cwi_world.node_of[bulk->process]);
  cwi_threads_unlock();
  const cw_error error = cwi_await_arrival(arrival, &await);
  cwi_threads_lock();
  return error;
}

static cw_error finish(struct bulk *bulk)
{
  if (bulk->done)
    return CW_OK;
  if (bulk->put)
    CWI_TRY(wait_for(bulk, &bulk->data));
  CWI_TRY(wait_for(bulk, &bulk->reply));
  return arrived(bulk);
}

/* Of one that is in the list. */
static cw_error wait_done(struct bulk *bulk)
{
  bulk->references++;
  const cw_error error = finish(bulk);
  release_bulk(bulk);
  return error;
}

static cw_error wait_local(struct bulk *bulk)
{
  if (bulk->put)
    return wait_for(bulk, &bulk->data);
  CWI_TRY(finish(bulk));
  return outcome(bulk);
}

static cw_error look(struct bulk *bulk, bool *complete)
{
  *complete = bulk->done;
  if (bulk->put)
    return cwi_arrival_look(&bulk->data, complete);
  if (!bulk->done) {
    CWI_TRY(cwi_arrival_look(&bulk->reply, complete));
    if (*complete)
      CWI_TRY(arrived(bulk));
  }
  return outcome(bulk);
}

static cw_error complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct bulk *bulk = (struct bulk *)pending;
  *done = true;
  return wait ? wait_local(bulk) : look(bulk, done);
}

static void release(struct cwi_pending *pending)
{
  release_bulk((struct bulk *)pending);
}

/* --- Start ------------------------------------------------------------------------------------ */

bool cwi_is_bulk(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  return transfer->operation != CW_ACCUMULATE && shape->vectors == NULL && shape->levels == 0 &&
         shape->bytes >= (size_t)cwi_settings.server_bulk;
}

static cw_error send_request(const struct bulk *bulk, const struct cwi_plane *piece)
{
  const int node = cwi_world.node_of[bulk->process];
  struct cwi_packet *packet = NULL;
  struct cwi_request request =
      cwi_request_for(bulk->put ? CWI_WIRE_PUT : CWI_WIRE_GET, bulk->process, piece);
  request.flags = CWI_WIRE_BULK;
  request.tag = bulk->tag;
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, &request);
  packet->request = NULL;
  return cwi_outbox_push(node);
}

static cw_error start(struct bulk *bulk, const struct cwi_plane *piece)
{
  const int server = cwi_world.server_of[cwi_world.node_of[bulk->process]];
  CWI_TRY(cwi_tag_take(&bulk->tag));
  if (bulk->put)
    CWI_TRY(CWI_MPI(MPI_Irecv(&bulk->answer, sizeof bulk->answer, MPI_BYTE, server, (int)bulk->tag,
                              cwi_world.all_comm, &bulk->reply.request)));
  else
    CWI_TRY(CWI_MPI(MPI_Irecv(piece->local, (int)bulk->bytes, MPI_BYTE, server, (int)bulk->tag,
                              cwi_world.all_comm, &bulk->reply.request)));
  CWI_TRY(send_request(bulk, piece));
  if (bulk->put)
    CWI_TRY(CWI_MPI(MPI_Isend(piece->local, (int)bulk->bytes, MPI_BYTE, server, (int)bulk->tag + 1,
                              cwi_world.all_comm, &bulk->data.request)));
  append(bulk);
  return CW_OK;
}

static struct bulk *make_bulk(const struct cwi_transfer *transfer, const struct cwi_plane *piece)
{
  struct bulk *bulk = cwi_spare_take(&spare, sizeof *bulk);
  if (bulk == NULL)
    return NULL;
  *bulk = (struct bulk){.references = 1};
  bulk->pending =
      (struct cwi_pending){.process = transfer->process, .complete = complete, .release = release};
  bulk->process = transfer->process;
  bulk->begin = (uintptr_t)piece->remote;
  bulk->end = bulk->begin + piece->run;
  bulk->put = transfer->operation == CW_PUT;
  bulk->data = bulk->reply = cwi_arrival(MPI_REQUEST_NULL);
  bulk->number = ++started;
  bulk->bytes = piece->run;
  return bulk;
}

static cw_error run_piece(const struct cwi_transfer *transfer, const struct cwi_plane *piece,
                          bool blocking, cw_handle *handle)
{
  while (outstanding >= MOST_BULKS)
    CWI_TRY(wait_done(oldest));
  struct bulk *bulk = make_bulk(transfer, piece);
  if (bulk == NULL)
    return cwi_outside("no memory for a transfer");
  cw_error error = start(bulk, piece);
  if (error != CW_OK) {
    if (bulk->reply.request == MPI_REQUEST_NULL)
      release_bulk(bulk); /* else MPI may still write the answer there */
    return error;
  }
  bulk->references++;
  if (!blocking && cwi_handle_attach(handle, &bulk->pending) == CW_OK)
    return CW_OK;
  error = wait_local(bulk);
  release_bulk(bulk);
  return error;
}

cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  struct cwi_cutter cutter = cwi_cutter(&transfer->shape, 1);
  struct cwi_plane piece;
  while (cwi_cut_more(&cutter)) {
    cwi_cut(&cutter, MOST_BYTES, &piece);
    CWI_TRY(run_piece(transfer, &piece, blocking, handle));
  }
  return CW_OK;
}

/* --- Order ------------------------------------------------------------------------------------ */

cw_error cwi_bulk_order(int process, uintptr_t begin, uintptr_t end, bool reads)
{
  struct bulk *bulk = oldest;
  while (bulk != NULL) {
    const bool conflict =
        bulk->process == process && begin < bulk->end && bulk->begin < end && (bulk->put || !reads);
    if (conflict)
      CWI_TRY(wait_done(bulk));
    bulk = conflict ? oldest : bulk->next;
  }
  return CW_OK;
}

/* Not those that other threads start meanwhile. */
cw_error cwi_bulk_fence(int node)
{
  const unsigned long last = started;
  struct bulk *bulk = oldest;
  while (bulk != NULL && bulk->number <= last) {
    const bool wanted = bulk->put && (node < 0 || cwi_world.node_of[bulk->process] == node);
    if (wanted)
      CWI_TRY(wait_done(bulk));
    bulk = wanted ? oldest : bulk->next;
  }
  return CW_OK;
}

/* Long transfers of rows: the data goes in a message of its own. Where it is contiguous, that is
 * straight from or to the memory of the program; else it is packed, on either side. The server
 * executes other requests meanwhile, so that what must follow such a transfer waits for it here. */
#include "route/remote/bulk.h"
#include "base/rows.h"

#include "base/settings.h"
#include "base/spare.h"
#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "mpi/origin.h"
#include "number/kernels.h"
#include "route/remote/ask.h"
#include "route/remote/request.h"
#include "route/remote/updates.h"
#include "team/world.h"
#include "transfer/cut.h"

#include <stdio.h>
#include <stdlib.h>

/* MPI counts are int; and each piece is to arrive within CW_SERVER_TIMEOUT. Pieces that are packed
 * are smaller: one is packed while another one travels, and a server that copies answers nobody. */
static const size_t MOST_BYTES = (size_t)1 << 26, MOST_PACKED = (size_t)1 << 19;

enum { MOST_BULKS = 16 };

struct bulk {
  struct cwi_pending pending; /* if somebody may wait for local completion */
  struct bulk *next;          /* those whose answer has not come, oldest first */
  struct bulk *before;        /* in the same call */
  unsigned long number;       /* in the order in which they started */
  int process;
  cw_operation operation;
  struct cwi_footprint footprint; /* of the target's memory */
  struct cwi_plane piece;
  char *packed;             /* the data, where the program's is not contiguous */
  struct cwi_arrival data;  /* update: my data has left */
  struct cwi_arrival reply; /* update: the answer; get: the data */
  size_t bytes;
  uint32_t tag;
  bool done;
  bool refused;   /* a get */
  int references; /* the list's, the handle's, and those of threads that wait */
  struct cwi_answer answer;
};

/* Of each origin; its lock guards this. A thread lets go of it while it waits. */
static struct book {
  struct bulk *oldest CWI_OF_ORIGIN;
  int outstanding;
  unsigned long started;
  struct cwi_spare *spare;
} books[CWI_ORIGINS];

static struct book *book(void)
{
  return &books[cwi_origin];
}

static bool updates(const struct bulk *bulk)
{
  return bulk->operation != CW_GET;
}

static void drop_packed(struct bulk *bulk)
{
  free(bulk->packed);
  bulk->packed = NULL;
}

static void release_bulk(struct bulk *bulk)
{
  if (--bulk->references > 0)
    return;
  drop_packed(bulk);
  cwi_spare_give(&book()->spare, bulk);
}

void cwi_bulks_stop(void)
{
  cwi_spare_free(&book()->spare);
}

static void unlist(const struct bulk *bulk)
{
  struct bulk **link = &book()->oldest;
  while (*link != bulk)
    link = &(*link)->next;
  *link = bulk->next;
  book()->outstanding--;
}

static void append(struct bulk *bulk)
{
  struct bulk **link = &book()->oldest;
  while (*link != NULL)
    link = &(*link)->next;
  *link = bulk;
  book()->outstanding++;
}

static void pack(const struct bulk *bulk)
{
  const struct cwi_plane *piece = &bulk->piece;
  if (bulk->packed != NULL)
    cwi_copy_rows(bulk->packed, (ptrdiff_t)piece->run, piece->local, piece->local_stride,
                  piece->run, piece->rows);
}

static void unpack(const struct bulk *bulk)
{
  const struct cwi_plane *piece = &bulk->piece;
  if (bulk->packed != NULL)
    cwi_copy_rows(piece->local, piece->local_stride, bulk->packed, (ptrdiff_t)piece->run,
                  piece->run, piece->rows);
}

/* The answer, or the data of a get, is here. Several threads may have waited: the first does the
 * rest. */
static cw_error arrived(struct bulk *bulk)
{
  int bytes = 0;
  if (bulk->done)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Get_count(&bulk->reply.status, MPI_BYTE, &bytes)));
  bulk->refused = !updates(bulk) && (size_t)bytes != bulk->bytes;
  if (CWI_UNLIKELY(bulk->refused))
    CWI_TRY(cwi_refusal_receive(cwi_world.node_of[bulk->process], bulk->tag, &bulk->answer));
  bulk->done = true;
  if (!updates(bulk) && !bulk->refused)
    unpack(bulk);
  drop_packed(bulk); /* its owner may wait for it much later */
  /* A refused update: fences are told, whoever finds this. */
  if (updates(bulk) && bulk->answer.value != 0)
    cwi_updates_reopen(cwi_world.node_of[bulk->process]);
  cwi_tag_give(bulk->tag);
  unlist(bulk);
  release_bulk(bulk);
  return CW_OK;
}

/* Its owner is told, not the thread that happens to find it. */
static cw_error outcome(const struct bulk *bulk)
{
  return CWI_LIKELY(!bulk->done || !bulk->refused)
             ? CW_OK
             : cwi_answer_judge(cwi_world.node_of[bulk->process], &bulk->answer);
}

static cw_error wait_for(const struct bulk *bulk, struct cwi_arrival *arrival)
{
  return cwi_await_unlocked(arrival, cwi_world.node_of[bulk->process]);
}

static cw_error finish(struct bulk *bulk)
{
  if (bulk->done)
    return CW_OK;
  if (updates(bulk))
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
  if (updates(bulk))
    return wait_for(bulk, &bulk->data);
  CWI_TRY(finish(bulk));
  return outcome(bulk);
}

static cw_error look(struct bulk *bulk, bool *complete)
{
  *complete = bulk->done;
  if (updates(bulk))
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

/* All planes of a shape are alike. */
bool cwi_is_bulk(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  const size_t rows = shape->levels > 0 ? shape->counts[0] : 1;
  return shape->vectors == NULL && shape->run * rows >= (size_t)cwi_settings.server_bulk;
}

static int server_of(const struct bulk *bulk)
{
  return cwi_world.server_of[cwi_world.node_of[bulk->process]];
}

static cw_error send_request(const struct bulk *bulk, const struct cwi_transfer *transfer)
{
  const int node = cwi_world.node_of[bulk->process];
  struct cwi_packet *packet = NULL;
  struct cwi_request request = cwi_request_for(transfer, &bulk->piece);
  request.flags = (uint8_t)((request.flags & ~CWI_WIRE_LIST) | CWI_WIRE_BULK);
  request.tag = bulk->tag;
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, &request);
  packet->request = NULL;
  return cwi_outbox_push(node);
}

static char *data_of(const struct bulk *bulk)
{
  return bulk->packed != NULL ? bulk->packed : bulk->piece.local;
}

static cw_error expect_reply(struct bulk *bulk)
{
  void *to = updates(bulk) ? (void *)&bulk->answer : data_of(bulk);
  const size_t bytes = updates(bulk) ? sizeof bulk->answer : bulk->bytes;
  return CWI_MPI(MPI_Irecv(to, (int)bytes, MPI_BYTE, server_of(bulk), (int)bulk->tag,
                           cwi_world.all_comm, &bulk->reply.request));
}

static cw_error ask(struct bulk *bulk, const struct cwi_transfer *transfer)
{
  CWI_TRY(cwi_tag_take(&bulk->tag));
  cw_error error = expect_reply(bulk);
  if (error == CW_OK)
    error = send_request(bulk, transfer);
  if (error == CW_OK)
    return CW_OK;
  cwi_mpi_drop(&bulk->reply.request);
  cwi_tag_give(bulk->tag);
  return error;
}

/* The target's server waits for the data. If MPI refuses that, an empty message ends the wait, and
 * the region stays as it was. */
static cw_error send_data(struct bulk *bulk)
{
  const int tag = (int)bulk->tag + 1;
  pack(bulk);
  const cw_error error =
      CWI_MPI(MPI_Isend(data_of(bulk), (int)bulk->bytes, MPI_BYTE, server_of(bulk), tag,
                        cwi_world.all_comm, &bulk->data.request));
  if (CWI_UNLIKELY(error != CW_OK) &&
      MPI_Send(NULL, 0, MPI_BYTE, server_of(bulk), tag, cwi_world.all_comm) != MPI_SUCCESS) {
    char sentence[400];
    snprintf(sentence, sizeof sentence,
             "the target of a long transfer waits for data that cannot leave: %s", cwi_sentence());
    cwi_abort(sentence, 1);
  }
  return error;
}

/* If it cannot be asked for, nothing of it is left. */
static cw_error start(struct bulk *bulk, const struct cwi_transfer *transfer)
{
  const cw_error error = ask(bulk, transfer);
  if (error != CW_OK) {
    release_bulk(bulk);
    return error;
  }
  append(bulk);
  if (!updates(bulk))
    return CW_OK;
  cwi_updates_mine(cwi_world.node_of[bulk->process]);
  return send_data(bulk);
}

static struct bulk *make_bulk(const struct cwi_transfer *transfer, const struct cwi_plane *piece)
{
  const size_t bytes = piece->run * piece->rows;
  const bool packs = piece->rows > 1 && piece->local_stride != (ptrdiff_t)piece->run;
  char *packed = packs ? malloc(bytes) : NULL;
  struct bulk *bulk = packs && packed == NULL ? NULL : cwi_spare_take(&book()->spare, sizeof *bulk);
  if (bulk == NULL) {
    free(packed);
    return NULL;
  }
  *bulk = (struct bulk){.references = 1,
                        .number = ++book()->started,
                        .process = transfer->process,
                        .operation = transfer->operation,
                        .footprint = cwi_footprint_of_plane(piece),
                        .piece = *piece,
                        .packed = packed,
                        .bytes = bytes};
  bulk->pending =
      (struct cwi_pending){.process = transfer->process, .complete = complete, .release = release};
  bulk->data = bulk->reply = cwi_arrival(MPI_REQUEST_NULL);
  return bulk;
}

/* *mine: those that this call has started, the last one first. */
static cw_error start_piece(const struct cwi_transfer *transfer, const struct cwi_plane *piece,
                            struct bulk **mine)
{
  while (book()->outstanding >= MOST_BULKS)
    CWI_TRY(wait_done(book()->oldest));
  struct bulk *bulk = make_bulk(transfer, piece);
  if (bulk == NULL)
    return cwi_outside("no memory for a transfer");
  CWI_TRY(start(bulk, transfer));
  bulk->references++;
  bulk->before = *mine;
  *mine = bulk;
  return CW_OK;
}

/* After an error, too: the program's memory is in use. The first error counts. */
static cw_error wait_pieces(struct bulk *mine, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  while (mine != NULL) {
    struct bulk *before = mine->before;
    cwi_first_note(&first, wait_local(mine));
    release_bulk(mine);
    mine = before;
  }
  return cwi_first_return(&first);
}

/* Those that cannot be attached are waited for. */
static cw_error attach_pieces(struct bulk *mine, cw_handle *handle)
{
  while (mine != NULL) {
    struct bulk *before = mine->before;
    if (cwi_handle_attach(handle, &mine->pending) != CW_OK)
      return wait_pieces(mine, CW_OK);
    mine = before;
  }
  return CW_OK;
}

/* Rows that are packed on either side go in pieces of nearly the same size. A server that adds, or
 * reaches memory that a handle names, has the data of a piece in memory. */
static size_t piece_bytes(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  const size_t most_rows = MOST_PACKED / shape->run;
  const bool held = transfer->operation == CW_ACCUMULATE || transfer->place.memory != NULL;
  const size_t most_of_row = held ? MOST_PACKED : MOST_BYTES;
  if (shape->levels == 0 || most_rows == 0)
    return shape->run < most_of_row ? shape->run : most_of_row;
  const size_t pieces = (shape->counts[0] + most_rows - 1) / most_rows;
  return shape->run * ((shape->counts[0] + pieces - 1) / pieces);
}

cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  const size_t most = piece_bytes(transfer);
  struct cwi_cutter cutter = cwi_cutter(&transfer->shape, atom);
  struct cwi_plane piece;
  struct bulk *mine = NULL;
  cw_error error = CW_OK;
  while (error == CW_OK && cwi_cut_more(&cutter)) {
    cwi_cut(&cutter, most, &piece);
    error = start_piece(transfer, &piece, &mine);
  }
  return blocking || error != CW_OK ? wait_pieces(mine, error) : attach_pieces(mine, handle);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* Gets may overtake gets, accumulates accumulates. */
static bool must_follow(const struct bulk *bulk, int process, const struct cwi_footprint *footprint,
                        cw_operation operation)
{
  return bulk->process == process && cwi_footprints_meet(&bulk->footprint, footprint) &&
         (operation == CW_PUT || operation != bulk->operation);
}

cw_error cwi_bulk_order(int process, const struct cwi_footprint *footprint, cw_operation operation)
{
  struct bulk *bulk = book()->oldest;
  while (bulk != NULL) {
    const bool conflict = must_follow(bulk, process, footprint, operation);
    if (conflict)
      CWI_TRY(wait_done(bulk));
    bulk = conflict ? book()->oldest : bulk->next;
  }
  return CW_OK;
}

cw_error cwi_bulk_order_run(int process, const void *remote, size_t bytes, cw_operation operation)
{
  const struct cwi_footprint footprint = cwi_footprint_of_run(remote, bytes);
  return cwi_bulk_order(process, &footprint, operation);
}

/* Wait for the updates of a process, or of a node, -1: of all; gets: for gets, too. Those that
 * other threads start meanwhile are not waited for. */
static cw_error await_some(int process, int node, bool gets)
{
  const unsigned long last = book()->started;
  struct bulk *bulk = book()->oldest;
  while (bulk != NULL && bulk->number <= last) {
    const bool wanted = (gets || updates(bulk)) && (process < 0 || bulk->process == process) &&
                        (node < 0 || cwi_world.node_of[bulk->process] == node);
    if (wanted)
      CWI_TRY(wait_done(bulk));
    bulk = wanted ? book()->oldest : bulk->next;
  }
  return CW_OK;
}

cw_error cwi_bulk_arrived(int process)
{
  return await_some(process, -1, false);
}

cw_error cwi_bulk_settle(int process)
{
  return await_some(process, -1, true);
}

unsigned long cwi_bulk_count(void)
{
  return book()->started;
}

/* Its data has left before its answer comes: but MPI has to be asked. */
static cw_error look_answer(struct bulk *bulk, bool *come)
{
  CWI_TRY(cwi_arrival_look(&bulk->data, come));
  if (*come)
    CWI_TRY(cwi_arrival_look(&bulk->reply, come));
  return *come ? arrived(bulk) : CW_OK;
}

cw_error cwi_bulk_come(int process, unsigned long count, bool wait, bool *come)
{
  struct bulk *bulk = book()->oldest;
  *come = true;
  while (bulk != NULL && bulk->number <= count && *come) {
    const bool wanted = bulk->process == process && updates(bulk);
    if (wanted)
      CWI_TRY(wait ? wait_done(bulk) : look_answer(bulk, come));
    bulk = wanted ? book()->oldest : bulk->next;
  }
  return CW_OK;
}

cw_error cwi_bulk_fence(int node)
{
  return await_some(-1, node, false);
}

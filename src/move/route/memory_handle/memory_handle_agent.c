/* Copies private memory by the agent of its owner. */
#include "route/memory_handle/memory_handle_agent.h"

#include "base/file_write.h"
#include "machine/copy.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 64 };

/* A request to an agent: pieces of its memory, whose bytes follow each other in the buffer. */
struct order {
  uint32_t write; /* 1 if bytes go from the buffer to the memory */
  uint32_t pieces;
  struct {
    uint64_t address, bytes;
  } piece[PIECES];
};
_Static_assert(sizeof(struct order) <= CWI_AGENT_BODY, "it fits");

/* --- The agent -------------------------------------------------------------------------------- */

/* A memory file through which the kernel copies. Memory that is not mapped then causes an error
 * instead of a signal. */
static int scratch = -1;

/* Copies through the file. Returns 0 or errno: EFAULT if the memory is not mapped. */
static int move_piece(char *memory, char *buffer, size_t bytes, bool write)
{
  const int code = cwi_write_at(scratch, write ? buffer : memory, bytes, 0);
  if (code != 0)
    return code;
  return pread(scratch, write ? memory : buffer, bytes, 0) == (ssize_t)bytes ? 0 : EFAULT;
}

/* Executes a request, in the agent's thread. */
static cw_error carry_out(void *body, char *buffer, struct cwi_agent_later *later)
{
  const struct order *order = body;
  (void)later; /* the request ends before this returns */
  for (uint32_t i = 0; i < order->pieces; i++) {
    const size_t bytes = order->piece[i].bytes;
    char *memory = (char *)(uintptr_t)order->piece[i].address; /* NOLINT */
    const int code = move_piece(memory, buffer, bytes, order->write != 0);
    if (code == EFAULT)
      return cwi_misuse("%zu bytes at %p are not mapped", bytes, (void *)memory);
    if (code != 0)
      return cwi_outside("%zu bytes at %p cannot be copied: %s", bytes, (void *)memory,
                         cwi_system_error(code));
    buffer += bytes;
  }
  return CW_OK;
}

void cwi_memory_handle_agent_close(void)
{
  if (scratch >= 0)
    close(scratch);
  scratch = -1;
}

cw_error cwi_memory_handle_agent_open(void)
{
  if (scratch < 0)
    scratch = memfd_create("causeway-agent", MFD_CLOEXEC);
  if (scratch < 0)
    return cwi_outside("no memory file for the thread that copies memory of handles");
  return cwi_agent_open(CWI_AGENT_MEMORY_HANDLE, carry_out);
}

/* --- Requests --------------------------------------------------------------------------------- */

/* Returns the next part of the pieces, at most `storage` bytes of one piece. */
static struct iovec next_part(struct cwi_pieces_place *place, size_t storage)
{
  const struct iovec *piece = &place->pieces[place->piece];
  const size_t left = piece->iov_len - place->at;
  const struct iovec part = {(char *)piece->iov_base + place->at, left < storage ? left : storage};
  place->at += part.iov_len;
  if (place->at == piece->iov_len) {
    place->piece++;
    place->at = 0;
  }
  return part;
}

/* Copies between the buffer and my pieces. */
static void copy_mine(struct cwi_pieces_place *mine, char *buffer, size_t bytes, bool write)
{
  while (bytes > 0) {
    const struct iovec part = next_part(mine, bytes);
    cwi_copy(write ? buffer : part.iov_base, write ? part.iov_base : buffer, part.iov_len);
    buffer += part.iov_len;
    bytes -= part.iov_len;
  }
}

/* Fills a request with as many pieces as it takes. Returns the number of bytes of these pieces. */
static size_t fill_order(struct order *order, struct cwi_pieces_place *there, size_t count)
{
  size_t bytes = 0;
  order->pieces = 0;
  while (there->piece < count && bytes < CWI_AGENT_BUFFER && order->pieces < PIECES) {
    const struct iovec part = next_part(there, CWI_AGENT_BUFFER - bytes);
    order->piece[order->pieces].address = (uintptr_t)part.iov_base;
    order->piece[order->pieces++].bytes = part.iov_len;
    bytes += part.iov_len;
  }
  return bytes;
}

static void bring_mine(const struct cwi_agent_request *request, void *context)
{
  struct cwi_agent_move *move = context;
  copy_mine(&move->mine, request->buffer, move->bytes, false);
}

void cwi_agent_move_begin(struct cwi_agent_move *move, int process, bool write,
                          const struct iovec *mine, const struct iovec *there, size_t count)
{
  move->process = process;
  move->write = write;
  move->requested = false;
  move->count = count;
  move->mine = (struct cwi_pieces_place){mine, 0, 0};
  move->there = (struct cwi_pieces_place){there, 0, 0};
}

/* Sends the next request to the agent. If all requests of the agent are in use, waits for one if
 * `wait`, else returns false. */
static bool send_request(struct cwi_agent_move *move, bool wait)
{
  if (!cwi_agent_take(move->process, CWI_AGENT_MEMORY_HANDLE, wait, &move->request))
    return false;
  struct order *order = move->request.body;
  move->bytes = fill_order(order, &move->there, move->count);
  order->write = move->write;
  if (move->write)
    copy_mine(&move->mine, move->request.buffer, move->bytes, true);
  cwi_agent_send(&move->request);
  return true;
}

cw_error cwi_agent_move_on(struct cwi_agent_move *move, bool wait, bool *ended)
{
  *ended = false;
  while (move->requested || move->there.piece < move->count) {
    if (!move->requested && !send_request(move, wait))
      return CW_OK;
    move->requested = true;
    if (!wait && !cwi_agent_has_answered(&move->request))
      return CW_OK;
    move->requested = false;
    const cw_error error = cwi_agent_await(&move->request, move->write ? NULL : bring_mine, move);
    *ended = error != CW_OK;
    CWI_TRY(error);
  }
  *ended = true;
  return CW_OK;
}

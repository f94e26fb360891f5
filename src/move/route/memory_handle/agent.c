/* The agent of a process: a thread that copies its memory for peers, and sleeps when nobody asks.
 * It calls no MPI and takes no lock, so that whoever waits for it may hold some. */
#include "route/memory_handle/agent.h"

#include "base/copy.h"
#include "memory/arena.h"
#include "memory/chunk.h"
#include "memory/zone.h"
#include "mpi/call.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAP_NANOSECONDS = 1000000, SLEEP_NANOSECONDS = 100000000, LOOKS = 200 };

/* --- The agent -------------------------------------------------------------------------------- */

/* The kernel copies between memory and this file: what is not mapped is an error then, no signal.
 */
static int scratch = -1;
static pthread_t thread;
static bool runs;

static char *buffer_of(const struct cwi_mailbox *mailbox)
{
  return cwi_address_at(mailbox->buffer);
}

/* Through the file, and through some memory of the agent's own. */
static bool move_piece(char *memory, char *buffer, size_t bytes, bool write)
{
  if (write)
    return pwrite(scratch, buffer, bytes, 0) == (ssize_t)bytes &&
           pread(scratch, memory, bytes, 0) == (ssize_t)bytes;
  return pwrite(scratch, memory, bytes, 0) == (ssize_t)bytes &&
         pread(scratch, buffer, bytes, 0) == (ssize_t)bytes;
}

static void agent_serve(struct cwi_mailbox *mailbox)
{
  char *buffer = buffer_of(mailbox);
  bool moved = true;
  for (uint32_t i = 0; i < mailbox->pieces && moved; i++) {
    const size_t bytes = mailbox->piece[i].bytes;
    char *memory = (char *)(uintptr_t)mailbox->piece[i].address; /* NOLINT */
    moved = move_piece(memory, buffer, bytes, mailbox->write != 0);
    buffer += bytes;
  }
  mailbox->refused = !moved;
}

static void *agent_run(void *given)
{
  struct cwi_mailbox *mailbox = given;
  uint32_t seen = 0;
  while (__atomic_load_n(&mailbox->stop, __ATOMIC_ACQUIRE) == 0) {
    for (int looks = 0; looks < LOOKS && cwi_signal_value(&mailbox->asked) == seen; looks++)
      cwi_pause();
    if (cwi_signal_value(&mailbox->asked) == seen) {
      cwi_signal_nap(&mailbox->asked, seen, SLEEP_NANOSECONDS);
      continue;
    }
    seen++;
    if (__atomic_load_n(&mailbox->stop, __ATOMIC_ACQUIRE) == 0)
      agent_serve(mailbox);
    cwi_signal_advance(&mailbox->answered);
  }
  return NULL;
}

/* Signals are the program's. */
static int start_thread(struct cwi_mailbox *mailbox)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int code = pthread_create(&thread, NULL, agent_run, mailbox);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

cw_error cwi_agent_start(struct cwi_mailbox *mailbox)
{
  if (runs)
    return CW_OK;
  if (scratch < 0)
    scratch = memfd_create("causeway-agent", MFD_CLOEXEC);
  if (scratch < 0)
    return cwi_outside("no memory file for the thread that copies memory of handles");
  if (mailbox->buffer == 0) {
    const char *buffer = cwi_heap_allocate(&cwi_zone.internal, CWI_MAIL_BYTES, 0);
    if (buffer == NULL)
      return CW_OUTSIDE;
    mailbox->buffer = cwi_offset_of(buffer);
  }
  const int code = start_thread(mailbox);
  if (code != 0)
    return cwi_outside("no thread to copy memory of handles for peers: %s", strerror(code));
  runs = true;
  __atomic_store_n(&mailbox->is_open, 1, __ATOMIC_RELEASE);
  return CW_OK;
}

void cwi_agent_stop(struct cwi_mailbox *mailbox)
{
  if (runs) {
    __atomic_store_n(&mailbox->stop, 1, __ATOMIC_RELEASE);
    cwi_signal_advance(&mailbox->asked);
    pthread_join(thread, NULL);
  }
  runs = false;
  if (scratch >= 0)
    close(scratch);
  scratch = -1;
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* Whoever serves does not serve meanwhile: what it would execute may need this agent. */
static void await_answer(struct cwi_mailbox *mailbox, uint32_t before)
{
  struct cwi_wait wait = {.sleeps = true};
  while (cwi_signal_value(&mailbox->answered) == before) {
    if (cwi_wait_aside(&wait))
      continue;
    cwi_signal_nap(&mailbox->answered, before, NAP_NANOSECONDS);
    cwi_zone_watch_peers();
    cwi_mpi_progress(); /* MPI may know of a death that we cannot see */
  }
}

static void agent_ask(struct cwi_mailbox *mailbox)
{
  const uint32_t before = cwi_signal_value(&mailbox->answered);
  cwi_signal_advance(&mailbox->asked);
  await_answer(mailbox, before);
}

/* Where a list of pieces has been read up to. */
struct agent_place {
  const struct iovec *pieces;
  size_t piece, at;
};

/* Move between the buffer and my pieces. */
static void agent_copy_mine(struct agent_place *mine, char *buffer, size_t bytes, bool write)
{
  while (bytes > 0) {
    const struct iovec *piece = &mine->pieces[mine->piece];
    const size_t left = piece->iov_len - mine->at, part = left < bytes ? left : bytes;
    char *address = (char *)piece->iov_base + mine->at;
    cwi_copy(write ? buffer : address, write ? address : buffer, part);
    buffer += part;
    bytes -= part;
    mine->at += part;
    if (mine->at == piece->iov_len) {
      mine->piece++;
      mine->at = 0;
    }
  }
}

/* As much as a request takes; returns its bytes. */
static size_t agent_fill(struct cwi_mailbox *mailbox, struct agent_place *there, size_t count)
{
  size_t bytes = 0;
  mailbox->pieces = 0;
  while (there->piece < count && bytes < CWI_MAIL_BYTES && mailbox->pieces < CWI_MAIL_PIECES) {
    const struct iovec *piece = &there->pieces[there->piece];
    const size_t left = piece->iov_len - there->at, room = CWI_MAIL_BYTES - bytes;
    const size_t part = left < room ? left : room;
    mailbox->piece[mailbox->pieces].address = (uintptr_t)piece->iov_base + there->at;
    mailbox->piece[mailbox->pieces++].bytes = part;
    bytes += part;
    there->at += part;
    if (there->at == piece->iov_len) {
      there->piece++;
      there->at = 0;
    }
  }
  return bytes;
}

bool cwi_agent_move(struct cwi_mailbox *mailbox, bool write, const struct iovec *mine,
                    const struct iovec *there, size_t count)
{
  struct agent_place from = {mine, 0, 0}, to = {there, 0, 0};
  bool moved = true;
  while (moved && to.piece < count) {
    cwi_lock(&mailbox->lock);
    char *buffer = buffer_of(mailbox);
    const size_t bytes = agent_fill(mailbox, &to, count);
    mailbox->write = write;
    if (write)
      agent_copy_mine(&from, buffer, bytes, true);
    agent_ask(mailbox);
    moved = mailbox->refused == 0;
    if (moved && !write)
      agent_copy_mine(&from, buffer, bytes, false);
    cwi_unlock(&mailbox->lock);
  }
  return moved;
}

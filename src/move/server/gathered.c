/* Sending for processes that may be computing: what they left in packets goes when their pipe is
 * empty. */
#include "server/gathered.h"

#include "link/gather.h"
#include "link/links.h"
#include "memory/chunk.h"
#include "mpi/call.h"
#include "server/async.h"
#include "server/forward.h"
#include "team/world.h"

#include <stdlib.h>

/* Something waits on the link, and there was no credit for it. */
static bool *starved; /* [links] */

void cwi_gathered_start(void)
{
  starved = calloc((size_t)cwi_links.count + 1, sizeof *starved);
  if (starved == NULL)
    cwi_abort("the server has no memory for its links", 1);
}

void cwi_gathered_stop(void)
{
  free(starved);
  starved = NULL;
}

static bool send_copy(const struct cwi_tray *tray, int link)
{
  if (!cwi_credit_take(link, CWI_CREDIT_PROCESS))
    return false;
  const bool sent = cwi_forward_copy(link, cwi_address_at(tray->data), tray->bytes);
  if (!sent) {
    cwi_credit_give(link, 1);
    cwi_links_returned(); /* a process may have found none meanwhile */
  }
  return sent;
}

/* The process has seen the pipe full after it offered the packet, or it takes the packet back: what
 * is not offered here is its own business. */
static bool send_tray(struct cwi_tray *tray, struct cwi_pipe *pipe, int link)
{
  if (__atomic_load_n(&tray->state, __ATOMIC_SEQ_CST) != CWI_TRAY_OFFERED ||
      __atomic_load_n(&tray->link, __ATOMIC_RELAXED) != link ||
      !cwi_tray_take(tray, CWI_TRAY_TAKEN))
    return false;
  /* the process may have filled it for another link since */
  const bool mine = tray->link == link && cwi_pipe_is_empty(pipe);
  const bool sent = mine && send_copy(tray, link);
  if (sent)
    cwi_pipe_fill(pipe, true);
  starved[link] = starved[link] || (mine && !sent);
  __atomic_store_n(&tray->state, sent ? CWI_TRAY_SENT : CWI_TRAY_OFFERED, __ATOMIC_SEQ_CST);
  return sent;
}

static bool send_for(int index, int link)
{
  struct cwi_tray *trays = cwi_trays(index);
  struct cwi_pipe *pipe = cwi_pipe(index, link);
  bool sent = false;
  if (cwi_pipe_is_empty(pipe))
    for (int i = 0; i < CWI_TRAYS; i++)
      sent = send_tray(&trays[i], pipe, link) || sent;
  return sent;
}

bool cwi_gathered_returned(int link, const struct cwi_credit *credit)
{
  bool sent = false;
  if (cwi_trays(0) == NULL)
    return false;
  for (uint32_t i = 0; i < credit->buffers; i++) {
    const int index = cwi_node_index(credit->process[i]);
    if (index >= 0 && cwi_pipe_drain(cwi_pipe(index, link)))
      sent = send_for(index, link) || sent;
  }
  if (!starved[link])
    return sent;
  starved[link] = false;
  for (int index = 0; index < cwi_world.node_processes; index++)
    sent = send_for(index, link) || sent;
  return sent;
}

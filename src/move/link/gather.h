/* What the processes of a node and its server share so that updates travel together.
 *
 * A pipe is what a process has sent to a neighbour. While some of it has not been given back, the
 * process leaves its next updates in a packet in shared memory. When the last message comes back,
 * the server sends that packet, if the process has not done it by then: it may be computing.
 *
 * MPI keeps the messages of one sender in order, not those of a process and its server. So a packet
 * changes hands only while the pipe is empty: the server sends only into an empty pipe, and after
 * it has sent, the process waits until the pipe is empty again. */
#ifndef CWI_LINK_GATHER_H
#define CWI_LINK_GATHER_H

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Packets of a process. */
enum { CWI_TRAYS = 8 };

/* The process offers a packet, and takes it back before it does anything with it. The server
 * copies what it takes, and leaves the rest to the process. */
enum cwi_tray_state { CWI_TRAY_MINE, CWI_TRAY_OFFERED, CWI_TRAY_TAKEN, CWI_TRAY_SENT };

struct cwi_tray {
  uint32_t state; /* enum cwi_tray_state */
  int32_t link;
  uint64_t bytes;
  uint64_t data; /* offset in the zone */
  uint64_t padding[5];
};

struct cwi_pipe {
  uint32_t on_way;    /* messages of the process that the neighbour has not given back */
  uint32_t by_server; /* the server has sent the last one */
};

/* Collective over the node, its server rank included. Without memory, or with CW_GATHER=0, nothing
 * is gathered: there are no pipes. */
CWI_CHECKED cw_error cwi_gather_start(void);
void cwi_gather_stop(void);

/* Of a process of my node, by its index there. NULL: nothing is gathered; or the index is -1. */
struct cwi_pipe *cwi_pipe(int index, int link);
struct cwi_tray *cwi_trays(int index);

static inline bool cwi_pipe_is_empty(const struct cwi_pipe *pipe)
{
  return __atomic_load_n(&pipe->on_way, __ATOMIC_SEQ_CST) == 0;
}

/* A message goes into the pipe. */
static inline void cwi_pipe_fill(struct cwi_pipe *pipe, bool by_server)
{
  __atomic_store_n(&pipe->by_server, by_server, __ATOMIC_RELAXED);
  __atomic_fetch_add(&pipe->on_way, 1, __ATOMIC_SEQ_CST);
}

/* One has come back; true: it was the last. */
static inline bool cwi_pipe_drain(struct cwi_pipe *pipe)
{
  return __atomic_fetch_sub(&pipe->on_way, 1, __ATOMIC_SEQ_CST) == 1;
}

/* Offer a packet to the server. Look at the pipe afterwards: if it is empty, the server may have
 * looked before. */
void cwi_tray_offer(struct cwi_tray *tray, int link, uint64_t bytes);

/* Take it, for either; false: the other has it. */
bool cwi_tray_take(struct cwi_tray *tray, enum cwi_tray_state as);

static inline bool cwi_tray_is_sent(const struct cwi_tray *tray)
{
  return __atomic_load_n(&tray->state, __ATOMIC_ACQUIRE) == CWI_TRAY_SENT;
}

/* Has any process of the node offered a packet? For a server that may sleep. */
bool cwi_trays_offered(void);

#ifdef __cplusplus
}
#endif
#endif

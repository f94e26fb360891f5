/* Agents: where the kernel does not let processes of a node copy each other's memory, a thread of
 * the owner does, through a buffer that both see. */
#ifndef CWI_ROUTE_MEMORY_HANDLE_AGENT_H
#define CWI_ROUTE_MEMORY_HANDLE_AGENT_H

#include "base/check.h"
#include "base/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_MAIL_PIECES = 64, CWI_MAIL_BYTES = 1 << 16 };

/* What is asked of the agent of a process, in shared memory. */
struct cwi_mailbox {
  uint32_t lock;    /* one request at a time */
  uint32_t offered; /* its owner has looked whether it needs an agent */
  uint32_t is_open; /* the agent runs */
  struct cwi_signal asked, answered;
  uint64_t buffer; /* offset in the zone: CWI_MAIL_BYTES bytes */
  uint32_t write;  /* 1: from the buffer to the memory */
  uint32_t refused;
  uint32_t stop;
  uint32_t pieces;
  struct {
    uint64_t address, bytes;
  } piece[CWI_MAIL_PIECES];
};

/* Start mine, if it does not run. */
CWI_CHECKED cw_error cwi_agent_start(struct cwi_mailbox *mailbox);
void cwi_agent_stop(struct cwi_mailbox *mailbox);

/* Have an agent move these bytes: `count` pieces of its memory, and as many of mine. False: some
 * are not mapped there. */
bool cwi_agent_move(struct cwi_mailbox *mailbox, bool write, const struct iovec *mine,
                    const struct iovec *there, size_t count);

#ifdef __cplusplus
}
#endif
#endif

/* Where the kernel does not let processes of a node copy each other's memory, the owner's agent
 * does (region/agent.h). */
#ifndef CWI_ROUTE_MEMORY_HANDLE_MEMORY_HANDLE_AGENT_H
#define CWI_ROUTE_MEMORY_HANDLE_MEMORY_HANDLE_AGENT_H

#include "base/error.h"
#include "region/agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Have an agent that copies memory of mine. close: when all agents have stopped. */
CWI_CHECKED cw_error cwi_memory_handle_agent_open(void);
void cwi_memory_handle_agent_close(void);

/* Where a list of pieces has been read up to. */
struct cwi_pieces_place {
  const struct iovec *pieces;
  size_t piece, at;
};

/* Bytes that the agent of a process, which is open, moves: `count` pieces of its memory, and as
 * many of mine. The lists stay in use until the end. */
struct cwi_agent_move {
  int process;
  bool write;
  bool requested; /* a request is under way, for so many bytes */
  size_t bytes, count;
  struct cwi_pieces_place mine, there;
  struct cwi_agent_request request;
};
void cwi_agent_move_begin(struct cwi_agent_move *move, int process, bool write,
                          const struct iovec *mine, const struct iovec *there, size_t count);

/* Go on; *ended: all is done, which is so after an error, too. wait: until then. Errors: CW_MISUSE:
 * some are not mapped there. */
CWI_CHECKED cw_error cwi_agent_move_on(struct cwi_agent_move *move, bool wait, bool *ended);
#endif

/* Copies between processes of a node by the owner's agent (region/agent.h). Used where the kernel
 * does not let processes access each other's memory. */
#pragma once

#include "base/error.h"
#include "region/agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Starts an agent that copies memory of mine. Close is called when all agents have stopped. */
CWI_CHECKED cw_error cwi_memory_handle_agent_open(void);
void cwi_memory_handle_agent_close(void);

/* A position in a list of pieces. */
struct cwi_pieces_place {
  const struct iovec *pieces;
  size_t piece, at;
};

/* A copy between `count` pieces of a process's memory and as many pieces of mine, by that process's
 * agent. The agent must be open. The lists of pieces must stay valid until the copy has ended. */
struct cwi_agent_move {
  int process;
  bool write;
  bool requested; /* a request of `bytes` bytes is in progress */
  size_t bytes, count;
  struct cwi_pieces_place mine, there;
  struct cwi_agent_request request;
};
void cwi_agent_move_begin(struct cwi_agent_move *move, int process, bool write,
                          const struct iovec *mine, const struct iovec *there, size_t count);

/* Continues a copy. If `wait`, waits for its end. Sets *ended to true if the copy has ended, with
 * or without an error, else to false. Errors: CW_MISUSE if some bytes are not mapped at the
 * owner. */
CWI_CHECKED cw_error cwi_agent_move_on(struct cwi_agent_move *move, bool wait, bool *ended);

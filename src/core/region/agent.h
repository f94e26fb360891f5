/* Agents: a thread of a process works for other processes of its node on memory that only its own
 * process can access.
 *
 * Requests lie in a short ring in the zone. Each has a body, whose format the module that serves it
 * defines, and a buffer for data. Requests begin in the order in which their places were taken. The
 * agent calls no MPI function and takes no lock of a process that waits for it, so a requester may
 * hold locks. It sleeps while there are no requests, and exists only in processes that have
 * something to serve. A process has one agent for devices and one for private memory. The agent for
 * devices waits for them. The one for private memory never waits, so a server may wait for it. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_AGENT_BODY = 2048, CWI_AGENT_REQUESTS = 4, CWI_AGENT_BUFFER = 1 << 19 };

/* Servers borrow larger buffers from an agent. With larger pieces, a transfer makes several threads
 * wait less often. A sender of such pieces has at most CWI_AGENT_BUFFERS_AT_ONCE in flight, so that
 * two senders find buffers. */
enum { CWI_AGENT_BUFFER_LONG = 1 << 21, CWI_AGENT_BUFFERS_AT_ONCE = 4 };

/* Kinds of requests that an agent may serve. */
enum cwi_agent_kind {
  CWI_AGENT_DEVICE,
  CWI_AGENT_DEVICE_SLICES,
  CWI_AGENT_MEMORY_HANDLE,
  CWI_AGENT_KINDS
};

/* A request that is being filled in or is in progress. */
struct cwi_agent_request {
  void *body;   /* CWI_AGENT_BODY bytes in the zone, aligned to 16 */
  char *buffer; /* CWI_AGENT_BUFFER bytes in the zone, aligned to pages */
  struct cwi_agent_place *place;
  uint32_t phase;
  int process; /* of the agent */
};

/* The completion of a request that an agent has begun. The agent calls `end` after it has begun the
 * next request. The structure is not moved. */
enum { CWI_AGENT_LATER = 128 };
struct cwi_agent_later {
  cw_error (*end)(struct cwi_agent_later *later); /* NULL if the request is complete */
  unsigned char storage[CWI_AGENT_LATER] __attribute__((aligned(16))); /* state for `end` */
};

/* Serves a request in the owner's agent, or begins to serve it and sets later->end. Errors are
 * returned to the requester with their message. After an error later->end must be NULL. */
typedef cw_error (*cwi_agent_serve)(void *body, char *buffer, struct cwi_agent_later *later);

/* Makes an agent serve `kind` until the next stop. Starts the agent unless it already runs. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_agent_open(enum cwi_agent_kind kind, cwi_agent_serve serve);

/* Returns the memory through which data passes to and from my agent for devices, in whole pages:
 * the buffers of its requests, and those that it lends. An entry has 0 bytes if there is none. */
enum { CWI_AGENT_MEMORIES = 2 };
struct cwi_agent_memory {
  void *memory;
  size_t bytes;
};
void cwi_agent_memories(struct cwi_agent_memory memories[CWI_AGENT_MEMORIES]);

/* Returns true if this thread is an agent. Agents call no MPI function. */
bool cwi_is_agent(void);

/* Ends my agents. Called when Causeway stops and no more requests come. */
void cwi_agent_stop(void);

/* Returns true if the process, which is of my node, has an agent that serves `kind`. */
bool cwi_agent_is_open(int process, enum cwi_agent_kind kind);

/* cwi_agent_buffer_take borrows a buffer of CWI_AGENT_BUFFER_LONG bytes, which the agent of
 * `process` reads and fills in place. It is for servers and takes no lock. It returns NULL if none
 * is free. cwi_agent_buffer_give returns the buffer to its agent. It returns false for memory
 * outside the zone, which the caller frees itself. */
void *cwi_agent_buffer_take(int process);
bool cwi_agent_buffer_give(void *memory);

/* Takes a place for a request to an agent that is open. The caller then fills in body and buffer,
 * calls cwi_agent_send, and awaits the answer, which frees the place. If `wait` is true, waits
 * until a place is free. A caller that holds a place must not wait, because its own place may be
 * the one that has to become free. If `wait` is false, returns false if no place is free. */
bool cwi_agent_take(int process, enum cwi_agent_kind kind, bool wait,
                    struct cwi_agent_request *request);
void cwi_agent_send(const struct cwi_agent_request *request);

/* Returns true if the request has been answered. Then cwi_agent_await does not wait. */
bool cwi_agent_has_answered(const struct cwi_agent_request *request);

/* Waits for the answer and frees the place. If the request did not fail and `read` is not NULL,
 * calls `read` before it frees the place. */
CWI_CHECKED cw_error cwi_agent_await(const struct cwi_agent_request *request,
                                     void (*read)(const struct cwi_agent_request *request,
                                                  void *context),
                                     void *context);

/* Several requests, one after the other, for a server, which must not wait. It is the first member
 * of a structure of the module that makes the requests. */
struct cwi_agent_operation {
  /* Continues until it would have to wait for an agent. Returns true if the operation has ended. */
  bool (*advance)(struct cwi_agent_operation *agent_operation);

  /* Returns the result of an operation that has ended, and frees it. */
  cw_error (*end)(struct cwi_agent_operation *agent_operation);
};

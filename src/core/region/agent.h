/* Agents: a thread of a process acts for others of its node on what only its own process reaches.
 *
 * What is asked of it stands in a short ring in the zone: a body in the words of the storage that
 * serves it, and a buffer for data. Requests begin in the order in which they were taken. The
 * agent calls no MPI and takes no lock of whoever waits for it, so that he may hold some. It sleeps
 * when nobody asks, and exists only in processes that have something to serve: one for devices,
 * which waits for them, and one for private memory, which waits for nobody. So a server may wait
 * for the second one. */
#ifndef CWI_REGION_AGENT_H
#define CWI_REGION_AGENT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_AGENT_BODY = 2048, CWI_AGENT_REQUESTS = 4, CWI_AGENT_BUFFER = 1 << 19 };

/* What servers borrow of an agent is longer: each piece costs several threads a wait. Who sends
 * pieces of this length has no more than so many under way, so that two such find storage. */
enum { CWI_AGENT_BUFFER_LONG = 1 << 21, CWI_AGENT_BUFFERS_AT_ONCE = 4 };

/* What an agent may serve. */
enum cwi_agent_kind {
  CWI_AGENT_DEVICE,
  CWI_AGENT_DEVICE_SLICES,
  CWI_AGENT_MEMORY_HANDLE,
  CWI_AGENT_KINDS
};

/* A request in the making, or under way. */
struct cwi_agent_request {
  void *body;   /* CWI_AGENT_BODY bytes, in the zone, aligned to 16 */
  char *buffer; /* CWI_AGENT_BUFFER bytes, in the zone, aligned to pages */
  struct cwi_agent_place *place;
  uint32_t phase;
};

/* The end of a request that is under way: the agent begins the next one before it waits for this.
 * It stays where it is. */
enum { CWI_AGENT_LATER = 128 };
struct cwi_agent_later {
  cw_error (*end)(struct cwi_agent_later *later);                      /* NULL: it has ended */
  unsigned char storage[CWI_AGENT_LATER] __attribute__((aligned(16))); /* for `end` */
};

/* Serves a request, in the owner's agent, or begins that. Errors are told to whoever asked, with
 * their sentence; after an error there is no later. */
typedef cw_error (*cwi_agent_serve)(void *body, char *buffer, struct cwi_agent_later *later);

/* Have an agent that serves this, from now on until the next stop. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_agent_open(enum cwi_agent_kind kind, cwi_agent_serve serve);

/* The memory through which data passes to my agent of devices and from it, whole pages: its
 * requests' buffers, and what it lends. 0 bytes: it has none. */
enum { CWI_AGENT_MEMORIES = 2 };
struct cwi_agent_memory {
  void *memory;
  size_t bytes;
};
void cwi_agent_memories(struct cwi_agent_memory memories[CWI_AGENT_MEMORIES]);

/* Is this thread an agent? Then it calls no MPI. */
bool cwi_is_agent(void);

/* When Causeway stops, and nobody asks any more: the end of mine, if there is one. */
void cwi_agent_stop(void);

/* Has the process, of my node, an agent that serves this? */
bool cwi_agent_is_open(int process, enum cwi_agent_kind kind);

/* A buffer of CWI_AGENT_BUFFER_LONG bytes that the agent of a process reads and fills in its place,
 * for a server, which takes no lock. NULL: none is free. give_back: to any agent; false: it is no
 * buffer of an agent's. */
void *cwi_agent_buffer_take(int process);
bool cwi_agent_buffer_give(void *memory);

/* The place of a request to an agent that is open. Then fill in body and buffer, send, and await
 * the answer, which gives the place back. wait: until one is free, for those who hold none: it may
 * be their own that is to become free. False: none is. */
bool cwi_agent_take(int process, enum cwi_agent_kind kind, bool wait,
                    struct cwi_agent_request *request);
void cwi_agent_send(const struct cwi_agent_request *request);

/* Has it been answered? Then awaiting the answer takes no time. */
bool cwi_agent_has_answered(const struct cwi_agent_request *request);

/* read: called before the place is given back, if the request did not fail; or NULL. */
CWI_CHECKED cw_error cwi_agent_await(const struct cwi_agent_request *request,
                                     void (*read)(const struct cwi_agent_request *request,
                                                  void *context),
                                     void *context);

/* What several requests do, one after the other, for somebody who must not wait: a server. It is
 * the first member of what the storage that asks needs to know. */
struct cwi_agent_operation {
  /* Go on as far as no agent has to be waited for. True: it has ended. */
  bool (*advance)(struct cwi_agent_operation *agent_operation);

  /* Of one that has ended: what came of it. It is no more. */
  cw_error (*end)(struct cwi_agent_operation *agent_operation);
};
#endif

/* Request buffers of the server, and what it has served. */
#ifndef CWI_EXECUTION_REQUEST_BUFFER_H
#define CWI_EXECUTION_REQUEST_BUFFER_H

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* A received message. Its buffer is free, and its credit goes back, when all parts are. */
struct cwi_request_buffer {
  char *data;
  int link;    /* where it came from */
  int process; /* that sent it, or for which its server did; -1: it was forwarded, or a question */
  unsigned parts; /* that are still to be sent on; plus one while it is being read */
  struct cwi_request_buffer *next;
};

void cwi_request_buffers_start(void);
void cwi_request_buffers_stop(void);

struct cwi_request_buffer *cwi_request_buffer_take(void);
void cwi_request_buffer_free(struct cwi_request_buffer *buffer);

/* A message has come by a link; `first` is its first parcel, or NULL. */
void cwi_request_buffer_fill(struct cwi_request_buffer *buffer, int link,
                             const struct cwi_request_batch *first);

/* One part is done with. */
void cwi_request_buffer_release(struct cwi_request_buffer *buffer);

/* Give back now what is owed to the links; what senders have asked for (CWI_BATCH_RETURN). */
void cwi_request_buffers_settle(void);
void cwi_request_buffers_return(void);

/* Is there anything that they have asked for? */
bool cwi_request_buffers_owe(void);

/* Since the start. */
struct cwi_served {
  uint64_t messages; /* taken in */
  uint64_t credits;  /* messages that gave some back */
  uint64_t buffers;  /* request buffers made */
};
struct cwi_served cwi_served(void);
#endif

/* Request buffers of the server, and what it has served. */
#ifndef CWI_EXECUTION_REQUEST_BUFFER_H
#define CWI_EXECUTION_REQUEST_BUFFER_H

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* A received message. When all its parts have been released, the buffer is free and its credit goes
 * back. */
struct cwi_request_buffer {
  char *data;
  int link;    /* link by which it came */
  int process; /* process that sent it, or for which its server did; -1 if it was forwarded or comes
                  from a thread's origin; CWI_CREDIT_ANSWER if it is a liveness query */
  unsigned
      parts; /* parts still to be sent on or executed; plus one while the message is being read */
  struct cwi_request_buffer *next;
};

/* Make the records of owed credits; free them and all spare buffers. */
void cwi_request_buffers_start(void);
void cwi_request_buffers_stop(void);

/* Take a buffer to receive a message, and make it free without a credit. Without memory the job
 * ends. */
struct cwi_request_buffer *cwi_request_buffer_take(void);
void cwi_request_buffer_free(struct cwi_request_buffer *buffer);

/* Notes that a message has come by a link; `first` is its first batch, or NULL if it is malformed.
 */
void cwi_request_buffer_fill(struct cwi_request_buffer *buffer, int link,
                             const struct cwi_request_batch *first);

/* Releases one part of a message. */
void cwi_request_buffer_release(struct cwi_request_buffer *buffer);

/* Give back all credits that are owed; only those that senders want soon (CWI_BATCH_RETURN). */
void cwi_request_buffers_settle(void);
void cwi_request_buffers_return(void);

/* Returns true if senders want credits back soon. */
bool cwi_request_buffers_owe(void);

/* Statistics since the start. */
struct cwi_served {
  uint64_t messages; /* messages received */
  uint64_t credits;  /* messages that gave credits back */
  uint64_t buffers;  /* request buffers allocated */
};
struct cwi_served cwi_served(void);
#endif

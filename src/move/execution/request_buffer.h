/* Request buffers of the server, and statistics about the messages that it has received. */
#pragma once

#include "link/wire_format.h"

#include <stdbool.h>
#include <stdint.h>

/* A received message. When all its parts have been released, the buffer is free and its credit is
 * returned to the sender. */
struct cwi_request_buffer {
  char *data;
  int link;    /* link by which the message arrived */
  int process; /* process that sent the message, or for which its server sent it; -1 if the message
                  was forwarded or comes from a thread's origin; CWI_CREDIT_ANSWER if it is a
                  liveness query */
  unsigned parts; /* number of parts still to be forwarded or executed, plus one while the message
                     is being read */
  struct cwi_request_buffer *next;
};

/* Allocate the records of credits to be returned; free them and all spare buffers. */
void cwi_request_buffers_start(void);
void cwi_request_buffers_stop(void);

/* cwi_request_buffer_take returns a buffer in which to receive a message, and ends the job if there
 * is no memory. cwi_request_buffer_free makes a buffer free without returning a credit. */
struct cwi_request_buffer *cwi_request_buffer_take(void);
void cwi_request_buffer_free(struct cwi_request_buffer *buffer);

/* Records that a message has arrived in the buffer by a link. `first` is the message's first batch,
 * or NULL if it is malformed. */
void cwi_request_buffer_fill(struct cwi_request_buffer *buffer, int link,
                             const struct cwi_request_batch *first);

/* Releases one part of a message. The last release makes the buffer free. */
void cwi_request_buffer_release(struct cwi_request_buffer *buffer);

/* cwi_request_buffers_settle returns the credits of all free buffers. cwi_request_buffers_return
 * returns those that senders want back soon (CWI_BATCH_RETURN). */
void cwi_request_buffers_settle(void);
void cwi_request_buffers_return(void);

/* Returns true if senders want credits back soon. */
bool cwi_request_buffers_owe(void);

/* Statistics since the start. */
struct cwi_served {
  uint64_t messages; /* messages received */
  uint64_t credits;  /* credit messages sent */
  uint64_t buffers;  /* request buffers allocated */
};
struct cwi_served cwi_served(void);

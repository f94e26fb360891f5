/* The origin's messages to servers: open packets that collect requests, one for each link.
 *
 * Updates are locally complete once they are in a packet. After two consecutive messages with
 * updates to a neighbour, further updates wait in the packet until the neighbour has returned the
 * earlier messages. Then this process or the server of its node sends the packet
 * (link/shared_packet.h). A full packet is sent at once, and a query is sent together with the
 * requests in the open packet. */
#pragma once

#include "base/error.h"
#include "link/wire_format.h"

#include <mpi.h>
#include <stdbool.h>

struct cwi_fetch;
struct cwi_shared_packet;

/* A packet of an origin: open, in flight, or free. */
struct cwi_packet {
  char *data; /* CW_SERVER_BUFFER bytes */
  size_t used;
  int link;                        /* -1 if the packet is free or on its way */
  struct cwi_request_batch *batch; /* batch that is being filled */
  struct cwi_request *request;     /* last request, if entries may be added to it; or NULL */
  struct cwi_fetch *fetch;         /* gets that are being collected; or NULL */
  /* Finishes `fetch` before the packet is sent. Set by the owner of `fetch`. */
  void (*close)(struct cwi_packet *packet);
  /* Called if MPI fails to send the packet. NULL if no request in it has an answer. */
  void (*lose)(const struct cwi_packet *packet);
  unsigned long opened;
  struct cwi_shared_packet
      *shared_packet; /* its state in shared memory, or NULL if the server cannot see the packet */
  bool due;           /* has updates that should leave as soon as possible */
  bool offered;       /* the server may send the packet, so take it back before use */
  uint64_t updates;   /* number of updates in the packet, for the statistics */
  MPI_Request sending;
  int towards; /* node to which it was sent */
};

/* Make and free the outbox of the current origin. Before it frees the packets, cwi_outbox_stop
 * waits until MPI has sent them. */
CWI_CHECKED cw_error cwi_outbox_start(void);
CWI_CHECKED cw_error cwi_outbox_stop(void);

/* Returns the open packet towards a node, with space for a request and `bytes` bytes after it. A
 * packet with less space is sent first. */
CWI_CHECKED cw_error cwi_outbox_open(int node, size_t bytes, struct cwi_packet **packet);

/* Returns the number of bytes that fit after one more request. */
size_t cwi_packet_space(const struct cwi_packet *packet);

/* Appends a request and reserves space for its data after it. Returns the request in the packet.
 */
struct cwi_request *cwi_packet_append(struct cwi_packet *packet, int node,
                                      const struct cwi_request *request);

/* Extends the last request by one entry of its list. Returns the address of the entry. */
char *cwi_packet_grow(struct cwi_packet *packet, size_t bytes);

/* Sends the open packet towards a node. The caller next waits for an answer to it. MPI progresses
 * during that wait, and the answer shows that everything sent before has arrived. After an error,
 * nothing of the packet has been sent or will be sent. */
CWI_CHECKED cw_error cwi_outbox_push(int node);

/* The calls below return when MPI needs no further calls of this process to deliver what was sent,
 * so their callers may compute next. A transfer that fills packets ends with one of these calls, or
 * with the wait for an answer.
 *
 * cwi_outbox_send sends the open packet towards a node. cwi_outbox_send_all sends all open
 * packets. */
CWI_CHECKED cw_error cwi_outbox_send(int node);
CWI_CHECKED cw_error cwi_outbox_send_all(void);

/* Let updates leave, at once or together with later ones. cwi_outbox_release does so for the open
 * packet towards a node if `due` is true, or was true in an earlier call for that packet.
 * cwi_outbox_release_all does so for all open packets. */
CWI_CHECKED cw_error cwi_outbox_release(int node, bool due);
CWI_CHECKED cw_error cwi_outbox_release_all(void);

/* The origin's messages to servers: open packets that collect requests, one for each link.
 *
 * Updates are locally complete once they are in a packet. After two messages with updates in a row
 * to a neighbour, further ones wait in the packet while the neighbour has not given back what was
 * sent before; then this process sends them, or the server of its node (link/shared_packet.h). A
 * full packet leaves at once, and every question takes along what is there. */
#ifndef CWI_ROUTE_SERVER_OUTBOX_H
#define CWI_ROUTE_SERVER_OUTBOX_H

#include "base/error.h"
#include "link/wire_format.h"

#include <mpi.h>
#include <stdbool.h>

struct cwi_fetch;
struct cwi_shared_packet;

struct cwi_packet {
  char *data; /* CW_SERVER_BUFFER bytes */
  size_t used;
  int link;                        /* -1: the packet is free or on its way */
  struct cwi_request_batch *batch; /* the one being filled */
  struct cwi_request *request;     /* the last one, if it may grow; or NULL */
  struct cwi_fetch *fetch;         /* the gets that are being collected; or NULL */
  /* The owner of `fetch` finishes that before the packet goes, */
  void (*close)(struct cwi_packet *packet);
  /* and hears if MPI refuses to send it. NULL: the packet asks for nothing. */
  void (*lose)(const struct cwi_packet *packet);
  unsigned long opened;
  struct cwi_shared_packet
      *shared_packet; /* what the server knows of it; NULL: nothing, the memory is private */
  bool due;           /* holds updates that are to leave as soon as they may */
  bool offered;       /* to the server: take it back first */
  uint64_t updates;   /* in it, for the statistics */
  MPI_Request sending;
  int towards; /* the node that it was sent to */
};

CWI_CHECKED cw_error cwi_outbox_start(void);
CWI_CHECKED cw_error cwi_outbox_stop(void);

/* The open packet towards a node, with room for a request and `bytes` behind it. A packet with less
 * room is sent before. */
CWI_CHECKED cw_error cwi_outbox_open(int node, size_t bytes, struct cwi_packet **packet);

/* Bytes that fit behind one more request to the node. */
size_t cwi_packet_space(const struct cwi_packet *packet);

/* Append a request, and room for its data. */
struct cwi_request *cwi_packet_append(struct cwi_packet *packet, int node,
                                      const struct cwi_request *request);

/* Make the last request longer by one entry of its list; returns where. */
char *cwi_packet_grow(struct cwi_packet *packet, size_t bytes);

/* Send what is open towards a node. The caller waits for an answer to it next: MPI progresses
 * meanwhile, and the answer tells that all that went there before has arrived. After an error
 * nothing of the packet has been sent, and nothing will be. */
CWI_CHECKED cw_error cwi_outbox_push(int node);

/* All others return when MPI needs nothing more of me to deliver what was sent: their callers may
 * leave and compute. A transfer that fills packets ends with one of these, or with an answer.
 *
 * Send what is open towards a node; towards all. */
CWI_CHECKED cw_error cwi_outbox_send(int node);
CWI_CHECKED cw_error cwi_outbox_send_all(void);

/* Let what is open towards a node leave, alone or with company, if it is `due` or has been before.
 * Let leave what is open towards any. */
CWI_CHECKED cw_error cwi_outbox_release(int node, bool due);
CWI_CHECKED cw_error cwi_outbox_release_all(void);
#endif

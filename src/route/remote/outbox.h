/* The origin's messages to servers: open packets that collect requests, one for each link. */
#ifndef CWI_ROUTE_REMOTE_OUTBOX_H
#define CWI_ROUTE_REMOTE_OUTBOX_H

#include "base/check.h"
#include "link/wire.h"

#include <mpi.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_fetch;

struct cwi_packet {
  char *data; /* CW_SERVER_BUFFER bytes */
  size_t used;
  int link;                    /* -1: the packet is free or on its way */
  struct cwi_parcel *parcel;   /* the one being filled */
  struct cwi_request *request; /* the last one, if it may grow; or NULL */
  struct cwi_fetch *fetch;     /* the gets that are being collected; or NULL */
  /* Who collects in `fetch` finishes that before the packet goes. */
  cw_error (*close)(struct cwi_packet *packet);
  unsigned long opened;
  MPI_Request sending;
  int towards; /* the node that it was sent to */
};

CWI_CHECKED cw_error cwi_outbox_start(void);
CWI_CHECKED cw_error cwi_outbox_stop(void);

/* The open packet towards a node, with room for a request and `bytes` behind it. A packet with less
 * room is sent before. */
CWI_CHECKED cw_error cwi_outbox_open(int node, size_t bytes, struct cwi_packet **packet);

/* Bytes that fit behind one more request to the node. */
size_t cwi_packet_room(const struct cwi_packet *packet);

/* Append a request, and room for its data. */
struct cwi_request *cwi_packet_append(struct cwi_packet *packet, int node,
                                      const struct cwi_request *request);

/* Make the last request longer by one entry of its list; returns where. */
char *cwi_packet_grow(struct cwi_packet *packet, size_t bytes);

/* Send what is open towards a node; towards all. */
CWI_CHECKED cw_error cwi_outbox_push(int node);
CWI_CHECKED cw_error cwi_outbox_push_all(void);

/* Wait until MPI needs nothing more of me to deliver what was sent. The server takes messages in
 * order: one that cannot arrive while I compute would hold up all others. */
CWI_CHECKED cw_error cwi_outbox_settle(void);

#ifdef __cplusplus
}
#endif
#endif

/* State that both ends of a message share. (wire_format.h has the format.)
 *
 * link.c           this node's neighbours and the credits for them
 * reply_tags.c     the tags of replies
 * server_wait.c    waiting for a server
 * shared_packet.c  packets in shared memory, between a process and its node's server
 * topology.c       which nodes are neighbours, and the route to the others
 * A credit is the right to send one message to a neighbour's server, which has a buffer for that
 * message. The credits of a node are in memory that its processes and its server share. A sender
 * takes a credit. When the neighbour's buffer is free again, the neighbour returns the credit to
 * the sender's node. Processes leave the last credit of a link to their server: it forwards
 * messages for other nodes, which could otherwise wait for ever. */
#pragma once

#include "base/error.h"
#include "link/topology.h"
#include "wait/lock.h"

#include <stdbool.h>
#include <stdint.h>

/* Statistics of the node's server since the start. Several threads may run the server, but only one
 * at a time. */
struct cwi_server_use {
  uint64_t messages, bytes;    /* received */
  uint64_t requests, forwards; /* batches in those messages: executed here; forwarded */
  uint64_t most_waiting; /* largest number of batches that waited to be forwarded at one time */
  uint64_t stalls; /* number of times that a batch began to wait for a credit of the next server */
  uint64_t sleeps; /* number of times that the server's thread or rank slept */
  uint64_t asleep, processor; /* nanoseconds asleep; nanoseconds on a core, as of the last update */
  uint64_t busy, longest; /* nanoseconds in all passes that did something; in the longest one; only
                             with CW_PROFILE */
  uint64_t padding[5];
};

/* State that the processes of a node and its server share. */
struct cwi_link_board {
  struct cwi_signal doorbell; /* the server sleeps on it */
  uint32_t stop;              /* all processes of the world have finished */
  uint32_t yields_to_process; /* the server sleeps because a process serves in its place */
  uint32_t liveness_wanted;   /* a wait has lasted long: the server should check that its neighbours
                                 are alive */
  uint32_t queries_open;      /* the server has queried its neighbours, and not all have answered */
  uint32_t queries_closed;    /* if set, the server must not send further queries */
  struct cwi_signal returned; /* advances when a message returns: a credit is free, or an in-flight
                                 count has decreased */
  uint32_t padding[7];
  struct cwi_server_use use;
  struct {
    uint32_t credits;
    uint32_t padding[15];
  } links[];
};

/* The links of this node; all fields are set by cwi_links_start. */
struct cwi_links {
  const struct cwi_topology *topology;
  int count;
  int *neighbours; /* [count] nodes */
  int *towards;    /* [nodes] the link through which a node is reached; -1 for this node */
  struct cwi_link_board *board;
};
extern struct cwi_links cwi_links;

/* Wakes a server that sleeps because a process serves in its place. Used for work that must not
 * wait for that process. */
void cwi_server_wake(void);

/* Creates the links. Collective over all processes, including server ranks. */
CWI_CHECKED cw_error cwi_links_start(void);
void cwi_links_stop(void);

/* Users of credits. The value is the number of credits that a user must leave. */
enum cwi_credit_user { CWI_CREDIT_SERVER = 0, CWI_CREDIT_PROCESS = 1 };

/* Takes a credit. Returns false if none is left for this kind of user. */
bool cwi_credit_take(int link, enum cwi_credit_user user);
void cwi_credit_give(int link, uint32_t credits);

/* Wakes the threads that wait for a credit, or until no message is in flight. */
void cwi_links_returned(void);

/* Returns true if the server has all credits of the link, which means that no message is in flight
 * to the neighbour. */
bool cwi_credits_complete(int link);

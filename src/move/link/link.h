/* The parts that both ends of a message share. (wire_format.h has the format.)
 *
 * topology.c  which nodes are neighbours, and the way to the others
 * link.c     my node's neighbours and the credits for them
 * shared_packet.c    packets in shared memory, between a process and its node's server
 * reply_tags.c      the tags of replies
 * server_wait.c     waiting for a server
 *
 * A credit is the right to send one message to the neighbour's server, which has a buffer for it.
 * The credits of a node lie in memory that its processes and its server share. A sender takes one;
 * the neighbour gives it back, to my server, when the buffer is free again. Processes leave the
 * last one to the server: it forwards for others, and they could otherwise wait for ever. */
#ifndef CWI_LINK_LINK_H
#define CWI_LINK_LINK_H

#include "base/error.h"
#include "link/topology.h"
#include "wait/lock.h"

#include <stdbool.h>
#include <stdint.h>

/* What the node's server has done since the start, whichever thread did it; one does at a time. */
struct cwi_server_use {
  uint64_t messages, bytes;    /* taken in */
  uint64_t requests, forwards; /* in them: done here, and sent on */
  uint64_t most_waiting;       /* parts that waited to be sent on, at most at once */
  uint64_t stalls;             /* times that some began to wait for room at the next server */
  uint64_t sleeps;             /* of its thread, or rank */
  uint64_t asleep, processor;  /* nanoseconds of that: asleep, and on a core, a moment ago */
  uint64_t busy, longest;      /* nanoseconds of turns that did something, and of the longest; with
                                  CW_PROFILE */
  uint64_t padding[5];
};

/* In the node's shared memory. */
struct cwi_link_board {
  struct cwi_signal doorbell; /* the server sleeps on it */
  uint32_t stop;              /* all processes of the world have finished */
  uint32_t yields_to_process; /* the server sleeps, because a process serves */
  uint32_t liveness_wanted;   /* somebody waits long: do the neighbours live? */
  uint32_t asked_neighbours;  /* the server has asked them, and not heard from all */
  uint32_t queries_closed;    /* it may ask no more */
  struct cwi_signal returned; /* messages have come back: credits, and what pipes hold */
  uint32_t padding[7];
  struct cwi_server_use use;
  struct {
    uint32_t credits;
    uint32_t padding[15];
  } links[];
};

struct cwi_links {
  const struct cwi_topology *topology;
  int count;
  int *neighbours; /* [count] nodes */
  int *towards;    /* [nodes] the link by which a node is reached; -1: mine */
  struct cwi_link_board *board;
};
extern struct cwi_links cwi_links;

/* Wake a server that stands back because a process serves: what it has to do may not wait for that
 * process. */
void cwi_server_wake(void);

/* Collective over the node, its server rank included. */
CWI_CHECKED cw_error cwi_links_start(void);
void cwi_links_stop(void);

enum cwi_credit_user { CWI_CREDIT_SERVER = 0, CWI_CREDIT_PROCESS = 1 };

/* Take a credit; false: none for this kind of user. */
bool cwi_credit_take(int link, enum cwi_credit_user user);
void cwi_credit_give(int link, uint32_t credits);

/* Messages have come back: wake those that wait for that. */
void cwi_links_returned(void);

/* The server has all credits of the link: nothing is on its way there. */
bool cwi_credits_complete(int link);
#endif

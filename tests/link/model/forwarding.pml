/* Credits and forwarding, as src/move/link, src/move/route/server and src/move/server do them, checked with spin:
 * nothing ever waits for ever, and every request is executed once and in the order in which its
 * user sent it to that node.
 *
 * Every step uses something up (a request to send, a hop, a credit on its way; the hops are bounded
 * by an assertion), so that every run ends; and it ends well only where every request has been
 * executed and every credit is home (or kept for the next batch): anything else is an invalid end
 * state.
 *
 * Given: topology.h (written by next_hops from the real topology), CREDITS, USERS of each node,
 * REQUESTS of each user; SENDERS, the nodes that have users, a bit each; FAR: users have only targets
 * that so many forwards are needed for, or more. LEFT: to try another rule. */
#include "topology.h"

#define LINK(from, to) link_number[(from) * NODES + (to)]
#define HOP(from, to) next_hop[(from) * NODES + (to)]
#define LINKED(from, to) (from != to && (from) < NODES && (to) < NODES && LINK(from, to) != NONE)

#define SENDS(node) ((SENDERS >> (node)) & 1)
#define TARGET(from, to) (forwards_to[(from) * NODES + (to)] >= FAR)

/* Users leave so many credits to the server. */
#ifndef LEFT
#define LEFT 1
#endif

#define SERVER USERS /* as a sender; users are 0 .. USERS-1 */
#define ORIGINS (NODES * USERS)
#ifdef ONE_ORIGIN /* wrong: two users of a node have no order among them */
#define ORIGIN(node, user) ((node) * USERS)
#else
#define ORIGIN(node, user) ((node) * USERS + user)
#endif

byte credits[LINKS];   /* in the sending node's shared memory */
byte owed[LINKS];      /* buffers that are free at the other end, and not given back yet */
byte returning[LINKS]; /* credits on their way back to the sending node's server */
#define BATCH (CREDITS / 2)

/* Messages for a node that its server has not taken yet. Those of one sender stay in order, those of
 * several do not (hence ??). */
chan wire[LINKS] = [CREDITS] of {byte /* sender */, byte /* origin */, byte /* target */,
                                 byte /* number */, byte /* forwards */};

/* Messages that wait in their buffer for a credit of the link. */
chan queue[LINKS] = [(NODES - 1) * CREDITS] of {byte /* came by */, byte /* origin */,
                                                byte /* target */, byte /* number */,
                                                byte /* forwards */};

byte sent[ORIGINS * NODES];
byte executed[ORIGINS * NODES];
byte left; /* requests that are not executed */

#define COUNT(array, origin, target) array[(origin) * NODES + (target)]

inline release(by) {
  owed[by]++;
  if
  :: owed[by] >= BATCH -> returning[by] = returning[by] + owed[by]; owed[by] = 0
  :: else
  fi
}

/* The server of `me` takes the first message of one sender on the link: executes it, and then its
 * buffer is free; or queues it in its buffer. */
inline take(by, sender) {
  wire[by] ?? eval(sender), origin, target, number, forwards;
  if
  :: target == me ->
     assert(number == COUNT(executed, origin, target));
     COUNT(executed, origin, target)++;
     left--;
     release(by)
  :: else ->
     assert(forwards < MOST_FORWARDS);
     assert(nfull(queue[LINK(me, HOP(me, target))]));
     queue[LINK(me, HOP(me, target))] ! by, origin, target, number, forwards + 1
  fi;
  origin = 0; target = 0; number = 0; forwards = 0
}

/* The head of a queue goes; the buffer it was in is free. */
inline send_head(to) {
  credits[LINK(me, to)]--;
  queue[LINK(me, to)] ? by, origin, target, number, forwards;
  wire[LINK(me, to)] ! SERVER, origin, target, number, forwards;
  release(by);
  by = 0; origin = 0; target = 0; number = 0; forwards = 0
}

#define CREDIT_FROM(node)                                                                          \
  :: d_step { LINKED(me, node) && returning[LINK(me, node)] > 0 ->                                 \
     returning[LINK(me, node)]--; credits[LINK(me, node)]++ }
#define SEND_TO(node)                                                                              \
  :: d_step { LINKED(me, node) && credits[LINK(me, node)] > 0 && nempty(queue[LINK(me, node)]) ->  \
     send_head(node) }
#define TAKE_FROM(node, sender)                                                                    \
  :: d_step { LINKED(node, me) && wire[LINK(node, me)] ?? [eval(sender), _, _, _, _] ->            \
     take(LINK(node, me), sender) }
#if USERS == 1
#define TAKE(node) TAKE_FROM(node, 0) TAKE_FROM(node, SERVER)
#else
#define TAKE(node) TAKE_FROM(node, 0) TAKE_FROM(node, 1) TAKE_FROM(node, SERVER)
#endif
#define PEER(node) CREDIT_FROM(node) SEND_TO(node) TAKE(node)

proctype server(byte me) {
  byte by, origin, target, number, forwards;
end:
  do
  PEER(0) PEER(1)
#if NODES > 2
  PEER(2)
#endif
#if NODES > 3
  PEER(3)
#endif
#if NODES > 4
  PEER(4)
#endif
#if NODES > 5
  PEER(5)
#endif
#if NODES > 6
#error "the model has at most 6 nodes"
#endif
  od
}

/* Takes a credit for the first hop and sends. Which request it is that waits for a credit is decided
 * when the credit is there: a request that waits holds nothing that others want. */
#define REQUEST(to)                                                                                \
  :: d_step { to < NODES && me != to && TARGET(me, to) &&                                          \
              credits[LINK(me, HOP(me, to))] > LEFT ->                                             \
     credits[LINK(me, HOP(me, to))]--;                                                             \
     wire[LINK(me, HOP(me, to))] ! self, ORIGIN(me, self), to,                                    \
                                   COUNT(sent, ORIGIN(me, self), to), 0;                          \
     COUNT(sent, ORIGIN(me, self), to)++ }

proctype user(byte me; byte self) {
  byte requests = REQUESTS;
  do
  :: requests > 0 ->
     requests--;
     if
     REQUEST(0) REQUEST(1)
#if NODES > 2
     REQUEST(2)
#endif
#if NODES > 3
     REQUEST(3)
#endif
#if NODES > 4
     REQUEST(4)
#endif
#if NODES > 5
     REQUEST(5)
#endif
     fi
  :: else -> break
  od
}

init {
  byte i, j;
  atomic {
    for (i : 0 .. LINKS - 1) { credits[i] = CREDITS }
    for (i : 0 .. NODES - 1) {
      run server(i);
      j = 0;
      do
      :: j < USERS && SENDS(i) -> left = left + REQUESTS; run user(i, j); j++
      :: else -> break
      od
    }
    i = 0; j = 0
  }
  left == 0;
  for (i : 0 .. LINKS - 1) { credits[i] + owed[i] == CREDITS }
}

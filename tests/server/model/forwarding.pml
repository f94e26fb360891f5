/* The servers' protocol of credits and forwarding (src/server: outbox.c, serve.c, forward.c), to be
 * searched in full for deadlock, loss, duplication and disorder.
 *
 * Every node has a server and one user that sends REQUESTS requests, each to any other node; with
 * -DHOT all to node 0, which itself sends to the last. Link
 * a->b has CREDITS credits, kept at a. Sending takes one: the server's last one a user may not take.
 * The message lies in a buffer of b until b's server has executed it or sent it on; then the credit
 * is owed, and goes back when half of the link's are. Servers never wait; what cannot be sent on
 * stays in the queue of its next hop.
 *
 * NODES and next_hop() come from src/server/topology.c (next_hops.c); -DRING is the
 * topology that must fail. Left out: that several parcels may go in one message, which only saves
 * credits. */
#include "next_hops.h"

#ifndef CREDITS
#define CREDITS 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
/* A ring in which users leave the server its credit cannot deadlock either (bubble flow control): the
 * one that must fail lets them take all. */
#ifdef RING
#define LEFT 0
#else
#define LEFT 1
#endif
#define BATCH (CREDITS / 2)
#define LINK(a, b) ((a) * NODES + (b))

typedef message { byte origin; byte to; byte number; byte from };

byte credits[NODES * NODES];
byte owed[NODES * NODES];
/* what has arrived at a node; there are as many buffers as credits */
chan inbox[NODES] = [NODES * CREDITS] of { message };
/* what waits at a node for a next hop */
chan queue[NODES * NODES] = [NODES * CREDITS] of { message };
byte issued[NODES * NODES];   /* requests of an origin to a node */
byte executed[NODES * NODES];
byte done;

inline release(a, b)
{
  owed[LINK(a, b)]++;
  if
  :: owed[LINK(a, b)] >= BATCH ->
     credits[LINK(a, b)] = credits[LINK(a, b)] + owed[LINK(a, b)];
     owed[LINK(a, b)] = 0
  :: else
  fi
}

#define CAN_FORWARD(me, hop) (credits[LINK(me, hop)] > 0 && len(queue[LINK(me, hop)]) > 0)

inline forward(hop)
{
  queue[LINK(me, hop)]?m;
  credits[LINK(me, hop)]--;
  release(m.from, me);
  m.from = me;
  assert(len(inbox[hop]) < NODES * CREDITS);
  inbox[hop]!m
}

proctype server(byte me)
{
  message m;
  byte next;
end:
  do
  :: atomic {
       inbox[me]?m ->
       if
       :: m.to == me ->
          assert(m.number == executed[LINK(m.origin, me)]);
          executed[LINK(m.origin, me)]++;
          done++;
          release(m.from, me)
       :: else ->
          next_hop(me, m.to, next);
          assert(len(queue[LINK(me, next)]) < NODES * CREDITS);
          queue[LINK(me, next)]!m
       fi;
       m.origin = 0; m.to = 0; m.number = 0; m.from = 0; next = 0
     }
  :: atomic { CAN_FORWARD(me, 0) -> forward(0) }
  :: atomic { CAN_FORWARD(me, 1) -> forward(1) }
#if NODES > 2
  :: atomic { CAN_FORWARD(me, 2) -> forward(2) }
#endif
#if NODES > 3
  :: atomic { CAN_FORWARD(me, 3) -> forward(3) }
#endif
#if NODES > 4
  :: atomic { CAN_FORWARD(me, 4) -> forward(4) }
#endif
#if NODES > 5
  :: atomic { CAN_FORWARD(me, 5) -> forward(5) }
#endif
  od
}

proctype user(byte me)
{
  message m;
  byte sent, next, to;
  do
  :: sent == REQUESTS -> break
  :: else ->
     atomic {
#ifdef RING
       to = (me + NODES - 1) % NODES;
#elif defined(HOT)
       to = (me == 0 -> NODES - 1 : 0);
#else
       to = 0;
       do
       :: to < NODES - 1 -> to++
       :: break
       od;
       if
       :: to == me -> to = (me + 1) % NODES
       :: else
       fi;
#endif
       next_hop(me, to, next)
     }
     atomic {
       credits[LINK(me, next)] > LEFT ->
       credits[LINK(me, next)]--;
       m.origin = me;
       m.to = to;
       m.number = issued[LINK(me, to)];
       m.from = me;
       issued[LINK(me, to)]++;
       assert(len(inbox[next]) < NODES * CREDITS);
       inbox[next]!m;
       sent++
     }
  od
}

init
{
  byte i;
  atomic {
    i = 0;
    do
    :: i < NODES * NODES -> credits[i] = CREDITS; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < NODES -> run server(i); run user(i); i++
    :: else -> break
    od
  };
  /* nothing can happen any more: then all has happened */
  timeout -> assert(done == NODES * REQUESTS)
}

/* Events, and the commands that are deferred on the client side until the events that they wait for
 * permit them. */
#pragma once

#include "replica/replicated.h"

/* Event of a command, or a user event. Once it has a replica it is submitted, and the replica
 * has its status. */
struct vocl_replicated_event {
  struct vocl_replicated replicated;
  struct vocl_replicated_queue *queue; /* NULL for a user event; referenced */
  uint32_t location;
  cl_int status; /* status while it has no replica */
  bool is_watched, was_called;
  bool was_rejected; /* the command was rejected, so it wrote nothing; commands that wait for the
                        event do not fail */
  struct vocl_event_callback *callback; /* callbacks registered before it was submitted */
  struct vocl_replicated_event *next_watched;
  struct vocl_replicated_event *next_own, *before_own; /* links in the list of user events */
};

/* A deferred command, with copies of everything that its pointers refer to. */
struct vocl_deferred_command {
  struct vocl_deferred_command *before, *after; /* links in its queue */
  struct vocl_replicated_event *event;          /* referenced */
  uint64_t place;                               /* position in its queue */
  bool gathers;                                 /* it waits for all commands before it */
  bool is_placed; /* its operands are valid, or will be when its wait list is complete */
  struct vocl_command command;
  size_t triples[VOCL_TRIPLES][3];
  unsigned char pattern[VOCL_MOST_PATTERN];
  struct vocl_replicated_argument *arguments; /* arguments of a launch at the time of the call */
  void **objects;                             /* memory objects of a migration; referenced */
  struct vocl_wait_list {
    cl_uint count, space;
    struct vocl_replicated_event **events; /* referenced */
  } waits;
};

extern const struct vocl_replicated_kind vocl_replicated_event_kind;
/* Returns the event's location, which changes when the location moves. */
static inline uint32_t vocl_replicated_event_location(const struct vocl_replicated_event *event)
{
  return __atomic_load_n(&event->location, __ATOMIC_ACQUIRE);
}

/* Makes the event of a command; it references its queue. Returns NULL if there is no memory. */
struct vocl_replicated_event *vocl_replicated_event_new(struct vocl_replicated_queue *queue);
cl_int vocl_replicated_user_event_make(const struct vocl_making *making, void **object);
/* Returns the status of the replica, or that of the event if it has none. */
cl_int vocl_replicated_event_status(const struct vocl_replicated_event *event);
/* Returns true if the event has neither been submitted nor failed. */
static inline bool vocl_replicated_event_is_deferred(const struct vocl_replicated_event *event)
{
  return vocl_replica_existing(event, vocl_replicated_event_location(event)) == NULL &&
         __atomic_load_n(&event->status, __ATOMIC_ACQUIRE) > CL_COMPLETE;
}
/* Returns true if a command at the location need not be deferred because of the event. */
static inline bool vocl_replicated_event_permits(const struct vocl_replicated_event *event,
                                                 uint32_t location)
{
  return !vocl_replicated_event_is_deferred(event) &&
         (event->location == location || vocl_replicated_event_status(event) <= CL_COMPLETE);
}
/* Submits the event: stores its replica or, if that is NULL, its final status. In the same step its
 * deferred command, if any, leaves the queue, so that a thread that waited for the event finds the
 * queue without it. Makes callbacks, so it is called without the lock. Returns false if the event
 * was submitted before. */
bool vocl_replicated_event_submitted(struct vocl_replicated_event *event,
                                     struct vocl_deferred_command *deferred, void *replica,
                                     cl_int status);
/* Registers a callback, so that the event's completion wakes the worker. */
void vocl_replicated_event_watch(struct vocl_replicated_event *event);
/* Waits until the event is submitted or has failed. Returns CL_SUCCESS, or the error with which it
 * failed. */
cl_int vocl_replicated_event_wait_submitted(const struct vocl_replicated_event *event);
/* Waits for the event. Returns CL_SUCCESS, or the error with which it failed. */
cl_int vocl_replicated_event_wait(struct vocl_replicated_event *event);

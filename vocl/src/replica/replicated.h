/* Replicated objects. The client side keeps their descriptions, to answer the program's queries and
 * to make replicas.
 *
 * A context's lock protects the client-side data of its objects. A thread that holds the lock must
 * not wait, call the program, release an object, or call an executor function that might wait.
 * Callbacks of executors only wake the context's worker, a thread that submits deferred commands.
 *
 * An object references its context; a deferred command references the objects that it uses. A
 * replica is made when it is first needed, and released with its object. Calls that make or build
 * an object return the combined result of all locations that must have it immediately. */
#pragma once

#include "remote/stub.h"
#include "replica/dispatch.h"
#include "replica/freeze.h"
#include "wait/lock.h"
#include "wait/object_table.h"

#include <pthread.h>

/* The last location is a spare one. It holds the replicas of events that were complete when their
 * device moved. During a move, it and the unused locations before it hold the new or the old
 * replicas of other objects. */
enum {
  VOCL_LOCATION_SPARE = VOCL_CONTEXT_LOCATIONS,
  VOCL_LOCATIONS_MAX = VOCL_CONTEXT_LOCATIONS + 1
};

struct vocl_replicated;
struct vocl_replicated_event;
struct vocl_deferred_command;
struct vocl_transfer;

struct vocl_replicated_kind {
  enum vocl_sort sort; /* sort of the replicas */
  size_t bytes;
  /* Makes the replica at a location, with everything that it needs there. */
  cl_int (*replica)(struct vocl_replicated *replicated, uint32_t location, void **replica);
  /* Called when the replica is in place; may be NULL. */
  void (*made)(struct vocl_replicated *replicated, uint32_t location);
  /* Called at the last release, before anything is freed; may be NULL. */
  void (*leave)(struct vocl_replicated *replicated);
  /* Returns true if the end of the object calls a function of the program. NULL means never. */
  bool (*calls_program)(const struct vocl_replicated *replicated);
  /* Frees what the object owns, not the object. The replicas are gone by then. */
  void (*end)(struct vocl_replicated *replicated);
  struct cwi_objects
      *objects; /* the list of objects that may be looked up after their end, or NULL */
};

/* Common beginning of all replicated objects. */
struct vocl_replicated {
  const void *tag; /* &vocl_replicated_tag */
  const struct vocl_replicated_kind *kind;
  uint32_t refs; /* one for the program, others for objects that need it */
  struct vocl_replicated_context *context;
  struct vocl_replicated *after, **place; /* links in the list of the context's objects */
  struct vocl_replicated
      *next_dropped; /* next object that was dropped while the context was frozen */
  void *replicas[VOCL_LOCATIONS_MAX]; /* NULL where there is none */
};

/* A device as the program knows it, and the device that does its work now. */
struct vocl_device_binding {
  void *given, *device;
  uint32_t location;
};

struct vocl_replicated_context {
  struct vocl_replicated replicated;
  pthread_mutex_t lock;
  struct vocl_freeze freeze;
  pthread_mutex_t members_lock;
  struct vocl_replicated *members; /* all objects of the context */
  struct vocl_replicated *dropped; /* objects dropped while the context was frozen; protected by the
                                      freeze lock's mutex */
  uint32_t location_count;
  unsigned vendors[VOCL_LOCATIONS_MAX]; /* the vendor of each location */
  cl_uint device_count;
  struct vocl_device_binding *devices;
  cl_context_properties *properties; /* terminated by 0 */
  vocl_context_function notice;
  void *notice_data;
  cl_ulong most_allocated; /* a larger buffer may be rejected */
  struct vocl_replicated_queue *queues;
  struct vocl_replicated_queue *transfer_queues[VOCL_LOCATIONS_MAX]; /* queues for our transfers */
  struct vocl_transfer *transfers;       /* transfers that are not done */
  struct vocl_replicated_event *watched; /* events whose end wakes the worker */
  struct vocl_context_worker {
    pthread_t thread;
    struct vocl_context_work *work;
    bool is_there;
    struct cwi_signal bell;
    pthread_mutex_t pass_lock; /* held by the worker, or by a thread that does its work meanwhile */
  } worker;
  uint32_t deferred;          /* number of deferred commands */
  struct cwi_signal released; /* signalled when a command was submitted or an event was set */
  struct vocl_replicated_event *own; /* user events */
  uint32_t over;                     /* bit mask of lost locations */
  bool is_listed;                    /* it is complete and in the list of this process */
  struct vocl_replicated_context *next, *before; /* links in the list of this process */
};

struct vocl_replicated_queue {
  struct vocl_replicated replicated;
  void *device; /* as given by the program */
  uint32_t location;
  cl_command_queue_properties flags;
  struct vocl_deferred_command *first, *last; /* deferred commands in program order */
  uint32_t waiting;                           /* number of deferred commands */
  uint64_t entered;                           /* number of commands ever deferred */
  struct vocl_replicated_queue *next;         /* next queue of the context */
};

struct vocl_replicated_sampler {
  struct vocl_replicated replicated;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

/* --- replicated.c --- */

extern struct cwi_objects vocl_replicated_memory_list, vocl_replicated_sampler_list;
/* Block and unblock the creation and the release of memory and samplers, for fork. */
void vocl_replicated_lists_lock(void);
void vocl_replicated_lists_unlock(void);

/* Makes an object with one reference; it references its context. Returns NULL if there is no
 * memory. */
void *vocl_replicated_new(const struct vocl_replicated_kind *kind,
                          struct vocl_replicated_context *context);
static inline void vocl_replicated_ref(void *object)
{
  __atomic_fetch_add(&((struct vocl_replicated *)object)->refs, 1, __ATOMIC_RELAXED);
}
/* Opens the context's freeze lock after releasing the objects that the program has dropped
 * meanwhile, so that its next call does not find them. Memory with deletion callbacks is
 * released afterwards. */
void vocl_context_unfreeze(struct vocl_replicated_context *context);
/* Acquires a reference if the object still has one. Returns false otherwise. */
bool vocl_replicated_try_ref(void *object);
/* Releases a reference. The last release frees the object and its replicas, and returns true.
 * `object` may be NULL. Never called with the context's lock held. */
bool vocl_replicated_unref(void *object);

/* Returns the replica at a location, which it makes if necessary. On failure returns NULL and
 * sets *code. */
void *vocl_replica_get(void *object, uint32_t location, cl_int *code);
/* Returns the replica at a location, or NULL if there is none. */
static inline void *vocl_replica_existing(const void *object, uint32_t location)
{
  return __atomic_load_n(&((const struct vocl_replicated *)object)->replicas[location],
                         __ATOMIC_ACQUIRE);
}
/* Makes replicas of *object at all these locations, if `code`, the result of making the object,
 * is CL_SUCCESS. On an error, releases the object, sets *object to NULL and returns the error. */
cl_int vocl_replicas_make(cl_int code, uint32_t locations, void **object);
/* Returns the context of an object. For a context, returns the context itself. */
struct vocl_replicated_context *vocl_context_of(const void *object);
/* Gets the replicas of a list of objects; `objects` may be NULL if `count` is 0. */
cl_int vocl_replicas_get(void *const *objects, cl_uint count, uint32_t location, void **replicas);

/* --- context_objects.c --- */

/* Returns references to all objects of the context, or NULL if there is no memory.
 * vocl_context_objects_unref releases them and frees the list. */
struct vocl_replicated **vocl_context_objects_ref(struct vocl_replicated_context *context,
                                                  size_t *count);
void vocl_context_objects_unref(struct vocl_replicated **members, size_t count);

/* --- bound_devices.c --- */

/* Returns the device that does the work of `given` in a new context, and its vendor. It is
 * another device if a move has bound `given` to it. */
void *vocl_bound_device(void *given, unsigned *vendor);
/* Binds `given` to the device `now`. */
void vocl_bound_device_set(void *given, const struct vocl_found_device *now);
/* Returns false if a move is in progress. */
bool vocl_move_try_lock(void);
void vocl_move_unlock(void);
/* Resets the locks in a child of fork, where no move is in progress. */
void vocl_move_reset(void);

/* --- context_worker.c --- */

/* Starts the worker unless it runs already. `pass` does one pass and returns the nanoseconds
 * until the next one is needed. Called with the context's lock held. Returns false if there is
 * no thread. */
bool vocl_context_worker_start(struct vocl_replicated_context *context,
                               long (*pass)(struct vocl_replicated_context *context));
static inline void vocl_context_worker_wake(struct vocl_replicated_context *context)
{
  cwi_signal_advance(&context->worker.bell);
}
/* Ends the worker, at the end of the context. */
void vocl_context_worker_stop(struct vocl_replicated_context *context);

/* --- context_list.c --- */

/* Adds a complete context to the list. */
void vocl_context_register(struct vocl_replicated_context *context);
/* Removes the context from the list, if it is there. */
void vocl_context_unregister(struct vocl_replicated_context *context);
/* Like vocl_context_objects_ref, but for the contexts of this process. */
struct vocl_replicated_context **vocl_contexts_ref(size_t *count);
void vocl_contexts_unref(struct vocl_replicated_context **contexts, size_t count);
/* Exchanges the context's replicas at the locations `spare` and `location`. The latter is a
 * location of the context, or the one after its last. */
void vocl_context_swap_replicas(struct vocl_replicated_context *context, uint32_t spare,
                                uint32_t location);

/* Returns the bit mask of the context's locations. */
static inline uint32_t vocl_context_locations(const struct vocl_replicated_context *context)
{
  return (1u << __atomic_load_n(&context->location_count, __ATOMIC_ACQUIRE)) - 1;
}

static inline bool vocl_location_is_lost(const struct vocl_replicated_context *context,
                                         uint32_t location)
{
  return (__atomic_load_n(&context->over, __ATOMIC_ACQUIRE) >> location & 1) != 0;
}

/* Returns those of the locations that are not lost. */
static inline uint32_t vocl_locations_alive(const struct vocl_replicated_context *context,
                                            uint32_t locations)
{
  return locations & ~__atomic_load_n(&context->over, __ATOMIC_ACQUIRE);
}

/* Returns true if all locations are lost, or the process is a child of the one that made the
 * context. */
static inline bool vocl_context_is_lost(const struct vocl_replicated_context *context)
{
  return __atomic_load_n(&context->over, __ATOMIC_ACQUIRE) == vocl_context_locations(context);
}

/* --- replicated_context.c --- */

/* Returns the binding of a device as the program knows it, or NULL if the context does not have
 * it. */
const struct vocl_device_binding *
vocl_device_binding_of(const struct vocl_replicated_context *context, const void *given);
/* Returns the bit mask of the locations of these devices, or of all devices if `count` is 0.
 * Leaves out lost locations unless all are lost. */
uint32_t vocl_locations_of_devices(const struct vocl_replicated_context *context,
                                   void *const *devices, cl_uint count);
/* Stores those of the devices that are at the location, as its executor knows them, and returns
 * their number. */
cl_uint vocl_location_devices(const struct vocl_replicated_context *context, void *const *devices,
                              cl_uint count, uint32_t location, void **there);
extern const struct vocl_replicated_kind vocl_replicated_queue_kind, vocl_replicated_sampler_kind;
cl_int vocl_replicated_context_make(const struct vocl_making *making, void **object);
/* Sets the largest buffer size that all devices accept. */
void vocl_context_set_limits(struct vocl_replicated_context *context);
/* Makes a queue for transfers, out of order if the device supports that. It does not reference its
 * context. */
struct vocl_replicated_queue *vocl_transfer_queue_make(struct vocl_replicated_context *context,
                                                       const struct vocl_device_binding *device,
                                                       cl_int *code);
void vocl_transfer_queue_end(struct vocl_replicated_queue *transfer_queue);

static inline void vocl_context_lock(struct vocl_replicated_context *context)
{
  pthread_mutex_lock(&context->lock);
}

static inline void vocl_context_unlock(struct vocl_replicated_context *context)
{
  pthread_mutex_unlock(&context->lock);
}

static inline bool vocl_queue_is_in_order(const struct vocl_replicated_queue *queue)
{
  return (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

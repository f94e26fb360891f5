/* Replicated objects: what the client side keeps of each, to answer the program's queries and to
 * make replicas.
 *
 * A context's lock protects the client-side data of its objects. While a thread holds it, it
 * does not wait, call the program, release an object, or call an executor function that might
 * wait. Callbacks of executors only wake the context's worker, a thread that submits deferred
 * commands.
 *
 * An object references its context; a deferred command references what it names. A replica is
 * made when it is first needed, and released with its object. Calls that make or build an object
 * return the result of all locations that must have it at once. */
#ifndef VOCL_REPLICA_REPLICATED_H
#define VOCL_REPLICA_REPLICATED_H

#include "remote/stub.h"
#include "replica/dispatch.h"
#include "replica/freeze.h"
#include "wait/lock.h"
#include "wait/object_table.h"

#include <pthread.h>

/* The last location is a spare one. It holds the events that were complete when their device
 * moved. During a move, the new or the old replicas of other objects are there or at earlier
 * locations. */
enum {
  VOCL_LOCATION_SPARE = VOCL_CONTEXT_LOCATIONS,
  VOCL_LOCATIONS_MAX = VOCL_CONTEXT_LOCATIONS + 1
};

struct vocl_replicated;

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
  struct vocl_replicated_queue *next;         /* in the list of the context */
};

struct vocl_replicated_sampler {
  struct vocl_replicated replicated;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

/* Callbacks for the deletion of memory and all its replicas, the last registered one first. */
struct vocl_memory_deletion {
  uint32_t awaited;   /* number of references: the memory and its replicas */
  uint32_t locations; /* locations whose replicas are counted */
  char *shadow;       /* memory for mappings */
  struct vocl_deleted_callback *deleted;
};

/* A range that the program has mapped. */
struct vocl_mapping {
  struct vocl_mapping *next;
  char *address;
  cl_bitfield flags;
  size_t offset, size;         /* of a buffer */
  size_t origin[3], region[3]; /* of an image */
};

/* A range of a buffer and the bit mask of the locations where it is valid. 0 means that it was
 * never written. The mask assumes that the last writes succeed. Until that is known, the
 * previous masks are kept in `unsure`. */
struct vocl_valid_range {
  struct vocl_valid_range *next;
  size_t from, to;
  uint32_t valid;
  struct vocl_memory_use *unsure; /* in order, the first one first */
};

/* A command that may not be complete and uses a range at its location. */
struct vocl_memory_use {
  struct vocl_memory_use *next;
  struct vocl_replicated_event *event;
  size_t from, to;
  bool writes;
  uint32_t location,
      before; /* for unsure writes: the command's location, and the mask before the write */
};

/* Validity of a buffer or an image by ranges of bytes, or of rows of all slices. Kept only in
 * contexts with several locations. */
struct vocl_contents {
  struct vocl_valid_range *segments;
  struct vocl_memory_use *uses, *last_use; /* by commands of the program */
  struct vocl_memory_use *transfers;       /* by our transfers */
};

/* Buffers, sub-buffers and images. */
struct vocl_replicated_memory {
  struct vocl_replicated replicated;
  struct vocl_replicated_memory
      *whole; /* buffer of a sub-buffer, or memory of an image that was made of it */
  enum vocl_sort sort;
  uint64_t generation; /* distinguishes it from all other objects of this process */
  cl_mem_flags given;  /* flags as given by the program */
  cl_mem_flags flags;  /* flags with defaults */
  size_t size, offset; /* size of a buffer; offset in `whole` */
  void *host;          /* the program's memory for CL_MEM_USE_HOST_PTR */
  struct vocl_memory_deletion *deletion; /* NULL if there are no callbacks for its deletion */
  cl_image_format format;
  cl_image_desc image;           /* its memory object is `whole` */
  size_t element;                /* bytes of a pixel */
  size_t row_pitch, slice_pitch; /* pitches of mapped images */
  struct vocl_contents contents; /* used if there is no `whole` */
  struct vocl_mapping *maps;     /* mappings of the program */
  uint32_t map_count;
};

/* Inputs of the build of a program. */
struct vocl_build_record {
  uint32_t refs;       /* one for each device that was built for, one during the build */
  uint64_t generation; /* number among all builds of this process */
  enum vocl_build_step step;
  char *options;
  cl_uint count;
  struct vocl_replicated_program **programs; /* headers, or linked programs; referenced */
  char **names;                              /* names of the headers */
  struct vocl_includes *includes;            /* NULL if the source includes nothing */
};

/* The last build of a program for a device. */
struct vocl_build {
  struct vocl_build_record *record; /* NULL if it was never built */
  bool has_succeeded;
};

struct vocl_replicated_program {
  struct vocl_replicated replicated;
  enum vocl_sort sort;
  cl_uint device_count;
  void **devices;            /* as given by the program */
  struct vocl_build *builds; /* by device */
  char *source;              /* source, or the names of built-in kernels */
  unsigned char **binaries;
  size_t *lengths;
  uint32_t kernel_count; /* number of kernels that exist */
};

/* An argument as the program has set it. */
struct vocl_replicated_argument {
  bool is_set;
  size_t size;
  struct vocl_replicated
      *object; /* memory or a sampler; `generation` shows whether it still exists */
  uint64_t generation;
  unsigned char *value; /* NULL for local memory and objects */
};

struct vocl_replicated_kernel {
  struct vocl_replicated replicated;
  struct vocl_replicated_program *program;
  char *name;
  cl_uint count;
  struct vocl_replicated_argument *arguments;
  unsigned char *reads_only; /* by argument, whether the kernel never writes through it */
  uint32_t stale;            /* bit mask of locations whose replica lacks arguments */
};

/* Event of a command, or a user event. Once it has a replica it is submitted, and the replica
 * has its status. */
struct vocl_replicated_event {
  struct vocl_replicated replicated;
  struct vocl_replicated_queue *queue; /* NULL for a user event; referenced */
  uint32_t location;
  cl_int status; /* status while it has no replica */
  bool is_watched, was_called;
  bool was_rejected; /* it has written nothing; events that wait for it do not fail */
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

/* A transfer of a range of memory from one location to another, through this process. */
struct vocl_transfer {
  struct vocl_transfer *next;
  struct vocl_replicated_memory *memory;      /* referenced */
  struct vocl_replicated_event *read, *write; /* referenced */
  size_t from, to;
  uint32_t target;
  size_t size;
  char *bytes;
};

/* --- replicated.c --- */

extern struct cwi_objects vocl_replicated_memory_list, vocl_replicated_sampler_list;
/* Block creation and release of such objects, for fork. */
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
/* Returns the context of an object. A context is its own. */
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
/* Exchanges the context's replicas at two places. `location` is a location of the context, or
 * becomes its last one. */
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
 * how many. */
cl_uint vocl_location_devices(const struct vocl_replicated_context *context, void *const *devices,
                              cl_uint count, uint32_t location, void **there);
extern const struct vocl_replicated_kind vocl_replicated_queue_kind, vocl_replicated_sampler_kind;
cl_int vocl_replicated_context_make(const struct vocl_making *making, void **object);
/* Sets the largest buffer size that all devices accept. */
void vocl_context_set_limits(struct vocl_replicated_context *context);
/* Makes a queue for transfers: out of order if the device can. It does not reference its
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

/* --- replicated_memory.c --- */

cl_int vocl_replicated_memory_make(const struct vocl_making *making, void **object);

extern const struct vocl_replicated_kind vocl_replicated_memory_kind;
/* Updates which replicas are watched for deletion, after the one at `spare` has moved to
 * `location`. */
void vocl_memory_adopt_replica(struct vocl_replicated_memory *memory, uint32_t spare,
                               uint32_t location);
/* Forgets that the replica at the location is watched for deletion, because it is dropped before
 * the memory. */
void vocl_memory_drop_replica(struct vocl_replicated_memory *memory, uint32_t location);
/* Returns the memory that contains all of this one, and the offset in it. */
struct vocl_replicated_memory *vocl_memory_root(struct vocl_replicated_memory *memory,
                                                size_t *offset);
/* Returns CL_INVALID_OPERATION if the memory's flags forbid the program to read or write it. */
cl_int vocl_memory_check_host_access(const struct vocl_replicated_memory *memory, bool reads,
                                     bool writes);
/* Returns the client-side memory for mappings, or NULL. It lives as long as a replica may use
 * it. Called with the context's lock held. */
char *vocl_memory_shadow(struct vocl_replicated_memory *memory);
/* Waits until the vendors of this process have released their replicas. They read the shadow
 * after the unmapping call has returned, whereas a write to a proxy copies the data before it
 * returns. Called without the lock. */
void vocl_memory_wait_for_vendors(struct vocl_replicated_memory *memory);

static inline bool vocl_memory_is_image(const struct vocl_replicated_memory *memory)
{
  return memory->sort == VOCL_IMAGE;
}

/* Return the rows and the slices of a whole image, counted as in regions. */
size_t vocl_image_rows(const cl_image_desc *image);
size_t vocl_image_slices(const cl_image_desc *image);
/* Returns the number of bytes of a buffer, or of rows in all slices of an image. */
size_t vocl_memory_extent(const struct vocl_replicated_memory *memory);

/* --- replicated_program.c --- */

extern const struct vocl_replicated_kind vocl_replicated_program_kind;
cl_int vocl_replicated_program_make(const struct vocl_making *making, void **object);

/* Returns the last build for the device, or NULL if the program does not have the device. */
const struct vocl_build *vocl_program_build_for(const struct vocl_replicated_program *program,
                                                const void *given);
/* Returns a location of the program, preferably one with a device for which it is built, which
 * has the build's results, and one that is not lost. */
uint32_t vocl_program_location(const struct vocl_replicated_program *program);
/* Makes the program at a location that has only this device, and repeats the last build for it,
 * if there was one. */
cl_int vocl_program_rebuild(struct vocl_replicated_program *program, const void *given,
                            uint32_t location);

/* --- include_files.c --- */

/* The files that a program's source may include, and its options, for the proxies that build it. */
struct vocl_includes {
  size_t count;
  struct vocl_include_folder
      *folders;  /* the working directory, then the directories of the options */
  char *options; /* contains placeholders for the directories, see wire/message.h */
  char *archive;
};

/* Collects the files that the sources may include. Sets *includes to NULL if they include
 * nothing. Returns false if there is no memory, or if the files are too large to send. */
bool vocl_includes_collect(const struct vocl_building *b, const char *const *texts,
                           size_t text_count, struct vocl_includes **includes);
void vocl_includes_unref(struct vocl_includes *includes);
/* Returns text of a proxy (a log or options) with the directories as the program named them. The
 * caller frees it. Returns NULL if there is no memory. */
char *vocl_includes_as_given(const struct vocl_includes *includes, const char *text);

/* --- replicated_kernel.c --- */

extern const struct vocl_replicated_kind vocl_replicated_kernel_kind;
cl_int vocl_replicated_kernel_make(const struct vocl_making *making, void **object);
/* Returns true if the argument names no object, or one that still exists. */
bool vocl_argument_is_alive(const struct vocl_replicated_argument *argument);
/* Returns a copy of the arguments for a deferred launch, which references their objects, or
 * NULL. */
struct vocl_replicated_argument *
vocl_arguments_snapshot(const struct vocl_replicated_kernel *kernel);
void vocl_arguments_free(struct vocl_replicated_argument *arguments, cl_uint count);
/* Gets the kernel at a location with its arguments set. If `arguments` is NULL, that is the
 * kernel's own replica; otherwise a new object with these arguments, which the caller drops. */
cl_int vocl_kernel_replica(struct vocl_replicated_kernel *kernel,
                           const struct vocl_replicated_argument *arguments, uint32_t location,
                           void **replica);

/* --- replicated_event.c --- */

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
/* Submits the event: gives it its replica, or a final status. In the same step its deferred
 * command, if any, leaves the queue, so that a thread that waited for the event finds the queue
 * without it. Makes callbacks, so it is called without the lock. Returns false if the event was
 * submitted before. */
bool vocl_replicated_event_submitted(struct vocl_replicated_event *event,
                                     struct vocl_deferred_command *deferred, void *replica,
                                     cl_int status);
/* Lets the event's completion wake the worker. */
void vocl_replicated_event_watch(struct vocl_replicated_event *event);
/* Waits until the event is submitted. Returns CL_SUCCESS, or why it failed before. */
cl_int vocl_replicated_event_wait_submitted(const struct vocl_replicated_event *event);
/* Waits for the event. Returns CL_SUCCESS, or why it failed. */
cl_int vocl_replicated_event_wait(struct vocl_replicated_event *event);

/* --- command_submit.c --- */

/* Submits a command to the executor of `location`. `arguments` are those of a launch, if they
 * are not its kernel's. All objects in `command` are replicated ones. */
cl_int vocl_command_submit(const struct vocl_command *command,
                           const struct vocl_replicated_argument *arguments,
                           const struct vocl_wait_list *more, uint32_t location, void **event);

/* Returns true if the executor will certainly accept the command. */
bool vocl_command_cannot_fail(const struct vocl_command *command, uint32_t location);

/* --- deferred_command.c --- */

/* Returns true if the command must be deferred. Called with the lock held. */
bool vocl_command_must_wait(const struct vocl_command *command);
/* Defers a command. It takes over `waits`. Returns NULL if there is no memory. Called with the
 * lock held. */
struct vocl_deferred_command *vocl_command_defer(struct vocl_replicated_event *event,
                                                 const struct vocl_command *command,
                                                 struct vocl_wait_list *waits);
/* Frees a command that was submitted or has failed. Called without the lock. */
void vocl_deferred_command_free(struct vocl_deferred_command *deferred);
/* Adds an event. Returns false if there is no memory. */
bool vocl_wait_list_add(struct vocl_wait_list *waits, struct vocl_replicated_event *event);
void vocl_wait_list_free(struct vocl_wait_list *waits);

/* --- valid_ranges.c --- */

/* Makes a single range that is valid at the given locations. Returns false if there is no
 * memory. */
bool vocl_contents_begin(struct vocl_contents *contents, size_t extent, uint32_t valid);
void vocl_contents_end(struct vocl_contents *contents);
/* Splits the range that contains `at`. Returns false if there is no memory. */
bool vocl_ranges_split(struct vocl_contents *contents, size_t at);
/* Merges neighbours that are certainly valid at the same locations. */
void vocl_ranges_merge(struct vocl_contents *contents, struct vocl_memory_use **over);
/* Records that the command will write the whole range, so that other locations become outdated.
 * Returns false if there is no memory. */
bool vocl_range_write(struct vocl_valid_range *part, struct vocl_replicated_event *event);
/* Records that the range did not arrive at a location. */
void vocl_range_invalidate(struct vocl_valid_range *part, uint32_t location);
/* Updates the range by the writes that have completed. */
void vocl_range_update(struct vocl_valid_range *part, struct vocl_memory_use **over);

/* --- memory_uses.c: with the lock held, except the last function --- */

/* Returns NULL if there is no memory. */
struct vocl_memory_use *vocl_memory_use_new(struct vocl_replicated_event *event, size_t from,
                                            size_t to, bool writes);
/* Appends a use by a command of the program. Returns false if there is no memory. */
bool vocl_memory_uses_add(struct vocl_contents *contents, struct vocl_replicated_event *event,
                          size_t from, size_t to, bool writes);
/* Moves the use to the list *over. */
static inline void vocl_memory_use_retire(struct vocl_memory_use *use,
                                          struct vocl_memory_use **over)
{
  use->next = *over;
  *over = use;
}
/* Move the oldest completed uses to *over: at most two for each new one, which bounds the work
 * per call. */
void vocl_memory_uses_prune(struct vocl_contents *contents, struct vocl_memory_use **over);
void vocl_memory_uses_prune_transfers(struct vocl_contents *contents,
                                      struct vocl_memory_use **over);
void vocl_memory_uses_free(struct vocl_memory_use *use);

/* --- command_prepare.c --- */

/* Prepares a command's operands: they will be valid at its location when the events added to
 * `waits` are complete, and what it writes will be valid there only. The caller frees the uses
 * in *over. Returns false if there is no memory. Called with the lock held. */
bool vocl_command_prepare(struct vocl_replicated_event *event, const struct vocl_command *command,
                          const struct vocl_replicated_argument *arguments,
                          struct vocl_wait_list *waits, struct vocl_memory_use **over);

/* --- replica_transfer.c --- */

/* Adds to `waits` the unfinished uses at the location that touch the range; only writers if
 * `only_writers`. */
bool vocl_memory_uses_add_waits(const struct vocl_memory_use *use, uint32_t location, size_t from,
                                size_t to, bool only_writers, struct vocl_wait_list *waits);
/* Starts the transfer of one piece of a range from one location to another. Returns the end of
 * the piece, or `from` if there is no memory. Called with the lock held. */
size_t vocl_transfer_begin(struct vocl_replicated_memory *memory, size_t from, size_t to,
                           uint32_t source, uint32_t target);
/* Returns CL_COMPLETE, the error, or a positive value while the transfer is not done. */
cl_int vocl_transfer_status(const struct vocl_transfer *transfer);
/* Removes and returns the transfers that are done. Called with the lock held. */
struct vocl_transfer *vocl_transfers_collect(struct vocl_replicated_context *context,
                                             struct vocl_memory_use **over);
/* Frees transfers and completed uses. Called without the lock. */
void vocl_transfers_free(struct vocl_transfer *transfers, struct vocl_memory_use *over);

/* --- memory_mapping.c --- */

/* Turn map and unmap commands into commands that executors have: reads, writes and markers. The
 * mapped memory is command->host. `box` is space for the region of an unmapped image. */
cl_int vocl_map_begin(struct vocl_command *command);
cl_int vocl_map_end(struct vocl_command *command, size_t box[2][3]);
/* Removes the mapping of a map command that was not enqueued. */
void vocl_map_undo(struct vocl_replicated_memory *memory, const void *address);

/* --- deferred_submit.c --- */

/* Does one pass of a worker: submits the deferred commands that are ready. */
long vocl_deferred_submit_pass(struct vocl_replicated_context *context);
/* Does a pass during a move: submits only prepared commands. Sets *left to the number of
 * prepared commands and transfers that are not done. Returns CL_SUCCESS, or the error of a
 * transfer. */
cl_int vocl_deferred_submit_prepared(struct vocl_replicated_context *context, uint32_t *left);
#endif

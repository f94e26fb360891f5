/* Our objects: what is kept of each at home, so that it answers the program's questions and can be
 * made at a location.
 *
 * A context's lock keeps what is at home of its objects. Nobody waits with it, calls an executor
 * that might wait, calls the program, or lets go of an object. What executors tell (their
 * callbacks) only wakes the context's worker, a thread that gives executors what has waited at
 * home.
 *
 * An object holds its context; held commands hold what they name. A copy is made when it is needed
 * first, and released with its object. What creates or builds an object has the verdict of all
 * locations that it must have at once. */
#ifndef VOCL_REPLICA_REPLICATED_H
#define VOCL_REPLICA_REPLICATED_H

#include "remote/stub.h"
#include "replica/dispatch.h"
#include "replica/freeze.h"
#include "wait/lock.h"
#include "wait/object_table.h"

#include <pthread.h>

/* Of one context; at the last one are events that are complete and whose device has moved. While it
 * does, the other objects' replicas that are to be, or were, are there, too, or at those before it.
 */
enum {
  VOCL_LOCATION_SPARE = VOCL_CONTEXT_LOCATIONS,
  VOCL_LOCATIONS_MAX = VOCL_CONTEXT_LOCATIONS + 1
};

struct vocl_replicated;

struct vocl_replicated_kind {
  enum vocl_sort sort; /* of its replicas */
  size_t bytes;
  /* Make it at the location, with what it needs there. */
  cl_int (*replica)(struct vocl_replicated *replicated, uint32_t location, void **replica);
  /* The copy is there; may be NULL. */
  void (*made)(struct vocl_replicated *replicated, uint32_t location);
  /* Nobody names it any more: nothing of it has gone yet; may be NULL. */
  void (*leave)(struct vocl_replicated *replicated);
  /* Does its end call a function of the program's? NULL: no. */
  bool (*calls_program)(const struct vocl_replicated *replicated);
  /* Free what it has, not itself; its replicas are gone. */
  void (*end)(struct vocl_replicated *replicated);
  struct cwi_objects *objects; /* where they live that may be named after their end; or NULL */
};

/* What each object begins with. */
struct vocl_replicated {
  const void *tag; /* &vocl_replicated_tag */
  const struct vocl_replicated_kind *kind;
  uint32_t refs; /* one for the program, others for what needs it */
  struct vocl_replicated_context *context;
  struct vocl_replicated *after, **place; /* among its context's members */
  struct vocl_replicated *next_dropped; /* what the program has dropped while the gate was closed */
  void *replicas[VOCL_LOCATIONS_MAX];   /* NULL: not there */
};

/* A device as the program means it, and what does its work now. */
struct vocl_device_binding {
  void *given, *device;
  uint32_t location;
};

struct vocl_replicated_context {
  struct vocl_replicated replicated;
  pthread_mutex_t lock;
  struct vocl_freeze freeze;
  pthread_mutex_t members_lock;
  struct vocl_replicated *members; /* all its objects */
  struct vocl_replicated
      *dropped; /* by the program while the gate was closed; with the gate's lock */
  uint32_t location_count;
  unsigned vendors[VOCL_LOCATIONS_MAX]; /* whose devices can be at a location */
  cl_uint device_count;
  struct vocl_device_binding *devices;
  cl_context_properties *properties; /* ending with 0 */
  vocl_context_function notice;
  void *notice_data;
  cl_ulong most_allocated; /* a buffer of more may be refused */
  struct vocl_replicated_queue *queues;
  struct vocl_replicated_queue
      *transfer_queues[VOCL_LOCATIONS_MAX]; /* transfers go through these */
  struct vocl_transfer *transfers;          /* that are not done */
  struct vocl_replicated_event *watched;    /* whose end will wake the worker */
  struct vocl_context_worker {
    pthread_t thread;
    struct vocl_context_work *work;
    bool is_there;
    struct cwi_signal bell;
    pthread_mutex_t pass_lock; /* of the worker, and of whoever does his work meanwhile */
  } worker;
  uint32_t deferred;                             /* commands that wait at home */
  struct cwi_signal released;                    /* something has left home */
  struct vocl_replicated_event *own;             /* the program's events */
  uint32_t over;                                 /* locations that are, as bits */
  bool is_listed;                                /* it is whole, and among this process's */
  struct vocl_replicated_context *next, *before; /* of this process's */
};

struct vocl_replicated_queue {
  struct vocl_replicated replicated;
  void *device; /* as it was given */
  uint32_t location;
  cl_command_queue_properties flags;
  struct vocl_deferred_command *first,
      *last;                          /* commands that wait at home, in the program's order */
  uint32_t waiting;                   /* how many */
  uint64_t entered;                   /* how many there ever were */
  struct vocl_replicated_queue *next; /* of the context's */
};

struct vocl_replicated_sampler {
  struct vocl_replicated replicated;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

/* Who is told when memory and all its replicas are gone, the last one first. */
struct vocl_memory_deletion {
  uint32_t awaited;   /* the memory and its replicas */
  uint32_t locations; /* whose replicas are awaited */
  char *shadow;       /* what was mapped */
  struct vocl_deleted_callback *deleted;
};

/* What the program has mapped. */
struct vocl_mapping {
  struct vocl_mapping *next;
  char *address;
  cl_bitfield flags;
  size_t offset, size;         /* of a buffer */
  size_t origin[3], region[3]; /* of an image */
};

/* A part of a buffer, and the locations where it is valid, as bits. None: nobody has written to it.
 * That is so if those commands succeed that will have written it last: until that is known, what
 * was valid before is not forgotten. */
struct vocl_valid_range {
  struct vocl_valid_range *next;
  size_t from, to;
  uint32_t valid;
  struct vocl_memory_use *unsure; /* the first one first */
};

/* A command that may not be complete uses a part at its location. */
struct vocl_memory_use {
  struct vocl_memory_use *next;
  struct vocl_replicated_event *event;
  size_t from, to;
  bool writes;
  uint32_t location, before; /* of what is not sure: the command's, and those valid before it */
};

/* What a buffer or an image has, by parts: from byte to byte, or from row to row, all slices one
 * behind the other. Only where there are several locations. */
struct vocl_contents {
  struct vocl_valid_range *segments;
  struct vocl_memory_use *uses, *last_use; /* by the program's commands */
  struct vocl_memory_use *transfers;       /* by ours */
};

/* Buffers, sub-buffers and images. */
struct vocl_replicated_memory {
  struct vocl_replicated replicated;
  struct vocl_replicated_memory *whole; /* of a sub-buffer, or of an image made of a buffer */
  enum vocl_sort sort;
  uint64_t generation;                   /* when it was made, among all of this process */
  cl_mem_flags given;                    /* as the program said */
  cl_mem_flags flags;                    /* with what it did not say */
  size_t size, offset;                   /* of a buffer, and in `whole` */
  void *host;                            /* CL_MEM_USE_HOST_PTR */
  struct vocl_memory_deletion *deletion; /* NULL: nobody is told that it is gone */
  cl_image_format format;
  cl_image_desc image;           /* its memory is `whole` */
  size_t element;                /* bytes of a pixel */
  size_t row_pitch, slice_pitch; /* of what is mapped */
  struct vocl_contents contents; /* if it has no `whole` */
  struct vocl_mapping *maps;     /* the program has them */
  uint32_t map_count;
};

/* What a program was built of, and how. */
struct vocl_build_record {
  uint32_t refs;       /* by each device that it was for, and while it is built */
  uint64_t generation; /* when, among all builds of this process */
  enum vocl_build_step step;
  char *options;
  cl_uint count;
  struct vocl_replicated_program **programs; /* headers, or what was linked; held */
  char **names;                              /* of headers */
  struct vocl_includes *includes;            /* NULL: its texts include nothing */
};

/* How a program was built last for a device. */
struct vocl_build {
  struct vocl_build_record *record; /* NULL: it was not */
  bool has_succeeded;
};

struct vocl_replicated_program {
  struct vocl_replicated replicated;
  enum vocl_sort sort;
  cl_uint device_count;
  void **devices;            /* as they were given */
  struct vocl_build *builds; /* for each */
  char *source;              /* or names of built-in kernels */
  unsigned char **binaries;
  size_t *lengths;
  uint32_t kernel_count; /* kernels of it that live */
};

/* An argument as the program has set it. */
struct vocl_replicated_argument {
  bool is_set;
  size_t size;
  struct vocl_replicated *object; /* memory or a sampler; its number tells if it still lives */
  uint64_t generation;
  unsigned char *value; /* NULL: local memory, or an object */
};

struct vocl_replicated_kernel {
  struct vocl_replicated replicated;
  struct vocl_replicated_program *program;
  char *name;
  cl_uint count;
  struct vocl_replicated_argument *arguments;
  unsigned char *reads_only; /* of each: whether the kernel writes nothing through it */
  uint32_t stale;            /* locations whose copy lacks arguments, as bits */
};

/* A command's event, or the program's own. What has a copy has left home: the copy knows. */
struct vocl_replicated_event {
  struct vocl_replicated replicated;
  struct vocl_replicated_queue *queue; /* NULL: the program's own; it is held */
  uint32_t location;
  cl_int status; /* at home */
  bool is_watched, is_told;
  bool was_rejected;                    /* so that it has written nothing; others need not know */
  struct vocl_event_callback *callback; /* by the program, at home */
  struct vocl_replicated_event *next_watched;
  struct vocl_replicated_event *next_own, *before_own; /* among the program's */
};

/* A command that waits at home, with all that its pointers led to. */
struct vocl_deferred_command {
  struct vocl_deferred_command *before, *after; /* in its queue */
  struct vocl_replicated_event *event;          /* held */
  uint64_t place;                               /* among its queue's */
  bool gathers;                                 /* it waits for all before it */
  bool is_placed; /* its operands are valid, or will be when what it waits for is done */
  struct vocl_command command;
  size_t triples[6][3];
  unsigned char pattern[128];
  struct vocl_replicated_argument *arguments; /* of a launch, as they were */
  void **objects;                             /* of a migration; held */
  struct vocl_wait_list {
    cl_uint count, space;
    struct vocl_replicated_event **events; /* held */
  } waits;
};

/* A part of memory on its way from one location to another, through this process. */
struct vocl_transfer {
  struct vocl_transfer *next;
  struct vocl_replicated_memory *memory;      /* held */
  struct vocl_replicated_event *read, *write; /* held */
  size_t from, to;
  uint32_t target;
  size_t size;
  char *bytes;
};

/* --- replicated.c --- */

extern struct cwi_objects vocl_replicated_memory_list, vocl_replicated_sampler_list;
/* For fork: nobody makes or ends one meanwhile. */
void vocl_replicated_lists_lock(void);
void vocl_replicated_lists_unlock(void);

/* A new object, held once; it holds the context. NULL: no memory. */
void *vocl_replicated_new(const struct vocl_replicated_kind *kind,
                          struct vocl_replicated_context *context);
static inline void vocl_replicated_ref(void *object)
{
  __atomic_fetch_add(&((struct vocl_replicated *)object)->refs, 1, __ATOMIC_RELAXED);
}
/* Open the context's gate when what the program dropped meanwhile has been let go: its next call
 * finds nothing of it. Memory whose end it wants to be told goes then. */
void vocl_context_unfreeze(struct vocl_replicated_context *context);
/* Hold it if somebody else does. */
bool vocl_replicated_try_ref(void *object);
/* One holder less; the last one releases its replicas and frees it: then it returns true. NULL is
 * nobody's. Never with the lock. */
bool vocl_replicated_unref(void *object);

/* What the object is at a location of its context, made if it is not there. NULL: *code says why.
 */
void *vocl_replica_get(void *object, uint32_t location, cl_int *code);
/* The same if it is there. */
static inline void *vocl_replica_existing(const void *object, uint32_t location)
{
  return __atomic_load_n(&((const struct vocl_replicated *)object)->replicas[location],
                         __ATOMIC_ACQUIRE);
}
/* It was made at home, or not, as the code says: have it at these locations, too. Returns the
 * verdict; what is refused is let go, and *object is NULL. */
cl_int vocl_replicas_make(cl_int code, uint32_t locations, void **object);
/* An object's context; a context's own. */
struct vocl_replicated_context *vocl_context_of(const void *object);
/* Copies for a list of objects of ours; objects may be NULL with count 0. */
cl_int vocl_replicas_get(void *const *objects, cl_uint count, uint32_t location, void **replicas);

/* --- context_objects.c --- */

/* All that live now, held; to be let go and freed. NULL: no memory. */
struct vocl_replicated **vocl_context_objects_ref(struct vocl_replicated_context *context,
                                                  size_t *count);
void vocl_context_objects_unref(struct vocl_replicated **members, size_t count);

/* --- bound_devices.c --- */

/* What does the work of a device in a new context, and its vendor: another one, if the program's
 * other contexts have moved. */
void *vocl_bound_device(void *given, unsigned *vendor);
/* From now on this one does the work of the device. */
void vocl_bound_device_set(void *given, const struct vocl_found_device *now);
/* False: a move is under way. */
bool vocl_move_try_lock(void);
void vocl_move_unlock(void);
/* In a child of fork: no move is under way. */
void vocl_move_reset(void);

/* --- context_worker.c --- */

/* The context has a worker who does turns when he is woken: each returns how soon there is to be
 * another one, in nanoseconds. With the lock. False: no thread. */
bool vocl_context_worker_start(struct vocl_replicated_context *context,
                               long (*pass)(struct vocl_replicated_context *context));
static inline void vocl_context_worker_wake(struct vocl_replicated_context *context)
{
  cwi_signal_advance(&context->worker.bell);
}
/* The context ends: so does its worker. */
void vocl_context_worker_stop(struct vocl_replicated_context *context);

/* --- context_list.c --- */

/* It is whole. */
void vocl_context_register(struct vocl_replicated_context *context);
/* It ends, listed or not. */
void vocl_context_unregister(struct vocl_replicated_context *context);
/* As vocl_context_objects_ref, of this process's contexts. */
struct vocl_replicated_context **vocl_contexts_ref(size_t *count);
void vocl_contexts_unref(struct vocl_replicated_context **contexts, size_t count);
/* Its replicas at both change places. The second one is a location of it, or becomes the last one.
 */
void vocl_context_swap_replicas(struct vocl_replicated_context *context, uint32_t spare,
                                uint32_t location);

/* Its locations, as bits. */
static inline uint32_t vocl_context_locations(const struct vocl_replicated_context *context)
{
  return (1u << __atomic_load_n(&context->location_count, __ATOMIC_ACQUIRE)) - 1;
}

static inline bool vocl_location_is_lost(const struct vocl_replicated_context *context,
                                         uint32_t location)
{
  return (__atomic_load_n(&context->over, __ATOMIC_ACQUIRE) >> location & 1) != 0;
}

/* Those of these locations that are not. */
static inline uint32_t vocl_locations_alive(const struct vocl_replicated_context *context,
                                            uint32_t locations)
{
  return locations & ~__atomic_load_n(&context->over, __ATOMIC_ACQUIRE);
}

/* All its locations are over, or the process is a child of the one that made it. */
static inline bool vocl_context_is_lost(const struct vocl_replicated_context *context)
{
  return __atomic_load_n(&context->over, __ATOMIC_ACQUIRE) == vocl_context_locations(context);
}

/* --- replicated_context.c --- */

/* What does the work of a device that the program means. NULL: the context does not have it. */
const struct vocl_device_binding *
vocl_device_binding_of(const struct vocl_replicated_context *context, const void *given);
/* Sites of so many devices, as bits, where what all must have is made; all of the context's with
 * count 0. Those that are over are left out, if any is not. */
uint32_t vocl_locations_of_devices(const struct vocl_replicated_context *context,
                                   void *const *devices, cl_uint count);
/* Those of the devices that are at the location, as its executor knows them. Returns how many. */
cl_uint vocl_location_devices(const struct vocl_replicated_context *context, void *const *devices,
                              cl_uint count, uint32_t location, void **there);
extern const struct vocl_replicated_kind vocl_replicated_queue_kind, vocl_replicated_sampler_kind;
cl_int vocl_replicated_context_make(const struct vocl_making *making, void **object);
/* How large a buffer may be on each of its devices. */
void vocl_context_set_limits(struct vocl_replicated_context *context);
/* A queue of ours, for transfers, which does not hold its context: out of order where the device
 * can. */
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
/* Its copy has come from the first location to the second one; what it had there is dropped. */
void vocl_memory_adopt_replica(struct vocl_replicated_memory *memory, uint32_t spare,
                               uint32_t location);
/* Its copy at the location is dropped before the memory is. */
void vocl_memory_drop_replica(struct vocl_replicated_memory *memory, uint32_t location);
/* The last of its wholes, and where it begins there. */
struct vocl_replicated_memory *vocl_memory_root(struct vocl_replicated_memory *memory,
                                                size_t *offset);
/* CL_INVALID_OPERATION: the program may not do this with it. */
cl_int vocl_memory_check_host_access(const struct vocl_replicated_memory *memory, bool reads,
                                     bool writes);
/* Memory at home for what is mapped; it stays as long as a copy of the memory might be in use.
 * NULL: there is none. With the lock. */
char *vocl_memory_shadow(struct vocl_replicated_memory *memory);
/* The shadow stays until the vendors of this process have let go of their replicas: they read it
 * after the call that unmaps, while a proxy's write has taken all along when that call returns.
 * Without the lock. */
void vocl_memory_wait_for_vendors(struct vocl_replicated_memory *memory);

static inline bool vocl_memory_is_image(const struct vocl_replicated_memory *memory)
{
  return memory->sort == VOCL_IMAGE;
}

/* Rows and slices of a whole image, counted as regions count them. */
size_t vocl_image_rows(const cl_image_desc *image);
size_t vocl_image_slices(const cl_image_desc *image);
/* Its bytes, or its rows of all slices. */
size_t vocl_memory_extent(const struct vocl_replicated_memory *memory);

/* --- replicated_program.c --- */

extern const struct vocl_replicated_kind vocl_replicated_program_kind;
cl_int vocl_replicated_program_make(const struct vocl_making *making, void **object);

/* How it was built for the device. NULL: that is none of the program's. */
const struct vocl_build *vocl_program_build_for(const struct vocl_replicated_program *program,
                                                const void *given);
/* A location where the program is, for a device for which it is built, if any: it has the verdicts.
 * Not one that is over, if there is another one. */
uint32_t vocl_program_location(const struct vocl_replicated_program *program);
/* Makes the program at a location of this device alone, and builds it there as it was built last
 * for the device, if it was. */
cl_int vocl_program_rebuild(struct vocl_replicated_program *program, const void *given,
                            uint32_t location);

/* --- include_files.c --- */

/* The files that a program's text may include, and its options, for the proxies that build it. */
struct vocl_includes {
  size_t count;
  struct vocl_include_folder *folders; /* the working folder, then those of the options */
  char *options;                       /* with the places of the folders, see wire/message.h */
  char *archive;
};

/* Collects what the texts may include. *includes is NULL if they include nothing. Returns false if
 * there is no memory, or more than can be sent. */
bool vocl_includes_collect(const struct vocl_building *b, const char *const *texts,
                           size_t text_count, struct vocl_includes **includes);
void vocl_includes_unref(struct vocl_includes *includes);
/* Returns a text of the proxy's, a log or options, with the folders as the program named them, to
 * be freed; NULL if there is no memory. */
char *vocl_includes_as_given(const struct vocl_includes *includes, const char *text);

/* --- replicated_kernel.c --- */

extern const struct vocl_replicated_kind vocl_replicated_kernel_kind;
cl_int vocl_replicated_kernel_make(const struct vocl_making *making, void **object);
/* Does the object that it names, if any, still live? */
bool vocl_argument_is_alive(const struct vocl_replicated_argument *argument);
/* A copy of the arguments, for a launch that waits: it holds what they name. NULL: no memory. */
struct vocl_replicated_argument *
vocl_arguments_snapshot(const struct vocl_replicated_kernel *kernel);
void vocl_arguments_free(struct vocl_replicated_argument *arguments, cl_uint count);
/* The kernel at a location, its arguments set: its own, or, as an object that the caller drops,
 * these.
 */
cl_int vocl_kernel_replica(struct vocl_replicated_kernel *kernel,
                           const struct vocl_replicated_argument *arguments, uint32_t location,
                           void **replica);

/* --- replicated_event.c --- */

extern const struct vocl_replicated_kind vocl_replicated_event_kind;
/* Where it is; that changes when the location moves. */
static inline uint32_t vocl_replicated_event_location(const struct vocl_replicated_event *event)
{
  return __atomic_load_n(&event->location, __ATOMIC_ACQUIRE);
}

/* A command's event, which holds its queue. NULL: no memory. */
struct vocl_replicated_event *vocl_replicated_event_new(struct vocl_replicated_queue *queue);
cl_int vocl_replicated_user_event_make(const struct vocl_making *making, void **object);
/* Its copy's status, or that at home. */
cl_int vocl_replicated_event_status(const struct vocl_replicated_event *event);
/* It has neither left home nor failed there. */
static inline bool vocl_replicated_event_is_deferred(const struct vocl_replicated_event *event)
{
  return vocl_replica_existing(event, vocl_replicated_event_location(event)) == NULL &&
         __atomic_load_n(&event->status, __ATOMIC_ACQUIRE) > CL_COMPLETE;
}
/* A command at the location need not wait at home for the event. */
static inline bool vocl_replicated_event_permits(const struct vocl_replicated_event *event,
                                                 uint32_t location)
{
  return !vocl_replicated_event_is_deferred(event) &&
         (event->location == location || vocl_replicated_event_status(event) <= CL_COMPLETE);
}
/* It leaves home with this copy, or is complete there; and in the same step its command, if that
 * was kept, leaves the queue: who has waited for it finds nothing in its way. Without the lock: the
 * program is told. False: it has left already. */
bool vocl_replicated_event_submitted(struct vocl_replicated_event *event,
                                     struct vocl_deferred_command *deferred, void *replica,
                                     cl_int status);
/* Have the worker woken when it is complete. */
void vocl_replicated_event_watch(struct vocl_replicated_event *event);
/* Wait until it has left home. CL_SUCCESS, or why it failed there. */
cl_int vocl_replicated_event_wait_submitted(const struct vocl_replicated_event *event);
/* Wait for it. CL_SUCCESS, or why it failed. */
cl_int vocl_replicated_event_wait(struct vocl_replicated_event *event);

/* --- command_submit.c --- */

/* Give the command to the executor of its queue's location. arguments: of a launch, if they are not
 * those of its kernel. The queue, the memory and all else are ours. */
cl_int vocl_command_submit(struct vocl_command *command,
                           const struct vocl_replicated_argument *arguments,
                           const struct vocl_wait_list *more, uint32_t location, void **event);

/* Is it certain at home that the executor will take it? */
bool vocl_command_cannot_fail(const struct vocl_command *command, uint32_t location);

/* --- deferred_command.c --- */

/* Must the command wait at home? With the lock. */
bool vocl_command_must_wait(const struct vocl_command *command);
/* Keep it, with waits that are the kept one's from now on. NULL: no memory. With the lock. */
struct vocl_deferred_command *vocl_command_defer(struct vocl_replicated_event *event,
                                                 const struct vocl_command *command,
                                                 struct vocl_wait_list *waits);
/* It waits no more: free it. Without the lock. */
void vocl_deferred_command_free(struct vocl_deferred_command *deferred);
/* One event more. False: no memory. */
bool vocl_wait_list_add(struct vocl_wait_list *waits, struct vocl_replicated_event *event);
void vocl_wait_list_free(struct vocl_wait_list *waits);

/* --- valid_ranges.c --- */

/* All is valid at the locations. False: no memory. */
bool vocl_contents_begin(struct vocl_contents *contents, size_t extent, uint32_t valid);
void vocl_contents_end(struct vocl_contents *contents);
/* A part begins at `at`. False: no memory. */
bool vocl_ranges_split(struct vocl_contents *contents, size_t at);
/* Neighbours that are valid at the same locations become one, if that is sure. */
void vocl_ranges_merge(struct vocl_contents *contents, struct vocl_memory_use **over);
/* The command will have written all of the part, and others have what was there. False: no memory.
 */
bool vocl_range_write(struct vocl_valid_range *part, struct vocl_replicated_event *event);
/* It has not come to a location. */
void vocl_range_invalidate(struct vocl_valid_range *part, uint32_t location);
/* Take in which of its commands have succeeded. */
void vocl_range_update(struct vocl_valid_range *part, struct vocl_memory_use **over);

/* --- memory_uses.c: with the lock, but for the last one --- */

/* NULL: no memory. */
struct vocl_memory_use *vocl_memory_use_new(struct vocl_replicated_event *event, size_t from,
                                            size_t to, bool writes);
/* At the end of the program's. False: no memory. */
bool vocl_memory_uses_add(struct vocl_contents *contents, struct vocl_replicated_event *event,
                          size_t from, size_t to, bool writes);
/* It goes to *over. */
static inline void vocl_memory_use_retire(struct vocl_memory_use *use,
                                          struct vocl_memory_use **over)
{
  use->next = *over;
  *over = use;
}
/* The oldest that are over go to *over: with each new one at most two, so that there is never much
 * to do. */
void vocl_memory_uses_prune(struct vocl_contents *contents, struct vocl_memory_use **over);
void vocl_memory_uses_prune_transfers(struct vocl_contents *contents,
                                      struct vocl_memory_use **over);
void vocl_memory_uses_free(struct vocl_memory_use *use);

/* --- command_prepare.c --- */

/* The command's operands will be valid at its location when these are complete, which it must wait
 * for; what it writes is valid there alone. *over: uses that the caller frees. False: no memory.
 * With the lock. */
bool vocl_command_prepare(struct vocl_replicated_event *event, const struct vocl_command *command,
                          const struct vocl_replicated_argument *arguments,
                          struct vocl_wait_list *waits, struct vocl_memory_use **over);

/* --- replica_transfer.c --- */

/* Wait for those at the location that touch the part; only for writers, if so asked. */
bool vocl_memory_uses_add_waits(const struct vocl_memory_use *use, uint32_t location, size_t from,
                                size_t to, bool only_writers, struct vocl_wait_list *waits);
/* Bring what the memory has from one location to another, as much as one piece has. Returns where
 * the next one begins; `from`: no memory. With the lock. */
size_t vocl_transfer_begin(struct vocl_replicated_memory *memory, size_t from, size_t to,
                           uint32_t source, uint32_t target);
/* CL_COMPLETE, or why it did not arrive; more: it is not done. */
cl_int vocl_transfer_status(const struct vocl_transfer *transfer);
/* Deliveries that are done. With the lock. */
struct vocl_transfer *vocl_transfers_collect(struct vocl_replicated_context *context,
                                             struct vocl_memory_use **over);
/* Free them, and uses that are over. Without it. */
void vocl_transfers_free(struct vocl_transfer *transfers, struct vocl_memory_use *over);

/* --- memory_mapping.c --- */

/* Maps and unmaps become what an executor performs: reads, writes, markers; a map's memory is
 * command->host. box: room for the region of an unmapped image. */
cl_int vocl_map_begin(struct vocl_command *command);
cl_int vocl_map_end(struct vocl_command *command, size_t box[2][3]);
/* Of a map whose command was not queued. */
void vocl_map_undo(struct vocl_replicated_memory *memory, const void *address);

/* --- deferred_submit.c --- */

/* A worker's turn: what need not wait at home any more leaves it. */
long vocl_deferred_submit_pass(struct vocl_replicated_context *context);
/* While he is kept out: what is placed leaves home, and nothing else. *left: are there such
 * commands, or transfers, that are not done? Returns CL_SUCCESS, or what became of a transfer. */
cl_int vocl_deferred_submit_prepared(struct vocl_replicated_context *context, uint32_t *left);
#endif

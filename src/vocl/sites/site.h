/* Our objects: what is kept of each at home, so that it answers the program's questions and can be
 * made at a site.
 *
 * A context's lock keeps what is at home of its objects. Nobody waits with it, calls an executor
 * that might wait, calls the program, or lets go of an object. What executors tell (their
 * callbacks) only wakes the context's clerk, a thread that gives executors what has waited at home.
 *
 * An object holds its context; held commands hold what they name. A copy is made when it is needed
 * first, and released with its object. What creates or builds an object has the verdict of all
 * sites that it must have at once. */
#ifndef CWI_SITES_SITE_H
#define CWI_SITES_SITE_H

#include "base/lock.h"
#include "base/objects.h"
#include "remote/far.h"
#include "sites/dispatch.h"
#include "sites/gate.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one context; at the last one are events that are complete and whose device has moved. While it
 * does, the other objects' copies that are to be, or were, are there, too, or at those before it.
 */
enum { CWI_SITE_AWAY = CWI_CONTEXT_SITES, CWI_SITES_MOST = CWI_CONTEXT_SITES + 1 };

struct cwi_sited;

struct cwi_sited_kind {
  enum cwi_sort sort; /* of its copies */
  size_t bytes;
  /* Make it at the site, with what it needs there. */
  cl_int (*copy)(struct cwi_sited *sited, uint32_t site, void **copy);
  /* The copy is there; may be NULL. */
  void (*made)(struct cwi_sited *sited, uint32_t site);
  /* Nobody names it any more: nothing of it has gone yet; may be NULL. */
  void (*leave)(struct cwi_sited *sited);
  /* Does its end call a function of the program's? NULL: no. */
  bool (*calls_program)(const struct cwi_sited *sited);
  /* Free what it has, not itself; its copies are gone. */
  void (*end)(struct cwi_sited *sited);
  struct cwi_objects *objects; /* where they live that may be named after their end; or NULL */
};

/* What each object begins with. */
struct cwi_sited {
  const void *mark; /* &cwi_sites_mark */
  const struct cwi_sited_kind *kind;
  uint32_t held; /* one for the program, others for what needs it */
  struct cwi_sited_context *context;
  struct cwi_sited *after, **place; /* among its context's members */
  struct cwi_sited *next_dropped;   /* what the program has dropped while the gate was closed */
  void *copies[CWI_SITES_MOST];     /* NULL: not there */
};

/* A device as the program means it, and what does its work now. */
struct cwi_site_device {
  void *given, *device;
  uint32_t site;
};

struct cwi_sited_context {
  struct cwi_sited sited;
  pthread_mutex_t lock;
  struct cwi_gate gate;
  pthread_mutex_t members_lock;
  struct cwi_sited *members; /* all its objects */
  struct cwi_sited *dropped; /* by the program while the gate was closed; with the gate's lock */
  uint32_t site_count;
  unsigned vendors[CWI_SITES_MOST]; /* whose devices can be at a site */
  cl_uint device_count;
  struct cwi_site_device *devices;
  cl_context_properties *properties; /* ending with 0 */
  cwi_context_notice notice;
  void *notice_data;
  cl_ulong most_allocated; /* a buffer of more may be refused */
  struct cwi_sited_queue *queues;
  struct cwi_sited_queue *couriers[CWI_SITES_MOST]; /* deliveries go through these */
  struct cwi_delivery *deliveries;                  /* that are not done */
  struct cwi_sited_event *watched;                  /* whose end will wake the clerk */
  struct cwi_clerk {
    pthread_t thread;
    struct cwi_clerk_work *work;
    bool is_there;
    struct cwi_signal bell;
    pthread_mutex_t turns; /* of the clerk, and of whoever does his work meanwhile */
  } clerk;
  uint32_t kept;                           /* commands that wait at home */
  struct cwi_signal released;              /* something has left home */
  struct cwi_sited_event *own;             /* the program's events */
  uint32_t over;                           /* sites that are, as bits */
  bool is_listed;                          /* it is whole, and among this process's */
  struct cwi_sited_context *next, *before; /* of this process's */
};

struct cwi_sited_queue {
  struct cwi_sited sited;
  void *device; /* as it was given */
  uint32_t site;
  cl_command_queue_properties flags;
  struct cwi_kept *first, *last; /* commands that wait at home, in the program's order */
  uint32_t waiting;              /* how many */
  uint64_t entered;              /* how many there ever were */
  struct cwi_sited_queue *next;  /* of the context's */
};

struct cwi_sited_sampler {
  struct cwi_sited sited;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

/* Who is told when memory and all its copies are gone, the last one first. */
struct cwi_farewell {
  uint32_t awaited; /* the memory and its copies */
  uint32_t sites;   /* whose copies are awaited */
  char *shadow;     /* what was mapped */
  struct cwi_deleted *deleted;
};

/* What the program has mapped. */
struct cwi_mapping {
  struct cwi_mapping *next;
  char *address;
  cl_bitfield flags;
  size_t offset, size;         /* of a buffer */
  size_t origin[3], region[3]; /* of an image */
};

/* A part of a buffer, and the sites where it is valid, as bits. None: nobody has written to it.
 * That is so if those commands succeed that will have written it last: until that is known, what
 * was valid before is not forgotten. */
struct cwi_valid_part {
  struct cwi_valid_part *next;
  size_t from, to;
  uint32_t valid;
  struct cwi_use *unsure; /* the first one first */
};

/* A command that may not be complete uses a part at its site. */
struct cwi_use {
  struct cwi_use *next;
  struct cwi_sited_event *event;
  size_t from, to;
  bool writes;
  uint32_t site, before; /* of what is not sure: the command's, and those valid before it */
};

/* What a buffer or an image has, by parts: from byte to byte, or from row to row, all slices one
 * behind the other. Only where there are several sites. */
struct cwi_contents {
  struct cwi_valid_part *segments;
  struct cwi_use *uses, *last_use; /* by the program's commands */
  struct cwi_use *deliveries;      /* by ours */
};

/* Buffers, sub-buffers and images. */
struct cwi_sited_memory {
  struct cwi_sited sited;
  struct cwi_sited_memory *whole; /* of a sub-buffer, or of an image made of a buffer */
  enum cwi_sort sort;
  uint64_t birth;                /* when it was made, among all of this process */
  cl_mem_flags given;            /* as the program said */
  cl_mem_flags flags;            /* with what it did not say */
  size_t size, offset;           /* of a buffer, and in `whole` */
  void *host;                    /* CL_MEM_USE_HOST_PTR */
  struct cwi_farewell *farewell; /* NULL: nobody is told that it is gone */
  cl_image_format format;
  cl_image_desc image;           /* its memory is `whole` */
  size_t element;                /* bytes of a pixel */
  size_t row_pitch, slice_pitch; /* of what is mapped */
  struct cwi_contents contents;  /* if it has no `whole` */
  struct cwi_mapping *maps;      /* the program has them */
  uint32_t map_count;
};

/* What a program was built of, and how. */
struct cwi_build_record {
  uint32_t held;  /* by each device that it was for, and while it is built */
  uint64_t birth; /* when, among all builds of this process */
  enum cwi_build_step step;
  char *options;
  cl_uint count;
  struct cwi_sited_program **programs; /* headers, or what was linked; held */
  char **names;                        /* of headers */
  struct cwi_includes *includes;       /* NULL: its texts include nothing */
};

/* How a program was built last for a device. */
struct cwi_build {
  struct cwi_build_record *record; /* NULL: it was not */
  bool has_succeeded;
};

struct cwi_sited_program {
  struct cwi_sited sited;
  enum cwi_sort sort;
  cl_uint device_count;
  void **devices;           /* as they were given */
  struct cwi_build *builds; /* for each */
  char *source;             /* or names of built-in kernels */
  unsigned char **binaries;
  size_t *lengths;
  uint32_t kernel_count; /* kernels of it that live */
};

/* An argument as the program has set it. */
struct cwi_sited_argument {
  bool is_set;
  size_t size;
  struct cwi_sited *object; /* memory or a sampler; its number tells if it still lives */
  uint64_t birth;
  unsigned char *value; /* NULL: local memory, or an object */
};

struct cwi_sited_kernel {
  struct cwi_sited sited;
  struct cwi_sited_program *program;
  char *name;
  cl_uint count;
  struct cwi_sited_argument *arguments;
  unsigned char *reads_only; /* of each: whether the kernel writes nothing through it */
  uint32_t stale;            /* sites whose copy lacks arguments, as bits */
};

/* A command's event, or the program's own. What has a copy has left home: the copy knows. */
struct cwi_sited_event {
  struct cwi_sited sited;
  struct cwi_sited_queue *queue; /* NULL: the program's own; it is held */
  uint32_t site;
  cl_int status; /* at home */
  bool is_watched, is_told;
  bool was_refused;      /* so that it has written nothing; others need not know */
  struct cwi_told *told; /* by the program, at home */
  struct cwi_sited_event *next_watched;
  struct cwi_sited_event *next_own, *before_own; /* among the program's */
};

/* A command that waits at home, with all that its pointers led to. */
struct cwi_kept {
  struct cwi_kept *before, *after; /* in its queue */
  struct cwi_sited_event *event;   /* held */
  uint64_t place;                  /* among its queue's */
  bool gathers;                    /* it waits for all before it */
  bool is_placed; /* its operands are valid, or will be when what it waits for is done */
  struct cwi_command command;
  size_t triples[6][3];
  unsigned char pattern[128];
  struct cwi_sited_argument *arguments; /* of a launch, as they were */
  void **objects;                       /* of a migration; held */
  struct cwi_waits {
    cl_uint count, room;
    struct cwi_sited_event **events; /* held */
  } waits;
};

/* A part of memory on its way from one site to another, through this process. */
struct cwi_delivery {
  struct cwi_delivery *next;
  struct cwi_sited_memory *memory;      /* held */
  struct cwi_sited_event *read, *write; /* held */
  size_t from, to;
  uint32_t target;
  size_t size;
  char *bytes;
};

/* --- sited.c --- */

extern struct cwi_objects cwi_sited_memory_list, cwi_sited_sampler_list;
/* For fork: nobody makes or ends one meanwhile. */
void cwi_sited_lists_stop(void);
void cwi_sited_lists_go_on(void);

/* A new object, held once; it holds the context. NULL: no memory. */
void *cwi_sited_new(const struct cwi_sited_kind *kind, struct cwi_sited_context *context);
static inline void cwi_sited_hold(void *object)
{
  __atomic_fetch_add(&((struct cwi_sited *)object)->held, 1, __ATOMIC_RELAXED);
}
/* Open the context's gate when what the program dropped meanwhile has been let go: its next call
 * finds nothing of it. Memory whose end it wants to be told goes then. */
void cwi_sites_open(struct cwi_sited_context *context);
/* Hold it if somebody else does. */
bool cwi_sited_try_hold(void *object);
/* One holder less; the last one releases its copies and frees it: then it returns true. NULL is
 * nobody's. Never with the lock. */
bool cwi_sited_let_go(void *object);

/* What the object is at a site of its context, made if it is not there. NULL: *code says why. */
void *cwi_site_copy(void *object, uint32_t site, cl_int *code);
/* The same if it is there. */
static inline void *cwi_site_copy_known(const void *object, uint32_t site)
{
  return __atomic_load_n(&((const struct cwi_sited *)object)->copies[site], __ATOMIC_ACQUIRE);
}
/* It was made at home, or not, as the code says: have it at these sites, too. Returns the verdict;
 * what is refused is let go, and *object is NULL. */
cl_int cwi_site_make_at(cl_int code, uint32_t sites, void **object);
/* An object's context; a context's own. */
struct cwi_sited_context *cwi_context_of(const void *object);
/* Copies for a list of objects of ours; objects may be NULL with count 0. */
cl_int cwi_site_copies(void *const *objects, cl_uint count, uint32_t site, void **copies);

/* --- members.c --- */

/* All that live now, held; to be let go and freed. NULL: no memory. */
struct cwi_sited **cwi_members_hold(struct cwi_sited_context *context, size_t *count);
void cwi_members_let_go(struct cwi_sited **members, size_t count);

/* --- moved.c --- */

/* What does the work of a device in a new context, and its vendor: another one, if the program's
 * other contexts have moved. */
void *cwi_moved_device(void *given, unsigned *vendor);
/* From now on this one does the work of the device. */
void cwi_moved_remember(void *given, const struct cwi_found_device *now);
/* False: a move is under way. */
bool cwi_move_begin(void);
void cwi_move_end(void);
/* In a child of fork: no move is under way. */
void cwi_moves_forget(void);

/* --- clerk.c --- */

/* The context has a clerk who does turns when he is woken: each returns how soon there is to be
 * another one, in nanoseconds. With the lock. False: no thread. */
bool cwi_clerk_start(struct cwi_sited_context *context,
                     long (*turn)(struct cwi_sited_context *context));
static inline void cwi_clerk_wake(struct cwi_sited_context *context)
{
  cwi_signal_advance(&context->clerk.bell);
}
/* The context ends: so does its clerk. */
void cwi_clerk_stop(struct cwi_sited_context *context);

/* --- contexts.c --- */

/* It is whole. */
void cwi_context_enlist(struct cwi_sited_context *context);
/* It ends, listed or not. */
void cwi_context_delist(struct cwi_sited_context *context);
/* As cwi_members_hold, of this process's contexts. */
struct cwi_sited_context **cwi_contexts_hold(size_t *count);
void cwi_contexts_let_go(struct cwi_sited_context **contexts, size_t count);
/* Its copies at both change places. The second one is a site of it, or becomes the last one. */
void cwi_context_settle(struct cwi_sited_context *context, uint32_t away, uint32_t site);

/* Its sites, as bits. */
static inline uint32_t cwi_context_sites(const struct cwi_sited_context *context)
{
  return (1u << __atomic_load_n(&context->site_count, __ATOMIC_ACQUIRE)) - 1;
}

static inline bool cwi_site_is_over(const struct cwi_sited_context *context, uint32_t site)
{
  return (__atomic_load_n(&context->over, __ATOMIC_ACQUIRE) >> site & 1) != 0;
}

/* Those of these sites that are not. */
static inline uint32_t cwi_sites_alive(const struct cwi_sited_context *context, uint32_t sites)
{
  return sites & ~__atomic_load_n(&context->over, __ATOMIC_ACQUIRE);
}

/* All its sites are over, or the process is a child of the one that made it. */
static inline bool cwi_context_is_over(const struct cwi_sited_context *context)
{
  return __atomic_load_n(&context->over, __ATOMIC_ACQUIRE) == cwi_context_sites(context);
}

/* --- places.c --- */

/* What does the work of a device that the program means. NULL: the context does not have it. */
const struct cwi_site_device *cwi_site_device_of(const struct cwi_sited_context *context,
                                                 const void *given);
/* Sites of so many devices, as bits, where what all must have is made; all of the context's with
 * count 0. Those that are over are left out, if any is not. */
uint32_t cwi_sites_to_ask(const struct cwi_sited_context *context, void *const *devices,
                          cl_uint count);
/* Those of the devices that are at the site, as its executor knows them. Returns how many. */
cl_uint cwi_site_devices(const struct cwi_sited_context *context, void *const *devices,
                         cl_uint count, uint32_t site, void **there);
extern const struct cwi_sited_kind cwi_sited_queues, cwi_sited_samplers;
cl_int cwi_places_make(const struct cwi_making *making, void **object);
/* How large a buffer may be on each of its devices. */
void cwi_context_measure(struct cwi_sited_context *context);
/* A queue of ours, for deliveries, which does not hold its context: out of order where the device
 * can. */
struct cwi_sited_queue *cwi_courier_make(struct cwi_sited_context *context,
                                         const struct cwi_site_device *device, cl_int *code);
void cwi_courier_end(struct cwi_sited_queue *courier);

static inline void cwi_context_lock(struct cwi_sited_context *context)
{
  pthread_mutex_lock(&context->lock);
}

static inline void cwi_context_unlock(struct cwi_sited_context *context)
{
  pthread_mutex_unlock(&context->lock);
}

static inline bool cwi_queue_keeps_order(const struct cwi_sited_queue *queue)
{
  return (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/* --- stored.c --- */

cl_int cwi_stored_make(const struct cwi_making *making, void **object);

extern const struct cwi_sited_kind cwi_sited_memories;
/* Its copy has come from the first site to the second one; what it had there is dropped. */
void cwi_memory_settle(struct cwi_sited_memory *memory, uint32_t away, uint32_t site);
/* Its copy at the site is dropped before the memory is. */
void cwi_memory_forget_copy(struct cwi_sited_memory *memory, uint32_t site);
/* The last of its wholes, and where it begins there. */
struct cwi_sited_memory *cwi_memory_root(struct cwi_sited_memory *memory, size_t *offset);
/* CL_INVALID_OPERATION: the program may not do this with it. */
cl_int cwi_memory_check_host(const struct cwi_sited_memory *memory, bool reads, bool writes);
/* Memory at home for what is mapped; it stays as long as a copy of the memory might be in use.
 * NULL: there is none. With the lock. */
char *cwi_memory_shadow(struct cwi_sited_memory *memory);
/* The shadow stays until the vendors of this process have let go of their copies: they read it
 * after the call that unmaps, while a proxy's write has taken all along when that call returns.
 * Without the lock. */
void cwi_memory_await_vendors(struct cwi_sited_memory *memory);

static inline bool cwi_memory_is_image(const struct cwi_sited_memory *memory)
{
  return memory->sort == CWI_IMAGE;
}

/* Rows and slices of a whole image, counted as regions count them. */
size_t cwi_image_rows(const cl_image_desc *image);
size_t cwi_image_slices(const cl_image_desc *image);
/* Its bytes, or its rows of all slices. */
size_t cwi_memory_extent(const struct cwi_sited_memory *memory);

/* --- built.c --- */

extern const struct cwi_sited_kind cwi_sited_programs;
cl_int cwi_built_make(const struct cwi_making *making, void **object);

/* How it was built for the device. NULL: that is none of the program's. */
const struct cwi_build *cwi_program_build(const struct cwi_sited_program *program,
                                          const void *given);
/* A site where the program is, for a device for which it is built, if any: it has the verdicts. Not
 * one that is over, if there is another one. */
uint32_t cwi_program_site(const struct cwi_sited_program *program);
/* Makes the program at a site of this device alone, and builds it there as it was built last for
 * the device, if it was. */
cl_int cwi_program_rebuild(struct cwi_sited_program *program, const void *given, uint32_t site);

/* --- includes.c --- */

/* The files that a program's text may include, and its options, for the proxies that build it. */
struct cwi_includes {
  size_t count;
  struct cwi_include_folder *folders; /* the working folder, then those of the options */
  char *options;                      /* with the places of the folders, see wire/message.h */
  char *archive;
};

/* Collects what the texts may include. *includes is NULL if they include nothing. Returns false if
 * there is no memory, or more than can be sent. */
bool cwi_includes_collect(const struct cwi_building *b, const char *const *texts, size_t text_count,
                          struct cwi_includes **includes);
void cwi_includes_let_go(struct cwi_includes *includes);
/* Returns a text of the proxy's, a log or options, with the folders as the program named them, to
 * be freed; NULL if there is no memory. */
char *cwi_includes_as_given(const struct cwi_includes *includes, const char *text);

/* --- kernels.c --- */

extern const struct cwi_sited_kind cwi_sited_kernels;
cl_int cwi_kernels_make(const struct cwi_making *making, void **object);
/* Does the object that it names, if any, still live? */
bool cwi_argument_lives(const struct cwi_sited_argument *argument);
/* A copy of the arguments, for a launch that waits: it holds what they name. NULL: no memory. */
struct cwi_sited_argument *cwi_arguments_keep(const struct cwi_sited_kernel *kernel);
void cwi_arguments_free(struct cwi_sited_argument *arguments, cl_uint count);
/* The kernel at a site, its arguments set: its own, or, as an object that the caller drops, these.
 */
cl_int cwi_kernel_at(struct cwi_sited_kernel *kernel, const struct cwi_sited_argument *arguments,
                     uint32_t site, void **copy);

/* --- awaited.c --- */

extern const struct cwi_sited_kind cwi_sited_events;
/* Where it is; that changes when the site moves. */
static inline uint32_t cwi_event_site(const struct cwi_sited_event *event)
{
  return __atomic_load_n(&event->site, __ATOMIC_ACQUIRE);
}

/* A command's event, which holds its queue. NULL: no memory. */
struct cwi_sited_event *cwi_event_new(struct cwi_sited_queue *queue);
cl_int cwi_user_event_make(const struct cwi_making *making, void **object);
/* Its copy's status, or that at home. */
cl_int cwi_event_status(const struct cwi_sited_event *event);
/* It has neither left home nor failed there. */
static inline bool cwi_event_is_home(const struct cwi_sited_event *event)
{
  return cwi_site_copy_known(event, cwi_event_site(event)) == NULL &&
         __atomic_load_n(&event->status, __ATOMIC_ACQUIRE) > CL_COMPLETE;
}
/* A command at the site need not wait at home for the event. */
static inline bool cwi_event_lets_go(const struct cwi_sited_event *event, uint32_t site)
{
  return !cwi_event_is_home(event) &&
         (event->site == site || cwi_event_status(event) <= CL_COMPLETE);
}
/* It leaves home with this copy, or is complete there; and in the same step its command, if that
 * was kept, leaves the queue: who has waited for it finds nothing in its way. Without the lock: the
 * program is told. False: it has left already. */
bool cwi_event_leave(struct cwi_sited_event *event, struct cwi_kept *kept, void *copy,
                     cl_int status);
/* Have the clerk woken when it is complete. */
void cwi_event_watch(struct cwi_sited_event *event);
/* Wait until it has left home. CL_SUCCESS, or why it failed there. */
cl_int cwi_event_wait_at_home(const struct cwi_sited_event *event);
/* Wait for it. CL_SUCCESS, or why it failed. */
cl_int cwi_sited_event_wait(struct cwi_sited_event *event);

/* --- issued.c --- */

/* Give the command to the executor of its queue's site. arguments: of a launch, if they are not
 * those of its kernel. The queue, the memory and all else are ours. */
cl_int cwi_command_issue(struct cwi_command *command, const struct cwi_sited_argument *arguments,
                         const struct cwi_waits *more, uint32_t site, void **event);

/* Is it certain at home that the executor will take it? */
bool cwi_command_is_certain(const struct cwi_command *command, uint32_t site);

/* --- held.c --- */

/* Must the command wait at home? With the lock. */
bool cwi_command_must_wait(const struct cwi_command *command);
/* Keep it, with waits that are the kept one's from now on. NULL: no memory. With the lock. */
struct cwi_kept *cwi_command_keep(struct cwi_sited_event *event, const struct cwi_command *command,
                                  struct cwi_waits *waits);
/* It waits no more: free it. Without the lock. */
void cwi_kept_free(struct cwi_kept *kept);
/* One event more. False: no memory. */
bool cwi_waits_add(struct cwi_waits *waits, struct cwi_sited_event *event);
void cwi_waits_free(struct cwi_waits *waits);

/* --- parts.c --- */

/* All is valid at the sites. False: no memory. */
bool cwi_contents_begin(struct cwi_contents *contents, size_t extent, uint32_t valid);
void cwi_contents_end(struct cwi_contents *contents);
/* A part begins at `at`. False: no memory. */
bool cwi_parts_cut(struct cwi_contents *contents, size_t at);
/* Neighbours that are valid at the same sites become one, if that is sure. */
void cwi_parts_join(struct cwi_contents *contents, struct cwi_use **over);
/* The command will have written all of the part, and others have what was there. False: no memory.
 */
bool cwi_part_write(struct cwi_valid_part *part, struct cwi_sited_event *event);
/* It has not come to a site. */
void cwi_part_miss(struct cwi_valid_part *part, uint32_t site);
/* Take in which of its commands have succeeded. */
void cwi_part_look(struct cwi_valid_part *part, struct cwi_use **over);

/* --- uses.c: with the lock, but for the last one --- */

/* NULL: no memory. */
struct cwi_use *cwi_use_new(struct cwi_sited_event *event, size_t from, size_t to, bool writes);
/* At the end of the program's. False: no memory. */
bool cwi_uses_add(struct cwi_contents *contents, struct cwi_sited_event *event, size_t from,
                  size_t to, bool writes);
/* It goes to *over. */
static inline void cwi_use_hand_over(struct cwi_use *use, struct cwi_use **over)
{
  use->next = *over;
  *over = use;
}
/* The oldest that are over go to *over: with each new one at most two, so that there is never much
 * to do. */
void cwi_uses_forget(struct cwi_contents *contents, struct cwi_use **over);
void cwi_uses_forget_deliveries(struct cwi_contents *contents, struct cwi_use **over);
void cwi_uses_free(struct cwi_use *use);

/* --- valid.c --- */

/* The command's operands will be valid at its site when these are complete, which it must wait for;
 * what it writes is valid there alone. *over: uses that the caller frees. False: no memory. With
 * the lock. */
bool cwi_command_place(struct cwi_sited_event *event, const struct cwi_command *command,
                       const struct cwi_sited_argument *arguments, struct cwi_waits *waits,
                       struct cwi_use **over);

/* --- deliveries.c --- */

/* Wait for those at the site that touch the part; only for writers, if so asked. */
bool cwi_uses_await(const struct cwi_use *use, uint32_t site, size_t from, size_t to,
                    bool only_writers, struct cwi_waits *waits);
/* Bring what the memory has from one site to another, as much as one piece has. Returns where the
 * next one begins; `from`: no memory. With the lock. */
size_t cwi_delivery_begin(struct cwi_sited_memory *memory, size_t from, size_t to, uint32_t source,
                          uint32_t target);
/* CL_COMPLETE, or why it did not arrive; more: it is not done. */
cl_int cwi_delivery_verdict(const struct cwi_delivery *delivery);
/* Deliveries that are done. With the lock. */
struct cwi_delivery *cwi_deliveries_sweep(struct cwi_sited_context *context, struct cwi_use **over);
/* Free them, and uses that are over. Without it. */
void cwi_deliveries_free(struct cwi_delivery *deliveries, struct cwi_use *over);

/* --- mapped.c --- */

/* Maps and unmaps become what an executor performs: reads, writes, markers; a map's memory is
 * command->host. box: room for the region of an unmapped image. */
cl_int cwi_map_begin(struct cwi_command *command);
cl_int cwi_map_end(struct cwi_command *command, size_t box[2][3]);
/* Of a map whose command was not queued. */
void cwi_map_undo(struct cwi_sited_memory *memory, const void *address);

/* --- released.c --- */

/* A clerk's turn: what need not wait at home any more leaves it. */
long cwi_release_turn(struct cwi_sited_context *context);
/* While he is kept out: what is placed leaves home, and nothing else. *left: are there such
 * commands, or deliveries, that are not done? Returns CL_SUCCESS, or what became of a delivery. */
cl_int cwi_release_placed(struct cwi_sited_context *context, uint32_t *left);

#ifdef __cplusplus
}
#endif
#endif

/* The inside of the service: what a session has at its proxy. All of it is kept by the session's
 * lock, but for what the reading thread alone uses. */
#ifndef VOCL_SERVICE_SERVICE_SESSION_H
#define VOCL_SERVICE_SERVICE_SESSION_H

#include "executor/executor.h"
#include "service/service.h"
#include "wire/message.h"

#include <pthread.h>

enum {
  VOCL_SERVICE_PAGE_NUMBERS = 1 << 10, /* numbers of a page of the table */
  VOCL_SERVICE_DONE_BATCH = 64,        /* of one message */
};

struct vocl_service;

/* What has a number. It lives as long as the program names it, or a command needs it. */
struct vocl_service_object {
  enum vocl_sort sort;
  uint32_t number;
  uint32_t refs;
  /* Nobody holds it any more; NULL: it is freed. */
  void (*end)(struct vocl_service *session, struct vocl_service_object *object);
  cl_int code;         /* why it is none */
  bool is_coming;      /* the data that it is made of: native has what is to be made */
  bool reports_end;    /* the program wants to hear of it, and no vendor will say it */
  void *native;        /* the vendor's; NULL: none */
  uint64_t generation; /* tells it from others that have had its number */
  uint32_t builds;     /* of a program: that wait or are under way */
};

/* Buffers, sub-buffers and images. */
struct vocl_service_memory {
  struct vocl_service_object object;
  size_t size;
  size_t element; /* bytes of a pixel; 0: a buffer */
  size_t counted; /* bytes of the device that it takes */
  size_t extent[3];
  void *below; /* of an image of a 1D buffer: the vendor's buffer */
};

/* An argument as it was set. */
struct vocl_service_argument {
  enum {
    VOCL_PARAMETER_NOT_QUERIED,
    VOCL_PARAMETER_UNKNOWN,
    VOCL_PARAMETER_VALUE,
    VOCL_PARAMETER_BUFFER,
    VOCL_PARAMETER_IMAGE,
    VOCL_PARAMETER_SAMPLER
  } kind;
  bool is_set;
  cl_int code;     /* why it could not be set the last time, and nobody waited to hear that */
  uint32_t object; /* its number and birth, if it is one */
  uint64_t generation;
  size_t size;
  unsigned char *value; /* NULL: none */
};

struct vocl_service_kernel {
  struct vocl_service_object object;
  uint32_t waiting; /* launches that are not with the vendor yet: its arguments must stay */
  uint32_t count;
  struct vocl_service_argument arguments[];
};

/* A piece of data in the program's ring, in the order in which they lie there. */
struct vocl_service_piece {
  struct vocl_service_piece *next;
  struct vocl_service_piece *next_of_command;
  uint64_t end; /* position behind it */
  char *bytes;
  size_t offset, size; /* its place in all that travels */
  bool is_read;
};

/* Room in our ring of data. It is named in its turn: pieces are named in the order in which they
 * lie. */
struct vocl_service_space {
  char *bytes; /* NULL: none */
  uint64_t position, turn;
  size_t size;
};

/* Something of a command that the vendor has in a queue. */
struct vocl_service_operation {
  struct vocl_service_operation *next, *next_of_command;
  struct vocl_service_command *command;
  void *event;
  struct vocl_service_piece *piece; /* written from; NULL: none, or more of it follows */
  struct vocl_service_space space;  /* read into; the same */
  char *stage;                      /* or this */
  size_t offset, size;              /* of what was read there */
};

/* How data lies in memory: in boxes of packed rows and slices. */
struct vocl_service_box {
  size_t origin[3], region[3];
};

struct vocl_service_command {
  struct vocl_service_object object; /* its event */
  struct vocl_service_queue *queue;
  struct vocl_service_command *next; /* of its queue, as long as it waits */
  struct vocl_command native;
  size_t triples[6][3];
  uint64_t ticket, serial;
  cl_int status;
  bool is_issued, is_done;
  bool is_rejected; /* the call has returned an error: there is no event */
  /* data: in all, those that came, those that the vendor was given */
  uint64_t total, come, issued;
  struct vocl_service_piece *first, *last;
  struct vocl_service_operation *operations;
  uint64_t times[4];
  uint32_t wait_count, held_count;
  struct vocl_service_object **needs; /* events first, then all else */
  uint32_t kept_count;                /* what a kernel's arguments are, while the launch waits */
  struct vocl_service_object **kept;
};

struct vocl_service_finish {
  struct vocl_service_finish *next;
  uint64_t ticket, serial;
};

struct vocl_service_queue {
  struct vocl_service_object object;
  struct vocl_service *session;
  struct vocl_service_queue *next; /* of the session's */
  struct vocl_service_load *load;  /* of its device */
  bool is_profiled, keeps_order;
  bool is_left;   /* nobody will use it any more */
  bool has_ended; /* its thread */
  bool has_thread;
  bool is_dirty; /* the vendor is to be told to begin */
  /* Who waits for what is under way: the queue's thread, or, while that sleeps, the reading one. */
  bool is_awaited, is_polled;
  pthread_t thread;
  pthread_cond_t work;
  uint64_t serial;
  struct vocl_service_command *first, *last; /* that wait */
  struct vocl_service_operation *first_operation, *last_operation;
  uint32_t operations;
  struct vocl_service_finish *finishes;
};

struct vocl_service {
  struct vocl_channel channel;
  struct vocl_service_counts *counts;
  struct vocl_service_load parts;    /* of all parts of devices */
  struct vocl_move_request *request; /* NULL: nobody makes any */
  pthread_mutex_t lock;
  bool is_over;
  uint32_t id; /* by which vendors' notices find it */
  uint64_t generation;
  struct vocl_service_object **pages[VOCL_OBJECT_NUMBERS / VOCL_SERVICE_PAGE_NUMBERS];
  struct vocl_service_queue *queues;
  uint32_t queue_count;
  size_t ahead;          /* setting CW_VOCL_AHEAD */
  size_t waiting;        /* commands that the vendor has not got as a whole */
  size_t awaiting;       /* of those, how many want data */
  bool is_full;          /* the reading thread sleeps until fewer wait */
  bool polls;            /* the reading thread looks after what is short itself, until it sleeps */
  size_t staged;         /* bytes that are read, but not in the ring */
  uint64_t turns, named; /* pieces of our ring that were given away, and those that were named */
  pthread_cond_t turn;   /* one more was named, or a command is done */
  struct vocl_service_piece *first_piece, *last_piece;
  uint32_t done_count;
  struct vocl_completion done[VOCL_SERVICE_DONE_BATCH];
  /* builds */
  bool has_builder, builder_ends;
  pthread_t builder;
  pthread_cond_t build;
  struct vocl_service_building *first_build, *last_build;
  /* what vendors tell, under a lock of its own: they may call while we call them */
  struct vocl_service_notice *first_notice, *last_notice;
  struct vocl_service *next;                             /* of all sessions */
  uint64_t message[VOCL_MESSAGE_MAX / sizeof(uint64_t)]; /* what is being heard */
};

/* What follows a message's beginning: each part begins at a multiple of 8. */
struct vocl_service_parts {
  const char *at;
  size_t left;
  bool are_good;
};

static inline const void *vocl_service_part(struct vocl_service_parts *parts, uint64_t count,
                                            size_t size)
{
  const char *part = parts->at;
  if (count > parts->left / size) {
    parts->are_good = false;
    return NULL;
  }
  const size_t all = (count * size + 7) & ~(size_t)7;
  const size_t step = all < parts->left ? all : parts->left;
  parts->at += step;
  parts->left -= step;
  return part;
}

static inline void vocl_service_count(uint64_t *count, uint64_t more)
{
  __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

/* --- service_send.c: with the lock --- */

/* Say in the log what cannot be, and return false. */
bool vocl_service_protocol_error(const struct vocl_service *session, const char *what);
bool vocl_service_is_closed(struct vocl_service *session);
/* Room for a message, all zero but for its head; NULL: the session is over. Waits with the lock:
 * for nobody but the program. */
void *vocl_service_message_begin(struct vocl_service *session, enum vocl_msg_type what,
                                 size_t bytes, uint64_t ticket);
void vocl_service_message_end(struct vocl_service *session);
/* ticket 0: nobody asked. A long value goes by the data ring; then the lock is given back for a
 * time. */
void vocl_service_reply(struct vocl_service *session, uint64_t ticket, cl_int code);
void vocl_service_reply_bytes(struct vocl_service *session, const struct vocl_msg_reply *answer,
                              const void *value);
/* Room in the ring, if there is some now; the last that was taken may be given up. */
bool vocl_service_space_reserve(struct vocl_service *session, size_t size,
                                struct vocl_service_space *space);
void vocl_service_space_cancel(struct vocl_service *session,
                               const struct vocl_service_space *space);
/* The room is filled, or never will be: say so when its turn comes, until when the lock is given
 * back. result: number, ticket, last and offset. */
void vocl_service_space_send(struct vocl_service *session, const struct vocl_service_space *space,
                             const struct vocl_msg_data *result, bool is_filled);
/* The same with bytes that lie elsewhere: the lock is given back while there is no room, too. */
void vocl_service_send_result(struct vocl_service *session, const char *bytes, size_t size,
                              const struct vocl_msg_data *result);
void vocl_service_send_done(struct vocl_service *session,
                            const struct vocl_service_command *command);
/* Nothing stays unsaid. */
void vocl_service_publish(struct vocl_service *session);

/* --- service_objects.c: with the lock --- */

/* NULL: the number is out of range or taken, or there is no memory. bytes: of the whole struct. */
void *vocl_service_object_enter(struct vocl_service *session, enum vocl_sort sort, uint32_t number,
                                size_t bytes);
struct vocl_service_object *vocl_service_object_find(struct vocl_service *session, uint32_t number);
/* One of this sort with a vendor's object; NULL: *code says why. Memory: VOCL_BUFFER means all its
 * sorts, programs: VOCL_SOURCE_PROGRAM. */
struct vocl_service_object *vocl_service_object_resolve(struct vocl_service *session,
                                                        uint32_t number, enum vocl_sort sort,
                                                        cl_int *code);
void vocl_service_object_ref(struct vocl_service_object *object);
void vocl_service_object_free(struct vocl_service *session, struct vocl_service_object *object);
void vocl_service_object_unref(struct vocl_service *session, struct vocl_service_object *object);
/* Its number means nothing any more, or another object. */
void vocl_service_object_forget(struct vocl_service *session, struct vocl_service_object *object);
void vocl_service_object_replace(struct vocl_service *session, struct vocl_service_object *object,
                                 struct vocl_service_object *by);
/* The vendor's device; NULL: there is none of that number. */
void *vocl_service_device(struct vocl_service *session, uint32_t number);
uint32_t vocl_service_device_number(struct vocl_service *session, const void *native);
/* NULL: *code says why. To be freed. */
void **vocl_service_devices(struct vocl_service *session, const uint32_t *numbers, uint32_t count,
                            cl_int *code);
/* Everything that has a number is dropped. */
void vocl_service_drop_all(struct vocl_service *session);

/* --- what is done with messages, a function each; false: they cannot be --- */

typedef bool vocl_message_handler(struct vocl_service *session, const void *message, size_t bytes);
vocl_message_handler vocl_on_make, vocl_on_make_kernels, vocl_on_make_sub_devices, vocl_on_drop,
    vocl_on_watch_deleted;                                 /* handler_make.c */
vocl_message_handler vocl_on_build;                        /* handler_build.c */
vocl_message_handler vocl_on_query, vocl_on_query_formats; /* handler_query.c */
vocl_message_handler vocl_service_argument;                /* handler_argument.c */
vocl_message_handler vocl_service_command, vocl_on_data;   /* handler_command.c */
vocl_message_handler vocl_on_flush, vocl_service_finish;   /* handler_queue.c */
vocl_message_handler vocl_on_move_reply;                   /* service_move_request.c */

/* --- handler_make.c --- */

/* More of what an object is made of. */
bool vocl_service_make_continue(struct vocl_service *session, struct vocl_service_object *object,
                                const struct vocl_msg_data *data, const char *bytes);

/* --- handler_build.c --- */

/* Nothing more is built; the build under way is waited for, without the lock. */
void vocl_service_end_builds(struct vocl_service *session);

/* --- build_folder.c --- */

/* Builds with the files of an archive (wire/message.h) in a folder of its own, which is gone
 * afterwards. *is_other is set, and nothing is built, if a file that must be the same here is not.
 */
cl_int vocl_service_build_in_folder(struct vocl_building *native, void *archive, bool *is_other);
/* Puts VOCL_INCLUDES_FOLDER in the place of such folders' names. Returns the new length. */
size_t vocl_service_folder_mask(char *text);

/* --- service_notice.c --- */

/* For the vendor: what finds the session again, and calls with it. */
void *vocl_service_notice_data(const struct vocl_service *session, uint32_t number);
void CL_CALLBACK vocl_service_context_notice(const char *text, const void *bytes, size_t size,
                                             void *data);
void CL_CALLBACK vocl_service_deleted_notice(cl_mem memory, void *data);
void vocl_service_notices_begin(struct vocl_service *session);
void vocl_service_notices_end(struct vocl_service *session);
/* Tell the program what vendors have told. With the session's lock. */
void vocl_service_notices_send(struct vocl_service *session);

/* --- service_move_request.c --- */

/* Tell the program what is wanted of it, if anything is. */
void vocl_service_send_move(struct vocl_service *session);

/* --- handler_argument.c --- */

/* The kernel of a launch. */
static inline struct vocl_service_kernel *
vocl_service_kernel_of(const struct vocl_service_command *command)
{
  return (struct vocl_service_kernel *)command->needs[command->wait_count];
}
/* Could all be set, and does all that they name still live? */
cl_int vocl_service_check_arguments(struct vocl_service *session,
                                    const struct vocl_service_command *command);
/* A launch waits: the kernel's arguments stay as they are, and what they name. False: no memory. */
bool vocl_service_snapshot_arguments(struct vocl_service *session,
                                     struct vocl_service_command *command);
struct vocl_service_kernel *vocl_service_kernel_new(struct vocl_service *session, uint32_t number,
                                                    void *native, cl_int *code);

/* --- data_boxes.c --- */

/* Is what the command reads or writes inside its memory, and its pitches possible? Sets native's
 * pitches and the total. */
cl_int vocl_service_command_measure(struct vocl_service_command *command,
                                    const struct vocl_service_memory *memory);
/* Does what the command copies and fills lie inside its memory, of either side? Vendors forget to
 * ask, and would store elsewhere, where other sessions have theirs. */
bool vocl_service_command_is_within(const struct vocl_service_command *command,
                                    const struct vocl_service_memory *const sides[2]);
/* The box at the packed byte `from`, of at most `most` bytes; how many it has. 0: it would cut a
 * pixel. */
size_t vocl_service_next_box(const struct vocl_service_command *command,
                             const struct vocl_service_memory *memory, uint64_t from, size_t most,
                             struct vocl_service_box *box);

/* --- service_pieces.c --- */

/* What the message names. False: it cannot be. */
bool vocl_service_piece_new(struct vocl_service *session, const struct vocl_msg_data *data,
                            struct vocl_service_piece **piece);
/* The program may write there again, when all before it is read, too. */
void vocl_service_piece_release(struct vocl_service *session, struct vocl_service_piece *piece);
void vocl_service_pieces_free(struct vocl_service *session);

/* --- command_issue.c --- */

/* Give vendors what can be given. */
void vocl_service_issue(struct vocl_service *session);
/* It waits no more: the vendor has all of it, or, with a code, has refused it. */
void vocl_service_issued(struct vocl_service *session, struct vocl_service_command *command,
                         cl_int code);
/* Nothing of it is under way any more. */
void vocl_service_command_done(struct vocl_service *session, struct vocl_service_command *command);

/* One that it waits for. */
static inline const struct vocl_service_command *
vocl_service_awaited_command(const struct vocl_service_command *command, uint32_t i)
{
  return (const struct vocl_service_command *)command->needs[i];
}

/* Are those done that it waits for, so that all is told that came of them? */
static inline bool vocl_service_waits_are_done(const struct vocl_service_command *command)
{
  for (uint32_t i = 0; i < command->wait_count; i++)
    if (!vocl_service_awaited_command(command, i)->is_done)
      return false;
  return true;
}

/* --- handler_queue.c --- */

void vocl_service_queue_append(struct vocl_service_queue *queue,
                               struct vocl_service_command *command);
void vocl_service_queue_add_operation(struct vocl_service_queue *queue,
                                      struct vocl_service_operation *operation);
/* The vendors begin with what they were given. */
void vocl_service_flush_queues(struct vocl_service *session);
/* What has come to its end is told to those that finish. */
void vocl_service_queue_report(struct vocl_service_queue *queue);

/* --- service_waiter.c --- */

/* The vendor has something more in the queue: who waits for it is chosen. */
void vocl_service_choose_waiter(struct vocl_service_queue *queue);
/* Whoever may wait for another thread, or sleeps, leaves to the queues' threads what the reading
 * one looks after: else nobody might. leave_queue: of one queue. */
void vocl_service_hand_over_queues(struct vocl_service *session);
void vocl_service_hand_over_queue(struct vocl_service_queue *queue);

/* --- command_wait.c --- */

/* False: the system gives no thread. */
bool vocl_service_queue_start(struct vocl_service_queue *queue);
/* The reading thread: tell what of its own has come to its end. It waits for nothing. Returns
 * whether there was anything. */
bool vocl_service_poll(struct vocl_service *session);
/* The end of a queue's object: its thread goes when nothing is under way. */
void vocl_service_queue_retire(struct vocl_service *session, struct vocl_service_object *object);
/* Queues that were left, and whose threads have ended, are no more. */
void vocl_service_queues_reap(struct vocl_service *session);
/* Nothing new begins; without the lock, wait for the end of what is under way. */
void vocl_service_queues_stop(struct vocl_service *session);
void vocl_service_queues_join(struct vocl_service *session);
#endif

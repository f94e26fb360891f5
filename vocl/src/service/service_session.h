/* Internal header of the service: data structures of a session at its proxy. The session's lock
 * protects all of it, except the fields that only the reading thread uses. */
#pragma once

#include "executor/executor.h"
#include "service/service.h"
#include "wire/object_numbers.h"

#include <pthread.h>

enum {
  VOCL_SERVICE_DONE_BATCH = 64, /* completions in one message */
};

struct vocl_service;

/* An object with a number. It lives while the program uses it or a command needs it (refs). */
struct vocl_service_object {
  enum vocl_sort sort;
  uint32_t number;
  uint32_t refs;
  /* Called when the last reference is released; if NULL, the object is freed. */
  void (*end)(struct vocl_service *session, struct vocl_service_object *object);
  cl_int code;      /* error code if there is no vendor's object */
  bool is_coming;   /* its data is still arriving; `native` is the pending vocl_service_creation */
  bool reports_end; /* the program wants a deletion notice that no vendor will send */
  void *native;     /* the vendor's object; NULL if there is none */
  uint64_t generation; /* distinguishes it from other objects that had its number */
  uint32_t builds;     /* number of builds of this program that are queued or in progress */
};

/* Buffers, sub-buffers and images. */
struct vocl_service_memory {
  struct vocl_service_object object;
  size_t size;
  size_t element; /* bytes of a pixel; 0 for a buffer */
  size_t counted; /* bytes of device memory that are charged to it */
  size_t extent[3];
  void *below; /* the vendor's buffer below an image of a 1D buffer */
};

/* An argument as it was last set. */
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
  cl_int code;     /* error of the last attempt to set it, if no reply was sent */
  uint32_t object; /* number and generation of the object, if it is one */
  uint64_t generation;
  size_t size;
  unsigned char *value; /* NULL if there is none */
};

struct vocl_service_kernel {
  struct vocl_service_object object;
  uint32_t waiting; /* launches that the vendor does not have yet; the arguments must not change
                       while there are any */
  uint32_t count;
  struct vocl_service_argument arguments[];
};

/* A piece of data in the program's ring; the pieces are listed in ring order. */
struct vocl_service_piece {
  struct vocl_service_piece *next;
  struct vocl_service_piece *next_of_command;
  uint64_t end; /* position after the piece */
  char *bytes;
  size_t offset, size; /* its part of the command's data */
  bool is_read;
};

/* Reserved space in the proxy's data ring. Results are sent in the order of their numbers, which
 * is the order of the ring. */
struct vocl_service_space {
  char *bytes; /* NULL if there is none */
  uint64_t position, number;
  size_t size;
};

/* An operation that the vendor has in a queue; a command consists of one or several. */
struct vocl_service_operation {
  struct vocl_service_operation *next, *next_of_command;
  struct vocl_service_command *command;
  void *event;
  struct vocl_service_piece *piece; /* source of a write, released at the end; NULL if there is
                                       none, or if a later operation releases it */
  struct vocl_service_space space; /* destination of a read in the ring; `bytes` is NULL if there is
                                      none, or if a later operation sends it */
  char *stage;                     /* destination of a read outside the ring */
  size_t offset, size;             /* the part of the command's data that this destination holds */
};

struct vocl_service_command {
  struct vocl_service_object object; /* its event */
  struct vocl_service_queue *queue;
  struct vocl_service_command *next; /* next in its queue, while it waits */
  struct vocl_command native;
  size_t triples[VOCL_TRIPLES][3];
  uint64_t ticket, serial;
  cl_int status;
  bool is_issued, is_done;
  bool is_rejected; /* the call has returned an error, so the program has no event */
  /* bytes of data: in total, received, and given to the vendor */
  uint64_t total, received, issued;
  struct vocl_service_piece *first, *last;
  struct vocl_service_operation *operations;
  uint64_t times[4];
  uint32_t wait_count, held_count;
  struct vocl_service_object **needs; /* events of the wait list first, then all other objects */
  uint32_t kept_count;                /* objects that are arguments of a waiting launch */
  struct vocl_service_object **kept;
};

struct vocl_service_finish {
  struct vocl_service_finish *next;
  uint64_t ticket, serial;
};

struct vocl_service_queue {
  struct vocl_service_object object;
  struct vocl_service *session;
  struct vocl_service_queue *next; /* next queue of the session */
  struct vocl_service_load *load;  /* load counters of its device */
  bool is_profiled, keeps_order;
  bool is_left;   /* the program has released it */
  bool has_ended; /* its thread has ended */
  bool has_thread;
  bool is_dirty; /* must be flushed */
  /* If is_awaited, the queue's own thread waits for the operations. If is_polled, the reading
   * thread does. */
  bool is_awaited, is_polled;
  pthread_t thread;
  pthread_cond_t work;
  uint64_t serial;
  struct vocl_service_command *first, *last; /* waiting commands */
  struct vocl_service_operation *first_operation, *last_operation;
  uint32_t operations;
  struct vocl_service_finish *finishes;
};

struct vocl_service {
  struct vocl_channel channel;
  struct vocl_service_counts *counts;
  struct vocl_service_load parts;    /* load of all sub-devices */
  struct vocl_move_request *request; /* NULL if no request is ever made */
  pthread_mutex_t lock;
  bool is_over;
  uint32_t id; /* identifies the session in callbacks of vendors */
  uint64_t generation;
  struct vocl_numbers objects;
  struct vocl_service_queue *queues;
  uint32_t queue_count;
  size_t ahead;    /* value of the setting CW_VOCL_AHEAD */
  size_t waiting;  /* number of commands that their vendor does not have completely */
  size_t awaiting; /* number of those commands whose data has not arrived completely */
  bool is_full;    /* the reading thread waits until fewer commands wait */
  bool polls;      /* the reading thread is awake and polls short operations itself */
  size_t staged;   /* bytes of staged reads */
  uint64_t reserved_pieces, named; /* number of pieces reserved in our ring, and of pieces sent */
  pthread_cond_t changed;          /* signalled when a piece was sent or a command is done */
  struct vocl_service_piece *first_piece, *last_piece;
  uint32_t done_count;
  struct vocl_completion done[VOCL_SERVICE_DONE_BATCH];
  /* builds */
  bool has_builder, builder_ends;
  pthread_t builder;
  pthread_cond_t build;
  struct vocl_service_building *first_build, *last_build;
  /* notices of vendors, protected by a lock of their own, because vendors may make callbacks during
   * our calls */
  struct vocl_service_notice *first_notice, *last_notice;
  struct vocl_service *next; /* in the list of all sessions */
  uint64_t
      message[VOCL_MESSAGE_MAX / sizeof(uint64_t)]; /* copy of the message that is being handled */
};

/* Cursor over the parts that follow a message's fixed fields. Each part begins at a multiple of
 * 8. */
struct vocl_service_parts {
  const char *at;
  size_t left;
  bool are_good;
};

/* Returns the next part, `count` items of `size` bytes. If the message is too short, returns
 * NULL and clears are_good. */
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

/* --- service_send.c: with the session's lock held --- */

/* Logs what is wrong with the program's message and returns false. */
bool vocl_service_protocol_error(const struct vocl_service *session, const char *what);
bool vocl_service_is_closed(struct vocl_service *session);
/* Returns space for a message, zeroed except for its header, or NULL if the session is over.
 * Waits for the program with the lock held. */
void *vocl_service_message_begin(struct vocl_service *session, enum vocl_msg_type what,
                                 size_t bytes, uint64_t ticket);
void vocl_service_message_end(struct vocl_service *session);
/* Sends a reply; does nothing if the ticket is 0. A long value is sent through the data ring;
 * the lock may then be released for a time. */
void vocl_service_reply(struct vocl_service *session, uint64_t ticket, cl_int code);
void vocl_service_reply_bytes(struct vocl_service *session, const struct vocl_msg_reply *answer,
                              const void *value);
/* Reserves space in the data ring if there is enough now. Only the last reservation can be
 * cancelled. */
bool vocl_service_space_reserve(struct vocl_service *session, size_t size,
                                struct vocl_service_space *space);
void vocl_service_space_cancel(struct vocl_service *session,
                               const struct vocl_service_space *space);
/* Sends the result in the reserved space when all earlier spaces have been sent; if not
 * `is_filled`, sends a result without data. Releases the lock while it waits. `result` has the
 * number, ticket, last and offset. */
void vocl_service_space_send(struct vocl_service *session, const struct vocl_service_space *space,
                             const struct vocl_msg_data *result, bool is_filled);
/* Reserves space, copies `bytes` there and sends them. Releases the lock while it waits for
 * space. */
void vocl_service_send_result(struct vocl_service *session, const char *bytes, size_t size,
                              const struct vocl_msg_data *result);
void vocl_service_send_done(struct vocl_service *session,
                            const struct vocl_service_command *command);
/* Publishes all messages that are still buffered. */
void vocl_service_publish(struct vocl_service *session);

/* --- service_objects.c: with the session's lock held --- */

/* Makes an object of `bytes` bytes with this number. Returns NULL if the number is out of range
 * or taken, or if there is no memory. */
void *vocl_service_object_enter(struct vocl_service *session, enum vocl_sort sort, uint32_t number,
                                size_t bytes);
struct vocl_service_object *vocl_service_object_find(const struct vocl_service *session,
                                                     uint32_t number);
/* Returns an object of this sort that has a vendor's object. On failure returns NULL and sets
 * *code. VOCL_BUFFER stands for all sorts of memory, VOCL_SOURCE_PROGRAM for all sorts of
 * programs. */
struct vocl_service_object *vocl_service_object_resolve(struct vocl_service *session,
                                                        uint32_t number, enum vocl_sort sort,
                                                        cl_int *code);
/* vocl_service_object_ref and _unref acquire and release a reference. The last release calls
 * `end`, or vocl_service_object_free, which also drops the vendor's object. */
void vocl_service_object_ref(struct vocl_service_object *object);
void vocl_service_object_free(struct vocl_service *session, struct vocl_service_object *object);
void vocl_service_object_unref(struct vocl_service *session, struct vocl_service_object *object);
/* vocl_service_object_forget frees the object's number. vocl_service_object_replace assigns the
 * number to `by`. Both release the table's reference to `object`. */
void vocl_service_object_forget(struct vocl_service *session, struct vocl_service_object *object);
void vocl_service_object_replace(struct vocl_service *session, struct vocl_service_object *object,
                                 struct vocl_service_object *by);
/* Returns the vendor's device, or NULL if no device has the number. */
void *vocl_service_device(struct vocl_service *session, uint32_t number);
/* Returns the number of a vendor's device, or UINT32_MAX if the session does not know the
 * device. */
uint32_t vocl_service_device_number(struct vocl_service *session, const void *native);
/* Returns the vendors' devices; the caller frees the array. On failure returns NULL and sets
 * *code. */
void **vocl_service_devices(struct vocl_service *session, const uint32_t *numbers, uint32_t count,
                            cl_int *code);
/* Drops all objects of the session. */
void vocl_service_drop_all(struct vocl_service *session);

/* --- service_notice.c --- */

/* Returns user data for callbacks of vendors, which identifies the session and the object. */
void *vocl_service_notice_data(const struct vocl_service *session, uint32_t number);
/* Callbacks for vendors. They store a notice, which the session's thread sends. */
void CL_CALLBACK vocl_service_context_notice(const char *text, const void *bytes, size_t size,
                                             void *data);
void CL_CALLBACK vocl_service_deleted_notice(cl_mem memory, void *data);
/* Register the session for notices, and remove it with the notices that were not sent. */
void vocl_service_notices_begin(struct vocl_service *session);
void vocl_service_notices_end(struct vocl_service *session);
/* Sends the program all notices of vendors. Called with the session's lock held. */
void vocl_service_notices_send(struct vocl_service *session);

/* --- service_move_request.c --- */

/* Handles a message of the program; returns false if it is malformed. */
typedef bool vocl_message_handler(struct vocl_service *session, const void *message, size_t bytes);
vocl_message_handler vocl_on_move_reply;
/* Sends the program the move request, if there is one. */
void vocl_service_send_move(struct vocl_service *session);

/* --- service_pieces.c --- */

/* Adds the piece of data that the message names to the session's list and stores it in *piece.
 * Returns false if the message is invalid. */
bool vocl_service_piece_new(struct vocl_service *session, const struct vocl_msg_data *data,
                            struct vocl_service_piece **piece);
/* Marks the piece as read. The program may reuse its space when all earlier pieces are read,
 * too. */
void vocl_service_piece_release(struct vocl_service *session, struct vocl_service_piece *piece);
void vocl_service_pieces_free(struct vocl_service *session);

/* --- service_waiter.c --- */

/* Chooses the thread that waits for the queue, after the vendor got another operation. */
void vocl_service_choose_waiter(struct vocl_service_queue *queue);
/* Hands over the queues that the reading thread polls to their own threads. A thread must call this
 * before it sleeps or waits for another thread; otherwise no thread might wait for them.
 * vocl_service_hand_over_queue does so for one queue. */
void vocl_service_hand_over_queues(struct vocl_service *session);
void vocl_service_hand_over_queue(struct vocl_service_queue *queue);

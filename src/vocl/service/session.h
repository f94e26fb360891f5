/* The inside of the service: what a session has at its proxy. All of it is kept by the session's
 * lock, but for what the reading thread alone uses. */
#ifndef CWI_SERVICE_SESSION_H
#define CWI_SERVICE_SESSION_H

#include "executor/executor.h"
#include "service/service.h"
#include "wire/message.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CWI_SERVICE_PAGE = 1 << 10, /* numbers of a page of the table */
  CWI_SERVICE_DONES = 64,     /* of one message */
};

struct cwi_service;

/* What has a number. It lives as long as the program names it, or a command needs it. */
struct cwi_service_object {
  enum cwi_sort sort;
  uint32_t number;
  uint32_t held;
  /* Nobody holds it any more; NULL: it is freed. */
  void (*end)(struct cwi_service *session, struct cwi_service_object *object);
  cl_int code;     /* why it is none */
  bool is_coming;  /* the data that it is made of: native has what is to be made */
  bool tells_end;  /* the program wants to hear of it, and no vendor will say it */
  void *native;    /* the vendor's; NULL: none */
  uint64_t birth;  /* tells it from others that have had its number */
  uint32_t builds; /* of a program: that wait or are under way */
};

/* Buffers, sub-buffers and images. */
struct cwi_service_memory {
  struct cwi_service_object object;
  size_t size;
  size_t element; /* bytes of a pixel; 0: a buffer */
  size_t counted; /* bytes of the device that it takes */
  size_t extent[3];
  void *below; /* of an image of a 1D buffer: the vendor's buffer */
};

/* An argument as it was set. */
struct cwi_service_argument {
  enum { CWI_NOT_ASKED, CWI_UNTOLD, CWI_PLAIN, CWI_BUFFERS, CWI_IMAGES, CWI_SAMPLERS } kind;
  bool is_set;
  cl_int code;     /* why it could not be set the last time, and nobody waited to hear that */
  uint32_t object; /* its number and birth, if it is one */
  uint64_t birth;
  size_t size;
  unsigned char *value; /* NULL: none */
};

struct cwi_service_kernel {
  struct cwi_service_object object;
  uint32_t waiting; /* launches that are not with the vendor yet: its arguments must stay */
  uint32_t count;
  struct cwi_service_argument arguments[];
};

/* A piece of data in the program's ring, in the order in which they lie there. */
struct cwi_service_piece {
  struct cwi_service_piece *next;
  struct cwi_service_piece *next_of_command;
  uint64_t end; /* position behind it */
  char *bytes;
  size_t offset, size; /* its place in all that travels */
  bool is_read;
};

/* Room in our ring of data. It is named in its turn: pieces are named in the order in which they
 * lie. */
struct cwi_service_room {
  char *bytes; /* NULL: none */
  uint64_t position, turn;
  size_t size;
};

/* Something of a command that the vendor has in a queue. */
struct cwi_service_flight {
  struct cwi_service_flight *next, *next_of_command;
  struct cwi_service_command *command;
  void *event;
  struct cwi_service_piece *piece; /* written from; NULL: none, or more of it follows */
  struct cwi_service_room room;    /* read into; the same */
  char *stage;                     /* or this */
  size_t offset, size;             /* of what was read there */
};

/* How data lies in memory: in boxes of packed rows and slices. */
struct cwi_service_box {
  size_t origin[3], region[3];
};

struct cwi_service_command {
  struct cwi_service_object object; /* its event */
  struct cwi_service_queue *queue;
  struct cwi_service_command *next; /* of its queue, as long as it waits */
  struct cwi_command native;
  size_t triples[6][3];
  uint64_t ticket, serial;
  cl_int status;
  bool is_issued, is_done;
  bool is_refused; /* the call has returned an error: there is no event */
  /* data: in all, those that came, those that the vendor was given */
  uint64_t total, come, issued;
  struct cwi_service_piece *first, *last;
  struct cwi_service_flight *flights;
  uint64_t times[4];
  uint32_t wait_count, held_count;
  struct cwi_service_object **needs; /* events first, then all else */
  uint32_t kept_count;               /* what a kernel's arguments are, while the launch waits */
  struct cwi_service_object **kept;
};

struct cwi_service_finish {
  struct cwi_service_finish *next;
  uint64_t ticket, serial;
};

struct cwi_service_queue {
  struct cwi_service_object object;
  struct cwi_service *session;
  struct cwi_service_queue *next; /* of the session's */
  struct cwi_service_load *load;  /* of its device */
  bool is_profiled, keeps_order;
  bool is_left;   /* nobody will use it any more */
  bool has_ended; /* its thread */
  bool has_thread;
  bool is_dirty; /* the vendor is to be told to begin */
  /* Who waits for what is under way: the queue's thread, or, while that sleeps, the reading one. */
  bool is_awaited, is_attended;
  pthread_t thread;
  pthread_cond_t work;
  uint64_t serial;
  struct cwi_service_command *first, *last; /* that wait */
  struct cwi_service_flight *first_flight, *last_flight;
  uint32_t flights;
  struct cwi_service_finish *finishes;
};

struct cwi_service {
  struct cwi_channel channel;
  struct cwi_service_counts *counts;
  struct cwi_service_load parts; /* of all parts of devices */
  struct cwi_service_wish *wish; /* NULL: nobody makes any */
  pthread_mutex_t lock;
  bool is_over;
  uint32_t id; /* by which vendors' notices find it */
  uint64_t birth;
  struct cwi_service_object **pages[CWI_NUMBERS / CWI_SERVICE_PAGE];
  struct cwi_service_queue *queues;
  uint32_t queue_count;
  size_t ahead;          /* setting CW_VOCL_AHEAD */
  size_t waiting;        /* commands that the vendor has not got as a whole */
  size_t awaiting;       /* of those, how many want data */
  bool is_full;          /* the reading thread sleeps until fewer wait */
  bool attends;          /* the reading thread looks after what is short itself, until it sleeps */
  size_t staged;         /* bytes that are read, but not in the ring */
  uint64_t turns, named; /* pieces of our ring that were given away, and those that were named */
  pthread_cond_t turn;   /* one more was named, or a command is done */
  struct cwi_service_piece *first_piece, *last_piece;
  uint32_t done_count;
  struct cwi_done done[CWI_SERVICE_DONES];
  /* builds */
  bool has_builder, builder_ends;
  pthread_t builder;
  pthread_cond_t build;
  struct cwi_service_building *first_build, *last_build;
  /* what vendors tell, under a lock of its own: they may call while we call them */
  struct cwi_service_notice *first_notice, *last_notice;
  struct cwi_service *next;                              /* of all sessions */
  uint64_t message[CWI_MESSAGE_MOST / sizeof(uint64_t)]; /* what is being heard */
};

/* What follows a message's beginning: each part begins at a multiple of 8. */
struct cwi_service_parts {
  const char *at;
  size_t left;
  bool are_good;
};

static inline const void *cwi_service_part(struct cwi_service_parts *parts, uint64_t count,
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

static inline void cwi_service_count(uint64_t *count, uint64_t more)
{
  __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

/* --- say.c: with the lock --- */

/* Say in the log what cannot be, and return false. */
bool cwi_service_wild(const struct cwi_service *session, const char *what);
bool cwi_service_is_over(struct cwi_service *session);
/* Room for a message, all zero but for its head; NULL: the session is over. Waits with the lock:
 * for nobody but the program. */
void *cwi_service_say(struct cwi_service *session, enum cwi_says what, size_t bytes,
                      uint64_t ticket);
void cwi_service_said(struct cwi_service *session);
/* ticket 0: nobody asked. A long value goes by the data ring; then the lock is given back for a
 * time. */
void cwi_service_answer(struct cwi_service *session, uint64_t ticket, cl_int code);
void cwi_service_answer_bytes(struct cwi_service *session, const struct cwi_say_answer *answer,
                              const void *value);
/* Room in the ring, if there is some now; the last that was taken may be given up. */
bool cwi_service_room_take(struct cwi_service *session, size_t size, struct cwi_service_room *room);
void cwi_service_room_give_up(struct cwi_service *session, const struct cwi_service_room *room);
/* The room is filled, or never will be: say so when its turn comes, until when the lock is given
 * back. result: number, ticket, last and offset. */
void cwi_service_room_name(struct cwi_service *session, const struct cwi_service_room *room,
                           const struct cwi_say_data *result, bool is_filled);
/* The same with bytes that lie elsewhere: the lock is given back while there is no room, too. */
void cwi_service_result(struct cwi_service *session, const char *bytes, size_t size,
                        const struct cwi_say_data *result);
void cwi_service_done(struct cwi_service *session, const struct cwi_service_command *command);
/* Nothing stays unsaid. */
void cwi_service_publish(struct cwi_service *session);

/* --- objects.c: with the lock --- */

/* NULL: the number is out of range or taken, or there is no memory. bytes: of the whole struct. */
void *cwi_service_enter(struct cwi_service *session, enum cwi_sort sort, uint32_t number,
                        size_t bytes);
struct cwi_service_object *cwi_service_find(struct cwi_service *session, uint32_t number);
/* One of this sort with a vendor's object; NULL: *code says why. Memory: CWI_BUFFER means all its
 * sorts, programs: CWI_SOURCE_PROGRAM. */
struct cwi_service_object *cwi_service_resolve(struct cwi_service *session, uint32_t number,
                                               enum cwi_sort sort, cl_int *code);
void cwi_service_hold(struct cwi_service_object *object);
void cwi_service_object_free(struct cwi_service *session, struct cwi_service_object *object);
void cwi_service_let_go(struct cwi_service *session, struct cwi_service_object *object);
/* Its number means nothing any more, or another object. */
void cwi_service_forget(struct cwi_service *session, struct cwi_service_object *object);
void cwi_service_replace(struct cwi_service *session, struct cwi_service_object *object,
                         struct cwi_service_object *by);
/* The vendor's device; NULL: there is none of that number. */
void *cwi_service_device(struct cwi_service *session, uint32_t number);
uint32_t cwi_service_device_number(struct cwi_service *session, const void *native);
/* NULL: *code says why. To be freed. */
void **cwi_service_devices(struct cwi_service *session, const uint32_t *numbers, uint32_t count,
                           cl_int *code);
/* Everything that has a number is dropped. */
void cwi_service_drop_all(struct cwi_service *session);

/* --- what is done with messages, a function each; false: they cannot be --- */

typedef bool cwi_service_hear(struct cwi_service *session, const void *message, size_t bytes);
cwi_service_hear cwi_service_make, cwi_service_make_kernels, cwi_service_make_sub_devices,
    cwi_service_drop, cwi_service_tell_deleted;            /* make.c */
cwi_service_hear cwi_service_build;                        /* builder.c */
cwi_service_hear cwi_service_ask, cwi_service_ask_formats; /* answer.c */
cwi_service_hear cwi_service_argument;                     /* argument.c */
cwi_service_hear cwi_service_command, cwi_service_data;    /* decode.c */
cwi_service_hear cwi_service_flush, cwi_service_finish;    /* queue.c */
cwi_service_hear cwi_service_moved;                        /* wish.c */

/* --- make.c --- */

/* More of what an object is made of. */
bool cwi_service_make_more(struct cwi_service *session, struct cwi_service_object *object,
                           const struct cwi_say_data *data, const char *bytes);

/* --- builder.c --- */

/* Nothing more is built; the build under way is waited for, without the lock. */
void cwi_service_end_builds(struct cwi_service *session);

/* --- build_folder.c --- */

/* Builds with the files of an archive (wire/message.h) in a folder of its own, which is gone
 * afterwards. *is_other is set, and nothing is built, if a file that must be the same here is not.
 */
cl_int cwi_service_build_in_folder(struct cwi_building *native, void *archive, bool *is_other);
/* Puts CWI_INCLUDES_FOLDER in the place of such folders' names. Returns the new length. */
size_t cwi_service_folder_hide(char *text);

/* --- notice.c --- */

/* For the vendor: what finds the session again, and calls with it. */
void *cwi_service_notice_data(const struct cwi_service *session, uint32_t number);
void CL_CALLBACK cwi_service_context_notice(const char *text, const void *bytes, size_t size,
                                            void *data);
void CL_CALLBACK cwi_service_deleted_notice(cl_mem memory, void *data);
void cwi_service_notices_begin(struct cwi_service *session);
void cwi_service_notices_end(struct cwi_service *session);
/* Tell the program what vendors have told. With the session's lock. */
void cwi_service_notices_tell(struct cwi_service *session);

/* --- wish.c --- */

/* Tell the program what is wanted of it, if anything is. */
void cwi_service_wish_tell(struct cwi_service *session);

/* --- argument.c --- */

/* The kernel of a launch. */
static inline struct cwi_service_kernel *
cwi_service_kernel_of(const struct cwi_service_command *command)
{
  return (struct cwi_service_kernel *)command->needs[command->wait_count];
}
/* Could all be set, and does all that they name still live? */
cl_int cwi_service_check_arguments(struct cwi_service *session,
                                   const struct cwi_service_command *command);
/* A launch waits: the kernel's arguments stay as they are, and what they name. False: no memory. */
bool cwi_service_keep_arguments(struct cwi_service *session, struct cwi_service_command *command);
struct cwi_service_kernel *cwi_service_kernel_new(struct cwi_service *session, uint32_t number,
                                                  void *native, cl_int *code);

/* --- cut.c --- */

/* Is what the command reads or writes inside its memory, and its pitches possible? Sets native's
 * pitches and the total. */
cl_int cwi_service_measure(struct cwi_service_command *command,
                           const struct cwi_service_memory *memory);
/* Does what the command copies and fills lie inside its memory, of either side? Vendors forget to
 * ask, and would store elsewhere, where other sessions have theirs. */
bool cwi_service_is_within(const struct cwi_service_command *command,
                           const struct cwi_service_memory *const sides[2]);
/* The box at the packed byte `from`, of at most `most` bytes; how many it has. 0: it would cut a
 * pixel. */
size_t cwi_service_cut(const struct cwi_service_command *command,
                       const struct cwi_service_memory *memory, uint64_t from, size_t most,
                       struct cwi_service_box *box);

/* --- pieces.c --- */

/* What the message names. False: it cannot be. */
bool cwi_service_piece_new(struct cwi_service *session, const struct cwi_say_data *data,
                           struct cwi_service_piece **piece);
/* The program may write there again, when all before it is read, too. */
void cwi_service_piece_end(struct cwi_service *session, struct cwi_service_piece *piece);
void cwi_service_pieces_free(struct cwi_service *session);

/* --- issue.c --- */

/* Give vendors what can be given. */
void cwi_service_issue(struct cwi_service *session);
/* It waits no more: the vendor has all of it, or, with a code, has refused it. */
void cwi_service_issued(struct cwi_service *session, struct cwi_service_command *command,
                        cl_int code);
/* Nothing of it is under way any more. */
void cwi_service_command_done(struct cwi_service *session, struct cwi_service_command *command);

/* One that it waits for. */
static inline const struct cwi_service_command *
cwi_service_waited(const struct cwi_service_command *command, uint32_t i)
{
  return (const struct cwi_service_command *)command->needs[i];
}

/* Are those done that it waits for, so that all is told that came of them? */
static inline bool cwi_service_waits_are_done(const struct cwi_service_command *command)
{
  for (uint32_t i = 0; i < command->wait_count; i++)
    if (!cwi_service_waited(command, i)->is_done)
      return false;
  return true;
}

/* --- queue.c --- */

void cwi_service_queue_append(struct cwi_service_queue *queue, struct cwi_service_command *command);
void cwi_service_queue_fly(struct cwi_service_queue *queue, struct cwi_service_flight *flight);
/* The vendors begin with what they were given. */
void cwi_service_begin_work(struct cwi_service *session);
/* What has come to its end is told to those that finish. */
void cwi_service_queue_tell(struct cwi_service_queue *queue);

/* --- watcher.c --- */

/* The vendor has something more in the queue: who waits for it is chosen. */
void cwi_service_await(struct cwi_service_queue *queue);
/* Whoever may wait for another thread, or sleeps, leaves to the queues' threads what the reading
 * one looks after: else nobody might. leave_queue: of one queue. */
void cwi_service_leave_work(struct cwi_service *session);
void cwi_service_leave_queue(struct cwi_service_queue *queue);

/* --- wait.c --- */

/* False: the system gives no thread. */
bool cwi_service_queue_start(struct cwi_service_queue *queue);
/* The reading thread: tell what of its own has come to its end. It waits for nothing. Returns
 * whether there was anything. */
bool cwi_service_attend(struct cwi_service *session);
/* The end of a queue's object: its thread goes when nothing is under way. */
void cwi_service_queue_leave(struct cwi_service *session, struct cwi_service_object *object);
/* Queues that were left, and whose threads have ended, are no more. */
void cwi_service_queues_reap(struct cwi_service *session);
/* Nothing new begins; without the lock, wait for the end of what is under way. */
void cwi_service_queues_stop(struct cwi_service *session);
void cwi_service_queues_join(struct cwi_service *session);

#ifdef __cplusplus
}
#endif
#endif

/* A session: a program's use of one proxy. Its lock keeps everything of it; functions that say so
 * give it back while they wait. */
#ifndef CWI_REMOTE_SESSION_H
#define CWI_REMOTE_SESSION_H

#include "remote/far.h"
#include "wire/channel.h"
#include "wire/message.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_PUBLISH_BYTES = 16 << 10, CWI_LOOK_NANOSECONDS = 100000000 };

/* A message that wants an answer; on the stack of who waits. value: at most size bytes are stored,
 * `bytes` are in the answer. */
struct cwi_far_question {
  struct cwi_far_question *next;
  uint64_t ticket;
  bool is_answered;
  cl_int code;
  uint32_t count;
  uint64_t needed, bytes;
  uint64_t size;
  char *value;
};

struct cwi_session {
  struct cwi_session *next;
  uint32_t proxy;
  int socket;
  pthread_mutex_t lock;
  struct cwi_channel channel;
  bool is_over;
  bool is_deaf;  /* it has no listener any more */
  bool is_asked; /* to move a device, and has not answered */
  double looked; /* whether the socket is open */
  bool was_late; /* the last news that was waited for; touched without the lock */
  uint32_t waiters;
  struct cwi_signal wanted; /* the listener is */
  bool listener_is_idle;    /* until then; else it will look by itself */
  long courtesy;            /* nanoseconds; 0: nobody but the listener has heard of an end */
  uint64_t ended;           /* events */
  /* numbers of objects */
  struct cwi_far **objects; /* NULL: none */
  uint64_t *births;         /* of each number: when it was given away last */
  uint64_t birth;
  uint32_t *idle;
  uint32_t idle_count, fresh, most;
  uint32_t *drops; /* to be told to the proxy */
  uint32_t drop_count;
  struct cwi_far_question *questions;
  uint64_t ticket;
  uint64_t sent, unpublished;                   /* commands under way, and of those not published */
  struct cwi_call_back *first_call, *last_call; /* for the listener to make */
  struct cwi_far_queue *queues;
  struct cwi_far_event *reads; /* that are not finished */
  bool is_sending;             /* a command's data: no other's comes between */
  uint32_t will_send;          /* that wait for their turn */
  /* The proxy asks for a move. False: it cannot be. */
  bool (*hear_move)(struct cwi_session *session, const char *at, size_t bytes);
};

/* The service whose proxies there are. */
const char *cwi_remote_service(void);

/* The session with a proxy, opened if need be. NULL: there is none. */
struct cwi_session *cwi_session_with(uint32_t proxy);

static inline void cwi_session_lock(struct cwi_session *session)
{
  pthread_mutex_lock(&session->lock);
}

static inline void cwi_session_unlock(struct cwi_session *session)
{
  pthread_mutex_unlock(&session->lock);
}

/* It is over: every event is complete, every question answered. With the lock. */
void cwi_session_end(struct cwi_session *session);

/* A new object of a sort, held once, with or without a number. NULL: no memory. With the lock. */
void *cwi_far_new(struct cwi_session *session, const struct cwi_far_kind *kind, size_t bytes,
                  bool numbered);
static inline void cwi_far_hold(void *object)
{
  ((struct cwi_far *)object)->held++;
}
/* One holder less; the last one frees it, and the proxy will hear that nobody needs it. */
void cwi_far_let_go(void *object);
/* What is allocated for an object is freed, and what it holds let go. */
void cwi_far_free(struct cwi_far *far);
/* What lives at the number; NULL: nothing. */
struct cwi_far *cwi_far_at(const struct cwi_session *session, uint32_t number);

/* --- listen.c --- */

/* Wait until come(what), publishing first. False: the session is over. Gives the lock back. */
bool cwi_session_wait(struct cwi_session *session, bool (*come)(const void *what),
                      const void *what);
/* Take in what the proxy has said. Returns whether there was anything. */
bool cwi_session_hear(struct cwi_session *session);
/* Wake those that wait: something has changed at home. */
void cwi_session_wake(struct cwi_session *session);
bool cwi_listener_start(struct cwi_session *session);

/* Have the listener call function(session, what). False: no memory. */
bool cwi_call_later(struct cwi_session *session, void (*function)(void *what), void *what);

/* Make the calls that were left for later: the listener does, while there is one. Gives the lock
 * back. */
void cwi_make_calls(struct cwi_session *session);

/* --- shown.c --- */

/* Take the facts over. */
void cwi_far_device_learn(struct cwi_far_device *device, uint32_t proxy, struct cwi_facts *facts);

/* --- wanted.c --- */

/* What sessions have for that. */
bool cwi_hear_move(struct cwi_session *session, const char *at, size_t bytes);

/* --- say.c --- */

/* The next part of a message begins at a multiple of 8. */
static inline size_t cwi_part_bytes(size_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

/* Room for a message, its head filled in, all else zero. NULL: the session is over. It may wait,
 * giving the lock back. */
void *cwi_say_begin(struct cwi_session *session, enum cwi_says what, size_t bytes, uint64_t ticket);
/* It is complete. */
void cwi_say_end(struct cwi_session *session);
/* The other end sees what was said. */
void cwi_say_publish(struct cwi_session *session);
/* Something was published that nobody waits for. */
void cwi_listener_want(struct cwi_session *session);
/* Publish if so much is unpublished that it is worth it, or nothing is under way. */
void cwi_say_commonly(struct cwi_session *session);

/* The first `count` numbers, of one message. False: over. */
bool cwi_say_numbers(struct cwi_session *session, enum cwi_says what, uint64_t ticket,
                     const uint32_t *numbers, uint32_t count);
/* Tell which objects nobody needs; may wait. */
void cwi_say_drops(struct cwi_session *session);
/* The same if there is room. */
void cwi_say_drops_now(struct cwi_session *session);

/* Send data for a number, by pieces; it may wait. False: over. */
bool cwi_say_data(struct cwi_session *session, uint32_t number, const struct cwi_layout *layout);

/* A question's ticket, before its message is said; value, size: where the answer goes. */
uint64_t cwi_far_question_begin(struct cwi_session *session, struct cwi_far_question *question,
                                void *value, size_t size);
/* Wait for its answer; returns its code. */
cl_int cwi_far_question_wait(struct cwi_session *session, struct cwi_far_question *question);
/* It was not said, or the answer is not wanted any more. */
void cwi_far_question_withdraw(struct cwi_session *session,
                               const struct cwi_far_question *question);

void cwi_say_head(struct cwi_said *said, enum cwi_says what, size_t bytes, uint64_t ticket);
void cwi_say_write_numbers(struct cwi_say_numbers *message, const uint32_t *numbers,
                           uint32_t count);

/* --- done.c --- */

extern const struct cwi_far_kind cwi_events;
/* It is the last command of its queue now. */
void cwi_event_enter(struct cwi_far_event *event, struct cwi_far_queue *queue);
/* Its message has been written. */
void cwi_event_submitted(struct cwi_far_event *event);
/* The event is complete. */
void cwi_event_complete(struct cwi_far_event *event, cl_int status, const uint64_t *times);
/* Has it failed, and nobody but the caller has it? Then its queue tells when it is finished. */
void cwi_event_blame(const struct cwi_far_event *event, struct cwi_far_queue *queue);
/* Wait for it. CL_SUCCESS, or why it failed. */
cl_int cwi_event_wait(struct cwi_far_event *event);
/* Are its commands up to that place complete; and until they are, or the session is over. */
static inline bool cwi_queue_is_done(const struct cwi_far_queue *queue, uint64_t place)
{
  return queue->first == NULL || queue->first->place > place;
}
void cwi_queue_await(struct cwi_far_queue *queue, uint64_t place);

/* --- create.c --- */

/* What a message that makes an object has beside its fields. */
struct cwi_make_parts {
  cl_uint device_count;
  struct cwi_far_device *const *devices;
  const cl_context_properties *properties;
  cl_uint string_count;
  const void *const *strings;
  const size_t *lengths;           /* NULL, or 0: up to its zero */
  const struct cwi_layout *layout; /* the first contents of memory, or NULL */
  void *answer;                    /* what comes with the answer, or NULL */
  size_t answer_bytes;
};

/* Have the proxy make the object. A certain one goes without an answer. May wait. */
cl_int cwi_make_say(struct cwi_far *far, const struct cwi_say_make *fields,
                    const struct cwi_make_parts *parts, bool is_certain);

/* --- compile.c --- */

cl_int cwi_program_make(const struct cwi_making *making, void **object);

/* --- storage.c --- */

bool cwi_is_image(const struct cwi_far_memory *memory);
cl_int cwi_storage_make(const struct cwi_making *making, void **object);
/* The program lets go, and those that wanted to know are told, now if that can be. Gives the lock
 * back. */
void cwi_memory_let_go(struct cwi_far_memory *memory);

/* --- parameters.c --- */

/* The facts of a program's kernel, asked if they are not known. NULL: *code says why. */
void cwi_kernel_facts_leave(struct cwi_kernel_facts *facts);
cl_int cwi_kernel_make(const struct cwi_making *making, void **object);
/* The answer that is known; false: it is not. */
bool cwi_kernel_recall(const struct cwi_native_question *question, const void **value,
                       size_t *size);
/* Does the object that it names, if any, still live? */
bool cwi_argument_is_alive(const struct cwi_session *session,
                           const struct cwi_set_argument *argument);

/* --- check.c --- */

/* CL_SUCCESS: *is_certain tells whether the vendor will say so too. Else what is wrong. */
cl_int cwi_command_check(const struct cwi_command *command, bool *is_certain);

/* --- submit.c --- */

/* Does data of it travel to the program, or from it? */
static inline bool cwi_command_reads(enum cwi_command_sort sort)
{
  return sort == CWI_COMMAND_READ || sort == CWI_COMMAND_READ_RECT ||
         sort == CWI_COMMAND_READ_IMAGE;
}

static inline bool cwi_command_writes(enum cwi_command_sort sort)
{
  return sort == CWI_COMMAND_WRITE || sort == CWI_COMMAND_WRITE_RECT ||
         sort == CWI_COMMAND_WRITE_IMAGE;
}

/* How long its message is at most. */
size_t cwi_command_bytes(const struct cwi_command *command);
/* Has one of the events failed that it waits for? */
bool cwi_command_has_failed_wait(const struct cwi_command *command);
/* Say the command, and send its data. May wait; if meanwhile something fails that it waits for, so
 * does its event, and nothing is said. False: the session is over. */
bool cwi_command_say(struct cwi_far_event *event, const struct cwi_command *command,
                     uint64_t ticket);

#ifdef __cplusplus
}
#endif
#endif

/* A session: a program's use of one proxy. Its lock keeps everything of it; functions that say so
 * give it back while they wait. */
#ifndef VOCL_REMOTE_REMOTE_SESSION_H
#define VOCL_REMOTE_REMOTE_SESSION_H

#include "remote/stub.h"
#include "wire/channel.h"
#include "wire/message.h"

#include <pthread.h>

enum { VOCL_PUBLISH_BYTES = 16 << 10, VOCL_POLL_NANOSECONDS = 100000000 };

/* A message that wants an answer; on the stack of who waits. value: at most size bytes are stored,
 * `bytes` are in the answer. */
struct vocl_request {
  struct vocl_request *next;
  uint64_t ticket;
  bool is_replied;
  cl_int code;
  uint32_t count;
  uint64_t needed, bytes;
  uint64_t size;
  char *value;
};

struct vocl_session {
  struct vocl_session *next;
  uint32_t proxy;
  int socket;
  pthread_mutex_t lock;
  struct vocl_channel channel;
  bool is_over;
  bool has_no_listener; /* it has no listener any more */
  bool is_queried;      /* to move a device, and has not answered */
  double checked;       /* whether the socket is open */
  bool was_late;        /* the last news that was waited for; touched without the lock */
  uint32_t waiters;
  struct cwi_signal wanted; /* the listener is */
  bool listener_is_idle;    /* until then; else it will look by itself */
  long grace;               /* nanoseconds; 0: nobody but the listener has heard of an end */
  uint64_t ended;           /* events */
  /* numbers of objects */
  struct vocl_stub **objects; /* NULL: none */
  uint64_t *generations;      /* of each number: when it was given away last */
  uint64_t generation;
  uint32_t *idle;
  uint32_t idle_count, fresh, most;
  uint32_t *drops; /* to be told to the proxy */
  uint32_t drop_count;
  struct vocl_request *queries;
  uint64_t ticket;
  uint64_t sent, unpublished; /* commands under way, and of those not published */
  struct vocl_deferred_call *first_call, *last_call; /* for the listener to make */
  struct vocl_stub_queue *queues;
  struct vocl_stub_event *reads; /* that are not finished */
  bool is_sending;               /* a command's data: no other's comes between */
  uint32_t will_send;            /* that wait for their turn */
  /* The proxy asks for a move. False: it cannot be. */
  bool (*receive_move)(struct vocl_session *session, const char *at, size_t bytes);
};

/* The service whose proxies there are. */
const char *vocl_remote_service_name(void);

/* The session with a proxy, opened if need be. NULL: there is none. */
struct vocl_session *vocl_session_with_proxy(uint32_t proxy);

static inline void vocl_session_lock(struct vocl_session *session)
{
  pthread_mutex_lock(&session->lock);
}

static inline void vocl_session_unlock(struct vocl_session *session)
{
  pthread_mutex_unlock(&session->lock);
}

/* It is over: every event is complete, every question answered. With the lock. */
void vocl_session_lost(struct vocl_session *session);

/* A new object of a sort, held once, with or without a number. NULL: no memory. With the lock. */
void *vocl_stub_new(struct vocl_session *session, const struct vocl_stub_kind *kind, size_t bytes,
                    bool numbered);
static inline void vocl_stub_ref(void *object)
{
  ((struct vocl_stub *)object)->refs++;
}
/* One holder less; the last one frees it, and the proxy will hear that nobody needs it. */
void vocl_stub_unref(void *object);
/* What is allocated for an object is freed, and what it holds let go. */
void vocl_stub_free(struct vocl_stub *stub);
/* What lives at the number; NULL: nothing. */
struct vocl_stub *vocl_stub_at(const struct vocl_session *session, uint32_t number);

/* --- remote_receive.c --- */

/* Wait until come(what), publishing first. False: the session is over. Gives the lock back. */
bool vocl_session_wait(struct vocl_session *session, bool (*come)(const void *what),
                       const void *what);
/* Take in what the proxy has said. Returns whether there was anything. */
bool vocl_session_receive(struct vocl_session *session);
/* Wake those that wait: something has changed at home. */
void vocl_session_wake(struct vocl_session *session);
bool vocl_listener_start(struct vocl_session *session);

/* Have the listener call function(session, what). False: no memory. */
bool vocl_session_call_later(struct vocl_session *session, void (*function)(void *what),
                             void *what);

/* Make the calls that were left for later: the listener does, while there is one. Gives the lock
 * back. */
void vocl_session_run_calls(struct vocl_session *session);

/* --- remote_devices.c --- */

/* Take the facts over. */
void vocl_stub_device_set_facts(struct vocl_stub_device *device, uint32_t proxy,
                                struct vocl_facts *facts);

/* --- remote_move_request.c --- */

/* What sessions have for that. */
bool vocl_session_receive_move(struct vocl_session *session, const char *at, size_t bytes);

/* --- remote_send.c --- */

/* The next part of a message begins at a multiple of 8. */
static inline size_t vocl_part_padded_bytes(size_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

/* Room for a message, its head filled in, all else zero. NULL: the session is over. It may wait,
 * giving the lock back. */
void *vocl_message_begin(struct vocl_session *session, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket);
/* It is complete. */
void vocl_message_end(struct vocl_session *session);
/* The other end sees what was said. */
void vocl_session_publish(struct vocl_session *session);
/* Something was published that nobody waits for. */
void vocl_listener_wake(struct vocl_session *session);
/* Publish if so much is unpublished that it is worth it, or nothing is under way. */
void vocl_session_publish_if_due(struct vocl_session *session);

/* The first `count` numbers, of one message. False: over. */
bool vocl_msg_numbers(struct vocl_session *session, enum vocl_msg_type what, uint64_t ticket,
                      const uint32_t *numbers, uint32_t count);
/* Tell which objects nobody needs; may wait. */
void vocl_session_send_drops(struct vocl_session *session);
/* The same if there is room. */
void vocl_session_try_send_drops(struct vocl_session *session);

/* Send data for a number, by pieces; it may wait. False: over. */
bool vocl_msg_data(struct vocl_session *session, uint32_t number,
                   const struct vocl_host_layout *layout);

/* A question's ticket, before its message is said; value, size: where the answer goes. */
uint64_t vocl_request_begin(struct vocl_session *session, struct vocl_request *query, void *value,
                            size_t size);
/* Wait for its answer; returns its code. */
cl_int vocl_request_wait(struct vocl_session *session, struct vocl_request *query);
/* It was not said, or the answer is not wanted any more. */
void vocl_request_cancel(struct vocl_session *session, const struct vocl_request *query);

void vocl_msg_header_set(struct vocl_msg_header *msg, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket);
void vocl_msg_numbers_set(struct vocl_msg_numbers *message, const uint32_t *numbers,
                          uint32_t count);

/* --- stub_event.c --- */

extern const struct vocl_stub_kind vocl_stub_event_kind;
/* It is the last command of its queue now. */
void vocl_stub_event_enqueued(struct vocl_stub_event *event, struct vocl_stub_queue *queue);
/* Its message has been written. */
void vocl_stub_event_submitted(struct vocl_stub_event *event);
/* The event is complete. */
void vocl_stub_event_complete(struct vocl_stub_event *event, cl_int status, const uint64_t *times);
/* Has it failed, and nobody but the caller has it? Then its queue tells when it is finished. */
void vocl_stub_event_record_failure(const struct vocl_stub_event *event,
                                    struct vocl_stub_queue *queue);
/* Wait for it. CL_SUCCESS, or why it failed. */
cl_int vocl_stub_event_wait(struct vocl_stub_event *event);
/* Are its commands up to that place complete; and until they are, or the session is over. */
static inline bool vocl_stub_queue_is_done(const struct vocl_stub_queue *queue, uint64_t place)
{
  return queue->first == NULL || queue->first->place > place;
}
void vocl_stub_queue_wait(struct vocl_stub_queue *queue, uint64_t place);

/* --- stub_make.c --- */

/* What a message that makes an object has beside its fields. */
struct vocl_create_parts {
  cl_uint device_count;
  struct vocl_stub_device *const *devices;
  const cl_context_properties *properties;
  cl_uint string_count;
  const void *const *strings;
  const size_t *lengths;                 /* NULL, or 0: up to its zero */
  const struct vocl_host_layout *layout; /* the first contents of memory, or NULL */
  void *answer;                          /* what comes with the answer, or NULL */
  size_t answer_bytes;
};

/* Have the proxy make the object. A certain one goes without an answer. May wait. */
cl_int vocl_send_create(struct vocl_stub *stub, const struct vocl_msg_make *fields,
                        const struct vocl_create_parts *parts, bool is_certain);

/* --- stub_program.c --- */

cl_int vocl_stub_program_make(const struct vocl_making *making, void **object);

/* --- stub_memory.c --- */

bool vocl_stub_memory_is_image(const struct vocl_stub_memory *memory);
cl_int vocl_stub_memory_make(const struct vocl_making *making, void **object);
/* The program lets go, and those that wanted to know are told, now if that can be. Gives the lock
 * back. */
void vocl_stub_memory_release(struct vocl_stub_memory *memory);

/* --- stub_kernel.c --- */

/* The facts of a program's kernel, asked if they are not known. NULL: *code says why. */
void vocl_kernel_facts_unref(struct vocl_kernel_facts *facts);
cl_int vocl_stub_kernel_make(const struct vocl_making *making, void **object);
/* The answer that is known; false: it is not. */
bool vocl_stub_kernel_query_known(const struct vocl_query *query, const void **value, size_t *size);
/* Does the object that it names, if any, still live? */
bool vocl_stub_argument_is_alive(const struct vocl_session *session,
                                 const struct vocl_set_argument *argument);

/* --- stub_check.c --- */

/* CL_SUCCESS: *is_certain tells whether the vendor will say so too. Else what is wrong. */
cl_int vocl_stub_command_check(const struct vocl_command *command, bool *is_certain);

/* --- stub_command_message.c --- */

/* Does data of it travel to the program, or from it? */
static inline bool vocl_command_reads(enum vocl_command_sort sort)
{
  return sort == VOCL_COMMAND_READ || sort == VOCL_COMMAND_READ_RECT ||
         sort == VOCL_COMMAND_READ_IMAGE;
}

static inline bool vocl_command_writes(enum vocl_command_sort sort)
{
  return sort == VOCL_COMMAND_WRITE || sort == VOCL_COMMAND_WRITE_RECT ||
         sort == VOCL_COMMAND_WRITE_IMAGE;
}

/* How long its message is at most. */
size_t vocl_command_message_bytes(const struct vocl_command *command);
/* Has one of the events failed that it waits for? */
bool vocl_command_has_failed_wait(const struct vocl_command *command);
/* Say the command, and send its data. May wait; if meanwhile something fails that it waits for, so
 * does its event, and nothing is said. False: the session is over. */
bool vocl_command_send(struct vocl_stub_event *event, const struct vocl_command *command,
                       uint64_t ticket);
#endif

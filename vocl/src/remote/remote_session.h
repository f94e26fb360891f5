/* A session: a program's connection to one proxy. Its lock protects all fields. The comment of a
 * function says if it releases the lock while it waits. */
#pragma once

#include "remote/stub.h"
#include "wire/channel.h"
#include "wire/object_numbers.h"

#include <pthread.h>

enum { VOCL_PUBLISH_BYTES = 16 << 10, VOCL_POLL_NANOSECONDS = 100000000 };

/* A request that wants a reply; it is on the stack of the thread that waits. At most `size`
 * bytes are stored in `value`; the reply has `bytes` bytes. */
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
  bool has_no_listener; /* the listener thread has ended */
  bool is_queried;      /* a move request of the proxy is in progress */
  double checked;       /* time of the last check whether the socket is open */
  bool was_late; /* the last message that was waited for came late; accessed without the lock */
  uint32_t waiters;
  struct cwi_signal wanted; /* signals the listener */
  bool listener_is_idle;    /* true if the listener sleeps for long (VOCL_POLL_NANOSECONDS) unless
                               `wanted` is signalled; if false, it wakes soon by itself */
  long grace;     /* nanoseconds to sleep while other threads may receive; 0 if none has completed
                     events */
  uint64_t ended; /* number of completed events */
  struct vocl_numbers objects;
  uint64_t generation; /* generation of the newest object */
  uint32_t *idle;      /* numbers that can be used again */
  uint32_t idle_count, fresh, most;
  uint32_t *drops; /* numbers to send to the proxy */
  uint32_t drop_count;
  struct vocl_request *queries;
  uint64_t ticket;
  uint64_t sent, unpublished; /* commands in progress, and how many of those are not published */
  struct vocl_deferred_call *first_call, *last_call; /* calls that the listener makes */
  struct vocl_stub_queue *queues;
  struct vocl_stub_event *reads; /* reads that are not finished */
  bool is_sending;    /* a command is sending its data, which must not be mixed with that of another
                         one */
  uint32_t will_send; /* number of commands that wait for their turn to send */
  /* Handles a move request of the proxy. Returns false if the message is malformed. */
  bool (*receive_move)(struct vocl_session *session, const char *at, size_t bytes);
};

/* Returns the name of the service to connect to. */
const char *vocl_remote_service_name(void);

/* Returns the session with a proxy, which it opens if necessary, or NULL on failure. */
struct vocl_session *vocl_session_with_proxy(uint32_t proxy);

static inline void vocl_session_lock(struct vocl_session *session)
{
  pthread_mutex_lock(&session->lock);
}

static inline void vocl_session_unlock(struct vocl_session *session)
{
  pthread_mutex_unlock(&session->lock);
}

/* Ends the session: completes all events and requests with an error. Called with the lock held. */
void vocl_session_lost(struct vocl_session *session);

/* Makes a stub with one reference, and with a number if `numbered`. Returns NULL if there is no
 * memory. Called with the lock held. */
void *vocl_stub_new(struct vocl_session *session, const struct vocl_stub_kind *kind, size_t bytes,
                    bool numbered);
static inline void vocl_stub_ref(void *object)
{
  ((struct vocl_stub *)object)->refs++;
}
/* Releases a reference. The last one frees the stub and schedules a drop message to the proxy. */
void vocl_stub_unref(void *object);
/* Frees the stub and releases what it references. */
void vocl_stub_free(struct vocl_stub *stub);
/* Returns the stub with this number, or NULL. */
struct vocl_stub *vocl_stub_at(const struct vocl_session *session, uint32_t number);

/* --- remote_receive.c --- */

/* Publishes, and waits until is_ready(what) returns true. Returns false if the session is over.
 * Releases the lock while it waits. */
bool vocl_session_wait(struct vocl_session *session, bool (*is_ready)(const void *what),
                       const void *what);
/* Handles the messages that have arrived. Returns true if there were any. */
bool vocl_session_receive(struct vocl_session *session);
/* Wakes the threads that wait, after a change on the client side. */
void vocl_session_wake(struct vocl_session *session);
/* Starts the listener thread of the session. Returns false if that fails. */
bool vocl_listener_start(struct vocl_session *session);

/* Schedules a call of function(what) by the listener. Returns false if there is no memory. */
bool vocl_session_call_later(struct vocl_session *session, void (*function)(void *what),
                             void *what);

/* Makes the deferred calls. The listener does this while it exists. Releases the lock during
 * each call. */
void vocl_session_run_calls(struct vocl_session *session);

/* --- remote_devices.c --- */

/* Stores the facts in the device, which owns them from then on. */
void vocl_stub_device_set_facts(struct vocl_stub_device *device, uint32_t proxy,
                                struct vocl_facts *facts);

/* --- remote_move_request.c --- */

/* Handles a move request of the proxy. Returns false if the message is malformed or another move is
 * in progress. */
bool vocl_session_receive_move(struct vocl_session *session, const char *at, size_t bytes);

/* --- remote_send.c, remote_publish.c --- */

/* Rounds up to a multiple of 8, at which the next part of a message begins. */
static inline size_t vocl_part_padded_bytes(size_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

/* Returns space for a message, zeroed except for its header, or NULL if the session is over. May
 * wait, and releases the lock meanwhile. */
void *vocl_message_begin(struct vocl_session *session, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket);
/* Completes the message; it becomes visible at the next publication. */
void vocl_message_end(struct vocl_session *session);
/* Makes all complete messages visible to the proxy. */
void vocl_session_publish(struct vocl_session *session);
/* Wakes the listener if it is idle and no other thread waits for messages. */
void vocl_listener_wake(struct vocl_session *session);
/* Publishes if enough messages are buffered, or if no published command is in progress. */
void vocl_session_publish_if_due(struct vocl_session *session);

/* Sends `count` numbers in one message. Returns false if the session is over. */
bool vocl_msg_numbers(struct vocl_session *session, enum vocl_msg_type what, uint64_t ticket,
                      const uint32_t *numbers, uint32_t count);
/* Sends pending drops if there are many; never waits. */
void vocl_session_send_drops(struct vocl_session *session);
/* Sends the pending drops for which there is space; never waits. */
void vocl_session_try_send_drops(struct vocl_session *session);

/* Sends the data of an object or command in pieces; may wait. Returns false if the session is
 * over. */
bool vocl_msg_data(struct vocl_session *session, uint32_t number,
                   const struct vocl_host_layout *layout);

/* Begins a request and returns its ticket, to be written into its message. The reply's data will
 * be stored in `value`. */
uint64_t vocl_request_begin(struct vocl_session *session, struct vocl_request *query, void *value,
                            size_t size);
/* Waits for the reply and returns its code. */
cl_int vocl_request_wait(struct vocl_session *session, struct vocl_request *query);
/* Removes a request that was not sent or whose reply is not wanted any more. */
void vocl_request_cancel(struct vocl_session *session, const struct vocl_request *query);

void vocl_msg_header_set(struct vocl_msg_header *msg, enum vocl_msg_type what, size_t bytes,
                         uint64_t ticket);
void vocl_msg_numbers_set(struct vocl_msg_numbers *message, const uint32_t *numbers,
                          uint32_t count);

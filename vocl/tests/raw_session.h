/* A session with the service, message by message, as the program's end sees it. */
#pragma once

#include "kit/kit.h"

#include "service/service.h"
#include "wire/message.h"

#include "executor/executor.h"

#include <pthread.h>

enum { RAW_EVENTS = 8192, RAW_TICKETS = 4096 };

/* A session with the service in a thread of this process, and what the service has sent. */
struct raw_session {
  struct vocl_channel_memory *memory;
  struct vocl_channel channel;
  struct vocl_service_counts counts;
  struct vocl_move_request request;
  pthread_t thread;
  uint64_t ticket;
  bool ignores_messages; /* messages of the service are not stored */
  struct {
    bool is_reported;
    int32_t status;
    uint64_t times[4];
    char *into; /* destination of a read */
    uint64_t received;
  } events[RAW_EVENTS];
  struct {
    bool is_reported;
    int32_t code;
    uint32_t count;
    uint64_t needed, bytes;
    char *value;
  } replies[RAW_TICKETS];
  uint32_t deleted; /* memory that was reported last as deleted */
  char *record;     /* records the messages that are sent, if it is not NULL */
  size_t recorded;
};

void raw_session_begin(struct raw_session *session);
/* Closes the session and checks that the service has freed all its objects. */
void raw_session_end(struct raw_session *session);

/* Returns a message, zeroed except for its header, or NULL if the session is over. A message with a
 * ticket gets a reply. */
void *raw_message_begin(struct raw_session *session, enum vocl_msg_type what, size_t bytes,
                        bool ticket);
/* Completes and publishes the message. */
void raw_message_end(struct raw_session *session, void *message);
/* Sends a piece of data of the object or event with the number. */
void raw_data_send(struct raw_session *session, uint32_t number, const void *bytes, size_t size,
                   uint64_t offset);
/* Sends a message of `count` numbers. */
void raw_numbers_send(struct raw_session *session, enum vocl_msg_type what, bool ticket,
                      uint32_t count, const uint32_t *numbers);

/* Handles the messages that have arrived. Returns true if there were any. */
bool raw_session_receive(struct raw_session *session);
/* Waits for the reply to the last message with a ticket and returns its code. */
int32_t raw_session_reply(struct raw_session *session);
/* Waits until the event is reported and returns its status. */
int32_t raw_session_status(struct raw_session *session, uint32_t event);
/* Waits until the service has received all messages. */
void raw_session_drain(struct raw_session *session);
/* Returns one of session->counts, which the service changes meanwhile. */
long raw_session_count(const uint64_t *count);
bool raw_session_is_over(const struct raw_session *session);

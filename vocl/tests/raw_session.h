/* For tests of the service: the program's end of a session, message by message. */
#ifndef TESTS_VOCL_SPEAKER_H
#define TESTS_VOCL_SPEAKER_H

#include "kit/kit.h"

#include "service/service.h"
#include "wire/message.h"

#include "executor/executor.h"

#include <pthread.h>

enum { SPEAKER_EVENTS = 8192, SPEAKER_TICKETS = 4096 };

/* A session with the service in a thread of this process. Its messages are recorded. */
struct speaker {
  struct vocl_channel_memory *memory;
  struct vocl_channel channel;
  struct vocl_service_counts counts;
  struct vocl_move_request wish;
  pthread_t thread;
  uint64_t ticket;
  bool is_quiet; /* what the service says is not looked at */
  struct {
    bool told;
    int32_t status;
    uint64_t times[4];
    char *into; /* what it reads */
    uint64_t come;
  } events[SPEAKER_EVENTS];
  struct {
    bool told;
    int32_t code;
    uint32_t count;
    uint64_t needed, bytes;
    char *value;
  } answers[SPEAKER_TICKETS];
  uint32_t deleted; /* memory object of the last deletion message */
  char *record;     /* record of the sent messages, or NULL */
  size_t recorded;
};

void speaker_begin(struct speaker *speaker);
/* The program goes. Checks that nothing is left at the service. */
void speaker_end(struct speaker *speaker);

/* Begins a message, all zero except for its header. ticket: true if an answer is requested. Returns
 * NULL if the session is over. */
void *speaker_say(struct speaker *speaker, enum vocl_msg_type what, size_t bytes, bool ticket);
/* It is complete; it is published. */
void speaker_said(struct speaker *speaker, void *message);
/* A piece of data for a number. */
void speaker_data(struct speaker *speaker, uint32_t number, const void *bytes, size_t size,
                  uint64_t offset);
/* Several numbers. */
void speaker_numbers(struct speaker *speaker, enum vocl_msg_type what, bool ticket, uint32_t count,
                     const uint32_t *numbers);

/* Take in what is there. Returns whether there was anything. */
bool speaker_hear(struct speaker *speaker);
/* The answer to the last question: its code. */
int32_t speaker_answer(struct speaker *speaker);
/* Waits for the status of the event and returns it. */
int32_t speaker_event(struct speaker *speaker, uint32_t event);
/* Wait until the service has heard everything. */
void speaker_rest(struct speaker *speaker);
/* One of speaker->counts, which the service changes meanwhile. */
long speaker_count(const uint64_t *count);
bool speaker_is_over(const struct speaker *speaker);

#endif

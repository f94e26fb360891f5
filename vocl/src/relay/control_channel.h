/* Mail: short messages between the proxies of a service, and the slots of relays. All of it lies
 * in one region; a notification tells that a mail is there, and with it all that its sender has put
 * before. */
#ifndef VOCL_RELAY_CONTROL_CHANNEL_H
#define VOCL_RELAY_CONTROL_CHANNEL_H

#include "service/service.h"
#include "wire/channel.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vocl_control_kind {
  VOCL_CONTROL_OPEN,              /* a program at my door wants a session with you: opening */
  VOCL_CONTROL_OPEN_REPLY,        /* opening.slot is mine for it; or code: there is none */
  VOCL_CONTROL_POSITIONS,         /* how far a relay has come: positions */
  VOCL_CONTROL_CLOSE,             /* my end of a relay has gone: I put no more into your slot */
  VOCL_CONTROL_LIST,              /* tell me of your sessions; number: of the question */
  VOCL_CONTROL_LIST_ENTRY,        /* one of them */
  VOCL_CONTROL_LIST_END,          /* that was all */
  VOCL_CONTROL_MOVE,              /* session `number` is to move: moving */
  VOCL_CONTROL_MOVE_REPLY,        /* what came of request `number`: code, moved */
  VOCL_CONTROL_LOAD,              /* to process 0: what session `number` is at work on: load */
  VOCL_CONTROL_STOP,              /* the service ends */
  VOCL_CONTROL_HEARTBEAT_REQUEST, /* do you live? */
  VOCL_CONTROL_HEARTBEAT          /* I do */
};

enum { VOCL_CONTROL_TEXT = 256 };

struct vocl_control_opening {
  uint32_t slot; /* of the sender */
  uint32_t process;
  char program[VOCL_CONTROL_TEXT];
};

struct vocl_control_positions {
  uint64_t written[2], taken[2];
  struct vocl_ring_skip skipped; /* of the data that was written */
  uint32_t wants_space;
};

struct vocl_control_entry {
  uint32_t process; /* id of the program */
  int32_t from, to; /* the proxies at its door and with its devices */
  uint64_t device_bytes, commands, bytes_in, bytes_out;
  uint64_t devices;                          /* a bit for each on which it has queues */
  uint32_t unfinished[VOCL_SERVICE_DEVICES]; /* commands on each device */
  char program[VOCL_CONTROL_TEXT];
};

/* Devices as proxy, number. */
struct vocl_control_move {
  uint32_t asker, request;
  uint32_t device[2], target[2];
};

struct vocl_control_move_reply {
  uint64_t bytes, nanoseconds;
  char text[VOCL_MOVE_TEXT];
};

/* Devices of the proxy, a bit for each: those that the session uses, and that it is at work on. */
struct vocl_control_load {
  uint32_t client_proxy, proxy, process, unused;
  uint64_t used, busy; /* used 0: it has ended */
  uint64_t bytes;
};

struct vocl_control_message {
  uint32_t kind;
  uint32_t slot; /* the receiver's */
  uint32_t number;
  int32_t code; /* 0, or a value of errno */
  union {
    struct vocl_control_opening opening;
    struct vocl_control_positions positions;
    struct vocl_control_entry entry;
    struct vocl_control_move moving;
    struct vocl_control_move_reply moved;
    struct vocl_control_load load;
  } of;
};

/* Collective: makes the region with so many slots in each process. */
void vocl_control_open(unsigned slots);
void vocl_control_close(void);

/* A slot of a process: as transfers name it; mine can be read and written. */
char *vocl_control_slot(int process, unsigned slot);

/* Starts to put bytes into a slot; the handle is complete when they are there. */
void vocl_control_put(int process, const void *from, char *to, size_t bytes, cw_handle *handle);

/* Sends the mail; at once if the receiver has room for it, else as soon as it has. */
void vocl_control_send(int process, const struct vocl_control_message *message);
/* Would it go at once? Who sends often, and can wait, asks first. */
bool vocl_control_can_send(int process);
/* Sends what has waited for room. Is there more of it? */
bool vocl_control_send_queued(void);

/* The next mail that has come, from any process. */
bool vocl_control_receive(int *process, struct vocl_control_message *message);
#endif

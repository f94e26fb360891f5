/* The control channel: short messages between the proxies of a service, and the slots of relays.
 * All of it is in one region. The notification of a message also guarantees that everything that
 * its sender put before has arrived. */
#pragma once

#include "service/service.h"
#include "wire/channel.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vocl_control_kind {
  VOCL_CONTROL_OPEN, /* a client of the sender wants a session with the receiver; has `opening` */
  VOCL_CONTROL_OPEN_REPLY, /* opening.slot is the sender's slot for the session; if there is none,
                              `code` is the error */
  VOCL_CONTROL_POSITIONS,  /* progress of a relay; has `positions` */
  VOCL_CONTROL_CLOSE, /* the sender's end of a relay has closed; nothing more will be put into the
                         receiver's slot */
  VOCL_CONTROL_LIST,  /* requests the list of sessions; `number` identifies the list */
  VOCL_CONTROL_LIST_ENTRY,        /* one session of the list */
  VOCL_CONTROL_LIST_END,          /* end of the list */
  VOCL_CONTROL_MOVE,              /* session `number` must move; has `moving` */
  VOCL_CONTROL_MOVE_REPLY,        /* result of move request `number`; has `code` and `moved` */
  VOCL_CONTROL_LOAD,              /* reports the load of session `number` to process 0 */
  VOCL_CONTROL_STOP,              /* the service ends */
  VOCL_CONTROL_HEARTBEAT_REQUEST, /* liveness check */
  VOCL_CONTROL_HEARTBEAT          /* reply to a liveness check */
};

enum { VOCL_CONTROL_TEXT = 256 };

struct vocl_control_opening {
  uint32_t slot; /* slot of the sender */
  uint32_t process;
  char program[VOCL_CONTROL_TEXT];
};

struct vocl_control_positions {
  uint64_t written[2], taken[2];
  struct vocl_ring_skip skipped; /* the last range of the data ring that was skipped */
  uint32_t wants_space;
};

struct vocl_control_entry {
  uint32_t process; /* process id of the program */
  int32_t from, to; /* the proxy that has the client, and the proxy that has the devices */
  uint64_t device_bytes, commands, bytes_in, bytes_out;
  uint64_t devices;                          /* bit mask of the devices on which it has queues */
  uint32_t unfinished[VOCL_SERVICE_DEVICES]; /* unfinished commands by device */
  char program[VOCL_CONTROL_TEXT];
};

/* A move of a session's objects from one device to another. A device is a pair of proxy and
 * number. */
struct vocl_control_move {
  uint32_t requester, request;
  uint32_t device[2], target[2];
};

struct vocl_control_move_reply {
  uint64_t bytes, nanoseconds;
  char text[VOCL_MOVE_TEXT];
};

/* Bit masks of the proxy's devices: those that the session uses, and those that it keeps busy. */
struct vocl_control_load {
  uint32_t client_proxy, proxy, process, unused;
  uint64_t used, busy; /* if used is 0, the session has ended */
  uint64_t bytes;
};

struct vocl_control_message {
  uint32_t kind;
  uint32_t slot; /* slot of the receiver */
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

/* Makes the region, with `slots` slots in each process. Collective. */
void vocl_control_open(unsigned slots);
void vocl_control_close(void);

/* Returns the address of a slot of a process, for transfers. A slot of this process can be read
 * and written directly. */
char *vocl_control_slot(int process, unsigned slot);

/* Starts to put bytes into a slot. The handle completes when they have arrived. */
void vocl_control_put(int process, const void *from, char *to, size_t bytes, cw_handle *handle);

/* Sends a message immediately if the receiver has space for it. Otherwise queues it for
 * vocl_control_send_queued. */
void vocl_control_send(int process, const struct vocl_control_message *message);
/* Returns true if a message would be sent immediately. A frequent sender that can wait calls this
 * first. */
bool vocl_control_can_send(int process);
/* Sends the queued messages for which there is space now. Returns true if some remain queued. */
bool vocl_control_send_queued(void);

/* Receives the next message from any process. Returns false if there is none. */
bool vocl_control_receive(int *process, struct vocl_control_message *message);

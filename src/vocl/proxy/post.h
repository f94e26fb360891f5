/* Mail: short messages between the proxies of a service, and the slots of passages. All of it lies
 * in one region; a notification tells that a mail is there, and with it all that its sender has put
 * before. */
#ifndef CWI_PROXY_POST_H
#define CWI_PROXY_POST_H

#include "service/service.h"
#include "wire/channel.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cwi_mail_kind {
  CWI_MAIL_OPEN,      /* a program at my door wants a session with you: opening */
  CWI_MAIL_OPENED,    /* opening.slot is mine for it; or code: there is none */
  CWI_MAIL_POSITIONS, /* how far a passage has come: positions */
  CWI_MAIL_GONE,      /* my end of a passage has gone: I put no more into your slot */
  CWI_MAIL_LIST,      /* tell me of your sessions; number: of the question */
  CWI_MAIL_ENTRY,     /* one of them */
  CWI_MAIL_LISTED,    /* that was all */
  CWI_MAIL_MOVE,      /* session `number` is to move: moving */
  CWI_MAIL_MOVED,     /* what came of request `number`: code, moved */
  CWI_MAIL_LOAD,      /* to process 0: what session `number` is at work on: load */
  CWI_MAIL_STOP,      /* the service ends */
  CWI_MAIL_ASK_PULSE, /* do you live? */
  CWI_MAIL_PULSE      /* I do */
};

enum { CWI_MAIL_TEXT = 256 };

struct cwi_mail_opening {
  uint32_t slot; /* of the sender */
  uint32_t process;
  char program[CWI_MAIL_TEXT];
};

struct cwi_mail_positions {
  uint64_t written[2], taken[2];
  struct cwi_skipped skipped; /* of the data that was written */
  uint32_t wants_room;
};

struct cwi_mail_entry {
  uint32_t process; /* id of the program */
  int32_t from, to; /* the proxies at its door and with its devices */
  uint64_t device_bytes, commands, bytes_in, bytes_out;
  uint64_t devices;                         /* a bit for each on which it has queues */
  uint32_t unfinished[CWI_SERVICE_DEVICES]; /* commands on each device */
  char program[CWI_MAIL_TEXT];
};

/* Devices as proxy, number. */
struct cwi_mail_moving {
  uint32_t asker, request;
  uint32_t device[2], target[2];
};

struct cwi_mail_moved {
  uint64_t bytes, nanoseconds;
  char text[CWI_WISH_TEXT];
};

/* Devices of the proxy, a bit for each: those that the session uses, and that it is at work on. */
struct cwi_mail_load {
  uint32_t door, proxy, process, unused;
  uint64_t used, busy; /* used 0: it has ended */
  uint64_t bytes;
};

struct cwi_mail {
  uint32_t kind;
  uint32_t slot; /* the receiver's */
  uint32_t number;
  int32_t code; /* 0, or a value of errno */
  union {
    struct cwi_mail_opening opening;
    struct cwi_mail_positions positions;
    struct cwi_mail_entry entry;
    struct cwi_mail_moving moving;
    struct cwi_mail_moved moved;
    struct cwi_mail_load load;
  } of;
};

/* Collective: makes the region with so many slots in each process. */
void cwi_post_open(unsigned slots);
void cwi_post_close(void);

/* A slot of a process: as transfers name it; mine can be read and written. */
char *cwi_post_slot(int process, unsigned slot);

/* Starts to put bytes into a slot; the handle is complete when they are there. */
void cwi_post_put(int process, const void *from, char *to, size_t bytes, cw_handle *handle);

/* Sends the mail; at once if the receiver has room for it, else as soon as it has. */
void cwi_post_send(int process, const struct cwi_mail *mail);
/* Would it go at once? Who sends often, and can wait, asks first. */
bool cwi_post_has_room(int process);
/* Sends what has waited for room. Is there more of it? */
bool cwi_post_push(void);

/* The next mail that has come, from any process. */
bool cwi_post_next(int *process, struct cwi_mail *mail);

#ifdef __cplusplus
}
#endif
#endif

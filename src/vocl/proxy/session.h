/* Sessions of a proxy: of programs at its door, with its own devices or passed on to another proxy;
 * and of programs at others' doors with its devices. */
#ifndef CWI_PROXY_SESSION_H
#define CWI_PROXY_SESSION_H

#include "proxy/passage.h"
#include "wire/door.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What it has been at work on. */
struct cwi_proxy_load {
  struct cwi_mail_load told;         /* to process 0, last */
  float shares[CWI_SERVICE_DEVICES]; /* of the last looks, those that found unfinished commands */
};

struct cwi_proxy_session {
  struct cwi_proxy_session *next;
  uint32_t number;
  int from, to;     /* the proxies at whose door the program is, and with the devices */
  uint32_t process; /* id of the program */
  char program[CWI_MAIL_TEXT];
  void *visitor;  /* the program at my door; NULL: it is at another one, or has left */
  int descriptor; /* of the channel's memory, for the program; -1: it has it */
  struct cwi_channel_memory *memory;
  bool is_passed, is_begun;  /* it has a passage; the other proxy has agreed */
  bool has_left, other_left; /* my end of the passage has gone, and the other one */
  struct cwi_passage passage;
  bool is_served; /* a thread of mine serves it */
  pthread_t thread;
  uint32_t thread_ended;
  struct cwi_service_counts counts;
  /* What the program is asked to move, and who wants it. */
  struct cwi_service_wish wish;
  struct cwi_mail_moving moving;
  double moving_since;
  bool moving_is_late; /* who wants it has been told that there is no answer */
  struct cwi_proxy_load load;
};

/* slots: for sessions that are passed on. */
bool cwi_sessions_start(unsigned slots);
void cwi_sessions_stop(void);

/* A program at my door wants a session with a proxy. Returns 0 or a value of errno; then there is
 * none. With my own devices it has begun; else it begins when the other proxy has agreed. */
int cwi_session_open(int proxy, const struct cwi_door_question *question, void *visitor,
                     struct cwi_proxy_session **session);
/* The program at my door has gone. */
void cwi_session_leave(struct cwi_proxy_session *session);

/* Whom to tell, on this proxy's thread. */
struct cwi_session_listener {
  /* The other proxy has answered; code: as cwi_session_open. After an error the session is over. */
  void (*opened)(void *visitor, struct cwi_proxy_session *session, int code);
  /* The session is over, and the program at the door has not left. */
  void (*over)(void *visitor);
  /* Nothing is left of a session that was served here. */
  void (*ended)(const struct cwi_proxy_session *session);
};

/* A mail about sessions. */
void cwi_sessions_hear(int from, const struct cwi_mail *mail,
                       const struct cwi_session_listener *listener);
/* Goes on with all. Was there anything to do? */
bool cwi_sessions_turn(const struct cwi_session_listener *listener);
/* All end: programs see it. */
void cwi_sessions_end_all(const struct cwi_session_listener *listener);

struct cwi_proxy_session *cwi_sessions_first(void);
/* NULL: there is none here. */
struct cwi_proxy_session *cwi_session_find(uint32_t number);
/* At whose door the session of a number is, if there is one. */
int cwi_session_door(uint32_t number);
/* What there still is of those that are served here: less and less when they end. */
uint64_t cwi_sessions_left(void);
/* What they ring; returns how many. *busy: something is under way. *passed: any is passed on. */
size_t cwi_sessions_bells(struct cwi_watch_bell *bells, bool *busy, bool *passed);

#ifdef __cplusplus
}
#endif
#endif

/* Sessions of a proxy: of programs at its door, with its own devices or passed on to another proxy;
 * and of programs at others' doors with its devices. */
#ifndef VOCL_RELAY_PROXY_SESSION_H
#define VOCL_RELAY_PROXY_SESSION_H

#include "relay/relay.h"
#include "wire/service_socket.h"

#include <pthread.h>

/* What it has been at work on. */
struct vocl_proxy_load {
  struct vocl_control_load sent;      /* to process 0, last */
  float shares[VOCL_SERVICE_DEVICES]; /* of the last looks, those that found unfinished commands */
};

struct vocl_proxy_session {
  struct vocl_proxy_session *next;
  uint32_t number;
  int from, to;     /* the proxies at whose door the program is, and with the devices */
  uint32_t process; /* id of the program */
  char program[VOCL_CONTROL_TEXT];
  void *client;   /* the program at my door; NULL: it is at another one, or has left */
  int descriptor; /* of the channel's memory, for the program; -1: it has it */
  struct vocl_channel_memory *memory;
  bool is_passed, is_begun;  /* it has a relay; the other proxy has agreed */
  bool has_left, other_left; /* my end of the relay has gone, and the other one */
  struct vocl_relay relay;
  bool is_served; /* a thread of mine serves it */
  pthread_t thread;
  uint32_t thread_ended;
  struct vocl_service_counts counts;
  /* What the program is asked to move, and who wants it. */
  struct vocl_move_request request;
  struct vocl_control_move moving;
  double moving_since;
  bool moving_is_late; /* who wants it has been told that there is no answer */
  struct vocl_proxy_load load;
};

/* slots: for sessions that are passed on. */
bool vocl_proxy_sessions_start(unsigned slots);
void vocl_proxy_sessions_stop(void);

/* A program at my door wants a session with a proxy. Returns 0 or a value of errno; then there is
 * none. With my own devices it has begun; else it begins when the other proxy has agreed. */
int vocl_proxy_session_open(int proxy, const struct vocl_socket_request *query, void *client,
                            struct vocl_proxy_session **session);
/* The program at my door has gone. */
void vocl_proxy_session_leave(struct vocl_proxy_session *session);

/* Whom to tell, on this proxy's thread. */
struct vocl_proxy_session_callbacks {
  /* The other proxy has answered; code: as vocl_proxy_session_open. After an error the session is
   * over. */
  void (*opened)(void *client, struct vocl_proxy_session *session, int code);
  /* The session is over, and the program at the door has not left. */
  void (*over)(void *client);
  /* Nothing is left of a session that was served here. */
  void (*ended)(const struct vocl_proxy_session *session);
};

/* A mail about sessions. */
void vocl_proxy_sessions_receive(int from, const struct vocl_control_message *message,
                                 const struct vocl_proxy_session_callbacks *listener);
/* Goes on with all. Was there anything to do? */
bool vocl_proxy_sessions_poll(const struct vocl_proxy_session_callbacks *listener);
/* All end: programs see it. */
void vocl_proxy_sessions_end_all(const struct vocl_proxy_session_callbacks *listener);

struct vocl_proxy_session *vocl_proxy_sessions_first(void);
/* NULL: there is none here. */
struct vocl_proxy_session *vocl_proxy_session_find(uint32_t number);
/* At whose door the session of a number is, if there is one. */
int vocl_proxy_session_client_proxy(uint32_t number);
/* What there still is of those that are served here: less and less when they end. */
uint64_t vocl_proxy_sessions_remaining(void);
/* What they ring; returns how many. *busy: something is under way. *passed: any is passed on. */
size_t vocl_proxy_sessions_bells(struct vocl_watch_bell *bells, bool *busy, bool *passed);
#endif

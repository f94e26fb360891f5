/* Sessions of a proxy. It serves the sessions of its own clients with its devices, and relays their
 * other sessions to other proxies. It also serves sessions that other proxies relay to it. */
#pragma once

#include "relay/relay.h"
#include "wire/service_socket.h"

#include <pthread.h>

/* Load of a session. */
struct vocl_proxy_load {
  struct vocl_control_load sent;      /* last message to process 0 */
  float shares[VOCL_SERVICE_DEVICES]; /* for each device, a moving average of the share of samples
                                         that found unfinished commands */
};

struct vocl_proxy_session {
  struct vocl_proxy_session *next;
  uint32_t number;
  int from, to;     /* the proxy that has the client, and the proxy that has the devices */
  uint32_t process; /* process id of the program */
  char program[VOCL_CONTROL_TEXT];
  void *client;   /* my client; NULL if it is at another proxy or has left */
  int descriptor; /* descriptor of the channel's memory; -1 once the program has received it */
  struct vocl_channel_memory *memory;
  bool is_passed,
      is_begun; /* is_passed: the session has a relay; is_begun: the other proxy has agreed */
  bool has_left, other_left; /* my end of the relay has closed; the other end has closed */
  struct vocl_relay relay;
  bool is_served; /* a thread of this proxy serves it */
  pthread_t thread;
  uint32_t thread_ended;
  struct vocl_service_counts counts;
  /* A move that is requested from the program, and its requester. */
  struct vocl_move_request request;
  struct vocl_control_move moving;
  double moving_since;
  bool moving_is_late; /* the requester has received a timeout as the result */
  struct vocl_proxy_load load;
};

/* Initialises the table; `slots` is the number of slots for relayed sessions. */
bool vocl_proxy_sessions_start(unsigned slots);
void vocl_proxy_sessions_stop(void);

/* Opens a session of a client with a proxy. Returns 0, or a value of errno if there is no session.
 * A session with this proxy begins at once. A session with another proxy begins when that proxy has
 * agreed. */
int vocl_proxy_session_open(int proxy, const struct vocl_socket_request *query, void *client,
                            struct vocl_proxy_session **session);
/* Ends the client's use of the session, because its socket has closed. */
void vocl_proxy_session_leave(struct vocl_proxy_session *session);

/* Callbacks of sessions; they are called on the proxy's main thread. */
struct vocl_proxy_session_callbacks {
  /* The other proxy has replied; `code` is as in vocl_proxy_session_open. After an error the
   * session is over. */
  void (*opened)(void *client, struct vocl_proxy_session *session, int code);
  /* The session is over, but its client is still connected. */
  void (*over)(void *client);
  /* A session that was served here is about to be freed. */
  void (*ended)(const struct vocl_proxy_session *session);
};

/* Handles a message about sessions. */
void vocl_proxy_sessions_receive(int from, const struct vocl_control_message *message,
                                 const struct vocl_proxy_session_callbacks *listener);
/* Advances all sessions. Returns true if there was anything to do. */
bool vocl_proxy_sessions_poll(const struct vocl_proxy_session_callbacks *listener);
/* Ends the sessions of all clients and calls `over` for each of these clients. */
void vocl_proxy_sessions_end_all(const struct vocl_proxy_session_callbacks *listener);

struct vocl_proxy_session *vocl_proxy_sessions_first(void);
/* Returns NULL if this proxy has no session of that number. */
struct vocl_proxy_session *vocl_proxy_session_find(uint32_t number);
/* Returns the proxy whose client has the session with this number, if there is such a session. */
int vocl_proxy_session_client_proxy(uint32_t number);
/* Returns the number of sessions that are served here plus the number of their objects. The sum
 * decreases while sessions end. */
uint64_t vocl_proxy_sessions_remaining(void);
/* Stores the bells of all relays, at most VOCL_WATCH_BELLS, and returns their number. Sets *busy if
 * a transfer is in progress, and *passed if a session has a relay. */
size_t vocl_proxy_sessions_bells(struct vocl_watch_bell *bells, bool *busy, bool *passed);

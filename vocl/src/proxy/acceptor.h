/* The acceptor: handles the requests of clients of the listening socket. */
#pragma once

#include "proxy/move_requests.h"
#include "proxy/status_list.h"

/* Opens the acceptor. `listening_socket` is -1 if another proxy of this machine has the socket.
 * `facts` must stay valid until the acceptor is closed. Returns false if there is no memory or no
 * descriptor. */
bool vocl_acceptor_open(int listening_socket, const struct vocl_service_facts *facts);
void vocl_acceptor_close(void);

/* Handles the descriptor that vocl_watch_next returned: the listening socket, or a client. */
void vocl_acceptor_poll(void *owner);

/* Handles messages of other proxies about lists. */
void vocl_acceptor_receive(int from, const struct vocl_control_message *message);

/* Replies to the client that requested the move. */
vocl_move_reply_function vocl_acceptor_move_replied;

/* Returns true if a client has requested the end of the service. */
bool vocl_acceptor_wants_stop(void);

/* Stops accepting clients, ends all sessions and disconnects all clients. */
void vocl_acceptor_stop(void);

extern const struct vocl_proxy_session_callbacks vocl_acceptor_callbacks;

/* The desk: what clients of the door ask, and what they are answered. */
#ifndef VOCL_PROXY_ACCEPTOR_H
#define VOCL_PROXY_ACCEPTOR_H

#include "proxy/move_requests.h"
#include "proxy/status_list.h"

/* door: a listening socket, or -1: another proxy of this machine has it. facts stay the caller's.
 */
bool vocl_acceptor_open(int listening_socket, const struct vocl_service_facts *facts);
void vocl_acceptor_close(void);

/* Looks at the descriptor that vocl_watch_next named: the door, or a client. */
void vocl_acceptor_poll(void *owner);

/* Mail of other proxies about lists. */
void vocl_acceptor_receive(int from, const struct vocl_control_message *message);

/* Tells the client whose request it was. */
vocl_move_reply_function vocl_acceptor_move_replied;

/* Has a client asked to end the service? */
bool vocl_acceptor_wants_stop(void);

/* No more clients: those that have no session are sent away. */
void vocl_acceptor_stop(void);

extern const struct vocl_proxy_session_callbacks vocl_acceptor_callbacks;
#endif

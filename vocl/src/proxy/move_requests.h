/* Moves: a program is asked to move what it has on a device of ours to another one, and answers.
 * The question goes from the proxy that asks to the one at whose door the program is, which knows
 * who serves it; that one asks the program, and answers who asked. */
#ifndef VOCL_PROXY_MOVE_REQUESTS_H
#define VOCL_PROXY_MOVE_REQUESTS_H

#include "relay/proxy_session.h"

/* "DEVICE TARGET", each as "proxy.number", as lists show them. False: it is none. */
struct vocl_move_devices {
  uint32_t device[2], target[2];
};
bool vocl_move_devices_read(struct vocl_move_devices *move, const char *text);

/* Whom to tell what came of a request: code 0: the program has moved; else a value of errno. */
typedef void vocl_move_reply_function(uint32_t request, int code,
                                      const struct vocl_control_move_reply *moved);

/* Asks for a move. `told` may be called before it returns. */
void vocl_proxy_move_request(uint32_t session, const struct vocl_move_devices *move,
                             uint32_t request, vocl_move_reply_function *reply);

/* Mail about moves. */
void vocl_proxy_move_receive(const struct vocl_control_message *message,
                             vocl_move_reply_function *reply);
/* Answers of programs go to those that asked. Was there any? */
bool vocl_proxy_move_poll(vocl_move_reply_function *reply);
#endif

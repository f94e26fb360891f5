/* Move requests. A request makes a program move its objects from a device of this service to
 * another device, and the program replies. The requesting proxy sends the request to the proxy that
 * has the client, because it knows the proxy that serves the session. The serving proxy sends the
 * request to the program, and the result to the requester. */
#pragma once

#include "relay/proxy_session.h"

/* Reads "DEVICE TARGET", each as "proxy.number" like in lists. Returns false if the text is
 * malformed. */
struct vocl_move_devices {
  uint32_t device[2], target[2];
};
bool vocl_move_devices_read(struct vocl_move_devices *move, const char *text);

/* Receives the result of a request: `code` is 0 if the program has moved, otherwise a value of
 * errno. */
typedef void vocl_move_reply_function(uint32_t request, int code,
                                      const struct vocl_control_move_reply *moved);

/* Requests a move. `reply` may be called before this returns. */
void vocl_proxy_move_request(uint32_t session, const struct vocl_move_devices *move,
                             uint32_t request, vocl_move_reply_function *reply);

/* Handles messages about moves. */
void vocl_proxy_move_receive(const struct vocl_control_message *message,
                             vocl_move_reply_function *reply);
/* Forwards replies of programs to the requesters. Returns true if there was any. */
bool vocl_proxy_move_poll(vocl_move_reply_function *reply);

/* Moves: a program is asked to move what it has on a device of ours to another one, and answers.
 * The question goes from the proxy that asks to the one at whose door the program is, which knows
 * who serves it; that one asks the program, and answers who asked. */
#ifndef CWI_PROXY_MOVING_H
#define CWI_PROXY_MOVING_H

#include "proxy/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "DEVICE TARGET", each as "proxy.number", as lists show them. False: it is none. */
struct cwi_move_wish {
  uint32_t device[2], target[2];
};
bool cwi_move_read(struct cwi_move_wish *move, const char *text);

/* Whom to tell what came of a request: code 0: the program has moved; else a value of errno. */
typedef void cwi_moving_told(uint32_t request, int code, const struct cwi_mail_moved *moved);

/* Asks for a move. `told` may be called before it returns. */
void cwi_moving_ask(uint32_t session, const struct cwi_move_wish *move, uint32_t request,
                    cwi_moving_told *told);

/* Mail about moves. */
void cwi_moving_hear(const struct cwi_mail *mail, cwi_moving_told *told);
/* Answers of programs go to those that asked. Was there any? */
bool cwi_moving_turn(cwi_moving_told *told);

#ifdef __cplusplus
}
#endif
#endif

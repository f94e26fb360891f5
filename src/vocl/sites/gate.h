/* The gate of a context: calls of the program pass it, and a move closes it for a while. Who calls
 * meanwhile waits; no call fails for it. */
#ifndef CWI_SITES_GATE_H
#define CWI_SITES_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whom it keeps out: nobody; all but callbacks; all. */
enum cwi_gate_state { CWI_GATE_OPEN, CWI_GATE_CALLBACKS, CWI_GATE_CLOSED };

struct cwi_gate {
  uint32_t inside; /* calls that have passed and not left */
  uint32_t state;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

void cwi_gate_begin(struct cwi_gate *gate);
void cwi_gate_end(struct cwi_gate *gate);

/* A call that a callback makes while its caller is inside of a closed gate passes all of them. */
void cwi_gate_enter(struct cwi_gate *gate);
void cwi_gate_leave(struct cwi_gate *gate);

/* Enters if it need not wait for that. */
bool cwi_gate_try(struct cwi_gate *gate);

/* Who has closed it passes, with what he calls. */
void cwi_gate_pass(struct cwi_gate *gate);

/* This thread calls a function of the program's, which was to be told something. It may be a
 * vendor's thread, without which a device does not go on that calls inside of the gate wait for. */
void cwi_gate_callback_begins(void);
void cwi_gate_callback_ends(void);

/* Lets those in no more that the state keeps out. One at a time. */
void cwi_gate_close(struct cwi_gate *gate, enum cwi_gate_state state);
/* Have all left that were inside? */
static inline bool cwi_gate_is_left(const struct cwi_gate *gate)
{
  return __atomic_load_n(&gate->inside, __ATOMIC_SEQ_CST) == 0;
}
static inline bool cwi_gate_is_closed(const struct cwi_gate *gate)
{
  return __atomic_load_n(&gate->state, __ATOMIC_SEQ_CST) != CWI_GATE_OPEN;
}
/* With its lock: who finds it closed with the lock does so before it is open. */
void cwi_gate_open(struct cwi_gate *gate);

#ifdef __cplusplus
}
#endif
#endif

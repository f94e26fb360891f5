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

struct cwi_gate {
  uint32_t inside; /* calls that have passed and not left */
  uint32_t is_closed;
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

/* Lets nobody in any more, and waits until all have left; false: not until then (as cwi_now tells).
 * It is closed in either case. One at a time. */
bool cwi_gate_close(struct cwi_gate *gate, double until);
static inline bool cwi_gate_is_closed(const struct cwi_gate *gate)
{
  return __atomic_load_n(&gate->is_closed, __ATOMIC_SEQ_CST) != 0;
}
/* With its lock: who finds it closed with the lock does so before it is open. */
void cwi_gate_open(struct cwi_gate *gate);

#ifdef __cplusplus
}
#endif
#endif

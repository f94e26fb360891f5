/* The gate of a context: calls of the program pass it, and a move closes it for a while. Who calls
 * meanwhile waits; no call fails for it. */
#ifndef VOCL_REPLICA_FREEZE_H
#define VOCL_REPLICA_FREEZE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Whom it keeps out: nobody; all but callbacks; all. */
enum vocl_freeze_state { VOCL_FREEZE_NONE, VOCL_FREEZE_ALL_BUT_CALLBACKS, VOCL_FREEZE_ALL };

struct vocl_freeze {
  uint32_t inside; /* calls that have passed and not left */
  uint32_t state;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

void vocl_freeze_init(struct vocl_freeze *freeze);
void vocl_freeze_destroy(struct vocl_freeze *freeze);

/* A call that a callback makes while its caller is inside of a closed gate passes all of them. */
void vocl_freeze_enter(struct vocl_freeze *freeze);
void vocl_freeze_leave(struct vocl_freeze *freeze);

/* Enters if it need not wait for that. */
bool vocl_freeze_try_enter(struct vocl_freeze *freeze);

/* Who has closed it passes, with what he calls. */
void vocl_freeze_bypass(struct vocl_freeze *freeze);

/* This thread calls a function of the program's, which was to be told something. It may be a
 * vendor's thread, without which a device does not go on that calls inside of the gate wait for. */
void vocl_callback_begins(void);
void vocl_callback_ends(void);

/* Lets those in no more that the state keeps out. One at a time. */
void vocl_freeze_begin(struct vocl_freeze *freeze, enum vocl_freeze_state state);
/* Have all left that were inside? */
static inline bool vocl_freeze_is_drained(const struct vocl_freeze *freeze)
{
  return __atomic_load_n(&freeze->inside, __ATOMIC_SEQ_CST) == 0;
}
static inline bool vocl_freeze_is_active(const struct vocl_freeze *freeze)
{
  return __atomic_load_n(&freeze->state, __ATOMIC_SEQ_CST) != VOCL_FREEZE_NONE;
}
/* With its lock: who finds it closed with the lock does so before it is open. */
void vocl_freeze_end(struct vocl_freeze *freeze);
#endif

/* The freeze lock of a context: calls of the program enter it, and a move closes it for a while.
 * Calls wait meanwhile; no call fails because of a move. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The calls that must wait: none, all except those made by callbacks, or all. */
enum vocl_freeze_state { VOCL_FREEZE_NONE, VOCL_FREEZE_ALL_BUT_CALLBACKS, VOCL_FREEZE_ALL };

struct vocl_freeze {
  uint32_t inside; /* number of calls that are inside */
  uint32_t state;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

void vocl_freeze_init(struct vocl_freeze *freeze);
void vocl_freeze_destroy(struct vocl_freeze *freeze);

/* Enters the freeze lock. Waits while it is closed. A thread that is already inside another closed
 * freeze lock does not wait, because the move waits for that thread. */
void vocl_freeze_enter(struct vocl_freeze *freeze);
void vocl_freeze_leave(struct vocl_freeze *freeze);

/* Enters unless it would have to wait. Returns true if it has entered. */
bool vocl_freeze_try_enter(struct vocl_freeze *freeze);

/* Enters without waiting. Only the thread that has closed the freeze lock calls this. */
void vocl_freeze_bypass(struct vocl_freeze *freeze);

/* Mark the beginning and the end of a callback of the program on this thread. The thread may belong
 * to a vendor whose device depends on it, and calls that are inside the freeze lock may wait for
 * that device. */
void vocl_callback_begins(void);
void vocl_callback_ends(void);

/* Closes the freeze lock for the calls that `state` excludes. Only one thread at a time may do
 * so. */
void vocl_freeze_begin(struct vocl_freeze *freeze, enum vocl_freeze_state state);
/* Returns true if no call is inside. */
static inline bool vocl_freeze_is_drained(const struct vocl_freeze *freeze)
{
  return __atomic_load_n(&freeze->inside, __ATOMIC_SEQ_CST) == 0;
}
static inline bool vocl_freeze_is_active(const struct vocl_freeze *freeze)
{
  return __atomic_load_n(&freeze->state, __ATOMIC_SEQ_CST) != VOCL_FREEZE_NONE;
}
/* Opens the freeze lock. Called with the mutex `lock` held, so that the freeze lock stays closed
 * while another thread holds the mutex and relies on that. */
void vocl_freeze_end(struct vocl_freeze *freeze);

/* The freeze lock. Calls enter and leave with two atomic operations while no move has closed it. */
#include "replica/freeze.h"

#include "wait/waiter.h"

enum { POLL_NANOSECONDS = 1000000 };

/* Number of freeze locks that this thread is inside, and the first of them. */
static __thread uint32_t depth;
static __thread struct vocl_freeze *outermost;
static __thread uint32_t callbacks; /* number of program callbacks that this thread is inside */

void vocl_freeze_init(struct vocl_freeze *freeze)
{
  *freeze = (struct vocl_freeze){.inside = 0};
  pthread_mutex_init(&freeze->lock, NULL);
  pthread_cond_init(&freeze->changed, NULL);
}

void vocl_freeze_destroy(struct vocl_freeze *freeze)
{
  pthread_cond_destroy(&freeze->changed);
  pthread_mutex_destroy(&freeze->lock);
}

/* Returns true if this thread must wait. A thread that is inside a closed freeze lock may enter all
 * others: a move waits for that thread, and would otherwise never end. */
static bool is_kept_out(const struct vocl_freeze *freeze)
{
  const uint32_t state = __atomic_load_n(&freeze->state, __ATOMIC_SEQ_CST);
  return state != VOCL_FREEZE_NONE && (state == VOCL_FREEZE_ALL || callbacks == 0) &&
         (outermost == NULL || !vocl_freeze_is_active(outermost));
}

/* Waits until this thread may enter. */
static void wait_outside(struct vocl_freeze *freeze)
{
  pthread_mutex_lock(&freeze->lock);
  while (is_kept_out(freeze))
    pthread_cond_wait(&freeze->changed, &freeze->lock);
  pthread_mutex_unlock(&freeze->lock);
}

/* Waits for a while. A thread that is inside another freeze lock polls, because it may enter this
 * one as soon as a move closes the other one. */
static void freeze_wait(struct vocl_freeze *freeze)
{
  if (outermost != NULL)
    cwi_nap(POLL_NANOSECONDS);
  else
    wait_outside(freeze);
}

/* A thread that enters and one that closes both write first and then read the other's word, so
 * that at least one of them notices the other. */
bool vocl_freeze_try_enter(struct vocl_freeze *freeze)
{
  __atomic_fetch_add(&freeze->inside, 1, __ATOMIC_SEQ_CST);
  if (is_kept_out(freeze)) {
    __atomic_fetch_sub(&freeze->inside, 1, __ATOMIC_SEQ_CST);
    return false;
  }
  if (depth++ == 0)
    outermost = freeze;
  return true;
}

void vocl_freeze_enter(struct vocl_freeze *freeze)
{
  while (!vocl_freeze_try_enter(freeze))
    freeze_wait(freeze);
}

void vocl_freeze_bypass(struct vocl_freeze *freeze)
{
  __atomic_fetch_add(&freeze->inside, 1, __ATOMIC_SEQ_CST);
  if (depth++ == 0)
    outermost = freeze;
}

void vocl_freeze_leave(struct vocl_freeze *freeze)
{
  if (--depth == 0)
    outermost = NULL;
  __atomic_fetch_sub(&freeze->inside, 1, __ATOMIC_RELEASE);
}

void vocl_callback_begins(void)
{
  callbacks++;
}

void vocl_callback_ends(void)
{
  callbacks--;
}

/* Sets the state. Called with the lock held. */
static void state_set(struct vocl_freeze *freeze, enum vocl_freeze_state state)
{
  __atomic_store_n(&freeze->state, state, __ATOMIC_SEQ_CST);
  pthread_cond_broadcast(&freeze->changed);
}

void vocl_freeze_begin(struct vocl_freeze *freeze, enum vocl_freeze_state state)
{
  pthread_mutex_lock(&freeze->lock);
  state_set(freeze, state);
  pthread_mutex_unlock(&freeze->lock);
}

void vocl_freeze_end(struct vocl_freeze *freeze)
{
  state_set(freeze, VOCL_FREEZE_NONE);
}

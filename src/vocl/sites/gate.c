/* Lets calls pass with two atomic steps while nobody closes the gate. */
#include "sites/gate.h"

#include <time.h>

enum { LOOK_NANOSECONDS = 1000000 };

/* How many gates this thread is inside of, and the first of them. */
static __thread uint32_t depth;
static __thread struct cwi_gate *outermost;
static __thread uint32_t callbacks; /* that this thread is in */

void cwi_gate_begin(struct cwi_gate *gate)
{
  *gate = (struct cwi_gate){.inside = 0};
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->changed, NULL);
}

void cwi_gate_end(struct cwi_gate *gate)
{
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->lock);
}

/* Whom somebody waits for passes all gates: those who closed them wait for this thread, too. */
static bool is_kept_out(const struct cwi_gate *gate)
{
  const uint32_t state = __atomic_load_n(&gate->state, __ATOMIC_SEQ_CST);
  return state != CWI_GATE_OPEN && (state == CWI_GATE_CLOSED || callbacks == 0) &&
         (outermost == NULL || !cwi_gate_is_closed(outermost));
}

/* Until this thread may pass. */
static void wait_outside(struct cwi_gate *gate)
{
  pthread_mutex_lock(&gate->lock);
  while (is_kept_out(gate))
    pthread_cond_wait(&gate->changed, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
}

/* Inside of another gate a thread looks again: that one may be closed meanwhile. */
static void gate_wait(struct cwi_gate *gate)
{
  const struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};
  if (outermost != NULL)
    nanosleep(&look, NULL);
  else
    wait_outside(gate);
}

/* Who enters and who closes each write first and then read the other's word: one of them sees. */
bool cwi_gate_try(struct cwi_gate *gate)
{
  __atomic_fetch_add(&gate->inside, 1, __ATOMIC_SEQ_CST);
  if (is_kept_out(gate)) {
    __atomic_fetch_sub(&gate->inside, 1, __ATOMIC_SEQ_CST);
    return false;
  }
  if (depth++ == 0)
    outermost = gate;
  return true;
}

void cwi_gate_enter(struct cwi_gate *gate)
{
  while (!cwi_gate_try(gate))
    gate_wait(gate);
}

void cwi_gate_pass(struct cwi_gate *gate)
{
  __atomic_fetch_add(&gate->inside, 1, __ATOMIC_SEQ_CST);
  if (depth++ == 0)
    outermost = gate;
}

void cwi_gate_leave(struct cwi_gate *gate)
{
  if (--depth == 0)
    outermost = NULL;
  __atomic_fetch_sub(&gate->inside, 1, __ATOMIC_RELEASE);
}

void cwi_gate_callback_begins(void)
{
  callbacks++;
}

void cwi_gate_callback_ends(void)
{
  callbacks--;
}

/* With the lock. */
static void state_set(struct cwi_gate *gate, enum cwi_gate_state state)
{
  __atomic_store_n(&gate->state, state, __ATOMIC_SEQ_CST);
  pthread_cond_broadcast(&gate->changed);
}

void cwi_gate_close(struct cwi_gate *gate, enum cwi_gate_state state)
{
  pthread_mutex_lock(&gate->lock);
  state_set(gate, state);
  pthread_mutex_unlock(&gate->lock);
}

void cwi_gate_open(struct cwi_gate *gate)
{
  state_set(gate, CWI_GATE_OPEN);
}

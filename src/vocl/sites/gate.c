/* Lets calls pass with two atomic steps while nobody closes the gate. */
#include "sites/gate.h"

#include "base/clock.h"

#include <time.h>

enum { LOOK_NANOSECONDS = 1000000 };

/* How many gates this thread is inside of, and the first of them. */
static __thread uint32_t depth;
static __thread struct cwi_gate *outermost;

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
  return cwi_gate_is_closed(gate) && (outermost == NULL || !cwi_gate_is_closed(outermost));
}

static void wait_until_open(struct cwi_gate *gate)
{
  pthread_mutex_lock(&gate->lock);
  while (cwi_gate_is_closed(gate))
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
    wait_until_open(gate);
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

bool cwi_gate_close(struct cwi_gate *gate, double until)
{
  const struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};
  __atomic_store_n(&gate->is_closed, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&gate->inside, __ATOMIC_SEQ_CST) > 0) {
    if (cwi_now() > until)
      return false;
    nanosleep(&look, NULL);
  }
  return true;
}

void cwi_gate_open(struct cwi_gate *gate)
{
  __atomic_store_n(&gate->is_closed, 0, __ATOMIC_SEQ_CST);
  pthread_cond_broadcast(&gate->changed);
}

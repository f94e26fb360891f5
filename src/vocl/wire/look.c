/* A thread that looks gives its core away every few microseconds: what it waits for may need it. If
 * it comes back late, somebody computes there, who would get a time slice each time: so the next
 * looks are left out, and more of them each time that it happens again. */
#include "wire/look.h"

#include "base/clock.h"
#include "base/lock.h"

#include <sched.h>

enum { PAUSES = 8, TURNS = 4, FEWEST_LEFT_OUT = 16, MOST_LEFT_OUT = 4096, MORE_LEFT_OUT = 4 };

static const double LATE_YIELD_SECONDS = 500e-6;

/* Of all threads; they are counts of no more than a likelihood, so that nobody keeps their order.
 */
static unsigned left_out, next_left_out = FEWEST_LEFT_OUT;

static unsigned read_count(const unsigned *count)
{
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void set_count(unsigned *count, unsigned value)
{
  __atomic_store_n(count, value, __ATOMIC_RELAXED);
}

void cwi_look_begin(struct cwi_look *look, double seconds)
{
  const unsigned left = read_count(&left_out);
  if (left > 0)
    set_count(&left_out, left - 1);
  look->begun = cwi_now();
  look->end = left > 0 || look->was_late ? 0 : look->begun + seconds;
  look->late = look->begun + 1.5 * seconds;
}

void cwi_look_end(struct cwi_look *look)
{
  if (look->begun > 0)
    look->was_late = cwi_now() > look->late;
  look->begun = 0;
}

/* How late does the thread come back? */
static void give_core_away(void)
{
  const double before = cwi_now();
  const unsigned next = read_count(&next_left_out);
  sched_yield();
  if (cwi_now() - before > LATE_YIELD_SECONDS) {
    set_count(&left_out, next);
    set_count(&next_left_out, next < MOST_LEFT_OUT ? MORE_LEFT_OUT * next : next);
  } else if (next > FEWEST_LEFT_OUT) {
    set_count(&next_left_out, next - 1);
  }
}

bool cwi_look_turn(struct cwi_look *look)
{
  if (look->end == 0 || cwi_now() >= look->end)
    return false;
  for (int pause = 0; pause < PAUSES; pause++)
    cwi_pause();
  if (++look->turns % TURNS == 0)
    give_core_away();
  return true;
}

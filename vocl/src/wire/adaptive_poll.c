/* Polls for a short time before sleeping. The polling thread yields its core every few
 * microseconds, because the thread that it waits for may need the core. A yield that takes long
 * means that another thread computes on the core and would get a time slice at each yield. The next
 * polls are then skipped. The number of skipped polls grows each time this happens again. */
#include "wire/adaptive_poll.h"

#include "base/clock.h"
#include "wait/lock.h"

#include <sched.h>

enum {
  PAUSES = 8,
  PASSES_PER_UPDATE = 4,
  FEWEST_LEFT_OUT = 16,
  MOST_LEFT_OUT = 4096,
  MORE_LEFT_OUT = 4
};

static const double LATE_YIELD_SECONDS = 500e-6;

/* Shared by all threads. The counts are heuristics, so relaxed accesses suffice. */
static unsigned left_out, next_left_out = FEWEST_LEFT_OUT;

static unsigned read_count(const unsigned *count)
{
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static void set_count(unsigned *count, unsigned value)
{
  __atomic_store_n(count, value, __ATOMIC_RELAXED);
}

void vocl_poll_begin(struct vocl_poll *poll, double seconds)
{
  const unsigned left = read_count(&left_out);
  if (left > 0)
    set_count(&left_out, left - 1);
  poll->begun = cwi_now();
  poll->end = left > 0 || poll->was_late ? 0 : poll->begun + seconds;
  poll->late = poll->begun + 1.5 * seconds;
}

void vocl_poll_end(struct vocl_poll *poll)
{
  if (poll->begun > 0)
    poll->was_late = cwi_now() > poll->late;
  poll->begun = 0;
}

/* Yields the core. Adjusts the number of polls to skip to the time that the yield took. */
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

bool vocl_poll_pass(struct vocl_poll *poll)
{
  if (poll->end == 0 || cwi_now() >= poll->end)
    return false;
  for (int pause = 0; pause < PAUSES; pause++)
    cwi_pause();
  if (++poll->passes % PASSES_PER_UPDATE == 0)
    give_core_away();
  return true;
}

/* Transfers that are using slices. A slice is freed only after the transfers that use it have
 * ended, even if the program should have waited for them. Each use has address ranges and a number.
 * A thread that frees a slice waits only for uses of that slice that began before it hid the slice.
 * So later transfers and those of other slices cannot delay the thread forever. */
#include "device/device.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <stdio.h>

/* The uses in progress, in the order of their numbers. */
static struct {
  pthread_mutex_t lock;
  struct cwi_device_use *first, *last;
  uint64_t number; /* the last number that was given */
} uses = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cwi_device_use_begin(struct cwi_device_use *use)
{
  pthread_mutex_lock(&uses.lock);
  use->number = ++uses.number;
  use->before = uses.last;
  use->next = NULL;
  if (uses.last != NULL)
    uses.last->next = use;
  else
    uses.first = use;
  uses.last = use;
  pthread_mutex_unlock(&uses.lock);
}

void cwi_device_use_end(struct cwi_device_use *use)
{
  pthread_mutex_lock(&uses.lock);
  if (use->before != NULL)
    use->before->next = use->next;
  else
    uses.first = use->next;
  if (use->next != NULL)
    use->next->before = use->before;
  else
    uses.last = use->before;
  pthread_mutex_unlock(&uses.lock);
}

/* A hidden slice, with its number in the common order of uses and hidden slices. */
struct hidden {
  const struct cwi_device_slice *slice;
  uint64_t number;
};

static bool concerns(const struct cwi_device_use *use, const struct cwi_device_slice *slice)
{
  const uintptr_t begin = (uintptr_t)slice->address, end = begin + slice->bytes;
  return (use->sides[0].begin < end && begin < use->sides[0].end) ||
         (use->sides[1].begin < end && begin < use->sides[1].end);
}

static bool is_used_up(void *context)
{
  const struct hidden *hidden = context;
  pthread_mutex_lock(&uses.lock);
  const struct cwi_device_use *use = uses.first;
  while (use != NULL && use->number < hidden->number && !concerns(use, hidden->slice))
    use = use->next;
  const bool used_up = use == NULL || use->number > hidden->number;
  pthread_mutex_unlock(&uses.lock);
  return used_up;
}

static void uses_awaited(const void *what, char *text, size_t size)
{
  const struct hidden *hidden = what;
  snprintf(text, size, "transfers of the device slice at %p to end",
           (const void *)hidden->slice->address);
}

/* A use with a higher number than hidden.number does not find the slice. */
void cwi_device_use_up(struct cwi_device_slice *slice)
{
  enum { NAP_NANOSECONDS = 20000 };
  struct hidden hidden = {.slice = slice};
  pthread_mutex_lock(&uses.lock);
  hidden.number = ++uses.number;
  __atomic_store_n(&slice->is_hidden, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&uses.lock);
  if (is_used_up(&hidden))
    return;
  const struct cwi_waiting outer = cwi_waiting_begin(cwi_waiting.call, uses_awaited, &hidden);
  cwi_wait_until(is_used_up, &hidden, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
}

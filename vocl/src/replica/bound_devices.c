/* Bindings of devices. After a move from one device to another, the latter does the work of the
 * former, also in contexts that are made later. At most one move is in progress at a time. */
#include "replica/replicated.h"

#include <pthread.h>

enum { MOST_MOVED = 256 };
static struct moved_device {
  void *given;
  struct vocl_found_device now;
} moved_devices[MOST_MOVED];
static size_t moved_count;
static pthread_mutex_t moved_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void *vocl_bound_device(void *given, unsigned *vendor)
{
  void *now = given;
  pthread_mutex_lock(&moved_lock);
  for (size_t i = 0; i < moved_count; i++)
    if (moved_devices[i].given == given) {
      now = moved_devices[i].now.object;
      *vendor = moved_devices[i].now.vendor;
    }
  pthread_mutex_unlock(&moved_lock);
  return now;
}

/* Binds `given` to the device `now`. If the table is full, `given` does its own work in new
 * contexts. */
void vocl_bound_device_set(void *given, const struct vocl_found_device *now)
{
  size_t i = 0;
  pthread_mutex_lock(&moved_lock);
  while (i < moved_count && moved_devices[i].given != given)
    i++;
  if (i < MOST_MOVED) {
    moved_devices[i] = (struct moved_device){given, *now};
    moved_count += i == moved_count;
  }
  pthread_mutex_unlock(&moved_lock);
}

bool vocl_move_try_lock(void)
{
  return pthread_mutex_trylock(&one_at_a_time) == 0;
}

void vocl_move_unlock(void)
{
  pthread_mutex_unlock(&one_at_a_time);
}

void vocl_move_reset(void)
{
  pthread_mutex_init(&one_at_a_time, NULL);
  pthread_mutex_init(&moved_lock, NULL);
}

/* Watches the epoll descriptors of MPI, and learns whether they become readable when messages
 * arrive. */
#include "mpi/mpi_sleep.h"

#include "base/clock.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <dirent.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 16, MOST_ALARMS = 4, MISSES = 4 };

/* A sleep that a descriptor ends within this time counts as no sleep at all. */
static const double AT_ONCE_SECONDS = 5e-6;

/* Limits of a sleep, in nanoseconds. With descriptors that report messages, a sleep lasts to its
 * limit only if another thread of this process received the message during the last poll. Without
 * them (shared memory), every sleep lasts to its limit. */
enum { FIRST_NOTIFIED = 100000, LONGEST_NOTIFIED = 2000000, FIRST = 5000, LONGEST = 200000 };

static struct pollfd descriptors[MOST_DESCRIPTORS];
static nfds_t count;

/* An eventfd that is polled together with MPI's descriptors, for wake-ups by threads of this
 * process. It stays readable until the last of its sleepers leaves, so that all of them wake. */
struct bell {
  int descriptor; /* -1 if there is none */
  uint32_t sleepers, lock;
};
static struct bell waiters = {.descriptor = -1}, server = {.descriptor = -1};

static int misses; /* messages that reached a sleeper without a notification, less those with one */

static bool is_epoll(const char *name)
{
  char path[64], target[64];
  snprintf(path, sizeof path, "/proc/self/fd/%.20s", name);
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0)
    return false;
  target[length] = '\0';
  return strcmp(target, "anon_inode:[eventpoll]") == 0;
}

/* After this call the sleeper checks its condition once more. So either the thread that makes the
 * condition true sees that a sleeper is registered, or the sleeper sees the condition. */
static void bell_enter(struct bell *bell)
{
  cwi_lock(&bell->lock);
  __atomic_fetch_add(&bell->sleepers, 1, __ATOMIC_SEQ_CST);
  cwi_unlock(&bell->lock);
}

/* Takes the lock, so that another sleeper enters either before or after this. The wake-up of a
 * sleeper that enters later is not consumed here. */
static void bell_leave(struct bell *bell, bool woken)
{
  uint64_t rings = 0;
  cwi_lock(&bell->lock);
  const bool last = __atomic_sub_fetch(&bell->sleepers, 1, __ATOMIC_SEQ_CST) == 0;
  if (last && woken && read(bell->descriptor, &rings, sizeof rings) < 0)
    rings = 0; /* the eventfd is no longer readable */
  cwi_unlock(&bell->lock);
}

static void bell_ring(const struct bell *bell)
{
  static const uint64_t ring = 1;
  if (__atomic_load_n(&bell->sleepers, __ATOMIC_SEQ_CST) != 0 &&
      write(bell->descriptor, &ring, sizeof ring) < 0)
    return; /* the eventfd is readable already */
}

static void bell_make(struct bell *bell)
{
  if (bell->descriptor < 0)
    bell->descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

void cwi_sleep_start(void)
{
  DIR *directory = opendir("/proc/self/fd");
  count = 0;
  __atomic_store_n(&misses, MISSES, __ATOMIC_RELAXED);
  if (directory == NULL)
    return;
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
    if (count < MOST_DESCRIPTORS && is_epoll(entry->d_name))
      descriptors[count++] =
          (struct pollfd){.fd = (int)strtol(entry->d_name, NULL, 10), .events = POLLIN};
  closedir(directory);
  bell_make(&waiters);
  bell_make(&server);
}

bool cwi_sleep_has_descriptors(void)
{
  return count > 0;
}

bool cwi_sleep_is_notified(void)
{
  return count > 0 && __atomic_load_n(&misses, __ATOMIC_RELAXED) < MISSES;
}

void cwi_sleep_learn(bool notified)
{
  const int now = __atomic_load_n(&misses, __ATOMIC_RELAXED) + (notified ? -1 : 1);
  if (now >= -MISSES && now <= 2 * MISSES)
    __atomic_store_n(&misses, now, __ATOMIC_RELAXED);
}

/* Sleeps until one of MPI's descriptors is readable, the bell rings, or `nanoseconds` have passed.
 * Returns true if a descriptor was readable. If the bell rang, sets *woken to true. If `bell` is
 * NULL, only the descriptors are polled. Several threads may sleep at the same time. */
static bool sleep_on(const struct bell *bell, long nanoseconds, bool *woken)
{
  struct pollfd mine[MOST_DESCRIPTORS + 1];
  const struct timespec limit = {.tv_nsec = nanoseconds};
  bool notified = false;
  memcpy(mine, descriptors, count * sizeof *mine);
  if (bell != NULL)
    mine[count] = (struct pollfd){.fd = bell->descriptor, .events = POLLIN};
  if (ppoll(mine, count + (bell != NULL), &limit, NULL) <= 0)
    return false;
  for (nfds_t i = 0; i < count; i++)
    notified |= mine[i].revents != 0;
  *woken = bell != NULL && (mine[count].revents & POLLIN) != 0;
  return notified;
}

bool cwi_sleep_of_server(long nanoseconds, bool *woken)
{
  *woken = false;
  bell_enter(&server);
  const bool notified = sleep_on(&server, nanoseconds, woken);
  bell_leave(&server, *woken);
  return notified;
}

void cwi_sleep_wake_server(void)
{
  bell_ring(&server);
}

void cwi_sleep_wake(void)
{
  bell_ring(&waiters);
}

/* A descriptor that is readable all the time would keep the thread awake. After a few such alarms
 * in a row the thread sleeps without the descriptors. */
void cwi_sleep_shortly(long nanoseconds)
{
  static __thread unsigned alarms; /* consecutive sleeps that a descriptor ended at once */
  bool woken = false, notified = false;
  const int slack = cwi_slack_narrow();
  const double begin = cwi_now();
  if (alarms < MOST_ALARMS)
    notified = sleep_on(NULL, nanoseconds, &woken);
  else
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
  alarms = notified && cwi_now() - begin < AT_ONCE_SECONDS ? alarms + 1 : 0;
  cwi_slack_restore(slack);
}

/* Returns true if `word` has the value, and false if `word` is NULL. */
static bool has_value(const uint32_t *word, uint32_t value)
{
  return word != NULL && __atomic_load_n(word, __ATOMIC_SEQ_CST) == value;
}

/* Registers with the bell before it checks the word, because a thread that sets the word before the
 * registration does not ring. */
static bool sleep_and_listen(long nanoseconds, const uint32_t *word, uint32_t value, bool *woken)
{
  if (word == NULL)
    return sleep_on(NULL, nanoseconds, woken);
  bell_enter(&waiters);
  const bool notified = !has_value(word, value) && sleep_on(&waiters, nanoseconds, woken);
  bell_leave(&waiters, *woken);
  return notified;
}

/* A descriptor that is readable all the time, for something that this thread does not receive,
 * would keep it from sleeping. After a few such alarms in a row it sleeps without the descriptors.
 */
void cwi_sleep_unless(struct cwi_sleep *sleep, const uint32_t *word, uint32_t value)
{
  const bool alone = count == 0 || sleep->alarms >= MOST_ALARMS;
  const bool notifies = !alone && cwi_sleep_is_notified();
  const long first = notifies ? FIRST_NOTIFIED : FIRST,
             longest = notifies ? LONGEST_NOTIFIED : LONGEST;
  if (sleep->limit == 0 || (alone && sleep->limit > longest))
    sleep->limit = first;
  if (alone && !has_value(word, value))
    nanosleep(&(struct timespec){.tv_nsec = sleep->limit}, NULL);
  const double begin = alone ? 0 : cwi_now();
  sleep->woken = false;
  sleep->notified = !alone && sleep_and_listen(sleep->limit, word, value, &sleep->woken);
  sleep->woken = sleep->woken || (!sleep->notified && has_value(word, value));
  if (sleep->notified)
    sleep->alarms = cwi_now() - begin < AT_ONCE_SECONDS ? sleep->alarms + 1 : 0;
  if (sleep->notified || sleep->woken)
    sleep->limit = first;
  else
    sleep->limit = cwi_nap_doubled(sleep->limit, longest);
}

void cwi_sleep(struct cwi_sleep *sleep)
{
  cwi_sleep_unless(sleep, NULL, 0);
}

void cwi_sleep_end(const struct cwi_sleep *sleep)
{
  if (sleep->limit != 0 && !sleep->woken)
    cwi_sleep_learn(sleep->notified);
}

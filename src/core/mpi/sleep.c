/* Descriptors by which MPI hears of messages, and how far they can be relied on. */
#include "mpi/sleep.h"

#include "base/clock.h"

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

/* A sleep that a descriptor ends so soon was none. */
static const double AT_ONCE_SECONDS = 5e-6;

/* Nanoseconds. Where descriptors tell, only what another thread of this process took in during the
 * last look makes a sleep last so long; where none tells (shared memory), each sleep does. */
enum { FIRST_TOLD = 100000, LONGEST_TOLD = 2000000, FIRST = 5000, LONGEST = 200000 };

static struct pollfd descriptors[MOST_DESCRIPTORS];
static nfds_t count;
static int bell = -1; /* beside them, for those that wait; -1: none */
static int misses; /* messages that came to a sleeper without being told of, less those told of */

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

void cwi_sleep_start(void)
{
  DIR *directory = opendir("/proc/self/fd");
  count = 0;
  __atomic_store_n(&misses, 0, __ATOMIC_RELAXED);
  if (directory == NULL)
    return;
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
    if (count < MOST_DESCRIPTORS && is_epoll(entry->d_name))
      descriptors[count++] =
          (struct pollfd){.fd = (int)strtol(entry->d_name, NULL, 10), .events = POLLIN};
  closedir(directory);
  if (bell < 0)
    bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

bool cwi_sleep_has_descriptors(void)
{
  return count > 0;
}

bool cwi_sleep_is_told(void)
{
  return count > 0 && __atomic_load_n(&misses, __ATOMIC_RELAXED) < MISSES;
}

void cwi_sleep_learn(bool told)
{
  const int now = __atomic_load_n(&misses, __ATOMIC_RELAXED) + (told ? -1 : 1);
  if (now >= -MISSES && now <= 2 * MISSES)
    __atomic_store_n(&misses, now, __ATOMIC_RELAXED);
}

/* Several threads may sleep. */
static bool sleep_on(struct pollfd *mine, nfds_t all, long nanoseconds)
{
  const struct timespec limit = {.tv_nsec = nanoseconds};
  memcpy(mine, descriptors, count * sizeof *mine);
  return ppoll(mine, all, &limit, NULL) > 0;
}

bool cwi_sleep_on_descriptors(long nanoseconds)
{
  struct pollfd mine[MOST_DESCRIPTORS];
  return sleep_on(mine, count, nanoseconds);
}

/* The same, and on the bell. *rung: it rang. */
static bool sleep_and_listen(long nanoseconds, bool *rung)
{
  struct pollfd mine[MOST_DESCRIPTORS + 1];
  uint64_t rings = 0;
  mine[count] = (struct pollfd){.fd = bell, .events = POLLIN};
  bool told = false;
  if (!sleep_on(mine, count + 1, nanoseconds))
    return false;
  for (nfds_t i = 0; i < count; i++)
    told |= mine[i].revents != 0;
  *rung = (mine[count].revents & POLLIN) != 0 &&
          read(bell, &rings, sizeof rings) == (ssize_t)sizeof rings;
  return told;
}

void cwi_sleep_wake(void)
{
  static const uint64_t ring = 1;
  if (bell >= 0 && write(bell, &ring, sizeof ring) < 0)
    return; /* it rings already */
}

/* A descriptor that is ready all the time, for something that this thread does not take, would keep
 * it from sleeping: after a few alarms in a row that came at once it naps by the clock. */
void cwi_sleep(struct cwi_sleep *sleep)
{
  const bool alone = count == 0 || sleep->alarms >= MOST_ALARMS;
  const bool tells = !alone && cwi_sleep_is_told();
  const long first = tells ? FIRST_TOLD : FIRST, longest = tells ? LONGEST_TOLD : LONGEST;
  if (sleep->limit == 0 || (alone && sleep->limit > longest))
    sleep->limit = first;
  if (alone)
    nanosleep(&(struct timespec){.tv_nsec = sleep->limit}, NULL);
  const double begin = alone ? 0 : cwi_now();
  sleep->rung = false;
  sleep->told = !alone && sleep_and_listen(sleep->limit, &sleep->rung);
  if (sleep->told)
    sleep->alarms = cwi_now() - begin < AT_ONCE_SECONDS ? sleep->alarms + 1 : 0;
  if (sleep->told || sleep->rung)
    sleep->limit = first;
  else
    sleep->limit = 2 * sleep->limit < longest ? 2 * sleep->limit : longest;
}

void cwi_sleep_end(const struct cwi_sleep *sleep)
{
  if (sleep->limit != 0 && !sleep->rung)
    cwi_sleep_learn(sleep->told);
}

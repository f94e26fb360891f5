#include "server/doze.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/settings.h"
#include "server/links.h"
#include "server/serve.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds. Without descriptors that tell, a request after idleness waits for one long nap. */
enum { SHORT_NAP = 20000, LONG_NAP = 150000, LONGEST_NAP = 5000000, HELPED_NAP = 500000 };

enum { MOST_DESCRIPTORS = 16, FALSE_ALARMS = 64, MISSES = 4 };

static const double PUSH_SECONDS = 10e-3, ALARM_SECONDS = 20e-6;

static struct {
  struct pollfd descriptors[MOST_DESCRIPTORS];
  nfds_t count;
  unsigned long found[3]; /* requests: while spinning, told by a descriptor, after a nap */
  double since;           /* when the last request was done */
  bool spinning;          /* now */
  bool slept;             /* since the last request */
  uint64_t served;        /* messages, when last looked at */
  long nap;
  bool woken;        /* by a descriptor */
  double alarm_spin; /* when */
  unsigned alarms;   /* in a row, without a request */
  int misses;        /* requests that came without an alarm, less those that came with one */
} doze;

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

static void find_descriptors(void)
{
  DIR *directory = opendir("/proc/self/fd");
  if (directory == NULL)
    return;
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
    if (doze.count < MOST_DESCRIPTORS && is_epoll(entry->d_name))
      doze.descriptors[doze.count++] =
          (struct pollfd){.fd = (int)strtol(entry->d_name, NULL, 10), .events = POLLIN};
  closedir(directory);
}

void cwi_doze_start(void)
{
  memset(&doze, 0, sizeof doze);
  doze.since = cwi_now();
  doze.spinning = true;
  doze.nap = SHORT_NAP;
  find_descriptors();
}

void cwi_doze_stop(void)
{
  cwi_log(CWI_LOG_DEBUG,
          "the server found requests %lu times while it looked, %lu times when a descriptor told, "
          "%lu times after a nap",
          doze.found[0], doze.found[1], doze.found[2]);
  doze.count = 0;
}

static bool descriptors_tell(void)
{
  return doze.count > 0 && doze.misses < MISSES && doze.alarms < FALSE_ALARMS;
}

static int limited(int value, int most)
{
  return value > most ? most : value < -most ? -most : value;
}

/* A request has come. */
static void learn(void)
{
  doze.found[!doze.slept ? 0 : doze.woken ? 1 : 2]++;
  if (doze.slept && doze.count > 0)
    doze.misses = limited(doze.misses + (doze.woken ? -1 : 1), 2 * MISSES);
  doze.spinning = true;
  doze.alarms = 0;
  doze.woken = doze.slept = false;
  doze.nap = SHORT_NAP;
}

static void sleep_on_descriptors(void)
{
  const struct timespec limit = {.tv_nsec = LONGEST_NAP};
  const int ready = ppoll(doze.descriptors, doze.count, &limit, NULL);
  doze.woken = ready > 0;
  if (ready <= 0)
    return;
  /* A message may take MPI several looks, and come in several pieces. */
  doze.alarms++;
  doze.alarm_spin = cwi_now();
}

static void nap(bool bell)
{
  struct cwi_signal *signal = &cwi_links.board->doorbell;
  if (!bell && descriptors_tell()) {
    sleep_on_descriptors();
    return;
  }
  cwi_signal_nap(signal, cwi_signal_value(signal), doze.nap);
  doze.nap = 2 * doze.nap < LONG_NAP ? 2 * doze.nap : LONG_NAP;
  /* After a while of silence the descriptors may be believed again. */
  if (doze.nap == LONG_NAP && doze.alarms > 0)
    doze.alarms--;
}

/* Who helps is woken by every answer that it waits for itself: two would be in each other's way. */
static void stand_back(void)
{
  struct cwi_signal *signal = &cwi_links.board->doorbell;
  cwi_signal_nap(signal, cwi_signal_value(signal), HELPED_NAP);
  doze.since = cwi_now();
  doze.spinning = doze.woken = false;
}

void cwi_doze(bool busy, bool helped, bool bell)
{
  if (helped) {
    stand_back();
    return;
  }
  /* A process of mine that waits may have served: requests come, whoever takes them. */
  const uint64_t served = __atomic_load_n(&cwi_served.messages, __ATOMIC_RELAXED);
  if (busy || served != doze.served) {
    doze.served = served;
    learn();
    doze.since = cwi_now();
    return;
  }
  /* What is under way needs to be pushed on, in steps that no descriptor may tell of. */
  if (cwi_async_count() > 0 && cwi_now() - doze.since < PUSH_SECONDS) {
    sched_yield();
    return;
  }
  if (doze.woken && cwi_now() - doze.alarm_spin < ALARM_SECONDS)
    return;
  if (doze.spinning && cwi_now() - doze.since < (double)cwi_settings.server_spin * 1e-6) {
    cwi_pause();
    return;
  }
  doze.spinning = false;
  doze.slept = true;
  nap(bell);
}

/* Idle server: it spins, naps, or sleeps on MPI's descriptors between passes. */
#include "server/server_idle.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "link/link.h"
#include "link/shared_packet.h"
#include "mpi/mpi_sleep.h"
#include "server/server_loop.h"
#include "wait/lock.h"

#include <sched.h>
#include <string.h>
#include <time.h>

/* Spinning, yielding and sleeping between two passes of the server. */
enum idle_state {
  PUSHES, /* yields: operations are in progress, and MPI advances them without any event */
  POLLS,  /* makes the next pass at once: a descriptor has reported, or a neighbour waits for
             messages to come back */
  SPINS,  /* the next request may come soon */
  NAPS,   /* naps briefly: an agent is about to answer */
  SLEEPS, /* sleeps on MPI's descriptors if those report messages, else on the doorbell */
  YIELDS_TO_PROCESS /* sleeps on the doorbell: a process of mine serves while it waits */
};

/* Nanoseconds. If no descriptor reports messages, a request after silence waits for up to one nap.
 */
enum { SHORT_NAP = 20000, LONG_NAP = 150000, LONGEST_NAP = 30000000 };

/* If descriptors report messages, sleeps get longer while nothing happens. */
enum { FIRST_SLEEP = 1000000, LONGEST_SLEEP = 8000000 };

/* A nap beyond LONG_NAP, by which a request may be delayed, is at most this share of the silence so
 * far. After LONG_SILENCE the share grows with the silence, up to LONGEST_NAP: then a server uses
 * less than half a percent of a core, since each wake-up costs 50 to 100 microseconds. */
static const double NAP_SHARE = 1.0 / 200, LONG_SILENCE = 0.3 /* seconds */;

/* First and longest nap while a process of mine serves. */
enum { HELPED_NAP = 100000, HELPED_LONGEST = 1600000 };

enum { FALSE_ALARMS = 64, TRY_SPIN = 64 };

static const double PUSH_SECONDS = 10e-3, ALARM_SECONDS = 20e-6, LEAST_SPIN_SECONDS = 3e-6;

static struct {
  unsigned long
      found[3];       /* requests found while spinning, after a descriptor reported, after a nap */
  double since;       /* time of the last request */
  double spin;        /* seconds to spin after a request */
  unsigned slept_for; /* requests in a row that came while the server slept */
  bool spinning;      /* the server spins now */
  bool slept;         /* the server has slept since the last request */
  uint64_t served;    /* number of messages at the last pass */
  long nap, sleep, helped_nap;
  bool woken;        /* a descriptor ended the sleep */
  bool was_woken;    /* another thread ended the sleep */
  double alarm;      /* time of the last alarm of a descriptor */
  double alarm_spin; /* seconds to poll after an alarm */
  unsigned alarms;   /* alarms in a row without a request */
} idle;

static double longest_spin(void)
{
  return (double)cwi_settings.server_spin * 1e-6;
}

void cwi_server_idle_start(void)
{
  memset(&idle, 0, sizeof idle);
  idle.since = cwi_now();
  idle.spinning = true;
  idle.nap = SHORT_NAP;
  idle.sleep = FIRST_SLEEP;
  idle.spin = longest_spin();
  idle.alarm_spin = ALARM_SECONDS;
}

void cwi_server_idle_stop(void)
{
  cwi_log(CWI_LOG_DEBUG,
          "the server found requests %lu times while it polled, %lu times when a descriptor "
          "reported them, %lu times after a sleep",
          idle.found[0], idle.found[1], idle.found[2]);
}

/* Learns whether polling after an alarm pays: it does if the request is found soon. */
static void learn_of_alarm(bool soon)
{
  idle.alarm_spin = soon ? ALARM_SECONDS : idle.alarm_spin / 2;
}

/* Learns from a request that was found: whether spinning paid, and whether a descriptor reported
 * it. */
static void learn(double now)
{
  if (idle.woken)
    learn_of_alarm(now - idle.alarm < ALARM_SECONDS);
  idle.found[!idle.slept ? 0 : idle.woken ? 1 : 2]++;
  idle.slept_for = idle.slept ? idle.slept_for + 1 : 0;
  if (idle.slept_for % TRY_SPIN == 0)
    idle.spin = longest_spin();
  if (idle.slept && !idle.was_woken)
    cwi_sleep_learn(idle.woken);
}

/* Notes that a request has come, after which more are expected. */
static void stay_awake(double now)
{
  idle.since = now;
  idle.spinning = true;
  idle.alarms = 0;
  idle.woken = idle.was_woken = idle.slept = false;
  idle.nap = SHORT_NAP;
  idle.sleep = FIRST_SLEEP;
}

static void nap_on_doorbell(uint32_t doorbell, long nanoseconds)
{
  cwi_signal_nap(&cwi_links.board->doorbell, doorbell, nanoseconds);
}

static void nap_on_descriptors(long nanoseconds)
{
  idle.woken = cwi_sleep_of_server(nanoseconds, &idle.was_woken);
  if (!idle.woken)
    return;
  /* MPI may need several polls for a message, and several alarms may report its parts. */
  if (idle.alarms++ > 0)
    learn_of_alarm(false);
  idle.alarm = cwi_now();
}

/* Returns the longest nap at the time `now`. busy: operations are in progress that MPI continues
 * only when it is called. */
static long longest_nap(double now, bool busy)
{
  const double silence = now - idle.since;
  const double share = NAP_SHARE * (silence > LONG_SILENCE ? silence / LONG_SILENCE : 1);
  return busy ? LONG_NAP : cwi_nap_share(silence, share, LONG_NAP, LONGEST_NAP);
}

/* Sleeps once. Sleeps long only if the descriptors are reliable and nothing is in progress that
 * none of them reports. */
static void nap(double now, uint32_t doorbell, const struct cwi_left *left)
{
  const bool notifies =
      cwi_sleep_has_descriptors() && idle.alarms < FALSE_ALARMS && left->grants == 0;
  const bool busy =
      left->async > 0 || left->grants > 0 || left->owes || cwi_shared_packets_offered();
  const bool alone = notifies && cwi_sleep_is_notified() && !busy;
  if (notifies)
    nap_on_descriptors(alone ? idle.sleep : idle.nap);
  else
    nap_on_doorbell(doorbell, idle.nap);
  const long longest = longest_nap(now, busy);
  idle.nap = cwi_nap_doubled(idle.nap, longest);
  if (alone)
    idle.sleep = cwi_nap_doubled(idle.sleep, longest > LONGEST_SLEEP ? longest : LONGEST_SLEEP);
  /* After a while of silence the descriptors are tried again. */
  if (!notifies && idle.nap >= LONG_NAP && idle.alarms > 0)
    idle.alarms--;
}

/* Sleeps while a process of mine serves. Each answer that the process waits for wakes it anyway,
 * and two threads would be in each other's way. No nap is longer than the process has served so
 * far. A process that leaves updates to a server in a long nap wakes it; after a short nap the
 * server finds them itself. */
static void stand_back(uint32_t doorbell, const struct cwi_left *left)
{
  uint32_t *yields_to_process = &cwi_links.board->yields_to_process;
  __atomic_store_n(yields_to_process, 1, __ATOMIC_SEQ_CST);
  const bool soon = left->owes || left->agent_operations > 0 || cwi_shared_packets_offered();
  if (soon)
    __atomic_store_n(yields_to_process, 0, __ATOMIC_RELAXED);
  nap_on_doorbell(doorbell, soon ? HELPED_NAP : idle.helped_nap);
  __atomic_store_n(yields_to_process, 0, __ATOMIC_RELAXED);
  idle.helped_nap = cwi_nap_doubled(idle.helped_nap, HELPED_LONGEST);
  idle.since = cwi_now();
  idle.spinning = idle.woken = false;
}

/* Chooses what to do until the next pass. */
static enum idle_state idle_choose(double now, bool helped, const struct cwi_left *left)
{
  if (helped)
    return YIELDS_TO_PROCESS;
  const double silent = now - idle.since;
  if (left->async > 0 && silent < PUSH_SECONDS)
    return PUSHES;
  if (left->owes || (idle.woken && now - idle.alarm < idle.alarm_spin + LEAST_SPIN_SECONDS))
    return POLLS;
  if (idle.spinning && silent < idle.spin + LEAST_SPIN_SECONDS)
    return SPINS;
  return left->agent_operations > 0 ? NAPS : SLEEPS;
}

/* Stops spinning and sleeps. Spinning pays while requests come faster than the kernel wakes a
 * thread. Otherwise, or if the process that would send the next request waits for this core, it
 * only takes time from others. So spinning without success is soon given up, and tried again now
 * and then. */
static void fall_asleep(double now, uint32_t doorbell, const struct cwi_left *left)
{
  if (idle.spinning)
    idle.spin /= 4;
  idle.spinning = false;
  idle.slept = true;
  nap(now, doorbell, left);
}

void cwi_server_idle_note_processor(void)
{
  struct timespec used;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
    cwi_links.board->use.processor = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void pass_time(enum idle_state state, double now, uint32_t doorbell,
                      const struct cwi_left *left)
{
  switch (state) {
  case PUSHES:
    sched_yield();
    break;
  case POLLS:
    break;
  case SPINS:
    cwi_pause();
    break;
  case NAPS:
    nap_on_doorbell(doorbell, SHORT_NAP);
    break;
  case SLEEPS:
    fall_asleep(now, doorbell, left);
    break;
  case YIELDS_TO_PROCESS:
    stand_back(doorbell, left);
    break;
  }
}

static void note_sleep(double seconds)
{
  struct cwi_server_use *use = &cwi_links.board->use;
  use->sleeps++;
  use->asleep += (uint64_t)(1e9 * seconds);
}

void cwi_server_idle(double now, bool busy, bool helped, uint32_t doorbell)
{
  /* A waiting process of mine may have served: requests count whichever thread takes them. */
  const struct cwi_left left = cwi_left_now();
  if (busy)
    learn(now);
  if (busy || left.messages != idle.served)
    stay_awake(now);
  idle.served = left.messages;
  if (!helped)
    idle.helped_nap = HELPED_NAP;
  if (!helped && busy)
    return;
  const enum idle_state state = idle_choose(now, helped, &left);
  pass_time(state, now, doorbell, &left);
  if (state >= NAPS)
    note_sleep(cwi_now() - now);
}

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

/* States of the server between two passes. */
enum idle_state {
  PUSHES, /* yields: operations are in progress, which advance only while MPI is called and report
             no event */
  POLLS,  /* makes the next pass at once: a descriptor has become readable, or a neighbour waits for
             credits */
  SPINS,  /* the next request may come soon */
  NAPS,   /* naps briefly: an agent will answer soon */
  SLEEPS, /* sleeps on MPI's descriptors if they report messages, else on the doorbell */
  YIELDS_TO_PROCESS /* sleeps on the doorbell: a process of this node serves while it waits */
};

/* Lengths of naps in nanoseconds. If no descriptor reports messages, a request that arrives during
 * a nap waits until the nap ends. */
enum { SHORT_NAP = 20000, LONG_NAP = 150000, LONGEST_NAP = 30000000 };

/* Lengths of sleeps in nanoseconds if descriptors report messages. Sleeps get longer while no
 * request arrives. */
enum { FIRST_SLEEP = 1000000, LONGEST_SLEEP = 8000000 };

/* A nap delays a request that arrives meanwhile. So a nap beyond LONG_NAP is at most this share of
 * the time since the last request. If that time exceeds LONG_SILENCE, the share grows with it. No
 * nap exceeds LONGEST_NAP. With naps of that length a server uses less than half a percent of a
 * core, since each wake-up costs 50 to 100 microseconds. */
static const double NAP_SHARE = 1.0 / 200, LONG_SILENCE = 0.3 /* seconds */;

/* First and longest nap in nanoseconds while a process of this node serves. */
enum { HELPED_NAP = 100000, HELPED_LONGEST = 1600000 };

enum { FALSE_ALARMS = 64, TRY_SPIN = 64 };

static const double PUSH_SECONDS = 10e-3, ALARM_SECONDS = 20e-6, LEAST_SPIN_SECONDS = 3e-6;

static struct {
  unsigned long
      found[3]; /* requests found while spinning, after a descriptor became readable, after a nap */
  double since; /* time of the last request */
  double spin;  /* seconds to spin after a request */
  unsigned slept_for; /* number of requests in a row that arrived while the server slept */
  bool spinning;      /* the server spins now */
  bool slept;         /* the server has slept since the last request */
  uint64_t served;    /* number of messages received up to the last pass */
  long nap, sleep, helped_nap;
  bool woken;        /* a descriptor ended the sleep */
  bool was_woken;    /* another thread ended the sleep */
  double alarm;      /* time at which a descriptor last ended a sleep (an alarm) */
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

/* Sets the time to poll after the next alarm. `soon` is true if polling after this alarm soon found
 * a request. */
static void learn_of_alarm(bool soon)
{
  idle.alarm_spin = soon ? ALARM_SECONDS : idle.alarm_spin / 2;
}

/* Adapts the time to spin and the trust in the descriptors after a request was found. Both depend
 * on how it was found: while spinning, by a descriptor, or after a nap. */
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

/* Records that a request has arrived. More requests are expected after it. */
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
  /* A second alarm without a request in between: polling after the first one found nothing. */
  if (idle.alarms++ > 0)
    learn_of_alarm(false);
  idle.alarm = cwi_now();
}

/* Returns the length of the longest nap allowed at the time `now`. `busy` is true if operations are
 * in progress that advance only while MPI is called. */
static long longest_nap(double now, bool busy)
{
  const double silence = now - idle.since;
  const double share = NAP_SHARE * (silence > LONG_SILENCE ? silence / LONG_SILENCE : 1);
  return busy ? LONG_NAP : cwi_nap_share(silence, share, LONG_NAP, LONGEST_NAP);
}

/* Sleeps once. The sleep is long only if the descriptors have proved reliable and no work is in
 * progress that they would not report. */
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
  /* Try the descriptors again after some time without requests. */
  if (!notifies && idle.nap >= LONG_NAP && idle.alarms > 0)
    idle.alarms--;
}

/* Sleeps while a process of this node serves. The server is not needed then: each answer that the
 * process waits for wakes the process, and two threads that serve would hinder each other. No nap
 * is longer than the time for which the process has served. During a long nap yields_to_process is
 * set, so that a process that offers a shared packet wakes the server. After a short nap the server
 * finds such packets itself. */
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

/* Stops spinning and sleeps. Spinning is worthwhile while requests arrive faster than the kernel
 * wakes a thread. Otherwise it only takes processor time from other threads, perhaps from the
 * process that would send the next request. So the server soon stops spinning if that finds no
 * requests, and tries it again now and then. */
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
  /* A waiting process of this node may have served. Its requests count like those that this thread
   * received. */
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

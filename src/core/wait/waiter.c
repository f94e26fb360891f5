/* Waits of threads: spinning, yielding, and naps that only the time ends. */
#include "wait/waiter.h"

#include "base/clock.h"
#include "wait/thread.h"
#include "wait/wait_report.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

enum { YIELDS = 64 };

/* Constants for waits that sleep. Such a wait yields once in SPIN_YIELD passes of spinning. If
 * other threads want the core, it makes only WANTED_SPIN passes of spinning and WANTED_YIELDS
 * yields. After a late return from a yield, the next REMEMBERED waits assume that the core is
 * wanted. */
enum { SPIN_YIELD = 32, WANTED_SPIN = 20, WANTED_YIELDS = 1, REMEMBERED = 16 };

/* Passes of spinning that follow a pass in which the thread has served. */
enum { USEFUL_SPIN = 100 };

static const double LONG_YIELD_SECONDS = 50e-6;

static cwi_idle_function idle;
static cwi_help_function help;
static cwi_nap_function nap;
static unsigned spin;
static bool crowded;
static unsigned wanted; /* number of further waits that assume that the core is wanted */
static __thread __attribute__((tls_model("initial-exec"))) void (*while_waiting)(void);
/* Report of the last pass, on which the next pass acts. */
static __thread __attribute__((tls_model("initial-exec"))) enum { NOTHING, TO_YIELD, TO_SPIN } hint;

void cwi_set_spin(unsigned passes, bool is_crowded)
{
  spin = passes;
  crowded = is_crowded;
}

bool cwi_core_is_wanted(void)
{
  return crowded || __atomic_load_n(&wanted, __ATOMIC_RELAXED) > 0;
}

/* Counts one wait, or one poll without success, that has assumed that the core is wanted. */
static void forget_one(void)
{
  const unsigned left = __atomic_load_n(&wanted, __ATOMIC_RELAXED);
  if (left > 0)
    __atomic_store_n(&wanted, left - 1, __ATOMIC_RELAXED);
}

/* If sched_yield returns late, another thread has run. */
void cwi_yield(void)
{
  const double before = cwi_now();
  sched_yield();
  if (cwi_now() - before > LONG_YIELD_SECONDS)
    __atomic_store_n(&wanted, REMEMBERED, __ATOMIC_RELAXED);
}

/* A thread that computes between two polls is not waiting. If it yielded after each piece, it would
 * get only the time that other threads leave. */
void cwi_yield_after_poll(void)
{
  static const double SOON_SECONDS = 20e-6;
  static __thread __attribute__((tls_model("initial-exec"))) double last;
  const double before = last;
  last = cwi_now();
  if (last - before > SOON_SECONDS || !cwi_core_is_wanted())
    return;
  forget_one();
  cwi_yield();
  last = cwi_now();
}

void cwi_set_idle(cwi_idle_function function)
{
  idle = function;
}

void cwi_set_server(cwi_help_function server_help, cwi_nap_function server_nap)
{
  help = server_help;
  nap = server_nap;
}

void cwi_serve_meanwhile(void)
{
  if (help != NULL)
    help(CWI_HELP_ONCE);
}

void cwi_serve_end(void)
{
  if (help != NULL)
    help(CWI_HELP_ENDS);
}

void cwi_wait_with(void (*meanwhile)(void))
{
  while_waiting = meanwhile;
}

static void act_meanwhile(void)
{
  void (*const meanwhile)(void) = while_waiting;
  if (meanwhile == NULL)
    return;
  while_waiting = NULL;
  meanwhile();
  while_waiting = meanwhile;
}

void cwi_wait_was_useful(void)
{
  hint = TO_SPIN;
}

void cwi_wait_yields(void)
{
  if (hint == NOTHING)
    hint = TO_YIELD;
}

/* Chooses how long a wait spins and yields. */
static void choose_spin(struct cwi_wait *wait)
{
  const bool brief = wait->sleeps && cwi_core_is_wanted();
  wait->spin = brief && spin > WANTED_SPIN ? WANTED_SPIN : spin;
  wait->last = wait->spin + (brief ? WANTED_YIELDS : YIELDS);
  if (brief)
    forget_one();
}

/* Lets the thread spin for a while longer after a pass in which it has served, so that the next of
 * several requests finds it awake. It does not spin longer if the core is wanted. */
static void spin_on(struct cwi_wait *wait)
{
  if (cwi_core_is_wanted()) {
    forget_one();
    return;
  }
  if (wait->passes + USEFUL_SPIN > wait->spin && wait->passes > 0)
    wait->passes = wait->spin > USEFUL_SPIN ? wait->spin - USEFUL_SPIN : 1;
}

static void take_hint(struct cwi_wait *wait)
{
  cwi_waiting_check();
  if (hint == TO_SPIN)
    spin_on(wait);
  else if (wait->passes > wait->spin)
    wait->passes = wait->spin;
  hint = NOTHING;
}

static unsigned next_pass(struct cwi_wait *wait)
{
  if (hint != NOTHING)
    take_hint(wait);
  const unsigned pass = wait->passes;
  if (pass == 0)
    choose_spin(wait);
  if (pass <= wait->last)
    wait->passes++;
  return pass;
}

static bool wait_pass(struct cwi_wait *wait, cwi_idle_function progress, cwi_help_function serve)
{
  const unsigned pass = next_pass(wait);
  if (pass < wait->spin) {
    if (serve != NULL)
      serve(CWI_HELP_ON);
    if (wait->sleeps && pass % SPIN_YIELD == 0)
      cwi_yield();
    else
      cwi_pause();
    return true;
  }
  cwi_waiting_check();
  /* MPI must progress while we wait: a peer may need us to complete a message first. */
  if (progress != NULL)
    progress();
  /* MPI's progress may have received requests, and nothing else notifies the server of them. */
  if (serve != NULL)
    serve(CWI_HELP_ONCE);
  if (pass < wait->last)
    cwi_yield();
  return pass < wait->last;
}

bool cwi_wait_pass(struct cwi_wait *wait)
{
  return wait_pass(wait, idle, help);
}

bool cwi_wait_passively(struct cwi_wait *wait)
{
  act_meanwhile();
  return wait_pass(wait, NULL, NULL);
}

bool cwi_wait_unserved(struct cwi_wait *wait)
{
  act_meanwhile();
  return wait_pass(wait, idle, NULL);
}

void cwi_nap(long nanoseconds)
{
  enum { SECOND = 1000000000 };
  const struct timespec limit = {nanoseconds / SECOND, nanoseconds % SECOND};
  const int slack = cwi_slack_narrow();
  nanosleep(&limit, NULL);
  cwi_slack_restore(slack);
}

long cwi_nap_share(double seconds, double share, long shortest, long longest)
{
  const double nap_length = 1e9 * share * seconds;
  if (nap_length >= (double)longest)
    return longest;
  return nap_length > (double)shortest ? (long)nap_length : shortest;
}

bool cwi_nap_on_messages(long nanoseconds)
{
  return nap != NULL && nap(nanoseconds);
}

void cwi_wait_until(bool (*condition)(void *context), void *context, long nap_nanoseconds)
{
  enum { LONGEST = 4 };
  struct cwi_wait wait = {.sleeps = nap_nanoseconds > 0};
  long next = nap_nanoseconds;
  while (!condition(context)) {
    if (cwi_wait_pass(&wait))
      continue;
    if (next == 0) {
      sched_yield();
      continue;
    }
    if (!cwi_nap_on_messages(next)) {
      cwi_serve_end();
      cwi_nap(next);
    }
    next = cwi_nap_doubled(next, LONGEST * nap_nanoseconds);
  }
}

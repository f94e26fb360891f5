/* Reports a wait that takes very long, by a message and on the status page. All waits that make
 * passes (wait/waiter.h) call this. */
#include "wait/wait_report.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

__thread __attribute__((tls_model("initial-exec"))) struct cwi_waiting cwi_waiting;

static cwi_is_new_function is_new;

void cwi_waiting_set_is_new(cwi_is_new_function function)
{
  __atomic_store_n(&is_new, function, __ATOMIC_RELEASE);
}

static cwi_wait_observer notified;

void cwi_waiting_set_observer(cwi_wait_observer function)
{
  notified = function;
}

static cwi_liveness_function liveness_check;
static double liveness_seconds;

void cwi_waiting_set_liveness_check(cwi_liveness_function function, double seconds)
{
  liveness_seconds = seconds;
  liveness_check = function;
}

size_t cwi_waiting_known(const char *call)
{
  const size_t length = strlen(call);
  const bool wide = strstr(call, "GA_") != NULL && strcmp(call + length - 2, "64") == 0;
  return wide ? length - 2 : length;
}

void cwi_waiting_call(char *name, size_t size)
{
  const char *call = cwi_waiting.call != NULL ? cwi_waiting.call : "";
  snprintf(name, size, "%.*s", (int)cwi_waiting_known(call), call);
}

/* Never returns 0. */
static uint64_t hash(const char *text)
{
  return cwi_hash_text(CWI_HASH_EMPTY, text) | 1;
}

static void waiting_for(char *whom, size_t size)
{
  whom[0] = '\0';
  if (cwi_waiting.awaited != NULL)
    cwi_waiting.awaited(cwi_waiting.what, whom, size);
}

/* Returns the time at which the present wait began. A call may wait several times and do other
 * things in between: if the thread has not polled for a while, this is the first poll of a new
 * wait. */
static double wait_began(double now)
{
  static const double GAP_SECONDS = 0.25;
  static __thread __attribute__((tls_model("initial-exec"))) double began, polled;
  if (cwi_waiting.since == now || now - polled > GAP_SECONDS)
    began = now;
  polled = now;
  return began;
}

static void waiting_show(double began, double now)
{
  char whom[400], call[64];
  cwi_waiting.shown = true;
  if (!cwi_status_waits(began, now))
    return;
  cwi_waiting_call(call, sizeof call);
  waiting_for(whom, sizeof whom);
  cwi_status_wait_write(call, whom, now);
  const cwi_wait_observer observer = notified;
  if (observer != NULL)
    observer(whom);
}

bool cwi_waiting_is_new(const char *message)
{
  const cwi_is_new_function function = __atomic_load_n(&is_new, __ATOMIC_ACQUIRE);
  return function == NULL || function(hash(message));
}

static void waiting_report(void)
{
  char whom[400], call[64], message[600];
  cwi_waiting_call(call, sizeof call);
  waiting_for(whom, sizeof whom);
  snprintf(message, sizeof message, "%s has waited for %ld seconds (CW_WAIT_REPORT)%s%s", call,
           cwi_settings.wait_report, whom[0] != '\0' ? " for " : "", whom);
  if (cwi_waiting_is_new(message))
    cwi_log(CWI_LOG_WARNING, "%s", message);
}

void cwi_waiting_want_liveness_check(void)
{
  const cwi_liveness_function function = __atomic_load_n(&liveness_check, __ATOMIC_ACQUIRE);
  if (function != NULL)
    function();
}

void cwi_waiting_check(void)
{
  if (cwi_waiting.call == NULL)
    return;
  const double now = cwi_now();
  if (cwi_waiting.since == 0)
    cwi_waiting.since = now;
  const double waited = now - cwi_waiting.since, began = wait_began(now);
  if (now - began >= CWI_STATUS_SHOWN_SECONDS)
    waiting_show(began, now);
  if (liveness_check != NULL && waited >= liveness_seconds)
    liveness_check();
  if (cwi_waiting.notified || cwi_settings.wait_report == 0 ||
      waited < (double)cwi_settings.wait_report)
    return;
  cwi_waiting.notified = true;
  waiting_report();
}

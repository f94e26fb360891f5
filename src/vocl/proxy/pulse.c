/* A machine whose cable is cut says nothing, and MPI may wait for it for ever. So a proxy asks
 * those with which it shares sessions, when they have been silent, and a thread of its own sees
 * whether they answer, and whether the proxy's thread still turns: it may hang in MPI. If not, this
 * process ends, which is the end of the service, and programs learn it by their sockets. A service
 * that is stopped waits for a word of each proxy: so each one is asked then that has not said it.
 */
#include "proxy/pulse.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/settings.h"
#include "base/thread.h"
#include "proxy/proxy.h"
#include "proxy/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 250 };

/* Seconds after which one that says nothing is asked. */
static const double ASK_SECONDS = 0.5;

/* Of another proxy. */
struct watched_proxy {
  double heard;
  bool is_needed;    /* there is a session with it, or the service waits for it to stop */
  bool has_stopped;  /* it has said so */
  uint32_t is_asked; /* and has not answered; the watching thread reads it */
  unsigned silent;   /* looks of that thread, since it was asked */
};

static struct {
  pthread_t thread;
  struct watched_proxy *peers; /* NULL: nobody is watched */
  struct cwi_signal end;
  bool is_stopping; /* the service */
  uint32_t turns;   /* of the proxy's thread */
  uint32_t needs;   /* it needs other proxies */
} pulse;

/* The looks are counted, not the time: a machine that was stopped as a whole goes on then. */
static bool is_too_long(unsigned looks)
{
  return (long)looks * LOOK_MILLISECONDS >= cwi_settings.vocl_silence * 1000;
}

/* MPI may hang in another thread, so it is not asked to end the job. It does when a process goes.
 */
static _Noreturn void give_up(int silent)
{
  char sentence[192];
  snprintf(sentence, sizeof sentence,
           CWI_PROXY_UNREACHED
           "proxy %d hears nothing from %s %d for %ld s (CW_VOCL_SILENCE): the service "
           "ends\n",
           cw_process(), silent >= 0 ? "proxy" : "MPI, in proxy",
           silent >= 0 ? silent : cw_process(), cwi_settings.vocl_silence);
  if (write(STDOUT_FILENO, sentence, strlen(sentence)) < 0) {
  }
  _exit(1);
}

static void look_at_peers(void)
{
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &pulse.peers[process];
    const bool is_asked = __atomic_load_n(&peer->is_asked, __ATOMIC_ACQUIRE) != 0;
    peer->silent = is_asked ? peer->silent + 1 : 0;
    if (is_too_long(peer->silent))
      give_up(process);
  }
}

static void *watch_pulse(void *unused)
{
  uint32_t turns = 0;
  unsigned stuck = 0;
  while (cwi_signal_value(&pulse.end) == 0) {
    cwi_signal_nap(&pulse.end, 0, LOOK_MILLISECONDS * 1000000L);
    const uint32_t now = __atomic_load_n(&pulse.turns, __ATOMIC_ACQUIRE);
    const bool needs = __atomic_load_n(&pulse.needs, __ATOMIC_ACQUIRE) != 0;
    stuck = needs && now == turns ? stuck + 1 : 0;
    turns = now;
    if (is_too_long(stuck))
      give_up(-1);
    look_at_peers();
  }
  return unused;
}

bool cwi_pulse_start(void)
{
  if (cw_processes() == 1 || cwi_settings.vocl_silence == 0)
    return true;
  pulse.peers = calloc((size_t)cw_processes(), sizeof *pulse.peers);
  return pulse.peers != NULL && cwi_thread_start(&pulse.thread, watch_pulse, NULL) == 0;
}

void cwi_pulse_stop(void)
{
  if (pulse.peers == NULL)
    return;
  cwi_signal_advance(&pulse.end);
  pthread_join(pulse.thread, NULL);
  free(pulse.peers);
  pulse.peers = NULL;
}

static void mark_needed(void)
{
  bool any = false;
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &pulse.peers[process];
    peer->is_needed = pulse.is_stopping && !peer->has_stopped && process != cw_process();
    any = any || peer->is_needed;
  }
  for (const struct cwi_proxy_session *session = cwi_sessions_first(); session != NULL;
       session = session->next)
    if (session->is_passed) {
      const int other = session->from == cw_process() ? session->to : session->from;
      pulse.peers[other].is_needed = any = true;
    }
  __atomic_store_n(&pulse.needs, any, __ATOMIC_RELEASE);
}

void cwi_pulse_turn(void)
{
  if (pulse.peers == NULL)
    return;
  mark_needed();
  const double now = cwi_now();
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &pulse.peers[process];
    if (!peer->is_needed) /* whoever has left owes no answer */
      __atomic_store_n(&peer->is_asked, 0, __ATOMIC_RELEASE);
    if (peer->is_asked != 0 || !peer->is_needed || now - peer->heard < ASK_SECONDS)
      continue;
    __atomic_store_n(&peer->is_asked, 1, __ATOMIC_RELEASE);
    cwi_post_send(process, &(struct cwi_mail){.kind = CWI_MAIL_ASK_PULSE});
  }
  __atomic_store_n(&pulse.turns, pulse.turns + 1, __ATOMIC_RELEASE);
}

void cwi_pulse_hear(int process)
{
  if (pulse.peers == NULL)
    return;
  pulse.peers[process].heard = cwi_now();
  __atomic_store_n(&pulse.peers[process].is_asked, 0, __ATOMIC_RELEASE);
}

void cwi_pulse_begin_stop(void)
{
  pulse.is_stopping = true;
}

void cwi_pulse_hear_stop(int process)
{
  if (pulse.peers != NULL)
    pulse.peers[process].has_stopped = true;
}

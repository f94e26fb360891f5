/* Detects unreachable proxies. If a network cable is cut, MPI may wait for ever. A proxy therefore
 * sends liveness checks to silent proxies with which it shares sessions. A second thread checks
 * that they reply. It also checks that the main thread still runs, because that may hang in MPI. If
 * a check fails, this process exits, which ends the service; programs notice the end by their
 * sockets. A service that is being stopped waits for a stop message from each proxy. It therefore
 * checks all proxies that have not sent that message. */
#include "proxy/heartbeat.h"

#include "base/clock.h"
#include "base/settings.h"
#include "proxy/proxy.h"
#include "relay/proxy_session.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 250 };

/* Seconds of silence after which a liveness check is sent. */
static const double QUERY_SECONDS = 0.5;

/* State of another proxy. */
struct watched_proxy {
  double received_at;
  bool is_needed;      /* there is a session with it, or the service waits for it to stop */
  bool has_stopped;    /* it has sent its stop message */
  uint32_t is_queried; /* a liveness check is unanswered; the watching thread reads this */
  unsigned silent;     /* passes of the watching thread since the check was sent */
};

static struct {
  pthread_t thread;
  struct watched_proxy *peers; /* NULL if nothing is watched */
  struct cwi_signal end;
  bool is_stopping; /* the service is being stopped */
  uint32_t passes;  /* number of passes that the main thread has done */
  uint32_t needs;   /* 1 if this proxy needs other proxies */
} heartbeat;

/* Returns true if the silence has lasted for CW_VOCL_SILENCE. Counts passes instead of time, so
 * that a machine that was suspended does not end the service when it resumes. */
static bool is_too_long(unsigned silent_passes)
{
  return (long)silent_passes * POLL_MILLISECONDS >= cwi_settings.vocl_silence * 1000;
}

/* Exits without MPI_Abort, because MPI may hang in another thread. MPI ends the job when a
 * process exits. */
static _Noreturn void give_up(int silent)
{
  char message[192];
  snprintf(
      message, sizeof message,
      VOCL_PROXY_UNREACHED
      "proxy %d has received nothing from %s %d for %ld s (CW_VOCL_SILENCE): the service ends\n",
      cw_process(), silent >= 0 ? "proxy" : "MPI, in proxy", silent >= 0 ? silent : cw_process(),
      cwi_settings.vocl_silence);
  if (write(STDOUT_FILENO, message, strlen(message)) < 0) {
  }
  _exit(1);
}

static void check_peers(void)
{
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &heartbeat.peers[process];
    const bool is_queried = __atomic_load_n(&peer->is_queried, __ATOMIC_ACQUIRE) != 0;
    peer->silent = is_queried ? peer->silent + 1 : 0;
    if (is_too_long(peer->silent))
      give_up(process);
  }
}

static void *watch_heartbeat(void *unused)
{
  uint32_t passes = 0;
  unsigned stuck = 0;
  while (cwi_signal_value(&heartbeat.end) == 0) {
    cwi_signal_nap(&heartbeat.end, 0, POLL_MILLISECONDS * 1000000L);
    const uint32_t now = __atomic_load_n(&heartbeat.passes, __ATOMIC_ACQUIRE);
    const bool needs = __atomic_load_n(&heartbeat.needs, __ATOMIC_ACQUIRE) != 0;
    stuck = needs && now == passes ? stuck + 1 : 0;
    passes = now;
    if (is_too_long(stuck))
      give_up(-1);
    check_peers();
  }
  return unused;
}

bool vocl_heartbeat_start(void)
{
  if (cw_processes() == 1 || cwi_settings.vocl_silence == 0)
    return true;
  heartbeat.peers = calloc((size_t)cw_processes(), sizeof *heartbeat.peers);
  return heartbeat.peers != NULL && cwi_thread_start(&heartbeat.thread, watch_heartbeat, NULL) == 0;
}

void vocl_heartbeat_stop(void)
{
  if (heartbeat.peers == NULL)
    return;
  cwi_signal_advance(&heartbeat.end);
  pthread_join(heartbeat.thread, NULL);
  free(heartbeat.peers);
  heartbeat.peers = NULL;
}

static void note_needed(void)
{
  bool any = false;
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &heartbeat.peers[process];
    peer->is_needed = heartbeat.is_stopping && !peer->has_stopped && process != cw_process();
    any = any || peer->is_needed;
  }
  for (const struct vocl_proxy_session *session = vocl_proxy_sessions_first(); session != NULL;
       session = session->next)
    if (session->is_passed) {
      const int other = session->from == cw_process() ? session->to : session->from;
      heartbeat.peers[other].is_needed = any = true;
    }
  __atomic_store_n(&heartbeat.needs, any, __ATOMIC_RELEASE);
}

void vocl_heartbeat_poll(void)
{
  if (heartbeat.peers == NULL)
    return;
  note_needed();
  const double now = cwi_now();
  for (int process = 0; process < cw_processes(); process++) {
    struct watched_proxy *peer = &heartbeat.peers[process];
    if (!peer->is_needed) /* a proxy that has left need not reply */
      __atomic_store_n(&peer->is_queried, 0, __ATOMIC_RELEASE);
    if (peer->is_queried != 0 || !peer->is_needed || now - peer->received_at < QUERY_SECONDS)
      continue;
    __atomic_store_n(&peer->is_queried, 1, __ATOMIC_RELEASE);
    vocl_control_send(process,
                      &(struct vocl_control_message){.kind = VOCL_CONTROL_HEARTBEAT_REQUEST});
  }
  __atomic_store_n(&heartbeat.passes, heartbeat.passes + 1, __ATOMIC_RELEASE);
}

void vocl_heartbeat_received(int process)
{
  if (heartbeat.peers == NULL)
    return;
  heartbeat.peers[process].received_at = cwi_now();
  __atomic_store_n(&heartbeat.peers[process].is_queried, 0, __ATOMIC_RELEASE);
}

void vocl_heartbeat_begin_stop(void)
{
  heartbeat.is_stopping = true;
}

void vocl_heartbeat_peer_stops(int process)
{
  if (heartbeat.peers != NULL)
    heartbeat.peers[process].has_stopped = true;
}

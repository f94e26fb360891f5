/* Opens sessions, one with each proxy, and removes them from a child after fork. */
#include "remote/remote_session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "wire/service_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sessions are never freed, because objects may outlive them. */
static struct vocl_session *sessions;
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;

/* Runs before fork: takes all locks, so that the child finds every session in a consistent
 * state. */
static void sessions_stop(void)
{
  pthread_mutex_lock(&sessions_lock);
  for (struct vocl_session *each = sessions; each != NULL; each = each->next)
    vocl_session_lock(each);
}

static void sessions_resume(void)
{
  for (struct vocl_session *each = sessions; each != NULL; each = each->next)
    vocl_session_unlock(each);
  pthread_mutex_unlock(&sessions_lock);
}

/* Runs in the child, which has no sessions: their sockets and shared memory belong to the
 * parent. */
static void sessions_forget(void)
{
  pthread_mutex_init(&sessions_lock, NULL);
  for (struct vocl_session *each = sessions; each != NULL; each = each->next) {
    pthread_mutex_init(&each->lock, NULL);
    each->waiters = 0;
    if (!each->is_over)
      close(each->socket);
    __atomic_store_n(&each->channel.broken, true, __ATOMIC_RELAXED);
    vocl_session_lost(each);
  }
}

static void watch_forks(void)
{
  pthread_atfork(sessions_stop, sessions_resume, sessions_forget);
}

void vocl_remote_prepare_fork(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

const char *vocl_remote_service_name(void)
{
  const char *name = cwi_settings_text(cwi_settings.vocl_service);
  return *name != '\0' ? name : "default";
}

/* Returns the name of the program, for the lists of sessions. */
static void program_name(char *name, size_t size)
{
  snprintf(name, size, "%s", program_invocation_short_name);
}

static struct vocl_channel_memory *session_connect(uint32_t proxy, int *socket)
{
  struct vocl_socket_request query = {
      .version = VOCL_SOCKET_VERSION, .type = VOCL_SOCKET_OPEN, .number = proxy};
  struct vocl_socket_reply answer;
  int descriptor = -1;
  query.process = (uint32_t)getpid();
  program_name(query.text, sizeof query.text);
  *socket = vocl_socket_connect(vocl_remote_service_name());
  if (*socket < 0)
    return NULL;
  const bool is_replied = vocl_socket_query(*socket, &query, &answer, &descriptor);
  void *memory = NULL;
  if (is_replied && answer.code == 0 && answer.bytes == VOCL_CHANNEL_BYTES)
    memory = vocl_shared_memory_map(descriptor, answer.bytes, true);
  else if (is_replied)
    cwi_log(CWI_LOG_WARNING, "OpenCL: proxy %u rejects the session: %s", proxy, answer.text);
  if (descriptor >= 0)
    close(descriptor);
  if (memory == NULL)
    close(*socket);
  return memory;
}

static struct vocl_session *session_open(uint32_t proxy)
{
  struct vocl_session *session = calloc(1, sizeof *session);
  struct vocl_channel_memory *memory =
      session != NULL ? session_connect(proxy, &session->socket) : NULL;
  if (memory == NULL) {
    free(session);
    return NULL;
  }
  session->proxy = proxy;
  session->fresh = VOCL_FIRST_OBJECT_NUMBER;
  session->checked = cwi_now();
  session->receive_move = vocl_session_receive_move;
  pthread_mutex_init(&session->lock, NULL);
  vocl_channel_open(&session->channel, memory, VOCL_PROGRAM_SIDE);
  if (vocl_listener_start(session))
    return session;
  close(session->socket);
  munmap(memory, VOCL_CHANNEL_BYTES);
  free(session);
  return NULL;
}

struct vocl_session *vocl_session_with_proxy(uint32_t proxy)
{
  vocl_remote_prepare_fork();
  pthread_mutex_lock(&sessions_lock);
  struct vocl_session *found = sessions;
  while (found != NULL &&
         (found->proxy != proxy || __atomic_load_n(&found->is_over, __ATOMIC_ACQUIRE)))
    found = found->next;
  if (found == NULL) {
    found = session_open(proxy);
    if (found != NULL) {
      found->next = sessions;
      sessions = found;
    }
  }
  pthread_mutex_unlock(&sessions_lock);
  return found;
}

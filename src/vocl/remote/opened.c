/* Opens sessions, one with each proxy, and sees to it that a child of fork has none. */
#include "remote/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "wire/door.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sessions are never freed: objects of one that is over may still be there. */
static struct cwi_session *sessions;
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;

/* No thread is in the midst of anything: the child goes through all that a session has. */
static void sessions_stop(void)
{
  pthread_mutex_lock(&sessions_lock);
  for (struct cwi_session *each = sessions; each != NULL; each = each->next)
    cwi_session_lock(each);
}

static void sessions_go_on(void)
{
  for (struct cwi_session *each = sessions; each != NULL; each = each->next)
    cwi_session_unlock(each);
  pthread_mutex_unlock(&sessions_lock);
}

/* The child has none of them: their sockets and their memory are its parent's. */
static void sessions_forget(void)
{
  pthread_mutex_init(&sessions_lock, NULL);
  for (struct cwi_session *each = sessions; each != NULL; each = each->next) {
    pthread_mutex_init(&each->lock, NULL);
    each->waiters = 0;
    if (!each->is_over)
      close(each->socket);
    __atomic_store_n(&each->channel.broken, true, __ATOMIC_RELAXED);
    cwi_session_end(each);
  }
}

static void watch_forks(void)
{
  pthread_atfork(sessions_stop, sessions_go_on, sessions_forget);
}

void cwi_remote_prepare_fork(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

const char *cwi_remote_service(void)
{
  const char *name = cwi_settings_text(cwi_settings.vocl_service);
  return *name != '\0' ? name : "default";
}

/* The name of the program, for lists. */
static void program_name(char *name, size_t size)
{
  snprintf(name, size, "%s", program_invocation_short_name);
}

static struct cwi_channel_memory *session_knock(uint32_t proxy, int *socket)
{
  struct cwi_door_question question = {
      .version = CWI_DOOR_VERSION, .wish = CWI_DOOR_OPEN, .number = proxy};
  struct cwi_door_answer answer;
  int descriptor = -1;
  question.process = (uint32_t)getpid();
  program_name(question.text, sizeof question.text);
  *socket = cwi_door_knock(cwi_remote_service());
  if (*socket < 0)
    return NULL;
  const bool is_answered = cwi_door_ask(*socket, &question, &answer, &descriptor);
  void *memory = NULL;
  if (is_answered && answer.code == 0 && answer.bytes == CWI_CHANNEL_BYTES)
    memory = cwi_door_map(descriptor, answer.bytes, true);
  else if (is_answered)
    cwi_log(CWI_LOG_WARNING, "OpenCL: proxy %u opens no session: %s", proxy, answer.text);
  if (descriptor >= 0)
    close(descriptor);
  if (memory == NULL)
    close(*socket);
  return memory;
}

static struct cwi_session *session_open(uint32_t proxy)
{
  struct cwi_session *session = calloc(1, sizeof *session);
  struct cwi_channel_memory *memory =
      session != NULL ? session_knock(proxy, &session->socket) : NULL;
  if (memory == NULL) {
    free(session);
    return NULL;
  }
  session->proxy = proxy;
  session->fresh = CWI_FIRST_NUMBER;
  session->looked = cwi_now();
  session->hear_move = cwi_hear_move;
  pthread_mutex_init(&session->lock, NULL);
  cwi_channel_open(&session->channel, memory, CWI_ABOVE);
  if (cwi_listener_start(session))
    return session;
  close(session->socket);
  munmap(memory, CWI_CHANNEL_BYTES);
  free(session);
  return NULL;
}

struct cwi_session *cwi_session_with(uint32_t proxy)
{
  cwi_remote_prepare_fork();
  pthread_mutex_lock(&sessions_lock);
  struct cwi_session *found = sessions;
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

/* Errors that a later fence or wait returns, in the order in which they came. */
#include "route/deferred_errors.h"

#include "base/log.h"
#include "team/world.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <pthread.h>
#include <stdlib.h>

/* First error that a node reported to a thread. */
struct deferred {
  struct deferred *next;
  const void *thread; /* cwi_thread_name of the thread; NULL if the thread has ended, so that any
                         thread takes the error */
  int node;           /* -1 if the node is not known */
  struct cwi_first_error first;
};

static struct deferred *oldest;
static uint32_t lock, count;

/* Set in threads that have deferred errors, so that orphan_errors runs when such a thread ends. */
static pthread_key_t key;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

/* Leaves the errors of a thread that ends to all other threads. */
static void orphan_errors(void *thread)
{
  cwi_lock(&lock);
  for (struct deferred *deferred = oldest; deferred != NULL; deferred = deferred->next)
    deferred->thread = deferred->thread == thread ? NULL : deferred->thread;
  cwi_unlock(&lock);
}

static void make_key(void)
{
  if (pthread_key_create(&key, orphan_errors) != 0)
    cwi_abort("no thread-specific key is left (pthread_key_create)", 1);
}

static int node_of(int process)
{
  return process < 0 ? -1 : cwi_world.node_of[process];
}

/* Returns true if an earlier error of the same node is deferred for the same thread. The caller
 * holds the lock. */
static bool is_known(const struct deferred *mine)
{
  const struct deferred *deferred = oldest;
  while (deferred != NULL && (deferred->thread != mine->thread || deferred->node != mine->node))
    deferred = deferred->next;
  return deferred != NULL;
}

static struct deferred **deferred_end(void)
{
  struct deferred **link = &oldest;
  while (*link != NULL)
    link = &(*link)->next;
  return link;
}

void cwi_deferred_error_add(int process, const struct cwi_first_error *earlier)
{
  if (earlier->error == CW_OK)
    return;
  struct deferred *mine = malloc(sizeof *mine);
  if (mine == NULL)
    cwi_abort(earlier->message, 1);
  *mine =
      (struct deferred){.thread = cwi_thread_name(), .node = node_of(process), .first = *earlier};
  pthread_once(&key_made, make_key);
  pthread_setspecific(key, cwi_thread_name());
  cwi_lock(&lock);
  if (!is_known(mine)) {
    *deferred_end() = mine;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELEASE);
    mine = NULL;
  }
  cwi_unlock(&lock);
  free(mine);
}

static bool concerns(const struct deferred *deferred, int node)
{
  return (deferred->thread == cwi_thread_name() || deferred->thread == NULL) &&
         (node < 0 || deferred->node < 0 || deferred->node == node);
}

/* Removes and returns the oldest error that concerns this thread and `node` (any node, if -1), or
 * NULL if there is none. */
static struct deferred *take_deferred(int node)
{
  struct deferred **link = &oldest;
  cwi_lock(&lock);
  while (*link != NULL && !concerns(*link, node))
    link = &(*link)->next;
  struct deferred *deferred = *link;
  if (deferred != NULL) {
    *link = deferred->next;
    __atomic_fetch_sub(&count, 1, __ATOMIC_RELEASE);
  }
  cwi_unlock(&lock);
  return deferred;
}

void cwi_deferred_errors_report(int process, struct cwi_first_error *first)
{
  struct deferred *deferred = NULL;
  if (CWI_LIKELY(__atomic_load_n(&count, __ATOMIC_ACQUIRE) == 0))
    return;
  while ((deferred = take_deferred(node_of(process))) != NULL) {
    cwi_first_note(first, cwi_first_return(&deferred->first));
    free(deferred);
  }
}

void cwi_deferred_errors_stop(void)
{
  while (oldest != NULL) {
    struct deferred *deferred = oldest;
    oldest = deferred->next;
    cwi_log(CWI_LOG_WARNING, "an operation failed at its target, and no call waited for it: %s",
            deferred->first.message);
    free(deferred);
  }
  count = 0;
}

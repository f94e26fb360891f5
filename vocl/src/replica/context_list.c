/* The list of all contexts of this process. It is used for moves, at the end of sessions, and at
 * fork. */
#include "replica/replicated_event.h"

#include <stdlib.h>

static struct vocl_replicated_context *all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- fork --- */

static void fork_begins(void)
{
  pthread_mutex_lock(&all_lock);
  for (struct vocl_replicated_context *each = all; each != NULL; each = each->next) {
    vocl_context_lock(each);
    pthread_mutex_lock(&each->members_lock);
  }
  vocl_replicated_lists_lock();
}

static void fork_is_done(void)
{
  vocl_replicated_lists_unlock();
  for (struct vocl_replicated_context *each = all; each != NULL; each = each->next) {
    pthread_mutex_unlock(&each->members_lock);
    vocl_context_unlock(each);
  }
  pthread_mutex_unlock(&all_lock);
}

/* Runs in the child, which has no worker threads, so deferred commands will never be submitted:
 * their events fail. No thread of the child is inside a freeze lock or has closed one; those
 * threads belong to the parent. */
static void fork_is_born(void)
{
  vocl_move_reset();
  for (struct vocl_replicated_context *each = all; each != NULL; each = each->next) {
    each->over = vocl_context_locations(each);
    each->worker.is_there = false;
    pthread_mutex_init(&each->worker.pass_lock, NULL);
    vocl_freeze_init(&each->freeze);
    for (struct vocl_replicated_queue *queue = each->queues; queue != NULL; queue = queue->next)
      for (struct vocl_deferred_command *deferred = queue->first; deferred != NULL;
           deferred = deferred->after)
        deferred->event->status = CL_DEVICE_NOT_AVAILABLE;
    for (struct vocl_replicated_event *own = each->own; own != NULL; own = own->next_own)
      if (own->status > CL_COMPLETE)
        own->status = CL_DEVICE_NOT_AVAILABLE;
  }
  fork_is_done();
}

/* --- end of sessions --- */

static uint32_t locations_lost(const struct vocl_replicated_context *context)
{
  uint32_t over = 0;
  for (uint32_t location = 0; location < context->location_count; location++) {
    const void *replica = vocl_replica_existing(context, location);
    if (replica != NULL && vocl_is_remote(replica) && vocl_remote_is_lost(replica))
      over |= 1u << location;
  }
  return over;
}

/* Finds a context with a lost location that is not recorded yet, and records it. Returns a
 * reference, which the caller releases, or NULL if there is no such context. */
static struct vocl_replicated_context *context_to_report(void)
{
  pthread_mutex_lock(&all_lock);
  struct vocl_replicated_context *each = all;
  while (each != NULL &&
         ((locations_lost(each) & ~each->over) == 0 || !vocl_replicated_try_ref(each)))
    each = each->next;
  if (each != NULL)
    __atomic_fetch_or(&each->over, locations_lost(each), __ATOMIC_ACQ_REL);
  pthread_mutex_unlock(&all_lock);
  return each;
}

/* Returns a user event that is not set, or NULL. The caller releases the reference. */
static struct vocl_replicated_event *own_unset(struct vocl_replicated_context *context)
{
  vocl_context_lock(context);
  struct vocl_replicated_event *own = context->own;
  while (own != NULL && (!vocl_replicated_event_is_deferred(own) || !vocl_replicated_try_ref(own)))
    own = own->next_own;
  vocl_context_unlock(context);
  return own;
}

/* Handles the end of sessions. The listener of a session that is over calls it. It is also called
 * when a context gets a location, because the session of that location may have ended before.
 *
 * The worker fails the deferred commands of a lost location. User events belong to all
 * locations, and fail when the last one is lost. */
static void sessions_lost(void)
{
  struct vocl_replicated_context *context = NULL;
  struct vocl_replicated_event *own = NULL;
  while ((context = context_to_report()) != NULL) {
    vocl_context_worker_wake(context);
    while (vocl_context_is_lost(context) && (own = own_unset(context)) != NULL) {
      vocl_replicated_event_submitted(own, NULL, NULL, CL_DEVICE_NOT_AVAILABLE);
      vocl_replicated_unref(own);
    }
    vocl_replicated_unref(context);
  }
}

/* --- the list --- */

static void watch(void)
{
  vocl_remote_prepare_fork();
  pthread_atfork(fork_begins, fork_is_done, fork_is_born);
  vocl_remote_lost_callback = sessions_lost;
}

void vocl_context_register(struct vocl_replicated_context *context)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
  pthread_mutex_lock(&all_lock);
  context->is_listed = true;
  context->next = all;
  if (all != NULL)
    all->before = context;
  all = context;
  pthread_mutex_unlock(&all_lock);
  sessions_lost();
}

void vocl_context_unregister(struct vocl_replicated_context *context)
{
  if (!context->is_listed)
    return;
  pthread_mutex_lock(&all_lock);
  *(context->before != NULL ? &context->before->next : &all) = context->next;
  if (context->next != NULL)
    context->next->before = context->before;
  pthread_mutex_unlock(&all_lock);
}

struct vocl_replicated_context **vocl_contexts_ref(size_t *count)
{
  size_t most = 1;
  *count = 0;
  pthread_mutex_lock(&all_lock);
  for (const struct vocl_replicated_context *each = all; each != NULL; each = each->next)
    most++;
  struct vocl_replicated_context **contexts = malloc(most * sizeof *contexts);
  for (struct vocl_replicated_context *each = all; contexts != NULL && each != NULL;
       each = each->next)
    if (vocl_replicated_try_ref(each))
      contexts[(*count)++] = each;
  pthread_mutex_unlock(&all_lock);
  return contexts;
}

void vocl_contexts_unref(struct vocl_replicated_context **contexts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    vocl_replicated_unref(contexts[i]);
  free(contexts);
}

void vocl_context_swap_replicas(struct vocl_replicated_context *context, uint32_t spare,
                                uint32_t location)
{
  void **replicas = context->replicated.replicas;
  pthread_mutex_lock(&all_lock);
  void *before = replicas[location];
  __atomic_store_n(&replicas[location], replicas[spare], __ATOMIC_RELEASE);
  __atomic_store_n(&replicas[spare], before, __ATOMIC_RELEASE);
  if (location == context->location_count)
    __atomic_store_n(&context->location_count, location + 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&all_lock);
  sessions_lost();
}

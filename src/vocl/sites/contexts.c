/* All contexts of this process: for moves, and what becomes of them when a session is over, and in
 * a child of fork. */
#include "sites/site.h"

#include <stdlib.h>

static struct cwi_sited_context *all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- fork --- */

static void fork_begins(void)
{
  pthread_mutex_lock(&all_lock);
  for (struct cwi_sited_context *each = all; each != NULL; each = each->next) {
    cwi_context_lock(each);
    pthread_mutex_lock(&each->members_lock);
  }
  cwi_sited_lists_stop();
}

static void fork_is_done(void)
{
  cwi_sited_lists_go_on();
  for (struct cwi_sited_context *each = all; each != NULL; each = each->next) {
    pthread_mutex_unlock(&each->members_lock);
    cwi_context_unlock(each);
  }
  pthread_mutex_unlock(&all_lock);
}

/* The child has no clerks: what waits at home will not leave it. Nor is anybody in a gate, or has
 * closed one: those threads are its parent's. */
static void fork_is_born(void)
{
  cwi_moves_forget();
  for (struct cwi_sited_context *each = all; each != NULL; each = each->next) {
    each->over = cwi_context_sites(each);
    each->clerk.is_there = false;
    pthread_mutex_init(&each->clerk.turns, NULL);
    cwi_gate_begin(&each->gate);
    for (struct cwi_sited_queue *queue = each->queues; queue != NULL; queue = queue->next)
      for (struct cwi_kept *kept = queue->first; kept != NULL; kept = kept->after)
        kept->event->status = CL_DEVICE_NOT_AVAILABLE;
    for (struct cwi_sited_event *own = each->own; own != NULL; own = own->next_own)
      if (own->status > CL_COMPLETE)
        own->status = CL_DEVICE_NOT_AVAILABLE;
  }
  fork_is_done();
}

/* --- sessions that are over --- */

static uint32_t sites_over(const struct cwi_sited_context *context)
{
  uint32_t over = 0;
  for (uint32_t site = 0; site < context->site_count; site++) {
    const void *copy = cwi_site_copy_known(context, site);
    if (copy != NULL && cwi_is_remote(copy) && cwi_remote_is_over(copy))
      over |= 1u << site;
  }
  return over;
}

/* A context that does not know yet that a site of it is over; held. */
static struct cwi_sited_context *context_to_tell(void)
{
  pthread_mutex_lock(&all_lock);
  struct cwi_sited_context *each = all;
  while (each != NULL && ((sites_over(each) & ~each->over) == 0 || !cwi_sited_try_hold(each)))
    each = each->next;
  if (each != NULL)
    __atomic_fetch_or(&each->over, sites_over(each), __ATOMIC_ACQ_REL);
  pthread_mutex_unlock(&all_lock);
  return each;
}

/* One of the program's own events that is not set; held. */
static struct cwi_sited_event *own_unset(struct cwi_sited_context *context)
{
  cwi_context_lock(context);
  struct cwi_sited_event *own = context->own;
  while (own != NULL && (!cwi_event_is_home(own) || !cwi_sited_try_hold(own)))
    own = own->next_own;
  cwi_context_unlock(context);
  return own;
}

/* Told by sessions, and asked for where one may have ended before a context had a site there.
 *
 * The clerk fails what waits at home for a site that is over. The program's own events are for all
 * sites, and fail with the last one. */
static void sessions_over(void)
{
  struct cwi_sited_context *context = NULL;
  struct cwi_sited_event *own = NULL;
  while ((context = context_to_tell()) != NULL) {
    cwi_clerk_wake(context);
    while (cwi_context_is_over(context) && (own = own_unset(context)) != NULL) {
      cwi_event_leave(own, NULL, NULL, CL_DEVICE_NOT_AVAILABLE);
      cwi_sited_let_go(own);
    }
    cwi_sited_let_go(context);
  }
}

/* --- the list --- */

static void watch(void)
{
  cwi_remote_prepare_fork();
  pthread_atfork(fork_begins, fork_is_done, fork_is_born);
  cwi_remote_over_notice = sessions_over;
}

void cwi_context_enlist(struct cwi_sited_context *context)
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
  sessions_over();
}

void cwi_context_delist(struct cwi_sited_context *context)
{
  if (!context->is_listed)
    return;
  pthread_mutex_lock(&all_lock);
  *(context->before != NULL ? &context->before->next : &all) = context->next;
  if (context->next != NULL)
    context->next->before = context->before;
  pthread_mutex_unlock(&all_lock);
}

struct cwi_sited_context **cwi_contexts_hold(size_t *count)
{
  size_t most = 1;
  *count = 0;
  pthread_mutex_lock(&all_lock);
  for (const struct cwi_sited_context *each = all; each != NULL; each = each->next)
    most++;
  struct cwi_sited_context **contexts = malloc(most * sizeof *contexts);
  for (struct cwi_sited_context *each = all; contexts != NULL && each != NULL; each = each->next)
    if (cwi_sited_try_hold(each))
      contexts[(*count)++] = each;
  pthread_mutex_unlock(&all_lock);
  return contexts;
}

void cwi_contexts_let_go(struct cwi_sited_context **contexts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    cwi_sited_let_go(contexts[i]);
  free(contexts);
}

void cwi_context_settle(struct cwi_sited_context *context, uint32_t away, uint32_t site)
{
  void **copies = context->sited.copies;
  pthread_mutex_lock(&all_lock);
  void *before = copies[site];
  __atomic_store_n(&copies[site], copies[away], __ATOMIC_RELEASE);
  __atomic_store_n(&copies[away], before, __ATOMIC_RELEASE);
  if (site == context->site_count)
    __atomic_store_n(&context->site_count, site + 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&all_lock);
  sessions_over();
}

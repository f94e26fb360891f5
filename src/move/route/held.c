/* Refusals that are told later, in the order in which they came. */
#include "route/held.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "team/world.h"

#include <pthread.h>
#include <stdlib.h>

/* The first one of a node to a thread. */
struct held {
  struct held *next;
  const void *thread; /* its name; NULL: it has ended, and whoever comes hears */
  int node;           /* -1: of some node */
  struct cwi_first_error first;
};

static struct held *oldest;
static uint32_t lock, count;

/* Of a thread that has some: what it leaves is for others. */
static pthread_key_t key;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static void bequeath(void *thread)
{
  cwi_lock(&lock);
  for (struct held *held = oldest; held != NULL; held = held->next)
    held->thread = held->thread == thread ? NULL : held->thread;
  cwi_unlock(&lock);
}

static void make_key(void)
{
  if (pthread_key_create(&key, bequeath) != 0)
    cwi_abort("there are no keys of threads left", 1);
}

static int node_of(int process)
{
  return process < 0 ? -1 : cwi_world.node_of[process];
}

static bool is_known(const struct held *mine)
{
  const struct held *held = oldest;
  while (held != NULL && (held->thread != mine->thread || held->node != mine->node))
    held = held->next;
  return held != NULL;
}

static struct held **held_end(void)
{
  struct held **link = &oldest;
  while (*link != NULL)
    link = &(*link)->next;
  return link;
}

void cwi_hold(int process, const struct cwi_first_error *earlier)
{
  if (earlier->error == CW_OK)
    return;
  struct held *mine = malloc(sizeof *mine);
  if (mine == NULL)
    cwi_abort(earlier->sentence, 1);
  *mine = (struct held){.thread = &cwi_thread_name, .node = node_of(process), .first = *earlier};
  pthread_once(&key_made, make_key);
  pthread_setspecific(key, &cwi_thread_name);
  cwi_lock(&lock);
  if (!is_known(mine)) {
    *held_end() = mine;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELEASE);
    mine = NULL;
  }
  cwi_unlock(&lock);
  free(mine);
}

static bool concerns(const struct held *held, int node)
{
  return (held->thread == &cwi_thread_name || held->thread == NULL) &&
         (node < 0 || held->node < 0 || held->node == node);
}

/* The next one that this thread is to hear of a node, -1: of any; NULL: none. */
static struct held *take_held(int node)
{
  struct held **link = &oldest;
  cwi_lock(&lock);
  while (*link != NULL && !concerns(*link, node))
    link = &(*link)->next;
  struct held *held = *link;
  if (held != NULL) {
    *link = held->next;
    __atomic_fetch_sub(&count, 1, __ATOMIC_RELEASE);
  }
  cwi_unlock(&lock);
  return held;
}

void cwi_held_tell(int process, struct cwi_first_error *first)
{
  struct held *held = NULL;
  if (CWI_LIKELY(__atomic_load_n(&count, __ATOMIC_ACQUIRE) == 0))
    return;
  while ((held = take_held(node_of(process))) != NULL) {
    cwi_first_note(first, cwi_first_return(&held->first));
    free(held);
  }
}

void cwi_held_stop(void)
{
  while (oldest != NULL) {
    struct held *held = oldest;
    oldest = held->next;
    cwi_log(CWI_LOG_WARNING, "nobody waited for what was refused: %s", held->first.sentence);
    free(held);
  }
  count = 0;
}

/* The counters of each thread. When a thread ends, the next new thread continues with its counters,
 * so there are at most as many sets of counters as there were threads at the same time. */
#include "profile/profile_counters.h"
#include "wait/lock.h"

#include <pthread.h>

__thread __attribute__((tls_model("initial-exec"))) struct cwi_profiled_thread *cwi_profiled;
static struct cwi_profiled_thread *threads;
static uint32_t threads_lock;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static bool has_key;

void cwi_profiled_pause(struct cwi_profiled_thread *thread)
{
  if (thread->last > thread->first)
    thread->time += thread->last - thread->first;
  thread->first = thread->last = 0;
}

uint64_t cwi_profiled_time_of(const struct cwi_profiled_thread *thread, uint64_t wall)
{
  if (thread->is_oldest)
    return wall;
  const uint64_t end = thread->clocked_since != 0 ? cwi_nanoseconds() : thread->last;
  return thread->time + (thread->first != 0 && end > thread->first ? end - thread->first : 0);
}

/* Destructor of the thread's key: leaves the counters to the next new thread. */
static void thread_leave(void *thread)
{
  cwi_phases_end(thread);
  cwi_profiled_pause(thread);
  cwi_profiled = NULL; /* a later destructor that makes calls begins anew */
  __atomic_store_n(&((struct cwi_profiled_thread *)thread)->idle, true, __ATOMIC_RELEASE);
}

static void make_key(void)
{
  has_key = pthread_key_create(&thread_end, thread_leave) == 0;
}

static struct cwi_profiled_thread *take_idle(void)
{
  struct cwi_profiled_thread *thread = threads;
  while (thread != NULL && !__atomic_load_n(&thread->idle, __ATOMIC_ACQUIRE))
    thread = thread->next;
  if (thread == NULL)
    return NULL;
  thread->idle = false;
  /* The thread that had the counters may have ended inside a call. */
  thread->depth = 0;
  thread->outermost = thread->task = NULL;
  thread->touched = NULL;
  thread->reached = NULL;
  thread->frames.last_count = 0;
  return thread;
}

/* Appends at the end of the list, so that a reader that has the first thread finds all. */
static void threads_append(struct cwi_profiled_thread *thread)
{
  struct cwi_profiled_thread **last = &threads;
  while (*last != NULL)
    last = &(*last)->next;
  __atomic_store_n(last, thread, __ATOMIC_RELEASE);
  cwi_counter_memory_show(threads);
}

struct cwi_profiled_thread *cwi_profiled_begin(void)
{
  pthread_once(&key_once, make_key);
  cwi_lock(&threads_lock);
  struct cwi_profiled_thread *thread = take_idle();
  if (thread == NULL && (thread = cwi_counter_memory_keep(sizeof *thread)) != NULL)
    threads_append(thread);
  cwi_unlock(&threads_lock);
  if (thread != NULL && has_key)
    pthread_setspecific(thread_end, thread);
  cwi_profiled = thread;
  return thread;
}

void cwi_profiled_leave_to_parent(void)
{
  cwi_profiled = NULL;
  if (has_key)
    pthread_setspecific(thread_end, NULL);
}

struct cwi_profiled_thread *cwi_profiled_next(struct cwi_profiled_thread *thread)
{
  return thread == NULL ? threads : thread->next;
}

/* Keeps the counters of threads in place, because threads that are alive have pointers to them. */
void cwi_profiled_forget(void)
{
  for (struct cwi_profiled_thread *thread = threads; thread != NULL; thread = thread->next) {
    cwi_hash_map_clear(&thread->sites.table);
    cwi_hash_map_clear(&thread->targets.table);
    cwi_hash_map_clear(&thread->objects.table);
    cwi_hash_map_clear(&thread->phases.table);
    cwi_caller_forget(&thread->frames);
    cwi_timeline_forget(thread);
    struct cwi_profiled_thread *next = thread->next;
    const bool idle = thread->idle;
    *thread = (struct cwi_profiled_thread){.idle = idle, .next = next};
  }
}

/* Origins of threads: assigned at the first use, returned when the thread ends. */
#include "mpi/origin.h"

#include "mpi/mpi_threads.h"
#include "wait/lock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

__thread uint32_t cwi_origin;

static struct origin_slot {
  pthread_mutex_t lock CWI_OF_ORIGIN;
  bool in_use;
} slots[CWI_ORIGINS];

/* The bookkeeping lock guards these variables. */
static const struct cwi_origin_hooks *hooks;
static uint32_t opened = 1;
static int leaving; /* number of ending threads that still send their open messages */
/* Number of starts and stops so far. An origin assigned before the last of them is no longer valid.
 * Also read without the lock. */
static uint32_t starts;

/* The origin that this thread was given, and the value of `starts` at that time. */
struct origin_given {
  uint32_t origin, start;
};
static _Thread_local struct origin_given mine;
static pthread_key_t thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void origin_give_back(void *context)
{
  const struct origin_given *given = context;
  cwi_threads_lock();
  const struct cwi_origin_hooks *mine_still = given->start == starts ? hooks : NULL;
  leaving += mine_still != NULL;
  cwi_threads_unlock();
  if (mine_still == NULL)
    return;
  cwi_origin = given->origin;
  mine_still->leave();
  cwi_origin = 0;
  cwi_threads_lock();
  slots[given->origin].in_use = false;
  leaving--;
  cwi_threads_unlock();
}

static bool none_leaves(void *unused)
{
  (void)unused;
  cwi_threads_lock();
  const bool none = leaving == 0;
  cwi_threads_unlock();
  return none;
}

static void origin_prepare(void)
{
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < CWI_ORIGINS; i++)
    pthread_mutex_init(&slots[i].lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  if (pthread_key_create(&thread_end, origin_give_back) != 0)
    cwi_abort("no thread-specific key is left (pthread_key_create)", 1);
}

void cwi_origins_start(const struct cwi_origin_hooks *given)
{
  pthread_once(&once, origin_prepare);
  cwi_threads_lock();
  hooks = cwi_mpi_threads() ? given : NULL;
  __atomic_store_n(&starts, starts + 1, __ATOMIC_RELAXED);
  cwi_threads_unlock();
}

void cwi_origins_leave(void)
{
  cwi_threads_lock();
  hooks = NULL;
  cwi_threads_unlock();
  cwi_wait_until(none_leaves, NULL, 0);
}

void cwi_origins_stop(void)
{
  cwi_threads_lock();
  __atomic_store_n(&opened, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&starts, starts + 1, __ATOMIC_RELAXED);
  for (int i = 0; i < CWI_ORIGINS; i++)
    slots[i].in_use = false;
  cwi_threads_unlock();
}

void cwi_origin_lock(void)
{
  if (CWI_LIKELY(cwi_origin == 0))
    cwi_threads_lock();
  else if (pthread_mutex_lock(&slots[cwi_origin].lock) != 0)
    cwi_abort("the lock of a thread's operations is broken", 1);
}

void cwi_origin_unlock(void)
{
  if (CWI_LIKELY(cwi_origin == 0))
    cwi_threads_unlock();
  else if (pthread_mutex_unlock(&slots[cwi_origin].lock) != 0)
    cwi_abort("the lock of a thread's operations is broken", 1);
}

uint32_t cwi_origins(void)
{
  return __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
}

/* Opens an origin at its first use; one that another thread has used is open already. */
static cw_error open_origin(uint32_t origin)
{
  if (origin < opened)
    return CW_OK;
  const uint32_t before = cwi_origin_enter(origin);
  const cw_error error = hooks->open();
  cwi_origin_enter(before);
  if (error == CW_OK)
    __atomic_store_n(&opened, origin + 1, __ATOMIC_RELEASE);
  return error;
}

static cw_error take_origin(uint32_t *origin)
{
  uint32_t found = 1;
  *origin = 0;
  while (found < CWI_ORIGINS && slots[found].in_use)
    found++;
  if (hooks == NULL || found == CWI_ORIGINS)
    return CW_OK;
  CWI_TRY(open_origin(found));
  slots[found].in_use = true;
  *origin = found;
  return CW_OK;
}

cw_error cwi_origin_mine(uint32_t *origin)
{
  *origin = mine.origin;
  if (CWI_LIKELY(mine.start == __atomic_load_n(&starts, __ATOMIC_RELAXED)))
    return CW_OK;
  cwi_threads_lock();
  const cw_error error = take_origin(origin);
  if (error == CW_OK)
    mine = (struct origin_given){*origin, starts};
  cwi_threads_unlock();
  if (*origin != 0 && pthread_setspecific(thread_end, &mine) != 0)
    return cwi_outside("no memory for the operations of a thread");
  return error;
}

bool cwi_origin_is_mine(void)
{
  return cwi_origin != 0 && cwi_origin == mine.origin &&
         mine.start == __atomic_load_n(&starts, __ATOMIC_RELAXED);
}

cw_error cwi_origins_of_threads(cw_error (*act)(int argument), int argument)
{
  struct cwi_first_error first;
  const uint32_t all = cwi_origin == 0 ? cwi_origins() : 0;
  cwi_first_begin(&first, CW_OK);
  for (uint32_t origin = 1; CWI_UNLIKELY(origin < all); origin++) {
    cwi_origin_enter(origin);
    cwi_first_note(&first, act(argument));
    cwi_origin_enter(0);
  }
  return cwi_first_return(&first);
}

cw_error cwi_origins_each(cw_error (*act)(int argument), int argument)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, act(argument));
  cwi_first_note(&first, cwi_origins_of_threads(act, argument));
  return cwi_first_return(&first);
}

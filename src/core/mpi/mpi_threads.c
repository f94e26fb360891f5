/* The thread level of MPI, and the bookkeeping lock. */
#include "mpi/mpi_threads.h"

#include "mpi/mpi_result.h"

#include <mpi.h>
#include <pthread.h>

static int thread_level;
static bool threads;
static pthread_t main_thread;
static pthread_mutex_t bookkeeping;
static pthread_once_t bookkeeping_once = PTHREAD_ONCE_INIT;

static void make_bookkeeping(void)
{
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&bookkeeping, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

cw_error cwi_mpi_check_main(void)
{
  int is_main = 0;
  CWI_TRY(CWI_MPI(MPI_Is_thread_main(&is_main)));
  return is_main ? CW_OK
                 : cwi_misuse("called from another thread than the main one, which has called "
                              "MPI_Init");
}

cw_error cwi_mpi_threads_start(void)
{
  CWI_TRY(CWI_MPI(MPI_Query_thread(&thread_level)));
  threads = thread_level == MPI_THREAD_MULTIPLE;
  CWI_TRY(cwi_mpi_check_main());
  main_thread = pthread_self();
  pthread_once(&bookkeeping_once, make_bookkeeping);
  return CW_OK;
}

bool cwi_mpi_thread_may_call(void)
{
  return thread_level >= MPI_THREAD_SERIALIZED || pthread_equal(pthread_self(), main_thread);
}

cw_error cwi_mpi_check_thread(void)
{
  if (cwi_mpi_thread_may_call())
    return CW_OK;
  return cwi_misuse("called from another thread than the main one; MPI was given %s",
                    cwi_mpi_thread_level_name());
}

/* The address of this variable identifies the thread. */
static _Thread_local char me;
/* the thread inside a call, at MPI_THREAD_SERIALIZED; identified by the address of its `me` */
static char *inside;

cw_error cwi_mpi_check_enter(void)
{
  char *none = NULL;
  CWI_TRY(cwi_mpi_check_thread());
  if (thread_level != MPI_THREAD_SERIALIZED ||
      __atomic_compare_exchange_n(&inside, &none, &me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
      none == &me)
    return CW_OK;
  return cwi_misuse("two threads call at the same time; MPI was given MPI_THREAD_SERIALIZED");
}

void cwi_mpi_check_leave(void)
{
  char *own = &me;
  __atomic_compare_exchange_n(&inside, &own, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

bool cwi_mpi_threads(void)
{
  return threads;
}

void cwi_threads_lock(void)
{
  if (threads && pthread_mutex_lock(&bookkeeping) != 0)
    cwi_abort("the bookkeeping lock is broken", 1);
}

bool cwi_threads_trylock(void)
{
  return !threads || pthread_mutex_trylock(&bookkeeping) == 0;
}

void cwi_threads_unlock(void)
{
  if (threads && pthread_mutex_unlock(&bookkeeping) != 0)
    cwi_abort("the bookkeeping lock is broken", 1);
}

const char *cwi_mpi_thread_level_name(void)
{
  switch (thread_level) {
  case MPI_THREAD_SINGLE:
    return "MPI_THREAD_SINGLE";
  case MPI_THREAD_FUNNELED:
    return "MPI_THREAD_FUNNELED";
  case MPI_THREAD_SERIALIZED:
    return "MPI_THREAD_SERIALIZED";
  default:
    return "MPI_THREAD_MULTIPLE";
  }
}

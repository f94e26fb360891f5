/* MPI's return codes as errors, its progress, and waiting for its requests. */
#include "mpi/call.h"

#include "base/lock.h"
#include "base/log.h"
#include "mpi/sleep.h"

#include <causeway/runtime.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int thread_level;
static bool threads;
static int cores_are_short;
static int own_process = -1;
static pthread_t main_thread;
static MPI_Comm progress_comm = MPI_COMM_NULL;
static pthread_mutex_t bookkeeping;
static pthread_once_t bookkeeping_once = PTHREAD_ONCE_INIT;

cw_error cwi_mpi_failed(const char *call, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "error %d", code);
  const cw_error error = cwi_outside("MPI refused %s: %s", call, text);
  cwi_error_mark();
  return error;
}

bool cwi_mpi_refused(void)
{
  return cwi_error_marked();
}

static bool mpi_is_up(void)
{
  int initialized = 0, finalized = 0;
  const int first = MPI_Initialized(&initialized);
  const int second = MPI_Finalized(&finalized);
  return first == MPI_SUCCESS && second == MPI_SUCCESS && initialized && !finalized;
}

/* MPICH's launcher stops reading what we wrote once it hears of the abort: let it read first. */
static void wait_for_reader(void)
{
  const struct timespec nap = {.tv_nsec = 5000000};
  int unread = 0;
  for (int naps = 0; naps < 400 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0;
       naps++)
    nanosleep(&nap, NULL);
}

void cwi_mpi_process(int process)
{
  own_process = process;
}

void cw_abort(const char *sentence, int status)
{
  if (own_process >= 0)
    fprintf(stderr, "causeway[%d]: %s\n", own_process, sentence);
  else
    fprintf(stderr, "causeway: %s\n", sentence);
  fflush(NULL);
  wait_for_reader();
  if (mpi_is_up() && MPI_Abort(MPI_COMM_WORLD, status == 0 ? 1 : status) != MPI_SUCCESS)
    abort();
  _Exit(status == 0 ? 1 : status);
}

static void make_bookkeeping(void)
{
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&bookkeeping, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

cw_error cwi_mpi_start(void)
{
  int initialized = 0, finalized = 0;
  CWI_TRY(CWI_MPI(MPI_Initialized(&initialized)));
  CWI_TRY(CWI_MPI(MPI_Finalized(&finalized)));
  if (!initialized || finalized)
    return cwi_misuse("MPI is not running: call MPI_Init before, and MPI_Finalize after");
  CWI_TRY(CWI_MPI(MPI_Query_thread(&thread_level)));
  threads = thread_level == MPI_THREAD_MULTIPLE;
  int is_main = 0;
  CWI_TRY(CWI_MPI(MPI_Is_thread_main(&is_main)));
  main_thread = pthread_self();
  if (!is_main && thread_level < MPI_THREAD_SERIALIZED)
    return cwi_misuse("called from a thread that may not call MPI (level %s)",
                      cwi_mpi_thread_level_name());
  pthread_once(&bookkeeping_once, make_bookkeeping);
  cwi_set_abort(cw_abort);
  return CW_OK;
}

cw_error cwi_mpi_progress_on(MPI_Comm comm)
{
  return CWI_MPI(MPI_Comm_dup(comm, &progress_comm));
}

cw_error cwi_mpi_progress_off(void)
{
  if (progress_comm == MPI_COMM_NULL)
    return CW_OK;
  MPI_Comm comm = progress_comm;
  progress_comm = MPI_COMM_NULL;
  return CWI_MPI(MPI_Comm_free(&comm));
}

void cwi_mpi_progress(void)
{
  if (progress_comm == MPI_COMM_NULL)
    return;
  if (thread_level < MPI_THREAD_SERIALIZED && !pthread_equal(pthread_self(), main_thread))
    return;
  int flag = 0;
  const int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, progress_comm, &flag, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS)
    cwi_abort("MPI_Iprobe failed while waiting", 1);
}

/* What somebody waits for, and a look whether it is there. */
struct awaited {
  cw_error (*look)(struct awaited *awaited, int *here);
  MPI_Request *request;
  int from, tag;
  MPI_Comm comm;
  MPI_Message *message;
  MPI_Status *status;
};

static cw_error wait_until_here(struct awaited *awaited)
{
  struct cwi_wait wait = {.sleeps = true};
  struct cwi_sleep sleep = {0};
  int here = 0;
  CWI_TRY(awaited->look(awaited, &here));
  while (!here) {
    if (!cwi_wait_turn(&wait))
      cwi_sleep(&sleep);
    CWI_TRY(awaited->look(awaited, &here));
  }
  cwi_sleep_end(&sleep);
  return CW_OK;
}

static cw_error look_at_request(struct awaited *awaited, int *here)
{
  return CWI_MPI(MPI_Test(awaited->request, here, MPI_STATUS_IGNORE));
}

cw_error cwi_mpi_wait(MPI_Request *request)
{
  return wait_until_here(&(struct awaited){.look = look_at_request, .request = request});
}

static cw_error look_for_message(struct awaited *awaited, int *here)
{
  return CWI_MPI(MPI_Improbe(awaited->from, awaited->tag, awaited->comm, here, awaited->message,
                             awaited->status));
}

cw_error cwi_mpi_await_message(int from, int tag, MPI_Comm comm, MPI_Message *message,
                               MPI_Status *status)
{
  return wait_until_here(&(struct awaited){.look = look_for_message,
                                           .from = from,
                                           .tag = tag,
                                           .comm = comm,
                                           .message = message,
                                           .status = status});
}

cw_error cwi_mpi_agree_on_cores(MPI_Comm comm, bool crowded)
{
  cores_are_short = crowded;
  return CWI_MPI(MPI_Allreduce(MPI_IN_PLACE, &cores_are_short, 1, MPI_INT, MPI_MAX, comm));
}

cw_error cwi_mpi_allreduce(void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Allreduce(MPI_IN_PLACE, data, count, type, op, comm));
  CWI_TRY(CWI_MPI(MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Bcast(data, count, type, root, comm));
  CWI_TRY(CWI_MPI(MPI_Ibcast(data, count, type, root, comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_check_thread(void)
{
  if (thread_level >= MPI_THREAD_SERIALIZED || pthread_equal(pthread_self(), main_thread))
    return CW_OK;
  return cwi_misuse("called from another thread than the main one; MPI was given %s",
                    cwi_mpi_thread_level_name());
}

/* Its address tells threads apart. */
static _Thread_local char me;
static char *inside; /* the thread that is in a call, at MPI_THREAD_SERIALIZED */

cw_error cwi_mpi_enter(void)
{
  char *nobody = NULL;
  CWI_TRY(cwi_mpi_check_thread());
  if (thread_level != MPI_THREAD_SERIALIZED ||
      __atomic_compare_exchange_n(&inside, &nobody, &me, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_RELAXED) ||
      nobody == &me)
    return CW_OK;
  return cwi_misuse("two threads call at the same time; MPI was given MPI_THREAD_SERIALIZED");
}

void cwi_mpi_leave(void)
{
  char *own = &me;
  __atomic_compare_exchange_n(&inside, &own, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

cw_error cwi_mpi_highest_tag(int *tag)
{
  enum { GUARANTEED = 32767 };
  int *highest = NULL, found = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&highest, &found)));
  *tag = found ? *highest : GUARANTEED;
  return CW_OK;
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

/* Starting on MPI, MPI progress, and the end of a job. */
#include "mpi/mpi_progress.h"

#include "base/file_write.h"
#include "base/log.h"
#include "base/unread_errors.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_library.h"
#include "mpi/poll.h"
#include "wait/failures.h"
#include "wait/wait_report.h"
#include "wait/waiter.h"

#include <causeway/failure.h>
#include <causeway/runtime.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int own_process = -1;
static MPI_Comm progress_comm = MPI_COMM_NULL;
static MPI_Request never = MPI_REQUEST_NULL; /* a receive on progress_comm that never completes */
static cwi_progress_function progress_also;
static void (*last_words)(void);
static void (*end_peers)(void);
static bool aborts;

static bool mpi_is_up(void)
{
  int initialized = 0, finalized = 0;
  const int first = MPI_Initialized(&initialized);
  const int second = MPI_Finalized(&finalized);
  return first == MPI_SUCCESS && second == MPI_SUCCESS && initialized && !finalized;
}

/* MPICH's launcher stops reading our output when it learns of the abort, so let it read first. */
static void wait_for_reader(void)
{
  enum { NAP_NANOSECONDS = 5000000 };
  int unread = 0;
  for (int naps = 0; naps < 400 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0;
       naps++)
    cwi_nap(NAP_NANOSECONDS);
}

/* MPICH's mpiexec sometimes dies of SIGPIPE, and loses what the processes have printed, if they end
 * in the first milliseconds with a status that is not 0. */
static void pause_for_launcher(void)
{
  enum { PAUSE_NANOSECONDS = 50000000 };
  cwi_nap(PAUSE_NANOSECONDS);
}

/* Locks the stream, or returns false after 0.1 seconds. A thread that prints holds the lock for a
 * moment only. */
static bool lock_soon(FILE *stream)
{
  enum { NAP_NANOSECONDS = 1000000 };
  int naps = 100;
  while (ftrylockfile(stream) != 0 && naps-- > 0)
    cwi_nap(NAP_NANOSECONDS);
  return naps >= 0;
}

/* Flushes what the program has printed. A thread that reads from a terminal or writes into a full
 * pipe may hold its stream's lock for any time, so such a stream is skipped. fflush(NULL) is called
 * only if all locks were free. While it waits for a stream, it holds the lock of the list of
 * streams, and MPI may need that lock to open a file. */
static void flush_printed(void)
{
  FILE *const streams[] = {stdin, stdout, stderr};
  bool all = true;
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
    if (!lock_soon(streams[i])) {
      all = false;
      continue;
    }
    if (streams[i] != stdin)
      fflush(streams[i]);
    funlockfile(streams[i]);
  }
  if (all)
    fflush(NULL);
  cwi_write_signals_restore(&signals);
}

void cwi_mpi_process(int process)
{
  __atomic_store_n(&own_process, process, __ATOMIC_RELAXED);
}

/* Another thread may abort the job at the same time, so that these stores are atomic. */
void cwi_mpi_set_abort_report(void (*function)(void))
{
  __atomic_store_n(&last_words, function, __ATOMIC_RELEASE);
}

void cwi_mpi_set_abort_peers(void (*function)(void))
{
  __atomic_store_n(&end_peers, function, __ATOMIC_RELEASE);
}

/* Returns an exit status that is not 0 in its low 8 bits, which are all that a parent process sees.
 */
static int failing(int status)
{
  return (status & 0xff) != 0 ? status : 1;
}

/* Returns the process number, or MPI's rank before Causeway has started, or 0 if there is none. */
static int rank_in_job(void)
{
  int rank = 0;
  const int process = __atomic_load_n(&own_process, __ATOMIC_RELAXED);
  if (process < 0 && cwi_mpi_fits() && mpi_is_up() &&
      MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
    rank = 0;
  return process >= 0 ? process : rank;
}

/* All processes of a job often fail with the same message at the same time. Process 0 prints it and
 * ends the job, which usually ends the others during this pause. A process that is still alive then
 * prints the message only if no process of its node has printed it. The zone records which messages
 * have been printed. Before the zone exists, only the pause prevents copies. The processes cannot
 * agree instead: a process that fails alone would wait for others that do not fail, and processes
 * of other nodes share no memory with it. */
static void print_once(const char *message)
{
  enum { PAUSE_NANOSECONDS = 200000000 };
  if (rank_in_job() != 0)
    cwi_nap(PAUSE_NANOSECONDS);
  if (cwi_waiting_is_new(message))
    cwi_log_line(__atomic_load_n(&own_process, __ATOMIC_RELAXED), message);
  else
    cwi_nap(PAUSE_NANOSECONDS); /* the other process may still be printing; this one will end it */
}

void cwi_mpi_report(const char *message)
{
  cwi_log_line(own_process, message);
  wait_for_reader();
}

bool cwi_mpi_aborts(void)
{
  return aborts;
}

void cw_failure_end(int status)
{
  flush_printed();
  _Exit(status);
}

static int abort_status;

static void end_at_once(int number)
{
  (void)number;
  _exit(abort_status);
}

/* Ends the process if MPI_Abort does not end it soon. That of MPICH waits for an answer of mpiexec,
 * which never comes on a host that is cut off. */
static void limit_abort(int status)
{
  enum { MOST_SECONDS = 10 };
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  abort_status = status;
  signal(SIGALRM, end_at_once);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  alarm(MOST_SECONDS);
}

void cw_abort(const char *message, int status)
{
  void (*const report)(void) = __atomic_load_n(&last_words, __ATOMIC_ACQUIRE);
  void (*const end)(void) = __atomic_load_n(&end_peers, __ATOMIC_ACQUIRE);
  aborts = true;
  print_once(message);
  if (report != NULL)
    report();
  flush_printed();
  wait_for_reader();
  if (end != NULL)
    end();
  if (cwi_mpi_fits() && mpi_is_up()) {
    limit_abort(failing(status));
    if (MPI_Abort(MPI_COMM_WORLD, failing(status)) != MPI_SUCCESS)
      abort();
  } else {
    pause_for_launcher();
  }
  _Exit(failing(status));
}

/* Installed before main, so that errors before cw_init also end the whole job (CW_ERRORS=fatal). */
static __attribute__((constructor)) void call_abort_by_mpi(void)
{
  cwi_set_abort(cw_abort);
}

/* Returns true if `call` is a call of Causeway. Other calls are the program's own, which may return
 * any value. */
static bool is_our_call(const char *call)
{
  return strncasecmp(call, "cw_", 3) == 0 && strchr(call, '(') != NULL;
}

void cw_error_end(cw_error error, const char *call, const char *file, int line)
{
  char message[2048];
  const bool known = cwi_error_message_is_of(error), ours = known && is_our_call(call);
  int used = snprintf(message, 1024, "%.256s:%d: %.512s failed: ", file, line, call);
  if (!ours)
    used += snprintf(message + used, 128, "%s (%d)", cwi_error_name(error), (int)error);
  if (known)
    snprintf(message + used, sizeof message - (size_t)used, "%s%s",
             ours ? "" : "; the last failed call of this thread: ", cw_error_message());
  cwi_failures_report(); /* earlier errors may be the cause */
  cw_abort(message, 1);
}

cw_error cwi_mpi_start(void)
{
  int initialized = 0, finalized = 0;
  CWI_TRY(CWI_MPI(MPI_Initialized(&initialized)));
  CWI_TRY(CWI_MPI(MPI_Finalized(&finalized)));
  if (!initialized || finalized)
    return cwi_misuse("MPI is not running: call MPI_Init before, and MPI_Finalize after");
  cwi_yield_forget();
  return cwi_mpi_threads_start();
}

cw_error cwi_mpi_progress_on(MPI_Comm comm)
{
  int rank = 0;
  CWI_TRY(cwi_mpi_duplicate(comm, &progress_comm));
  CWI_TRY(CWI_MPI(MPI_Comm_rank(progress_comm, &rank)));
  return CWI_MPI(MPI_Irecv(NULL, 0, MPI_BYTE, rank, 0, progress_comm, &never));
}

cw_error cwi_mpi_progress_off(void)
{
  if (progress_comm == MPI_COMM_NULL)
    return CW_OK;
  MPI_Comm comm = progress_comm;
  progress_comm = MPI_COMM_NULL;
  cwi_mpi_drop(&never);
  return CWI_MPI(MPI_Comm_free(&comm));
}

void cwi_mpi_progress_forget(void)
{
  progress_comm = MPI_COMM_NULL;
  progress_also = NULL;
  cwi_mpi_drop(&never);
}

void cwi_mpi_set_progress(cwi_progress_function function)
{
  progress_also = function;
}

/* Returns false if this thread cannot let MPI progress, or if a process of a job on one node has
 * failed: MPICH then asks its launcher which processes are dead, and the launcher ends the job if
 * the next process dies before the answer arrives. Otherwise calls the function of
 * cwi_mpi_set_progress. */
static bool progress_begin(void)
{
  if (progress_comm == MPI_COMM_NULL || !cwi_mpi_thread_may_call() ||
      (cwi_failures_count() > 0 && !cwi_survives_by_messages()))
    return false;
  if (progress_also != NULL)
    progress_also();
  return true;
}

static void progress_poll(void)
{
  int flag = 0;
  if (!cwi_poll_begin())
    return; /* another thread lets MPI progress */
  const int code = MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
  cwi_poll_end();
  if (code != MPI_SUCCESS)
    cwi_abort("MPI_Test failed while waiting", 1);
}

void cwi_mpi_progress(void)
{
  if (progress_begin())
    progress_poll();
}

/* Where this process runs a server, the server's poll replaces ours: a plain MPI call might receive
 * a request without notifying the server. */
void cwi_mpi_progress_after_poll(void)
{
  if (progress_begin() && !cwi_poll_serve())
    progress_poll();
  cwi_yield_after_poll();
}

cw_error cwi_mpi_highest_tag(int *tag)
{
  enum { GUARANTEED = 32767 };
  int *highest = NULL, found = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&highest, &found)));
  *tag = found ? *highest : GUARANTEED;
  return CW_OK;
}

/* No thread sleeps or leaves a wait while a message is here that no thread has seen. One call of
 * MPI may receive what another one looks for. So the last call of MPI before a sleep or the end of
 * a wait checks for everything that the server waits for, or another thread does so after it. This
 * holds for the server's thread, which sleeps, and for a process that serves while it waits. If
 * that process did something, it checks once more; if others keep it busy, it wakes the server. A
 * process that waits for credits does not sleep on MPI's descriptors, which do not report messages
 * that another thread has received; and it sleeps only briefly while it is sending. */
#include "kit/native.h"

#include "link/link.h"
#include "link/reply_tags.h"
#include "mpi/mpi_sleep.h"
#include "wait/lock.h"

#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LONG = 60000 /* bytes: several messages, less than CW_SERVER_BULK */ };

/* --- Posted receives -------------------------------------------------------------------------- */

/* Receives that the server has posted. */
static struct {
  MPI_Request request;
  int tag; /* 0 if the entry is free */
} posted[64];
static uint32_t posted_lock;

/* The order of calls of MPI: each begin and end has a number. */
static long moments;
static long polled; /* begin of the latest call, among those that have ended, that has checked for
                       everything; or the latest moment at which the server was woken to do so */

static _Thread_local long partial; /* end of this thread's latest call that has checked for
                                      something else; 0 if there is none */

static struct {
  long sleeps, unseen; /* number of sleeps of the server's thread, and of those among them in which
                          messages may be here unseen */
  long alarms;         /* sleeps of other threads on MPI's descriptors */
  long naps;           /* sleeps of other threads on words in memory */
  long long_naps;      /* those of the naps in which their own messages may be in flight */
} count;

/* While `holds` is true, a sleep of the server's thread on descriptors ends only when a thread of
 * this process wakes it: neither messages nor the time end it. `held` counts these sleeps, and
 * `woken` those among them that a thread of this process ended. */
static bool holds;
static int held, woken;

static _Thread_local bool sends; /* this thread has sent in the current call */

static void tally(long *counter)
{
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static long tallied(long *counter)
{
  return __atomic_exchange_n(counter, 0, __ATOMIC_RELAXED);
}

/* MPI reuses the handles of requests. */
static void note_begun(MPI_Request request, int tag)
{
  const size_t all = sizeof posted / sizeof posted[0];
  size_t unused = all;
  cwi_lock(&posted_lock);
  for (size_t i = 0; i < all; i++) {
    if (posted[i].tag != 0 && posted[i].request == request)
      posted[i].tag = 0;
    unused = posted[i].tag == 0 ? i : unused;
  }
  if (tag != 0 && unused < all) {
    posted[unused].request = request;
    posted[unused].tag = tag;
  }
  cwi_unlock(&posted_lock);
}

static long moment(void)
{
  return __atomic_add_fetch(&moments, 1, __ATOMIC_SEQ_CST);
}

static bool checks_everything(const MPI_Request *requests, int number)
{
  bool request = false, credit = false;
  cwi_lock(&posted_lock);
  for (int i = 0; i < number; i++)
    for (size_t k = 0; k < sizeof posted / sizeof posted[0]; k++)
      if (posted[k].tag != 0 && posted[k].request == requests[i]) {
        request = request || posted[k].tag == CWI_TAG_REQUEST;
        credit = credit || posted[k].tag == CWI_TAG_CREDIT;
      }
  cwi_unlock(&posted_lock);
  return request && credit;
}

/* Notes that a thread has checked for everything after the moment, or will do so. */
static void note_checked(long begin)
{
  long before = __atomic_load_n(&polled, __ATOMIC_SEQ_CST);
  while (before < begin && !__atomic_compare_exchange_n(&polled, &before, begin, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    continue;
}

static void note_poll(bool everything, long begin)
{
  if (everything)
    note_checked(begin);
  else
    partial = moment();
}

/* Returns true if this thread may have received a message in MPI for which no thread has checked
 * afterwards. */
static bool is_unseen(void)
{
  return partial > __atomic_load_n(&polled, __ATOMIC_SEQ_CST);
}

int MPI_Irecv(void *data, int size, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  const int code = PMPI_Irecv(data, size, type, from, tag, comm, request);
  note_begun(*request, tag == CWI_TAG_REQUEST || tag == CWI_TAG_CREDIT ? tag : 0);
  return code;
}

static bool holds_back; /* this process's server delays its neighbour's credits */

int MPI_Isend(const void *data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  enum { HELD_BACK = 5000 /* microseconds */ };
  if (tag == CWI_TAG_CREDIT && __atomic_load_n(&holds_back, __ATOMIC_RELAXED))
    usleep(HELD_BACK);
  sends = sends || tag == CWI_TAG_REQUEST;
  const int code = PMPI_Isend(data, size, type, to, tag, comm, request);
  note_begun(*request, 0);
  return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  const bool everything = checks_everything(request, 1);
  const long begin = moment();
  const int code = PMPI_Test(request, flag, status);
  note_poll(everything, begin);
  return code;
}

int MPI_Testsome(int number, MPI_Request *requests, int *done, int *places, MPI_Status *statuses)
{
  const bool everything = checks_everything(requests, number);
  const long begin = moment();
  const int code = PMPI_Testsome(number, requests, done, places, statuses);
  note_poll(everything, begin);
  return code;
}

/* --- Sleeps ----------------------------------------------------------------------------------- */

void __real_cwi_sleep_wake_server(void);
void __wrap_cwi_sleep_wake_server(void);

void __wrap_cwi_sleep_wake_server(void)
{
  note_checked(moment());
  __real_cwi_sleep_wake_server();
}

static bool is_server(void)
{
  char name[16] = "";
  return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "cw-server") == 0;
}

/* Counts a sleep of the server. */
static void note_server_sleeps(void)
{
  tally(&count.sleeps);
  if (is_unseen())
    tally(&count.unseen);
}

int __real_ppoll(struct pollfd *descriptors, nfds_t number, const struct timespec *limit,
                 const sigset_t *signals);
int __wrap_ppoll(struct pollfd *descriptors, nfds_t number, const struct timespec *limit,
                 const sigset_t *signals);
void __real_cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds);
void __wrap_cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds);

/* Sleeps on the last descriptor alone, which threads of this process make readable. */
static int sleep_until_woken(struct pollfd *descriptors, nfds_t number)
{
  static const struct timespec LIMIT = {.tv_nsec = 10000000};
  int ready = 0;
  for (nfds_t i = 0; i < number; i++)
    descriptors[i].revents = 0;
  __atomic_fetch_add(&held, 1, __ATOMIC_SEQ_CST);
  while (ready <= 0 && __atomic_load_n(&holds, __ATOMIC_RELAXED))
    ready = __real_ppoll(&descriptors[number - 1], 1, &LIMIT, NULL);
  __atomic_fetch_add(&woken, ready > 0, __ATOMIC_SEQ_CST);
  return ready;
}

int __wrap_ppoll(struct pollfd *descriptors, nfds_t number, const struct timespec *limit,
                 const sigset_t *signals)
{
  const bool server = is_server();
  if (server)
    note_server_sleeps();
  else
    tally(&count.alarms);
  if (server && __atomic_load_n(&holds, __ATOMIC_RELAXED))
    return sleep_until_woken(descriptors, number);
  return __real_ppoll(descriptors, number, limit, signals);
}

void __wrap_cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds)
{
  if (is_server())
    note_server_sleeps();
  else {
    enum { LONGEST = 100000 };
    tally(&count.naps);
    if (sends && nanoseconds > LONGEST)
      tally(&count.long_naps);
  }
  __real_cwi_signal_nap(signal, value, nanoseconds);
}

/* --- Results of passes ------------------------------------------------------------------------ */

/* Return value of the passes of threads other than the server's. */
static enum { AS_THEY_ARE, EVERY_OTHER, ALWAYS } pass_results;
static _Thread_local bool was_busy; /* return value of this thread's last pass */

bool __real_cwi_server_loop_pass(void);
bool __wrap_cwi_server_loop_pass(void);

bool __wrap_cwi_server_loop_pass(void)
{
  const bool busy = __real_cwi_server_loop_pass();
  if (is_server() || pass_results == AS_THEY_ARE)
    return busy;
  was_busy = pass_results == ALWAYS || !was_busy;
  return was_busy;
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* Both servers have nothing to do, and sometimes a message arrives. */
static void check_sleeps(const int64_t *there, int other)
{
  enum { SLEEPS = 20, PAUSE = 20000 /* microseconds */ };
  int64_t got = 0;
  tallied(&count.sleeps);
  tallied(&count.unseen);
  for (int i = 0; i < SLEEPS; i++) {
    usleep(PAUSE);
    KIT_OK(cw_get(&got, there, sizeof got, other));
  }
  const long sleeps = tallied(&count.sleeps);
  kit_check(sleeps >= SLEEPS, "the server slept only %ld times", sleeps);
  kit_check_long(tallied(&count.unseen), 0,
                 "sleeps of a server that had not polled for everything");
}

static void check_leaving(const int64_t *there, int other)
{
  enum { GETS = 200 };
  int64_t got = 0;
  long left = 0;
  for (int i = 0; i < GETS; i++) {
    partial = 0;
    KIT_OK(cw_get(&got, there, sizeof got, other));
    left += is_unseen();
  }
  kit_check_long(left, 0, "gets that left messages unseen");
}

/* Half the gets end with a pass that was busy. */
static void check_leaving_busy(const int64_t *there, int other)
{
  enum { GETS = 200 };
  int64_t got = 0;
  long left = 0;
  pass_results = EVERY_OTHER;
  for (int i = 0; i < GETS; i++) {
    KIT_OK(cw_get(&got, there, sizeof got, other));
    left += was_busy;
  }
  pass_results = AS_THEY_ARE;
  kit_check_long(left, 0, "gets that left after a busy pass");
}

/* All passes are busy, so that a get that waits wakes the sleeping server. A get that finds its
 * answer at once does not, so gets follow each other until the server is awake. */
static void check_waking(const int64_t *there, int other)
{
  enum { WAKES = 20, TRIES = 60000, PAUSE = 1000 /* microseconds */ };
  int64_t got = 0;
  pass_results = ALWAYS;
  __atomic_store_n(&holds, cwi_sleep_has_descriptors(), __ATOMIC_RELAXED);
  for (int i = 1; holds && i <= WAKES; i++) {
    kit_await(&held, i);
    for (int try = 0; try < TRIES && __atomic_load_n(&woken, __ATOMIC_SEQ_CST) < i; try++) {
      KIT_OK(cw_get(&got, there, sizeof got, other));
      usleep(PAUSE);
    }
    if (!kit_check(__atomic_load_n(&woken, __ATOMIC_SEQ_CST) >= i,
                   "a server that sleeps on descriptors was not woken"))
      break;
  }
  pass_results = AS_THEY_ARE;
  __atomic_store_n(&holds, false, __ATOMIC_RELAXED);
}

static void check_sending(int64_t *there, int other)
{
  enum { PUTS = 10 };
  static char data[LONG];
  for (int i = 0; i < PUTS; i++) {
    sends = false;
    KIT_OK(cw_put(data, there + 2, sizeof data, other));
  }
  kit_check(tallied(&count.naps) > 0, "no process waited for a credit while it sent");
  kit_check_long(tallied(&count.long_naps), 0, "long naps of a process that sends");
}

/* Processes have one credit, and each credit comes back late. */
static void check_credits(int64_t *there, int other)
{
  enum { PUTS = 40 };
  cwi_set_spin(1, true);
  KIT_MUST(cw_barrier(cw_team_world()));
  tallied(&count.alarms);
  tallied(&count.naps);
  for (int64_t i = 0; kit_me() == 0 && i < PUTS; i++)
    KIT_OK(cw_put(&i, there + 1, sizeof i, other));
  const long alarms = tallied(&count.alarms), naps = tallied(&count.naps);
  tallied(&count.long_naps);
  if (kit_me() == 0) {
    kit_check_long(alarms, 0, "sleeps on descriptors of a process that waits for credits");
    kit_check(naps > 0, "no process waited for a credit");
    check_sending(there, other);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  setenv("CW_ROUTE", "server", 1);
  setenv("CW_GATHER", "0", 1); /* each put is a message */
  setenv("CW_SERVER_CREDITS", "2", 1);
  kit_start_native(&argc, &argv, "unseen_messages");
  kit_hang_guard();
  const int other = 1 - kit_me();
  kit_make_region(2 * sizeof(int64_t) + LONG, &region, &at);
  KIT_MUST(cw_barrier(cw_team_world()));
  check_sleeps(at[other], other);
  KIT_MUST(cw_barrier(cw_team_world()));
  check_leaving(at[other], other);
  KIT_MUST(cw_barrier(cw_team_world()));
  check_leaving_busy(at[other], other);
  KIT_MUST(cw_barrier(cw_team_world()));
  check_waking(at[other], other);
  KIT_MUST(cw_barrier(cw_team_world()));
  __atomic_store_n(&holds_back, kit_me() == 1, __ATOMIC_RELAXED);
  check_credits(at[other], other);
  __atomic_store_n(&holds_back, false, __ATOMIC_RELAXED);
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
  return kit_finish_native();
}

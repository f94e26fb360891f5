/* Calls that poll once and return without a result yield the core where processes outnumber the
 * cores, because the process that brings the result may need it. They do not yield between pieces
 * of the program's own work. Calls that wait sleep soon instead: a thread that yields and wants the
 * core again at once may get it. The machine is made to appear to have one core. Each poll polls
 * MPI once, whether or not a server lives in the process. */
#include "kit/native.h"

#include "base/clock.h"
#include "mpi/workaround.h"

#include <mpi.h>
#include <unistd.h>

enum { POLLS = 50, LATE = 20000, FEW = 8 };

/* Calls of this thread to sched_yield, and polls of MPI. */
static __thread long yields, mpi_polls;

/* A poll that begins later than this after the one before it need not yield: the process may have
 * computed, or another program may have had the core. */
static const double SOON_SECONDS = 20e-6;
static __thread double last_begin;

int __wrap_sched_yield(void);
int __real_sched_yield(void);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __real_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Testsome(int count, MPI_Request *requests, int *completed, int *which,
                        MPI_Status *statuses);
int __real_MPI_Testsome(int count, MPI_Request *requests, int *completed, int *which,
                        MPI_Status *statuses);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  mpi_polls++;
  return __real_MPI_Test(request, flag, status);
}

int __wrap_MPI_Testsome(int count, MPI_Request *requests, int *completed, int *which,
                        MPI_Status *statuses)
{
  mpi_polls++;
  return __real_MPI_Testsome(count, requests, completed, which, statuses);
}

int __wrap_sched_yield(void)
{
  yields++;
  return __real_sched_yield();
}

long __wrap_sysconf(int name)
{
  return name == _SC_NPROCESSORS_ONLN ? 1 : __real_sysconf(name);
}

static void begin(const char *call)
{
  kit_about("%s", call);
  yields = 0;
  last_begin = 0;
}

struct poll {
  double begin;
  long yields;
};

static struct poll poll_begin(void)
{
  return (struct poll){cwi_now(), yields};
}

/* Checks that a poll has yielded, unless it may have begun late. */
static void poll_end(struct poll poll)
{
  const double seconds = cwi_now() - last_begin;
  kit_check(yields > poll.yields || seconds > SOON_SECONDS,
            "a poll that ended %.1f us after the one before it began has not yielded",
            1e6 * seconds);
  last_begin = poll.begin;
}

static void test_notifications(const int64_t *counter)
{
  begin("cw_notify_test");
  for (int i = 0; i < POLLS; i++) {
    bool holds = true;
    const struct poll poll = poll_begin();
    KIT_OK(cw_notify_test(counter, CW_AT_LEAST, 1, &holds, NULL));
    poll_end(poll);
    kit_check(!holds, "a counter that no process raised holds");
  }
}

static void test_requests(cw_handle *request)
{
  size_t which = 0;
  begin("cw_test");
  for (int i = 0; i < POLLS; i++) {
    bool complete = true;
    const struct poll poll = poll_begin();
    KIT_OK(cw_test(request, &complete));
    poll_end(poll);
    kit_check(!complete, "a request for a notification that no process sent is complete");
  }
  begin("cw_handle_test_any");
  for (int i = 0; i < POLLS; i++) {
    bool complete = true;
    const struct poll poll = poll_begin();
    KIT_OK(cw_handle_test_any(request, 1, &which, &complete));
    poll_end(poll);
    kit_check(!complete, "a request for a notification that no process sent is complete");
  }
}

/* Every process except the first one, which is late, waits for the process before it. */
static void test_wait(cw_notifications set)
{
  const int next = kit_me() + 1;
  begin("cw_notification_wait");
  KIT_OK(cw_barrier(cw_team_world()));
  yields = 0;
  if (kit_me() == 0)
    usleep(LATE);
  else
    KIT_OK(cw_notification_wait(set, 1, CW_AT_LEAST, 1, NULL));
  kit_check(yields <= FEW, "a wait of %d us yielded %ld times", LATE, yields);
  if (next < kit_processes())
    KIT_OK(cw_put_notify(NULL, NULL, 0, next, set, 1));
}

static void test_mutex(cw_mutexes mutexes)
{
  begin("cw_mutex_trylock");
  for (int i = 0; i < POLLS; i++) {
    bool acquired = true;
    const struct poll poll = poll_begin();
    KIT_OK(cw_mutex_trylock(mutexes, 0, 0, &acquired));
    poll_end(poll);
    kit_check(!acquired, "trylock gave a mutex that is held");
  }
}

static void test_progress(void)
{
  begin("cw_progress");
  mpi_polls = 0;
  for (int i = 0; i < POLLS; i++) {
    const struct poll poll = poll_begin();
    cw_progress();
    poll_end(poll);
  }
  /* A server that finds something polls again; while one thread polls, the others do not. */
  const int each = cwi_mpi_traits()->checks_first ? 2 : 1; /* of a server */
  kit_check(mpi_polls > 0 && mpi_polls <= each * POLLS + POLLS / 4, "%d calls polled MPI %ld times",
            POLLS, mpi_polls);
  begin("cw_progress, between pieces of work");
  for (int i = 0; i < POLLS; i++) {
    for (const double start = cwi_now(); cwi_now() - start < 100e-6;)
      ;
    cw_progress();
  }
  kit_check(yields == 0, "%ld polls between pieces of work yielded", yields);
}

int main(int argc, char **argv)
{
  cw_notifications set = NULL;
  cw_mutexes mutexes = NULL;
  cw_region region = NULL;
  void **counters = NULL;
  kit_start_native(&argc, &argv, "polling");
  KIT_MUST(cw_notifications_create(cw_team_world(), 2, &set));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  if (kit_me() == 0)
    KIT_OK(cw_mutex_lock(mutexes, 0, 0));
  KIT_OK(cw_barrier(cw_team_world()));
  test_progress();
  test_notifications(kit_make_region(sizeof(int64_t), &region, &counters));
  kit_free_region(&region, counters);
  test_wait(set);
  if (kit_me() != 0)
    test_mutex(mutexes);
  cw_handle request = {0};
  KIT_MUST(cw_notification_request(set, 0, CW_AT_LEAST, 1, &request));
  test_requests(&request);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_put_notify(NULL, NULL, 0, (kit_me() + 1) % kit_processes(), set, 0));
  KIT_OK(cw_wait(&request));
  if (kit_me() == 0)
    KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_notifications_free(&set));
  return kit_finish_native();
}

/* Who looks again and again for what has not come keeps its core from the one who brings it: calls
 * that look in vain give it away, where processes outnumber the cores; but not where the program
 * computes between them. Calls that wait soon sleep there: a thread that gives the core away and
 * wants it again at once may get it. The machine is made to have one core. Each such look looks at
 * MPI once, whether or not a server lives here. */
#include "kit/native.h"

#include "base/clock.h"
#include "mpi/workaround.h"

#include <mpi.h>
#include <unistd.h>

enum { LOOKS = 50, LATE = 20000, FEW = 8 };

static __thread long yields, looks; /* of this thread: sched_yield; at MPI */

int __wrap_sched_yield(void);
int __real_sched_yield(void);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __real_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Testsome(int count, MPI_Request *requests, int *come, int *which,
                        MPI_Status *statuses);
int __real_MPI_Testsome(int count, MPI_Request *requests, int *come, int *which,
                        MPI_Status *statuses);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  looks++;
  return __real_MPI_Test(request, flag, status);
}

int __wrap_MPI_Testsome(int count, MPI_Request *requests, int *come, int *which,
                        MPI_Status *statuses)
{
  looks++;
  return __real_MPI_Testsome(count, requests, come, which, statuses);
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
}

static void check_yields(void)
{
  /* What comes late after the last look, for whatever reason, gives nothing away. */
  kit_check(yields >= LOOKS / 2, "%ld of %d looks gave the core away", yields, LOOKS);
}

static void test_notifications(const int64_t *counter)
{
  begin("cw_notify_test");
  for (int i = 0; i < LOOKS; i++) {
    bool holds = true;
    KIT_OK(cw_notify_test(counter, CW_AT_LEAST, 1, &holds, NULL));
    kit_check(!holds, "a counter that nobody raised holds");
  }
  check_yields();
}

static void test_requests(cw_handle *request)
{
  size_t which = 0;
  begin("cw_test");
  for (int i = 0; i < LOOKS; i++) {
    bool complete = true;
    KIT_OK(cw_test(request, &complete));
    kit_check(!complete, "a request for what nobody sent is complete");
  }
  check_yields();
  begin("cw_handle_test_any");
  for (int i = 0; i < LOOKS; i++) {
    bool complete = true;
    KIT_OK(cw_handle_test_any(request, 1, &which, &complete));
    kit_check(!complete, "a request for what nobody sent is complete");
  }
  check_yields();
}

/* Every process waits for the one before it, but the first one, which is late. */
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
  kit_check(yields <= FEW, "a wait of %d us gave the core away %ld times", LATE, yields);
  if (next < kit_processes())
    KIT_OK(cw_put_notify(NULL, NULL, 0, next, set, 1));
}

static void test_mutex(cw_mutexes mutexes)
{
  begin("cw_mutex_trylock");
  for (int i = 0; i < LOOKS; i++) {
    bool acquired = true;
    KIT_OK(cw_mutex_trylock(mutexes, 0, 0, &acquired));
    kit_check(!acquired, "trylock gave a mutex that is held");
  }
  check_yields();
}

static void test_progress(void)
{
  begin("cw_progress");
  looks = 0;
  for (int i = 0; i < LOOKS; i++)
    cw_progress();
  check_yields();
  /* A server that finds something looks again; where another thread looks, nobody else does. */
  const int each = cwi_mpi_traits()->checks_first ? 2 : 1; /* of a server */
  kit_check(looks > 0 && looks <= each * LOOKS + LOOKS / 4, "%d calls looked at MPI %ld times",
            LOOKS, looks);
  begin("cw_progress, between pieces of work");
  for (int i = 0; i < LOOKS; i++) {
    for (const double start = cwi_now(); cwi_now() - start < 100e-6;)
      ;
    cw_progress();
  }
  kit_check(yields == 0, "%ld looks between pieces of work gave the core away", yields);
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

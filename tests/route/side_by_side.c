/* Round trips of several threads of a process overlap. Process 1's server is delayed while a thread
 * of process 0 waits for it, in every kind of call that waits; meanwhile another thread completes
 * all kinds of operations with process 2. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 64, LONG = 400000 /* longs: more than CW_SERVER_BULK */, TAG = 9 };

/* Words that are read, words that are put, and a long run. */
static long *slices[3];
static cw_mutexes mutexes;

/* --- Process 1: its server is delayed --------------------------------------------------------- */

static pthread_t main_thread;
static int held, stuck; /* the server is to stop; it has stopped */

static int polling, most_polling; /* threads inside MPI's polling calls */
static int senders;               /* workers that have sent something */
static _Thread_local bool is_worker, has_sent;

/* Delays the caller, so that the server answers late. */
static void wait_while_held(void)
{
  if (pthread_equal(pthread_self(), main_thread))
    return;
  while (__atomic_load_n(&held, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&stuck, 1, __ATOMIC_RELEASE);
    usleep(500);
  }
}

static void count_sender(void)
{
  if (is_worker && !has_sent)
    __atomic_fetch_add(&senders, 1, __ATOMIC_RELAXED);
  has_sent = true;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  wait_while_held();
  const int code = PMPI_Isend(data, count, type, to, tag, comm, request);
  count_sender();
  return code;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  const int code = PMPI_Send(data, count, type, to, tag, comm);
  count_sender();
  return code;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  wait_while_held();
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

/* Gives other threads a chance to come in between. */
static void begin_poll(void)
{
  const int now = __atomic_add_fetch(&polling, 1, __ATOMIC_SEQ_CST);
  if (now > __atomic_load_n(&most_polling, __ATOMIC_RELAXED))
    __atomic_store_n(&most_polling, now, __ATOMIC_RELAXED);
  sched_yield();
}

static void end_poll(void)
{
  __atomic_sub_fetch(&polling, 1, __ATOMIC_SEQ_CST);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  const bool polls = *request != MPI_REQUEST_NULL;
  if (polls)
    begin_poll();
  const int code = PMPI_Test(request, flag, status);
  if (polls)
    end_poll();
  return code;
}

int MPI_Testsome(int number, MPI_Request *requests, int *done, int *places, MPI_Status *statuses)
{
  begin_poll();
  const int code = PMPI_Testsome(number, requests, done, places, statuses);
  end_poll();
  return code;
}

static void send_signal(int process)
{
  MPI_Send(NULL, 0, MPI_BYTE, process, TAG, kit_comm());
}

/* Does not use MPI_Recv, which would keep a core from threads that have work. */
static void receive_signal(int process)
{
  MPI_Request request;
  int done = 0;
  PMPI_Irecv(NULL, 0, MPI_BYTE, process, TAG, kit_comm(), &request);
  PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (!done) {
    usleep(200);
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

/* Delays the server until process 0's other thread has finished, or a timeout shows that it cannot.
 * */
static void hold_up(void)
{
  enum { MOST_POLLS = 200000 };
  int done = 0;
  MPI_Request request;
  receive_signal(0);
  stuck = 0;
  __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
  send_signal(0);
  while (!__atomic_load_n(&stuck, __ATOMIC_ACQUIRE))
    usleep(500);
  send_signal(0);
  PMPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG, kit_comm(), &request);
  for (int polls = 0; !done && polls < MOST_POLLS; polls++) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    usleep(500);
  }
  kit_check(done, "a thread waited until another one's call had returned");
  __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* --- Two threads of process 0 ------------------------------------------------------------------
 */

static long *long_data(void)
{
  long *data = malloc(LONG * sizeof *data);
  KIT_MUST(data != NULL ? CW_OK : CW_OUTSIDE);
  for (long i = 0; i < LONG; i++)
    data[i] = 3 * i + 1;
  return data;
}

static void check_same(const long *wanted, const long *got, size_t count, const char *what)
{
  kit_check(memcmp(wanted, got, count * sizeof *got) == 0, "%s brought other data", what);
}

static void get(int process)
{
  long got = 0;
  KIT_OK(cw_get(&got, &slices[process][5], sizeof got, process));
  kit_check_long(got, 100 * process + 5, "word that was got");
}

static void get_rows(int process)
{
  long got[4] = {0};
  const size_t count = 4;
  const ptrdiff_t near = sizeof(long), far = 2 * sizeof(long);
  const cw_transfer rows = {.operation = CW_GET,
                            .process = process,
                            .local = got,
                            .remote = slices[process],
                            .bytes = sizeof(long),
                            .levels = 1,
                            .counts = &count,
                            .local_strides = &near,
                            .remote_strides = &far};
  KIT_OK(cw_transfer_run(&rows));
  for (int i = 0; i < 4; i++)
    kit_check_long(got[i], 100 * process + 2 * i, "word of a row");
}

static void get_by_handle(int process)
{
  long got = 0;
  cw_handle handle = {0};
  const cw_transfer one = cw_contiguous(CW_GET, &got, &slices[process][7], sizeof got, process);
  KIT_OK(cw_transfer_start(&one, &handle));
  KIT_OK(cw_wait(&handle));
  kit_check_long(got, 100 * process + 7, "word that was got by a handle");
}

static void get_implicitly(int process)
{
  long got = 0;
  const cw_transfer one = cw_contiguous(CW_GET, &got, &slices[process][9], sizeof got, process);
  KIT_OK(cw_transfer_start(&one, NULL));
  KIT_OK(cw_wait_process(process));
  kit_check_long(got, 100 * process + 9, "word that was got implicitly");
}

static void put_and_fence(int process)
{
  const long sent = 77;
  KIT_OK(cw_put(&sent, &slices[process][WORDS], sizeof sent, process));
  KIT_OK(cw_fence(process));
}

static void fence_all(int process)
{
  const long sent = 78;
  KIT_OK(cw_put(&sent, &slices[process][WORDS + 1], sizeof sent, process));
  KIT_OK(cw_fence_all());
}

static void fetch_add(int process)
{
  int64_t before = -1;
  KIT_OK(cw_fetch_add_int64((int64_t *)&slices[process][WORDS + 2], 1, process, &before));
}

static void put_long(int process)
{
  long *data = long_data();
  KIT_OK(cw_put(data, &slices[process][2 * WORDS], LONG * sizeof *data, process));
  KIT_OK(cw_fence(process));
  free(data);
}

static void get_long(int process)
{
  long *got = calloc(LONG, sizeof *got), *wanted = long_data();
  KIT_OK(cw_get(got, &slices[process][2 * WORDS], LONG * sizeof *got, process));
  check_same(wanted, got, LONG, "a long get");
  free(got);
  free(wanted);
}

/* The second operation must follow the first. */
static void put_and_get_long(int process)
{
  long *data = long_data();
  long got = 0;
  const cw_transfer put =
      cw_contiguous(CW_PUT, data, &slices[process][2 * WORDS], LONG * sizeof *data, process);
  cw_handle handle = {0};
  KIT_OK(cw_transfer_start(&put, &handle));
  KIT_OK(cw_get(&got, &slices[process][2 * WORDS + 10], sizeof got, process));
  KIT_OK(cw_wait(&handle));
  kit_check_long(got, data[10], "word of a long put");
  free(data);
}

static void lock(int process)
{
  KIT_OK(cw_mutex_lock(mutexes, 0, process));
  KIT_OK(cw_mutex_unlock(mutexes, 0, process));
}

struct call {
  const char *name;
  void (*run)(int process);
  bool fences;  /* it completes all operations in flight to all processes */
  bool follows; /* it makes several operations at the target, of which one must follow another or
                   may share its message */
};
static const struct call calls[] = {{"put_long", put_long, false, true},
                                    {"get_long", get_long, false, false},
                                    {"put_and_get_long", put_and_get_long, false, true},
                                    {"get", get, false, false},
                                    {"get_rows", get_rows, false, false},
                                    {"get_by_handle", get_by_handle, false, false},
                                    {"get_implicitly", get_implicitly, false, true},
                                    {"put_and_fence", put_and_fence, false, true},
                                    {"fence_all", fence_all, true, true},
                                    {"fetch_add", fetch_add, false, false},
                                    {"lock", lock, true, true}};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void *wait_long(void *call)
{
  is_worker = true;
  ((const struct call *)call)->run(1);
  return NULL;
}

static void start(pthread_t *thread, const struct call *call)
{
  pthread_create(thread, NULL, wait_long, (void *)(uintptr_t)call);
}

static void run_beside(const struct call *call)
{
  pthread_t waiter;
  send_signal(1);
  receive_signal(1);
  start(&waiter, call);
  receive_signal(1);
  for (int i = 0; i < CALLS; i++)
    if (!calls[i].fences)
      calls[i].run(2);
  send_signal(1);
  pthread_join(waiter, NULL);
}

static void run_together(const struct call *call)
{
  enum { WORKERS = 4 };
  pthread_t workers[WORKERS];
  senders = 0;
  send_signal(1);
  receive_signal(1);
  for (int i = 0; i < WORKERS; i++)
    start(&workers[i], call);
  receive_signal(1);
  while (__atomic_load_n(&senders, __ATOMIC_RELAXED) < WORKERS)
    usleep(500);
  send_signal(1);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(workers[i], NULL);
}

static void run(const struct call *call, const char *how, void (*beside)(const struct call *call))
{
  kit_about("%s, %s", call->name, how);
  if (kit_me() == 0)
    beside(call);
  else if (kit_me() == 1)
    hold_up();
  MPI_Barrier(kit_comm());
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  main_thread = pthread_self();
  /* Where MPI's one-sided operations progress without help, contiguous transfers would not use the
   * server. */
  setenv("CW_ROUTE", "server", 1);
  kit_start_native(&argc, &argv, "side_by_side");
  kit_hang_guard();
  kit_need_threads();
  KIT_MUST(cw_region_create(cw_team_world(), (2 * WORDS + LONG) * sizeof(long), &region,
                            (void **)slices));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  for (int i = 0; i < 2 * WORDS; i++)
    slices[kit_me()][i] = i < WORDS ? 100 * kit_me() + i : 0;
  long *data = long_data();
  memcpy(&slices[kit_me()][2 * WORDS], data, LONG * sizeof *data);
  free(data);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < CALLS; i++)
    run(&calls[i], "others elsewhere", run_beside);
  for (int i = 0; i < CALLS; i++)
    if (!calls[i].follows)
      run(&calls[i], "several at a time", run_together);
  kit_about("afterwards");
  kit_check_long(most_polling, 1, "most threads that looked for messages at a time");
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() > 0)
    kit_check_long(slices[kit_me()][WORDS], 77, "word that was put");
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}

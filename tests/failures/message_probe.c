/* Shows which calls of MPI work among the survivors when processes die or their host is cut off.
 * Plain MPI, without Causeway. The survivors do not learn of the death from MPI: a file reports it.
 *
 *   message_probe FOLDER kill|cut LOST[,LOST] single|multiple PER_HOST DELAY END
 *
 *   FOLDER    shared by all processes: it gets the file "death", and a file of results for each
 * rank
 *   kill      the processes LOST kill themselves by SIGKILL, the second one DELAY ms after the
 * first
 *   cut       the probe's caller cuts the host of LOST off when a line says "cut now", and then
 * creates
 *             the file "death"; the survivors exchange messages for DELAY ms before the other calls
 *   single    MPI_THREAD_SINGLE; multiple: MPI_THREAD_MULTIPLE, and a second thread that polls MPI
 *   PER_HOST  ranks PER_HOST k to PER_HOST (k + 1) - 1 share a host
 *   END       exit (without MPI_Finalize), abort (the first survivor calls MPI_Abort), finalize, or
 * begun:
 *             the survivors receive a large message that the first dead process had begun to send
 *
 * All processes exchange messages all the time, so that a process dies in the middle of it. Each
 * result is a line: "same-host", "other-hosts" and "any-source" (messages among survivors after the
 * death, ok or stuck), "receive", "send" and "large" (with the dead process: waits, completes or
 * error), "then", "then-others" and "then-any" (messages after these), "window", "duplicate",
 * "group" (ok, error or stuck), "begun", "abort", "finalize" and "ends". */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16, LARGE = 256 << 10, ENOUGH = 10 };

/* Messages between this process and another one: one of each direction at a time. */
struct stream {
  MPI_Request send, receive;
  long sent, received;
  bool failed;
  char out[LARGE], in[LARGE];
};

static int rank, processes, per_host, lost[MOST], lost_number;
static const char *folder;
static FILE *results;
static struct stream named[MOST], any[MOST];
static MPI_Comm named_messages, any_messages, polled, direct, survivors;
static MPI_Request any_receive = MPI_REQUEST_NULL;
static long any_source_value, any_received[MOST];
static bool any_failed;
static atomic_bool stop_polling;
static MPI_Win window;
static long *slots;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static atomic_long pause_ns = 500000;

static void nap(void)
{
  nanosleep(&(struct timespec){.tv_nsec = atomic_load(&pause_ns)}, NULL);
}

static void report(const char *name, const char *value)
{
  fprintf(results, "%s %s\n", name, value);
  fflush(results);
}

static bool is_lost(int process)
{
  for (int i = 0; i < lost_number; i++)
    if (lost[i] == process)
      return true;
  return false;
}

static void path(char *name, size_t size, const char *file)
{
  snprintf(name, size, "%s/%s", folder, file);
}

/* Returns the time of the last death, or 0 before it. */
static double death(void)
{
  static double time;
  char name[4096];
  path(name, sizeof name, "death");
  if (time == 0 && access(name, F_OK) == 0)
    time = now();
  return time;
}

/* Runs in a signal handler, so that the process dies at any instruction. */
static void die(int signal)
{
  (void)signal;
  char name[4096];
  if (rank == lost[lost_number - 1]) {
    path(name, sizeof name, "death");
    FILE *file = fopen(name, "w");
    if (file)
      fclose(file);
  }
  raise(SIGKILL);
}

/* --- Messages all the time
 * ------------------------------------------------------------------------ */

/* Every 16th message is larger than what MPI sends at once. */
static int length(long message)
{
  return message % 16 == 15 ? LARGE : 8;
}

static void keep(struct stream *stream, MPI_Request *request, long *count)
{
  int done = 0;
  if (*request == MPI_REQUEST_NULL)
    return;
  if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    stream->failed = true;
  else if (done)
    ++*count;
}

/* Progresses the messages with all processes, and begins the next ones. It pauses then, because
 * several jobs of many processes share the cores. */
static void exchange(void)
{
  for (int other = 0; other < processes; other++) {
    struct stream *stream = &named[other], *back = &any[other];
    if (other == rank || (is_lost(other) && death() > 0))
      continue;
    keep(stream, &stream->send, &stream->sent);
    keep(stream, &stream->receive, &stream->received);
    keep(back, &back->send, &back->sent);
    if (!stream->failed && stream->send == MPI_REQUEST_NULL &&
        MPI_Isend(stream->out, length(stream->sent), MPI_BYTE, other, 0, named_messages,
                  &stream->send) != MPI_SUCCESS)
      stream->failed = true;
    if (!stream->failed && stream->receive == MPI_REQUEST_NULL &&
        MPI_Irecv(stream->in, length(stream->received), MPI_BYTE, other, 0, named_messages,
                  &stream->receive) != MPI_SUCCESS)
      stream->failed = true;
    /* At most one message more than the other has answered: an eager sender would fill its memory.
     */
    if (!back->failed && back->send == MPI_REQUEST_NULL && back->sent <= any_received[other] &&
        MPI_Isend(back->out, 8, MPI_BYTE, other, 0, any_messages, &back->send) != MPI_SUCCESS)
      back->failed = true;
  }
  int done = 0;
  MPI_Status status;
  if (any_receive != MPI_REQUEST_NULL) {
    if (MPI_Test(&any_receive, &done, &status) != MPI_SUCCESS)
      any_failed = true;
    else if (done)
      any_received[status.MPI_SOURCE]++;
  }
  if (any_receive == MPI_REQUEST_NULL && !any_failed &&
      MPI_Irecv(&any_source_value, 8, MPI_BYTE, MPI_ANY_SOURCE, 0, any_messages, &any_receive) !=
          MPI_SUCCESS)
    any_failed = true;
  nap();
}

/* Exchanges messages until all survivors have come here, as their files show, or for some seconds:
 * a process that no longer sends messages would look as if messages were stuck. */
static void meet(const char *stage)
{
  char name[4096];
  const double end = now() + 5;
  for (int other = -1; other < processes; other++) {
    char file[64];
    snprintf(file, sizeof file, "%s.%d", stage, other < 0 ? rank : other);
    path(name, sizeof name, file);
    if (other < 0) {
      FILE *mark = fopen(name, "w");
      if (mark)
        fclose(mark);
    }
    while (!is_lost(other) && access(name, F_OK) != 0 && now() < end)
      exchange();
  }
}

static void exchange_until(double time)
{
  while (now() < time)
    exchange();
}

/* Exchanges messages for `seconds` at most, until enough have come from all survivors. Reports for
 * those of this host and of other hosts. */
static void check_messages(double seconds, const char *same, const char *others,
                           const char *from_any)
{
  long begin[MOST], begin_any[MOST];
  for (int other = 0; other < processes; other++)
    begin[other] = named[other].received, begin_any[other] = any_received[other];
  bool stuck_here, stuck_there, stuck_any;
  const double end = now() + seconds;
  do {
    exchange();
    stuck_here = stuck_there = stuck_any = false;
    for (int other = 0; other < processes; other++) {
      if (other == rank || is_lost(other))
        continue;
      if (named[other].received - begin[other] < ENOUGH)
        *(other / per_host == rank / per_host ? &stuck_here : &stuck_there) = true;
      stuck_any |= any_received[other] - begin_any[other] < ENOUGH;
    }
  } while ((stuck_here || stuck_there || stuck_any) && now() < end);
  report(same, stuck_here ? "stuck" : "ok");
  report(others, stuck_there ? "stuck" : "ok");
  report(from_any, any_failed ? "error" : stuck_any ? "stuck" : "ok");
}

/* The second thread: receives from any source, and probes. */
static void *poll_mpi(void *none)
{
  long value;
  MPI_Request request = MPI_REQUEST_NULL;
  while (!atomic_load(&stop_polling)) {
    int done = 0, found = 0;
    if (request == MPI_REQUEST_NULL &&
        MPI_Irecv(&value, 1, MPI_LONG, MPI_ANY_SOURCE, 1, polled, &request) != MPI_SUCCESS)
      break;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        MPI_Iprobe(MPI_ANY_SOURCE, 2, polled, &found, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      break;
    nap();
  }
  report("poller", atomic_load(&stop_polling) ? "ok" : "error");
  return none;
}

/* --- Other calls after the death
 * ------------------------------------------------------------------- */

/* Calls that block may hang. Another thread then reports this and ends the process. */
static struct {
  _Atomic(const char *) call;
  _Atomic double since;
} blocking;

static void *watch(void *none)
{
  for (;; nap()) {
    const char *call = atomic_load(&blocking.call);
    if (call && now() > atomic_load(&blocking.since) + 3) {
      report(call, "stuck");
      report("ends", "stuck");
      _exit(0);
    }
  }
  return none;
}

static void enter(const char *call)
{
  atomic_store(&blocking.since, now());
  atomic_store(&blocking.call, call);
}

static void leave(bool right)
{
  report(atomic_load(&blocking.call), right ? "ok" : "error");
  atomic_store(&blocking.call, NULL);
}

/* Waits until a request completes, or for `seconds`. Returns what happened. */
static const char *outcome(MPI_Request *request, int started, double seconds)
{
  int done = 0;
  for (const double end = now() + seconds; started == MPI_SUCCESS && !done && now() < end; nap())
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return "error";
  return started != MPI_SUCCESS ? "error" : done ? "completes" : "waits";
}

/* Communicates with a dead process. */
static void use_dead(int dead)
{
  static char in[8], out[8], large[LARGE];
  MPI_Request receive, send, rendezvous;
  const int received = MPI_Irecv(in, 8, MPI_BYTE, dead, 3, direct, &receive);
  const int sent = MPI_Isend(out, 8, MPI_BYTE, dead, 4, direct, &send);
  const int begun = MPI_Isend(large, LARGE, MPI_BYTE, dead, 5, direct, &rendezvous);
  report("receive", outcome(&receive, received, 0.4));
  report("send", outcome(&send, sent, 0.4));
  report("large", outcome(&rendezvous, begun, 0.4));
}

/* Returns the survivor `step` after this one. */
static int neighbour(int step)
{
  int other = rank;
  do
    other = (other + step + processes) % processes;
  while (is_lost(other));
  return other;
}

/* Puts to a survivor and gets from it, on a window of all processes that is older than the death.
 */
static void use_window(void)
{
  const int next = neighbour(1);
  const long value = 1000 + rank;
  long result = 0;
  enter("window");
  bool right = MPI_Put(&value, 1, MPI_LONG, next, rank, 1, MPI_LONG, window) == MPI_SUCCESS &&
               MPI_Win_flush(next, window) == MPI_SUCCESS &&
               MPI_Get(&result, 1, MPI_LONG, next, rank, 1, MPI_LONG, window) == MPI_SUCCESS &&
               MPI_Win_flush(next, window) == MPI_SUCCESS;
  leave(right && result == value);
}

static bool ring(MPI_Comm communicator)
{
  int own, number, received = -1;
  MPI_Comm_rank(communicator, &own);
  MPI_Comm_size(communicator, &number);
  const int previous = (own + number - 1) % number;
  return MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % number, 0, &received, 1, MPI_INT, previous, 0,
                      communicator, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         received == previous && MPI_Barrier(communicator) == MPI_SUCCESS;
}

static MPI_Comm make_group(void)
{
  MPI_Group all, others;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, lost_number, lost, &others);
  if (MPI_Comm_create_group(MPI_COMM_WORLD, others, 1, &made) != MPI_SUCCESS)
    made = MPI_COMM_NULL;
  MPI_Group_free(&all);
  MPI_Group_free(&others);
  return made;
}

static void use_communicators(void)
{
  MPI_Comm copy;
  enter("duplicate");
  leave(MPI_Comm_dup(survivors, &copy) == MPI_SUCCESS && ring(copy));
  enter("group");
  const MPI_Comm group = make_group();
  leave(group != MPI_COMM_NULL && ring(group));
}

/* --- The job
 * ---------------------------------------------------------------------------------------- */

static void prepare(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm *copies[] = {&named_messages, &any_messages, &polled, &direct};
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, copies[i]); /* with its error handler */
  survivors = is_lost(rank) ? MPI_COMM_NULL : make_group();
  if (survivors != MPI_COMM_NULL)
    ring(survivors);
  MPI_Win_allocate(MOST * sizeof *slots, sizeof *slots, MPI_INFO_NULL, MPI_COMM_WORLD, &slots,
                   &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int other = 0; other < processes; other++) {
    const long value = 1;
    MPI_Put(&value, 1, MPI_LONG, other, rank, 1, MPI_LONG, window);
    MPI_Win_flush(other, window);
  }
  static char large[LARGE];
  static MPI_Request begun[MOST];
  for (int other = 0; rank == lost[0] && other < processes; other++)
    MPI_Isend(large, LARGE, MPI_BYTE, other, 6, direct,
              &begun[other]); /* received after its death */
  for (int other = 0; other < processes; other++)
    named[other].send = named[other].receive = any[other].send = MPI_REQUEST_NULL;
}

static int first_survivor(void)
{
  int first = 0;
  while (is_lost(first))
    first++;
  return first;
}

/* Ends the process. It makes no other call to MPI then, because a survivor that ends is a death for
 * the others. */
static void end_job(const char *end)
{
  static char large[LARGE];
  meet("end");
  if (strcmp(end, "begun") == 0) {
    MPI_Request request;
    const int begun = MPI_Irecv(large, LARGE, MPI_BYTE, lost[0], 6, direct, &request);
    report("begun", outcome(&request, begun, 0.4));
    meet("begun");
  }
  atomic_store(&stop_polling, true);
  if (strcmp(end, "abort") == 0) {
    if (rank != first_survivor())
      sleep(10);
    else
      MPI_Abort(MPI_COMM_WORLD, 6);
    report("abort", "survived");
  }
  if (strcmp(end, "finalize") == 0) {
    enter("finalize");
    leave(MPI_Finalize() == MPI_SUCCESS);
  }
  for (const double begin = now(); now() < begin + 0.1 + 0.1 * rank;)
    nap(); /* shows whether the end of one disturbs the others */
  report("ends", "ok");
  _exit(0);
}

int main(int argc, char **argv)
{
  if (argc != 8) {
    fputs("usage: message_probe FOLDER kill|cut LOST[,LOST] single|multiple PER_HOST DELAY "
          "exit|abort|finalize|begun\n",
          stderr);
    return 2;
  }
  folder = argv[1];
  const bool cut = strcmp(argv[2], "cut") == 0, multiple = strcmp(argv[4], "multiple") == 0;
  for (char *word = strtok(argv[3], ","); word && lost_number < MOST; word = strtok(NULL, ","))
    lost[lost_number++] = atoi(word);
  per_host = atoi(argv[5]);
  const int delay = atoi(argv[6]);

  int level;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  char name[4096], file[32];
  snprintf(file, sizeof file, "rank%d", rank);
  path(name, sizeof name, file);
  results = fopen(name, "w");
  if (!results || processes > MOST || (multiple && level < MPI_THREAD_MULTIPLE))
    MPI_Abort(MPI_COMM_WORLD, 2);
  prepare();
  pthread_t thread;
  if (multiple)
    pthread_create(&thread, NULL, poll_mpi, NULL);
  exchange_until(now() + 0.2);
  MPI_Barrier(MPI_COMM_WORLD);

  if (!cut && is_lost(rank)) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGALRM, die);
    const int wait = 100 + (int)(getpid() * 7919u % 100) + (rank == lost[0] ? 0 : delay);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {wait / 1000, wait % 1000 * 1000}},
              NULL);
  }
  if (cut && rank == first_survivor()) {
    exchange_until(now() + 0.1);
    puts("cut now");
    fflush(stdout);
  }
  while (death() == 0)
    exchange();
  if (is_lost(rank)) { /* cut off */
    sleep(8);
    _exit(0);
  }
  pthread_create(&thread, NULL, watch, NULL);
  exchange_until(death() + 1);
  if (cut) { /* may be many minutes, beside other jobs */
    atomic_store(&pause_ns, 20000000);
    exchange_until(death() + 1 + 0.001 * delay);
    atomic_store(&pause_ns, 500000);
  }
  check_messages(4, "same-host", "other-hosts", "any-source");
  meet("before");
  use_dead(lost[0]);
  check_messages(4, "then", "then-others", "then-any");
  meet("then");
  use_window();
  meet("window");
  use_communicators();
  end_job(argv[7]);
}

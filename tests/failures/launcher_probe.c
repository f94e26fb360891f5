/* Shows what a launcher and an MPI do when a process dies. Plain MPI, without Causeway. One process
 * dies; the others notice it by a pidfd, work for two seconds without MPI, may then communicate
 * among themselves, and end one after the other.
 *
 *   launcher_probe DEATH PROCESS END [COMMUNICATION]
 *
 *   DEATH          kill (SIGKILL), segv (SIGSEGV) or exit (exit status 3 without MPI_Finalize)
 *   PROCESS        rank of the process that dies
 *   END            finalize (MPI_Finalize), exit=STATUS or _exit=STATUS (without MPI_Finalize), or
 *                  abort (the first survivor calls MPI_Abort, the others work for a minute)
 *   COMMUNICATION  before or after: the survivors use a communicator that they have made before or
 *                  after the death
 *
 * Each line names the rank: "dies", "saw the death", "survives", "communicates", "ends" and, after
 * MPI_Finalize, "has finalized". Before it ends, each process prints 1000 lines, which shows
 * whether output is lost. */
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, processes;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void say(const char *text)
{
  printf("process %d %s %.6f\n", rank, text, now());
}

static void work(double seconds)
{
  for (const double end = now() + seconds; now() < end;)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Launchers cut lines where those of several processes meet, so that lost lines are counted by the
 * character #. */
static void print_lines(void)
{
  for (int line = 0; line < 1000; line++)
    printf("process %d prints line %d #\n", rank, line);
  work(0.1);
}

static void die(const char *death)
{
  print_lines();
  say("dies");
  if (strcmp(death, "exit") == 0)
    exit(3);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(SIGSEGV, SIG_DFL); /* MPI may have a handler, which prints a call stack */
  raise(strcmp(death, "kill") == 0 ? SIGKILL : SIGSEGV);
}

/* Makes a communicator of all processes but `dead`; only they call it. */
static MPI_Comm make_group(int dead)
{
  MPI_Group all, others;
  MPI_Comm survivors;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &dead, &others);
  if (MPI_Comm_create_group(MPI_COMM_WORLD, others, 1, &survivors) != MPI_SUCCESS)
    survivors = MPI_COMM_NULL;
  MPI_Group_free(&all);
  MPI_Group_free(&others);
  return survivors;
}

/* Sends a message around the survivors, and passes a barrier. Returns true if no call fails. */
static bool communicate(MPI_Comm survivors)
{
  int own, number, received = -1;
  if (survivors == MPI_COMM_NULL)
    return false;
  MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
  MPI_Comm_rank(survivors, &own);
  MPI_Comm_size(survivors, &number);
  const int next = (own + 1) % number, previous = (own + number - 1) % number;
  return MPI_Sendrecv(&own, 1, MPI_INT, next, 0, &received, 1, MPI_INT, previous, 0, survivors,
                      MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         received == previous && MPI_Barrier(survivors) == MPI_SUCCESS;
}

static void await_death(pid_t pid, int own)
{
  struct pollfd death = {.fd = own, .events = POLLIN};
  int ready;
  do /* MPICH's launcher sends SIGUSR1 to the survivors */
    ready = own < 0 ? -1 : poll(&death, 1, 15000);
  while (own >= 0 && ready < 0 && errno == EINTR);
  if (ready != 1) {
    fprintf(stderr, "FAILED: process %d does not see that process with pid %d ends: %s\n", rank,
            (int)pid, strerror(errno));
    _exit(1);
  }
}

int main(int argc, char **argv)
{
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const char *death = argc > 3 ? argv[1] : "", *end = argc > 3 ? argv[3] : "";
  const char *communication = argc > 4 ? argv[4] : "none";
  const int dead = argc > 3 ? atoi(argv[2]) : processes;
  if (dead < 0 || dead >= processes || processes < 2) {
    fprintf(stderr,
            "usage: launcher_probe kill|segv|exit PROCESS "
            "finalize|abort|exit=STATUS|_exit=STATUS [before|after], 2 processes or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  MPI_Comm survivors = MPI_COMM_NULL;
  if (strcmp(communication, "before") == 0 && rank != dead)
    survivors = make_group(dead);
  long pids[processes];
  const long pid = getpid();
  MPI_Allgather(&pid, 1, MPI_LONG, pids, 1, MPI_LONG, MPI_COMM_WORLD);
  const int watched = rank == dead ? -1 : (int)syscall(SYS_pidfd_open, (pid_t)pids[dead], 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == dead) {
    work(0.2); /* until the others have left the barrier */
    die(death);
  }

  await_death((pid_t)pids[dead], watched);
  say("saw the death");
  work(2);
  say("survives");
  if (strcmp(communication, "after") == 0)
    survivors = make_group(dead);
  if (strcmp(communication, "none") != 0)
    say(communicate(survivors) ? "communicates" : "fails to communicate");
  work(0.5 * rank); /* shows whether the end of one ends the others */
  const bool aborts = strcmp(end, "abort") == 0;
  if (aborts && rank > (dead == 0))
    work(60);
  print_lines();
  say("ends");
  if (aborts)
    MPI_Abort(MPI_COMM_WORLD, 6);
  if (strncmp(end, "_exit=", 6) == 0)
    _exit(atoi(end + 6));
  if (strncmp(end, "exit=", 5) == 0)
    exit(atoi(end + 5));
  MPI_Finalize();
  say("has finalized");
  return 0;
}

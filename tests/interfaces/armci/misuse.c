/* Misuse ends the job with a nonzero status and a message that explains the error: one of the many
 * cases that bad_input.c tries within one job, and those after which a job cannot continue.
 *
 *   misuse run CASE                  an MPI program with this misuse
 *   misuse expect CASE command...    runs the command and checks its status and its message */
#include "armci_kit.h"

#include <causeway.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 64, OUTPUT = 1 << 16 };

static char *slices[64];
static double data[8];

static void past_end(void)
{
  ARMCI_Put(data, slices[0] + BYTES - 4, 8, 0);
}

static void error_call(void)
{
  ARMCI_Error("Bailing out", 0);
}

static void abort_call(void)
{
  armci_msg_abort(512);
}

/* ARMCI_Init, or even MPI_Init, has not been called. */
static void put_before_init(void)
{
  ARMCI_Put(data, data, 8, 0);
}

/* Causeway runs, but not ARMCI, so there is no group yet. */
static void message_before_init(void)
{
  int one = 1;
  char sum[] = "+";
  (void)!cw_init(MPI_COMM_WORLD);
  armci_msg_igop(&one, 1, sum);
}

static void thread_level(void)
{
  ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
}

static void init_before_mpi(void)
{
  ARMCI_Init();
}

static void error_before_mpi(void)
{
  ARMCI_Error("before everything", 7);
}

/* Causes the error that processes in another call get. */
static void finalize_alone(void)
{
  setenv("CW_CHECK", "1", 1);
  ARMCI_Init();
  if (kit_me() == 0)
    ARMCI_Finalize();
  else
    ARMCI_Barrier();
}

/* Process 0 reports for which process it waits before the other one ends that wait. */
static void no_message(void)
{
  double number = 0;
  setenv("CW_WAIT_REPORT", "1", 1);
  ARMCI_Init();
  kit_barrier();
  if (kit_me() == 0)
    armci_msg_rcv(7, &number, 8, NULL, 1);
  usleep(3000000);
  ARMCI_Error("nobody sends", 1);
}

enum needs { ARMCI, MPI, NOTHING };

static const struct misuse {
  const char *name;
  void (*run)(void);
  enum needs needs;
  const char *message; /* part of the output */
} cases[] = {
    {"past_end", past_end, ARMCI, "8 bytes there run past the end"},
    {"error_call", error_call, ARMCI, "Bailing out (ARMCI_Error, code 0)"},
    {"abort_call", abort_call, ARMCI, "armci_msg_abort was called with code 512"},
    {"put_before_init", put_before_init, MPI, "is not running"},
    {"message_before_init", message_before_init, MPI, "ARMCI is not running: call ARMCI_Init"},
    {"finalize_alone", finalize_alone, MPI, "process 0 in ARMCI_Finalize"},
    {"no_message", no_message, MPI, "for a message of process 1 with tag 7"},
    {"thread_level", thread_level, MPI, "thread level 3 was requested"},
    {"init_before_mpi", init_before_mpi, NOTHING, "MPI is not running: call MPI_Init before"},
    {"error_before_mpi", error_before_mpi, NOTHING, "before everything (ARMCI_Error, code 7)"},
};

static const struct misuse *find(const char *name)
{
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (strcmp(cases[i].name, name) == 0)
      return &cases[i];
  fprintf(stderr, "misuse: there is no case '%s'\n", name);
  exit(KIT_FAIL);
}

/* Returns 0 if nothing ended the job; `expect` takes that for a failure. */
static int run(const struct misuse *misuse, int argc, char **argv)
{
  void *addresses[64];
  if (misuse->needs != NOTHING)
    kit_start(&argc, &argv, "armci.misuse");
  if (misuse->needs == ARMCI) {
    ARMCI_Init();
    ARMCI_Malloc(addresses, BYTES);
    for (int p = 0; p < kit_processes(); p++)
      slices[p] = addresses[p];
  }
  misuse->run();
  printf("nothing happened\n");
  fflush(stdout);
  _Exit(0);
}

/* Captures all output of the command. */
static int capture(char **command, char *output)
{
  int ends[2], status = 0;
  if (pipe(ends) != 0)
    exit(KIT_FAIL);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(command[0], command);
    _Exit(127);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; got > 0 && length + 1 < OUTPUT; length += got > 0 ? (size_t)got : 0)
    got = read(ends[0], output + length, OUTPUT - 1 - length);
  output[length] = '\0';
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count(const char *output, const char *message)
{
  int times = 0;
  for (const char *at = output; (at = strstr(at, message)) != NULL; at += strlen(message))
    times++;
  return times;
}

/* Both processes make the mistake. Once Causeway runs, only one of them prints the message. */
static int expect(const struct misuse *misuse, char **command)
{
  static char output[OUTPUT];
  const int status = capture(command, output), times = count(output, misuse->message);
  const bool found = misuse->needs == ARMCI ? times == 1 : times > 0;
  const bool ended = status != 0 && strstr(output, "nothing happened") == NULL;
  printf("misuse %s: status %d, sentence %s\n", misuse->name, status,
         found       ? "found"
         : times > 1 ? "REPEATED"
                     : "MISSING");
  if (!found || !ended)
    printf("expected '%s' in:\n%s\n", misuse->message, output);
  return found && ended ? KIT_PASS : KIT_FAIL;
}

int main(int argc, char **argv)
{
  if (argc >= 3 && strcmp(argv[1], "run") == 0)
    return run(find(argv[2]), argc, argv);
  if (argc >= 4 && strcmp(argv[1], "expect") == 0)
    return expect(find(argv[2]), argv + 3);
  fprintf(stderr, "usage: misuse run CASE | misuse expect CASE command...\n");
  return KIT_FAIL;
}

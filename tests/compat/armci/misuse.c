/* Misuse ends the job, with a status that is not 0 and a sentence that says what was wrong.
 *
 *   misuse run CASE                  an MPI program that does it
 *   misuse expect CASE command...    runs the command, and checks its status and its sentence */
#include "armci_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 64, OUTPUT = 1 << 16 };

static char *slices[64];
static double data[8];

static void null_address(void)
{
  ARMCI_Get(NULL, data, 1, 0);
}

static void past_end(void)
{
  ARMCI_Put(data, slices[0] + BYTES - 4, 8, 0);
}

static void before_slice(void)
{
  ARMCI_Put(data, slices[0] - 8, 8, 0);
}

static void wrong_process(void)
{
  ARMCI_Get(data, slices[0], 8, 99);
}

static void no_buffer(void)
{
  ARMCI_Put(NULL, slices[0], 8, 0);
}

static void negative_bytes(void)
{
  ARMCI_NbPut(data, slices[0], -8, 0, NULL);
}

static void accumulate_type(void)
{
  double one = 1;
  ARMCI_Acc(17, &one, data, slices[0], 8, 0);
}

static void accumulate_bytes(void)
{
  double one = 1;
  ARMCI_Acc(ARMCI_ACC_DBL, &one, data, slices[0], 12, 0);
}

static void levels(void)
{
  int stride[9] = {8, 8, 8, 8, 8, 8, 8, 8, 8}, count[10] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ARMCI_PutS(data, stride, slices[0], stride, count, 9, 0);
}

static void negative_count(void)
{
  int stride = 8, count[2] = {8, -1};
  ARMCI_GetS(slices[0], &stride, data, &stride, count, 1, 0);
}

static void strided_past_end(void)
{
  int local = 8, remote = 56, count[2] = {8, 3};
  ARMCI_PutS(data, &local, slices[0], &remote, count, 1, 0);
}

static void vector_past_end(void)
{
  void *from[2] = {data, data}, *to[2] = {slices[0], slices[0] + BYTES};
  armci_giov_t iov = {from, to, 8, 2};
  ARMCI_PutV(&iov, 1, 0);
}

static void negative_vector(void)
{
  armci_giov_t iov = {NULL, NULL, 8, -2};
  ARMCI_GetV(&iov, 1, 0);
}

static void rmw_operation(void)
{
  long value = 0;
  ARMCI_Rmw(10, &value, slices[0], 1, 0);
}

static void rmw_address(void)
{
  long value = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, slices[0] + BYTES, 1, 0);
}

static void scope(void)
{
  armci_msg_gop_scope(5, data, 1, armci_kit_sum, ARMCI_DOUBLE);
}

static void operator_name(void)
{
  char unknown[] = "xor";
  armci_msg_dgop(data, 1, unknown);
}

static void operator_type(void)
{
  char bits[] = "or";
  armci_msg_dgop(data, 1, bits);
}

static void number_type(void)
{
  armci_msg_gop_scope(SCOPE_ALL, data, 1, armci_kit_sum, 12);
}

static void root_outside(void)
{
  ARMCI_Group group;
  int list[1] = {0};
  ARMCI_Group_create(1, list, &group);
  ARMCI_Group_free(&group);
  armci_msg_bcast(data, 8, 99);
}

static void group_rank(void)
{
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  ARMCI_Absolute_id(&world, 99);
}

static void group_outsider(void)
{
  int list[2] = {0, 99};
  ARMCI_Group group;
  ARMCI_Group_create(2, list, &group);
}

static void group_world(void)
{
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_free(&world);
}

static void free_unknown(void)
{
  ARMCI_Free(data);
}

static void free_twice(void)
{
  ARMCI_Free(slices[kit_me()]);
  ARMCI_Free(slices[kit_me()]);
}

static void negative_size(void)
{
  void *addresses[64];
  ARMCI_Malloc(addresses, -5);
}

static void mutexes_twice(void)
{
  ARMCI_Create_mutexes(1);
  ARMCI_Create_mutexes(1);
}

static void mutexes_none(void)
{
  ARMCI_Lock(0, 0);
}

static void mutex_number(void)
{
  ARMCI_Create_mutexes(2);
  ARMCI_Lock(2, 0);
}

static void error_call(void)
{
  ARMCI_Error("Bailing out", 0);
}

static void abort_call(void)
{
  armci_msg_abort(512);
}

/* Without ARMCI_Init, or even MPI_Init. */
static void put_before_init(void)
{
  ARMCI_Put(data, data, 8, 0);
}

static void malloc_before_init(void)
{
  void *addresses[64];
  ARMCI_Malloc(addresses, 8);
}

static void barrier_before_init(void)
{
  armci_msg_barrier();
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

/* What others are told who are elsewhere. */
static void finalize_alone(void)
{
  setenv("CW_CHECK", "1", 1);
  ARMCI_Init();
  if (kit_me() == 0)
    ARMCI_Finalize();
  else
    ARMCI_Barrier();
}

/* Process 0 says for whom it waits before the other one ends that. */
static void no_message(void)
{
  double number = 0;
  setenv("CW_WAIT_REPORT", "1", 1);
  ARMCI_Init();
  if (kit_me() == 0)
    armci_msg_rcv(7, &number, 8, NULL, 1);
  usleep(1400000);
  ARMCI_Error("nobody sends", 1);
}

enum needs { ARMCI, MPI, NOTHING };

static const struct misuse {
  const char *name;
  void (*run)(void);
  enum needs needs;
  const char *sentence; /* part of what is printed */
} cases[] = {
    {"null_address", null_address, ARMCI, "ARMCI_Get: src is NULL"},
    {"past_end", past_end, ARMCI, "8 bytes there run past the end"},
    {"before_slice", before_slice, ARMCI, "ARMCI_Put: dst is "},
    {"wrong_process", wrong_process, ARMCI, "target is 99; the world has processes 0 to"},
    {"no_buffer", no_buffer, ARMCI, "ARMCI_Put: src is NULL"},
    {"negative_bytes", negative_bytes, ARMCI, "ARMCI_NbPut: bytes is -8"},
    {"accumulate_type", accumulate_type, ARMCI, "type is 17"},
    {"accumulate_bytes", accumulate_bytes, ARMCI, "12"},
    {"levels", levels, ARMCI, "ARMCI_PutS: stride_levels is 9; it may be 0 to 8"},
    {"negative_count", negative_count, ARMCI, "ARMCI_GetS: count[1] is -1"},
    {"strided_past_end", strided_past_end, ARMCI, "ARMCI_PutS: dst_ptr is "},
    {"vector_past_end", vector_past_end, ARMCI, "ARMCI_PutV: dst_ptr_array is "},
    {"negative_vector", negative_vector, ARMCI, "ARMCI_GetV: iov[0].ptr_array_len is -2"},
    {"rmw_operation", rmw_operation, ARMCI, "ARMCI_Rmw: op is 10"},
    {"rmw_address", rmw_address, ARMCI, "ARMCI_Rmw: prem is "},
    {"scope", scope, ARMCI, "armci_msg_gop_scope: scope is 5"},
    {"operator_name", operator_name, ARMCI, "armci_msg_dgop: op is 'xor'"},
    {"operator_type", operator_type, ARMCI, "op is 'or', which is not defined for double"},
    {"number_type", number_type, ARMCI, "type is 12"},
    {"root_outside", root_outside, ARMCI, "root is process 99"},
    {"group_rank", group_rank, ARMCI, "group_rank is 99; the group has ranks 0 to"},
    {"group_outsider", group_outsider, ARMCI, "pid_list[1] is 99; the group has ranks"},
    {"group_world", group_world, ARMCI, "ARMCI_Group_free: "},
    {"free_unknown", free_unknown, ARMCI, "ARMCI_Free: "},
    {"free_twice", free_twice, ARMCI, "ARMCI_Free: "},
    {"negative_size", negative_size, ARMCI, "ARMCI_Malloc: size is -5"},
    {"mutexes_twice", mutexes_twice, ARMCI, "ARMCI_Create_mutexes: the mutexes exist already"},
    {"mutexes_none", mutexes_none, ARMCI, "ARMCI_Lock: there is no set of mutexes"},
    {"mutex_number", mutex_number, ARMCI, "mutex is 2; process 0 hosts 2"},
    {"error_call", error_call, ARMCI, "Bailing out (ARMCI_Error, code 0)"},
    {"abort_call", abort_call, ARMCI, "armci_msg_abort was called with code 512"},
    {"put_before_init", put_before_init, MPI, "is not running"},
    {"malloc_before_init", malloc_before_init, MPI, "is not running"},
    {"barrier_before_init", barrier_before_init, MPI, "is not running"},
    {"finalize_alone", finalize_alone, MPI, "process 0 in ARMCI_Finalize"},
    {"no_message", no_message, MPI, "for a message of process 1 with tag 7"},
    {"thread_level", thread_level, MPI, "thread level 3 was asked for"},
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

/* Comes back with 0, which `expect` takes for a failure, if nothing stopped it. */
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

/* Everything that the command prints. */
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

static int expect(const struct misuse *misuse, char **command)
{
  static char output[OUTPUT];
  const int status = capture(command, output);
  const bool said = strstr(output, misuse->sentence) != NULL;
  const bool ended = status != 0 && strstr(output, "nothing happened") == NULL;
  printf("misuse %s: status %d, sentence %s\n", misuse->name, status, said ? "found" : "MISSING");
  if (!said || !ended)
    printf("expected '%s' in:\n%s\n", misuse->sentence, output);
  return said && ended ? KIT_PASS : KIT_FAIL;
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

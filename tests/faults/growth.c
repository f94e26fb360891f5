/* Measures how many bytes of a process's own memory the library uses for each additional process of
 * the job. It starts on two processes and then on all; the difference is the growth. Measures this
 * once for the world, and once for a team of all processes and a region of that team. MPI's memory
 * and the node's shared memory are not counted.
 *
 *   faults_growth WORLD TEAM    the most bytes for each further process; on more than two */
#include "inject.h"

#undef malloc
#undef free

#include <causeway.h>
#include <stdio.h>

struct bytes {
  long world, team;
};

static void must(cw_error error)
{
  if (error != CW_OK)
    cw_abort(cw_error_message(), 1);
}

static struct bytes measure(MPI_Comm comm)
{
  struct bytes bytes = {.world = -fault_bytes()};
  cw_team team = NULL;
  cw_region region = NULL;
  must(cw_init(comm));
  must(cw_barrier(cw_team_world()));
  bytes.world += fault_bytes();
  bytes.team = -fault_bytes();
  must(cw_team_dup(cw_team_world(), &team));
  must(cw_region_create(team, sizeof(long), &region, NULL));
  bytes.team += fault_bytes();
  must(cw_region_free(team, &region));
  must(cw_team_free(&team));
  must(cw_finalize());
  return bytes;
}

static int judge(const char *what, long few, long many, int more, long most)
{
  const long each = (many - few) / more;
  printf("%s: %ld bytes on 2 processes, %ld on %d: %ld for each further one, of at most %ld\n",
         what, few, many, more + 2, each, most);
  return each > most || each <= 0; /* 0 means that nothing was counted */
}

int main(int argc, char **argv)
{
  int level = 0, process = 0, processes = 0;
  MPI_Comm two = MPI_COMM_NULL;
  struct bytes few = {0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (argc != 3 || processes < 3)
    cw_abort("usage: faults_growth WORLD TEAM, on more than two processes", 2);
  MPI_Comm_split(MPI_COMM_WORLD, process < 2 ? 0 : MPI_UNDEFINED, process, &two);
  (void)measure(MPI_COMM_WORLD); /* some memory is allocated once and kept */
  if (two != MPI_COMM_NULL)
    few = measure(two);
  const struct bytes many = measure(MPI_COMM_WORLD);
  int failed = 0;
  if (process == 0) {
    failed = judge("the world", few.world, many.world, processes - 2, atol(argv[1])) +
             judge("a team with a region", few.team, many.team, processes - 2, atol(argv[2]));
    puts(failed != 0 ? "growth: FAILED" : "growth: passed");
  }
  if (two != MPI_COMM_NULL)
    MPI_Comm_free(&two);
  MPI_Finalize();
  return failed != 0;
}

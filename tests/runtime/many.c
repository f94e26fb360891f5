/* More processes than cores: they start, synchronise, transfer and end, and yield the cores to each
 * other while they start. MPI's own collective calls spin there, and each costs every process
 * several time slices. The processor time of a start is measured in units of such calls of the same
 * run. */
#include "kit/native.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Upper bound on the processor time of a start, in barriers of MPI. On two cores, with 16 or 64
 * processes, a start took 34 barriers when it made only MPI's own collective calls. It takes 9 now,
 * of which MPI_Comm_split_type takes 7. */
enum { BARRIERS = 5, MOST = 20 };
static const double SPINNING_SECONDS =
    2e-3; /* a barrier that uses less processor time than this sleeps */

static double cpu(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the average over the processes. */
static double shared_out(double mine)
{
  int processes = 1;
  double sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / processes;
}

static double cost_of_barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = cpu();
  for (int i = 0; i < BARRIERS; i++)
    MPI_Barrier(MPI_COMM_WORLD);
  return shared_out((cpu() - before) / BARRIERS);
}

/* Every process puts its number at the next one, and adds to a number of process 0. */
static void test_transfers(void)
{
  const int me = cw_process(), processes = cw_processes(), next = (me + 1) % processes;
  const int64_t number = 1000 + me;
  int64_t before = 0;
  cw_region region = NULL;
  void **address = kit_alloc((size_t)processes, sizeof *address);
  KIT_OK(cw_region_create(cw_team_world(), 2 * sizeof(int64_t), &region, address));
  int64_t *mine = address[me];
  mine[0] = mine[1] = 0;
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_put(&number, address[next], sizeof number, next));
  KIT_OK(cw_fetch_add_int64((int64_t *)address[0] + 1, 1 + me, 0, &before));
  KIT_OK(cw_barrier(cw_team_world()));
  const int64_t last = 1000 + (me + processes - 1) % processes, all = processes;
  kit_check(mine[0] == last, "my number is %lld, not %lld", (long long)mine[0], (long long)last);
  kit_check(me != 0 || mine[1] == all * (all + 1) / 2, "the sum is %lld", (long long)mine[1]);
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(address);
}

int main(int argc, char **argv)
{
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "many");
  double barrier = cost_of_barrier();
  const double before = cpu();
  KIT_OK(cw_init(MPI_COMM_WORLD));
  const double start = shared_out(cpu() - before), after = cost_of_barrier();
  if (after > barrier) /* perhaps the machine was busier meanwhile */
    barrier = after;
  kit_about("the start");
  kit_check(barrier < SPINNING_SECONDS || start < MOST * barrier,
            "it takes %.1f ms of the processor, %.1f barriers of MPI", 1e3 * start,
            start / barrier);
  kit_about("transfers");
  test_transfers();
  KIT_OK(cw_finalize());
  return kit_finish();
}

/* Two worlds in one job: halves of MPI_COMM_WORLD start Causeway at the same time, repeatedly. Each
 * has its own memory, at addresses that the other one does not use, and neither sees data of the
 * other. Argument: rounds. */
#include "kit/native.h"
#include "memory/zone.h"

#include <mpi.h>
#include <stdlib.h>

/* The zones of the other world have other addresses; those of this world have the addresses that
 * this process reports. All processes are on one machine, and those of a world are ordered by rank.
 */
static void check_apart(int half)
{
  uint64_t mine[3], all[3 * 16];
  mine[0] = (uint64_t)half;
  mine[1] = (uint64_t)(uintptr_t)cwi_zone.base;
  mine[2] = mine[1] + cwi_zone.size;
  MPI_Allgather(mine, 3, MPI_UINT64_T, all, 3, MPI_UINT64_T, MPI_COMM_WORLD);
  for (int rank = 0; rank < kit_processes(); rank++) {
    const uint64_t *other = &all[3 * rank];
    if (other[0] == mine[0])
      kit_check(other[1] == cwi_zone.bases[cw_process_node(rank / 2)],
                "the zone lies at %llx in this world's rank %d", (unsigned long long)other[1],
                rank);
    else
      kit_check(other[2] <= mine[1] || mine[2] <= other[1],
                "the zone lies at %llx to %llx, that of the other world at %llx",
                (unsigned long long)mine[1], (unsigned long long)mine[2],
                (unsigned long long)other[1]);
  }
}

/* Puts around a ring in a region of the team. */
static void talk(cw_team team, long seed)
{
  cw_region region = NULL;
  void *addresses[16];
  const int size = cw_team_size(team), rank = cw_team_rank(team), next = (rank + 1) % size;
  const long sent = seed + rank;
  KIT_MUST(cw_region_create(team, 1 << 17, &region, addresses));
  KIT_OK(cw_put(&sent, addresses[next], sizeof sent, cw_team_process(team, next)));
  KIT_OK(cw_barrier(team));
  kit_check_long(*(const long *)addresses[rank], seed + (rank + size - 1) % size,
                 "what my neighbour has put");
  KIT_OK(cw_region_free(team, &region));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "worlds");
  kit_hang_guard();
  const int rounds = argc > 1 ? atoi(argv[1]) : 10, half = kit_me() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, half, 0, &comm);
  for (int round = 0; round < rounds; round++) {
    cw_team team = NULL;
    kit_about("round %d", round);
    KIT_MUST(cw_init(comm));
    check_apart(half);
    talk(cw_team_world(), 1000 * round + 100 * half);
    KIT_MUST(cw_team_dup(cw_team_world(), &team));
    talk(team, 1000 * round + 100 * half + 50);
    KIT_OK(cw_team_free(&team));
    KIT_OK(cw_finalize());
  }
  MPI_Comm_free(&comm);
  return kit_finish();
}

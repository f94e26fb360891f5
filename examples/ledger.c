/* Teams and mutexes: each half of the processes has a ledger of its own, which one process at a
 * time updates. */
#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 100 };

struct ledger {
  long count;
  long sum;
};

int main(int argc, char **argv)
{
  int threads; /* MULTIPLE, because between nodes a server thread also calls MPI */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  cw_team half = NULL;
  CW_MUST(cw_team_split(cw_team_world(), cw_process() % 2, 0, &half));
  const int keeper =
      cw_team_process(half, 0); /* number in the world of the process that has the ledger */

  void **address = calloc((size_t)cw_team_size(half), sizeof *address);
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  const size_t bytes = cw_team_rank(half) == 0 ? sizeof(struct ledger) : 0;
  CW_MUST(cw_region_create(half, bytes, &region, address));
  CW_MUST(cw_mutexes_create(half, cw_team_rank(half) == 0 ? 1 : 0, &mutexes));
  struct ledger entry = {0, 0};
  if (cw_team_rank(half) == 0)
    CW_MUST(cw_put(&entry, address[0], sizeof entry, keeper));
  CW_MUST(cw_barrier(half));

  for (int i = 0; i < ENTRIES; i++) {
    CW_MUST(cw_mutex_lock(mutexes, 0, keeper));
    CW_MUST(cw_get(&entry, address[0], sizeof entry, keeper));
    entry.count++;
    entry.sum += i;
    CW_MUST(cw_put(&entry, address[0], sizeof entry, keeper));
    CW_MUST(cw_mutex_unlock(mutexes, 0, keeper));
  }
  CW_MUST(cw_barrier(half));
  CW_MUST(cw_get(&entry, address[0], sizeof entry, keeper));
  const long count = (long)ENTRIES * cw_team_size(half);
  const int wrong = entry.count != count || entry.sum != count * (ENTRIES - 1) / 2;
  if (cw_team_rank(half) == 0)
    printf("ledger at process %d: %ld entries, sum %ld%s\n", keeper, entry.count, entry.sum,
           wrong ? ", WRONG" : "");

  CW_MUST(cw_mutexes_free(&mutexes));
  CW_MUST(cw_region_free(half, &region));
  CW_MUST(cw_team_free(&half));
  CW_MUST(cw_finalize());
  MPI_Finalize();
  free(address);
  return wrong;
}

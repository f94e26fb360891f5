/* mpich-flush-local: MPI_Get, then MPI_Put to the same target, then MPI_Win_flush_local: are the
 * data of the get there? Exit 0: not always, the work-around is needed. 1: always. 77: another MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2000, BYTES = 64, WINDOW = 1 << 20 };

static int is_mpich(void)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return strstr(version, "MPICH Version:") != NULL;
}

static int count_late(MPI_Win window, int peer)
{
  static const char source[8];
  int late = 0;
  for (int round = 0; round < ROUNDS; round++) {
    char got[BYTES] = {0};
    MPI_Get(got, BYTES, MPI_BYTE, peer, 0, BYTES, MPI_BYTE, window);
    MPI_Put(source, sizeof source, MPI_BYTE, peer, WINDOW / 2, sizeof source, MPI_BYTE, window);
    MPI_Win_flush_local(peer, window);
    late += got[0] != 7 || got[BYTES - 1] != 7;
    MPI_Win_flush(peer, window);
  }
  return late;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int me = 0, processes = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int affected = is_mpich();
  void *memory = NULL;
  MPI_Win window = MPI_WIN_NULL;
  if (affected && posix_memalign(&memory, 4096, WINDOW) == 0) {
    memset(memory, 7, WINDOW);
    MPI_Win_create(memory, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    const int late = count_late(window, (me + 1) % processes);
    MPI_Allreduce(&late, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  free(memory);
  if (me == 0 && affected)
    printf(all > 0 ? "still needed: %d gets were late\n"
                   : "fixed in this MPI (%d late gets): remove the row mpich-flush-local\n",
           all);
  MPI_Finalize();
  return !affected ? 77 : all > 0 ? 0 : 1;
}

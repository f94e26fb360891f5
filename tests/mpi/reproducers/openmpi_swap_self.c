/* Open MPI 4.x on one node: MPI_Compare_and_swap of 8 bytes on the calling process itself crashes.
 * https://github.com/open-mpi/ompi/issues/9146 */
#include "reproducer.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf before;

static void crashed(int number)
{
  siglongjmp(before, number);
}

int main(int argc, char **argv)
{
  static long memory[8];
  const long one = 1, zero = 0;
  long old = -1;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  const int me = my_rank();
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  signal(SIGSEGV, crashed);
  const int there = sigsetjmp(before, 1) != 0;
  if (!there) {
    CHECK(MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, me, 0, window));
    CHECK(MPI_Win_flush(me, window));
  }
  signal(SIGSEGV, SIG_DFL);
  /* After the crash the window cannot be freed any more. */
  return finish(there, "openmpi_swap_self");
}

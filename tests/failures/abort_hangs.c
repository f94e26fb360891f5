/* cw_abort ends the process although MPI_Abort does not return and the program blocks signals. */
#include <causeway.h>
#include <signal.h>
#include <unistd.h>

int MPI_Abort(MPI_Comm comm, int status)
{
  (void)comm;
  (void)status;
  while (true)
    pause();
}

int main(int argc, char **argv)
{
  sigset_t all;
  sigfillset(&all);
  MPI_Init(&argc, &argv);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  cw_abort("a test of cw_abort", 7);
}

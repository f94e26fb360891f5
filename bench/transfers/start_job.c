/* Measures what Causeway adds to a job that does nothing: starts MPI and, if it is compiled with
 * BENCH_CAUSEWAY, Causeway, and ends. bench/transfers/start_job.sh measures it from outside, so
 * that the time to load libraries counts. */
#ifdef BENCH_CAUSEWAY
#include <causeway.h>
#endif

#include <mpi.h>

int main(int argc, char **argv)
{
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#ifdef BENCH_CAUSEWAY
  CW_MUST(cw_init(MPI_COMM_WORLD));
  CW_MUST(cw_finalize());
#endif
  MPI_Finalize();
  return 0;
}

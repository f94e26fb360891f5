/* Distributed matrix multiplication by one-sided calls, after "One-Sided Interface for Matrix
 * Operations using MPI-3 RMA: A Case Study with Elemental" (Ghosh, Hammond, Pena, Balaji,
 * Gebremedhin, Chapman, 2016). onesided.c has the multiplication itself. */
#include "contest.h"
#include "dgemm.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Runs all cases. In a case such as "NT", A is used as it is and B transposed. Returns 1 if a
 * result is wrong. */
static int run_cases(struct options *options)
{
  int wrong = 0;
  tiling_complete(&options->sides, &options->tiling);
  contest_heading(options);
  for (const char *word = options->cases; *word != '\0';
       word += strspn(word, "NT"), word += *word == ' ')
    wrong += contest_run(options, word[0] == 'T', word[1] == 'T');
  CW_MUST(cw_broadcast(cw_team_world(), 0, &wrong, sizeof wrong));
  return wrong > 0;
}

int main(int argc, char **argv)
{
  int level = 0, status = 0;
  struct options options;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  dgemm_alone();
  const char *wrong = options_read(argv, &options);
  if (wrong != NULL) {
    if (cw_process() == 0)
      fprintf(stderr, "matmul: %s\n", wrong);
    status = 2;
  } else if (options.help) {
    if (cw_process() == 0)
      fputs(options_help, stdout);
  } else {
    status = run_cases(&options);
  }
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return status;
}

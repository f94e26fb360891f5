/* A sum over many pieces, whose processes may fail. The pieces are in a table that survives in the
 * memory of the node. If a process fails, the others make a team of the survivors, free its pieces
 * and continue. Argument: number of a process that kills itself halfway (docs/guide/failure.md). */
#include <causeway.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECES = 400, STEPS = 20000 };

/* An entry of the table in the slice of process 0. */
struct piece {
  int64_t state; /* 0, or 1 + the process that computes it, or DONE */
  double result;
};
static const int64_t DONE = -1;

/* One piece of the integral of 4 / (1 + x^2) from 0 to 1, which is pi. */
static double integrate(int piece)
{
  const double step = 1.0 / ((double)PIECES * STEPS);
  double sum = 0;
  for (int i = 0; i < STEPS; i++) {
    const double x = step * ((double)piece * STEPS + i + 0.5);
    sum += 4 * step / (1 + x * x);
  }
  return sum;
}

/* Computes all pieces that no other process has. A piece is done only when its result is stored.
 * The victim kills itself in the middle of a piece, or after the loop if it got few pieces. */
static void compute(struct piece *table, int victim)
{
  int pieces = 0;
  for (int i = 0; i < PIECES; i++) {
    int64_t before = 0;
    CW_MUST(cw_compare_swap_int64(&table[i].state, 0, 1 + cw_process(), 0, &before));
    if (before != 0)
      continue;
    const double result = integrate(i);
    if (cw_process() == victim && ++pieces == PIECES / cw_processes() / 2)
      kill(getpid(), SIGKILL);
    CW_MUST(cw_put(&result, &table[i].result, sizeof result, 0));
    CW_MUST(cw_fence(0));
    CW_MUST(cw_put(&DONE, &table[i].state, sizeof DONE, 0));
  }
  if (cw_process() == victim)
    kill(getpid(), SIGKILL);
}

/* Frees the pieces of failed processes. All survivors do so; the compare-and-swap lets one win. */
static void free_pieces(struct piece *table)
{
  int failed[64];
  size_t count = 0;
  CW_MUST(cw_team_failed(cw_team_world(), 64, failed, &count));
  for (int i = 0; i < PIECES; i++)
    for (size_t k = 0; k < count && k < 64; k++) {
      int64_t before = 0;
      CW_MUST(cw_compare_swap_int64(&table[i].state, 1 + failed[k], 0, 0, &before));
    }
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* servers of several nodes need it */
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int victim = argc > 1 ? atoi(argv[1]) : -1;
  cw_team team = cw_team_world();
  cw_region region = NULL;
  void *addresses[64];
  if (cw_processes() > 64)
    cw_abort("at most 64 processes", 1);
  const size_t bytes = cw_process() == 0 ? PIECES * sizeof(struct piece) : 0;
  CW_MUST(cw_region_create(team, bytes, &region, addresses));
  struct piece *table = addresses[0];
  for (int i = 0; i < PIECES && cw_process() == 0; i++)
    table[i] = (struct piece){0, 0};
  CW_MUST(cw_barrier(team));

  compute(table, victim);
  while (CW_MAY_FAIL(cw_barrier(team)) == CW_FAILED) {
    printf("process %d: %s\n", cw_process(), cw_error_message());
    CW_MUST(cw_team_shrink(team, &team));
    free_pieces(table);
    compute(table, -1);
  }

  double pi = 0;
  for (int i = 0; i < PIECES; i++) {
    double result = 0;
    CW_MUST(cw_get(&result, &table[i].result, sizeof result, 0));
    pi += result;
  }
  if (cw_team_rank(team) == 0)
    printf("%d of %d processes: pi is %.12f\n", cw_team_size(team), cw_processes(), pi);
  const int status = fabs(pi - 3.141592653589793) < 1e-9 ? 0 : 1;
  const bool lost = cw_team_size(team) < cw_processes();
  CW_MUST(cw_finalize());
  if (lost)
    cw_failure_end(status); /* MPI_Finalize may wait for the failed process for ever */
  MPI_Finalize();
  return status;
}

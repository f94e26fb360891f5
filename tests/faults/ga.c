/* Arrays of a GA program that CW_GA_DISTRIBUTION has made cyclic, for runs in which one call of the
 * library fails: see native.c. Calls of GA end the job themselves; only those that create an array
 * return an error, on all members alike. The functions below NGA_Access and NGA_Release_update are
 * called directly, too: after a failure the call must be repeatable. */
#include "verdict.h"

#include "base/error.h"
#include "ga/array/nominal.h"

#include <ga.h>
#include <mpi.h>

#include <stdint.h>
#include <stdlib.h>

enum { EDGE = 14, FIRST = 0, LAST = EDGE - 1 };

static int64_t edges[2] = {EDGE, EDGE}, all_lo[2] = {FIRST, FIRST}, all_hi[2] = {LAST, LAST};
static double model[EDGE][EDGE];

/* Returns true if g_a is 0 because memory ran out; all members must then have got 0. */
static bool fails(int g_a)
{
  int some = g_a == 0, all = some;
  if (!continues && g_a == 0)
    cw_abort("ended by the program: no memory for an array", 2);
  if (continues && (MPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) != 0 ||
                    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != 0))
    fail("MPI_Allreduce");
  expect(some == all, "an array is made on one member, and not on the other");
  return g_a == 0;
}

static int make_full(char *name, double first)
{
  int g_a = 0;
  int64_t ld[1] = {EDGE};
  do
    g_a = NGA_Create64(C_DBL, 2, edges, name, NULL);
  while (fails(g_a));
  for (int n = 0; n < EDGE * EDGE; n++)
    model[n / EDGE][n % EDGE] = first + n;
  if (me == 0)
    NGA_Put64(g_a, all_lo, all_hi, model, ld);
  GA_Sync();
  return g_a;
}

static void expect_full(int g_a, double first)
{
  double seen[EDGE][EDGE];
  int64_t ld[1] = {EDGE};
  GA_Sync();
  NGA_Get64(g_a, all_lo, all_hi, seen, ld);
  for (int n = 0; n < EDGE * EDGE; n++)
    expect(seen[n / EDGE][n % EDGE] == first + n, "an element of a cyclic array is wrong");
  GA_Sync();
}

/* --- By GA's calls ---------------------------------------------------------------------------- */

static void by_calls(void)
{
  static char name[] = "by calls", copied[] = "copy";
  const int g_a = make_full(name, 0);
  int64_t lo[2], hi[2], ld[1] = {0};
  double *mine = NULL, *last = NULL;
  int copy = 0;
  doing = "NGA_Access";
  do
    copy = GA_Duplicate(g_a, copied);
  while (fails(copy));
  GA_Copy(g_a, copy);
  NGA_Distribution64(g_a, me, lo, hi);
  for (int i = 0; i < 2; i++) {
    const int which = i == 0 ? g_a : copy;
    NGA_Access64(which, lo, hi, &mine, ld);
    NGA_Access64(which, hi, hi, &last, ld);
    for (int64_t row = 0; row <= hi[0] - lo[0]; row++)
      for (int64_t column = 0; column <= hi[1] - lo[1]; column++)
        mine[row * ld[0] + column] += 1;
    NGA_Release_update64(which, lo, hi);
    NGA_Release64(which, hi, hi);
    expect_full(which, 1);
  }
  GA_Destroy(copy);
  GA_Destroy(g_a);
}

/* Each node has its own array. The sum is made in an array of all processes, which do not
 * synchronise again after a failure on one of them. */
static void merged(void)
{
  static char name[] = "merged";
  double one = 1, seen[EDGE][EDGE];
  int64_t ld[1] = {EDGE};
  int g_a = 0;
  doing = "GA_Merge_mirrored";
  do
    g_a = NGA_Create_config64(C_DBL, 2, edges, name, NULL, GA_Pgroup_get_mirror());
  while (fails(g_a));
  GA_Fill(g_a, &one);
  GA_Merge_mirrored(g_a);
  NGA_Get64(g_a, all_lo, all_hi, seen, ld);
  expect(seen[FIRST][LAST] == cw_nodes() && seen[LAST][FIRST] == cw_nodes(), "the sum is wrong");
  GA_Sync();
  GA_Destroy(g_a);
}

/* --- The functions below them ----------------------------------------------------------------- */

static cw_error nominal_access(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi,
                               cw_array_view *view)
{
  return cwi_in_call("nominal_access", cwi_ga_nominal_access(entry, lo, hi, view));
}

static cw_error nominal_release(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi,
                                bool update)
{
  return cwi_in_call("nominal_release", cwi_ga_nominal_release(entry, lo, hi, update));
}

static double *element(const cw_array_view *view, int64_t row, int64_t column)
{
  return (double *)((char *)view->address + row * view->strides[0] + column * view->strides[1]);
}

/* A failed access must not affect earlier accesses and the values that the program has stored
 * there. */
static void add_rows(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi)
{
  cw_array_view whole, row;
  MUST(nominal_access(entry, lo, hi, &whole));
  for (int64_t i = lo[0]; i <= hi[0]; i++) {
    const int64_t from[2] = {i, lo[1]}, to[2] = {i, hi[1]};
    for (int64_t j = 0; j <= hi[1] - lo[1]; j++)
      *element(&whole, i - lo[0], j) += 1;
    MUST(nominal_access(entry, from, to, &row));
    expect(row.address == element(&whole, i - lo[0], 0), "a row lies elsewhere");
    if (i % 2 == 0)
      MUST(nominal_release(entry, from, to, true));
    for (int64_t j = 0; j <= hi[1] - lo[1]; j++)
      expect(*element(&row, 0, j) == model[i][lo[1] + j] + 1, "a store is lost");
  }
  MUST(nominal_release(entry, lo, hi, true));
}

static void below(void)
{
  static char name[] = "below";
  const int g_a = make_full(name, 0);
  int64_t lo[2], hi[2];
  doing = "access to a cyclic array";
  expect(cwi_ga_entry(g_a)->nominal != NULL, "CW_GA_DISTRIBUTION is not set");
  for (int round = 0; round < 2; round++) {
    NGA_Distribution64(g_a, (me + round) % 2, lo, hi);
    if (round > 0)
      for (int n = 0; n < EDGE * EDGE; n++)
        model[n / EDGE][n % EDGE] += 1;
    add_rows(cwi_ga_entry(g_a), lo, hi);
    expect_full(g_a, round + 1);
  }
  GA_Destroy(g_a); /* with open rows */
}

int main(int argc, char **argv)
{
  faults_start(&argc, &argv);
  GA_Initialize();
  by_calls();
  merged();
  below();
  doing = "GA_Terminate";
  GA_Terminate();
  return faults_finish();
}

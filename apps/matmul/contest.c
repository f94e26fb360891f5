/* Runs several ways to multiply by turns, and prints their times and residuals. */
#include "contest.h"

#include "onesided.h"
#include "pdgemm.h"
#include "share.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct contest {
  const struct options *options;
  struct product product;
  struct pdgemm pdgemm;
  struct share share;
};

/* --- The ways --------------------------------------------------------------------------------- */

static void run_one(struct contest *contest)
{
  if (cw_process() == 0)
    share_multiply(&contest->share);
}

static void run_all(struct contest *contest)
{
  share_multiply(&contest->share);
}

static void run_pdgemm(struct contest *contest)
{
  pdgemm_multiply(&contest->pdgemm);
}

static void run_collective(struct contest *contest)
{
  const struct product *product = &contest->product;
  const cw_operand a = {.array = product->a}, b = {.array = product->b};
  const cw_operand c = {.array = product->c};
  CW_MUST(cw_array_multiply(product->ta ? CW_TRANSPOSED : CW_NOT_TRANSPOSED,
                            product->tb ? CW_TRANSPOSED : CW_NOT_TRANSPOSED, NULL, &a, &b, NULL,
                            &c));
}

static void run_counter(struct contest *contest)
{
  multiply_onesided(&contest->product, &contest->options->tiling, distribute_by_counter);
}

static void run_pool(struct contest *contest)
{
  multiply_onesided(&contest->product, &contest->options->tiling, distribute_by_pool);
}

/* The first two ways are upper limits: they multiply shares (share.h). The first one runs on a
 * single process, whose rate is multiplied by the number of processes; the second one runs on all
 * processes at once. */
enum { ONE, ALL, PDGEMM, COLLECTIVE, COUNTER, POOL, WAYS };

static const struct way {
  const char *name;
  void (*run)(struct contest *contest);
  const char *dealing; /* the word of --tasks that selects it; NULL if it always runs */
  bool share;          /* true if it multiplies shares, not the distributed matrices */
  bool checked;        /* true if its C is compared with PDGEMM's */
} ways[WAYS] = {
    [ONE] = {"one process's dgemm", run_one, NULL, true, false},
    [ALL] = {"dgemm of all", run_all, NULL, true, false},
    [PDGEMM] = {"PDGEMM", run_pdgemm, NULL, false, false},
    [COLLECTIVE] = {"collective", run_collective, NULL, false, true},
    [COUNTER] = {"one-sided, counter", run_counter, "counter", false, true},
    [POOL] = {"one-sided, pool", run_pool, "pool", false, true},
};

static bool takes_part(const struct way *way, const struct options *options)
{
  return way->dealing == NULL || strstr(options->dealing, way->dealing) != NULL;
}

/* --- Times ------------------------------------------------------------------------------------ */

static double seconds_of(const struct way *way, struct contest *contest)
{
  CW_MUST(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  way->run(contest);
  CW_MUST(cw_barrier(cw_team_world()));
  return MPI_Wtime() - begin;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, int count)
{
  qsort(times, (size_t)count, sizeof *times, compare);
  return count % 2 != 0 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

/* The result of one way. */
struct outcome {
  double seconds, rate; /* GFLOP/s of all processes together */
  double residual;      /* the greatest of all runs */
};

static double gflops(const struct contest *contest, const struct way *way, double seconds)
{
  const struct sides *sides = &contest->product.sides;
  const double all = way->share ? cw_processes() * share_operations(&contest->share)
                                : 2 * (double)sides->m * (double)sides->n * (double)sides->k;
  return 1e-9 * all / seconds;
}

/* Fills C with NaN, so that no way can pass with the result of another one. */
static void forget(const struct product *product)
{
  const double none = NAN;
  CW_MUST(cw_array_fill(product->c, NULL, NULL, &none));
}

static void run_ways(struct contest *contest, double *times, struct outcome *outcomes)
{
  const struct options *options = contest->options;
  for (int run = 0; run < options->runs; run++)
    for (int i = 0; i < WAYS; i++) {
      if (!takes_part(&ways[i], options))
        continue;
      forget(&contest->product);
      times[i * options->runs + run] = seconds_of(&ways[i], contest);
      if (!ways[i].checked)
        continue;
      const double residual = product_residual(&contest->product, &contest->pdgemm.product);
      /* this form also records a residual that is NaN */
      if (!(residual <= outcomes[i].residual))
        outcomes[i].residual = residual;
    }
  for (int i = 0; i < WAYS; i++) {
    if (!takes_part(&ways[i], options))
      continue;
    outcomes[i].seconds = median(times + i * options->runs, options->runs);
    outcomes[i].rate = gflops(contest, &ways[i], outcomes[i].seconds);
  }
}

/* --- The table -------------------------------------------------------------------------------- */

static const char *distribution_words(const struct distribution *distribution)
{
  static char words[64];
  if (distribution->layout == CW_BLOCKS)
    return "a block for each process";
  if (distribution->block == 1)
    return "element-cyclic";
  snprintf(words, sizeof words, "block-cyclic, %ld x %ld", (long)distribution->block,
           (long)distribution->block);
  return words;
}

void contest_heading(const struct options *options)
{
  const struct sides *sides = &options->sides;
  if (cw_process() != 0)
    return;
  printf("C = op(A) op(B): %ld x %ld, sums of %ld terms; %s; %d processes\n", (long)sides->m,
         (long)sides->n, (long)sides->k, distribution_words(&options->distribution),
         cw_processes());
  printf("%ld tasks: tiles of %ld x %ld, %ld terms, %ld at a time\n\n",
         (long)tasks_count(sides, &options->tiling), (long)options->tiling.rows,
         (long)options->tiling.columns, (long)options->tiling.terms, (long)options->tiling.panel);
  printf("%32s  %8s  ratio to the rate of\n", "", "");
  printf("%4s  %-20s %8s  %8s  %7s  %7s  %7s  %10s  %s\n", "case", "way", "seconds", "GFLOP/s",
         "one x P", "all", "PDGEMM", "collective", "residual");
}

static int print_way(const struct contest *contest, const struct outcome *outcomes, int i)
{
  const struct product *product = &contest->product;
  const double rate = outcomes[i].rate;
  printf("  %s%s  %-20s %8.4f  %8.2f  %7.3f  %7.3f  %7.3f  %10.3f", product->ta ? "T" : "N",
         product->tb ? "T" : "N", ways[i].name, outcomes[i].seconds, rate,
         rate / outcomes[ONE].rate, rate / outcomes[ALL].rate, rate / outcomes[PDGEMM].rate,
         rate / outcomes[COLLECTIVE].rate);
  const bool right = outcomes[i].residual <= product_rounding(&product->sides);
  if (ways[i].checked)
    printf("  %.1e%s", outcomes[i].residual, right ? "" : " WRONG");
  printf("\n");
  fflush(stdout);
  return !right;
}

int contest_run(const struct options *options, bool ta, bool tb)
{
  struct contest contest = {.options = options};
  struct outcome outcomes[WAYS] = {{0}};
  int wrong = 0;
  double *times = calloc((size_t)(WAYS * options->runs), sizeof *times);
  if (times == NULL)
    cw_abort("matmul: no memory for times", 1);
  product_create(&options->sides, ta, tb, &options->distribution, &contest.product);
  pdgemm_create(&options->sides, ta, tb, &contest.pdgemm);
  share_create(&options->sides, ta, tb, &contest.share);
  run_ways(&contest, times, outcomes);
  for (int i = 0; cw_process() == 0 && i < WAYS; i++)
    if (takes_part(&ways[i], options))
      wrong += print_way(&contest, outcomes, i);
  share_destroy(&contest.share);
  pdgemm_destroy(&contest.pdgemm);
  product_destroy(&contest.product);
  free(times);
  return wrong;
}

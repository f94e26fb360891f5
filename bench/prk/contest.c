/* Runs a kernel's sides in turns (first values, one untimed iteration, the timed iterations,
 * verification) and prints its row of the table. */
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct contest {
  const struct kernel *kernel;
  const struct options *options;
  struct problem problem;
  int iterations;
  struct state *states[SIDES];
  double *rates[SIDES]; /* of each round; NULL if the side does not take part */
};

/* --- The sides -------------------------------------------------------------------------------- */

static bool contest_has(const struct kernel *kernel, const struct options *options, int side)
{
  return kernel->sides[side] != NULL && !options->without[side] &&
         (side != SHARED || cw_nodes() == 1);
}

static struct state *side_begin(const struct contest *contest, enum side_number number)
{
  const struct kernel *kernel = contest->kernel;
  struct state *state = allocate(kernel->state_bytes);
  state->problem = &contest->problem;
  state->memory.side = number; /* some sides use other amounts of memory */
  memory_create(number, kernel->measure(state), &state->memory);
  kernel->place(state);
  if (kernel->sides[number]->begin != NULL)
    kernel->sides[number]->begin(state);
  return state;
}

static void side_end(const struct contest *contest, enum side_number number, struct state *state)
{
  const struct kernel *kernel = contest->kernel;
  if (kernel->sides[number]->end != NULL)
    kernel->sides[number]->end(state);
  if (kernel->release != NULL)
    kernel->release(state);
  memory_destroy(&state->memory);
  free(state);
}

/* A barrier by Causeway, which yields the core where processes outnumber cores; MPI's barrier may
 * not. */
static void barrier(const struct state *state)
{
  memory_sync(&state->memory);
  CW_MUST(cw_barrier(cw_team_world()));
  memory_sync(&state->memory);
}

static double over_all(cw_reduction reduction, double number)
{
  CW_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, reduction, 1, &number));
  return number;
}

/* Returns true if the result is right. NaN counts as wrong. */
static bool verify(const struct contest *contest, enum side_number number, struct state *state)
{
  const struct kernel *kernel = contest->kernel;
  const double allowed = kernel->allow != NULL ? kernel->allow(&contest->problem) : 0;
  if (contest->options->spoil)
    kernel->spoil(state);
  const double errors = over_all(CW_SUM, kernel->check(state));
  const bool right = fabs(errors) <= allowed; /* false also for NaN */
  if (!right && contest->problem.process == 0)
    printf("%s, %s: WRONG: the sum of errors is %.17g, and may be %.17g\n", kernel->name,
           side_names[number], errors, allowed);
  return right;
}

/* Runs one side and returns its rate in millions per second. */
static double time_side(const struct contest *contest, enum side_number number, bool *right)
{
  const struct kernel *kernel = contest->kernel;
  const struct side *side = kernel->sides[number];
  struct state *state = contest->states[number];
  kernel->reset(state);
  barrier(state);
  side->run(state, 1);
  barrier(state);
  const double begin = MPI_Wtime();
  side->run(state, contest->iterations);
  const double seconds = over_all(CW_MAXIMUM, MPI_Wtime() - begin);
  barrier(state);
  state->runs = contest->iterations + 1;
  *right = verify(contest, number, state);
  return 1e-6 * kernel->work(&contest->problem) * contest->iterations / seconds;
}

/* The sides allocate their memory anew in each round, and another side is first each time: the
 * memory that is allocated first gets scattered pages, and is up to a quarter slower. */
static int measure_round(struct contest *contest, int round)
{
  int wrong = 0;
  for (int i = round; i < round + SIDES; i++)
    if (contest->rates[i % SIDES] != NULL)
      contest->states[i % SIDES] = side_begin(contest, i % SIDES);
  for (int i = round; i < round + SIDES; i++)
    if (contest->rates[i % SIDES] != NULL) {
      bool right = false;
      contest->rates[i % SIDES][round] = time_side(contest, i % SIDES, &right);
      wrong += !right;
    }
  for (int i = 0; i < SIDES; i++)
    if (contest->rates[i] != NULL)
      side_end(contest, i, contest->states[i]);
  return wrong;
}

/* --- The table -------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, compare);
  return count % 2 != 0 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

void contest_heading(void)
{
  if (cw_process() != 0)
    return;
  printf("%d processes, %d nodes; rates are medians of turns. Ratios: Causeway's rate to the "
         "peer's\n\n",
         cw_processes(), cw_nodes());
  printf("| %-14s | %-14s | %-8s |", "kernel", "size", "rate in");
  for (int i = 0; i < SIDES; i++)
    printf(" %9s |", side_names[i]);
  for (int i = 1; i < SIDES; i++)
    printf(" / %-9s |", side_names[i]);
  printf("\n|---|---|---|");
  for (int i = 1; i < 2 * SIDES; i++)
    printf("--:|");
  printf("\n");
}

static void print_row(const struct contest *contest)
{
  const struct problem *problem = &contest->problem;
  double rates[SIDES] = {0};
  char size[64];
  if (contest->kernel->sizes[1].name != NULL)
    snprintf(size, sizeof size, "%lld x %lld", (long long)problem->sizes[0],
             (long long)problem->sizes[1]);
  else
    snprintf(size, sizeof size, "%lld", (long long)problem->sizes[0]);
  printf("| %-14s | %-14s | %-8s |", contest->kernel->name, size, contest->kernel->unit);
  for (int i = 0; i < SIDES; i++)
    if (contest->rates[i] != NULL)
      printf(" %9.4g |", rates[i] = median(contest->rates[i], contest->options->rounds));
    else
      printf(" %9s |", "-");
  for (int i = 1; i < SIDES; i++)
    if (contest->rates[CAUSEWAY] != NULL && contest->rates[i] != NULL)
      printf(" %11.2f |", rates[CAUSEWAY] / rates[i]);
    else
      printf(" %11s |", "-");
  printf("\n");
  fflush(stdout);
}

/* --- A contest -------------------------------------------------------------------------------- */

static struct problem problem_of(const struct kernel *kernel, const struct options *options)
{
  struct problem problem = {.process = cw_process(), .processes = cw_processes()};
  for (int i = 0; i < SIZES; i++)
    problem.sizes[i] = options->sizes[0] > 0 ? options->sizes[i]
                       : options->small      ? kernel->sizes[i].small
                                             : kernel->sizes[i].usual;
  return problem;
}

static int iterations_of(const struct kernel *kernel, const struct options *options)
{
  if (options->iterations > 0)
    return options->iterations;
  return options->small ? kernel->small_iterations : kernel->usual_iterations;
}

static const char *contest_reject_iterations(const struct kernel *kernel, int iterations)
{
  static char why[64];
  if (kernel->multiple == 0 || iterations % kernel->multiple == 0)
    return NULL;
  snprintf(why, sizeof why, "needs iterations that are a multiple of %d", kernel->multiple);
  return why;
}

const char *contest_reject(const struct kernel *kernel, const struct options *options)
{
  const struct problem problem = problem_of(kernel, options);
  const char *why = kernel->reject != NULL ? kernel->reject(&problem) : NULL;
  if (why == NULL)
    why = contest_reject_iterations(kernel, iterations_of(kernel, options));
  for (int i = 0; i < SIDES && why == NULL; i++)
    if (contest_has(kernel, options, i))
      return NULL;
  return why != NULL ? why : "has no side left";
}

int contest_run(const struct kernel *kernel, const struct options *options)
{
  struct contest contest = {.kernel = kernel,
                            .options = options,
                            .problem = problem_of(kernel, options),
                            .iterations = iterations_of(kernel, options)};
  int wrong = 0;
  for (int i = 0; i < SIDES; i++)
    if (contest_has(kernel, options, i))
      contest.rates[i] = allocate((size_t)options->rounds * sizeof(double));
  for (int round = 0; round < options->rounds; round++)
    wrong += measure_round(&contest, round);
  if (contest.problem.process == 0)
    print_row(&contest);
  for (int i = 0; i < SIDES; i++)
    free(contest.rates[i]);
  return wrong;
}

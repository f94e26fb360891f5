/* scf-survive: a Hartree-Fock program that continues when a process fails (CW_FAILURES=survive).
 *
 * It has the modules of scf. Only the set-up uses Global Arrays, whose calls end the job when a
 * process fails. In the iteration every process keeps the matrices. Tasks of a pool that survives
 * failures add up the Fock matrix in memory of the node, each of them exactly once. */
#include "algebra.h"
#include "error.h"
#include "guess.h"
#include "one_electron.h"
#include "options.h"
#include "pair_list.h"
#include "quartet.h"

#include <causeway.h>
#include <causeway/failure.h>
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_UNEXPECTED = 1, EXIT_ERROR = 2 };
enum { DIIS_CAPACITY = 8, SCRATCH_WORDS = 1 << 20 };
enum { KETS_PER_TASK = 8 };
static const double expectation_tolerance = 1e-7; /* in hartree */
static const double primitive_share = 1e-4;       /* as in scf.c */

struct state {
  const struct molecule *molecule;
  const struct basis *basis;
  const struct scf_settings *settings;
  struct engine *engine;
  struct pair_list list;
  struct matrix core, overlap, orthogonaliser, density, fock;
  double density_max; /* largest element of the density, absolute */
  struct diis *diis;
  cw_team team; /* the processes that have not failed */
  cw_tasks pool;
  int kind; /* number of the task class */
  cw_region region;
  double *sum; /* the matrix to which tasks add, in process 0's slice of the region */
};

/* Body of a task: a pair of tiles with the pairs from `first` on, up to `last`. */
struct bra_task {
  int bra, first, last;
};

/* --- Tasks ------------------------------------------------------------------------------------ */

static void tile_quartet_add(const struct state *state, const struct tile_pair *bras,
                             const struct tile_pair *kets, struct matrix *part)
{
  /* The Coulomb blocks weigh four times as much as the exchange blocks. */
  double least = state->settings->fock.screening / (4 * state->density_max);
  for (int i = 0; i < bras->pair_count; i++) {
    int end = bras == kets ? i + 1 : kets->pair_count;
    for (int j = 0; j < end && bras->pairs[i].bound * kets->pairs[j].bound >= least; j++) {
      struct quartet quartet = quartet_create(&bras->pairs[i], &kets->pairs[j]);
      quartet_contribute(state->engine, &quartet, 0, &state->density, part);
    }
  }
}

static cw_error fock_task(const cw_task *task, void *argument)
{
  const struct state *state = argument;
  const struct bra_task *body = task->body;
  const struct tile_pair *pairs = state->list.tile_pairs;
  struct matrix part = matrix_create(state->basis->size, state->basis->size);
  for (int ket = body->first; ket <= body->last; ket++)
    tile_quartet_add(state, &pairs[body->bra], &pairs[ket], &part);
  CW_MUST(cw_task_accumulate(task, CW_DOUBLE, CW_SUM, part.values, state->sum,
                             matrix_size(&part) * sizeof *part.values, 0));
  matrix_free(&part);
  return CW_OK;
}

/* Adds my share of the tasks. */
static void tasks_add(const struct state *state)
{
  int number = 0;
  for (int bra = state->list.count - 1; bra >= 0; bra--) {
    for (int first = 0; first <= bra; first += KETS_PER_TASK) {
      struct bra_task body = {bra, first, first + KETS_PER_TASK - 1};
      if (body.last > bra)
        body.last = bra;
      if (number++ % cw_team_size(state->team) == cw_team_rank(state->team))
        CW_MUST(cw_tasks_add(state->pool, state->kind, &body, sizeof body));
    }
  }
}

/* --- Failures --------------------------------------------------------------------------------- */

/* Returns true if a collective call has failed because a process has. It then fails on all
 * survivors, and they make a new team of themselves. Other errors end the job. */
static bool team_repair(struct state *state, cw_error error)
{
  cw_team survivors = NULL;
  if (error != CW_FAILED) {
    CW_MUST(error);
    return false;
  }
  while ((error = CW_MAY_FAIL(cw_team_shrink(state->team, &survivors))) == CW_FAILED)
    ;
  CW_MUST(error);
  state->team = survivors;
  return true;
}

/* Waits for the others. Returns false if a process has failed. */
static bool meet(struct state *state)
{
  bool whole = true;
  while (team_repair(state, CW_MAY_FAIL(cw_barrier(state->team))))
    whole = false;
  return whole;
}

/* Returns the first process's decision on all processes, so that they leave the loop together. */
static bool decision_share(struct state *state, bool decision)
{
  int shared = decision;
  while (team_repair(state, CW_MAY_FAIL(cw_broadcast(state->team, 0, &shared, sizeof shared))))
    shared = decision;
  return shared;
}

/* --- The iteration ---------------------------------------------------------------------------- */

/* Computes the Fock matrix of the density. A process that fails during the phase does no harm,
 * because the others run its tasks. If one fails before, it may not have added all of its tasks:
 * the phase then only empties the queues, and the survivors begin again. */
static void fock_compute(struct state *state)
{
  const size_t elements = matrix_size(&state->fock);
  bool whole = false;
  state->density_max = 0;
  for (size_t i = 0; i < elements; i++)
    state->density_max = fmax(state->density_max, fabs(state->density.values[i]));
  while (!whole) {
    meet(state); /* all have read the sum of the build before */
    if (cw_team_rank(state->team) == 0)
      memset(state->sum, 0, elements * sizeof *state->sum);
    tasks_add(state);
    whole = meet(state);
    CW_MUST(cw_tasks_process(state->pool));
  }
  const int size = state->fock.rows;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      state->fock.values[i * size + j] =
          0.5 * (state->sum[i * size + j] + state->sum[j * size + i]);
  matrix_add(1, &state->core, &state->fock);
}

/* Iterates until the energy has converged, and returns it in *energy. */
static bool iterate(struct state *state, double *energy)
{
  const struct matrix *x = &state->orthogonaliser;
  const double tolerance = state->settings->tolerance,
               repulsion = molecule_repulsion(state->molecule);
  const int pairs = state->molecule->electron_count / 2;
  struct matrix gradient = matrix_create(x->rows, x->rows);
  bool converged = false;
  if (pairs > x->rows)
    return error_set("%d electron pairs do not fit into %d independent functions", pairs, x->rows);
  for (int i = 1; !converged && i <= state->settings->iterations_max; i++) {
    const double previous = *energy;
    fock_compute(state);
    *energy = repulsion + energy_compute(&state->density, &state->core, &state->fock);
    double largest = gradient_compute(x, &state->overlap, &state->fock, &state->density, &gradient);
    converged = decision_share(state, i > 1 && fabs(*energy - previous) < tolerance &&
                                          largest < sqrt(tolerance));
    if (!converged)
      density_update(x, &state->fock, &gradient, state->diis, pairs, &state->density);
    if (!state->settings->quiet && cw_team_rank(state->team) == 0)
      printf("%9d %20.10f %12.3e %11d\n", i, *energy, largest, cw_team_size(state->team));
    fflush(stdout);
  }
  matrix_free(&gradient);
  return converged ||
         error_set("no convergence after %d iterations", state->settings->iterations_max);
}

/* --- Set-up and end --------------------------------------------------------------------------- */

static void matrices_create(struct state *state)
{
  static const enum one_electron overlap = OVERLAP, core[] = {KINETIC, ATTRACTION};
  int size = state->basis->size, dimensions[] = {size, size}, chunks[] = {-1, -1};
  int low[] = {0, 0}, high[] = {size - 1, size - 1};
  state->core = matrix_create(size, size);
  state->overlap = matrix_create(size, size);
  state->density = matrix_create(size, size);
  state->fock = matrix_create(size, size);
  int array = NGA_Create(C_DBL, 2, dimensions, (char *)"matrix", chunks);
  if (!array)
    GA_Error((char *)"scf-survive: no memory for a global array", 1);
  const struct one_electron_source source = {state->basis, state->molecule, state->engine};
  one_electron_matrix(&source, &overlap, 1, array, &state->overlap);
  one_electron_matrix(&source, core, 2, array, &state->core);
  state->orthogonaliser = matrix_orthogonaliser(&state->overlap);
  guess_density(state->basis, state->molecule, state->engine, array);
  NGA_Get(array, low, high, state->density.values, &size);
  GA_Destroy(array);
}

static void pool_create(struct state *state)
{
  const cw_tasks_options options = {.body = sizeof(struct bra_task), .survive = true};
  const size_t bytes = matrix_size(&state->fock) * sizeof(double);
  void **slices = memory_allocate((size_t)cw_processes(), sizeof *slices);
  state->team = cw_team_world();
  CW_MUST(cw_region_create(state->team, cw_process() == 0 ? bytes : 0, &state->region, slices));
  state->sum = slices[0];
  free(slices);
  CW_MUST(cw_tasks_create(state->team, &options, &state->pool));
  CW_MUST(cw_tasks_register(state->pool, "fock", fock_task, state, &state->kind));
}

/* Prints the result or the error, and returns the exit status. */
static int result_report(const struct options *options, const struct state *state, bool done,
                         double energy)
{
  const double error = options->expected ? energy - options->energy_expected : 0;
  const bool right = fabs(error) <= expectation_tolerance, first = cw_team_rank(state->team) == 0;
  if (!done) {
    if (first)
      fprintf(stderr, "scf-survive: %s\n", error_text());
    return EXIT_ERROR;
  }
  if (first)
    printf("total energy %.10f hartree on %d processes, of which %d failed\n", energy,
           cw_processes(), cw_processes() - cw_team_size(state->team));
  if (first && !right)
    fprintf(stderr, "scf-survive: the energy is not the expected one: it is off by %.2e hartree\n",
            error);
  return right ? EXIT_SUCCESS : EXIT_UNEXPECTED;
}

static int run(const struct options *options)
{
  struct molecule molecule = {.atoms = NULL};
  struct basis basis;
  struct state state = {
      .molecule = &molecule, .basis = &basis, .settings = &options->scf, .team = cw_team_world()};
  double energy = 0;
  if (options->scf.save || options->scf.load)
    error_set("--save and --load need the program scf");
  if (*error_text() || !molecule_read(&molecule, options->molecule, options->charge) ||
      !basis_read(&basis, &options->basis, &molecule))
    return result_report(options, &state, false, 0);
  state.engine = engine_create(&basis, options->scf.fock.screening * primitive_share);
  state.list = pair_list_create(&basis, state.engine, options->scf.fock.screening);
  state.diis = diis_create(DIIS_CAPACITY);
  matrices_create(&state);
  pool_create(&state);
  if (!options->scf.quiet && cw_process() == 0)
    printf("iteration               energy     gradient   processes\n");
  const bool done = iterate(&state, &energy);
  const int status = result_report(options, &state, done, energy);
  if (cw_survives())
    cw_failure_end(status); /* MPI_Finalize can wait for ever for a process that fails meanwhile */
  CW_MUST(cw_tasks_free(&state.pool));
  CW_MUST(cw_region_free(cw_team_world(), &state.region));
  return status;
}

int main(int argument_count, char **arguments)
{
  if (MPI_Init(&argument_count, &arguments) != MPI_SUCCESS)
    return EXIT_ERROR;
  GA_Initialize();
  int status = EXIT_SUCCESS;
  struct options options;
  matrix_use_one_thread();
  if (!MA_init(C_DBL, SCRATCH_WORDS, SCRATCH_WORDS))
    GA_Error((char *)"scf-survive: no memory for GA's scratch space", 1);
  if (!options_parse(&options, arguments))
    status = result_report(&options, &(struct state){.team = cw_team_world()}, false, 0);
  else if (options.help)
    fputs(cw_process() == 0 ? options_help : "", stdout);
  else
    status = run(&options);
  GA_Terminate();
  MPI_Finalize();
  return status;
}

/* Runs the restricted Hartree-Fock iteration. */
#include "scf.h"

#include "algebra.h"
#include "checkpoint.h"
#include "diis.h"
#include "error.h"
#include "guess.h"
#include "integrals.h"
#include "matrix.h"
#include "one_electron.h"

#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIIS_CAPACITY = 8 };

/* Interval in iterations after which the Fock matrix is built from the whole density, not from its
 * change. This removes the sum of the errors of screening. */
enum { FRESH_INTERVAL = 20 };

/* Primitive integrals that are smaller than the screening threshold by this factor are left out. */
static const double primitive_share = 1e-4;

/* State of the iteration. A matrix is a global array where many processes fill or read it by tiles,
 * and a local copy where LAPACK works on it. At these sizes the local work takes about one percent
 * of the time. */
struct scf_state {
  const struct molecule *molecule;
  const struct basis *basis;
  const struct scf_settings *settings;
  struct engine *engine;
  struct fock_builder *builder;
  struct diis *diis;
  int density_array, fock_array;
  struct matrix core, overlap, orthogonaliser;
  struct matrix fock;                   /* Fock matrix of `density` */
  struct matrix density, density_built; /* current density, and the one at the last build */
  double repulsion;                     /* energy of the nuclei's repulsion */
  double *energies; /* [energy_count], all iterations, those of a checkpoint first */
  int energy_count;
  struct fock_cost cost;
  double algebra_seconds;
};

static int array_create(const char *name, int size)
{
  int dimensions[2] = {size, size}, chunks[2] = {-1, -1};
  int array = NGA_Create(C_DBL, 2, dimensions, (char *)name, chunks);
  if (!array)
    GA_Error((char *)"scf: no memory for a global array", 1);
  return array;
}

/* Reads the whole array. Every process does this for itself. */
static void array_get(int array, struct matrix *matrix)
{
  int low[2] = {0, 0}, high[2] = {matrix->rows - 1, matrix->columns - 1};
  NGA_Get(array, low, high, matrix->values, &matrix->columns);
}

/* Writes the matrix to the array. Every process writes the part that it owns. */
static void array_put(int array, const struct matrix *matrix)
{
  int low[2], high[2], stride = matrix->columns;
  NGA_Distribution(array, GA_Nodeid(), low, high);
  if (low[0] >= 0 && high[0] >= low[0]) {
    NGA_Put(array, low, high, matrix->values + low[0] * stride + low[1], &stride);
  }
  GA_Sync();
}

static void state_create(struct scf_state *state)
{
  int size = state->basis->size;
  double cutoff = state->settings->fock.screening * primitive_share;
  state->engine = engine_create(state->basis, cutoff);
  state->density_array = array_create("density", size);
  state->fock_array = array_create("fock", size);
  state->core = matrix_create(size, size);
  state->overlap = matrix_create(size, size);
  state->fock = matrix_create(size, size);
  state->density = matrix_create(size, size);
  state->density_built = matrix_create(size, size);
  state->diis = diis_create(DIIS_CAPACITY);
  state->repulsion = molecule_repulsion(state->molecule);

  const enum one_electron overlap = OVERLAP, core[2] = {KINETIC, ATTRACTION};
  const struct one_electron_source source = {state->basis, state->molecule, state->engine};
  one_electron_matrix(&source, &overlap, 1, state->fock_array, &state->overlap);
  one_electron_matrix(&source, core, 2, state->fock_array, &state->core);
  state->orthogonaliser = matrix_orthogonaliser(&state->overlap);
  state->builder = fock_builder_create(state->basis, state->engine, &state->settings->fock,
                                       state->density_array);
  guess_density(state->basis, state->molecule, state->engine, state->density_array);
}

/* Sets the initial density: that of a checkpoint if there is one, else the guess. */
static bool density_begin(struct scf_state *state)
{
  const char *path = state->settings->load;
  bool done = true;
  if (path)
    done = checkpoint_load(path, state->density_array, &state->energies, &state->energy_count);
  array_get(state->density_array, &state->density);
  GA_Sync();
  return done;
}

static void energy_note(struct scf_state *state, double energy)
{
  const size_t count = (size_t)state->energy_count + 1;
  double *energies = memory_allocate(count, sizeof *energies);
  for (size_t i = 0; i + 1 < count; i++)
    energies[i] = state->energies[i];
  energies[count - 1] = energy;
  free(state->energies);
  state->energies = energies;
  state->energy_count = (int)count;
}

/* Saves the density of the last iteration, whether or not it converged. */
static bool checkpoint_keep(const struct scf_state *state)
{
  const char *path = state->settings->save;
  if (!path)
    return true;
  array_put(state->density_array, &state->density);
  return checkpoint_save(path, state->density_array, state->energies, state->energy_count);
}

static void state_free(struct scf_state *state)
{
  fock_builder_free(state->builder);
  diis_free(state->diis);
  engine_free(state->engine);
  free(state->energies);
  GA_Destroy(state->density_array);
  GA_Destroy(state->fock_array);
  matrix_free(&state->core);
  matrix_free(&state->overlap);
  matrix_free(&state->orthogonaliser);
  matrix_free(&state->fock);
  matrix_free(&state->density);
  matrix_free(&state->density_built);
}

/* Updates the Fock matrix for the current density. Only the change of the density is multiplied
 * with the integrals: the smaller it is, the more integrals the screening leaves out. If `fresh`,
 * starts again from a density of zero. */
static void fock_update(struct scf_state *state, bool fresh)
{
  struct matrix change = matrix_create(state->density.rows, state->density.columns);
  if (fresh) {
    matrix_copy(&change, &state->density_built); /* a matrix of zeros */
    matrix_copy(&state->core, &state->fock);
  }
  matrix_copy(&state->density, &change);
  matrix_add(-1, &state->density_built, &change);
  matrix_copy(&state->density, &state->density_built);
  array_put(state->density_array, &change);
  fock_build(state->builder, state->density_array, state->fock_array, &state->cost);
  double start = GA_Wtime();
  array_get(state->fock_array, &change);
  state->cost.communication += GA_Wtime() - start;
  matrix_add(1, &change, &state->fock);
  matrix_free(&change);
}

/* Returns process 0's decision on all processes, so that they leave the loop together even if their
 * results differ in the last digit. */
static bool decision_share(bool decision)
{
  int shared = decision;
  GA_Brdcst(&shared, (int)sizeof shared, 0);
  return shared;
}

static void iteration_print(const struct scf_state *state, const struct scf_result *result,
                            double change, double gradient, double seconds)
{
  if (state->settings->quiet || GA_Nodeid() != 0)
    return;
  printf("%9d %20.10f %14.3e %12.3e %9.2f\n", result->iterations, result->energy, change, gradient,
         seconds);
  fflush(stdout);
}

static bool iterate(struct scf_state *state, struct scf_result *result)
{
  const struct scf_settings *settings = state->settings;
  struct matrix gradient = matrix_create(state->orthogonaliser.rows, state->orthogonaliser.rows);
  bool converged = false;
  double change = 0, largest = 0;
  while (!converged && result->iterations < settings->iterations_max) {
    double start = GA_Wtime(), previous = result->energy;
    fock_update(state, result->iterations % FRESH_INTERVAL == 0);
    double algebra_start = GA_Wtime();
    result->iterations++;
    result->energy = state->repulsion + energy_compute(&state->density, &state->core, &state->fock);
    energy_note(state, result->energy);
    largest = gradient_compute(&state->orthogonaliser, &state->overlap, &state->fock,
                               &state->density, &gradient);
    change = result->energy - previous;
    /* The error of the energy is quadratic in the gradient. */
    converged = decision_share(result->iterations > 1 && fabs(change) < settings->tolerance &&
                               largest < sqrt(settings->tolerance));
    if (!converged)
      density_update(&state->orthogonaliser, &state->fock, &gradient, state->diis,
                     state->molecule->electron_count / 2, &state->density);
    state->algebra_seconds += GA_Wtime() - algebra_start;
    iteration_print(state, result, change, largest, GA_Wtime() - start);
  }
  matrix_free(&gradient);
  if (!converged) {
    return error_set("no convergence after %d iterations: the last one changed the energy by "
                     "%.1e hartree and left a gradient of %.1e (a larger --tolerance, a "
                     "smaller --screening or more --max-iterations may help)",
                     result->iterations, change, largest);
  }
  return true;
}

static void timing_collect(const struct scf_state *state, double setup, double total,
                           struct scf_result *result)
{
  double slowest[6] = {setup,
                       state->cost.integrals,
                       state->cost.communication,
                       state->cost.wait,
                       state->algebra_seconds,
                       total};
  GA_Dgop(slowest, 6, (char *)"max");
  result->timing = (struct scf_timing){.setup = slowest[0],
                                       .integrals = slowest[1],
                                       .communication = slowest[2],
                                       .wait = slowest[3],
                                       .algebra = slowest[4],
                                       .total = slowest[5]};
  result->quartets = state->cost.quartets;
  GA_Dgop(&result->quartets, 1, (char *)"+");
}

bool scf_run(const struct molecule *molecule, const struct basis *basis,
             const struct scf_settings *settings, struct scf_result *result)
{
  double start = GA_Wtime();
  struct scf_state state = {.molecule = molecule, .basis = basis, .settings = settings};
  *result = (struct scf_result){.energy = 0};
  state_create(&state);
  double setup = GA_Wtime() - start;

  int pairs = molecule->electron_count / 2, orbitals = state.orthogonaliser.rows;
  bool done = density_begin(&state);
  result->iterations_loaded = state.energy_count;
  if (!done) {
    /* error_text is set */
  } else if (pairs > orbitals) {
    done = error_set("%d electron pairs do not fit into %d independent functions", pairs, orbitals);
  } else {
    done = iterate(&state, result);
    if (state.energy_count > 0 && !checkpoint_keep(&state))
      done = false;
  }
  timing_collect(&state, setup, GA_Wtime() - start, result);
  state_free(&state);
  return done;
}

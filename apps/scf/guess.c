/* Computes the densities of single atoms by a small iteration for each element. */
#include "guess.h"

#include "error.h"
#include "matrix.h"
#include "one_electron.h"
#include "quartet.h"

#include <ga.h>
#include <math.h>
#include <stdlib.h>

/* An initial guess need not converge well. */
enum { ATOM_ITERATIONS = 15 };
static const double atom_tolerance = 1e-2; /* change of a density element */
static const double degeneracy =
    1e-4; /* hartree; orbitals that are closer belong to one subshell */
static const double screening = 1e-9;

/* One atom, treated as a small molecule of its own. */
struct atom_problem {
  struct molecule molecule;
  const struct basis *basis;
  struct engine *engine;
  const struct tile *tile;
  struct shell_pair *pairs;
  int pair_count;
  struct matrix core,
      orthogonaliser; /* one-electron energy; orthogonalising matrix of the overlap */
  struct matrix density, fock;
};

static void atom_prepare(struct atom_problem *problem)
{
  const struct shell *shells = &problem->basis->shells[problem->tile->first_shell];
  int size = problem->tile->size, count = problem->tile->shell_count;
  struct matrix overlap = matrix_create(size, size);
  problem->core = matrix_create(size, size);
  problem->density = matrix_create(size, size);
  problem->fock = matrix_create(size, size);
  problem->pairs = memory_allocate((size_t)(count * (count + 1) / 2), sizeof *problem->pairs);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++) {
      struct shell_pair *pair = &problem->pairs[problem->pair_count++];
      shell_pair_create(pair, &shells[i], &shells[j], screening * 1e-6);
      pair->bound = engine_bound(problem->engine, pair);
    }
  }
  const struct one_electron_source source = {problem->basis, &problem->molecule, problem->engine};
  int tile = (int)(problem->tile - problem->basis->tiles);
  const int tiles[2] = {tile, tile};
  one_electron_block(&source, OVERLAP, tiles, &overlap);
  one_electron_block(&source, KINETIC, tiles, &problem->core);
  one_electron_block(&source, ATTRACTION, tiles, &problem->core);
  problem->orthogonaliser = matrix_orthogonaliser(&overlap);
  matrix_free(&overlap);
}

static void atom_release(struct atom_problem *problem)
{
  for (int i = 0; i < problem->pair_count; i++)
    shell_pair_free(&problem->pairs[i]);
  free(problem->pairs);
  matrix_free(&problem->core);
  matrix_free(&problem->orthogonaliser);
  matrix_free(&problem->density);
  matrix_free(&problem->fock);
}

/* Computes fock = core + G(density). */
static void atom_fock(struct atom_problem *problem)
{
  int size = problem->tile->size;
  double *values = problem->fock.values;
  for (int i = 0; i < size * size; i++)
    values[i] = 0;
  for (int i = 0; i < problem->pair_count; i++) {
    for (int j = 0; j <= i; j++) {
      const struct shell_pair *bra = &problem->pairs[i], *ket = &problem->pairs[j];
      if (bra->bound * ket->bound < screening)
        continue;
      struct quartet quartet = quartet_create(bra, ket);
      quartet_contribute(problem->engine, &quartet, problem->tile->first, &problem->density,
                         &problem->fock);
    }
  }
  for (int i = 0; i < size; i++) {
    for (int j = 0; j <= i; j++) {
      double mean = 0.5 * (values[i * size + j] + values[j * size + i]);
      values[i * size + j] = values[j * size + i] = mean;
    }
  }
  matrix_add(1, &problem->core, &problem->fock);
}

/* Fills the lowest orbitals: scales the rows of `orbitals` by the square root of their occupation.
 * A subshell that is not full shares its electrons evenly, so the density stays spherical. */
static void orbitals_occupy(struct matrix *orbitals, const double *energies, int electrons)
{
  double left = electrons;
  for (int i = 0, end; i < orbitals->rows; i = end) {
    for (end = i + 1; end < orbitals->rows; end++) {
      if (energies[end] - energies[end - 1] > degeneracy)
        break;
    }
    double filled = fmin(left, 2.0 * (end - i));
    left -= filled;
    for (int k = i * orbitals->columns; k < end * orbitals->columns; k++) {
      orbitals->values[k] *= sqrt(filled / (end - i));
    }
  }
}

/* Computes the density of the orbitals of the current Fock matrix. */
static void atom_density(struct atom_problem *problem, struct matrix *density)
{
  const struct matrix *x = &problem->orthogonaliser;
  struct matrix vectors = matrix_create(x->rows, x->rows);
  struct matrix orbitals = matrix_create(x->rows, x->columns);
  double *energies = memory_allocate((size_t)x->rows, sizeof *energies);
  matrix_congruence(x, &problem->fock, &vectors);
  matrix_eigen(&vectors, energies);
  matrix_multiply(1, 'N', &vectors, 'N', x, &orbitals);
  orbitals_occupy(&orbitals, energies, problem->molecule.atoms->number);
  matrix_multiply(1, 'T', &orbitals, 'N', &orbitals, density);
  matrix_free(&vectors);
  matrix_free(&orbitals);
  free(energies);
}

/* Iterates with half of the old density mixed in, which converges for every atom. */
static void atom_converge(struct atom_problem *problem)
{
  int size = problem->tile->size;
  struct matrix change = matrix_create(size, size);
  matrix_copy(&problem->core, &problem->fock);
  atom_density(problem, &problem->density);
  for (int iteration = 0; iteration < ATOM_ITERATIONS; iteration++) {
    atom_fock(problem);
    atom_density(problem, &change);
    matrix_add(-1, &problem->density, &change);
    matrix_add(0.5, &change, &problem->density);
    double largest = 0;
    for (int i = 0; i < size * size; i++)
      largest = fmax(largest, fabs(change.values[i]));
    if (largest < atom_tolerance)
      break;
  }
  matrix_free(&change);
}

static void atom_put(const struct atom_problem *problem, const struct molecule *molecule,
                     int density_array)
{
  for (int i = 0; i < molecule->atom_count; i++) {
    if (molecule->atoms[i].number != problem->molecule.atoms->number)
      continue;
    const struct tile *tile = &problem->basis->tiles[i];
    int low[2] = {tile->first, tile->first}, stride = tile->size;
    int high[2] = {tile->first + tile->size - 1, tile->first + tile->size - 1};
    NGA_Put(density_array, low, high, problem->density.values, &stride);
  }
}

static bool atom_is_first(const struct molecule *molecule, int atom)
{
  for (int i = 0; i < atom; i++) {
    if (molecule->atoms[i].number == molecule->atoms[atom].number)
      return false;
  }
  return true;
}

void guess_density(const struct basis *basis, const struct molecule *molecule,
                   struct engine *engine, int density_array)
{
  GA_Zero(density_array);
  int elements = 0;
  for (int i = 0; i < molecule->atom_count; i++) {
    if (!atom_is_first(molecule, i) || elements++ % GA_Nnodes() != GA_Nodeid())
      continue;
    struct atom_problem problem = {.molecule = {.atoms = &molecule->atoms[i], .atom_count = 1},
                                   .basis = basis,
                                   .engine = engine,
                                   .tile = &basis->tiles[i]};
    atom_prepare(&problem);
    atom_converge(&problem);
    atom_put(&problem, molecule, density_array);
    atom_release(&problem);
  }
  GA_Sync();
}

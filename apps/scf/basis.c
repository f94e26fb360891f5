/* Builds the basis set of a molecule from the contractions of a library file. */
#include "basis.h"

#include "basis_file.h"
#include "error.h"
#include "harmonics.h"

#include <libint2.h>
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Scales the coefficients so that the contracted x^l function has norm 1. */
static void contraction_normalise(struct contraction *contraction)
{
  int l = contraction->momentum;
  double *coefficients = contraction->coefficients;
  const double *exponents = contraction->exponents;
  for (int i = 0; i < contraction->primitive_count; i++) {
    double square = pow(2 * exponents[i] / pi, 1.5) * pow(4 * exponents[i], l);
    coefficients[i] *= sqrt(square / double_factorial(2 * l - 1));
  }
  double norm = 0;
  for (int i = 0; i < contraction->primitive_count; i++) {
    for (int j = 0; j < contraction->primitive_count; j++) {
      double sum = exponents[i] + exponents[j];
      norm += coefficients[i] * coefficients[j] * pow(pi / sum, 1.5) / pow(2 * sum, l);
    }
  }
  norm *= double_factorial(2 * l - 1);
  for (int i = 0; i < contraction->primitive_count; i++)
    coefficients[i] /= sqrt(norm);
}

static bool contractions_check(const struct basis *basis, const struct basis_source *source,
                               const struct element_set *elements)
{
  for (int element = 1; element < ELEMENTS_MAX; element++) {
    if (!elements->wanted[element])
      continue;
    int found = 0;
    for (int c = 0; c < basis->contraction_count; c++) {
      found += basis->contractions[c].element == element;
    }
    if (!found) {
      return error_set("the basis set %s has no functions for %s", source->name,
                       element_symbol(element));
    }
  }
  for (int c = 0; c < basis->contraction_count; c++) {
    const struct contraction *contraction = &basis->contractions[c];
    const char *symbol = element_symbol(contraction->element);
    if (contraction->momentum > LIBINT2_MAX_AM_eri) {
      return error_set("the basis set %s has a shell of angular momentum %d for %s: too high "
                       "for this libint2, whose limit is %d",
                       source->name, contraction->momentum, symbol, LIBINT2_MAX_AM_eri);
    }
    if (contraction->primitive_count == 0) {
      return error_set("the basis set %s has a shell without coefficients for %s", source->name,
                       symbol);
    }
  }
  return true;
}

static void atom_place(struct basis *basis, const struct atom *atom, int tile_number)
{
  struct tile *tile = &basis->tiles[tile_number];
  tile->first_shell = basis->shell_count;
  tile->first = basis->size;
  for (int c = 0; c < basis->contraction_count; c++) {
    const struct contraction *contraction = &basis->contractions[c];
    if (contraction->element != atom->number)
      continue;
    struct shell *shell = &basis->shells[basis->shell_count++];
    int l = contraction->momentum;
    shell->contraction = contraction;
    shell->center = atom->position;
    shell->tile = tile_number;
    shell->first = basis->size;
    shell->size = contraction->spherical ? spherical_count(l) : cartesian_count(l);
    basis->size += shell->size;
    if (l > basis->momentum_max)
      basis->momentum_max = l;
    if (contraction->primitive_count > basis->primitive_max) {
      basis->primitive_max = contraction->primitive_count;
    }
  }
  tile->shell_count = basis->shell_count - tile->first_shell;
  tile->size = basis->size - tile->first;
}

static void basis_place(struct basis *basis, const struct molecule *molecule)
{
  size_t atoms = (size_t)molecule->atom_count;
  size_t shells_most = atoms * (size_t)basis->contraction_count;
  basis->shells = memory_allocate(shells_most, sizeof *basis->shells);
  basis->tiles = memory_allocate(atoms, sizeof *basis->tiles);
  basis->tile_count = molecule->atom_count;
  for (int i = 0; i < molecule->atom_count; i++)
    atom_place(basis, &molecule->atoms[i], i);
}

bool basis_read(struct basis *basis, const struct basis_source *source,
                const struct molecule *molecule)
{
  *basis = (struct basis){.contractions = NULL};
  struct element_set elements = {.wanted = {false}};
  for (int i = 0; i < molecule->atom_count; i++) {
    elements.wanted[molecule->atoms[i].number] = true;
  }
  if (!basis_file_read(basis, source, &elements) || !contractions_check(basis, source, &elements)) {
    basis_free(basis);
    return false;
  }
  for (int c = 0; c < basis->contraction_count; c++) {
    contraction_normalise(&basis->contractions[c]);
  }
  basis_place(basis, molecule);
  return true;
}

void basis_free(struct basis *basis)
{
  for (int c = 0; c < basis->contraction_count; c++) {
    free(basis->contractions[c].exponents);
    free(basis->contractions[c].coefficients);
  }
  free(basis->contractions);
  free(basis->shells);
  free(basis->tiles);
  *basis = (struct basis){.contractions = NULL};
}

/* Matrices of one-electron integrals. */
#pragma once

#include "basis.h"
#include "integrals.h"
#include "matrix.h"
#include "molecule.h"

/** The basis of the integrals, and the molecule whose nuclei attract the electrons. */
struct one_electron_source {
  const struct basis *basis;
  const struct molecule *molecule;
  struct engine *engine;
};

/** Adds the integrals between the functions of two tiles to `block`. Not collective. */
void one_electron_block(const struct one_electron_source *source, enum one_electron kind,
                        const int tiles[2], struct matrix *block);

/** Computes the sum of the `count` kinds of integrals in `matrix` on every process. The processes
 * share the work and exchange it through the global array, whose content is lost. Collective. */
void one_electron_matrix(const struct one_electron_source *source, const enum one_electron *kinds,
                         int count, int array, struct matrix *matrix);

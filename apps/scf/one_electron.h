/* Matrices of one-electron integrals. */
#ifndef SCF_ONE_ELECTRON_H
#define SCF_ONE_ELECTRON_H

#include "basis.h"
#include "integrals.h"
#include "matrix.h"
#include "molecule.h"

/** What the integrals are of; `molecule` gives the nuclei. */
struct one_electron_source {
  const struct basis *basis;
  const struct molecule *molecule;
  struct engine *engine;
};

/** Adds the integrals between the functions of two tiles to `block`. Local. */
void one_electron_block(const struct one_electron_source *source, enum one_electron kind,
                        const int tiles[2], struct matrix *block);

/** matrix = the sum of the `count` kinds, on every process; they share the work, and use the
 *  global array to exchange it. Collective. */
void one_electron_matrix(const struct one_electron_source *source, const enum one_electron *kinds,
                         int count, int array, struct matrix *matrix);

#endif

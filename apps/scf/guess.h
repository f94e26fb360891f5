/* The initial density: the sum of the densities of neutral, spherical atoms. */
#pragma once

#include "basis.h"
#include "integrals.h"
#include "molecule.h"

/** Fills the global array with the densities of the atoms, and with zeros between atoms.
 * Collective. */
void guess_density(const struct basis *basis, const struct molecule *molecule,
                   struct engine *engine, int density_array);

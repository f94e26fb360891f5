/* The linear algebra of an iteration, which every process does for itself. */
#pragma once

#include "diis.h"
#include "matrix.h"

/** Returns the energy of the electrons in hartree: half the sum of the products of the density with
 * the one-electron matrix `core` and with the Fock matrix. */
double energy_compute(const struct matrix *density, const struct matrix *core,
                      const struct matrix *fock);

/** Computes the gradient F D S - S D F in the orthonormal basis. Returns its largest element. */
double gradient_compute(const struct matrix *orthogonaliser, const struct matrix *overlap,
                        const struct matrix *fock, const struct matrix *density,
                        struct matrix *gradient);

/** Computes the density of `pairs` pairs of electrons in the lowest orbitals of the Fock matrix,
 * which `diis` extrapolates. */
void density_update(const struct matrix *orthogonaliser, const struct matrix *fock,
                    const struct matrix *gradient, struct diis *diis, int pairs,
                    struct matrix *density);

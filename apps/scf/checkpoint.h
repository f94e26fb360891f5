/* Density and energies in a file, so that a later run goes on from there. */
#ifndef SCF_CHECKPOINT_H
#define SCF_CHECKPOINT_H

#include <stdbool.h>

/** Saves the density array and the energies of all iterations so far. Collective.
 *  False with error_text on all processes; an older file is then as it was. */
bool checkpoint_save(const char *path, int density_array, const double *energies, int count);

/** Fills the density array, and gives the energies that were saved with it (to be freed).
 * Collective. False with error_text on all processes. */
bool checkpoint_load(const char *path, int density_array, double **energies, int *count);

#endif

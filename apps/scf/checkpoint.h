/* Saves the density and the energies to a file, from which a later run can continue. */
#pragma once

#include <stdbool.h>

/** Saves the density array and the energies of all iterations so far. Collective. If it fails,
 * it returns false, sets error_text on all processes, and leaves an existing file unchanged. */
bool checkpoint_save(const char *path, int density_array, const double *energies, int count);

/** Fills the density array and returns the energies that were saved with it in *energies, which the
 * caller frees. Collective. Returns false and sets error_text on all processes if it fails. */
bool checkpoint_load(const char *path, int density_array, double **energies, int *count);

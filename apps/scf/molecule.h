/* A molecule: nuclei and the number of electrons, read from an .xyz file. */
#pragma once

#include <stdbool.h>

struct atom {
  int number;         /* number of protons */
  double position[3]; /* in bohr */
};

struct molecule {
  struct atom *atoms;
  int atom_count;
  int electron_count;
};

/** Reads the .xyz file (in angstrom) at `path`. The charge determines the number of electrons.
 * Collective. Returns false and sets error_text on all processes if the file is not usable. */
bool molecule_read(struct molecule *molecule, const char *path, int charge);

void molecule_free(struct molecule *molecule);

/** Returns the Coulomb energy of the nuclei in hartree. */
double molecule_repulsion(const struct molecule *molecule);

/** Returns the symbol of the element with this number of protons. */
const char *element_symbol(int number);

/** Returns the number of protons of an element, or 0 if there is no such element. The case of the
 * symbol does not matter. */
int element_number(const char *symbol);

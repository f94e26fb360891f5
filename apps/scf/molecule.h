/* A molecule: nuclei and the number of electrons, read from an .xyz file. */
#ifndef SCF_MOLECULE_H
#define SCF_MOLECULE_H

#include <stdbool.h>

struct atom {
  int number;         /* protons */
  double position[3]; /* bohr */
};

struct molecule {
  struct atom *atoms;
  int atom_count;
  int electron_count;
};

/** Reads the .xyz file (angstrom) at `path`; the charge sets the number of electrons.
 *  Collective; false with error_text on all processes when the file is not usable. */
bool molecule_read(struct molecule *molecule, const char *path, int charge);

void molecule_free(struct molecule *molecule);

/** Coulomb energy of the nuclei, hartree. */
double molecule_repulsion(const struct molecule *molecule);

/** Symbol of the element with this number of protons. */
const char *element_symbol(int number);

/** Number of protons of an element symbol in any case; 0 when there is no such element. */
int element_number(const char *symbol);

#endif

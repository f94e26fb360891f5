/* Reads a molecule from an .xyz file. */
#include "molecule.h"

#include "error.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

/* NWChem's factor, so that its energies are reproduced to the last digit. */
static const double bohr_per_angstrom = 1.889725989;

static const double coincidence_distance = 1e-3; /* in bohr */

enum { ATOMS_MAX = 100000 };

static const char *const element_symbols[] = {
    "",   "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si",
    "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu",
    "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru",
    "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr",
    "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",
    "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac",
    "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr"};

enum { ELEMENT_COUNT = sizeof element_symbols / sizeof element_symbols[0] };

const char *element_symbol(int number)
{
  return element_symbols[number];
}

int element_number(const char *symbol)
{
  for (int number = 1; number < ELEMENT_COUNT; number++) {
    if (word_equal(symbol, element_symbols[number]))
      return number;
  }
  return 0;
}

static bool atom_parse(struct atom *atom, struct line_reader *reader)
{
  const char *path = reader->text->path;
  char *words[WORDS_MAX];
  if (words_split(reader->line, words) < 4) {
    return error_set("%s:%d: an atom needs an element and three coordinates", path, reader->number);
  }
  atom->number = element_number(words[0]);
  if (atom->number == 0) {
    return error_set("%s:%d: \"%s\" is not an element", path, reader->number, words[0]);
  }
  for (int axis = 0; axis < 3; axis++) {
    if (!number_parse(words[1 + axis], &atom->position[axis])) {
      return error_set("%s:%d: \"%s\" is not a coordinate", path, reader->number, words[1 + axis]);
    }
    atom->position[axis] *= bohr_per_angstrom;
  }
  return true;
}

static double atom_distance(const struct atom *a, const struct atom *b)
{
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    square += (a->position[axis] - b->position[axis]) * (a->position[axis] - b->position[axis]);
  }
  return sqrt(square);
}

/* Parses the first two lines: the number of atoms, and a title. */
static bool header_parse(struct molecule *molecule, struct line_reader *reader)
{
  const char *path = reader->text->path;
  char *words[WORDS_MAX];
  int count;
  if (!line_next(reader))
    return error_set("%s is empty", path);
  if (words_split(reader->line, words) != 1 || !integer_parse(words[0], &count) || count < 1 ||
      count > ATOMS_MAX) {
    return error_set("%s:1: the first line must be the number of atoms, from 1 to %d", path,
                     ATOMS_MAX);
  }
  if (!line_next(reader))
    return error_set("%s ends before the title line", path);
  molecule->atoms = memory_allocate((size_t)count, sizeof *molecule->atoms);
  molecule->atom_count = count;
  return true;
}

static bool atoms_parse(struct molecule *molecule, struct line_reader *reader)
{
  const char *path = reader->text->path;
  for (int i = 0; i < molecule->atom_count; i++) {
    if (!line_next(reader)) {
      return error_set("%s ends after %d of %d atoms", path, i, molecule->atom_count);
    }
    if (!atom_parse(&molecule->atoms[i], reader))
      return false;
    for (int j = 0; j < i; j++) {
      if (atom_distance(&molecule->atoms[i], &molecule->atoms[j]) < coincidence_distance) {
        return error_set("%s:%d: atoms %d and %d are at the same place", path, reader->number,
                         j + 1, i + 1);
      }
    }
  }
  if (line_next_filled(reader)) {
    return error_set("%s:%d: more lines follow than the %d atoms announced", path, reader->number,
                     molecule->atom_count);
  }
  return true;
}

static bool electrons_count(struct molecule *molecule, int charge)
{
  long electrons = -(long)charge;
  for (int i = 0; i < molecule->atom_count; i++)
    electrons += molecule->atoms[i].number;
  if (electrons < 1 || electrons > ATOMS_MAX) {
    return error_set("with charge %d the molecule has %ld electrons: nothing to compute", charge,
                     electrons);
  }
  if (electrons % 2) {
    return error_set("the molecule has %ld electrons, an odd number: restricted Hartree-Fock "
                     "needs pairs (see --charge)",
                     electrons);
  }
  molecule->electron_count = (int)electrons;
  return true;
}

bool molecule_read(struct molecule *molecule, const char *path, int charge)
{
  *molecule = (struct molecule){.atoms = NULL};
  struct text text;
  if (!text_read(&text, path))
    return false;
  struct line_reader reader = line_reader_create(&text);
  bool done = header_parse(molecule, &reader) && atoms_parse(molecule, &reader) &&
              electrons_count(molecule, charge);
  text_free(&text);
  if (!done)
    molecule_free(molecule);
  return done;
}

void molecule_free(struct molecule *molecule)
{
  free(molecule->atoms);
  *molecule = (struct molecule){.atoms = NULL};
}

double molecule_repulsion(const struct molecule *molecule)
{
  double energy = 0;
  for (int i = 0; i < molecule->atom_count; i++) {
    for (int j = 0; j < i; j++) {
      const struct atom *a = &molecule->atoms[i];
      const struct atom *b = &molecule->atoms[j];
      energy += (double)(a->number * b->number) / atom_distance(a, b);
    }
  }
  return energy;
}

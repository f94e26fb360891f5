/* The basis set: contracted Gaussian shells on the atoms of a molecule.
 *
 * A *contraction* is what the library file has for an element: angular momentum, exponents,
 * coefficients. A *shell* is a contraction on an atom; its functions are numbered from `first`.
 * A *tile* is the set of functions of one atom. Matrices are fetched and accumulated by tiles. */
#pragma once

#include "molecule.h"

#include <stdbool.h>

enum function_kind { FUNCTIONS_AS_FILE, FUNCTIONS_SPHERICAL, FUNCTIONS_CARTESIAN };

struct contraction {
  int element;
  int momentum;   /* s 0, p 1, d 2 ... */
  bool spherical; /* false for s and p, where both kinds are the same */
  int primitive_count;
  double *exponents;
  double *coefficients; /* scaled so that the x^l function has norm 1 */
};

struct shell {
  const struct contraction *contraction;
  const double *center; /* position of its atom in bohr */
  int tile;
  int first; /* number of its first function */
  int size;  /* number of its functions */
};

struct tile {
  int first_shell, shell_count;
  int first, size; /* number of its first function, and how many it has */
};

struct basis {
  struct contraction *contractions;
  int contraction_count;
  struct shell *shells;
  int shell_count;
  struct tile *tiles;
  int tile_count;
  int size; /* number of functions */
  int momentum_max;
  int primitive_max; /* most primitives of a shell */
};

/** Names a basis set. `directory` has files in NWChem's library format. */
struct basis_source {
  const char *name; /* such as "6-31g*" */
  const char *directory;
  enum function_kind kind;
};

/** Reads the shells of all elements of `molecule`, which must outlive the basis. Collective.
 * Returns false and sets error_text on all processes if it fails. */
bool basis_read(struct basis *basis, const struct basis_source *source,
                const struct molecule *molecule);

void basis_free(struct basis *basis);

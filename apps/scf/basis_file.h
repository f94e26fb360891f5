/* Reads contractions from files in the format of NWChem's basis library. Used by basis.c. */
#pragma once

#include "basis.h"

enum { ELEMENTS_MAX = 128 };

/** The elements whose contractions are wanted, indexed by the number of protons. */
struct element_set {
  bool wanted[ELEMENTS_MAX];
};

/** Appends the contractions of the wanted elements to `basis`, with the coefficients as they are in
 * the file. Collective. Returns false and sets error_text if it fails. A missing element is not an
 * error here. */
bool basis_file_read(struct basis *basis, const struct basis_source *source,
                     const struct element_set *elements);

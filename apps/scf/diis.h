/* Direct inversion in the iterative subspace (Pulay, J. Comput. Chem. 3, 556 (1982)). */
#pragma once

#include "matrix.h"

struct diis;

/** Creates a history of up to `capacity` Fock matrices. */
struct diis *diis_create(int capacity);

void diis_free(struct diis *diis);

/** Stores copies of `fock` and of its `error`, then replaces `fock` by the combination of the
 * stored Fock matrices that has the least error. The oldest entry is dropped when the history is
 * full. */
void diis_extrapolate(struct diis *diis, struct matrix *fock, const struct matrix *error);

/* Direct inversion in the iterative subspace (Pulay, J. Comput. Chem. 3, 556 (1982)). */
#ifndef SCF_DIIS_H
#define SCF_DIIS_H

#include "matrix.h"

struct diis;

/** Remembers up to `capacity` Fock matrices. */
struct diis *diis_create(int capacity);

void diis_free(struct diis *diis);

/** Remembers `fock` with its `error`, then replaces `fock` by the combination of those remembered
 *  whose error is least. */
void diis_extrapolate(struct diis *diis, struct matrix *fock, const struct matrix *error);

#endif
